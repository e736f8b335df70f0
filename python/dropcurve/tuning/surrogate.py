"""The surrogate of a family: its expected loss anywhere in the search space, and the acquisition of the next points.

Each measure of the goal has a Gaussian process of its own (`gaussian_process`), over the axes and conditions; delays
and completion times are modelled in their logarithm. The penalty of a constraint is integrated over the noise by
Gauss–Hermite quadrature. The acquisition function is the expected constrained improvement over posterior samples, for a
batch one point after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import spread
from .aggregation import over_last
from .bench import PENALTY, Bench, PairedTrial
from .candidates import Candidate
from .gaussian_process import GaussianProcess, Observations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Largest number of runs that a surrogate is fitted to, those of the best settings, and the smallest.
MOST, LEAST = 240, 6
#: Number of points times conditions that a proposal is chosen from; number of posterior samples of each surrogate.
POINTS, SAMPLES = 640, 64
#: Steps away from the incumbent, as shares of the ranges.
STEPS = (0.03, 0.1, 0.25)
#: Gauss–Hermite nodes and weights, to integrate the noise out of the penalty of a constraint.
HERMITE = ((-2.857, 0.01126), (-1.356, 0.2221), (0.0, 0.5333), (1.356, 0.2221), (2.857, 0.01126))


@dataclass
class Surrogate:
    """The surrogate of one family: `observe` runs, `fit`, then ask for the `expected` loss or `propose` points."""

    bench: Bench
    conditions: int
    seed: int
    _runs: dict[tuple[str, PairedTrial], tuple[Array, dict[str, float]]] = field(default_factory=dict)
    _processes: dict[str, GaussianProcess] = field(default_factory=dict)
    ready: bool = False
    gain: float = math.inf
    _asked: int = 0

    def observe(self, candidate: Candidate, point: Array, trial: PairedTrial) -> None:
        """Adds a run of a candidate at a point of the unit cube."""
        if (candidate.key, trial) in self._runs:
            return
        goal = self.bench.question.goal
        values = {measure.key: self.bench.value(candidate, trial, measure.key) for measure in goal.measures}
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values):
            self._runs[candidate.key, trial] = (point, known)

    def fit(self) -> bool:
        """Fits the Gaussian processes to the observations; False if those are too few."""
        import numpy as np

        runs = self._best()
        self.ready = len(runs) >= LEAST
        if not self.ready:
            return False
        trials = {trial: number for number, trial in enumerate(dict.fromkeys(trial for _, trial in runs))}
        observed = Observations(
            np.array([point for point, _ in runs.values()]),
            np.array([trial.index for _, trial in runs]),
            np.array([trials[trial] for _, trial in runs]),
        )
        self._scales = {
            name: _scale([values[name] for _, values in runs.values()])
            for name in next(iter(runs.values()))[1]
        }
        try:
            for name, scale in self._scales.items():
                values = np.array([scale.there(values[name]) for _, values in runs.values()])
                self._processes.setdefault(name, GaussianProcess()).fit(observed, values)
        except np.linalg.LinAlgError:
            self.ready = False
        return self.ready

    def expected(self, points: Sequence[Array]) -> list[float]:
        """The expected loss at each point, over the conditions."""
        import numpy as np

        if not len(points):
            return []
        posteriors = {
            name: one.at(np.array(points), self.conditions) for name, one in self._processes.items()
        }
        samples = {
            name: np.array([mean + np.sqrt(variance) * at for at, _ in HERMITE])
            for name, (mean, variance) in posteriors.items()
        }
        weights = np.array([weight for _, weight in HERMITE])
        return [float(one) for one in weights @ self._over(self._losses(samples))]

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss (points, without penalties) between runs that is no luck of a common trial."""
        total = 0.0
        for one, point in zip(self.bench.question.goal.objectives, self.bench.scales, strict=True):
            for weight, term in one.terms:
                process, scale = self._processes[term.key], self._scales[term.key]
                wide = process.own_noise * (math.exp(process.mean) if scale.log else 1.0)
                total += (weight * wide / point) ** 2
        return math.sqrt(total)

    def propose(self, tried: Sequence[Array], count: int, incumbent: float = math.inf) -> list[Array]:
        """Points of largest expected improvement over all that was tried and over a loss of ``incumbent``, each given
        the points before it. The expected improvement of the first (points) is stored in ``gain``."""
        import numpy as np

        self._asked += 1
        rng = np.random.default_rng([self.seed, self._asked])
        ranked = [tried[n] for n in np.argsort(self.expected(tried), kind="stable")]
        coordinates = len(tried[0])
        room = max(24, POINTS // self.conditions)
        held = ranked[: max(4, room // 6)]
        over = spread.even(coordinates, room // 3, seed=self.seed + self._asked)
        points = [*held, *over]
        while len(points) < room:
            start = held[min(int(rng.exponential(2.0)), len(held) - 1)]
            step = rng.normal(0.0, STEPS[int(rng.integers(len(STEPS)))], coordinates)
            points.append(
                np.clip(start + step * (rng.random(coordinates) < max(0.5, 1.5 / coordinates)), 0.0, 1.0)
            )
        losses = self._over(self._losses(self._samples(np.array(points), rng)))
        best = np.minimum(losses[:, : len(held)].min(axis=1), incumbent)
        chosen: list[Array] = []
        gains = np.maximum(best[:, None] - losses[:, len(held) :], 0.0)
        self.gain = float(gains.mean(axis=0).max())
        for _ in range(count):
            one = int(np.argmax(gains.mean(axis=0)))
            chosen.append(points[len(held) + one])
            best = np.minimum(best, losses[:, len(held) + one])
            gains = np.maximum(best[:, None] - losses[:, len(held) :], 0.0)
        return chosen

    def informative(self, point: Array) -> list[int]:
        """The conditions in the order of the variance reduction of the loss at a point, the largest first."""
        import numpy as np

        samples = self._samples(np.array([point]), np.random.default_rng([self.seed, 1, self._asked]))
        losses = self._losses(samples)[:, 0, :]
        wide = {name: self._processes[name].noise(self.conditions) for name in samples}
        up = self._losses({name: sample + wide[name] for name, sample in samples.items()})
        down = self._losses({name: sample - wide[name] for name, sample in samples.items()})
        noise = (up - down)[:, 0, :].mean(axis=0) / 2.0
        over = self._over(losses)
        off = losses - losses.mean(axis=0)
        explained = (off * (over - over.mean())[:, None]).mean(axis=0) ** 2
        gain = explained / ((off**2).mean(axis=0) + noise**2 + 1e-12)
        return [int(one) for one in np.argsort(-gain, kind="stable")]

    def better(self, points: Sequence[Array], than: Array) -> list[float]:
        """The probability that each point is better than another one."""
        import numpy as np

        rng = np.random.default_rng([self.seed, 0, self._asked])
        losses = self._over(self._losses(self._samples(np.array([than, *points]), rng)))
        return [float(one) for one in (losses[:, 1:] < losses[:, :1]).mean(axis=0)]

    def _samples(self, points: Array, rng: np.random.Generator) -> dict[str, Array]:
        """Posterior samples of each measure, by point and condition."""
        size = (SAMPLES, len(points) * self.conditions)
        return {
            name: one.samples(points, self.conditions, rng.normal(size=size))
            for name, one in self._processes.items()
        }

    def _over(self, losses: Array) -> Array:
        """Aggregates values over the conditions, as the question demands."""
        return over_last(losses, self.bench.question.robust)

    def _losses(self, samples: dict[str, Array]) -> Array:
        """The expected loss of noisy runs around these values, by sample, point and condition."""
        import numpy as np

        goal = self.bench.question.goal
        wide = {name: self._processes[name].noise(self.conditions) for name in samples}
        expected = {name: self._scales[name].mean(sample, wide[name]) for name, sample in samples.items()}
        total = np.zeros_like(next(iter(samples.values())))
        for one, scale in zip(goal.objectives, self.bench.scales, strict=True):
            for weight, term in one.terms:
                total += one.sign * weight * expected[term.key] / scale
        for bound in goal.constraints:
            name = bound.measure.key
            for at, weight in HERMITE:
                values = self._scales[name].back(samples[name] + at * wide[name])
                total += weight * PENALTY * np.maximum(bound.beyond(values, margin=self.bench.margin), 0.0)
        return total

    def _best(self) -> dict[tuple[str, PairedTrial], tuple[Array, dict[str, float]]]:
        """The observations; of many, those of the best settings."""
        if len(self._runs) <= MOST:
            return self._runs
        ranks: dict[str, list[float]] = {}
        by_trial: dict[PairedTrial, list[tuple[float, str]]] = {}
        for (key, trial), (_, values) in self._runs.items():
            by_trial.setdefault(trial, []).append((self.bench.loss_of(values), key))
        for some in by_trial.values():
            for rank, (_, key) in enumerate(sorted(some)):
                ranks.setdefault(key, []).append((rank + 0.5) / len(some))
        order = sorted(ranks, key=lambda key: sum(ranks[key]) / len(ranks[key]))
        kept: dict[tuple[str, PairedTrial], tuple[Array, dict[str, float]]] = {}
        by_key: dict[str, list[tuple[str, PairedTrial]]] = {}
        for name in self._runs:
            by_key.setdefault(name[0], []).append(name)
        for key in order:
            if len(kept) + len(by_key[key]) > MOST:
                break
            kept |= {name: self._runs[name] for name in by_key[key]}
        return kept


@dataclass(frozen=True)
class _Scale:
    """The scale on which a measure is smooth: logarithmic or linear."""

    log: bool
    low: float
    high: float

    def there(self, value: float) -> float:
        return math.log(value) if self.log else value

    def back(self, values: Array) -> Array:
        import numpy as np

        return np.asarray(np.exp(self._inside(values)) if self.log else self._inside(values))

    def mean(self, values: Array, noise: Array) -> Array:
        """The mean of noisy runs around these values."""
        import numpy as np

        inside = self._inside(values)
        return np.asarray(np.exp(inside + noise**2 / 2.0) if self.log else inside)

    def _inside(self, values: Array) -> Array:
        """Clips to the observed range, widened by its width."""
        import numpy as np

        return np.clip(values, self.low, self.high)


def _scale(values: Sequence[float]) -> _Scale:
    log = min(values) > 0.0
    there = [math.log(value) if log else value for value in values]
    wide = max(there) - min(there)
    return _Scale(log, min(there) - wide, max(there) + wide)
