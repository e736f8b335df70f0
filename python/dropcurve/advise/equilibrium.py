"""Equilibrium of a queue: the loss that TCP needs equals the loss that the discipline causes.

References: FB00 (the queue law of TCP against the control function of RED), MGT00 and HMTG01a (the same point as
equilibrium W0, p0, q0 of the fluid model). Units: queues and windows in packets, times in seconds.

TCP's queue law: with q packets in the queue a flow's window is W = (R C + q)/N, and by the law of TCP a loss p keeps
it there; p falls as q rises. The discipline's control function is the share of packets that it drops or marks at an
average of q; it rises with q. Where they cross the two agree. RED's share of dropped or marked packets differs from
`p_b`, depending on the spacing of marks; so the curves are those of the actual share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import tcp
from .link_conditions import Point
from .spacing import share


@dataclass(frozen=True)
class Curve:
    """RED's control function: thresholds in packets, `spacing` and `above` as in the discipline's options.

    `limit` bounds the queue; every packet is dropped or marked from `max_th` on (from twice that with `above`
    "gentle").
    """

    min_th: float
    max_th: float
    max_p: float
    spacing: str = "pseudocode"
    above: str = "drop"
    limit: float = math.inf

    def p_b(self, avg: float) -> float:
        """The probability configured for an average."""
        if avg < self.min_th:
            return 0.0
        if avg < self.max_th:
            return self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        if self.above == "gentle":
            return min(1.0, self.max_p + (1.0 - self.max_p) * (avg - self.max_th) / self.max_th)
        return self.max_p if self.above == "capped" else 1.0

    def taken(self, avg: float) -> float:
        """The share of packets that is dropped or marked at a steady average, by the spacing of marks."""
        return share(self.p_b(avg), self.spacing)

    def slope(self, avg: float) -> float:
        """Slope of `taken` over the average, per packet; 0 outside the sloping parts."""
        step = 1e-4 * max(avg, 1.0)
        return max(0.0, (self.taken(avg + step) - self.taken(max(0.0, avg - step))) / (2.0 * step))


@dataclass(frozen=True)
class Equilibrium:
    """W0, p0 and q0, the round trip there, and the mechanism that determines the queue.

    `regime` is "curve" (on a sloping part), "edge" (at a jump of the curve: the queue oscillates about it), "buffer"
    (drops by overflow only, so the queue is near the limit) or "held" (a controller holds its reference).
    """

    window: float
    loss: float
    queue: float
    rtt_s: float
    regime: str


def needed(queue: float, point: Point, *, law: str = tcp.CLOSEST, b: int = 2, rto_s: float = 1.0) -> float:
    """TCP's queue law: the loss that keeps a full link's queue at `queue` packets."""
    rtt_s = point.round_trip(queue)
    sender = tcp.Sender(rtt_s, max(rto_s, rtt_s), b)
    return tcp.loss_for(point.window(queue), sender, law=law)


def on_curve(
    curve: Curve, point: Point, *, law: str = tcp.CLOSEST, b: int = 2, rto_s: float = 1.0
) -> Equilibrium:
    """Intersection of TCP's queue law with a curve; the flows follow the lower of the two on either side of it."""
    most = min(curve.limit, 2.0 * curve.max_th if curve.above == "gentle" else curve.max_th)

    def gap(queue: float) -> float:
        return curve.taken(queue) - needed(queue, point, law=law, b=b, rto_s=rto_s)

    just_below = most * (1.0 - 1e-9)
    if gap(just_below) < 0.0:
        regime = "buffer" if most == curve.limit or curve.above == "capped" else "edge"
        return held(
            curve.limit if regime == "buffer" else most, point, regime=regime, law=law, b=b, rto_s=rto_s
        )
    low, high = curve.min_th, just_below
    for _ in range(50):
        middle = (low + high) / 2.0
        if gap(middle) < 0.0:
            low = middle
        else:
            high = middle
    return held((low + high) / 2.0, point, regime="curve", law=law, b=b, rto_s=rto_s)


def held(
    queue: float,
    point: Point,
    *,
    regime: str = "held",
    law: str = tcp.CLOSEST,
    b: int = 2,
    rto_s: float = 1.0,
) -> Equilibrium:
    """The equilibrium of a queue that a controller keeps at `queue` packets."""
    loss = needed(queue, point, law=law, b=b, rto_s=rto_s)
    return Equilibrium(point.window(queue), loss, queue, point.round_trip(queue), regime)
