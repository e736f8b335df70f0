"""Files of the package appear whole or not at all: only `files.writing` opens them for writing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

PACKAGE = "python/dropcurve/"
#: Files that write in other ways, and why that loses nothing.
OTHER_WAYS = {
    "files/writing.py": "the helper itself",
    "tuning/study.py": "a log for other tools, which every search writes from the start and none reads",
    "runs/sweeping/run_table.py": "a journal: a line that was cut is left out when it is read",
    "live/": "private folders of a run; `--out` copies their files, all of them or none",
}
METHODS = ("write_text", "write_bytes", "write_table", "to_csv", "to_parquet")
MOVES = ("copy", "copy2", "copyfile", "move")


def check(tree: Tree) -> Iterator[Fault]:
    """No file of a user is opened for writing under its own name."""
    for path in tree.matching(PACKAGE, ".py"):
        if path.removeprefix(PACKAGE).startswith(tuple(OTHER_WAYS)):
            continue
        try:
            module = tree.module(path)
        except SyntaxError:
            continue
        drafts = {
            id(inner)
            for node in ast.walk(module)
            if isinstance(node, ast.With) and any(is_draft(item.context_expr) for item in node.items)
            for inner in ast.walk(node)
        }
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and id(node) not in drafts and writes(node):
                yield Fault(
                    path, node.lineno, "write", "use files.writing: a file appears whole or not at all"
                )


def is_draft(node: ast.expr) -> bool:
    """Whether an expression is a call of `files.writing.draft`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "draft"


def writes(call: ast.Call) -> bool:
    """Whether a call writes a file: a method of a path, `open` with a mode that writes, or a copy by `shutil`."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="shutil"), attr=name):
            return name in MOVES
        case ast.Attribute(attr="open"):
            modes = call.args[:1]
        case ast.Attribute(attr=name):
            return name in METHODS
        case ast.Name(id="open"):
            modes = call.args[1:2]
        case _:
            return False
    modes = [*modes, *(one.value for one in call.keywords if one.arg == "mode")]
    return any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and {*mode.value} & {*"wax+"}
        for mode in modes
    )
