"""Numbers of a validation and labels of its designs, in sentences, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..metrics.statistics import Interval
from ..present import intervals
from ..quantities import units, wording
from .findings import Findings
from .goal import Objective
from .measures import Measure
from .names import shown
from .validation_line import ValidationLine

#: Points that the use of the whole link is worth. A greater difference of scores is stated by its lower end.
MOST_POINTS = 100.0
#: A difference of scores whose lower end is a smaller share of it than this is stated by that end; chosen, not
#: measured.
SURE = 2 / 3


def points_of(objective: Objective) -> str:
    """The unit of a difference."""
    return "percentage points" if objective.unit == "%" else objective.unit


def beyond(size: float, half_width: float | None, objective: Objective) -> str:
    """A difference of an objective with its interval; where a score has a wide interval, or the difference exceeds the
    whole link, its lower end: ``at least 250 points``."""
    low = size - (half_width or 0.0)
    if objective.single or objective.unit != "points" or low <= 0.0:
        return wording.amount(size, half_width, points_of(objective))
    if size <= MOST_POINTS and low >= size * SURE:
        return wording.amount(size, half_width, points_of(objective))
    if low > MOST_POINTS:
        return f"more than {MOST_POINTS:g} points"
    step = 10.0 ** (math.floor(math.log10(low)) - 1)
    least = f"{float(f'{math.floor(low / step) * step:.2g}'):g}"
    return f"at least {wording.with_unit(least, 'points')}"


def cell(interval: Interval, objective: Objective) -> str:
    """An objective with its interval and unit."""
    if objective.single:
        return objective.single.shown(interval.mean, interval.half_width)
    if wording.vague(interval.half_width, objective.unit, interval.mean or 0.0):
        return f"{wording.amount(interval.mean, None, objective.unit)} ({intervals.UNDECIDED})"
    return wording.amount(interval.mean, interval.half_width, objective.unit)


def interval(line: ValidationLine, measure: Measure) -> str:
    """A measure with its interval and unit."""
    measured = line.measures[measure.key]
    return measure.shown(measured.mean, measured.half_width)


def labels(lines: Sequence[ValidationLine]) -> dict[str, str]:
    """Labels of designs by key. Designs that share a name get the parameters in which they differ, such as ``red,
    tuned (min_th 3 pkts)``."""
    groups: dict[str, list[ValidationLine]] = {}
    for line in lines:
        groups.setdefault(line.candidate.name, []).append(line)
    by_key = {}
    for name, some in groups.items():
        settings = [line.candidate.params_as_loaded for line in some]
        differ = [key for key in settings[0] if len({shown(one.get(key)) for one in settings}) > 1]
        for line, one in zip(some, settings, strict=True):
            values = ", ".join(f"{key} {shown(one.get(key))}" for key in differ)
            by_key[line.candidate.key] = f"{name} ({values})" if values else name
    return by_key


def span(seconds: float) -> str:
    """A time to two digits."""
    return units.show_span(float(f"{seconds:.2g}")) if seconds < 90 else _minutes(seconds)


def _minutes(seconds: float) -> str:
    """A long time in minutes or hours."""
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.2g} h"


def further(replications: int, seconds: float) -> str:
    """``about 3 min more (12 replications)``; without a time where that is unknown, as every run was stored."""
    if seconds > 0:
        return f"about {span(seconds)} more ({wording.count(replications, 'replication')})"
    return f"about {wording.count(replications, 'further replication')}"


def margin_shown(answer: Findings) -> str:
    """The margin of equivalence in the unit of the first objective: ``0.2 percentage points``, ``0.14 ms``."""
    objective = answer.question.goal.objectives[0]
    divisor, unit = wording.scaled(objective.unit, answer.lines[0].objectives[0].mean or 0.0)
    unit = "percentage points" if objective.unit == "%" else unit
    return wording.with_unit(f"{answer.margin * answer.point / divisor:.2g}", unit)
