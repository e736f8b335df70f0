"""Writes `studio/lessons.json`: the rows of `docs/behaviour.md` as lessons of the studio.

    python -m validation.pages.lessons

A lesson has the settings of its row, and each question as data: the quantity, the setting and group of flows it is
taken from, and the range in which the published claim is right.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dropcurve import studies as st

from .behaviour import phenomena, rows, transports
from .behaviour_network import NetworkRow

OUT = Path(__file__).resolve().parents[2] / "studio" / "lessons.json"
#: Quantities that `studio/lessons.js` works out, longest first.
QUANTITIES = (
    "95 % of one-way delays", "one-way delay", "queueing delay", "overflow drops", "utilisation", "throughput",
    "average", "deviation of the queue", "queue", "drops", "loss",
)  # fmt: skip
#: Quantities that need samples of windows, which a page does not store: their tests are in `docs/behaviour.md` alone.
SAMPLED = ("synchronisation",)


def lessons() -> list[dict[str, Any]]:
    """Every row as data: phenomena as they are ordered, then disciplines and transports by name."""
    tables = {
        "What queues do": phenomena(),
        "Disciplines": sorted(rows(), key=lambda row: row.kind),
        "Transports": sorted(transports(), key=lambda row: row.kind),
    }
    return [{"group": group, **lesson(row)} for group, table in tables.items() for row in table]


def lesson(row: NetworkRow) -> dict[str, Any]:
    """One row as data."""
    first, *rest = row.cells
    differences = {name: difference(row.cells[first], row.cells[name]) for name in rest}
    return {
        "kind": row.kind,
        "claim": re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", row.claim),
        "source": row.source,
        "scenario": row.scenario,
        "first": first,
        "cells": dict(row.cells),
        "differences": differences,
        "checks": [check(test, row) for test in row.tests if not test.label.startswith(SAMPLED)],
    }


def check(test: st.Test, row: NetworkRow) -> dict[str, Any]:
    """A question as data.

    Raises:
        ValueError: If its label is not "QUANTITY [of GROUP], CELL", with two groups or two cells for a ratio.
    """
    quantity = next((name for name in QUANTITIES if test.label.startswith(name)), None)
    if quantity is None:
        raise ValueError(f"{row.kind}: no quantity of a lesson begins '{test.label}'")
    rest = test.label.removeprefix(quantity).strip()
    groups: list[str] = []
    if match := re.match(r"of ([\w-]+),? ?", rest):
        groups, rest = [match[1]], rest[match.end() :]
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    if parts and (pair := [one.strip() for one in parts[0].split("/")]) and not set(pair) <= set(row.cells):
        groups, parts = pair, parts[1:]
    cells = [one.strip() for one in parts[0].split("/")] if parts else [next(iter(row.cells))]
    if len(parts) > 1 or not set(cells) <= set(row.cells):
        raise ValueError(f"{row.kind}: '{test.label}' names no setting among {', '.join(row.cells)}")
    named = tomllib.loads(row.cells[cells[0]])["flows"]
    if not set(groups) <= set(named):
        raise ValueError(f"{row.kind}: '{test.label}' names no group among {', '.join(named)}")
    of = [{"cell": cell, "group": group} for cell in cells for group in (groups or [""])]
    return {
        "label": test.label, "quantity": quantity, "of": of,
        "above": test.above, "below": test.below, "unit": test.unit,
    }  # fmt: skip


def difference(one: str, other: str) -> list[tuple[str, str]] | None:
    """Edits that make one setting of the other, as the command line takes them; ``None`` where edits cannot."""
    old, new = flat(tomllib.loads(one)), flat(tomllib.loads(other))
    kind = [("queue.kind", new["queue.kind"])] if old["queue.kind"] != new["queue.kind"] else []
    changed = [
        (path, value)
        for path, value in new.items()
        if path != "queue.kind" and (old.get(path) != value or (kind and path.startswith("queue.")))
    ]
    lost = {path for path in old if path not in new and not (kind and path.startswith("queue."))}
    return (
        None
        if lost or any(path.startswith("flows.") and path not in old for path in new)
        else [*kind, *changed]
    )


def flat(table: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """Values by dotted path."""
    values: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            values |= flat(value, f"{above}{key}.")
        else:
            values[f"{above}{key}"] = value if isinstance(value, str) else json.dumps(value)
    return values


def text() -> str:
    """The file."""
    return json.dumps(lessons(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OUT.write_text(text(), encoding="utf-8")
