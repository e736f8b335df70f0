"""Picks a design by the atlas: the scale of each discipline at which the bounds hold and the objective is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..aggregation import over
from ..candidates import Candidate
from ..customary import SHARES, customary
from ..decision import SIMPLEST, margin_of
from ..families import family
from ..goal import Goal
from ..interval_share import SHARES as USUAL_SHARES
from ..question import Question
from ..search_space import FULL_BYTES, Family
from . import features
from .conditions import AtlasCondition, answerable, is_linux
from .features import DISCIPLINES, ScaledDesign
from .model import Prediction, TrafficModel
from .outcomes import OUTCOMES

#: Number of settings of each discipline that are compared, and the origin of a pick.
STEPS, ORIGIN = 48, "atlas"
#: Ends of the scales, as factors on the shares that rules of thumb take of the least and the greatest bound.
LEAST_SHARE, MOST_SHARE = 0.25, 2.2
#: The same of CAKE's interval.
CAKE_LEAST, CAKE_MOST = 0.6, 30.0
#: Distance inside its bounds that a design has where the goal has no bound.
FAR_INSIDE = 10.0
#: Half-width of a 90 % interval of a normal distribution, in standard deviations.
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
        worst: Index of the condition nearest to a bound.
        scale: Scale of its discipline.
    """

    candidate: Candidate
    score: PredictedRange
    measures: Mapping[str, PredictedRange]
    sure: float
    holds: bool
    worst: int
    scale: float = 0.0


def picks(question: Question, part: TrafficModel, known: Sequence[AtlasCondition]) -> list[Pick]:
    """The best design of each discipline, the one to recommend first; empty where the box takes none.

    Of designs that hold the bounds the best objective goes first, within the margin of equivalence the simpler one; of
    others the one whose bounds hold with the greatest probability.
    """
    picked = [
        pick
        for kind in DISCIPLINES
        if kind in question.candidates and (pick := _best(question, part, known, kind))
    ]
    sign = -question.goal.objectives[0].sign
    able = [one for one in picked if one.holds]
    if not able:
        return sorted(picked, key=lambda one: -one.sure)
    best = max(sign * one.score.value for one in able)
    alike = [
        one
        for one in able
        if sign * one.score.value >= best - margin_of(question.goal) * _point(question, best)
    ]
    first = min(alike, key=lambda one: _simplicity(one.candidate.kind))
    rest = sorted(
        (one for one in picked if one is not first), key=lambda one: (not one.holds, -sign * one.score.value)
    )
    return [first, *rest]


def _point(question: Question, value: float) -> float:
    one = question.goal.objectives[0]
    return 1.0 if one.in_points else max(abs(value) / 100.0, 1e-9)


def _simplicity(kind: str) -> int:
    return SIMPLEST.index(kind) if kind in SIMPLEST else len(SIMPLEST)


def _best(question: Question, part: TrafficModel, known: Sequence[AtlasCondition], kind: str) -> Pick | None:
    """The best setting of a discipline."""
    space = family(kind, question.sizing)
    grid, rest = _grid(question, space), customary(space, question.sizing, 1.0)
    usual = question.target.candidate(kind, kind, space.params(rest | {space.scale: grid[STEPS // 2]}))
    if usual is None or not answerable(usual):
        return None
    linux = _linux(question, usual)
    settings = [
        features.scaled_design(kind, rest | {space.scale: scale}, question.sizing, linux=linux)
        for scale in grid
    ]
    judged = PredictedOutcomes.of(question, part, known, settings)
    index = judged.best()
    at = rest | {space.scale: float(grid[index])}
    candidate = question.target.candidate(f"{kind}, by the atlas", kind, space.params(at), origin=ORIGIN)
    if candidate is None:
        return None
    empty = PredictedRange(0.0, 0.0, 0.0)
    return judge(question, part, known, Pick(candidate, empty, {}, 0.0, False, 0))


def _linux(question: Question, candidate: Candidate) -> bool:
    """Whether the atlas has simulated a design as one of Linux, of which tail drop has no dialect."""
    return is_linux(candidate) or question.target.box == "linux"


def judge(question: Question, model: TrafficModel, known: Sequence[AtlasCondition], pick: Pick) -> Pick:
    """The design of a pick with the outcomes that a model predicts for it."""
    kind = pick.candidate.kind
    space = family(kind, question.sizing)
    at = space.coordinates_of(pick.candidate.params) or customary(space, question.sizing, 1.0)
    linux = _linux(question, pick.candidate)
    exact = features.scaled_design(kind, at, question.sizing, linux=linux)
    judged = PredictedOutcomes.of(question, model, known, [exact]).pick(0, pick.candidate)
    return replace(judged, scale=at[space.scale])


def _grid(question: Question, family: Family) -> list[float]:
    """Scales to compare, within those the atlas has seen for such a link."""
    sizing = question.sizing
    packet, axis = 1.0 / sizing.capacity, family.axes[family.scale]
    low = max(3 * packet, 0.06 * sizing.rtt_s, 1e-3)
    high = min(max(30 * packet, 2.5 * sizing.rtt_s, 8e-3), 0.6)
    if family.kind == "cake":
        low, high = CAKE_LEAST * low, CAKE_MOST * high
    else:
        low, high = LEAST_SHARE * SHARES[family.kind] * low, min(1.5, MOST_SHARE * SHARES[family.kind]) * high
    level = {"s": 1.0, "pkts": sizing.capacity, "B": sizing.capacity * FULL_BYTES}[axis.unit]
    low, high = max(axis.low, low * level), min(axis.high, high * level)
    if family.kind in ("codel", "fq_codel"):
        # A larger share has to be shown to be better, and a model shows nothing (`interval_share`).
        high = min(high, USUAL_SHARES[-1] * customary(family, sizing, 1.0)["interval"])
    high = max(high, low)
    return [low * (high / low) ** (step / (STEPS - 1)) for step in range(STEPS)]


@dataclass(frozen=True)
class PredictedOutcomes:
    """Predicted outcomes of settings at every condition.

    Attributes:
        question: The question.
        part: The model.
        known: Conditions.
        predictions: Outcomes at each condition, for every setting.
        inside: For each setting, at each condition: the distance of the expected value inside the nearest bound as a
            share of the half-width of its interval.
        columns: Index of each measure of the goal among the outcomes, by key.
    """

    question: Question
    part: TrafficModel
    known: Sequence[AtlasCondition]
    predictions: Sequence[Prediction]
    inside: Sequence[Sequence[float]]
    columns: Mapping[str, int]

    @classmethod
    def of(
        cls,
        question: Question,
        part: TrafficModel,
        known: Sequence[AtlasCondition],
        settings: Sequence[ScaledDesign],
    ) -> PredictedOutcomes:
        """The predictions of a model for settings at the conditions."""
        predictions = [part.predict(one.condition, settings) for one in known]
        names = [outcome.name for outcome in OUTCOMES[known[0].condition.traffic]]
        columns = {one.key: names.index(known[0].name(one.key)) for one in question.goal.measures}
        inside = [
            [_inside(question.goal, columns, one, index) for one in predictions]
            for index in range(len(settings))
        ]
        return cls(question, part, known, predictions, inside, columns)

    def best(self) -> int:
        """The setting to take: the best of those that hold; where none does the one nearest to holding."""
        inside = [round(min(some), 6) for some in self.inside]
        sign = -self.question.goal.objectives[0].sign
        able = [index for index, one in enumerate(inside) if one >= self.part.caution]
        if able:
            return max(able, key=lambda index: round(sign * self._expected(index), 6))
        return max(range(len(inside)), key=inside.__getitem__)

    def pick(self, index: int, candidate: Candidate) -> Pick:
        """One of the settings as a pick."""
        goal = self.question.goal
        bounded = {one.measure.key: one.upper for one in goal.constraints}
        ranges = {one.key: self._ranges(index, one.key) for one in goal.measures}
        measures = {}
        for key, some in ranges.items():
            ends = [[getattr(one, end) for one in some] for end in ("low", "value", "high")]
            if key in bounded:
                measures[key] = PredictedRange(*(max(one) if bounded[key] else min(one) for one in ends))
            else:
                measures[key] = PredictedRange(*(math.fsum(one) / len(one) for one in ends))
        inside = self.inside[index]
        chance = 0.5 * (1.0 + math.erf(min(inside) * HALF_SD / math.sqrt(2.0)))
        bounds = bool(goal.constraints)
        return Pick(
            candidate, self._score(ranges), measures, chance if bounds else 1.0,
            not bounds or round(min(inside), 3) >= self.part.caution - 0.05, inside.index(min(inside)),
        )  # fmt: skip

    def _expected(self, index: int) -> float:
        """The expected objective of a setting over the conditions."""
        objective = self.question.goal.objectives[0]
        sums = [
            math.fsum(
                weight * one.expected(index, self.columns[term.key]) for weight, term in objective.terms
            )
            for one in self.predictions
        ]
        return _together(sums, self.question)

    def _score(self, ranges: Mapping[str, Sequence[PredictedRange]]) -> PredictedRange:
        """The objective over the conditions. Its interval adds those of its terms, since the errors of one network are
        correlated, times the share that they add up to."""
        objective = self.question.goal.objectives[0]
        share = self.part.sum_share if objective.single is None else 1.0
        ends: dict[str, list[float]] = {"low": [], "value": [], "high": []}
        for index in range(len(self.known)):
            terms = [(weight, ranges[one.key][index]) for weight, one in objective.terms]
            centre = math.fsum(weight * one.value for weight, one in terms)
            low = math.fsum(weight * (one.low if weight >= 0 else one.high) for weight, one in terms)
            high = math.fsum(weight * (one.high if weight >= 0 else one.low) for weight, one in terms)
            ends["low"].append(centre + share * (low - centre))
            ends["value"].append(centre)
            ends["high"].append(centre + share * (high - centre))
        return PredictedRange(*(_together(some, self.question) for some in ends.values()))

    def _ranges(self, index: int, key: str) -> list[PredictedRange]:
        """A measure of a setting with its interval at each condition."""
        column, widening = self.columns[key], self.part.widening
        return [PredictedRange(*one.interval(index, column, widening)) for one in self.predictions]


def _together(values: Sequence[float], question: Question) -> float:
    sign = question.goal.objectives[0].sign
    return sign * over([sign * value for value in values], question.robust)


def _inside(goal: Goal, columns: Mapping[str, int], prediction: Prediction, index: int) -> float:
    """The distance of a setting inside the nearest bound at a condition, as a share of the half-width of the interval;
    far inside without bounds."""
    some = []
    for one in goal.constraints:
        column = columns[one.measure.key]
        outcome, unit = prediction.outcomes[column], prediction.unit_ms(index, column)
        limit = outcome.learned(max(one.bound, 1e-6), unit)
        sign = 1.0 if outcome.falls != one.upper else -1.0
        some.append(sign * (limit - prediction.centre[index][column]) / prediction.half(index, column))
    return min(some, default=FAR_INSIDE)
