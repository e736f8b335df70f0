"""How long files and functions may be, with a ratchet for those that were longer before the rule."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator

from tidy_rules import rust
from tidy_rules.tree import Fault, Tree

FILE_LINES = 400
FUNCTION_LINES = 70
RATCHET = "tools/tidy_ratchet.toml"
HEADER = """\
# Files and functions that are longer than tidy allows (400 and 70 lines), with the length they have.
# An entry may only shrink: `python tools/tidy.py --tighten` lowers it, or takes it out.
"""


def check(tree: Tree) -> Iterator[Fault]:
    """Files stay under 400 lines, functions under 70, tests not counted; exceptions may only shrink."""
    granted = tomllib.loads(tree.text(RATCHET)) if tree.has(RATCHET) else {}
    long = too_long(tree)
    for kind, limit in (("file", FILE_LINES), ("function", FUNCTION_LINES)):
        grants: dict[str, int] = granted.get(kind, {})
        for name, (line, length) in long[kind].items():
            grant = grants.get(name, limit)
            path = name.partition("::")[0]
            if length > grant:
                yield Fault(path, line, "length", f"{name} has {length} lines, {grant} are allowed")
            elif length < grant:
                yield slack(name, grant, length)
        for name in sorted(set(grants) - set(long[kind])):
            yield slack(name, grants[name], limit)


def slack(name: str, grant: int, length: int) -> Fault:
    """A grant that is no longer needed in full."""
    return Fault(RATCHET, 1, "length", f"{name} is granted {grant}, {length} suffice: run --tighten")


def tighten(tree: Tree) -> None:
    """Writes the ratchet again: each entry as small as it can be, none added, none raised."""
    granted = tomllib.loads(tree.text(RATCHET)) if tree.has(RATCHET) else {}
    long = too_long(tree)
    text = HEADER
    for kind in ("file", "function"):
        text += f"\n[{kind}]\n"
        for name, (_, length) in sorted(long[kind].items()):
            if name in granted.get(kind, {}):
                text += f'"{name}" = {min(length, granted[kind][name])}\n'
    (tree.root / RATCHET).write_text(text, encoding="utf-8")


def too_long(tree: Tree) -> dict[str, dict[str, tuple[int, int]]]:
    """Files and functions above the limit, with line and length."""
    long: dict[str, dict[str, tuple[int, int]]] = {"file": {}, "function": {}}
    for path, length, functions in measured(tree):
        if length > FILE_LINES:
            long["file"][path] = (1, length)
        for function in functions:
            if function.length > FUNCTION_LINES:
                long["function"][f"{path}::{function.name}"] = (function.line, function.length)
    return long


def measured(tree: Tree) -> Iterator[tuple[str, int, list[rust.Function]]]:
    """Each source that is not a test: its length without tests, and its functions."""
    only_tests = set(rust.test_modules(tree))
    for path in tree.matching("crates/", ".rs"):
        if "/src/" in path and path not in only_tests:
            blanked = rust.code(tree.text(path))
            yield path, rust.length_without_tests(blanked), list(rust.functions(rust.blank_tests(blanked)))
    for path in tree.matching("python/", "tools/", "reference/", "validation/", "examples/", ".py"):
        text = tree.text(path)
        yield path, len(text.splitlines()), list(python_functions(tree, path))


def python_functions(tree: Tree, path: str) -> Iterator[rust.Function]:
    """Functions and methods, from the decorator's next line to the last."""
    for node in tree.nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.end_lineno or node.lineno
            yield rust.Function(node.name, node.lineno, last - node.lineno + 1)
