"""Evaluations of settings: the trials of each, its expected loss, and the choice of those that get more runs.

A new setting is run in few of the trials, the most informative ones on its loss over all conditions. A setting that is
likely to be the best of its family is run in further trials, until all have been run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .bench import Bench, PairedTrial
from .candidates import Candidate, Target
from .search_space import Coordinates
from .study import FamilyStudy, front
from .surrogate import Surrogate

#: Settings that get more runs after a round, and the least probability that one is the best.
AGAIN, LIKELY = 2, 0.2
#: If all trials need at least this many evaluations of a setting, one evaluation is too few to judge it by.
SMALL = 4
#: Share of the smallest difference that the validation can find below which no expected improvement is worth a round.
IDLE = 0.25
#: Half-width of a 95 % interval in standard errors.
STANDARD_ERRORS = 1.96


@dataclass
class Evaluations:
    """The evaluations of one search in its ``first`` trials, ``size`` of them at a time. Families without a surrogate
    (where there are several objectives) are only run. The validation compares two designs by ``validated`` runs of each
    at most; a difference of ``margin`` points matters."""

    bench: Bench
    target: Target
    first: Sequence[PairedTrial]
    size: int
    studies: dict[str, FamilyStudy] = field(default_factory=dict)
    surrogates: dict[str, Surrogate] = field(default_factory=dict)
    margin: float = 0.0
    validated: int = 0

    @property
    def least_gain(self) -> float:
        """Expected improvement in points from which on a round is worth its runs: a share of the margin or, where runs
        scatter so much that the validation cannot find a difference of that size, of the half-width that it reaches."""
        deviations = [one.deviation for one in self.surrogates.values() if one.ready]
        known = self.validated > 0 and bool(deviations)
        half = STANDARD_ERRORS * math.sqrt(2.0 / self.validated) * min(deviations) if known else 0.0
        return IDLE * max(self.margin, half)

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        """Executes runs, as `Bench.run` does, and adds them to the surrogate of their family."""
        asked = list(pairs)
        done = self.bench.run(asked, until=until)
        for one, trial in asked:
            self.observe(one, trial)
        return done

    def observe(self, candidate: Candidate, trial: PairedTrial) -> None:
        """Adds a run to the surrogate of its family, if it was made and there is one."""
        for kind, surrogate in self.surrogates.items():
            study = self.studies[kind]
            if candidate.key in study.coordinates and self.bench.has(candidate, trial):
                surrogate.observe(candidate, study.unit_point(candidate), trial)

    def batch(
        self,
        asked: Sequence[tuple[FamilyStudy, object, Candidate]],
        tried: Callable[[Sequence[Candidate]], bool],
        until: float | None,
    ) -> bool:
        """One batch of proposals: a first evaluation of each, then another one of those that may be the best of their
        family; settings that were run in all trials are added to ``tried``. Returns whether there was time for it."""
        usable = {one.key for _, _, one in asked if self.usable(one)}
        there = [(study, one) for study, _, one in asked if one.key in usable]
        if not self.run(
            [(one, trial) for study, one in there for trial in self.trials(study, one)], until=until
        ):
            return False
        for kind, study in self.studies.items():
            mine = [(ticket, one) for other, ticket, one in asked if other is study]
            if not mine:
                continue
            self.surrogates[kind].fit()
            expected = self.expected([one for _, one in mine if one.key in usable])
            for ticket, one in mine:
                study.tell(ticket, [expected[one.key]] if one.key in usable else None, key=one.key)
            for one in self.promising(kind):
                if not self.run([(one, trial) for trial in self.trials(study, one, 2)], until=until):
                    return False
                if self.whole(one):
                    tried([one])
            self.surrogates[kind].fit()
        return True

    def trials(self, study: FamilyStudy, candidate: Candidate, times: int = 1) -> list[PairedTrial]:
        """The trials to run a setting in next, among those it was not run in: the most informative ones by the
        surrogate of its family; before the surrogate is fitted, one after the other."""
        size = times * self.size
        left = [trial for trial in self.first if not self.bench.has(candidate, trial)]
        if len(left) <= size:
            return left
        surrogate = self.surrogates[study.family.kind]
        if surrogate.ready:
            order = surrogate.informative(study.unit_point(candidate))
            return sorted(left, key=lambda trial: order.index(trial.index))[:size]
        turn = list(study.tried).index(candidate.key) * size
        return [left[(turn + number) % len(left)] for number in range(size)]

    def expected(self, candidates: Sequence[Candidate]) -> dict[str, float]:
        """The expected loss of settings, by key: that of the surrogate, else the observed one."""
        losses_by_key: dict[str, float] = {}
        for kind, surrogate in self.surrogates.items():
            study = self.studies[kind]
            mine = [one for one in candidates if one.key in study.coordinates and surrogate.ready]
            losses = surrogate.expected([study.unit_point(one) for one in mine])
            losses_by_key |= zip((one.key for one in mine), losses, strict=True)
        for one in candidates:
            if one.key not in losses_by_key:
                seen = [trial for trial in self.first if self.bench.has(one, trial)]
                losses_by_key[one.key] = self.bench.score(one, seen)
        return losses_by_key

    def likely(self, kind: str, count: int) -> list[Candidate]:
        """The settings of a family with the least expected loss among those the box can be configured with."""
        return [one for one in self._ranked(kind) if self.target.takes(one)][:count]

    def promising(self, kind: str) -> list[Candidate]:
        """Settings of a family that were not yet run in all trials and may be its best."""
        surrogate, study = self.surrogates[kind], self.studies[kind]
        ranked = self._ranked(kind)
        some = [one for one in ranked if not self.whole(one)][: 2 * AGAIN]
        best = next((one for one in ranked if self.whole(one)), None)
        if best is None or not some:
            return some[:1]
        chances = surrogate.better([study.unit_point(one) for one in some], study.unit_point(best))
        return [one for one, chance in zip(some, chances, strict=True) if chance > LIKELY][:AGAIN]

    def may_improve(
        self, best: Candidate, solved: Mapping[str, Sequence[tuple[Candidate, Coordinates]]]
    ) -> bool:
        """Whether the surrogate of some family expects to improve on a design by more than `least_gain`, given the
        designs that were ``solved`` and run so far; an unevaluated family may."""
        promising = False
        for kind, study in self.studies.items():
            for one, at in solved.get(kind, []):
                study.tried.setdefault(one.key, one)
                study.coordinates.setdefault(one.key, at)
            surrogate = self.surrogates[kind]
            if surrogate.fit() and study.tried:
                self.point(kind, 0, self.expected([best])[best.key])
                promising = promising or self.promises(kind)
            else:
                promising = promising or kind not in solved
        return promising

    def usable(self, candidate: Candidate) -> bool:
        """Whether a setting can be run in all trials."""
        return all(self.bench.usable(candidate, trial) for trial in self.first)

    def whole(self, candidate: Candidate) -> bool:
        """Whether a setting was run in all trials."""
        return all(self.bench.has(candidate, trial) for trial in self.first)

    def completed(
        self, candidates: Sequence[Candidate], solved: Mapping[str, Sequence[tuple[Candidate, Coordinates]]]
    ) -> list[Candidate]:
        """The designs among ``candidates`` and among the steps to an edge that were run in all trials, each once."""
        edges = [one for designs in solved.values() for one, _ in designs if self.whole(one)]
        return list({one.key: one for one in [*candidates, *edges]}.values())

    def vector(self, candidate: Candidate, trials: Sequence[PairedTrial] | None = None) -> list[float]:
        """The objectives of a setting in points, over the conditions."""
        some = self.first if trials is None else trials
        objectives = range(len(self.bench.question.goal.objectives))
        return [self.bench.together(self.bench.losses(candidate, some, number)) for number in objectives]

    def excess(self, candidate: Candidate) -> float:
        """Constraint violation of a setting as a share of the bounds, in the mean over the trials."""
        return sum(self.bench.excess(candidate, trial) for trial in self.first) / len(self.first)

    def best_few(self, tried: Sequence[Candidate], kind: str, count: int) -> list[Candidate]:
        """The best of a family, best first; where there are several objectives, the best and its feasible front."""
        some = [one for one in tried if one.kind == kind]
        ranked = sorted(some, key=lambda one: self.bench.score(one, self.first))
        if self.surrogates:
            return ranked[:count]
        names = front({one.key: self.vector(one) for one in ranked if self.excess(one) <= 0})
        return ranked[:1] + [one for one in ranked[1:] if one.key in names]

    def leader(self, known: Sequence[Candidate]) -> Candidate | None:
        """The incumbent by expected loss: of the initial designs and of every family."""
        some = [*known, *(one for kind in self.studies for one in self.likely(kind, 1))]
        expected = self.expected(some)
        return min(some, key=lambda one: expected[one.key], default=None)

    def counts(self, known: Sequence[Candidate]) -> dict[str, int]:
        """Settings of each discipline that were run in any trial, initial designs included."""
        runs_by_kind: dict[str, set[str]] = {}
        for one in [*known, *(one for study in self.studies.values() for one in study.tried.values())]:
            if any(self.bench.has(one, trial) for trial in self.first):
                runs_by_kind.setdefault(one.kind, set()).add(self.bench.same(one, self.first[0]))
        return {kind: len(names) for kind, names in runs_by_kind.items()}

    @property
    def brief(self) -> bool:
        """Whether one evaluation covers too few of the trials to judge a setting by."""
        return SMALL * self.size <= len(self.first)

    def point(self, kind: str, count: int, incumbent: float) -> bool:
        """Queues the points of largest expected improvement as a family's next proposals; False before its surrogate is
        fitted. ``incumbent`` is the loss that is to be improved on."""
        surrogate, study = self.surrogates.get(kind), self.studies[kind]
        if surrogate is None or not surrogate.ready:
            return False
        tried = [study.unit_point(one) for one in study.tried.values()]
        study.enqueue(surrogate.propose(tried, count, incumbent))
        return True

    def promises(self, kind: str) -> bool:
        """Whether a family is expected to improve on the incumbent by more than `least_gain`, as far as is known."""
        surrogate = self.surrogates.get(kind)
        return surrogate is None or not surrogate.ready or surrogate.gain > self.least_gain

    def _ranked(self, kind: str) -> list[Candidate]:
        """The settings of a family by expected loss; none before its surrogate is fitted."""
        if not self.surrogates[kind].ready:
            return []
        tried = [one for one in self.studies[kind].tried.values() if self.usable(one)]
        expected = self.expected(tried)
        return sorted(tried, key=lambda one: expected[one.key])
