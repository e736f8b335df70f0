"""The rules of tidy. To add one: a function here or in a module of its own, and a line in `RULES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tidy_rules import (
    citations,
    commits,
    imports,
    language,
    layers,
    leftovers,
    links,
    python_style,
    records,
    registry,
    sizes,
    unsafe,
    wrapping,
    writes,
)
from tidy_rules.tree import Fault, Tree

__all__ = ["RULES", "Fault", "Tree"]

RULES: dict[str, Callable[[Tree], Iterator[Fault]]] = {
    "layers": layers.check,
    "length": sizes.check,
    "leftover": leftovers.check_leftovers,
    "private": leftovers.check_private,
    "citation": citations.check,
    "registry": registry.check_registries,
    "scenario": registry.check_scenarios,
    "link": links.check,
    "python": python_style.check,
    "record": records.check,
    "commit": commits.check,
    "wrapping": wrapping.check,
    "import": imports.check,
    "word": language.check_words,
    "docstring": language.check_docstrings,
    "name": language.check_names,
    "unsafe": unsafe.check,
    "write": writes.check,
}
