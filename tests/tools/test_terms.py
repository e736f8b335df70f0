"""The field's terms are found by their usual names in the code that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Each term with the folders whose code has it.
TERMS = {
    "fast path": ("crates/sim/src", "crates/queue/src", "crates/transport/src"),
    "slow path": ("crates/sim/src", "crates/transport/src"),
    "lookahead": ("crates/sim/src",),
    "event queue": ("crates/sim/src",),
    "rng": ("crates/queue/src", "crates/sim/src"),
    "in flight": ("crates/transport/src",),
    "retransmission": ("crates/transport/src",),
    "surrogate": ("python/dropcurve/tuning",),
    "acquisition": ("python/dropcurve/tuning",),
    "expected improvement": ("python/dropcurve/tuning",),
    "feasible": ("python/dropcurve/tuning", "python/dropcurve/verdict"),
    "incumbent": ("python/dropcurve/tuning",),
}


def texts(folder: str) -> str:
    """The code of a folder in lower case."""
    files = [path for ending in ("*.rs", "*.py") for path in sorted((ROOT / folder).rglob(ending))]
    return "\n".join(path.read_text(encoding="utf-8").lower() for path in files)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_found_where_it_lives(term: str) -> None:
    for folder in TERMS[term]:
        assert re.search(rf"\b{term}", texts(folder)), f"nothing in {folder} says {term!r}"


def test_the_glossary_has_every_term() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").lower()
    assert [term for term in TERMS if term not in glossary] == []
