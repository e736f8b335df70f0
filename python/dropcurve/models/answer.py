"""The answer of ``dropcurve model``: rows of a table, sentences, and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..advise.equilibrium import Curve
from ..plot.panels import Line, Panel, panels
from ..quantities import units
from .bbr import bbr_throughput
from .laws import LAWS, LEAST_LOSS, MOST_LOSS, Path, law, loss, throughput
from .queue_law import QueueLaw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Ends of the loss axis of a picture.
PLOTTED = (1e-5, 0.3)
#: Points of a drawn law.
POINTS = 120


@dataclass(frozen=True)
class LawAnswer:
    """What one law answers: loss (None: there is none) and throughput in bit/s, window in segments."""

    law: str
    title: str
    source: str
    assumes: str
    loss: float | None
    throughput_bps: float
    window: float


def rows(
    path: Path, *, loss_rate: float | None = None, throughput_bps: float | None = None, names: Sequence[str] = (),
    rate_bps: float | None = None,
) -> list[LawAnswer]:  # fmt: skip
    """What each law says of a path: throughput at a loss, or loss at a throughput; laws by name, or all.

    ``rate_bps`` is the bottleneck's: it bounds throughput, and adds BBR to the answers from a loss.
    """
    found = []
    for one in [law(name) for name in names] if names else LAWS.values():
        if loss_rate is not None:
            rate = throughput(one.name, loss=loss_rate, path=path)
            rate = rate if rate_bps is None else min(rate, rate_bps)
            p: float | None = loss_rate
        else:
            assert throughput_bps is not None, "either a loss or a throughput is given"
            rate, p = throughput_bps, loss(one.name, throughput_bps=throughput_bps, path=path)
        window = rate * path.rtt_s / (8.0 * path.mss_bytes)
        found.append(LawAnswer(one.name, one.title, one.source, one.assumes, p, rate, window))
    if rate_bps is not None and loss_rate is not None and (not names or "bbr" in names):
        rate = bbr_throughput(loss=loss_rate, rate_bps=rate_bps)
        window = rate * path.rtt_s / (8.0 * path.mss_bytes)
        found.append(
            LawAnswer("bbr", "BBR, alone", "CCGYJ16", "random loss, goodput", loss_rate, rate, window)
        )
    return found


def table(found: Sequence[LawAnswer]) -> str:
    """The rows as text for a terminal."""
    head = ("law", "throughput", "window", "loss", "source", "assumes")
    lines = [head] + [
        (
            row.law,
            units.show_rate(float(f"{row.throughput_bps:.3g}")),
            f"{row.window:.1f}",
            "none" if row.loss is None else f"{100 * row.loss:.3g} %",
            row.source,
            row.assumes,
        )
        for row in found
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    right = {1, 2, 3}
    text = [
        "  ".join(cell.rjust(width) if i in right else cell.ljust(width)
                  for i, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    ]  # fmt: skip
    return "\n".join(text)


def over_loss(path: Path, names: Sequence[str], width_in: float) -> Figure:
    """Throughput of the laws over loss, both axes logarithmic."""
    first, last = (math.log(max(LEAST_LOSS, min(MOST_LOSS, end))) for end in PLOTTED)
    losses = [math.exp(first + (last - first) * i / (POINTS - 1)) for i in range(POINTS)]
    lines = [
        Line(LAWS[name].title, losses, [throughput(name, loss=p, path=path) / 1e6 for p in losses], look=look,
             markers=False)
        for look, name in enumerate(names or LAWS)
    ]  # fmt: skip
    ticks = {10.0**power: f"{10.0 ** (power + 2):g} %" for power in range(-5, 0)}
    panel = Panel(
        lines, "rate of loss events", "throughput (Mbit/s)", log_x=True, log_y=True, zero=False, ticks=ticks
    )
    return panels([panel], width_in, height_in=3.2)


def crossing(found: QueueLaw, curve: Curve, width_in: float) -> Figure:
    """TCP's queue law, RED's control function, and the point where they cross."""
    top = min(1.0, max(2.5 * found.crossing.loss, 1.3 * curve.taken(curve.max_th * (1 - 1e-9))))
    shown = [(q, law, control) for q, law, control in zip(found.queue, found.law, found.control, strict=True)]
    low = [(q, law) for q, law, _ in shown if law <= top]
    lines = [
        Line("TCP's queue law", [q for q, _ in low], [100 * law for _, law in low], markers=False),
        Line("RED's control function", [q for q, _, _ in shown], [100 * min(one, top) for _, _, one in shown], look=1,
             markers=False),
        Line("operating point", [found.crossing.queue], [100 * found.crossing.loss], look=2, joined=False),
    ]  # fmt: skip
    panel = Panel(lines, "average queue (pkts)", "share of packets dropped (%)", top=100 * top)
    return panels([panel], width_in, height_in=3.0)


def sentence(found: QueueLaw) -> str:
    """Where the queue settles, and what holds it there."""
    at = found.crossing
    why = {
        "curve": "on the slope of RED's control function",
        "edge": "at the step of RED's control function, about which it swings",
        "buffer": "at the limit: RED drops too little, so the buffer overflows",
    }[at.regime]
    return (
        f"The queue settles at {at.queue:.3g} packets, {why}: {100 * at.loss:.3g} % dropped, windows of "
        f"{at.window:.3g} segments, a round trip of {units.show_span(float(f'{at.rtt_s:.3g}'))}."
    )
