"""The table of the page: metrics in groups, a column for each variant, and marks of the significant differences."""

from __future__ import annotations

from typing import Any

from .. import metrics
from ..present import intervals
from ..quantities import wording
from ..results import Result
from ..results.tables import Cell, Difference, Row

GROUPS = (("link", "At the link"), ("flow", "Flows"), ("class", "Between classes"))


def of(result: Result) -> dict[str, Any]:
    """Groups of rows; `zero` names the metrics that are zero throughout and are left out."""
    differences = {(one.key, one.variant): one for one in result.differences()} if _compares(result) else {}
    rows = result.table()
    groups = []
    for per, title in GROUPS:
        members = [row for row in rows if metrics.find(row.metric).per == per and not row.zero]
        if members:
            groups.append({"title": title, "rows": [_row(result, row, differences) for row in members]})
    return {
        "groups": groups,
        "zero": [row.title for row in rows if row.zero],
        "confidence": wording.percent(result.confidence),
        "replications": len(result.seeds),
        "compares": _compares(result),
        "pair": len(result.variants) == 2,
    }


def _compares(result: Result) -> bool:
    return len(result.variants) > 1


def _row(result: Result, row: Row, differences: dict[tuple[str, str], Difference]) -> dict[str, Any]:
    known = [cell.mean for cell in row.cells if cell.mean is not None]
    divisor, unit = wording.scaled(row.unit, max(map(abs, known), default=0.0))
    shown = [differences.get((row.key, variant.name)) for variant in result.variants]
    best = _best(row, shown)
    cells = [
        {**_cell(cell, divisor, metrics.find(row.metric).possible), "best": i == best, **_judged(difference)}
        for i, (cell, difference) in enumerate(zip(row.cells, shown, strict=True))
    ]
    return {
        "title": row.title, "unit": unit, "better": row.better, "cells": cells, "part": bool(row.scope),
        "change": _change(shown[1], divisor, unit, max(map(abs, known), default=0.0)) if len(shown) == 2 else "",
    }  # fmt: skip


def _cell(cell: Cell, divisor: float, possible: intervals.Range) -> dict[str, str]:
    mean, half = wording.value(cell.mean, cell.half_width, divisor=divisor, within=possible)
    return {"mean": mean, "half": intervals.interval("", half).lstrip()}


def _judged(difference: Difference | None) -> dict[str, str]:
    """A sign, its meaning in words, and a class for its colour."""
    if difference is None or not difference.real:
        return {"sign": "", "words": "", "judged": ""}
    signs = {
        True: ("✓", "better than the baseline", "good"),
        False: ("✗", "worse than the baseline", "bad"),
        None: ("≠", "differs from the baseline", "other"),
    }
    sign, words, judged = signs[difference.improves]
    return {"sign": sign, "words": words, "judged": judged}


def _best(row: Row, changes: list[Difference | None]) -> int | None:
    """The variant with the best mean, if its difference is significant.

    A variant must differ from the baseline for the better; the baseline is best if all others are worse.
    """
    known = [(i, cell.mean) for i, cell in enumerate(row.cells) if cell.mean is not None]
    if row.better == "none" or len(known) < 2:
        return None
    pick = max if row.better == "higher" else min
    index, _ = pick(known, key=lambda one: one[1])
    if index == 0:
        others = [changes[i] for i, _ in known if i > 0]
        return 0 if all(one is not None and one.real for one in others) else None
    one = changes[index]
    return index if one is not None and one.real and one.improves else None


def _change(difference: Difference | None, divisor: float, unit: str, largest: float) -> str:
    if difference is None:
        return ""
    if not difference.real and wording.vague(difference.half_width, unit, largest):
        return intervals.UNDECIDED
    mean, half = wording.value(difference.mean, difference.half_width, divisor=divisor)
    sign = "+" if difference.mean > 0 else ""
    shown = {"%": "points"}.get(unit, unit)
    return f"{sign}{intervals.interval(mean, half)} {shown}".rstrip()
