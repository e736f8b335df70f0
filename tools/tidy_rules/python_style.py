"""Python style: rules of the linters, checked without them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

MAY_PRINT = ("python/dropcurve/cli/", "tools/", "reference/", "examples/")


def check(tree: Tree) -> Iterator[Fault]:
    """No print outside the command line, no except that catches everything, no assertion that cannot fail."""
    for path in tree.matching(".py"):
        try:
            tree.module(path)
        except SyntaxError as problem:
            yield Fault(path, problem.lineno or 1, "python", f"does not parse: {problem.msg}")
            continue
        for node in tree.nodes(path):
            if message := complaint(node, path):
                yield Fault(path, getattr(node, "lineno", 1), "python", message)


def complaint(node: ast.AST, path: str) -> str:
    """Returns the fault of a node; empty if it has none."""
    match node:
        case ast.ExceptHandler(type=None):
            return "except without a type catches everything"
        case ast.ExceptHandler(type=ast.Name(id="BaseException")):
            return "except BaseException catches everything"
        case ast.Call(func=ast.Name(id="print")) if not path.startswith(MAY_PRINT):
            return "print belongs to the command line"
        case ast.Assert(test=ast.Constant(value=value)) if value:
            return "an assertion that cannot fail"
        case _:
            return ""
