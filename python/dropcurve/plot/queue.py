"""The queue over time, and the average the discipline acts on. Series of the first replication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import Layout, labels, law, style, view
from .thin import decimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..results import Result, Variant

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=1.45, columns=2)
SEE = (
    "Thin is the queue itself, thick the average on which the discipline acts, dashed are its "
    "thresholds. Only what comes after the shaded warm-up is counted."
)


@dataclass(frozen=True)
class Panel:
    """One variant. `thresholds_pkts` are those inside the view; `top_pkts` is shared by all panels."""

    variant: str
    index: int
    time_s: Floats
    queue_pkts: Floats
    avg_time_s: Floats
    avg_pkts: Floats
    thresholds_pkts: tuple[tuple[str, float], ...]
    warmup_s: float
    top_pkts: float


def data(result: Result) -> tuple[Panel, ...]:
    """One panel for each variant that recorded its queue."""
    curves = [(i, variant, *_queue(variant)) for i, variant in enumerate(result.variants)]
    curves = [curve for curve in curves if len(curve[2])]
    peak = max(
        (float(np.nanmax(value)) for _, _, _, value in curves if not np.all(np.isnan(value))), default=0.0
    )
    top_pkts = style.nice_top(max(peak, 1.0))
    return tuple(_panel(i, variant, time_s, value, top_pkts) for i, variant, time_s, value in curves)


def draw(data: Panel, ax: Axes) -> None:
    """The queue as a thin line, the average as a thick one, thresholds dashed, the warm-up shaded."""
    colour = style.look(data.index).colour
    end_s = float(data.time_s[-1])
    if data.warmup_s > 0:
        ax.axvspan(float(data.time_s[0]), data.warmup_s, color=style.WASH, linewidth=0, zorder=0)
        ax.annotate(
            "warm-up",
            (data.warmup_s, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-2, -2),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=6,
            color=style.MUTED,
        )
    has_avg = len(data.avg_pkts) > 0
    ax.plot(
        data.time_s,
        data.queue_pkts,
        color=colour,
        linewidth=0.5 if has_avg else 0.7,
        alpha=0.5 if has_avg else 0.9,
    )
    for _, value in data.thresholds_pkts:
        ax.axhline(value, color=style.MUTED, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1.5)
    if has_avg:
        ax.plot(data.avg_time_s, data.avg_pkts, color=style.PAPER, linewidth=2.6, alpha=0.8)
        ax.plot(data.avg_time_s, data.avg_pkts, color=colour, linewidth=1.5)
    ax.set_xlim(float(data.time_s[0]), end_s)
    ax.set_ylim(0, data.top_pkts)
    ax.set_title(labels.plain(labels.shorten(data.variant, limit=40)))
    ax.set_xlabel("time (s)")
    ax.set_ylabel("queue (pkts)")
    labels.end_labels(ax, [(value, name, style.MUTED) for name, value in data.thresholds_pkts])


def _queue(variant: Variant) -> tuple[Floats, Floats]:
    link = view.main_link(variant)
    return variant.series.select("queue_pkts", link) if link else (np.empty(0), np.empty(0))


def _panel(index: int, variant: Variant, time_s: Floats, value: Floats, top_pkts: float) -> Panel:
    link = view.main_link(variant) or ""
    queue = view.queue_of(variant, link)
    found = law.of(queue)
    in_packets = found is None or found.unit == "pkts"
    avg_time_s, avg = variant.series.select("avg", link) if in_packets else (np.empty(0), np.empty(0))
    marks: list[tuple[str, float]] = []
    if found is not None and in_packets:
        marks = [("min_th", found.min_th), ("max_th", found.max_th)]
    limit = view.quantity(queue.get("limit"))
    if limit is not None and limit[1] == "pkts":
        marks.append(("limit", limit[0]))
    queue_time_s, queue_pkts = decimate(time_s, value)
    return Panel(
        variant=variant.name,
        index=index,
        time_s=queue_time_s,
        queue_pkts=queue_pkts,
        **dict(zip(("avg_time_s", "avg_pkts"), decimate(avg_time_s, avg), strict=True)),
        thresholds_pkts=tuple((name, level) for name, level in marks if level <= top_pkts),
        warmup_s=view.warmup_s(variant),
        top_pkts=top_pkts,
    )
