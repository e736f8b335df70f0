"""The designs of a verdict as the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import amounts
from .amounts import NAMED
from .data import Criterion, Rival, Value, Verdict


def ranking(verdict: Verdict, *, names: Mapping[str, str] | None = None) -> list[list[str]]:
    """The designs as rows of a table, the leader first.

    Args:
        verdict: The verdict.
        names: As for `headline`.

    Returns:
        A heading and a row for each design: name, means of the criteria in which designs differ most, points behind
        the leader with their half-width, relation to the leader. Without a leader there are no rows.

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
    shown = sorted(weighed, key=lambda one: -_spread(one, list(held.values())))[:NAMED]
    ordered = sorted(verdict.rivals, key=lambda one: (one.relation == "infeasible", one.behind or 0.0))
    rows = [
        [
            "",
            *(f"{one.title} ({one.unit})" if one.unit else one.title for one in shown),
            f"{verdict.points} behind",
            "",
        ]
    ]
    for name in [verdict.leader, *(one.name for one in ordered)]:
        rival = rivals.get(name)
        cells = [amounts.short(held[name][one.key].mean) if one.key in held[name] else "–" for one in shown]
        gap = "" if rival is None or rival.behind is None else amounts.behind(rival.behind, rival.half_width)
        mark = "→" if name == verdict.recommended else " "
        rows.append([f"{mark} {known.get(name, name)}", *cells, gap, _relation(rival)])
    return rows


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
