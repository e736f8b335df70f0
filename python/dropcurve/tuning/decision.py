"""Chooses the recommendation among the validated designs, and compares each rival with it.

The rules, in this order:

1. A feasible design, one that holds every constraint, goes before an infeasible one.
2. Among feasible designs the one with the better objective is recommended.
3. Designs within the margin of equivalence tie. So does one with fewer parameters to set that is behind by no more than
   the margin for each of them, unless it is shown to be worse. Where the goal leaves the delay open, a longer delay
   goes last.
4. Among tied designs the one with fewer parameters to set is recommended, those that differ from the defaults of its
   discipline; then the one of the simpler discipline; then the one that breaks a bound in fewer runs; then the one that
   stays good over the wider drift of conditions; then the one nearest its discipline's defaults.
5. CoDel's target is a usual share of its interval, unless a larger one is shown to be better (`interval_share`).

Statements about a rival are equivalence tests of the paired difference with the margin, by the rules of all verdicts
(`dropcurve.verdict.equivalence`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from .. import metrics
from ..errors import DropcurveError
from ..metrics import statistics
from ..quantities import units
from ..verdict import equivalence
from .candidates import Candidate
from .families import DEFAULTS
from .goal import MOST, Goal, Objective
from .initial_designs import is_default
from .interval_share import beyond
from .measures import Measure, measure

#: How a rival that holds every constraint stands against the recommendation.
Standing = Literal["better", "worse", "equal", "no better", "undecided", "infeasible"]
#: Default margin of equivalence of an objective that is not a percentage, in per cent of its value.
MARGIN_SHARE = 1.0
#: Share of the validation runs that a design has to hold each constraint in.
HOLDS = equivalence.HELD_SHARE
#: Factor on the half-width of a difference in the replications that it needs.
MOVES = 1.25
#: Error probability of rejecting a feasible design that has the better objective.
DOUBT = 0.05
#: Error probability of one of the repeated tests that a design is no better by more than the margin. Of designs half a
#: point better, with a standard deviation of three, 6.5 % are dropped (11 % with 5 % from the sixth replication on, 5 %
#: without an early end); of those as much worse, with a deviation of one, 93 % end after 11 replications.
UNLIKELY = 0.02
#: Largest gain of a finer scale: in margins, and in per cent of a value.
BEHIND, BEHIND_SCALE = 5.0, 15.0
#: Prefixes of the measures of the queueing delay, and the measure that decides among equals where a goal has none of
#: them.
DELAYS, DELAY = ("sojourn_ms", "queue_pkts", "delay_ms"), "sojourn_ms_p95"
#: Ratio of two delays from which they decide among equals.
LONGER = 1.25
#: Distance from the defaults, as a logarithm, by which a setting is more usual than another one: twofold.
UNUSUAL = math.log(2.0)
#: Disciplines in the order of their number of parameters to set; those that are not listed come last.
SIMPLEST = ("droptail", "codel", "fq_codel", "pie", "fq_pie", "cobalt", "ared")
#: Disciplines whose thresholds are set for each link, and their number: no box has a default that fits one, so that a
#: published setting has to be written down like any other.
PER_LINK, THRESHOLDS = ("red", "ared", "choke", "nlred", "wred", "curve"), 3
#: Parameters of every discipline that come with the link and the box.
GIVEN = ("limit", "ecn", "dialect", "above_max")


@dataclass(frozen=True)
class DecisionRow:
    """Criteria of a design.

    Attributes:
        losses: Loss of every replication, in points; smaller is better.
        broken: Share of runs that break the constraint broken most often.
        excess: Mean excess over the bounds, as a share of them.
        drifted: Number of conditions beyond the range where the design is no longer good; None: not known.
        delay: The delay, where the goal leaves it open.
        refused: Whether a block of fresh seeds refused the design.
    """

    candidate: Candidate
    losses: tuple[float, ...]
    broken: float
    excess: float
    drifted: int | None = None
    delay: float | None = None
    refused: bool = False

    @property
    def feasible(self) -> bool:
        """Whether every constraint holds in nineteen runs of twenty, and no block of fresh seeds refused the design."""
        return not self.refused and self.broken <= 1.0 - HOLDS + 1e-12


class HasDelay(Protocol):
    """A design with its delay (ms) where the goal leaves that open, else None."""

    @property
    def delay(self) -> float | None:
        """The delay."""


Delayed = TypeVar("Delayed", bound=HasDelay)


def doubtful(missed: int, runs: int, most: int = 0) -> bool:
    """Whether a design that missed a bound in ``missed`` of its runs may still hold it in nineteen of twenty: a
    binomial test at 5 % does not reject that, nor that it will have held it so often after ``most`` runs, the largest
    number that it gets."""
    allowed = int((1.0 - HOLDS) * most + 1e-9)
    if most > runs and chance_of_fewer(allowed - missed + 1, most - runs) < DOUBT:
        return False
    return 1.0 - chance_of_fewer(missed, runs) >= DOUBT


def chance_of_fewer(missed: int, runs: int) -> float:
    """The probability that fewer than ``missed`` of ``runs`` miss a bound that one in twenty misses."""
    share = 1.0 - HOLDS
    return sum(math.comb(runs, n) * share**n * HOLDS ** (runs - n) for n in range(missed))


def standing(
    rival: DecisionRow, best: DecisionRow, margin: float
) -> tuple[Standing, statistics.PairedDifference | None]:
    """Standing of a rival, with the paired difference of losses (above 0: the rival is worse).

    A rival that misses a bound is "infeasible". "better" and "worse" need an interval beyond zero and a mean beyond the
    margin; "equal" the 90 % interval within the margin; "no better" an upper end within it.
    """
    count = min(len(rival.losses), len(best.losses))
    pair = statistics.paired(rival.losses[:count], best.losses[:count])
    if not rival.feasible:
        return "infeasible", pair
    if pair is None or pair.half_width is None:
        return "undecided", pair
    wide, narrow = pair.half_width, pair.half_width * _narrower(pair.n)
    ahead = equivalence.relation(pair.mean, wide, margin, narrow=narrow)
    if ahead != "undecided":
        return "equal" if ahead == "equal" else "worse", pair
    if equivalence.relation(-pair.mean, wide, margin) == "better":
        return "better", pair
    return "no better" if pair.mean - narrow > -margin else "undecided", pair


def is_behind(rival: DecisionRow, best: DecisionRow, margin: float) -> bool:
    """Whether a rival holds every constraint, is behind, and is surely no better by more than the margin: further runs
    would only say by how much it is behind. It is asked after each replication, so that the error of one test is small
    (`UNLIKELY`)."""
    stands, pair = standing(rival, best, margin)
    if stands != "no better" or pair is None or pair.half_width is None or pair.mean <= 0.0:
        return False
    wider = statistics.t_quantile(1.0 - 2.0 * UNLIKELY, pair.n - 1) / statistics.t_quantile(0.95, pair.n - 1)
    return pair.mean - wider * pair.half_width > -margin


def recommended(rows: Sequence[DecisionRow], margin: float, *, weighed: bool = False) -> DecisionRow:
    """The row to recommend; where the goal weighs several measures (``weighed``), tail drop is left for a design that
    isolates flows and ties with it. Raises ValueError for no rows."""
    feasible = [row for row in rows if row.feasible]
    if not feasible:
        return min(rows, key=lambda row: (row.broken, row.excess, _mean(row.losses)))
    means = common_means(feasible)
    best = min(feasible, key=lambda row: (means[id(row)], -len(row.losses)))
    alike = [row for row in feasible if row is best or _ties(row, best, margin)]
    alike = short([row for row in alike if row is best or not _beaten(row, feasible, means, margin)])
    known = all(row.drifted is not None for row in alike if complexity(row.candidate) == _least(alike))
    drift = {id(row): (row.drifted or 0) if known else 0 for row in alike}
    delays = all(row.delay is not None for row in alike)

    def rank(row: DecisionRow) -> tuple[tuple[int, int], float, int, float, float]:
        last = row.delay if delays and row.delay is not None else means[id(row)]
        return (
            complexity(row.candidate), row.broken, drift[id(row)], default_distance(row.candidate), last
        )  # fmt: skip

    chosen = _of_usual_share(min(alike, key=rank), feasible, means, margin)
    if not weighed or chosen.candidate.kind_as_loaded != "droptail":
        return chosen
    # Isolation protects traffic that the runs do not have, and RFC7567 asks for queue management wherever it does no
    # harm: tail drop has to be shown to be better.
    fair = [
        row
        for row in feasible
        if row.candidate.kind_as_loaded in equivalence.FAIR
        and _close(row, chosen, margin)
        and not _beaten(row, feasible, means, margin)
    ]
    return min(fair, key=lambda row: (complexity(row.candidate), row.broken, means[id(row)]), default=chosen)


def _of_usual_share(
    chosen: DecisionRow, rows: Sequence[DecisionRow], means: dict[int, float], margin: float
) -> DecisionRow:
    """The best setting of the same discipline with a more usual share of target and interval that ties with the chosen
    one, or is not shown to be worse and only slightly behind; the chosen one if there is none."""
    own = [
        row
        for row in rows
        if row.candidate.kind_as_loaded == chosen.candidate.kind_as_loaded
        and beyond(row.candidate) < beyond(chosen.candidate)
        and _close(row, chosen, margin)
        and not _beaten(row, rows, means, margin)
    ]
    return min(own, key=lambda row: (beyond(row.candidate), row.broken, means[id(row)]), default=chosen)


def common_means(rows: Sequence[DecisionRow]) -> dict[int, float]:
    """Mean loss of each row, by its identity, as if all had as many replications as the row with most of them: its mean
    plus the mean paired difference. The runs of a rival that was decided early say little about its mean alone where
    seeds matter more than designs."""
    most = min(rows, key=lambda row: (-len(row.losses), _mean(row.losses)))
    means = {}
    for row in rows:
        count = len(row.losses)
        difference = _mean(row.losses) - _mean(most.losses[:count])
        means[id(row)] = _mean(most.losses) + difference if math.isfinite(difference) else math.inf
    return means


def _beaten(row: DecisionRow, rivals: Sequence[DecisionRow], means: dict[int, float], margin: float) -> bool:
    """Whether a rival is shown to be better by more than the margin."""
    ahead = [rival for rival in rivals if means[id(rival)] < means[id(row)]]
    return any(standing(rival, row, margin)[0] == "better" for rival in ahead)


def _ties(row: DecisionRow, best: DecisionRow, margin: float) -> bool:
    """Whether a design ties with the best. It also ties when it is not shown to be worse and is only slightly behind,
    if both isolate flows and it is simpler or more usual, or by no more than the margin for each parameter that it has
    less to set: a gain that the runs do not confirm is no reason to leave the defaults, nor for a discipline with more
    parameters."""
    if are_fair_queues(row.candidate, best.candidate):
        simpler = complexity(row.candidate) < complexity(best.candidate)
        nearer = default_distance(best.candidate) - default_distance(row.candidate)
        return _close(row, best, margin, math.inf if simpler or nearer >= UNUSUAL else 0.0)
    # Isolation protects traffic that the runs do not have.
    isolates = best.candidate.kind_as_loaded in equivalence.FAIR
    fewer = 0 if isolates else parameters_to_set(best.candidate) - parameters_to_set(row.candidate)
    return _close(row, best, margin, max(fewer, 0) * margin)


def _close(row: DecisionRow, best: DecisionRow, margin: float, most: float = math.inf) -> bool:
    """Whether a design is equal to another one, or not shown to be worse and only slightly behind, by ``most`` at the
    most."""
    stands, pair = standing(row, best, margin)
    if stands in ("equal", "worse") or pair is None or pair.half_width is None or most <= 0.0:
        return stands == "equal"
    return pair.mean <= min(pair.half_width, equivalence.slightly(margin), most)


def are_fair_queues(candidate: Candidate, other: Candidate) -> bool:
    """Whether two designs isolate flows, so that their settings matter little."""
    return {candidate.kind_as_loaded, other.kind_as_loaded} <= set(equivalence.FAIR)


def default_distance(candidate: Candidate) -> float:
    """Distance of a design from the defaults of its discipline: the sum over its parameters of the factor between them,
    as a logarithm."""
    total = 0.0
    for name, value in candidate.params_as_loaded.items():
        usual = DEFAULTS.get((candidate.kind_as_loaded, name))
        number = _number(value) if usual is not None else None
        if usual and number:
            total += abs(math.log(number / usual))
    return total


def _number(value: object) -> float | None:
    """A positive number, or a time in seconds; None for anything else."""
    try:
        number = float(value) if isinstance(value, (int, float)) else units.span(str(value))
    except (DropcurveError, ValueError):
        return None
    return number if number > 0 else None


def short(rows: Sequence[Delayed]) -> list[Delayed]:
    """The rows whose delay is close to the shortest; all rows if a delay is unknown."""
    delays = [row.delay for row in rows if row.delay is not None]
    if len(delays) < len(rows):
        return list(rows)
    return [row for row in rows if row.delay is not None and row.delay <= LONGER * min(delays)]


def leaves_delay_open(goal: Goal) -> bool:
    """Whether no objective and no constraint of a goal is about the delay of the queue or of packets."""
    return not any(one.key.startswith(DELAYS) for one in goal.measures)


def reported(goal: Goal) -> tuple[Measure, ...]:
    """The measures of a goal, load times of pages instead of their logarithms, and the delay where a single objective
    leaves it open."""
    bounded = {one.measure.key for one in goal.constraints}
    measures = [one if one.key in bounded else readable(one) for one in goal.measures]
    more = (measure("p95 delay"),) if len(goal.objectives) == 1 and leaves_delay_open(goal) else ()
    return (*measures, *more)


def readable(one: Measure) -> Measure:
    """The load time instead of its logarithm, which only goals weigh."""
    name, scope = metrics.split(one.key)
    if name != "page_doublings":
        return one
    return measure("mean page load time" + (f" of {scope}" if scope else ""))


def _least(rows: Sequence[DecisionRow]) -> tuple[int, int]:
    """Complexity of the simplest design."""
    return min(complexity(row.candidate) for row in rows)


def replications_needed(pair: statistics.PairedDifference, margin: float) -> int | None:
    """Replications after which three of four undecided rivals are decided, if the standard deviation stays the same.

    A rival is decided once it is shown to be no better by more than the margin, or, if its mean is ahead by more, to be
    better: the half-width has to fall below the distance to that. As the mean moves meanwhile, the half-width is taken
    `MOVES` times as wide: of 2300 differences drawn around margins of 1 (6 to 40 first replications, standard
    deviations of 3 to 5), a quarter took more than 0.7 to 1.4 times the estimate and a tenth more than 1.5 to 4 times.

    Returns:
        The number; None for more than `MOST_REPLICATIONS`, or without an interval.
    """
    if pair.half_width is None:
        return None
    if pair.mean > -margin:
        half, distance = pair.half_width * _narrower(pair.n), pair.mean + margin
    else:
        half, distance = pair.half_width, -pair.mean
    total = math.ceil(pair.n * (MOVES * half / distance) ** 2)
    return max(pair.n + 1, total) if total <= equivalence.MOST_REPLICATIONS else None


def margin_of(goal: Goal, requested: float | None = None) -> float:
    """The margin of equivalence in points of the first objective."""
    if requested is not None:
        return requested
    first = goal.objectives[0]
    return (goal.margin or equivalence.margin_of(len(first.terms))) if first.in_points else MARGIN_SHARE


def slack(goal: Goal, margin: float) -> float:
    """Deficit in points that no finer scale can make up. A value follows the scale: it is off by as many per cent."""
    return max(BEHIND * margin, 0.0 if goal.objectives[0].in_points else BEHIND_SCALE)


def point_of(objective: Objective, value: float) -> float:
    """A point of an objective in its own unit: a percentage point where a share is in it, else 1 % of a value."""
    return 1.0 if objective.in_points else max(abs(value) / 100.0, 1e-9)


def ideal(goal: Goal) -> float | None:
    """The least loss there can be, in points: of a share of the link at 100 %, of a loss at 0. None if unknown."""
    one = goal.objectives[0]
    if one.single is None or one.unit != "%":
        return None
    return -MOST["%"] if one.higher else 0.0


def complexity(candidate: Candidate) -> tuple[int, int]:
    """Sort key of ties: the number of parameters to set, then the order of `SIMPLEST`."""
    rank = SIMPLEST.index(candidate.kind) if candidate.kind in SIMPLEST else len(SIMPLEST)
    return parameters_to_set(candidate), rank


def parameters_to_set(candidate: Candidate) -> int:
    """Number of parameters that differ from the defaults of the discipline, the limit of tail drop included: 0 for
    defaults, except for those of disciplines whose thresholds are set for each link."""
    kind = candidate.kind_as_loaded
    least = THRESHOLDS if kind in PER_LINK else 0
    if candidate.origin != "search" and is_default(candidate):
        return least
    own = sum(
        not _is_usual(kind, name, value)
        for name, value in candidate.params_as_loaded.items()
        if name not in GIVEN
    )
    return max(own, least, 1)


def _is_usual(kind: str, name: str, value: object) -> bool:
    """Whether a value is the default of a parameter."""
    usual, number = DEFAULTS.get((kind, name)), _number(value)
    return usual is not None and number is not None and math.isclose(number, usual, rel_tol=1e-6)


def _narrower(pairs: int) -> float:
    """Half-width of the 90 % interval as a share of that of the 95 % interval."""
    return statistics.t_quantile(0.9, pairs - 1) / statistics.t_quantile(0.95, pairs - 1)


def _mean(values: Sequence[float]) -> float:
    return statistics.mean(values) if values and all(map(math.isfinite, values)) else math.inf
