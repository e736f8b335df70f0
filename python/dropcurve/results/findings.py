"""A result in sentences: the differences that are real, and bounds on the others."""

from __future__ import annotations

from collections.abc import Mapping

from .. import metrics
from ..quantities import wording
from .measurements import Measurements
from .tables import Difference

#: The metrics in the sentences of a verdict, in this order, and their names there; all others are in the table.
HEADLINE = {
    "sojourn_ms_mean": "mean queueing delay",
    "sojourn_ms_p95": "p95 queueing delay",
    "utilisation": "utilisation",
    "loss": "the drop rate",
    "goodput_bps": "goodput",
    "fct_ms_mean": "mean flow completion time",
    "jain": "Jain's fairness index",
    "friendliness": "the friendliness ratio",
}


def sentences(result: Measurements) -> list[str]:
    """One sentence for each headline metric and variant, without a full stop.

    "red lowers p95 queueing delay by 41.2 ± 1.3 ms (95 %, 10 paired replications)".
    """
    basis = "paired replication" if len(result.variants) > 1 else "replication"
    return [
        f"{text} ({wording.percent(result.confidence)}, {wording.count(n, basis)})" if n > 1 else text
        for text, n in phrases(result)
    ]


def phrases(result: Measurements, *, labels: Mapping[str, str] | None = None) -> list[tuple[str, int]]:
    """The sentences without their basis: (text, number of replications). ``labels`` are other names of variants."""
    if not result.variants or not result.baseline.runs:
        return []
    return _single(result) if len(result.variants) == 1 else _compared(result, labels or {})


def _subject(metric: str, scope: str) -> str:
    return f"{HEADLINE[metric]} ({scope})" if scope else HEADLINE[metric]


def _reported(metric: str, scope: str) -> bool:
    """Totals and links; classes only where the metric is about them."""
    return metric in HEADLINE and (not scope or metrics.find(metric).per != "flow")


def _compared(result: Measurements, labels: Mapping[str, str]) -> list[tuple[str, int]]:
    reported = [one for one in result.differences() if _reported(one.metric, one.scope)]
    order = list(HEADLINE)
    names = [variant.name for variant in result.variants]
    reported.sort(key=lambda one: (names.index(one.variant), order.index(one.metric)))
    largest = {
        (row.metric, row.scope): max(
            (abs(cell.mean) for cell in row.cells if cell.mean is not None), default=0.0
        )
        for row in result.table()
    }
    return [
        (
            _difference(one, labels.get(one.variant, one.variant), largest.get((one.metric, one.scope), 0.0)),
            one.n,
        )
        for one in reported
    ]


def _difference(difference: Difference, name: str, largest: float) -> str:
    subject = _subject(difference.metric, difference.scope)
    unit = "percentage points" if difference.unit == "%" else difference.unit
    if difference.half_width is None:
        by = wording.amount(difference.mean, None, unit)
        return f"{name}: {subject} differs by {by} in one replication, which proves nothing"
    if difference.real:
        verb = "raises" if difference.mean > 0 else "lowers"
        return (
            f"{name} {verb} {subject} by {wording.amount(abs(difference.mean), difference.half_width, unit)}"
        )
    if difference.mean == 0 and difference.half_width == 0:
        return f"{name}: {subject} is the same in every replication"
    if difference.half_width == 0:
        by = wording.amount(difference.mean, None, unit)
        return (
            f"{name}: {subject} differs by {by} equally in every replication, so its significance is unknown"
        )
    if wording.vague(difference.half_width, unit, largest):
        return f"{name}: {subject} is undecided"
    if abs(difference.mean) > difference.half_width:
        by = wording.amount(difference.mean, difference.half_width, unit)
        return f"{name}: {subject} differs by {by}, which may be chance among all comparisons of the table (Holm)"
    most = wording.bound(abs(difference.mean) + difference.half_width, unit)
    return f"{name}: {subject}: no difference found, at most ±{most}"


def _single(result: Measurements) -> list[tuple[str, int]]:
    reported = []
    for row in result.table():
        if _reported(row.metric, row.scope):
            cell = row.cells[0]
            possible = metrics.find(row.metric).possible
            amount = wording.amount(cell.mean, cell.half_width, row.unit, within=possible)
            text = f"{_subject(row.metric, row.scope)}: {amount}"
            if row.metric == "friendliness" and cell.mean is not None:
                text += f", {metrics.friendliness_class(cell.mean)} on Hassan's scale"
            reported.append((text, cell.n))
    return reported
