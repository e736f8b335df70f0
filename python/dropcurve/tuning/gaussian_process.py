"""A Gaussian process for one measure over the search space and the conditions (RW06).

The noise of runs exceeds the differences between good settings, so that the best observation is mostly luck; the
process also uses the neighbours. Its kernel is the sum of a Matérn 5/2 kernel with a length scale for each axis (ARD)
that all conditions share, one for each condition, a term for each trial (common random numbers), and heteroscedastic
noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# The matrices are small: further threads of the linear algebra would only wait for each other and for the runs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: Log-normal priors of the hyper-parameters (mean, standard deviation of the logarithm): length scale (in shares of the
#: range); as shares of the common variance that of each condition's own kernel and of the noise; and as a share of the
#: noise that of the term of a trial.
LENGTH_SCALE, OWN, NOISE, SHARED = (
    (math.log(0.5), 0.7),
    (math.log(0.2), 1.0),
    (math.log(0.1), 1.5),
    (0.0, 1.0),
)
#: Variance of the constant mean and of each condition's, relative to that of the values.
LEVEL = 4.0
#: Coordinate search of the hyper-parameters: first step, its factor after every round, rounds of the first fit and of
#: later ones.
FIRST_STEP, FINER, ROUNDS, AGAIN = 0.8, 0.6, 4, 2
#: Standard deviations beyond which an observation is down-weighted as an outlier, and iterations of that.
FAR, DOUBTS = 2.5, 3
#: Pseudo-observations of the pooled noise in the noise of a condition.
SURE = 4.0
#: Growth of the observations after which the hyper-parameters are fitted again.
GROWN = 1.25
#: Rows that a forward substitution solves at once.
BLOCK = 32


@dataclass
class Observations:
    """Observed runs: points of the unit cube (a row each), conditions, trials."""

    points: Array
    conditions: NDArray[np.int64]
    trials: NDArray[np.int64]


@dataclass
class GaussianProcess:
    """The process of one measure: `fit` it, then evaluate it. ``hyper`` has the logarithms of the length
    scales, own, noise and shared, ``mean`` is that of the values."""

    hyper: list[float] = field(default_factory=list)
    mean: float = 0.0
    _fitted: int = 0
    _relative_noise: dict[int, float] = field(default_factory=dict)

    def fit(self, observations: Observations, values: Array) -> None:
        """Fits to values; hyper-parameters of maximum posterior probability, searched from the last ones on."""
        self._observed, self.mean = observations, float(values.mean())
        self._spread = max(float(values.std()), 1e-9)
        self._scaled = (values - self.mean) / self._spread
        self._gaps = (observations.points.T[:, :, None] - observations.points.T[:, None, :]) ** 2
        self._alike = _same(observations.conditions, observations.conditions)
        self._level = LEVEL * (1.0 + self._alike)
        self._together = _same(observations.trials, observations.trials)
        if len(values) > GROWN * self._fitted:
            self._optimise(len(observations.points[0]))
            self._fitted = len(values)
        self._weigh()
        self._weights = _solve(self._lower, self._scaled)
        # The posterior scale of all variances, with a weak prior at 1.
        self._size = (float(self._weights @ self._weights) + 2.0) / (len(values) + 2.0)

    def at(self, points: Array, conditions: int) -> tuple[Array, Array]:
        """Posterior means and variances (without noise) at points (rows) under each condition (columns)."""
        import numpy as np

        across = self._across(points, conditions)
        reached = _solve(self._lower, across)
        own = math.exp(self.hyper[-3])
        left = 1.0 + own + 2.0 * LEVEL - (reached**2).sum(axis=0)
        mean = self.mean + self._spread * (reached.T @ self._weights)
        variance = np.maximum(left, 0.0) * self._size * self._spread**2
        return mean.reshape(len(points), conditions), variance.reshape(len(points), conditions)

    def samples(self, points: Array, conditions: int, draws: Array) -> Array:
        """Posterior samples from rows of standard normal draws, one draw for each point and condition; shape (samples,
        points, conditions)."""
        import numpy as np

        reached = _solve(self._lower, self._across(points, conditions))
        gaps = (points.T[:, :, None] - points.T[:, None, :]) ** 2
        common = _matern(gaps, self.hyper[:-3])
        same = np.eye(conditions)
        own = math.exp(self.hyper[-3])
        whole = np.kron(common, 1.0 + own * same) + np.kron(np.ones_like(common), LEVEL * (1.0 + same))
        left = (whole - reached.T @ reached) * self._size
        left[np.diag_indices(len(left))] += 1e-9 + 1e-6 * float(np.diag(left).mean())
        mean = self.mean + self._spread * (reached.T @ self._weights)
        values = mean + self._spread * (draws @ _root(left).T)
        return np.asarray(values.reshape(len(draws), len(points), conditions))

    def _across(self, points: Array, conditions: int) -> Array:
        """Covariances of the observations (rows) with points under every condition (columns)."""
        import numpy as np

        own = math.exp(self.hyper[-3])
        gaps = (self._observed.points.T[:, :, None] - points.T[:, None, :]) ** 2
        common = _matern(gaps, self.hyper[:-3])
        same = _same(self._observed.conditions, np.arange(conditions))
        both = common[:, :, None] * (1.0 + own * same[:, None, :]) + LEVEL * (1.0 + same[:, None, :])
        return both.reshape(len(both), -1)

    def noise(self, conditions: int) -> Array:
        """Standard deviation of the noise under each condition."""
        import numpy as np

        noise, shared = math.exp(self.hyper[-2]), math.exp(self.hyper[-1])
        relative_noise = np.array([self._relative_noise.get(number, 1.0) for number in range(conditions)])
        return np.asarray(self._spread * np.sqrt(self._size * noise * (relative_noise + shared)))

    @property
    def own_noise(self) -> float:
        """Standard deviation of the noise that runs of a common trial do not share, pooled over the conditions."""
        return self._spread * math.sqrt(self._size * math.exp(self.hyper[-2]))

    def _weigh(self) -> None:
        """Estimates the noise of each condition, and down-weights outliers by their leave-one-out residuals."""
        import numpy as np

        gram, noise = self._gram(self.hyper), math.exp(self.hyper[-2])
        doubt, known = np.ones(len(gram)), sorted(set(self._observed.conditions.tolist()))
        for step in range(DOUBTS + 1):
            self._lower = _root(gram + np.diag(noise * (doubt - 1.0)))
            if step == DOUBTS:
                break
            half = _solve(self._lower, np.eye(len(gram), dtype=np.float64))
            inverse = half.T @ half
            solved = inverse @ self._scaled
            size = (float(self._scaled @ solved) + 2.0) / (len(gram) + 2.0)
            # Leave-one-out residuals (RW06, equation 5.12), in standard deviations under the pooled noise.
            off = (solved / np.diag(inverse)) ** 2 / size
            usual = np.maximum(1.0 / np.diag(inverse) - noise * (doubt - 1.0), 1e-9)
            self._relative_noise = {}
            for condition in known:
                mine = self._observed.conditions == condition
                close = np.minimum(off[mine] / usual[mine], FAR**4)
                self._relative_noise[condition] = float((SURE + close.sum()) / (SURE + mine.sum()))
            relative_noise = np.array(
                [self._relative_noise[condition] for condition in self._observed.conditions.tolist()]
            )
            doubt = np.maximum(
                relative_noise, off / (usual + noise * (relative_noise - 1.0)) / FAR**2 * relative_noise
            )

    def _gram(self, hyper: Sequence[float]) -> Array:
        import numpy as np

        own, noise, shared = (math.exp(one) for one in hyper[-3:])
        gram: Array = _matern(self._gaps, hyper[:-3]) * (1.0 + own * self._alike) + self._level
        gram += noise * (shared * self._together + np.eye(len(gram)))
        gram[np.diag_indices(len(gram))] += 1e-8
        return gram

    def _optimise(self, coordinates: int) -> None:
        """Searches the hyper-parameters from ``hyper``, one logarithm after the other, with ever smaller steps."""
        rounds = AGAIN if self.hyper else ROUNDS
        centre = [LENGTH_SCALE[0]] * coordinates + [OWN[0], NOISE[0], SHARED[0]]
        hyper = list(self.hyper or centre)
        best, step = self._cost(hyper), FIRST_STEP * FINER ** (ROUNDS - rounds)
        for _ in range(rounds):
            for index in range(len(hyper)):
                for change in (step, -step):
                    tried = [*hyper[:index], hyper[index] + change, *hyper[index + 1 :]]
                    cost = self._cost(tried)
                    if cost < best:
                        hyper, best = tried, cost
                        break
            step *= FINER
        self.hyper = hyper

    def _cost(self, hyper: Sequence[float]) -> float:
        """Negative log posterior of hyper-parameters, up to a constant."""
        import numpy as np

        try:
            lower = _root(self._gram(hyper))
        except np.linalg.LinAlgError:
            return math.inf
        weights = _solve(lower, self._scaled)
        count = len(self._scaled)
        fit = 0.5 * (count + 2.0) * math.log(float(weights @ weights) + 2.0)
        priors = [LENGTH_SCALE] * (len(hyper) - 3) + [OWN, NOISE, SHARED]
        prior = sum(((one - mean) / wide) ** 2 / 2.0 for one, (mean, wide) in zip(hyper, priors, strict=True))
        return fit + float(np.log(np.diag(lower)).sum()) + prior


def _matern(gaps: Array, length_scales: Sequence[float]) -> Array:
    """Matérn 5/2 kernel from squared distances along each axis."""
    import numpy as np

    far = np.tensordot(np.exp(-2.0 * np.array(length_scales)), gaps, axes=1)
    root = np.sqrt(5.0 * far)
    return np.asarray((1.0 + root + root**2 / 3.0) * np.exp(-root))


def _same(a: NDArray[np.int64], b: NDArray[np.int64]) -> Array:
    import numpy as np

    return np.asarray(a[:, None] == b[None, :], dtype=np.float64)


def _root(matrix: Array) -> Array:
    import numpy as np

    return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)


def _solve(lower: Array, right: Array) -> Array:
    """Forward substitution, a block of rows at once."""
    import numpy as np

    solution: Array = np.array(right, dtype=np.float64)
    for start in range(0, len(lower), BLOCK):
        rows = slice(start, start + BLOCK)
        solution[rows] = np.linalg.solve(
            lower[rows, rows], solution[rows] - lower[rows, :start] @ solution[:start]
        )
    return solution
