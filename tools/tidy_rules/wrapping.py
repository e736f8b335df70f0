"""Markdown wraps at 100 columns, whether a hand or a program wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

COLUMNS = 100
LINK = re.compile(r"\s*\[?!?\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\.?$")
ITEM = re.compile(r"\s*(?:[*+-]|\d+\.) ")


def check(tree: Tree) -> Iterator[Fault]:
    """A line of Markdown has at most 100 columns; tables, code and words that cannot be broken may have more."""
    for path in tree.matching(".md"):
        fenced = False
        for number, line in tree.lines(path):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced and len(line) > COLUMNS and breakable(line):
                yield Fault(
                    path, number, "wrapping", f"{len(line)} columns; {COLUMNS} are allowed (make format)"
                )


def breakable(line: str) -> bool:
    """Whether the line could be shorter: it has a blank within the limit, and is not a table row, HTML or lone link."""
    if line.lstrip().startswith(("|", "<")) or LINK.match(line):
        return False
    start = match.end() if (match := ITEM.match(line)) else len(line) - len(line.lstrip())
    return " " in line[start:COLUMNS]
