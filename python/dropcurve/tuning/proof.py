"""The last block of a validation: the recommendation alone, on fresh conditions and seeds.

A design that is chosen as the best of those that hold a bound in some runs probably had favourable seeds (the winner's
curse). Therefore its bounds count as held only if they also hold in a block on which no choice was based. Otherwise
another design is chosen and run in a block of its own.

A design that breaks its bound in exactly one run of twenty would pass a rule of nineteen in twenty in half of all
blocks. Therefore a block with broken runs is doubled until the result is clear, and the largest block has to hold the
bound in 39 runs of 40. Where that leaves much unused, as on a link whose delays scatter, blocks grow further while runs
are left: the more runs, the closer to nineteen in twenty a design may be and still be sure of it. A block ends early
where the runs so far leave little hope of that (stochastic curtailment, Lan, Simon and Halperin 1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..metrics import statistics
from ..metrics.statistics import Interval
from ..verdict import equivalence
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import excess_ratio
from .decision import chance_of_fewer
from .effort import LEAST_LEVEL, Budget
from .goal import Constraint

#: Runs of a block, of a brief answer, and of the largest links, and the fewest for a statement.
RUNS, RUNS_BRIEF, RUNS_LARGE, FEWEST = 72, 36, 20, 6
#: Largest size of a block that is not clear, as a multiple of each of these sizes.
LARGEST = {RUNS: 2, RUNS_BRIEF: 4, RUNS_LARGE: 2}
#: The same where runs are left for it.
LARGEST_SPARE = 8
#: Share of broken runs up to which a block is clear at once, and up to which the largest one is.
CLEAR, SURE = 0.02, 0.025
#: Error probability of the binomial test that more runs than one in twenty break a bound.
WRONG = 0.1
#: Least probability, given the runs so far, that the largest block is sure.
HOPE = 0.2
#: Distance of the seeds of a block from those of the validation, between blocks, and between the parts of a block.
APART, BLOCKS_APART, PARTS_APART = 3_000_000, 10_000, 1000


@dataclass(frozen=True)
class ConstraintOutcome:
    """Outcome of a constraint: runs that held it, of all runs; the worst value and its condition."""

    constraint: Constraint
    held: int
    runs: int
    worst: float
    where: str

    @property
    def holds(self) -> bool:
        """Whether the constraint held in nineteen runs of twenty; never without a value."""
        return equivalence.holds(self.held, self.runs)


@dataclass(frozen=True)
class Proof:
    """Outcome of a design in a block: its constraints, and the objectives as intervals over the runs; ``over`` is the
    logarithm of value / bound that no more than `SURE` of the runs exceed."""

    candidate: Candidate
    kept: tuple[ConstraintOutcome, ...]
    objectives: tuple[Interval, ...]
    runs: int
    over: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether every constraint held in nineteen runs of twenty."""
        return all(one.holds for one in self.kept)

    @property
    def sure(self) -> bool:
        """Whether nineteen of twenty runs are sure to hold each constraint (`is_sure`)."""
        return is_sure(round(self.missed * self.runs), self.runs)

    @property
    def clear(self) -> bool:
        """Whether a block needs no more runs: it breaks a constraint, or next to no run does, or the test is sure."""
        return not self.holds or self.missed <= CLEAR or self._rejected

    @property
    def _rejected(self) -> bool:
        return rejects(round(self.missed * self.runs), self.runs)

    @property
    def missed(self) -> float:
        """The share of runs that broke a constraint, of the one that was broken most often."""
        return max((1.0 - one.held / one.runs if one.runs else 1.0 for one in self.kept), default=0.0)


def rejects(missed: int, runs: int) -> bool:
    """Whether a binomial test rejects that one run of twenty breaks a bound, where ``missed`` of ``runs`` did."""
    return chance_of_fewer(missed + 1, runs) <= WRONG


def hope(missed: int, runs: int, largest: int) -> float:
    """The probability that the ``largest`` block will be sure, where ``missed`` of its first ``runs`` broke a bound: of
    the beta-binomial distribution of the runs to come, after Jeffreys' prior."""
    allowed = next((n for n in range(missed, largest) if not is_sure(n, largest)), largest) - 1
    left, a, b = largest - runs, missed + 0.5, runs - missed + 0.5

    def log_chance(more: int) -> float:
        return math.log(math.comb(left, more)) + _log_beta(a + more, b + left - more) - _log_beta(a, b)

    return sum(math.exp(log_chance(more)) for more in range(allowed - missed + 1))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def is_sure(missed: int, runs: int) -> bool:
    """Whether nineteen of twenty runs are sure to hold a bound that ``missed`` of ``runs`` broke: at most one run of
    forty did, or a binomial test rejects that one of twenty does."""
    return missed <= SURE * runs + 1e-12 or rejects(missed, runs)


def prove(
    bench: Bench, candidate: Candidate, seed: int, number: int, *,
    runs: int = RUNS, spare: int = 0, until: float | None = None,
) -> Proof | None:  # fmt: skip
    """Runs a design in the ``number``-th block: ``runs`` runs, doubled while they hold the bounds and are not clear, up
    to `full`, with ``spare`` runs up to `LARGEST_SPARE` times as many. Spare runs that do not suffice for doubling add
    the parts that they suffice for.

    Returns:
        The outcome of the runs there was time for; None if those are fewer than `FEWEST`.
    """
    first = seed + APART + number * BLOCKS_APART
    largest = max(full(runs), min(LARGEST_SPARE * runs, full(runs) + spare))
    last, size = None, 1
    while True:
        trials = parts(bench, first, runs, size)
        proof = _proven(bench, candidate, trials, until)
        if proof is None or (last is not None and proof.runs <= last.runs):
            return last
        last = proof
        if last.clear or last.runs < len(trials) or len(trials) + runs > largest:
            return last
        if hope(round(last.missed * last.runs), last.runs, largest) < HOPE:
            return last
        size = min(2 * size, largest // runs)


def block_runs(spent: Budget) -> int:
    """Runs of the first part of a block."""
    if spent.level >= LEAST_LEVEL:
        return RUNS_LARGE
    return RUNS_BRIEF if spent.brief else RUNS


def full(runs: int) -> int:
    """The largest size of a block whose first part has ``runs`` runs."""
    return runs * LARGEST.get(runs, 1)


def _proven(
    bench: Bench, candidate: Candidate, trials: list[PairedTrial], until: float | None
) -> Proof | None:
    """The outcome of a design in those of some trials that there was time for."""
    if not bench.run(((candidate, trial) for trial in trials), until=until):
        trials = [trial for trial in trials if bench.has(candidate, trial)]
    if len(trials) < FEWEST:
        return None
    objectives = bench.question.goal.objectives
    ratios = sorted(excess_ratio(bench, candidate, trial) for trial in trials)
    return Proof(
        candidate,
        tuple(kept(bench, candidate, trials, bound) for bound in bench.question.goal.constraints),
        tuple(
            statistics.t_interval([bench.objective(candidate, trial, wanted) for trial in trials])
            for wanted in objectives
        ),
        len(trials),
        ratios[len(ratios) - 1 - int(SURE * len(ratios))],
    )


def parts(bench: Bench, seed: int, runs: int, count: int) -> list[PairedTrial]:
    """The trials of a block of ``count`` parts, each of ``runs`` runs."""
    return [trial for number in range(count) for trial in block(bench, seed + number * PARTS_APART, runs)]


def block(bench: Bench, seed: int, runs: int) -> list[PairedTrial]:
    """Fresh conditions, stratified over the ranges, each under a seed of its own."""
    question = bench.question
    if not question.varying:
        (condition,) = question.fresh(1, seed=seed)
        return [PairedTrial.of(0, condition, seed + number) for number in range(runs)]
    return [
        PairedTrial.of(index, one, seed + index) for index, one in enumerate(question.fresh(runs, seed=seed))
    ]


def kept(
    bench: Bench, candidate: Candidate, trials: list[PairedTrial], bound: Constraint
) -> ConstraintOutcome:
    """Outcome of a constraint in some trials that a design was run in."""
    values_of = [
        (value, trial)
        for trial in trials
        if (value := bench.value(candidate, trial, bound.measure.key)) is not None
    ]
    if not values_of:
        return ConstraintOutcome(bound, 0, 0, math.nan, "")
    worst, trial = (max if bound.upper else min)(values_of, key=lambda pair: pair[0])
    holding = sum(bound.excess(value) == 0 for value, _ in values_of)
    return ConstraintOutcome(
        bound, holding, len(trials), worst, bench.question.describe(dict(trial.condition))
    )
