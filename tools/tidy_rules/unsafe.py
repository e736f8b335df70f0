"""Every ``unsafe`` has a safety argument above it, and its file a row in ``docs/unsafe.md`` with how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidy_rules import rust
from tidy_rules.tree import Fault, Tree

PAGE = "docs/unsafe.md"
USE = re.compile(r"\bunsafe\b(?=\s*(?:\{|impl\b|fn\b|extern\b))")
ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \|", re.MULTILINE)
#: Lines above a use within which its argument begins.
NEAR = 8


def check(tree: Tree) -> Iterator[Fault]:
    """No use without ``SAFETY:`` above it, and the page lists every file with its number of uses."""
    listed = {name: int(count) for name, count in ROW.findall(tree.text(PAGE))}
    for path in tree.matching("crates/", ".rs"):
        lines = rust.code(tree.text(path)).splitlines()
        uses = [number for number, line in enumerate(lines) for _ in USE.findall(line)]
        if len(uses) != listed.pop(path, 0):
            yield Fault(
                path, uses[0] + 1 if uses else 1, "unsafe", f"{len(uses)} uses: {PAGE} must list as many"
            )
        lines = tree.text(path).splitlines()
        for number in uses:
            if not any("SAFETY:" in line for line in lines[max(0, number - NEAR) : number + 1]):
                yield Fault(path, number + 1, "unsafe", "say above it why it is sound: // SAFETY: …")
    for path in listed:
        yield Fault(PAGE, 1, "unsafe", f"{path} has no unsafe any more: take its row out")
