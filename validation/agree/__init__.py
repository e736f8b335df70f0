"""Agreement with ns-2.35, ns-3, Linux and theory, as a standing part of the product: ``make agree``.

`registry.py` lists the comparisons; each is one file and returns an `Area` of `Case`s. Shared parts: `cases.py` (a case
and its figures), `context.py` (paths of references, results of earlier runs), `means.py` (when two means agree),
`page.py`.
"""
