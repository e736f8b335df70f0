"""Points spread evenly over the unit cube: the initial design of a search, and the conditions of a validation.

With NumPy alone: `scipy.stats`, which sweeps draw their samples with, takes longer to load than a first answer may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Shift of seed 0 in each dimension.
SHIFT = (
    0.6369616873214543, 0.2697867137638703, 0.04097352393619469, 0.016527635528529094, 0.8132702392002724,
    0.9127555772777217, 0.6066357757671799, 0.7294965609839984, 0.5436249914654229, 0.9350724237877682,
    0.8158535541215322, 0.002738500170148095, 0.8574042765875693, 0.033585575305464355, 0.7296554464299441,
    0.17565562060255901,
)  # fmt: skip


def even(dimensions: int, count: int, *, seed: int) -> Array:
    """``count`` points of low discrepancy, of shape (count, dimensions): a Kronecker sequence, shifted at random.

    Its steps are the powers of the root of x^(d + 1) = x + 1 (Roberts 2018), the golden ratio in one dimension; the
    shift is that of Cranley and Patterson 1976.
    """
    import numpy as np

    steps = _root(dimensions) ** -np.arange(1.0, dimensions + 1.0)
    shift = np.random.default_rng(seed).random(dimensions)
    return np.asarray((shift + np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0)


def fixed(dimensions: int, count: int) -> list[tuple[float, ...]]:
    """The points of `even` with seed 0 as tuples: of up to 16 dimensions they need no NumPy, which takes longer to load
    than an instant answer may."""
    if dimensions > len(SHIFT):
        return [tuple(map(float, row)) for row in even(dimensions, count, seed=0)]
    root = _root(dimensions)
    steps = [root**-power for power in range(1, dimensions + 1)]
    return [
        tuple((shift + number * step) % 1.0 for shift, step in zip(SHIFT, steps, strict=False))
        for number in range(1, count + 1)
    ]


def _root(dimensions: int) -> float:
    """The root of x^(d + 1) = x + 1."""
    root = 2.0
    for _ in range(64):
        root = float((1.0 + root) ** (1.0 / (dimensions + 1)))
    return root


def stratified(dimensions: int, count: int, *, seed: int) -> Array:
    """A Latin hypercube (McKay 1979) of shape (count, dimensions): in every axis one point in each of ``count`` equal
    parts."""
    import numpy as np

    rng = np.random.default_rng(seed)
    parts = np.array([rng.permutation(count) for _ in range(dimensions)]).reshape(dimensions, count).T
    return np.asarray((parts + rng.random((count, dimensions))) / count)
