"""Budget of an answer: by the size of the link by default, by the pace of the machine under a time limit.

A budget by size follows from the question alone, so that the same question has the same answer on every machine. A
budget by pace does not, and the answer says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..errors import DropcurveError
from ..quantities import units
from ..scenario import Scenario
from .aggregation import Robust
from .question import Question
from .time_source import TimeSource, WallTime

#: Simulated packets of search and validation by default; further disciplines and neighbours take about as many again.
WORK = 1.25e8
#: Simulated packets for the replications that decide rivals where those of the first sizes do not.
SPARE_WORK = 4e7
#: Minimum cost of a run, in packets: its set-up takes time too.
LEAST_WORK = 2e4
#: Default largest number of runs of the search, and the smallest, that of the largest links: it suffices for the edge
#: of each discipline at the two ends of the ranges.
RUNS, FEWEST, FEWEST_LARGE = 1500, 100, 40
#: Packets of a run from which on the rules of thumb of all disciplines take longer than a few seconds.
LONG = 2.5e5
#: Packets of a run from which on a link counts as the largest.
LARGE = 2.5e6
#: Share of all runs for the steps after the search.
OUTSIDE = 0.5
#: Replications of a validation are added until every rival is decided, or up to this multiple of the first ones.
MOST = 4
#: Most replications of a validation that continues until every rival is decided.
DECIDED = 200
#: Least number of trials for the size of a point: the two ends of the ranges.
ENDS = 2
#: Estimates for planning: initial designs, those that a brief answer leaves out, parameters of the recommendation.
KNOWN, LEFT_OUT, PARAMETERS = 12, 5, 4
#: Seconds from which on a note states how long the answer will take.
LONG_S = 90.0
#: Shares of the time at which the search, the adjustment of its finalists, their first validation, sensitivity, drift,
#: further challengers and the further replications of the validation end.
SEARCH, FINALS, VALIDATION, SENSITIVITY, DRIFT, CHALLENGE, DECISION = 0.38, 0.55, 0.7, 0.77, 0.83, 0.92, 0.97
#: Share of the time at which the runs end that show which rivals need no validation, where it is short.
COMPARED = 0.6
#: Least share of the time at which the further replications of the validation end if runs on fresh seeds that took no
#: part in choosing follow.
DECISION_AT_LEAST = 0.8
#: Share of the time that the first runs may take if further ones measure the pace, and the share up to which a search
#: must have ended to be followed by one at more conditions.
PACED, AGAIN = 0.03, 0.3
#: Allowed excess over the time limit, as a share of it.
LATE = 0.1
#: Seconds for figures and page on an idle machine, the largest share of the time reserved for them, and that share on a
#: busy machine: figures for which there is no time are left out.
PICTURES_S, PICTURES, PICTURES_BUSY = 3.5, 0.25, 0.3


class Pace(Protocol):
    """Source of the pace: a bench."""

    runs: int

    @property
    def run_s(self) -> float | None:
        """Seconds that a run took so far."""


@dataclass(frozen=True)
class Budget:
    """Budget of the steps of an answer.

    ``runs`` limits the search, ``conditions`` how many of the question's it uses (None: all). Validation has
    ``replications`` of ``fresh`` conditions, a drift ``seeds`` for each value. A ``brief`` answer leaves out designs by
    formula that are already behind, the outer factors and values, and the drift of the rival. ``level`` is its index in
    `LEVELS`.
    """

    runs: int
    conditions: int | None = None
    replications: int = 6
    fresh: int = 6
    seeds: int = 2
    brief: bool = False
    level: int = 0

    def outside(self, question: Question) -> int:
        """Approximate number of runs of the steps after the search."""
        axes = len(question.varying)
        conditions = min(self.conditions or 1000, len(question.conditions()))
        designs = (KNOWN - LEFT_OUT if self.brief else KNOWN) + len(question.candidates)
        validation = designs * self.replications * (self.fresh if axes else 1)
        around = PARAMETERS * (2 if self.brief else 4) * conditions
        return validation + around + axes * self.seeds * (7 if self.brief else 18)

    def validated(self, question: Question) -> int:
        """Largest number of runs of a design in the validation."""
        return MOST * self.replications * (self.fresh if question.varying else 1)


#: Factor on the replications where there is one condition: a replication is one run then.
ALONE = 3
#: Budgets from the most thorough to the briefest; the last one for the largest links and where time is short.
LEVELS = (
    Budget(RUNS),
    Budget(RUNS, replications=4, fresh=4, seeds=1, level=1),
    Budget(RUNS, conditions=6, replications=4, fresh=3, seeds=1, brief=True, level=2),
    Budget(RUNS, conditions=4, replications=3, fresh=3, seeds=1, brief=True, level=3),
    Budget(RUNS, conditions=2, replications=3, fresh=2, seeds=1, brief=True, level=4),
)

#: Level of the largest links, and of the shortest times.
LEAST_LEVEL = LEVELS[-1].level


def by_size(question: Question, runs: int | None = None) -> Budget:
    """The budget for a question, from the packets that its runs simulate. ``runs`` overrides those of the search."""
    work = size(question)
    budget = _fitting(question, WORK / work, LEVELS[:-1] if work < LARGE else LEVELS[-1:], runs)
    return budget if runs or work < LARGE else replace(budget, runs=FEWEST_LARGE)


def by_pace(question: Question, seconds: float, run_s: float, runs: int | None = None) -> Budget:
    """The budget that fits into a time where a run takes ``run_s``."""
    return _fitting(question, seconds / max(run_s, 1e-6), LEVELS, runs)


def _fitting(question: Question, most: float, levels: tuple[Budget, ...], runs: int | None) -> Budget:
    def fits(budget: Budget) -> bool:
        known = (KNOWN - LEFT_OUT if budget.brief else KNOWN) * min(
            budget.conditions or 1000, len(question.conditions())
        )
        return known + budget.outside(question) <= OUTSIDE * most

    if not question.varying:
        levels = tuple(replace(one, replications=one.replications * ALONE, fresh=1) for one in levels)
    level = next((one for one in levels if fits(one)), levels[-1])
    searched = min(max(round(most - level.outside(question)), FEWEST), level.runs)
    return replace(level, runs=runs or searched)


def spare(question: Question) -> int:
    """Number of runs for deciding rivals, beyond those of a budget by size."""
    return round(SPARE_WORK / size(question))


def size(question: Question) -> float:
    """Packets that a run simulates, in the mean over the conditions: those of the bottleneck, and of the reverse
    direction where it has transfers of its own."""
    sizes = []
    for condition in question.conditions():
        scenario = question.scenario(condition)
        try:
            rate = units.rate(str(scenario.get("dumbbell.rate"))) + _reverse_bps(scenario)
            duration = units.span(str(scenario.get("run.duration")))
        except DropcurveError:
            return LEAST_WORK
        sizes.append(max(LEAST_WORK, rate * duration / (8 * 1500)))
    return sum(sizes) / len(sizes)


def _reverse_bps(scenario: Scenario) -> float:
    """Rate of the reverse direction if flows send data that way, else 0."""
    flows = scenario.resolved.get("flows", {})
    if not any(bool(one.get("reverse")) for one in flows.values()):
        return 0.0
    back = scenario.resolved["dumbbell"].get("back") or {}
    return units.rate(str(back["rate"])) if "rate" in back else 0.0


def expected_duration(effort: Budget, question: Question, made: Pace) -> str:
    """A note on the expected duration of an answer at the pace so far; "" if it is short."""
    seconds = (effort.runs - made.runs + effort.outside(question)) * (made.run_s or 0.0)
    if seconds < LONG_S:
        return ""
    bound = max(1, round(seconds / 120))
    return f"about {round(seconds / 60)} min at most at this pace; limit it with --time {bound}min"


@dataclass
class Clock:
    """A time limit: ``seconds`` from its creation on, None for no limit. With ``page`` part of it is reserved for
    figures and page. ``source`` measures it."""

    seconds: float | None = None
    page: bool = True
    source: TimeSource = field(default_factory=WallTime)

    def __post_init__(self) -> None:
        self.began = self.source.now()

    def until(self, share: float) -> float | None:
        """The moment at which a share of the time for runs is spent."""
        if self.seconds is None:
            return None
        return self.began + share * (self.seconds - self._kept(self.seconds))

    def end(self) -> float:
        """The moment at which the time for runs is spent; infinite without a limit."""
        end = self.until(1.0)
        return math.inf if end is None else end

    def _kept(self, seconds: float) -> float:
        """Seconds kept for figures and page."""
        if not self.page:
            return 0.0
        return min(min(PICTURES * seconds, PICTURES_S) * self.source.slowdown(), PICTURES_BUSY * seconds)

    def left(self, share: float) -> float | None:
        """Seconds until a share of the time is spent, 0 if it is; None without a limit."""
        end = self.until(share)
        return None if end is None else max(0.0, end - self.source.now())

    def early(self, share: float) -> bool:
        """Whether there is a limit and less than a share of the time is spent."""
        return (self.left(share) or 0.0) > 0.0

    def shows_queue(self, run_s: float | None) -> bool:
        """Whether there is time for the figures of the queue, at the pace so far."""
        if self.seconds is None or not self.page:
            return True
        left = self.began + (1.0 + LATE) * self.seconds - self.source.now()
        return PICTURED * (run_s or 0.0) + PICTURES_S * self.source.slowdown() <= left

    def late(self, share: float) -> bool:
        """Whether there is a limit and a share of the time is spent."""
        return self.left(share) == 0.0


def again(spent: Budget, question: Question, made: Pace, clock: Clock) -> Budget | None:
    """The budget of a search at more conditions where the first one took little of a limited time; None if none fits.
    It finds the runs of the first one in the store."""
    left = clock.left(DRIFT)
    if left is None or made.run_s is None or not clock.early(AGAIN):
        return None
    planned = by_pace(question, left, made.run_s)
    return replace(planned, runs=made.runs + planned.runs) if planned.level < spent.level else None


#: Sizes of a validation, the largest first.
SIZES = ((6, 6), (5, 5), (4, 4), (3, 4), (3, 3), (3, 2), (2, 2), (2, 1))
#: Sizes of a validation with one condition.
SIZES_ALONE = tuple((count, 1) for count in (18, 12, 9, 6, 4, 3, 2))
#: Fresh runs of a design below which rivals are left out instead.
WORTHWHILE = 4
#: Runs that the figures of the queue on the page take.
PICTURED = 4
#: Least number of validated designs, however short the time: the recommendation and three rivals.
VALIDATED = 4


def affordable(left_s: float | None, run_s: float | None) -> int:
    """Number of designs that can be validated in the time, each with enough runs for a statement."""
    if left_s is None or not run_s:
        return 1000
    return max(VALIDATED, int(left_s / (run_s * WORTHWHILE)))


def validation(
    budget: Budget, designs: int, left_s: float | None, run_s: float | None, robust: Robust = "mean"
) -> Budget:
    """The budget with the largest validation that fits into the seconds left for it, with the smallest if none fits.

    The worst conditions of a replication are those of several: with one, its result would be that of the mean.
    """
    if left_s is None or run_s is None:
        return budget
    some = SIZES if budget.fresh > 1 else SIZES_ALONE
    least_fresh = 1 if robust == "mean" or budget.fresh == 1 else 2
    sizes = [one for one in some if one[0] <= budget.replications and least_fresh <= one[1] <= budget.fresh]
    for replications, fresh in sizes:
        if designs * replications * fresh * run_s <= left_s:
            return replace(budget, replications=replications, fresh=fresh)
    least = sizes[-1] if sizes else (budget.replications, budget.fresh)
    return replace(budget, replications=least[0], fresh=least[1])
