"""Finalists moved to the best scale on fresh conditions, before they are validated on others.

The search has few conditions, so that a design that just holds the bound there may break it at another condition, or
leave part of it unused. Each finalist is run under fresh conditions and seeds. Its scale is moved by the distance of
the highest delay from the bound, or, where no edge follows from the goal, to either side as long as that improves the
loss. The validation has conditions and seeds of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import direction, log_ratio
from .decision import HOLDS, ideal, margin_of, slack
from .effort import WORK, Budget, size
from .search_space import Coordinates
from .study import FamilyStudy

#: Logarithm of (highest delay / bound): the target, and the value below which part of the bound counts as unused.
AIM, UNUSED = -0.01, -0.06
#: Largest changes of a scale in one step, as logarithms.
DOWN, UP = 0.7, 0.4
#: Offset of the seeds under which finalists are adjusted, so that neither the search nor the validation has them.
REHEARSAL = 500_000
#: Mean number of designs that are run for each finalist while it is moved to the edge.
ADJUSTED = 2
#: Steps for each finalist towards an edge.
STEPS = 3
#: Steps of the logarithm of the scale without an edge, and designs that are run for each finalist at most.
CLIMB, CLIMBED = (0.47, 0.22, 0.11), 7
#: The same for the last, fine steps of the finalists close to the best.
FINE, REFINED = (0.1, 0.05), 7
#: Trials of the first evaluation of all finalists.
LOOK = 6
#: Replications of the fresh conditions at most, and of one condition, where each is one run: the highest delay of four
#: runs is passed by one run of five.
BLOCKS, BLOCKS_ALONE = 4, 18
#: Challengers that are run in the trials of the finalists, for planning: where runs are long these are fewer.
CHALLENGED = 120
#: Distance from the largest possible objective, in margins, below which a feasible design keeps its scale.
IDLE = 0.25


@dataclass(frozen=True)
class Adjustment:
    """Adjusts finalists on a bench in fresh ``trials``, until the bench has made ``most`` runs; a design more than
    ``slack`` points behind the best is left out."""

    bench: Bench
    studies: Mapping[str, FamilyStudy]
    trials: Sequence[PairedTrial]
    slack: float
    until: float | None = None
    most: float = math.inf

    def go(self, pool: Sequence[Candidate]) -> list[Candidate]:
        """Moves the finalists and returns them, best first: feasible ones before others, then by the objective."""
        adjusted: list[Candidate] = []
        for one in self._near_best(pool):
            if not self._room or not self.bench.run(
                ((one, trial) for trial in self.trials), until=self.until
            ):
                break
            adjusted.append(self._moved(one))
        best = min(adjusted, key=self.rank, default=None)
        if best is not None:
            least = self._loss(best, self.trials) + self.slack
            adjusted = [
                self._refined(one) if self._loss(one, self.trials) <= least else one
                for one in sorted(adjusted, key=self.rank)
            ]
        distinct = list({one.key: one for one in adjusted}.values())
        return sorted(distinct, key=self.rank)

    def _near_best(self, pool: Sequence[Candidate]) -> list[Candidate]:
        """The finalists that a first evaluation in a few trials does not show to be behind by more than the slack."""
        some = self.trials[: max(LOOK, len(self.trials) // 4)]
        looked = [one for one in pool if self.bench.run(((one, trial) for trial in some), until=self.until)]
        least = min((self._loss(one, some) for one in looked), default=0.0)
        return [one for one in looked if self._loss(one, some) <= least + self.slack]

    def _loss(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        return self.bench.together(self.bench.losses(candidate, trials))

    def rank(self, candidate: Candidate) -> tuple[float, float, float]:
        """Sort key of finalists: the share of runs that break a constraint beyond the allowed share, then the loss, and
        the delay where the goal leaves it open."""
        missed = max(0.0, self.bench.missed(candidate, self.trials) - (1.0 - HOLDS) - 1e-9)
        return missed, *self.bench.tied(self._loss(candidate, self.trials), candidate, self.trials)

    def _moved(self, candidate: Candidate) -> Candidate:
        """The best design among a finalist and the same with its scale moved."""
        study, coordinates = self._placed(candidate)
        if study is None or not coordinates or self._is_ideal(candidate):
            return candidate
        if direction(self.bench.question.goal):
            return self._to_edge(candidate, study, coordinates)
        return self._line_search(candidate, study, coordinates, CLIMB, CLIMBED)

    def _refined(self, candidate: Candidate) -> Candidate:
        """The best among a design and the same after fine steps of its scale."""
        study, coordinates = self._placed(candidate)
        if study is None or not coordinates or self._is_ideal(candidate):
            return candidate
        return self._line_search(candidate, study, coordinates, FINE, REFINED)

    def _is_ideal(self, candidate: Candidate) -> bool:
        """Whether a design holds its bounds in every trial and all but reaches the largest possible objective, so that
        no other scale is better by a difference that matters."""
        goal = self.bench.question.goal
        most = ideal(goal)
        if most is None or self.bench.missed(candidate, self.trials) > 0:
            return False
        return self._loss(candidate, self.trials) - most < IDLE * margin_of(goal)

    def _placed(self, candidate: Candidate) -> tuple[FamilyStudy | None, Coordinates | None]:
        """The study of a design and its coordinates there, if they are known."""
        study = self.studies.get(candidate.kind)
        if study is None:
            return None, None
        return study, study.coordinates.get(candidate.key) or study.family.coordinates_of(candidate.params)

    def _to_edge(self, candidate: Candidate, study: FamilyStudy, coordinates: Coordinates) -> Candidate:
        """The best design among the steps to the edge of the bound."""
        best, at, sign = candidate, candidate, direction(self.bench.question.goal)
        scale = coordinates[study.family.scale]
        for _ in range(STEPS):
            off = max(log_ratio(self.bench, at, trial) for trial in self.trials)
            if UNUSED <= off <= 0 and self.bench.missed(at, self.trials) == 0:
                break
            scale = self._inside(study, scale * math.exp(sign * min(max(AIM - off, -DOWN), UP)))
            moved = self._made(study, {**coordinates, study.family.scale: scale})
            if moved is None or moved.key == at.key:
                break
            at = moved
            best = min(best, moved, key=self.rank)
        return best

    def _line_search(
        self,
        candidate: Candidate,
        study: FamilyStudy,
        coordinates: Coordinates,
        steps: Sequence[float],
        most: int,
    ) -> Candidate:
        """The best scale to either side: steps as long as they improve the loss, ``most`` designs at the most."""
        best, scale, count = candidate, coordinates[study.family.scale], 0
        for step in steps:
            for sign in (1.0, -1.0):
                while count < most:
                    moved = self._inside(study, scale * math.exp(sign * step))
                    candidate_there = self._made(study, {**coordinates, study.family.scale: moved})
                    count += 1
                    if (
                        candidate_there is None
                        or candidate_there.key == best.key
                        or self.rank(candidate_there) >= self.rank(best)
                    ):
                        break
                    best, scale = candidate_there, moved
        return best

    def _inside(self, study: FamilyStudy, scale: float) -> float:
        axis = study.family.axes[study.family.scale]
        return min(max(axis.rounded(scale), axis.low), axis.high)

    def _made(self, study: FamilyStudy, coordinates: Coordinates) -> Candidate | None:
        """The design at some coordinates, run in all trials; None if it cannot be run."""
        candidate = study.candidate(coordinates) if self._room else None
        if candidate is None or not self.bench.usable(candidate, self.trials[0]):
            return None
        if not self.bench.run(((candidate, trial) for trial in self.trials), until=self.until):
            return None
        study.tried.setdefault(candidate.key, candidate)
        study.coordinates.setdefault(candidate.key, coordinates)
        return candidate

    @property
    def _room(self) -> bool:
        """Whether there are runs for one more design."""
        return self.bench.runs + len(self.trials) <= self.most


def on_fresh_conditions(
    bench: Bench, studies: Mapping[str, FamilyStudy], effort: Budget, seed: int, pool: Sequence[Candidate],
    otherwise: Sequence[PairedTrial], until: float | None,
) -> tuple[list[Candidate], list[PairedTrial]]:  # fmt: skip
    """The finalists on the edge of the bound under fresh conditions, best first, and the trials that all of them were
    run in: as many as the remaining runs allow, or those of the search (``otherwise``) where no runs remain."""
    question = bench.question
    fresh = effort.fresh if question.varying else 1
    # Under a time limit the time left decides, not the number of runs.
    left = effort.runs - bench.runs if until is None else (until - bench.source.now()) / (bench.run_s or 1.0)
    most = BLOCKS
    if not question.varying:
        worth = BLOCKS_ALONE if until is not None else int(WORK / (CHALLENGED * size(question)))
        most = min(max(BLOCKS, worth), BLOCKS_ALONE)
    blocks = max(0, min(most, effort.replications, int(left / (ADJUSTED * len(pool) * fresh))))
    trials = [
        PairedTrial.of(index, condition, seed + REHEARSAL + number * fresh + index)
        for number in range(blocks)
        for index, condition in enumerate(question.fresh(fresh, seed=seed + REHEARSAL + number))
    ]
    points = slack(question.goal, margin_of(question.goal))
    adjusting = Adjustment(bench, studies, trials or otherwise, points, until, bench.runs + left)
    adjusted = adjusting.go(pool) or list(pool)
    return adjusted, [trial for trial in adjusting.trials if all(bench.has(one, trial) for one in adjusted)]
