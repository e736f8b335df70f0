"""The configured drop law of a RED-type discipline, and the expected share of drops and marks.

References: FJ93 (Floyd and Jacobson 1993), Floyd's note on the gentle variant (2000).
Units: `avg` counts packets, or bytes if the thresholds do; probabilities are plain.

A law gives `p_b` for an average. The share of packets that it drops or marks depends on the spacing of marks:
`advise.spacing` computes it.

Where packet sizes enter the probability, the share is that of packets of the mean size that arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..advise.spacing import RULES, share
from ..results import Variant
from . import view

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """Thresholds and slope of a RED-type law.

    `unit` is what `avg` and thresholds count, "packets" or "bytes". `above` is the behaviour from `max_th` on: "drop"
    (all), "gentle" (up to 1 at 2 max_th) or "capped" (stays at max_p). `size_ratio` is the mean size of arriving
    packets over the size that `byte_mode` refers to.
    """

    min_th: float
    max_th: float
    max_p: float
    spacing: str
    above: str = "drop"
    unit: str = "packets"
    byte_mode: str = "off"
    size_ratio: float = 1.0

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
            "capped": np.full_like(avg, self.max_p),
        }[self.above]
        return np.where(avg < self.min_th, 0.0, np.where(avg < self.max_th, rise, top))

    def share(self, avg: Floats) -> Floats:
        """The share of packets dropped or marked at a steady average, spacing included; all of them beyond `end`."""
        p_b = self.p_b(avg)
        spaced = np.array([self._spaced(float(p)) for p in p_b.ravel()]).reshape(p_b.shape)
        everything = (np.asarray(avg) >= self.end) & (self.above != "capped")
        return np.where(everything, 1.0, spaced)

    def _spaced(self, p_b: float) -> float:
        ratio = self.size_ratio
        if self.byte_mode == "red_2":  # p_b itself is scaled
            return share(min(1.0, p_b * ratio), self.spacing)
        if self.byte_mode == "red_3":  # p_a is scaled, the count is not: (1 - n p_b)^ratio pass n packets
            return min(1.0, p_b * (1.0 + ratio)) if p_b > 0 else 0.0
        if self.byte_mode in ("red_4", "ns2"):  # packets count by their size
            return min(1.0, ratio * share(p_b, self.spacing))
        if self.byte_mode == "red_5":
            return min(1.0, ratio * ratio * share(p_b, self.spacing))
        return share(p_b, self.spacing)


def of(variant: Variant, link: str) -> Law | None:
    """The law of a link's discipline, with automatic values resolved; None if it has none of this form."""
    queue = view.queue_of(variant, link)
    max_p = view.quantity(queue.get("max_p"))
    spacing = str(queue.get("spacing", ""))
    if queue.get("kind") != "red" or max_p is None or spacing not in RULES:
        return None
    unit = str(queue.get("unit", "packets"))
    ends = _written(queue, unit, view.packet_bytes(variant, link))
    if ends is None:
        return None
    above, byte_mode = str(queue.get("above_max", "drop")), str(queue.get("byte_mode", "off"))
    return Law(
        *ends, max_p=max_p[0], spacing=spacing, unit=unit, byte_mode=byte_mode,
        above=above if above in ("drop", "gentle", "capped") else "drop",
        size_ratio=_size_ratio(variant, link, queue),
    )  # fmt: skip


def _written(queue: Mapping[str, Any], unit: str, packet_bytes: float | None) -> tuple[float, float] | None:
    """Thresholds of the scenario, in `unit`."""
    low, high = (
        view.amount(queue.get(key), unit=unit, packet_bytes=packet_bytes) for key in ("min_th", "max_th")
    )
    return (low, high) if low is not None and high is not None and high > low else None


def _size_ratio(variant: Variant, link: str, queue: Mapping[str, Any]) -> float:
    key = "mean_packet" if queue.get("byte_mode") == "ns2" else "max_packet"
    full = view.quantity(queue.get(key))
    full_bytes = full[0] if full is not None else view.packet_bytes(variant, link)
    arrived = view.links_of(variant, link)
    packets = sum(one["arrived_pkts"] for one in arrived)
    if not packets or not full_bytes:
        return 1.0
    return float(sum(one["arrived_bytes"] for one in arrived) / packets / full_bytes)
