"""Networks as the atlas stores them: small, and in whole numbers, so that they return the same on every machine.

Inputs, weights and activations are rounded to multiples of a power of two. All sums stay below 2**53 as whole numbers,
which double precision holds exactly, in whichever order they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..._core import IntegerNetwork


@dataclass(frozen=True)
class Network:
    """A network with rectified linear layers.

    Attributes:
        sizes: Sizes of the layers, from the inputs to the outputs.
        content: Scales of inputs and outputs, weights and biases, as `dropcurve._core.IntegerNetwork` reads them.
    """

    sizes: tuple[int, ...]
    content: bytes

    @cached_property
    def _built(self) -> IntegerNetwork:
        return IntegerNetwork(self.sizes, self.content)

    def __call__(self, rows: Sequence[Sequence[float]]) -> list[list[float]]:
        """The outputs for rows of inputs.

        Raises:
            ValueError: For content or rows whose length does not fit the sizes.
        """
        return self._built(rows)
