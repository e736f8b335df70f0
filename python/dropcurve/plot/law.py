"""The drop law a RED-type discipline was configured with, and the share of packets it leads to.

References: FJ93 (Floyd and Jacobson 1993), Floyd's note on the gentle variant (2000).
Units: `avg` counts packets, or bytes if the thresholds do; probabilities are plain.

A law gives `p_b` for an average. What share of packets it takes depends on how marks are *spaced*: the
rule that turns `p_b` into a decision for each packet. At a steady average the share is one over the mean
distance between marks, which is what `share` works out:

| spacing      | distance between marks             | share, p_b small |
|--------------|------------------------------------|------------------|
| `pseudocode` | uniform on 1 … 1/p_b − 1           | 2 p_b            |
| `text`       | uniform on 1 … 1/p_b               | 2 p_b            |
| `double`     | uniform on 1 … 2/p_b − 1           | p_b              |
| `geometric`  | geometric, no memory               | p_b              |
| `wait`       | uniform on 1/p_b … 2/p_b − 1       | 2/3 p_b          |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import view

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SPACINGS = ("pseudocode", "text", "double", "geometric", "wait")


@dataclass(frozen=True)
class Law:
    """Thresholds and slope of a RED-type law. `unit` is what `avg` counts; `above` is what happens from
    `max_th` on: "drop" (all), "gentle" (up to 1 at 2 max_th) or "max_p" (stays there)."""

    min_th: float
    max_th: float
    max_p: float
    spacing: str
    above: str = "drop"
    unit: str = "pkts"

    @property
    def end(self) -> float:
        """The average from which every packet is dropped or marked."""
        return 2.0 * self.max_th if self.above == "gentle" else self.max_th

    def p_b(self, avg: Floats) -> Floats:
        """The probability configured for an average, before spacing."""
        avg = np.asarray(avg, dtype=np.float64)
        rise = self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        top = {
            "drop": np.ones_like(avg),
            "gentle": np.minimum(1.0, self.max_p + (1.0 - self.max_p) * (avg - self.max_th) / self.max_th),
            "max_p": np.full_like(avg, self.max_p),
        }[self.above]
        return np.where(avg < self.min_th, 0.0, np.where(avg < self.max_th, rise, top))

    def share(self, avg: Floats) -> Floats:
        """The share of packets taken at a steady average, spacing included; all of them beyond `end`."""
        p_b = self.p_b(avg)
        spaced = np.array([share(float(p), self.spacing) for p in p_b.ravel()]).reshape(p_b.shape)
        everything = (np.asarray(avg) >= self.end) & (self.above != "max_p")
        return np.where(everything, 1.0, spaced)


def share(p_b: float, spacing: str) -> float:
    """One over the mean distance between marks at constant `p_b`."""
    if p_b <= 0.0:
        return 0.0
    if p_b >= 1.0 or spacing == "geometric":
        return min(p_b, 1.0)
    return 1.0 / mean_gap(p_b, spacing)


def mean_gap(p_b: float, spacing: str) -> float:
    """Mean number of packets from one mark to the next, the marked one included.

    It is the sum over n of the chance that n packets pass unmarked, which falls linearly with n.
    """
    if spacing == "pseudocode":  # p_a = p_b / (1 - n p_b), n = 1 for the first packet
        return _falling(p_b / (1.0 - p_b)) if p_b < 0.5 else 1.0
    if spacing == "text":  # the same with n = 0 for the first
        return _falling(p_b)
    if spacing == "double":  # p_a = p_b / (2 - n p_b), n = 1 for the first
        return _falling(p_b / (2.0 - p_b))
    if spacing == "wait":  # nothing while n p_b < 1, then p_b / (2 - n p_b)
        free = np.ceil(1.0 / p_b - 1e-9) - 1.0
        return float(free + _falling(p_b / (2.0 - (free + 1.0) * p_b)))
    raise ValueError(f"spacing = {spacing!r}: must be one of {', '.join(SPACINGS)}")


def _falling(step: float) -> float:
    """Sum of 1, 1 - step, 1 - 2 step … while positive."""
    last = np.floor(1.0 / step + 1e-9)
    return float((last + 1.0) - step * last * (last + 1.0) / 2.0)


def of(queue: Mapping[str, Any]) -> Law | None:
    """The law of a resolved discipline; None if it has none of this form."""
    low, high = view.quantity(queue.get("min_th")), view.quantity(queue.get("max_th"))
    max_p = view.quantity(queue.get("max_p"))
    if low is None or high is None or max_p is None or not high[0] > low[0]:
        return None
    return Law(
        min_th=low[0],
        max_th=high[0],
        max_p=max_p[0],
        spacing=_spacing(queue),
        above=_above(queue),
        unit=high[1] or "pkts",
    )


def _spacing(queue: Mapping[str, Any]) -> str:
    named = str(queue.get("spacing", "pseudocode"))
    return named if named in SPACINGS else "geometric"


def _above(queue: Mapping[str, Any]) -> str:
    named = str(queue.get("above_max", "gentle" if queue.get("gentle") is True else "drop"))
    return named if named in ("drop", "gentle", "max_p") else "drop"
