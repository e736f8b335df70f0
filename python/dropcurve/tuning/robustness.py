"""Sensitivity of the recommendation to each parameter, and the drift of conditions under which it stays good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..metrics import statistics
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .effort import Budget
from .question import ConditionAxis
from .search_space import Family

#: Factors on a parameter, and those of a brief answer.
FACTORS, FEW_FACTORS = (0.25, 0.5, 2.0, 4.0), (0.5, 2.0)
#: Factors by which conditions leave the ends of their range.
BEYOND, BEYOND_BRIEFLY = (2.0, 4.0), (4.0,)


@dataclass(frozen=True)
class ScaledParameter:
    """A parameter at a factor of its recommended value: the value, the mean of each objective and each measure over the
    conditions, and whether the constraints held at all of them."""

    factor: float
    shown: str
    objectives: tuple[float, ...]
    measures: dict[str, float]
    holds: bool
    candidate: Candidate | None = None


@dataclass(frozen=True)
class Sensitivity:
    """All factors of a parameter; factor 1 is the recommended value."""

    parameter: str
    off: tuple[ScaledParameter, ...]

    @property
    def design(self) -> Candidate | None:
        """The design whose parameter it is."""
        return next((one.candidate for one in self.off if one.factor == 1.0), None)


#: A design is no longer good where an objective is this many points worse than anywhere inside the range.
WORSE = 2.0


@dataclass(frozen=True)
class DriftPoint:
    """One condition of a drift: the axis at ``value``, everything else in the middle; means over seeds."""

    value: float
    shown: str
    inside: bool
    objectives: tuple[float, ...]
    measures: dict[str, float]
    holds: bool
    good: bool = True


@dataclass(frozen=True)
class Drift:
    """A design along one axis, and the ends of the stretch where it is good: beyond them a constraint fails, or an
    objective is two points (percentage points, or per cent) worse than anywhere inside the range."""

    axis: ConditionAxis
    candidate: Candidate
    points: tuple[DriftPoint, ...]

    @property
    def good(self) -> tuple[DriftPoint, DriftPoint] | None:
        """The first and the last point of the contiguous good stretch around the middle."""
        inside = [index for index, one in enumerate(self.points) if one.inside]
        low = high = inside[len(inside) // 2]
        if not self.points[low].good:
            return None
        while low > 0 and self.points[low - 1].good:
            low -= 1
        while high + 1 < len(self.points) and self.points[high + 1].good:
            high += 1
        return self.points[low], self.points[high]


#: Display name and varied parameter of values that are derived from another parameter.
NAMES = {"ratio": "max_th / min_th", "memory_s": "w_q"}
_MOVES = {"ratio": "max_th", "memory_s": "w_q"}


def sensitivity(
    bench: Bench,
    candidate: Candidate,
    family: Family,
    coordinates: dict[str, float],
    make: Any,
    trials: Sequence[PairedTrial],
    *,
    effort: Budget,
    until: float | None = None,
) -> list[Sensitivity]:
    """Sensitivity to each parameter: off by each factor, the others as they are; ``make`` is `FamilyStudy.candidate`.
    Parameters for which there was no time before ``until`` are left out."""
    factors = FEW_FACTORS if effort.brief else FACTORS
    wanted: dict[str, list[tuple[float, Candidate]]] = {}
    for name, axis in family.axes.items():
        # A weight rises as the time constant falls.
        applied = (1.0 / factor if name == "memory_s" else factor for factor in factors)
        values = [
            (factor, axis.rounded(coordinates[name] * turn))
            for factor, turn in zip(factors, applied, strict=True)
        ]
        candidates = [
            (factor, make({**coordinates, name: value}))
            for factor, value in values
            if axis.low <= value <= axis.high
        ]
        wanted[name] = [(factor, one) for factor, one in candidates if one and bench.usable(one, trials[0])]
    pairs = {
        name: [(one, trial) for one in (candidate, *(one for _, one in some)) for trial in trials]
        for name, some in wanted.items()
    }
    if until is None:
        bench.run(pair for some in pairs.values() for pair in some)
    sensitivities = []
    for name, some in wanted.items():
        if not bench.run(pairs[name], until=until):
            break
        row = sorted([*some, (1.0, candidate)], key=lambda pair: pair[0])
        parameter = _MOVES.get(name, name)
        sensitivities.append(Sensitivity(NAMES.get(name, name), tuple(
            ScaledParameter(factor, str(one.params_as_loaded.get(parameter, "")), *summary(bench, one, trials), one)
            for factor, one in row
        )))  # fmt: skip
    return sensitivities


def better(bench: Bench, moved: Sequence[Sensitivity], margin: float) -> list[Candidate]:
    """Feasible neighbours that are better by more than ``margin`` (points), the best of each parameter."""
    objective = bench.question.goal.objectives[0]
    scale = objective.sign / bench.scales[0]
    ahead = []
    for one in moved:
        centre = next(off for off in one.off if off.factor == 1.0)
        some = [
            off for off in one.off
            if off.holds and off.candidate is not None
            and (not centre.holds or scale * (centre.objectives[0] - off.objectives[0]) > margin)
        ]  # fmt: skip
        some.sort(key=lambda off: scale * off.objectives[0])
        ahead += [off.candidate for off in some[:1] if off.candidate is not None]
    return ahead


def drift(
    bench: Bench, candidates: Sequence[Candidate], *, effort: Budget, seed: int, until: float | None = None
) -> list[Drift]:
    """Every design along every axis, from a quarter of its low end to four times its high end; axes for which there
    was no time before ``until`` are left out."""
    middle = bench.question.middle()
    drifts = []
    for axis in bench.question.varying:
        values = _values(axis, brief=effort.brief)
        trials = [
            [PairedTrial.of(index, {**middle, axis.name: value}, seed + n) for n in range(effort.seeds)]
            for index, (value, _) in enumerate(values)
        ]
        pairs = [(one, trial) for one in candidates for some in trials for trial in some]
        if not bench.run(pairs, until=until):
            break
        drifts += [
            Drift(axis, one, _judged(bench, [
                DriftPoint(value, axis.shown(value), inside, *summary(bench, one, some))
                for (value, inside), some in zip(values, trials, strict=True)
            ]))
            for one in candidates
        ]  # fmt: skip
    return drifts


def _judged(bench: Bench, points: Sequence[DriftPoint]) -> tuple[DriftPoint, ...]:
    """The points with whether the design is good there."""
    goal = bench.question.goal
    signs = [one.sign for one in goal.objectives]
    least = [
        max(sign * one.objectives[n] for one in points if one.inside) + WORSE * bench.scales[n]
        for n, sign in enumerate(signs)
    ]

    def is_good(point: DriftPoint) -> bool:
        pairs = zip(signs, point.objectives, least, strict=True)
        return point.holds and all(sign * value <= most for sign, value, most in pairs)

    return tuple(replace(one, good=is_good(one)) for one in points)


def _values(axis: ConditionAxis, *, brief: bool) -> list[tuple[float, bool]]:
    """(value, whether it lies inside the range), rising."""
    inside = [axis.range.at(share) for share in ((0.0, 0.5, 1.0) if brief else (0.0, 0.25, 0.5, 0.75, 1.0))]
    factors = BEYOND_BRIEFLY if brief else BEYOND
    if axis.name in ("short", "udp"):
        step = max(axis.range.high - axis.range.low, 5.0)
        below, above = [axis.range.low - step], [axis.range.high + step]
        below, above = [v for v in below if v >= 0], [v for v in above if v <= 90]
    else:
        below = [axis.range.rounded(axis.range.low / factor) for factor in reversed(factors)]
        above = [axis.range.rounded(axis.range.high * factor) for factor in factors]
        if axis.range.whole:
            below = [value for value in below if value >= 1]
    inside_of = dict.fromkeys([*below, *above], False) | dict.fromkeys(inside, True)
    return sorted(inside_of.items())


def summary(
    bench: Bench, candidate: Candidate, trials: Sequence[PairedTrial]
) -> tuple[tuple[float, ...], dict[str, float], bool]:
    """Means of a design over trials: of each objective, and of each measure by key; and whether no constraint is broken
    at any condition."""
    goal = bench.question.goal
    objectives = tuple(
        _mean([bench.objective(candidate, trial, objective) for trial in trials])
        for objective in goal.objectives
    )
    measures = {
        m.key: _mean([bench.value(candidate, trial, m.key) for trial in trials]) for m in goal.measures
    }
    return objectives, measures, not bench.broken(candidate, trials)


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else float("nan")
