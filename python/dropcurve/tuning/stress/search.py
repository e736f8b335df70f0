"""Search for the case of the largest harm: space-filling points, then a surrogate and mutations of the worst so far.

Half of the proposals maximise the expected improvement of a Gaussian process (Jones 1998) over a pool of points, half
are mutations and crossings of the worst cases (differential evolution, Storn and Price 1997): narrow valleys such as
the throughput nulls of pulses are too thin for a smooth surrogate, and the mutations find them. At the end each axis is
walked through the worst case, and the two that matter most are covered by a grid, so that no grid over them has a worse
case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .. import spread
from ..gaussian_process import GaussianProcess, Observations
from .bounds import Bounds, Case, closeness

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Cases of a round.
ROUND = 8
#: Share of the budget for the space-filling points.
FIRST = 0.35
#: Points among which the expected improvement is maximised.
POOL = 400
#: Observations of the surrogate, at most: the worst and the latest.
MOST_OBSERVED = 240
#: Worst cases that mutations start from.
PARENTS = 8
#: Standard deviations of mutations, as shares of the range.
STEPS = (0.3, 0.1, 0.03)
#: Number of levels of an axis that is varied alone, and of each axis of the grid.
LEVELS, GRID = 7, 7
#: Seeds by which the worst cases of the search are compared before one is chosen, and how many cases.
CHOOSING, FINALISTS = 4, 6
#: Distance of two finalists on some axis, as a share of the range.
APART = 0.05


class Losses(Protocol):
    """Source of the losses that a search makes as large as possible; `Trials` is one."""

    bounds: Bounds
    stage: str
    worst: float | None

    @property
    def late(self) -> bool:
        """Whether the time of the search is over."""

    def enveloped(self, case: Case) -> Case:
        """The case inside the envelope, as it is run."""

    def losses(self, cases: Sequence[Case], seeds: Sequence[int]) -> list[list[float]]:
        """The loss of each case under each seed."""


@dataclass
class TriedCase:
    """A case with its point in the unit cube and its losses, one for each seed."""

    point: tuple[float, ...]
    case: Case
    losses: list[float]

    @property
    def loss(self) -> float:
        """The mean loss."""
        return math.fsum(self.losses) / len(self.losses)


@dataclass(frozen=True)
class Grid:
    """Harm over two axes with everything else as in one case: ``harm[row][column]`` at ``rows`` and ``columns``."""

    across: str
    down: str
    columns: tuple[float | str, ...]
    rows: tuple[float | str, ...]
    harm: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Walk:
    """Harm along one axis through the worst case."""

    axis: str
    values: tuple[float | str, ...]
    harm: tuple[float, ...]

    @property
    def effect(self) -> float:
        """Largest less smallest harm."""
        return max(self.harm) - min(self.harm)


@dataclass
class StressSearch:
    """One search; ``budget`` is its number of cases."""

    trials: Losses
    budget: int
    seed: int
    tried: dict[tuple[object, ...], TriedCase] = field(default_factory=dict)
    walks: list[Walk] = field(default_factory=list)
    grid: Grid | None = None

    def go(self) -> list[TriedCase]:
        """The finalists, the worst first, by their mean over `CHOOSING` seeds."""
        import numpy as np

        trials, axes = self.trials, self.trials.bounds.axes
        trials.stage = "search"
        self._try([trials.bounds.mild()])
        if axes:
            rng = np.random.default_rng(self.seed)
            initial = self._initial()
            for first in range(0, len(initial), ROUND):
                if not trials.late:
                    self._try(initial[first : first + ROUND])
            while len(self.tried) < self.budget and not trials.late:
                before = len(self.tried)
                self._try(self._proposals(rng))
                if len(self.tried) == before:
                    break
            self._walk_all()
            self._cover()
        return self._finalists()

    @property
    def worst(self) -> TriedCase:
        """The case of the largest loss so far."""
        return max(self.tried.values(), key=lambda one: one.loss)

    def _try(self, cases: Sequence[Case]) -> None:
        """Evaluates cases under the first seed, those that are new."""
        trials = self.trials
        new: dict[tuple[object, ...], Case] = {}
        for case in cases:
            enveloped = trials.enveloped(case)
            name = _name(enveloped)
            if name not in self.tried:
                new[name] = enveloped
        rows = trials.losses(list(new.values()), [self.seed])
        for (name, case), row in zip(new.items(), rows, strict=True):
            self.tried[name] = TriedCase(self._point(case), case, row)
        trials.worst = self.worst.loss

    def _point(self, case: Case) -> tuple[float, ...]:
        bounds = self.trials.bounds
        return tuple(bounds.share(name, case[name]) for name in bounds.axes)

    def _at(self, point: Sequence[float]) -> Case:
        bounds = self.trials.bounds
        return bounds.at(dict(zip(bounds.axes, point, strict=True)))

    def _initial(self) -> list[Case]:
        """Both ends of each axis with everything else mild, then points of low discrepancy."""
        bounds = self.trials.bounds
        mild = bounds.mild()
        ends = [
            {**mild, **{name: bounds.at({name: end})[name]}} for name in bounds.axes for end in (0.0, 1.0)
        ]
        count = max(ROUND, round(FIRST * self.budget) - len(ends))
        inside = [
            self._at(list(map(float, row))) for row in spread.even(len(bounds.axes), count, seed=self.seed)
        ]
        return [*ends, *inside][: max(ROUND, round(0.6 * self.budget))]

    def _proposals(self, rng: np.random.Generator) -> list[Case]:
        points = [*self._improving(rng, ROUND // 2), *(self._mutated(rng) for _ in range(ROUND - ROUND // 2))]
        return [self._at(point) for point in points]

    def _parents(self) -> list[TriedCase]:
        return sorted(self.tried.values(), key=lambda one: -one.loss)[:PARENTS]

    def _mutated(self, rng: np.random.Generator) -> list[float]:
        """A worst case with one to three axes moved, or crossed with another one."""
        parents = self._parents()
        # The worse, the likelier.
        first = parents[min(int(rng.exponential(len(parents) / 3.0)), len(parents) - 1)]
        point = list(first.point)
        if rng.random() < 0.3:
            other = parents[int(rng.integers(len(parents)))]
            point = [a if rng.random() < 0.5 else b for a, b in zip(point, other.point, strict=True)]
        step = STEPS[int(rng.integers(len(STEPS)))]
        for axis in rng.choice(len(point), size=min(len(point), int(rng.integers(1, 4))), replace=False):
            # Reflected at the ends.
            value = abs(point[axis] + step * float(rng.standard_normal())) % 2.0
            point[axis] = min(value, 2.0 - value)
        return point

    def _improving(self, rng: np.random.Generator, count: int) -> list[list[float]]:
        """The points of largest expected improvement in a pool of random and of mutated points, no two alike."""
        import numpy as np

        some = self._observed()
        points = np.array([one.point for one in some])
        losses = np.array([one.loss for one in some])
        zeros = np.zeros(len(some), dtype=np.int64)
        process = self._process
        process.fit(Observations(points, zeros, np.arange(len(some), dtype=np.int64)), losses)
        pool = np.vstack([
            rng.random((POOL // 2, points.shape[1])),
            np.array([self._mutated(rng) for _ in range(POOL // 2)]),
        ])  # fmt: skip
        mean, variance = (one[:, 0] for one in process.at(pool, 1))
        sd = np.sqrt(np.maximum(variance, 1e-18))
        best = float(losses.max())
        z = (mean - best) / sd
        density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        below = np.array([0.5 * math.erfc(-float(one) / math.sqrt(2.0)) for one in z])
        gain = (mean - best) * below + sd * density
        chosen: list[list[float]] = []
        for number in np.argsort(-gain, kind="stable"):
            point = list(map(float, pool[number]))
            if all(max(abs(a - b) for a, b in zip(point, other, strict=True)) > APART for other in chosen):
                chosen.append(point)
            if len(chosen) == count:
                break
        return chosen

    _process: GaussianProcess = field(default_factory=GaussianProcess, repr=False)

    def _observed(self) -> list[TriedCase]:
        """The cases that the surrogate sees."""
        every = list(self.tried.values())
        if len(every) <= MOST_OBSERVED:
            return every
        worst = sorted(every, key=lambda one: -one.loss)[: MOST_OBSERVED // 2]
        chosen = {id(one) for one in worst}
        return [*worst, *[one for one in every if id(one) not in chosen][-MOST_OBSERVED // 2 :]]

    def _walk_all(self) -> None:
        """Walks every axis through the worst case, again from a worse one, at most three times."""
        self.trials.stage = "each parameter"
        for _ in range(3):
            start = self.worst
            self.walks = [walk for walk in map(self._walk, self.trials.bounds.axes) if walk is not None]
            if self.worst is start or self.trials.late:
                return

    def _walk(self, axis: str) -> Walk | None:
        """Evaluates the levels of one axis, everything else as in the worst case."""
        if self.trials.late:
            return None
        base = self.worst.case
        cases = [{**base, axis: value} for value in self._levels(axis, LEVELS, base[axis])]
        self._try(cases)
        tried = [self.tried[_name(self.trials.enveloped(one))] for one in cases]
        return Walk(axis, tuple(one[axis] for one in cases), tuple(one.loss for one in tried))

    def _levels(self, axis: str, count: int, own: float | str) -> list[float | str]:
        """Values of an axis in equal steps, with that of the case."""
        bounds = self.trials.bounds
        if axis in bounds.choices:
            return list(bounds.choices[axis])
        levels = {bounds.at({axis: level / (count - 1)})[axis] for level in range(count)} | {own}
        return sorted(levels, key=float)

    def _cover(self) -> None:
        """Covers the two axes of the largest effect by a grid through the worst case; again from a worse one, once."""
        axes = [walk.axis for walk in sorted(self.walks, key=lambda one: -one.effect) if walk.effect > 0]
        axes = [one for one in axes if one not in self.trials.bounds.choices][:2]
        if len(axes) < 2:
            return
        self.trials.stage = "the two worst parameters"
        for _ in range(2):
            start = self.worst
            self.grid = self._grid(axes[0], axes[1])
            if self.worst is start or self.trials.late:
                return

    def _grid(self, across: str, down: str) -> Grid:
        base = self.worst.case
        columns, rows = (self._levels(axis, GRID, base[axis]) for axis in (across, down))
        cases = [[{**base, across: x, down: y} for x in columns] for y in rows]
        self._try([one for row in cases for one in row])
        harm = tuple(
            tuple(self.tried[_name(self.trials.enveloped(one))].loss for one in row) for row in cases
        )
        return Grid(across, down, tuple(columns), tuple(rows), harm)

    def _finalists(self) -> list[TriedCase]:
        """The worst cases that differ, by their mean over more seeds: the worst under one may only be unlucky."""
        self.trials.stage = "finalists"
        bounds = self.trials.bounds
        chosen: list[TriedCase] = []
        for one in sorted(self.tried.values(), key=lambda one: -one.loss):
            if all(closeness(bounds, one.case, other.case) > APART for other in chosen) or not bounds.axes:
                chosen.append(one)
            if len(chosen) == FINALISTS:
                break
        seeds = [self.seed + number for number in range(CHOOSING)]
        for one, losses in zip(chosen, self.trials.losses([one.case for one in chosen], seeds), strict=True):
            one.losses = losses
        return sorted(chosen, key=lambda one: -one.loss)


def _name(case: Case) -> tuple[object, ...]:
    return tuple(sorted(case.items()))
