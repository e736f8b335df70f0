"""The designs of a verdict as the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..present import intervals
from ..quantities import wording
from . import amounts
from .amounts import NAMED
from .data import Criterion, Rival, Value, Verdict


def ranking(verdict: Verdict, *, names: Mapping[str, str] | None = None) -> list[list[str]]:
    """The designs as rows of a table, the leader first.

    Args:
        verdict: The verdict.
        names: As for `headline`.

    Returns:
        A heading and a row for each design: name, means with half-widths of the criterion that decides against the
        reference and of those in which designs differ most, points behind the leader with their half-width, relation to
        the leader. Without a leader there are no rows.

    Example:
        >>> rows = ranking(found)
    """
    if not verdict.leader:
        return []
    known = dict(names or {})
    rivals = {one.name: one for one in verdict.rivals}
    held = {name: {one.criterion.key: one for one in rival.values} for name, rival in rivals.items()}
    held[verdict.leader] = {one.criterion.key: one for one in verdict.leading}
    weighed = [one.criterion for one in verdict.leading if one.criterion.worth or one.criterion.bound]
    sure = [one for one in verdict.changes if one.kind in ("gain", "cost")]
    decisive = max(sure, key=amounts.points, default=None)
    shown = sorted(
        weighed,
        key=lambda one: (decisive is None or one != decisive.criterion, -_spread(one, list(held.values()))),
    )[:NAMED]
    ordered = sorted(verdict.rivals, key=lambda one: (one.relation == "infeasible", one.behind or 0.0))
    largest = {
        one.key: max(abs(some[one.key].mean) for some in held.values() if one.key in some) for one in shown
    }
    scales = {one.key: amounts.scaled(one.unit, largest[one.key]) for one in shown}
    heads = [f"{one.title} ({unit})" if (unit := scales[one.key][1]) else one.title for one in shown]
    rows = [["", *heads, f"{verdict.points} behind", ""]]
    for name in [verdict.leader, *(one.name for one in ordered)]:
        rival = rivals.get(name)
        cells = [_cell(held[name].get(one.key), *scales[one.key]) for one in shown]
        gap = "" if rival is None or rival.behind is None else amounts.behind(rival.behind, rival.half_width)
        mark = "→" if name == verdict.recommended else " "
        rows.append([f"{mark} {known.get(name, name)}", *cells, gap, _relation(rival)])
    return rows


def _cell(value: Value | None, divisor: float, unit: str) -> str:
    """A mean with its half-width, or with the ends of an interval that reaches beyond the possible values; alone where
    all runs have the same; "–" without a value."""
    if value is None:
        return "–"
    mean, half = value.mean / divisor, (value.half_width or 0.0) / divisor
    if half <= wording.NOISE * abs(mean):
        return amounts.short(mean)
    low, high = intervals.possible(unit)
    if mean - half >= low and mean + half <= high:
        return wording.amount(mean, half, "")
    shown = amounts.short(mean)
    ends = [amounts.short(end) for end in (max(low, mean - half), min(high, mean + half))]
    return shown if ends == [shown, shown] else f"{shown} ({' to '.join(ends)})"


def _spread(criterion: Criterion, held: Sequence[Mapping[str, Value]]) -> float:
    """Range of a criterion over the designs, in points; infinite for a bound, which comes first."""
    means = [one[criterion.key].mean for one in held if criterion.key in one]
    span = abs(criterion.score(max(means)) - criterion.score(min(means)))
    return span if criterion.bound is None else float("inf")


#: Words for a design that has no value of a weighed measure in some run, where no bound is missed.
_NO_VALUE = "has no value in some run"
#: Words of a table for the relation of a design to the leader.
_RELATIONS = {"better": "", "equal": "as good", "undecided": "undecided", "infeasible": "misses the goal"}


def _relation(rival: Rival | None) -> str:
    """Words of a table for a design; None is the leader."""
    if rival is None:
        return "best"
    if rival.missed and all(one.criterion.bound is None for one in rival.missed):
        return _NO_VALUE
    return _RELATIONS[rival.relation]
