"""Properties that each discipline is known for: every row of the page holds, shortened here and as published."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from dropcurve.scenario import library
from dropcurve.studies import Finding
from validation.pages import behaviour
from validation.pages.behaviour_network import NetworkRow

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_claim_holds(tmp_path: Path) -> None:
    """Where few replications are all equal (no packet lost in any), there is no interval to decide a claim by; the
    value itself must satisfy the claim."""
    rows = [*behaviour.rows(), *behaviour.phenomena()]
    assert misses(rows, behaviour.quick(rows, tmp_path)) == {}


def test_every_claim_of_a_transport_holds(tmp_path: Path) -> None:
    """As published: windows need the whole runs to differ from Reno's."""
    rows = behaviour.transports()
    assert misses(rows, behaviour.ask(rows, tmp_path, behaviour.REPLICATIONS)) == {}


def misses(rows: Sequence[NetworkRow], findings: Sequence[Finding]) -> dict[str, list[str]]:
    """The parts of claims that do not hold, by kind."""
    tests = {row.kind: row.tests for row in rows}
    return {
        one.claim.key: [f"{part.label}: {part.estimate}, should be {part.rule}" for part in one.parts]
        for one in findings
        if not all(map(behaviour.fits, tests[one.claim.key], one.parts))
    }


def test_the_page_has_the_row_of_each_kind() -> None:
    page = (DOCS / "behaviour.md").read_text(encoding="utf-8")
    keys = set(
        re.findall(r"^\[(.+)\]$", (DOCS / "references.toml").read_text(encoding="utf-8"), re.MULTILINE)
    )
    folders = {"disciplines": behaviour.rows(), "transports": behaviour.transports()}
    for folder, row in ((folder, row) for folder, rows in folders.items() for row in rows):
        assert (
            f"| [`{row.kind}`]({folder}/{row.kind}.md) | {row.claim} ({row.source}) | {row.scenario} | "
            in page
        )
        assert all(f" | {test.rule} | holds |" in page for test in row.tests), row.kind
        assert set(row.source.split(", ")) <= keys, row.kind
    for row in behaviour.phenomena():
        assert f"| {row.kind} | {row.claim} ({row.source}) | {row.scenario} | " in page
        assert all(f" | {test.rule} | holds |" in page for test in row.tests), row.kind
        assert set(row.source.split(", ")) <= keys, row.kind
    pages = sorted(path.stem for path in (DOCS / "transports").glob("*.md"))
    kinds = sorted(one["kind"] for one in library.catalogue()["disciplines"])
    assert re.findall(r"^\| \[`(\w+)`\]\(disciplines", page, re.MULTILINE) == kinds
    assert re.findall(r"^\| \[`(\w+)`\]\(transports", page, re.MULTILINE) == pages
