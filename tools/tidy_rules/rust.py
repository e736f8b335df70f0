"""The part of Rust's grammar that tidy needs: code, ends of functions, tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from tidy_rules.tree import Tree

# Comments (of a line, or nested, which is handled below), strings, raw strings, characters.
TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\bb?r(?P<hashes>\#*)")
      | (?P<string>b?"(?:[^"\\]|\\.)*")
      | (?P<char>b?'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.))')""",
    re.VERBOSE | re.DOTALL,
)
FUNCTION = re.compile(r"\bfn\s+(\w+)")
TEST_MODULE = re.compile(
    r"#\[cfg\((?:all\()?test\b[^\]]*\)\]\s*"
    r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*([{;])"
)


@dataclass(frozen=True)
class Function:
    """A function with a body."""

    name: str
    line: int
    length: int


@cache
def code(text: str) -> str:
    """The text with comments and literals blanked; lines and columns stay where they were."""
    pieces, position = [], 0
    while match := TOKEN.search(text, position):
        end = match.end()
        if match["block"]:
            end = end_of_block_comment(text, match.start())
        elif match["raw"] is not None:
            closing = text.find('"' + match["hashes"], end)
            end = len(text) if closing < 0 else closing + 1 + len(match["hashes"])
        pieces.append(text[position : match.start()])
        pieces.append(re.sub(r"[^\n]", " ", text[match.start() : end]))
        position = end
    return "".join(pieces) + text[position:]


def end_of_block_comment(text: str, start: int) -> int:
    """Where the comment that opens at `start` closes; comments nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)


def closing_brace(blanked: str, opening: int) -> int:
    """The position after the brace that closes the one at `opening`."""
    depth = 0
    for mark in re.finditer(r"[{}]", blanked[opening:]):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return opening + mark.end()
    return len(blanked)


def blank_tests(blanked: str) -> str:
    """The code with its test modules blanked; lines and columns stay where they were."""
    pieces, position = [], 0
    for module in TEST_MODULE.finditer(blanked):
        if module[2] == "{" and module.start() >= position:
            end = closing_brace(blanked, module.end() - 1)
            pieces.append(blanked[position : module.start()])
            pieces.append(re.sub(r"[^\n]", " ", blanked[module.start() : end]))
            position = end
    return "".join(pieces) + blanked[position:]


def length_without_tests(blanked: str) -> int:
    """Lines that are not part of a test module."""
    inside = 0
    end = 0
    for module in TEST_MODULE.finditer(blanked):
        if module[2] == "{" and module.start() >= end:
            end = closing_brace(blanked, module.end() - 1)
            inside += blanked.count("\n", module.start(), end) + 1
    return len(blanked.splitlines()) - inside


def test_modules(tree: Tree) -> Iterator[str]:
    """Rust files that a `#[cfg(test)] mod name;` brings in."""
    for path in tree.matching("crates/", ".rs"):
        here = PurePosixPath(path)
        inside = here.parent if here.stem in ("lib", "mod", "main") else here.parent / here.stem
        for module in TEST_MODULE.finditer(code(tree.text(path))):
            name = module[1]
            yield f"{inside}/{name}.rs"
            yield f"{inside}/{name}/mod.rs"


def functions(blanked: str) -> Iterator[Function]:
    """Every function that has a body."""
    for match in FUNCTION.finditer(blanked):
        opening = body_of(blanked, match.end())
        if opening is not None:
            line = blanked.count("\n", 0, match.start()) + 1
            last = blanked.count("\n", 0, closing_brace(blanked, opening)) + 1
            yield Function(match[1], line, last - line + 1)


def body_of(blanked: str, position: int) -> int | None:
    """The brace that opens a function's body; none if it is only declared."""
    depth = 0
    for mark in re.finditer(r"[(\[{;)\]]", blanked[position:]):
        if mark[0] in "([":
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
        elif depth == 0:
            return position + mark.start() if mark[0] == "{" else None
    return None
