"""Results over conditions as one number: the mean, the worst, or the mean of the worst (conditional value at risk)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Robust = Literal["mean", "worst", "cvar", "stress"]

#: Values of ``--robust``, with the result over the ranges that each optimises.
ROBUST: dict[Robust, str] = {
    "mean": "the mean over the range",
    "worst": "the worst condition",
    "cvar": "the mean of the worst quarter of the conditions",
    "stress": "the worst condition of the range and of a search",
}
#: Share of the conditions whose mean is the conditional value at risk (Rockafellar and Uryasev 2000).
TAIL = 0.25


def over(losses: Sequence[float], robust: Robust) -> float:
    """One loss from those of several conditions; the smaller the better."""
    if robust == "mean":
        return math.fsum(losses) / len(losses)
    if robust == "cvar":
        worst = sorted(losses, reverse=True)[: tail(len(losses))]
        return math.fsum(worst) / len(worst)
    return max(losses)


def over_last(losses: NDArray[np.float64], robust: Robust) -> NDArray[np.float64]:
    """The same over the last axis of an array."""
    import numpy as np

    if robust == "mean":
        return np.asarray(losses.mean(axis=-1))
    if robust == "cvar":
        worst = np.sort(losses, axis=-1)[..., -tail(losses.shape[-1]) :]
        return np.asarray(worst.mean(axis=-1))
    return np.asarray(losses.max(axis=-1))


def tail(count: int) -> int:
    """Conditions of the worst quarter of ``count``, at least one."""
    return max(1, round(TAIL * count))


def where(robust: Robust) -> str:
    """The condition that a result holds for, as a phrase: ``in the worst condition``."""
    return {
        "mean": "in the mean over the range", "worst": "in the worst condition",
        "cvar": "in the worst quarter of the conditions", "stress": "in the worst condition",
    }[robust]  # fmt: skip
