"""Points spread evenly over the unit cube: the initial design of a search, and the conditions of a validation.

With NumPy alone: `scipy.stats`, which sweeps draw their samples with, takes longer to load than a first answer may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def even(dimensions: int, count: int, *, seed: int) -> Array:
    """``count`` points of low discrepancy, of shape (count, dimensions): a Kronecker sequence, shifted at random.

    Its steps are the powers of the root of x^(d + 1) = x + 1 (Roberts 2018), the golden ratio in one dimension; the
    shift is that of Cranley and Patterson 1976.
    """
    import numpy as np

    root = 2.0
    for _ in range(64):
        root = float((1.0 + root) ** (1.0 / (dimensions + 1)))
    steps = root ** -np.arange(1.0, dimensions + 1.0)
    shift = np.random.default_rng(seed).random(dimensions)
    return np.asarray((shift + np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0)


def stratified(dimensions: int, count: int, *, seed: int) -> Array:
    """A Latin hypercube (McKay 1979) of shape (count, dimensions): in every axis one point in each of ``count`` equal
    parts."""
    import numpy as np

    rng = np.random.default_rng(seed)
    parts = np.array([rng.permutation(count) for _ in range(dimensions)]).reshape(dimensions, count).T
    return np.asarray((parts + rng.random((count, dimensions))) / count)
