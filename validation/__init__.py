"""How far the product can be trusted: comparisons with other programs and theory, and the pages that show them.

The package stands outside the wheel. Run its programs from the root of the tree:

    python -m validation.agree             compares with ns-2, ns-3, Linux and theory: docs/agreement.md
    python -m validation.friendliness      every transport against every other: docs/friendliness.md
    python -m validation.pages.NAME        one page or set of figures of docs/ each
"""
