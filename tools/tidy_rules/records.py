"""The records of the tree: decisions and notes of change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

DECISION = re.compile(r"docs/decisions/(\d{3})-[a-z0-9-]+\.md")
PARTS = ("## Context", "## Decision", "## What we gave up")
NOTE = re.compile(r"changes/[a-z0-9-]+\.(added|changed|fixed|removed)\.md")


def check(tree: Tree) -> Iterator[Fault]:
    """Decisions are numbered once and have three parts; notes of change are named after their kind."""
    seen: dict[str, str] = {}
    for path in tree.matching("docs/decisions/", ".md"):
        if path.endswith(("/README.md", "/template.md")):
            continue
        match = DECISION.fullmatch(path)
        if not match:
            yield Fault(path, 1, "record", "a decision is called NNN-title.md")
            continue
        if match[1] in seen:
            yield Fault(path, 1, "record", f"the number is taken by {seen[match[1]]}")
        seen[match[1]] = path
        for part in PARTS:
            if part not in tree.text(path):
                yield Fault(path, 1, "record", f"no '{part}'")
    for path in tree.matching("changes/", ".md"):
        if not NOTE.fullmatch(path) and path != "changes/README.md":
            yield Fault(path, 1, "record", "a note of change: <slug>.<added|changed|fixed|removed>.md")
