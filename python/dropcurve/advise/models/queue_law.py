"""The model of Firoiu and Borden: the queue settles where the queue law of TCP crosses the control function of RED.

Reference: FB00. Units: queues in packets, rates in packets a second, times in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import UsageError
from .. import tcp
from ..equilibrium import Curve, Equilibrium, needed, on_curve
from ..link_conditions import Point

#: Points of a drawn curve.
POINTS = 200


@dataclass(frozen=True)
class QueueLaw:
    """The two curves over the queue, and where they cross."""

    queue: tuple[float, ...]
    law: tuple[float, ...]
    control: tuple[float, ...]
    crossing: Equilibrium


def queue_law(
    *,
    rate_pps: float,
    rtt_s: float,
    flows: int,
    curve: Curve,
    law: str = "pftk",
    b: int = 2,
    rto_s: float = 1.0,
) -> QueueLaw:
    """The loss at which ``flows`` flows fill the link for each queue, RED's loss there, and the crossing of the two
    curves.

    Args:
        rate_pps: rate of the link in packets a second.
        rtt_s: propagation round trip in seconds.
        flows: number of long TCP flows.
        curve: RED's control function; its limit bounds the curves.
        law: the throughput law, a key of `dropcurve.advise.tcp.LAWS`; FB00 take PFTK98.
        b: segments that share an acknowledgement.
        rto_s: first timeout in seconds.

    Returns:
        Both curves from an empty queue to the limit, and the operating point.

    Raises:
        UsageError: a value that no link has, an unknown law, or a curve without a finite limit.
    """
    for name, value in (("rate", rate_pps), ("rtt", rtt_s), ("flows", flows)):
        if not value > 0:
            raise UsageError(name, f"{value:g}", "must be above 0", "give the value of the link")
    if law not in tcp.LAWS:
        raise UsageError("law", law, "no such law", f"there are {', '.join(tcp.LAWS)}", shown="value")
    if not 0 < curve.min_th < curve.max_th <= curve.limit < float("inf"):
        raise UsageError(
            "min_th, max_th, limit",
            f"{curve.min_th:g}, {curve.max_th:g}, {curve.limit:g}",
            "must be above 0, finite and in rising order",
            "put them in this order, such as 5, 15, 60",
        )
    point = Point(flows, rtt_s, rate_pps)
    queue = tuple(curve.limit * i / POINTS for i in range(POINTS + 1))
    return QueueLaw(
        queue,
        tuple(needed(one, point, law=law, b=b, rto_s=rto_s) for one in queue),
        tuple(curve.taken(one) for one in queue),
        on_curve(curve, point, law=law, b=b, rto_s=rto_s),
    )
