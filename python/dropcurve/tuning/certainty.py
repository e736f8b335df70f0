"""How sure the expected values of a recommendation are: measures whose interval is too wide to act on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..metrics.statistics import Interval
from .decision import reported
from .goal import Goal
from .measures import Measure

#: Half-width, as a share of the value, from which an interval is wide.
WIDE = 0.5
#: Half-width of an interval, in margins of the objective, from which it matters.
MATTERS = 5.0


@dataclass(frozen=True)
class WideInterval:
    """A measure with a wide interval, and the further replications that would narrow it (None: unknown)."""

    measure: Measure
    interval: Interval
    needed: int | None


def vague(
    goal: Goal, measures: Mapping[str, Interval], margin: float, points: Iterable[float]
) -> list[WideInterval]:
    """The measures of a goal whose intervals are too wide to act on.

    Args:
        goal: Names the measures, their weights and their bounds.
        measures: Interval of each measure by key, over replications.
        margin: The difference that matters, in points.
        points: A point of each objective in its own unit.

    Returns:
        Those whose half-width is at least half of the mean, if that matters: by more than `MATTERS` margins of an
        objective, or because the interval reaches across a bound. A delay that the goal leaves open always does.
    """
    sizes = list(points)
    wide = []
    for one in reported(goal):
        interval = measures.get(one.key)
        if interval is None or interval.mean is None or not _wide(interval):
            continue
        if any(_reaches(goal, one, interval, margin, sizes)):
            wide.append(WideInterval(one, interval, _needed(interval)))
    return wide


def _wide(interval: Interval) -> bool:
    assert interval.mean is not None, "the caller checks that there is a mean"
    return interval.half_width is None or interval.half_width >= WIDE * abs(interval.mean) > 0.0


def _reaches(
    goal: Goal, measure: Measure, interval: Interval, margin: float, points: list[float]
) -> Iterator[bool]:
    """Whether a wide interval matters, for each term or constraint of the goal with the measure."""
    half = math.inf if interval.half_width is None else interval.half_width
    named = False
    for objective, point in zip(goal.objectives, points, strict=True):
        for weight, other in objective.terms:
            if other.key == measure.key:
                named = True
                yield abs(weight) * half / point >= MATTERS * margin
    for bound in goal.constraints:
        if bound.measure.key == measure.key and interval.mean is not None:
            named = True
            yield bound.excess(interval.mean + (half if bound.upper else -half)) > 0.0
    if not named:
        yield True


def _needed(interval: Interval) -> int | None:
    """Further replications after which the half-width will be half of the mean, at the same standard deviation."""
    if interval.half_width is None or not interval.mean:
        return None
    return max(
        1, math.ceil(interval.n * (interval.half_width / (WIDE * abs(interval.mean))) ** 2) - interval.n
    )
