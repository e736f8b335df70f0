"""Congestion windows of a few flows. Series of the first replication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..results import Result, Variant
from . import Layout, labels, style, view
from .thin import decimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=1.45, columns=2)
SEE = (
    "The last 20 s. If the windows fall together, the flows are synchronised and leave the link idle; "
    "if they fall one after the other, the link stays busy."
)

#: Most windows and seconds of a panel, so that curves do not hide each other.
FLOWS = 3
SPAN_S = 20.0


@dataclass(frozen=True)
class WindowLine:
    """One flow's window, in segments."""

    flow: str
    time_s: Floats
    cwnd: Floats


@dataclass(frozen=True)
class WindowPanel:
    """One variant, the end of the run. `total` is how many flows have a window; `top` is shared by all."""

    variant: str
    index: int
    lines: tuple[WindowLine, ...]
    total: int
    warmup_s: float
    top: float


def data(result: Result) -> tuple[WindowPanel, ...]:
    """One panel for each variant with windows; the same flows in each, the first of each class first."""
    by_variant = [(i, variant, _lines(variant)) for i, variant in enumerate(result.variants)]
    by_variant = [(i, variant, lines) for i, variant, lines in by_variant if lines]
    peaks = [float(np.nanmax(line.cwnd)) for _, _, lines in by_variant for line in lines]
    top = style.nice_top(max([1.0, *[peak for peak in peaks if np.isfinite(peak)]]))
    return tuple(
        WindowPanel(
            variant=variant.name,
            index=i,
            lines=lines,
            total=len(variant.series.components("cwnd")),
            warmup_s=view.warmup_s(variant),
            top=top,
        )
        for i, variant, lines in by_variant
    )


def draw(data: WindowPanel, ax: Axes) -> None:
    """The first flow in the variant's colour, the others in greys behind it."""
    look = style.look(data.index)
    colours = (look.colour, style.MUTED, style.RULE)
    start_s = min(float(line.time_s[0]) for line in data.lines)
    end_s = max(float(line.time_s[-1]) for line in data.lines)
    if data.warmup_s > start_s:
        ax.axvspan(start_s, data.warmup_s, color=style.WASH, linewidth=0, zorder=0)
    for place, line in reversed(list(enumerate(data.lines))):
        ax.plot(
            line.time_s,
            line.cwnd,
            color=colours[place],
            linewidth=1.1 if place == 0 else 0.9,
            zorder=3 - 0.2 * place,
        )
    ax.set_xlim(start_s, end_s)
    ax.set_ylim(0, data.top)
    ax.set_title(labels.plain(labels.shorten(data.variant, limit=40)))
    style.time_axis(ax)
    ax.set_ylabel("cwnd (segments)")
    words = [
        (_last(line.cwnd), f"flow {line.flow}", look.words if place == 0 else style.MUTED)
        for place, line in enumerate(data.lines)
    ]
    labels.end_labels(ax, words)
    if data.total > len(data.lines):
        ax.annotate(
            f"{len(data.lines)} of {data.total} flows",
            (1.0, 1.0),
            xycoords="axes fraction",
            xytext=(-3, -2),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=6,
            color=style.MUTED,
        )


def _last(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else 0.0


def _lines(variant: Variant) -> tuple[WindowLine, ...]:
    have = variant.series.components("cwnd")
    firsts = [str(ids[0]) for ids in view.classes(variant).values() if str(ids[0]) in have]
    chosen = list(dict.fromkeys([*firsts, *have]))[:FLOWS]
    lines = []
    for flow in chosen:
        time_s, cwnd = variant.series.select("cwnd", flow)
        late = time_s >= (max(0.0, time_s[-1] - SPAN_S) if len(time_s) else 0.0)
        time_s, cwnd = time_s[late], cwnd[late]
        if len(time_s) and not np.all(np.isnan(cwnd)):
            lines.append(WindowLine(flow, *decimate(time_s, cwnd, points=900)))
    return tuple(lines)
