"""Figures of the published models of TCP: throughput over loss; the queue law and the control function of RED."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..advise.equilibrium import Curve
from ..advise.models import LAWS, Path, QueueLaw, bbr_throughput, throughput
from ..advise.models.laws import LEAST_LOSS, MOST_LOSS
from .panels import Line, Panel, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Ends of the loss axis of a figure.
PLOTTED = (1e-5, 0.3)
#: Points of a drawn law.
POINTS = 120


def over_loss(
    path: Path, names: Sequence[str], width_in: float, *, rate_bps: float | None = None,
    throughput_bps: float | None = None,
) -> Figure:  # fmt: skip
    """Returns a figure of the throughput of laws over loss, both axes logarithmic; all laws without ``names``.

    ``rate_bps`` is the bottleneck's: it bounds the laws and adds BBR. ``throughput_bps`` is marked, as the throughput
    whose loss was asked for.
    """
    bound = math.inf if rate_bps is None else rate_bps
    first, last = (math.log(max(LEAST_LOSS, min(MOST_LOSS, end))) for end in PLOTTED)
    losses = [math.exp(first + (last - first) * i / (POINTS - 1)) for i in range(POINTS)]
    lines = [
        Line(LAWS[name].title, losses, [min(bound, throughput(name, loss=p, path=path)) / 1e6 for p in losses],
             look=look, markers=False)
        for look, name in enumerate([name for name in names if name != "bbr"] if names else LAWS)
    ]  # fmt: skip
    if rate_bps is not None and (not names or "bbr" in names):
        kept = [p for p in losses if bbr_throughput(loss=p, rate_bps=rate_bps) > 0]
        rates = [bbr_throughput(loss=p, rate_bps=rate_bps) / 1e6 for p in kept]
        lines.append(Line("BBR, alone", kept, rates, look=len(lines), markers=False))
    levels = [] if throughput_bps is None else [(throughput_bps / 1e6, "given")]
    ticks = {10.0**power: f"{10.0 ** (power + 2):g} %" for power in range(-5, 0)}
    panel = Panel(
        lines,
        "rate of loss events",
        "throughput (Mbit/s)",
        log_x=True,
        log_y=True,
        zero=False,
        ticks=ticks,
        levels=levels,
    )
    return panels([panel], width_in, height_in=3.2)


def crossing(queue: QueueLaw, curve: Curve, width_in: float) -> Figure:
    """Returns a figure of TCP's queue law, RED's control function, and the point where they cross."""
    top = min(1.0, max(2.5 * queue.crossing.loss, 1.3 * curve.taken(curve.max_th * (1 - 1e-9))))
    low = [(q, law) for q, law in zip(queue.queue, queue.law, strict=True) if law <= top]
    step = (curve.min_th, curve.max_th * (1 - 1e-9), curve.max_th)
    control = [(q, curve.taken(q)) for q in sorted({*queue.queue, *step})]
    # The line ends where it leaves the axes.
    inside = next((i for i, (_, one) in enumerate(control) if one > top), len(control))
    control = [*control[:inside], *((q, top) for q, _ in control[inside : inside + 1])]
    lines = [
        Line("TCP's queue law", [q for q, _ in low], [100 * law for _, law in low], markers=False),
        Line("RED's control function", [q for q, _ in control], [100 * one for _, one in control], look=1,
             markers=False),
        Line("operating point", [queue.crossing.queue], [100 * queue.crossing.loss], look=2, joined=False),
    ]  # fmt: skip
    panel = Panel(lines, "average queue (pkts)", "share of packets dropped (%)", top=100 * top)
    return panels([panel], width_in, height_in=3.0)
