"""Picks a design by the atlas: the scale of each discipline at which the bounds hold and the objective is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..aggregation import over_last
from ..candidates import Candidate
from ..customary import SHARES, customary
from ..decision import SIMPLEST, margin_of
from ..families import FULL_BYTES, Family, family
from ..goal import Objective
from ..question import Question
from . import features
from .conditions import Known, answerable, is_linux
from .features import KINDS, ScaledDesign
from .model import Prediction, TrafficModel
from .outcomes import OUTCOMES

Floats = NDArray[np.float64]

#: Settings of each discipline that are compared, and the origin of a pick.
STEPS, ORIGIN = 48, "atlas"
#: Ends of the scales, as factors on the shares that rules of thumb take of the least and the greatest bound.
LEAST_SHARE, MOST_SHARE = 0.25, 2.2
#: The same of CAKE's interval.
CAKE_LEAST, CAKE_MOST = 0.6, 30.0
#: Half-widths of an interval in standard deviations of a normal law.
HALF_SD = 1.645


@dataclass(frozen=True)
class PredictedRange:
    """A number with the ends of its interval."""

    low: float
    value: float
    high: float

    def covers(self, value: float) -> bool:
        """Whether a number is within the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Pick:
    """A design with its expected outcome by the atlas.

    Attributes:
        candidate: The design as the box would load it.
        score: Objective over the conditions.
        measures: Measures of the goal: the mean over the conditions, of a bounded one the worst.
        sure: Probability that every bound holds at every condition; 1 without bounds.
        holds: Whether the bounds hold with the caution of the atlas.
        worst: The condition nearest to a bound, by its place.
        scale: Scale of its discipline.
    """

    candidate: Candidate
    score: PredictedRange
    measures: Mapping[str, PredictedRange]
    sure: float
    holds: bool
    worst: int
    scale: float = 0.0


def picks(question: Question, part: TrafficModel, known: Sequence[Known]) -> list[Pick]:
    """The best design of each discipline, the one to recommend first; empty where the box takes none.

    Of designs that hold the bounds the best objective goes first, within the margin of equivalence the simpler one; of
    others the one whose bounds hold with the greatest probability.
    """
    found = [
        pick for kind in KINDS if kind in question.candidates and (pick := _best(question, part, known, kind))
    ]
    sign = -question.goal.objectives[0].sign
    able = [one for one in found if one.holds]
    if not able:
        return sorted(found, key=lambda one: -one.sure)
    best = max(sign * one.score.value for one in able)
    alike = [
        one
        for one in able
        if sign * one.score.value >= best - margin_of(question.goal) * _point(question, best)
    ]
    first = min(alike, key=lambda one: _simplicity(one.candidate.kind))
    rest = sorted(
        (one for one in found if one is not first), key=lambda one: (not one.holds, -sign * one.score.value)
    )
    return [first, *rest]


def _point(question: Question, value: float) -> float:
    one = question.goal.objectives[0]
    return 1.0 if one.in_points else max(abs(value) / 100.0, 1e-9)


def _simplicity(kind: str) -> int:
    return SIMPLEST.index(kind) if kind in SIMPLEST else len(SIMPLEST)


def _best(question: Question, part: TrafficModel, known: Sequence[Known], kind: str) -> Pick | None:
    """The best setting of a discipline."""
    one = family(kind, question.room)
    grid, rest = _grid(question, one), customary(one, question.room, 1.0)
    usual = question.target.candidate(kind, kind, one.params(rest | {one.scale: grid[STEPS // 2]}))
    if usual is None or not answerable(usual):
        return None
    linux = _linux(question, usual)
    settings = [
        features.setting(kind, rest | {one.scale: scale}, question.room, linux=linux) for scale in grid
    ]
    judged = Judged.of(question, part, known, settings)
    place = judged.best()
    at = rest | {one.scale: float(grid[place])}
    made = question.target.candidate(f"{kind}, by the atlas", kind, one.params(at), origin=ORIGIN)
    if made is None:
        return None
    empty = PredictedRange(0.0, 0.0, 0.0)
    return judge(question, part, known, Pick(made, empty, {}, 0.0, False, 0))


def _linux(question: Question, one: Candidate) -> bool:
    """Whether the atlas has simulated a design as one of Linux, of which tail drop has no dialect."""
    return is_linux(one) or question.target.box == "linux"


def judge(question: Question, model: TrafficModel, known: Sequence[Known], one: Pick) -> Pick:
    """The design of a pick with the figures of a model."""
    kind = one.candidate.kind
    space = family(kind, question.room)
    at = space.coordinates_of(one.candidate.params) or customary(space, question.room, 1.0)
    linux = _linux(question, one.candidate)
    exact = features.setting(kind, at, question.room, linux=linux)
    found = Judged.of(question, model, known, [exact]).pick(0, one.candidate)
    return replace(found, scale=at[space.scale])


def _grid(question: Question, one: Family) -> list[float]:
    """Scales to compare, within those the atlas has seen for such a link."""
    room = question.room
    packet, axis = 1.0 / room.capacity, one.axes[one.scale]
    low = max(3 * packet, 0.06 * room.rtt_s, 1e-3)
    high = min(max(30 * packet, 2.5 * room.rtt_s, 8e-3), 0.6)
    if one.kind == "cake":
        low, high = CAKE_LEAST * low, CAKE_MOST * high
    else:
        low, high = LEAST_SHARE * SHARES[one.kind] * low, min(1.5, MOST_SHARE * SHARES[one.kind]) * high
    level = {"s": 1.0, "pkts": room.capacity, "B": room.capacity * FULL_BYTES}[axis.unit]
    low, high = max(axis.low, low * level), min(axis.high, high * level)
    if one.kind in ("codel", "fq_codel"):
        high = min(high, 0.9 * customary(one, room, 1.0)["interval"])
    high = max(high, low)
    return [low * (high / low) ** (step / (STEPS - 1)) for step in range(STEPS)]


@dataclass(frozen=True)
class Judged:
    """Settings at every condition: arrays of settings by conditions, by measure, as (low, expected, high)."""

    question: Question
    part: TrafficModel
    values: Mapping[str, tuple[Floats, Floats, Floats]]
    #: Distance of the expected value inside each bound as a share of the half-width of its interval.
    room: Floats

    @classmethod
    def of(
        cls, question: Question, part: TrafficModel, known: Sequence[Known], settings: list[ScaledDesign]
    ) -> Judged:
        """The settings at the conditions."""
        found = [part.predict(one.condition, settings) for one in known]
        names = [outcome.name for outcome in OUTCOMES[known[0].condition.traffic]]
        values, rooms = {}, []
        for measure in question.goal.measures:
            values[measure.key] = _values(
                found, names.index(known[0].name(measure.key)), part.widening, known
            )
        for bound in question.goal.constraints:
            number = names.index(known[0].name(bound.measure.key))
            rooms.append(_inside(found, number, bound.bound, bound.upper, known))
        inside = np.min(rooms, axis=0) if rooms else np.full((len(settings), len(known)), 10.0)
        return cls(question, part, values, inside)

    def score(self, number: int) -> Floats:
        """The objective over the conditions of every setting: ``number`` 0 for its low end, 1, or 2 for its high
        end."""
        objective = self.question.goal.objectives[0]
        found = _objective(objective, self.values, number)
        if objective.single is None:
            centre = _objective(objective, self.values, 1)
            found = centre + self.part.sum_share * (found - centre)
        return self._together(found, objective)

    def _together(self, values: Floats, objective: Objective) -> Floats:
        # The last axis is that of the conditions.
        together: Floats = objective.sign * over_last(objective.sign * values, self.question.robust)
        return together

    def best(self) -> int:
        """The setting to take: the best of those that hold; where none does the one nearest to holding."""
        inside = np.round(self.room.min(axis=1), 6)
        able = inside >= self.part.caution
        score = np.round(-self.question.goal.objectives[0].sign * self.score(1), 6)
        if able.any():
            return int(np.argmax(np.where(able, score, -np.inf)))
        return int(np.argmax(inside))

    def pick(self, place: int, candidate: Candidate) -> Pick:
        """One of the settings as a pick."""
        bounded = {one.measure.key: one.upper for one in self.question.goal.constraints}
        measures = {}
        for name, ends in self.values.items():
            if name in bounded:
                worst = [(one[place].max if bounded[name] else one[place].min)() for one in ends]
                measures[name] = PredictedRange(*map(float, worst))
            else:
                measures[name] = PredictedRange(*(float(one[place].mean()) for one in ends))
        score = PredictedRange(*(float(self.score(number)[place]) for number in range(3)))
        inside = self.room[place]
        chance = 0.5 * (1.0 + math.erf(float(inside.min()) * HALF_SD / math.sqrt(2.0)))
        bounds = bool(self.question.goal.constraints)
        return Pick(
            candidate, score, measures, chance if bounds else 1.0,
            not bounds or round(float(inside.min()), 3) >= self.part.caution - 0.05, int(inside.argmin()),
        )  # fmt: skip


def _values(
    found: Sequence[Prediction], number: int, widening: float, known: Sequence[Known]
) -> tuple[Floats, Floats, Floats]:
    """Low end, expected value and high end of an outcome, settings by conditions."""
    ends = []
    for sign in (-1.0, 0.0, 1.0):
        columns = []
        for one, where in zip(found, known, strict=True):
            outcome = OUTCOMES[where.condition.traffic][number]
            learned = one.centre[:, number] + sign * widening * one.half[:, number]
            columns.append(outcome.value(learned, one.units_ms[:, number]))
        ends.append(np.stack(columns, axis=1))
    low, high = np.minimum(ends[0], ends[2]), np.maximum(ends[0], ends[2])
    return low, ends[1], high


def _inside(
    found: Sequence[Prediction], number: int, bound: float, upper: bool, known: Sequence[Known]
) -> Floats:
    """Distance inside a bound as a share of the half-width, settings by conditions."""
    columns = []
    for one, where in zip(found, known, strict=True):
        outcome = OUTCOMES[where.condition.traffic][number]
        units = one.units_ms[:, number]
        limit = outcome.learned(np.full(len(units), max(bound, 1e-6)), units)
        rising = outcome.value(np.ones(1), np.ones(1)) > outcome.value(np.zeros(1), np.ones(1))
        sign = 1.0 if bool(rising[0]) == upper else -1.0
        columns.append(sign * (limit - one.centre[:, number]) / one.half[:, number])
    return np.stack(columns, axis=1)


def _objective(
    objective: Objective, values: Mapping[str, tuple[Floats, Floats, Floats]], number: int
) -> Floats:
    """The weighted sum; its interval adds those of its terms, since the errors of one network are correlated."""
    total: Floats | float = 0.0
    for weight, one in objective.terms:
        place = number if weight >= 0 else 2 - number
        total = total + weight * values[one.key][place]
    assert not isinstance(total, float), "an objective has a term"
    return total
