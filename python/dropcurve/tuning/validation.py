"""Validation on held-out conditions with fresh seeds: the best design of every discipline, and common settings.

Each replication draws its own conditions, stratified over the ranges, and its own seeds. The mean over a
replication is one number, so that intervals cover both. Designs share conditions and seeds, so that
differences are paired. The recommendation is chosen among all validated designs (`decision`), and
replications are added for the rivals that are not yet decided against it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..metrics import statistics
from ..metrics.statistics import Interval, PairedDifference
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .certainty import vague
from .constraint import excess_ratio, total_excess
from .decision import (
    DELAY,
    HOLDS,
    DecisionRow,
    Standing,
    complexity,
    doubtful,
    ideal,
    is_behind,
    leaves_delay_open,
    recommended,
    reported,
    standing,
)
from .effort import MOST, Budget
from .names import setting
from .proof import Proof, rejects

#: Fewest replications for an interval.
LEAST = 2
#: Distance of the seeds of replications from those of the search.
APART = 1_000_000
#: Replications of rivals that clearly break a constraint or are clearly worse (`LEAST` in a brief answer).
ENOUGH = 3
#: Replications after which a further design that is behind may get no more: three would stop many by chance.
PATIENT = 8
#: Largest share of missed runs for which a design is moved to the safe side.
NEAR_MISS = 0.5
#: Runs of which one may miss a bound.
ONE_MISS = round(1.0 / (1.0 - HOLDS))
#: Largest number of refused designs up to which enough runs of their own speak for others.
LENIENT = 3
#: Number of runs that miss a bound after which a design gets no more runs.
MISSES = 2.5


@dataclass
class Validation:
    """The designs that are validated, the runs made of each, and the decision among them.

    Attributes:
        margin: Margin of equivalence, in points.
        until: Moment of the bench's time source after which no run starts.
        most: Largest number of replications.
        spare: Further runs, beyond `most` replications, for rivals that few of them would decide.
        refused: Designs that broke a bound in a block of fresh seeds, by key.
        proof: The block of the design that held every bound there.
        left_out: Designs that were to be added and for which there was no time.
    """

    bench: Bench
    effort: Budget
    seed: int
    margin: float
    until: float | None = None
    most: int = 0
    spare: int = 0
    candidates: list[Candidate] = field(default_factory=list)
    best: Candidate | None = None
    drifted: dict[str, int] = field(default_factory=dict)
    refused: dict[str, Proof] = field(default_factory=dict)
    proof: Proof | None = None
    left_out: list[Candidate] = field(default_factory=list)
    _made: dict[str, int] = field(default_factory=dict)
    _rows: dict[str, tuple[tuple[object, ...], DecisionRow]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.most = self.most or MOST * self.effort.replications
        self.several = len(self.bench.question.goal.objectives) > 1
        self._replications: list[list[PairedTrial]] = []

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Runs the replications of the effort while there is time, at least two of designs that may be feasible."""
        first = self._replication(0)
        self.candidates = [one for one in candidates if all(self.bench.usable(one, trial) for trial in first)]
        for number in range(self.effort.replications):
            limit = self.until if number >= LEAST else None
            if number >= LEAST:
                self.decide()
            open_ones = [
                one for one in self.candidates if not self.is_lost(one) and not self._cannot_hold(one, number)
            ]
            if not self.extend(open_ones, number + 1, until=limit):
                break
        self.decide()

    def add(self, candidate: Candidate) -> bool:
        """Validates one more design in the replications of the recommendation for which there is time, `most` of them
        at most, until it is clearly worse, infeasible, or behind and no better by the margin; False if there is time
        for one only."""
        if candidate.key in self._made:
            return True
        # Further ones are left to `settling`, which knows whether they may decide anything.
        count = min(max(self._made.values()), self.most)
        trials = [trial for number in range(count) for trial in self._replication(number)]
        if not all(self.bench.usable(candidate, trial) for trial in trials):
            return False
        for number in range(count):
            if not self.extend([candidate], number + 1, until=self.until) or self.is_lost(candidate):
                break
            # It missed too many, however many of the runs to come hold the bound.
            in_vain = self._missed(candidate) > (1.0 - HOLDS) * count * self.fresh
            if in_vain and number + 1 >= LEAST and not self.several:
                break
            late = number + 1 >= PATIENT and not self.several
            if late and self.best and is_behind(self._row(candidate), self._row(self.best), self.margin):
                break
        if self.made(candidate) < min(LEAST, count):
            self._made.pop(candidate.key, None)
            self.left_out.append(replace(candidate, name=setting(candidate)))
            return False
        self.candidates.append(candidate)
        self.decide()
        return True

    def decide(self) -> Candidate:
        """Chooses the recommendation; with several objectives the first design, after `validation_front` the knee."""
        if self.several:
            self.best = self.best or self.candidates[0]
        else:
            question = self.bench.question
            asked = [one for one in self.candidates if question.asks_for(one)] or self.candidates
            able = [one for one in asked if question.may_recommend(one)] or asked
            weighed = len(self.bench.question.goal.objectives[0].terms) > 1
            rows = [self._row(one) for one in able]
            self.best = recommended(rows, self.margin, weighed=weighed).candidate
        return self.best

    @property
    def settled(self) -> bool:
        """Whether the recommendation is within the margin of the largest possible objective."""
        return self.left < self.margin

    @property
    def left(self) -> float:
        """Points between the recommendation and the largest possible objective; infinite if that is unknown or the
        recommendation infeasible."""
        best, most = self._row(self.decide()), ideal(self.bench.question.goal)
        return math.inf if most is None or not best.feasible else statistics.mean(best.losses) - most

    def alike(self) -> list[Candidate]:
        """The recommendation, and the rivals that are equivalent to it and as simple."""
        best = self.decide()
        return [best] + [
            one
            for one in self.candidates
            if one is not best
            and complexity(one) == complexity(best)
            and not self.several
            and self.standing_of(one)[0] == "equal"
        ]

    def is_vague(self, candidate: Candidate) -> bool:
        """Whether a measure of a design has an interval that is too wide to act on."""
        goal = self.bench.question.goal
        measures = {m.key: self.interval(candidate, m.key) for m in reported(goal)}
        return bool(vague(goal, measures, self.margin, self.bench.scales))

    def extend(self, candidates: Sequence[Candidate], count: int, *, until: float | None) -> bool:
        """Extends designs to ``count`` replications, one after the other; False if the time ran out."""
        for number in range(min(self._made.get(one.key, 0) for one in candidates), count):
            pairs = [
                (one, trial)
                for one in candidates
                if self._made.get(one.key, 0) <= number
                for trial in self._replication(number)
            ]
            if not self.bench.run(pairs, until=until):
                return False
            for one in candidates:
                self._made[one.key] = max(self._made.get(one.key, 0), number + 1)
        return True

    def ahead(self) -> list[Candidate]:
        """Designs that miss a bound in few runs and are ahead by more than the margin, or miss it like the
        recommendation; the best first."""
        if self.several:
            return []
        best = self.decide()
        near_misses = []
        for one in self.candidates:
            row, (stands, pair) = self._row(one), self.standing_of(one)
            wins = one is best or (pair is not None and pair.mean < -self.margin)
            if stands == "infeasible" and wins and row.broken <= NEAR_MISS:
                near_misses.append((statistics.mean(row.losses), one))
        return [one for _, one in sorted(near_misses, key=lambda pair: pair[0])]

    def refuse(self, proof: Proof) -> None:
        """Counts a design as one that misses a bound: on fresh seeds it broke one, or did not hold it for sure."""
        self.refused[proof.candidate.key] = proof
        self.decide()

    def misses(self, candidate: Candidate, *, own: bool = False) -> bool:
        """Whether a design misses a bound; unless ``own`` also as one like it was refused on fresh seeds."""
        row = self._row(candidate)
        refused = candidate.key in self.refused if own else row.refused
        return refused or not replace(row, refused=False).feasible

    def clears(self, candidate: Candidate) -> bool:
        """Whether a design holds its bounds; one that missed a single run gets those in which one may miss."""
        trials = [trial for some in self.trials(candidate) for trial in some]
        if round(self._row(candidate).broken * len(trials)) == 1 and len(trials) < ONE_MISS:
            self.extend([candidate], math.ceil(ONE_MISS / len(self._replication(0))), until=self.until)
        return not self.misses(candidate)

    def broken(self, candidate: Candidate) -> float:
        """The share of the runs of a design that broke a bound, of the one broken most often."""
        return self._row(candidate).broken

    def is_decided(self, candidate: Candidate) -> bool:
        return self.standing_of(candidate)[0] not in ("undecided", "better") and not self._doubtful(candidate)

    def _doubtful(self, candidate: Candidate) -> bool:
        """Whether a design is ahead by more than the margin and misses a bound that it may still hold."""
        stands, pair = self.standing_of(candidate)
        runs = sum(len(some) for some in self.trials(candidate))
        ahead = stands == "infeasible" and pair is not None and pair.mean < -self.margin
        ahead = ahead and candidate.key not in self.refused
        return ahead and doubtful(self._missed(candidate), runs, self.most * self.fresh)

    def _missed(self, candidate: Candidate) -> int:
        """Number of runs of a design that missed a bound, the one missed most often."""
        return round(self._row(candidate).broken * sum(map(len, self.trials(candidate))))

    def made(self, candidate: Candidate) -> int:
        """Number of replications of a design."""
        return self._made.get(candidate.key, 0)

    @property
    def replications(self) -> int:
        """Number of replications of the recommendation."""
        return self.made(self.best) if self.best else 0

    @property
    def fresh(self) -> int:
        """Number of runs of a replication."""
        return self.effort.fresh if self.bench.question.varying else 1

    def _replication(self, number: int) -> list[PairedTrial]:
        """The trials of a replication."""
        while len(self._replications) <= number:
            at = len(self._replications)
            conditions = self.bench.question.fresh(self.fresh, seed=self.seed + APART + at)
            self._replications.append([
                PairedTrial.of(index, one, self.seed + APART + at * self.effort.fresh + index)
                for index, one in enumerate(conditions)
            ])  # fmt: skip
        return self._replications[number]

    def trials(self, candidate: Candidate) -> list[list[PairedTrial]]:
        """The trials of a design, by replication."""
        return [self._replication(number) for number in range(self.made(candidate))]

    def is_lost(self, candidate: Candidate) -> bool:
        """Whether a design needs no more runs: it clearly breaks a constraint or is worse than the best."""
        enough = LEAST if self.effort.brief else ENOUGH
        if self.several or self.made(candidate) < enough:
            return False
        stands, _ = self.standing_of(candidate)
        runs = sum(len(some) for some in self.trials(candidate))
        # A design at the edge that misses the bound once in few runs may still hold it in nineteen of twenty.
        misses = self._row(candidate).broken * runs >= MISSES
        missed = stands == "infeasible" and misses and not self._doubtful(candidate)
        return candidate is not self.best and (stands == "worse" or missed)

    def _cannot_hold(self, candidate: Candidate, number: int) -> bool:
        """Whether a design broke a bound in all of the first replication and there is time for few runs only."""
        if number == 0 or not self.effort.brief or self.several:
            return False
        missed = [self.bench.missed(candidate, [trial]) for trial in self._replication(0)]
        held = any(self._row(other).broken == 0.0 for other in self.candidates)
        return held and len(missed) > 1 and min(missed) == 1.0

    def standing_of(self, candidate: Candidate) -> tuple[Standing, PairedDifference | None]:
        """Standing of a design against the recommendation, with the paired difference."""
        assert self.best is not None, "a decision comes first"
        stands, pair = standing(self._row(candidate), self._row(self.best), self.margin)
        if stands == "undecided" and self.most_gain < self.margin:
            return "no better", pair
        return stands, pair

    @property
    def proven(self) -> str:
        """Key of the design that held every bound in a block of fresh seeds, or ""."""
        return self.proof.candidate.key if self.proof is not None else ""

    @property
    def most_gain(self) -> float:
        """Most points by which a design may be better, where the objective has a largest value: from the upper end of
        the interval of the recommendation's runs, or of fresh seeds. Infinite if unknown."""
        assert self.best is not None, "a decision comes first"
        most = ideal(self.bench.question.goal)
        if most is None:
            return math.inf
        own = statistics.t_interval(list(self._row(self.best).losses))
        pair = [own, *([self.proof.objectives[0]] if self.proof and self.proven == self.best.key else [])]
        sign = (1.0, self.bench.question.goal.objectives[0].sign)
        return min(
            (factor * one.mean + one.half_width - most
            for factor, one in zip(sign, pair, strict=False)
            if one.mean is not None and one.half_width is not None),
            default=math.inf,
        )  # fmt: skip

    def _row(self, candidate: Candidate) -> DecisionRow:
        """Criteria of the decision about a design, computed again only after something changed."""
        state = (
            self.made(candidate), self.drifted.get(candidate.key), tuple(self.refused), self.proven,
            tuple(self.bench.scales), self.bench.valued,
        )  # fmt: skip
        known = self._rows.get(candidate.key)
        if known is None or known[0] != state:
            known = self._rows[candidate.key] = (state, self._computed(candidate))
        return known[1]

    def _computed(self, candidate: Candidate) -> DecisionRow:
        """The same from its runs. Losses of a replication are in points, without penalty."""
        replications = self.trials(candidate)
        losses = [self.bench.together(self.bench.losses(candidate, some)) for some in replications]
        trials = [trial for some in replications for trial in some]
        excess = [total_excess(self.bench, candidate, trial) for trial in trials]
        missed = (
            self.refused[candidate.key].missed
            if candidate.key in self.refused
            else self.bench.missed(candidate, trials)
        )
        return DecisionRow(
            candidate, tuple(losses), missed, sum(excess) / max(len(excess), 1),
            self.drifted.get(candidate.key), self.delay_of(candidate),
            candidate.key != self.proven and any(
                self._like(candidate, proof, missed) for proof in self.refused.values()
            ),
        )  # fmt: skip

    def _like(self, candidate: Candidate, proof: Proof, missed: float) -> bool:
        """Whether a design is as likely to break a bound as a refused one of its discipline: in the mean of their
        common trials its excess is lower by less than that was over the bound; enough runs of its own speak for it."""
        other = proof.candidate
        if candidate.key == other.key or candidate.kind_as_loaded != other.kind_as_loaded:
            return candidate.key == other.key
        own = sum(len(some) for some in self.trials(candidate))
        if len(self.refused) <= LENIENT and rejects(round(missed * own), own):
            return False
        count = min(self.made(candidate), self._made.get(other.key, 0))
        trials = [trial for number in range(count) for trial in self._replication(number)]
        ratios = [
            [excess_ratio(self.bench, design, trial) for trial in trials] for design in (other, candidate)
        ]
        return bool(trials) and statistics.mean(ratios[0]) - statistics.mean(ratios[1]) < proof.over

    def delay_of(self, candidate: Candidate) -> float | None:
        """The mean delay of a design in its runs, if the goal does not bound delay."""
        trials = [trial for some in self.trials(candidate) for trial in some]
        if not leaves_delay_open(self.bench.question.goal):
            return None
        return self.bench.mean(candidate, trials, DELAY)

    def interval(self, candidate: Candidate, measure: str) -> Interval:
        """The interval of a measure of a design, over its replications."""
        means = []
        for some in self.trials(candidate):
            known = [
                value for trial in some if (value := self.bench.value(candidate, trial, measure)) is not None
            ]
            means.append(statistics.mean(known) if known else None)
        return statistics.t_interval(means)
