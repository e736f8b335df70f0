"""Distribution of the sojourn time: the share of packets with a longer one, over all replications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..results import Result
from . import Layout, style, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=2.6, columns=1, legend="line")
SEE = (
    "The further to the left, the shorter the delay. At the height of p95, one packet in twenty has a "
    "longer one; the lower part is the tail."
)

#: Shares of packets with a longer delay, and the name of that percentile.
MARKS = ((0.5, "p50"), (0.05, "p95"), (0.01, "p99"))


@dataclass(frozen=True)
class DelayCurve:
    """One variant: the share `longer[i]` of its packets waits longer than `sojourn_ms[i]`.

    `marks_ms` are p50, p95 and p99.
    """

    variant: str
    index: int
    sojourn_ms: Floats
    longer: Floats
    marks_ms: tuple[float, ...]


@dataclass(frozen=True)
class DelayPanel:
    """All variants in one panel, and the ends of its axes. `link` is named where there are several."""

    curves: tuple[DelayCurve, ...]
    left_ms: float
    right_ms: float
    bottom: float
    link: str = ""


def data(result: Result) -> tuple[DelayPanel, ...]:
    """One panel, or none if no packet was queued."""
    curves = []
    for i, variant in enumerate(result.variants):
        link = view.main_link(variant)
        edges, counts = view.histogram(view.links_of(variant, link)) if link else ([], [])
        if edges:
            curves.append(_curve(i, variant.name, np.array(edges), np.array(counts, dtype=np.float64)))
    if not curves:
        return ()
    marks = [mark for curve in curves for mark in curve.marks_ms]
    highest = max(float(curve.sojourn_ms[-1]) for curve in curves)
    left = min(_at(curve, 0.9) for curve in curves)
    left = max(left, min(marks) / 30.0, max(marks) / 300.0, 1e-3)
    right = max(highest, 3.0 * left) * 1.15
    several = view.main_links(result.variants[0])[:2]
    link = several[0] if len(several) > 1 else ""
    return (DelayPanel(curves=tuple(curves), left_ms=left * 0.85, right_ms=right, bottom=1e-3, link=link),)


def draw(data: DelayPanel, ax: Axes) -> None:
    """Both axes are logarithmic, to show the tail."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    for share, name in MARKS:
        ax.axhline(share, color=style.RULE, linewidth=0.7, zorder=1.2)
        ax.annotate(
            name,
            (1.0, share),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            fontsize=6.5,
            textcoords="offset points",
            va="center",
            color=style.MUTED,
            annotation_clip=False,
        )
    for curve in data.curves:
        look = style.look(curve.index)
        shown = curve.longer > 0
        x = np.concatenate([[1e-6], curve.sojourn_ms[shown], [curve.sojourn_ms[-1]]])
        y = np.concatenate([[1.0], curve.longer[shown], [1e-9]])
        ax.plot(x, y, color=look.colour, linestyle=look.dash, linewidth=1.5, drawstyle="steps-post")
        ax.plot(
            curve.marks_ms,
            [share for share, _ in MARKS],
            linestyle="none",
            marker=look.marker,
            markersize=4.5,
            markerfacecolor=style.PAPER,
            markeredgecolor=look.colour,
            markeredgewidth=1.1,
            zorder=3,
        )
    ax.set_xlim(data.left_ms, data.right_ms)
    ax.set_ylim(data.bottom, 1.0)
    _plain_ticks(ax, data.left_ms, data.right_ms)
    where = f"at {data.link}" if data.link else "in the queue"
    ax.set_xlabel(f"sojourn time {where} (ms)")
    ax.set_ylabel("packets with a longer one (%)")


def _plain_ticks(ax: Axes, left_ms: float, right_ms: float) -> None:
    decades = np.log10(right_ms / left_ms)
    fine = tuple(map(float, range(1, 10)))
    steps = (
        fine
        if decades <= 0.8
        else (1.0, 2.0, 5.0)
        if decades <= 3.2
        else (1.0, 3.0)
        if decades <= 4.5
        else (1.0,)
    )
    ticks = [m * 10.0**e for e in range(-4, 7) for m in steps if left_ms <= m * 10.0**e <= right_ms]
    ax.set_xticks(ticks, [style.format_number(tick, digits=1) for tick in ticks])
    ax.set_yticks([1.0, 0.1, 0.01, 0.001], ["100", "10", "1", "0.1"])
    ax.minorticks_off()


def _curve(index: int, name: str, edges_ms: Floats, counts: Floats) -> DelayCurve:
    longer = (counts.sum() - np.cumsum(counts)) / counts.sum()
    keep = _worth_drawing(longer)
    marks = tuple(float(edges_ms[int(np.argmax(longer <= share))]) for share, _ in MARKS)
    return DelayCurve(
        variant=name, index=index, sojourn_ms=edges_ms[keep], longer=longer[keep], marks_ms=marks
    )


def _worth_drawing(longer: Floats, *, points: int = 600) -> NDArray[np.intp]:
    """Returns at most ``points`` steps, spread over the range that is seen."""
    if len(longer) <= points:
        return np.arange(len(longer))
    depth = np.log10(np.maximum(longer, 1e-5))
    place = np.floor((depth - depth.min()) / max(float(np.ptp(depth)), 1e-12) * (points - 1))
    _, last = np.unique(place[::-1], return_index=True)
    chosen = {0, len(longer) - 1, *(len(longer) - 1 - last).tolist()}
    return np.array(sorted(chosen), dtype=np.intp)


def _at(curve: DelayCurve, share: float) -> float:
    return float(curve.sojourn_ms[int(np.argmax(curve.longer <= share))])
