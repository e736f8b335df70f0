"""A smooth picture of a measure: what it comes to anywhere in the ranges, at each condition, and how sure that is.

Runs scatter by more than good settings differ, so that the best of many runs is the luckiest. A Gaussian process (RW06)
takes what neighbours came to into account: a surface over the knobs that all conditions share, one of each condition
beside it, what a trial adds for all that share it, and scatter. Every run tells it something, wherever it was made.
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

# The matrices are small: threads of linear algebra would only wait for one another, and for the runs beside them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: Priors of the logarithms of what shapes a surface (centre, deviation): the distance over which a knob changes things
#: (in shares of its range), and as shares of the common surface's variance that of a condition's own, that of the
#: scatter; and of the scatter's, that of what a trial adds.
DISTANCE, OWN, SCATTER, SHARED = (math.log(0.5), 0.7), (math.log(0.2), 1.0), (math.log(0.1), 1.5), (0.0, 1.0)
#: Variance of the level of all, and of each condition's, beside that of all values.
LEVEL = 4.0
#: Steps in these logarithms: the first, what it shrinks by after every round, and rounds: at first, and later on.
FIRST_STEP, FINER, ROUNDS, AGAIN = 0.8, 0.6, 4, 2
#: Deviations beyond which a run is doubted, and how often that is looked at.
FAR, DOUBTS = 2.5, 3
#: Runs that the scatter of all counts for beside those of a condition.
SURE = 4.0
#: Growth of what was seen from which on the shape is looked for anew.
GROWN = 1.25


@dataclass
class Seen:
    """Runs: where in the unit cube (a row each), at which condition, in which trial."""

    places: Array
    conditions: NDArray[np.int64]
    trials: NDArray[np.int64]


@dataclass
class Surface:
    """A Gaussian process through the values of one measure; `fit`, then ask. ``shape`` has the logarithms of distances,
    own, scatter and shared."""

    shape: list[float] = field(default_factory=list)
    _fitted: int = 0
    _wild: dict[int, float] = field(default_factory=dict)

    def fit(self, seen: Seen, values: Array) -> None:
        """Through these values; the shape is that of greatest posterior probability, from the last one on."""
        self._seen, self._mean = seen, float(values.mean())
        self._spread = max(float(values.std()), 1e-9)
        self._scaled = (values - self._mean) / self._spread
        self._gaps = (seen.places.T[:, :, None] - seen.places.T[:, None, :]) ** 2
        self._alike = _same(seen.conditions, seen.conditions)
        self._level = LEVEL * (1.0 + self._alike)
        self._together = _same(seen.trials, seen.trials)
        if len(values) > GROWN * self._fitted:
            self._shape(len(seen.places[0]))
            self._fitted = len(values)
        self._weigh()
        self._weights = _solve(self._lower, self._scaled)
        # The posterior scale of all variances, with a weak prior at 1.
        self._size = (float(self._weights @ self._weights) + 2.0) / (len(values) + 2.0)

    def at(self, places: Array, conditions: int) -> tuple[Array, Array]:
        """Means and variances of the surface (without scatter) at these places (rows), under each of so many conditions
        (columns)."""
        import numpy as np

        across = self._across(places, conditions)
        reached = _solve(self._lower, across)
        own = math.exp(self.shape[-3])
        left = 1.0 + own + 2.0 * LEVEL - (reached**2).sum(axis=0)
        mean = self._mean + self._spread * (reached.T @ self._weights)
        variance = np.maximum(left, 0.0) * self._size * self._spread**2
        return mean.reshape(len(places), conditions), variance.reshape(len(places), conditions)

    def ways(self, places: Array, conditions: int, dice: Array) -> Array:
        """Ways that the surface might run: from rows of normal numbers, one for each place and condition, as many rows
        of values, by place and condition."""
        import numpy as np

        reached = _solve(self._lower, self._across(places, conditions))
        gaps = (places.T[:, :, None] - places.T[:, None, :]) ** 2
        common = _matern(gaps, self.shape[:-3])
        same = np.eye(conditions)
        own = math.exp(self.shape[-3])
        whole = np.kron(common, 1.0 + own * same) + np.kron(np.ones_like(common), LEVEL * (1.0 + same))
        left = (whole - reached.T @ reached) * self._size
        left[np.diag_indices(len(left))] += 1e-9 + 1e-6 * float(np.diag(left).mean())
        mean = self._mean + self._spread * (reached.T @ self._weights)
        values = mean + self._spread * (dice @ _root(left).T)
        return np.asarray(values.reshape(len(dice), len(places), conditions))

    def _across(self, places: Array, conditions: int) -> Array:
        """Covariances of what was seen (rows) with these places under every condition (columns)."""
        import numpy as np

        own = math.exp(self.shape[-3])
        gaps = (self._seen.places.T[:, :, None] - places.T[:, None, :]) ** 2
        common = _matern(gaps, self.shape[:-3])
        same = _same(self._seen.conditions, np.arange(conditions))
        both = common[:, :, None] * (1.0 + own * same[:, None, :]) + LEVEL * (1.0 + same[:, None, :])
        return both.reshape(len(both), -1)

    def scatter(self, conditions: int) -> Array:
        """Deviation of a single run from the surface, under each of so many conditions."""
        import numpy as np

        noise, shared = math.exp(self.shape[-2]), math.exp(self.shape[-1])
        wild = np.array([self._wild.get(number, 1.0) for number in range(conditions)])
        return np.asarray(self._spread * np.sqrt(self._size * noise * (wild + shared)))

    def _weigh(self) -> None:
        """Lets runs under conditions where they scatter more count for less, and so those that lie far from what all
        others make of their place."""
        import numpy as np

        gram, noise = self._gram(self.shape), math.exp(self.shape[-2])
        doubt, known = np.ones(len(gram)), sorted(set(self._seen.conditions.tolist()))
        for step in range(DOUBTS + 1):
            self._lower = _root(gram + np.diag(noise * (doubt - 1.0)))
            if step == DOUBTS:
                break
            half = _solve(self._lower, np.eye(len(gram), dtype=np.float64))
            inverse = half.T @ half
            solved = inverse @ self._scaled
            size = (float(self._scaled @ solved) + 2.0) / (len(gram) + 2.0)
            # What each leaves where it is left out (RW06, 5.12), in the deviation it had with the scatter of all.
            off = (solved / np.diag(inverse)) ** 2 / size
            usual = np.maximum(1.0 / np.diag(inverse) - noise * (doubt - 1.0), 1e-9)
            self._wild = {}
            for one in known:
                mine = self._seen.conditions == one
                close = np.minimum(off[mine] / usual[mine], FAR**4)
                self._wild[one] = float((SURE + close.sum()) / (SURE + mine.sum()))
            wild = np.array([self._wild[one] for one in self._seen.conditions.tolist()])
            doubt = np.maximum(wild, off / (usual + noise * (wild - 1.0)) / FAR**2 * wild)

    def _gram(self, shape: Sequence[float]) -> Array:
        import numpy as np

        own, noise, shared = (math.exp(one) for one in shape[-3:])
        gram: Array = _matern(self._gaps, shape[:-3]) * (1.0 + own * self._alike) + self._level
        gram += noise * (shared * self._together + np.eye(len(gram)))
        gram[np.diag_indices(len(gram))] += 1e-8
        return gram

    def _shape(self, knobs: int) -> None:
        """Looks for the shape one logarithm after the other, with ever smaller steps."""
        rounds = AGAIN if self.shape else ROUNDS
        centre = [DISTANCE[0]] * knobs + [OWN[0], SCATTER[0], SHARED[0]]
        shape = list(self.shape or centre)
        best, step = self._cost(shape), FIRST_STEP * FINER ** (ROUNDS - rounds)
        for _ in range(rounds):
            for place in range(len(shape)):
                for way in (step, -step):
                    tried = [*shape[:place], shape[place] + way, *shape[place + 1 :]]
                    cost = self._cost(tried)
                    if cost < best:
                        shape, best = tried, cost
                        break
            step *= FINER
        self.shape = shape

    def _cost(self, shape: Sequence[float]) -> float:
        """Minus the logarithm of the posterior probability of a shape, but for a constant."""
        import numpy as np

        try:
            lower = _root(self._gram(shape))
        except np.linalg.LinAlgError:
            return math.inf
        weights = _solve(lower, self._scaled)
        count = len(self._scaled)
        fit = 0.5 * (count + 2.0) * math.log(float(weights @ weights) + 2.0)
        priors = [DISTANCE] * (len(shape) - 3) + [OWN, SCATTER, SHARED]
        prior = sum(((one - mean) / wide) ** 2 / 2.0 for one, (mean, wide) in zip(shape, priors, strict=True))
        return fit + float(np.log(np.diag(lower)).sum()) + prior


def _matern(gaps: Array, distances: Sequence[float]) -> Array:
    """Matérn's covariance of smoothness 5/2, from squared gaps along each knob."""
    import numpy as np

    far = np.tensordot(np.exp(-2.0 * np.array(distances)), gaps, axes=1)
    root = np.sqrt(5.0 * far)
    return np.asarray((1.0 + root + root**2 / 3.0) * np.exp(-root))


def _same(a: NDArray[np.int64], b: NDArray[np.int64]) -> Array:
    import numpy as np

    return np.asarray(a[:, None] == b[None, :], dtype=np.float64)


def _root(matrix: Array) -> Array:
    import numpy as np

    return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)


def _solve(lower: Array, right: Array) -> Array:
    import numpy as np
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(lower, right, lower=True, check_finite=False))
