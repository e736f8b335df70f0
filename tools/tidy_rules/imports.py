"""Imports are at the top of a file; only heavy libraries are loaded where they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

PACKAGE = "python/dropcurve/"
#: The verbs, each of which loads the modules that it calls.
VERBS = "cli/"
#: Packages that load their names on first use (`files.lazy`), which name them once more for their types.
LAZY = "__getattr__ = attributes(__name__, _HOME)"
#: Libraries that take longer to load than a short command lasts, or that an install may be without.
HEAVY = {
    "dask_jobqueue", "distributed", "duckdb", "importlib.metadata", "jinja2", "markupsafe", "matplotlib", "numpy",
    "optuna", "packaging.requirements", "pandas", "polars", "pyarrow", "rich", "scipy", "xarray",
}  # fmt: skip


def check(tree: Tree) -> Iterator[Fault]:
    """No import of ours is hidden in a function, which would hide a circle, or made for its types alone."""
    for path in tree.matching(PACKAGE, ".py"):
        if path.removeprefix(PACKAGE).startswith(VERBS) or LAZY in tree.text(path):
            continue
        try:
            module = tree.module(path)
        except SyntaxError:
            continue
        for node in hidden(module):
            if not HEAVY & {library(node), module_of(node)}:
                message = (
                    "import it at the top of the file: only heavy libraries are loaded where they are used"
                )
                yield Fault(path, node.lineno, "import", message)


def hidden(module: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports below the top level of a file, ``if TYPE_CHECKING`` included; those of a ``try`` are at the top."""
    for statement in module.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Try)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node


def module_of(node: ast.Import | ast.ImportFrom) -> str:
    """The full name of the module that is imported; "" for a module of this package."""
    if isinstance(node, ast.Import):
        return node.names[0].name
    return "" if node.level else (node.module or "")


def library(node: ast.Import | ast.ImportFrom) -> str:
    """The library that is imported; "" for a module of this package."""
    if isinstance(node, ast.Import):
        return node.names[0].name.partition(".")[0]
    return "" if node.level else (node.module or "").partition(".")[0]
