"""Agreement with ns-2.35, ns-3, Linux and theory, as a standing part of the product: ``make agree``.

`registry.py` lists the comparisons; each is one file and gives an `Area` of `Case`s. What they share: `cases.py` (a
case and its figures), `context.py` (where references are, what runs gave before), `means.py` (when two means agree),
`page.py`.
"""
