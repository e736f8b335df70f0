"""Finalists moved to the edge of the bound on fresh conditions, before they are validated on others.

The conditions of the search are few; a design on the edge at those may break the bound at another one, or leave some
of it unused. Each finalist is run under fresh conditions and seeds, and its scale moved by what the highest delay
lies off the bound; what is then validated has not seen the runs it is validated with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import log_ratio
from .decision import HOLDS
from .effort import Budget
from .study import FamilyStudy

#: Logarithm of the highest delay over the bound that is aimed at, and below which some of the budget is unused.
AIM, UNUSED = -0.01, -0.06
#: Largest changes of a scale in one step, as logarithms.
DOWN, UP = 0.7, 0.4
#: Distance of the seeds under which finalists are adjusted: neither those of the search nor those of the validation.
REHEARSAL = 500_000
#: Designs that are run for each finalist while it is moved to the edge, on average.
ADJUSTED = 2
#: Steps for each finalist.
STEPS = 3


@dataclass(frozen=True)
class Adjusting:
    """The stage on a bench, with the fresh ``trials`` and the number of runs at which it ends."""

    bench: Bench
    studies: Mapping[str, FamilyStudy]
    trials: Sequence[PairedTrial]
    until: float | None = None
    most: float = math.inf

    def go(self, pool: Sequence[Candidate]) -> list[Candidate]:
        """The finalists, moved where that helps, best first: those that hold, then by the objective."""
        found: list[Candidate] = []
        for one in pool:
            if not self._room or not self.bench.run(
                ((one, trial) for trial in self.trials), until=self.until
            ):
                break
            found.append(self._moved(one))
        distinct = list({one.key: one for one in found}.values())
        return sorted(distinct, key=self.rank)

    def rank(self, one: Candidate) -> tuple[bool, float]:
        """What finalists are ordered by: whether they break a constraint, then the loss."""
        losses = [self.bench.points(one, trial)[0] for trial in self.trials]
        return self._broken(one) > 1.0 - HOLDS, self.bench.together(losses)

    def _moved(self, one: Candidate) -> Candidate:
        """The best of a finalist and what comes of moving its scale."""
        study = self.studies.get(one.kind)
        coordinates = study and (study.coordinates.get(one.key) or study.family.coordinates_of(one.params))
        best, at = one, one
        if study is None or not coordinates:
            return best
        family = study.family
        axis = family.axes[family.scale]
        place = coordinates[family.scale]
        for _ in range(STEPS):
            if not self._room:
                break
            off = max(log_ratio(self.bench, at, trial) for trial in self.trials)
            if UNUSED <= off <= 0 and self._broken(at) == 0:
                break
            place = axis.rounded(place * math.exp(min(max(AIM - off, -DOWN), UP)))
            place = min(max(place, axis.low), axis.high)
            made = study.candidate({**coordinates, family.scale: place})
            if made is None or made.key == at.key or not self.bench.usable(made, self.trials[0]):
                break
            if not self.bench.run(((made, trial) for trial in self.trials), until=self.until):
                break
            study.tried.setdefault(made.key, made)
            study.coordinates.setdefault(made.key, {**coordinates, family.scale: place})
            at = made
            best = min(best, made, key=self.rank)
        return best

    @property
    def _room(self) -> bool:
        """Whether there are runs for one more design."""
        return self.bench.runs + len(self.trials) <= self.most

    def _broken(self, one: Candidate) -> float:
        """Share of the runs that break a constraint."""
        rows = [self.bench.row(one, trial) or {} for trial in self.trials]
        bounds = self.bench.question.goal.constraints
        broken = [
            any(bound.measure.key not in row or bound.excess(row[bound.measure.key]) > 0 for bound in bounds)
            for row in rows
        ]
        return sum(broken) / len(broken)


def on_fresh_conditions(
    bench: Bench, studies: Mapping[str, FamilyStudy], effort: Budget, seed: int, pool: Sequence[Candidate],
    otherwise: Sequence[PairedTrial], until: float | None,
) -> tuple[list[Candidate], list[PairedTrial]]:  # fmt: skip
    """The finalists on the edge of the bound under fresh conditions, best first, and the trials that all of them were
    run in: as many as the runs left allow, or those of the search (``otherwise``) where there are none."""
    question = bench.question
    fresh = effort.fresh if question.varying else 1
    blocks = min(effort.replications, int((effort.runs - bench.runs) / (ADJUSTED * len(pool) * fresh)))
    trials = [
        PairedTrial.of(place, condition, seed + REHEARSAL + number * fresh + place)
        for number in range(blocks)
        for place, condition in enumerate(question.fresh(fresh, seed=seed + REHEARSAL + number))
    ]
    adjusting = Adjusting(bench, studies, trials or otherwise, until, effort.runs)
    found = adjusting.go(pool) or list(pool)
    return found, [trial for trial in adjusting.trials if all(bench.has(one, trial) for one in found)]
