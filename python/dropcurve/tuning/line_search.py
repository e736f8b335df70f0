"""The best scale of a family for goals that no edge solves: a weighted sum, the least delay, fairness under a bound.

A pattern search over the logarithm of the scale (Hooke and Jeeves 1961). Without a given start it begins at the best
point of a coarse grid. Steps to either side continue while they reduce the loss; otherwise the step is halved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .bench import Bench, PairedTrial
from .candidates import Candidate
from .search_space import Coordinates
from .study import FamilyStudy

#: Points of the coarse grid.
GRID = 6
#: First step of the logarithm of the scale, and that below which the search ends.
STEP, CLOSE = 0.47, 0.05
#: First step where only another parameter has moved.
SMALL = 0.24
#: Evaluations at most after the grid.
EVALUATIONS = 16


@dataclass
class LineSearch:
    """The search for one family on a bench, over ``trials``, the grid over ``few`` of them, until ``most`` runs."""

    bench: Bench
    study: FamilyStudy
    trials: Sequence[PairedTrial]
    few: Sequence[PairedTrial]
    until: float | None = None
    most: float = math.inf
    seen: list[tuple[Candidate, Coordinates]] = field(default_factory=list)
    _scores: dict[float, tuple[tuple[float, float], Candidate, Coordinates]] = field(default_factory=dict)

    def solve(self, coordinates: Coordinates, *, wide: bool = True) -> tuple[Candidate, Coordinates] | None:
        """The best scale with the other parameters as in ``coordinates``, from the whole axis if ``wide``, else from
        the scale there; None if the box or the time allows none. Every design evaluated is in ``seen``."""
        axis = self.study.family.axes[self.study.family.scale]
        least, most = math.log(axis.low), math.log(axis.high)
        start = math.log(coordinates[self.study.family.scale])
        if wide:
            grid = [least + (most - least) * (n + 0.5) / GRID for n in range(GRID)]
            tried = [(self._at(coordinates, one, self.few), one) for one in [start, *grid]]
            start = (
                min((loss, at) for loss, at in tried if loss is not None)[1]
                if any(loss is not None for loss, _ in tried)
                else start
            )
        step, best = STEP if wide else SMALL, self._at(coordinates, start, self.trials)
        if best is None:
            return None
        centre, side, evaluations = start, 1.0, 0
        while step >= CLOSE and evaluations < EVALUATIONS:
            for sign in (side, -side):
                there = min(max(centre + sign * step, least), most)
                loss = self._at(coordinates, there, self.trials) if abs(there - centre) > CLOSE / 2 else None
                evaluations += 1
                if loss is not None and loss < best:
                    centre, best, side = there, loss, sign
                    break
            else:
                step /= 2.0
        return self._scores[self._rounded(centre)][1:]

    def _rounded(self, at_log: float) -> float:
        axis = self.study.family.axes[self.study.family.scale]
        return min(max(axis.rounded(math.exp(at_log)), axis.low), axis.high)

    def _at(
        self, coordinates: Coordinates, at_log: float, trials: Sequence[PairedTrial]
    ) -> tuple[float, float] | None:
        """The score over some trials at a logarithm of the scale, and the tie-breaker; None if it cannot be
        computed."""
        scale = self._rounded(at_log)
        at = {**coordinates, self.study.family.scale: scale}
        candidate = self.study.candidate(at)
        if candidate is None or not self.bench.usable(candidate, trials[0]) or self.bench.runs >= self.most:
            return None
        if not self.bench.run(((candidate, trial) for trial in trials), until=self.until):
            return None
        loss = self.bench.tied(self.bench.score(candidate, trials), candidate, trials)
        self._scores[scale] = (loss, candidate, at)
        self.seen.append((candidate, at))
        return loss
