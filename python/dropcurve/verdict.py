"""A result in sentences: which differences are real, and how large an unseen one could be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import metrics, wording

if TYPE_CHECKING:
    from .results import Result
    from .tables import Difference

#: The metrics a verdict speaks of, in this order; the whole list is in the table.
HEADLINE = (
    "sojourn_ms_mean", "sojourn_ms_p95", "utilisation", "loss", "goodput_bps", "completion_s_mean", "jain",
    "friendliness",
)  # fmt: skip


def sentences(result: Result) -> list[str]:
    """One sentence for each headline metric and variant; see `HEADLINE`."""
    if not result.variants or not result.baseline.runs:
        return []
    if len(result.variants) == 1:
        return _single(result)
    found = [
        difference
        for difference in result.differences()
        if difference.metric in HEADLINE and _headline_scope(result, difference.metric, difference.scope)
    ]
    found.sort(key=lambda difference: HEADLINE.index(difference.metric))
    lines = []
    for variant in result.variants[1:]:
        lines += [_compared(result, one) for one in found if one.variant == variant.name]
    return lines


def _headline_scope(result: Result, metric: str, scope: str) -> bool:
    """Totals, each main link, and classes only where the metric is about them."""
    return not scope or metrics.find(metric).per != "flow"


def _subject(metric: str, scope: str) -> str:
    title = metrics.find(metric).title
    return f"{title} ({scope})" if scope else title


def _basis(result: Result, n: int, what: str) -> str:
    return f"({wording.percent(result.confidence)}, {wording.count(n, what)})"


def _compared(result: Result, found: Difference) -> str:
    subject = _subject(found.metric, found.scope)
    if found.half_width is None:
        return (
            f"{found.variant}: {subject} differs by {wording.amount(found.mean, None, found.unit)} in one "
            "replication, which proves nothing; take --replications 5 or more"
        )
    basis = _basis(result, found.n, "paired replication")
    if found.real:
        verb = "raises" if found.mean > 0 else "lowers"
        by = wording.amount(abs(found.mean), found.half_width, found.unit)
        return f"{found.variant} {verb} {subject} by {by} {basis}"
    if found.mean == 0 and found.half_width == 0:
        return f"{found.variant}: {subject} is the same in every replication"
    most = abs(found.mean) + found.half_width
    return f"{found.variant}: {subject}: no difference seen, at most ±{_bound(most, found.unit)} {basis}"


def _bound(most: float, unit: str) -> str:
    """Two significant digits, with unit."""
    divisor, shown = wording.scaled(unit, most)
    text = wording.number(most / divisor, wording.decimals(most / divisor, most / divisor))
    return f"{text} {shown}".rstrip()


def _single(result: Result) -> list[str]:
    lines = []
    for row in result.table():
        if row.metric in HEADLINE and _headline_scope(result, row.metric, row.scope):
            cell = row.cells[0]
            text = f"{_subject(row.metric, row.scope)}: {wording.amount(cell.mean, cell.half_width, row.unit)}"
            if row.metric == "friendliness" and cell.mean is not None:
                text += f", {metrics.friendliness_class(cell.mean)} on Hassan's scale"
            lines.append(f"{text} {_basis(result, cell.n, 'replication')}" if cell.half_width is not None else text)
    return lines


def plain(name: str) -> str:
    """A variant's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "variant"
