"""Small networks evaluated in whole numbers, so that they return the same on every machine.

Inputs, weights and activations are rounded to multiples of a power of two. All sums stay below 2**53 as whole numbers,
which double precision holds exactly, in whichever order a library adds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Binary digits after the point: of activations and of weights.
ACTIVATION, WEIGHT = 12, 10
#: Standard deviations at which an input is cut.
CUT = 6.0


@dataclass(frozen=True)
class Network:
    """A network with rectified linear layers.

    Attributes:
        centre, width: Mean and standard deviation of each input.
        weights: Of each layer, as multiples of 2**-WEIGHT.
        biases: Of each layer, as multiples of 2**-(ACTIVATION + WEIGHT).
        offset, factor: Mean and standard deviation of each output.
    """

    centre: Floats
    width: Floats
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    offset: Floats
    factor: Floats

    def __call__(self, rows: Floats) -> Floats:
        """The outputs for rows of inputs."""
        inputs = np.clip((rows - self.centre) / self.width, -CUT, CUT)
        state = np.rint(inputs * 2.0**ACTIVATION)
        last = len(self.weights) - 1
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            state = state @ weights + biases
            if number < last:
                state = np.floor(np.maximum(state, 0.0) * 2.0**-WEIGHT)
        found: Floats = state * 2.0 ** -(ACTIVATION + WEIGHT) * self.factor + self.offset
        return found

    def arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """The network as arrays to store under ``name``."""
        found: dict[str, NDArray[np.generic]] = {
            f"{name}.{key}": getattr(self, key) for key in ("centre", "width", "offset", "factor")
        }
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            found[f"{name}.weights{number}"] = weights.astype(np.int16)
            found[f"{name}.biases{number}"] = biases.astype(np.int32)
        return found

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], name: str) -> Network:
        """The network stored under ``name``. Raises KeyError where an array is missing."""
        own = {
            key: arrays[f"{name}.{key}"].astype(np.float64) for key in ("centre", "width", "offset", "factor")
        }
        layers = sum(key.startswith(f"{name}.weights") for key in arrays)
        weights = tuple(arrays[f"{name}.weights{number}"].astype(np.float64) for number in range(layers))
        biases = tuple(arrays[f"{name}.biases{number}"].astype(np.float64) for number in range(layers))
        return cls(own["centre"], own["width"], weights, biases, own["offset"], own["factor"])

    @classmethod
    def rounded(
        cls,
        centre: Floats,
        width: Floats,
        weights: Sequence[Floats],
        biases: Sequence[Floats],
        offset: Floats,
        factor: Floats,
    ) -> Network:
        """The network with weights and biases of a trained one, rounded."""
        return cls(
            centre, width, tuple(np.rint(one * 2.0**WEIGHT) for one in weights),
            tuple(np.rint(one * 2.0 ** (WEIGHT + ACTIVATION)) for one in biases), offset, factor,
        )  # fmt: skip
