"""Designs on the edge of a bound, one for each family, by root finding.

In every family the delay rises with one parameter (`Family.scale`): tail drop's limit, the target of CoDel and PIE, the
lower threshold of RED; utilisation, goodput and loss improve with it. So a goal that bounds the delay and optimises one
of those is solved by the largest value that holds the bound at every condition, and a goal that bounds one of those and
minimises the delay by the smallest. A secant step in logarithms inside a shrinking bracket finds it in a few
evaluations, since the delay is nearly proportional to the parameter. The distance kept from the bound is a margin that
follows from the standard deviation between seeds, measured at the conditions closest to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..metrics import statistics
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .customary import customary
from .delay_bounds import RISING, bound_s, delay_bounds
from .goal import MOST, Constraint, Goal
from .search_space import Coordinates, Sizing
from .study import FamilyStudy

#: Relative width of the bracket, and distance from the edge (as a logarithm), at which root finding ends.
CLOSE, AIM = 0.03, 0.02
#: `CLOSE` and `AIM` where each end of the ranges has one run, whose standard deviation is larger.
CLOSE_COARSE, AIM_COARSE = 0.1, 0.05
#: Evaluations of one family at most.
EVALUATIONS = 9
#: Largest step of the parameter, as a factor.
STEP = 8.0
#: Conditions whose delay is within this factor of the highest, and the most and fewest that decide a step.
NEAR, MOST_NEAR, LEAST_NEAR = 0.75, 4, 2
#: Seeds under which the deviation of a design on the edge is measured, and their distance from those of the search.
SEEDS, SEEDS_APART = 2, 10_000
#: Standard deviations between the mean at the worst condition and the bound: with it 19 of 20 runs hold the bound.
#: Where conditions vary, most runs are not at the worst one.
ALONE, VARYING = 1.645, 0.7
#: Least standard deviation, as a share of the bound.
LEAST_DEVIATION = 0.003
#: Excess over a bound, as a share of it, that is assumed for a run without a value.
NO_VALUE = 1e6
#: Smallest value used in a ratio.
LEAST = 1e-6
#: Delay for the rules of thumb where the goal bounds none, as a share of the longest round trip.
CUSTOMARY = 0.5
#: Rules of thumb that the search is compared with: scale as a share of the bound, by discipline.
RULES = {
    "droptail": (0.95, 0.8), "pie": (0.45, 0.3), "fq_pie": (0.45, 0.3), "codel": (0.35, 0.2),
    "fq_codel": (0.35, 0.2), "red": (0.25,),
}  # fmt: skip


#: Measures that improve with the scale if they are measured over all traffic.
IMPROVING = ("utilisation", "goodput_bps", "throughput_bps", "loss", "timeouts", "retransmits")


def share_bounds(goal: Goal) -> tuple[Constraint, ...]:
    """The constraints of a goal that a larger scale helps to hold, such as ``utilisation > 95%`` or ``loss < 1%``."""
    return tuple(one for one in goal.constraints if one.measure.key in IMPROVING)


def direction(goal: Goal) -> int:
    """Direction of the best scale of a family: 1 for the largest that keeps the bounds on the delay, -1 for the
    smallest that keeps the other bounds, 0 where neither follows from the goal."""
    single = goal.objectives[0].single
    if single is None or len(goal.objectives) > 1:
        return 0
    if single.key in IMPROVING and delay_bounds(goal):
        return 1
    rising = single.key.startswith((*RISING, "delay_ms"))
    return -1 if rising and share_bounds(goal) else 0


def customary_s(goal: Goal, sizing: Sizing) -> float:
    """The delay (s) that rules of thumb are a share of: the bound, or half of the longest round trip."""
    return bound_s(goal, sizing) or CUSTOMARY * sizing.rtt_s


def scaled(study: FamilyStudy, sizing: Sizing, bound: float, share: float | None = None) -> Coordinates:
    """The parameters of a family with its scale at ``share`` of a bound (s), the others at customary values."""
    return customary(study.family, sizing, bound, share)


def log_ratio(bench: Bench, candidate: Candidate, trial: PairedTrial) -> float:
    """Logarithm of value / bound in a run, the largest over the bounds that decide the scale; for a lower bound on a
    share the logarithm of (100 % − value) / (100 % − bound). A run without a value counts as ten times."""
    row, goal = bench.row(candidate, trial) or {}, bench.question.goal
    bounds = share_bounds(goal) if direction(goal) < 0 else delay_bounds(goal)
    return max(bound_ratio(bound, row.get(bound.measure.key)) for bound in bounds)


def excess_ratio(bench: Bench, candidate: Candidate, trial: PairedTrial) -> float:
    """Logarithm of value / bound in a run, the largest over all constraints of the goal; above 0 where one is
    broken."""
    row = bench.row(candidate, trial) or {}
    return max(bound_ratio(bound, row.get(bound.measure.key)) for bound in bench.question.goal.constraints)


def total_excess(bench: Bench, candidate: Candidate, trial: PairedTrial) -> float:
    """The sum over all constraints of the excess as a share of the bound."""
    total = 0.0
    for bound in bench.question.goal.constraints:
        value = bench.value(candidate, trial, bound.measure.key)
        total += NO_VALUE if value is None or math.isnan(value) else bound.excess(value)
    return total


def bound_ratio(bound: Constraint, value: float | None) -> float:
    """Logarithm of a value over a bound, as for `log_ratio`."""
    if value is None:
        return math.log(10.0)
    limit = bound.bound
    if not bound.upper:
        share = bound.measure.unit == "%"
        value, limit = (MOST["%"] - value, MOST["%"] - limit) if share else (limit, value)
    return math.log(max(value, LEAST) / max(limit, LEAST))


def measured_margin(
    bench: Bench, candidates: Sequence[Candidate], trials: Sequence[PairedTrial], until: float | None
) -> float | None:
    """The margin inside the bounds, as a share of them, at which 19 of 20 runs of a design hold: from the deviation
    between seeds of the design closest to a bound among ``candidates``, in ``trials`` of one seed each. None if there
    was no time to measure it."""
    goal = bench.question.goal

    def distance(candidate: Candidate) -> float:
        excesses = [
            bound.beyond(_values(bench, candidate, trials, bound), margin=0.0) for bound in goal.constraints
        ]
        return min(abs(value) for value in excesses)

    closest = min(candidates, key=distance)
    groups = [[trial, *_further_seeds(trial)] for trial in trials]
    if not bench.run(((closest, trial) for group in groups for trial in group), until=until):
        return None
    deviations = []
    for bound in goal.constraints:
        rows = [[bench.value(closest, trial, bound.measure.key) for trial in group] for group in groups]
        known = [[value / (abs(bound.bound) or 1.0) for value in row if value is not None] for row in rows]
        deviations += [statistics.deviation(row) for row in known if len(row) > 1]
    alone = len({trial.index for trial in trials}) == 1
    return (ALONE if alone else VARYING) * max([LEAST_DEVIATION, *deviations])


def _values(bench: Bench, candidate: Candidate, trials: Sequence[PairedTrial], bound: Constraint) -> float:
    """The mean of a bounded measure; infinite where a run has no value."""
    values = [bench.value(candidate, trial, bound.measure.key) for trial in trials]
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else math.inf


def _further_seeds(trial: PairedTrial) -> list[PairedTrial]:
    """The same condition under the seeds for the standard deviation between seeds."""
    return [
        PairedTrial(trial.index, trial.condition, trial.seed + SEEDS_APART * (n + 1)) for n in range(SEEDS)
    ]


@dataclass
class Edge:
    """Root finding for one family on a bench, over ``trials`` (each condition under at least one seed). ``near`` are
    the trials closest to the bound for a design that was evaluated before. A ``coarse`` search ends sooner."""

    bench: Bench
    study: FamilyStudy
    trials: Sequence[PairedTrial]
    until: float | None = None
    seen: list[tuple[Candidate, Coordinates]] = field(default_factory=list)
    deviation: float = LEAST_DEVIATION

    near: list[PairedTrial] = field(default_factory=list)
    coarse: bool = False

    def __post_init__(self) -> None:
        self.close, self.aim = (CLOSE_COARSE, AIM_COARSE) if self.coarse else (CLOSE, AIM)
        self.alone = len({trial.index for trial in self.trials}) == 1
        self.sign = direction(self.bench.question.goal) or 1

    def solve(self, coordinates: Coordinates) -> tuple[Candidate, Coordinates] | None:
        """The design on the edge with the other parameters as in ``coordinates``; None if no value of the scale keeps
        the bounds, or the box refuses all. Every design evaluated is in ``seen``."""
        root = self._root(coordinates)
        if root is None:
            return None
        measured = self._deviation(root[0])
        if measured <= 1.5 * self.deviation or self.margin_of(measured) - self.margin <= self.aim:
            return root
        self.deviation = measured
        return self._root(root[1])

    @property
    def margin(self) -> float:
        """Distance that is kept from the bounds, as a logarithm."""
        return self.margin_of(self.deviation)

    def margin_of(self, deviation: float) -> float:
        """The margin for a standard deviation between seeds."""
        return (ALONE if self.alone else VARYING) * deviation

    def excess(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        """Logarithm of the highest delay over its bound, the margin added: 0 on the edge, above it the bound breaks.
        The mean over seeds counts at each condition."""
        by_condition: dict[int, list[PairedTrial]] = {}
        for trial in trials:
            by_condition.setdefault(trial.index, []).append(trial)
        return max(self._at(candidate, some) for some in by_condition.values()) + self.margin

    def _at(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        return statistics.mean([log_ratio(self.bench, candidate, trial) for trial in trials])

    def _root(self, coordinates: Coordinates) -> tuple[Candidate, Coordinates] | None:
        """Secant steps inside a bracket, over the logarithm of the scale, turned so that the bound breaks above."""
        family, sign = self.study.family, self.sign
        axis = family.axes[family.scale]
        at_log = sign * math.log(coordinates[family.scale])
        least, most = sorted(sign * math.log(end) for end in (axis.low, axis.high))
        low: tuple[float, float] | None = None
        high: tuple[float, float] | None = None
        best: tuple[Candidate, Coordinates] | None = None
        for _ in range(EVALUATIONS):
            at = {**coordinates, family.scale: axis.rounded(math.exp(sign * min(max(at_log, least), most)))}
            at[family.scale] = min(max(at[family.scale], axis.low), axis.high)
            candidate = self.study.candidate(at)
            if candidate is None or not self.bench.usable(candidate, self.trials[0]):
                return best
            excess = self._evaluate(candidate, at)
            if excess is None:
                return best
            point = (sign * math.log(at[family.scale]), excess)
            if excess <= 0:
                if low is None or point[0] >= low[0]:
                    low, best = point, (candidate, at)
                if excess >= -2 * self.aim or point[0] >= most - 1e-9:
                    return best
            else:
                if high is None or point[0] <= high[0]:
                    high = point
                if point[0] <= least + 1e-9:
                    return best
            if low and high and high[0] - low[0] < self.close:
                return best
            at_log = self._next(point, low, high)
        return best

    def _next(
        self, last: tuple[float, float], low: tuple[float, float] | None, high: tuple[float, float] | None
    ) -> float:
        """The next scale to evaluate. Before there is a bracket the delay is taken as proportional to the scale; then
        it is the secant's root, kept away from the ends of the bracket so that the bracket shrinks."""
        if low is None or high is None:
            return last[0] + min(max(-self.aim - last[1], -math.log(STEP)), math.log(STEP))
        width = high[0] - low[0]
        slope = (high[1] - low[1]) / max(width, 1e-9)
        cross = low[0] + (-self.aim - low[1]) / slope if slope > 0 else low[0] + width / 2
        return min(max(cross, low[0] + 0.15 * width), high[0] - 0.15 * width)

    def _evaluate(self, candidate: Candidate, coordinates: Coordinates) -> float | None:
        """The excess of a design, from the conditions of highest delay if those break the bound already; None if there
        was no time left."""
        self.seen.append((candidate, coordinates))
        if self.near:
            if not self.bench.run(((candidate, trial) for trial in self.near), until=self.until):
                return None
            value = self.excess(candidate, self.near)
            if value > 0:
                return value
        if not self.bench.run(((candidate, trial) for trial in self.trials), until=self.until):
            return None
        order = sorted(self.trials, key=lambda trial: -log_ratio(self.bench, candidate, trial))
        highest = log_ratio(self.bench, candidate, order[0])
        close = [
            trial for trial in order if log_ratio(self.bench, candidate, trial) >= highest + math.log(NEAR)
        ]
        self.near = order[: min(max(len(close), LEAST_NEAR), MOST_NEAR)]
        return self.excess(candidate, self.trials)

    def _deviation(self, candidate: Candidate) -> float:
        """Standard deviation between seeds of the logarithm of the delay, pooled over the conditions of highest
        delay; for a coarse edge, whose aim keeps a wider distance, at the first of them."""
        first = {trial.index: trial for trial in self.near[: 1 if self.coarse else LEAST_NEAR]}
        extra = {index: _further_seeds(trial) for index, trial in first.items()}
        if not self.bench.run(
            ((candidate, trial) for some in extra.values() for trial in some), until=self.until
        ):
            return self.deviation
        total, freedom = 0.0, 0
        for index, some in extra.items():
            values = [log_ratio(self.bench, candidate, trial) for trial in (first[index], *some)]
            centre = statistics.mean(values)
            total += sum((value - centre) ** 2 for value in values)
            freedom += len(values) - 1
        return max(math.sqrt(total / freedom), LEAST_DEVIATION)
