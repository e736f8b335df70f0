"""Sources are cited by keys of docs/references.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

REFERENCES = "docs/references.toml"
# RFC2309, RFC 5681, and lists such as "RFC 5681, 6298".
RFC = re.compile(r"\bRFCs? ?(\d{3,5}(?:(?:, | and | or )\d{3,5}\b(?! ?[a-z]))*)")
# FJ93, FGS01: initials of the authors and the year; Hashem89: the one author and the year.
PAPER = re.compile(r"(?<![\w#-])([A-Z]{2,5}\d{2}[a-z]?|[A-Z][a-z]{3,}\d{2}[a-z]?)\b(?!-)")
# Words that look like keys and are not.
WORDS = re.compile(r"^(RFC|UTF|SHA|MD|CP|IEEE|ECT|DSCP|EF|AF|CS|PCG|ISO|CRC|FNV|HTTP|Float|Uint)\d")


def check(tree: Tree) -> Iterator[Fault]:
    """Every source cited in crates, reference models, docs and scenarios is in docs/references.toml."""
    keys = set(tomllib.loads(tree.text(REFERENCES)))
    for path in tree.matching("crates/", "reference/", "docs/", "scenarios/", ".rs", ".py", ".md", ".toml"):
        if path == REFERENCES or path.endswith("Cargo.toml"):
            continue
        for number, line in tree.lines(path):
            for key in cited(line):
                if key not in keys:
                    yield Fault(path, number, "citation", f"{key} is not in {REFERENCES}")


def cited(line: str) -> Iterator[str]:
    """The keys a line cites."""
    for match in RFC.finditer(line):
        for number in re.findall(r"\d{3,5}", match[1]):
            yield f"RFC{number}"
    for match in PAPER.finditer(line):
        if not WORDS.match(match[1]):
            yield match[1]
