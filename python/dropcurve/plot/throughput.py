"""Throughput over time, by class of flows. Series of the first replication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..results import Result, Variant
from . import Layout, labels, style, view
from .thin import bin_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=1.45, columns=2)
SEE = "The throughput of each class of flows: whether its share is steady, and whether the link stays busy."

#: Stretches over which throughput is averaged: fine enough to see it move, coarse enough to read.
BINS = 100
#: Classes with a curve of their own in one panel; further ones are added up as "others".
CLASSES = 4


@dataclass(frozen=True)
class RateLine:
    """The throughput of one class's flows together."""

    name: str
    flows: int
    time_s: Floats
    throughput_mbps: Floats


@dataclass(frozen=True)
class RatePanel:
    """One variant. `rate_mbps` is that of the main link; `top_mbps` is shared by all panels."""

    variant: str
    index: int
    lines: tuple[RateLine, ...]
    rate_mbps: float | None
    warmup_s: float
    end_s: float
    top_mbps: float


def data(result: Result) -> tuple[RatePanel, ...]:
    """One panel for each variant that recorded throughput."""
    by_variant = [(i, variant, _lines(variant)) for i, variant in enumerate(result.variants)]
    by_variant = [(i, variant, lines) for i, variant, lines in by_variant if lines]
    rates = [rate / 1e6 for _, variant, _ in by_variant if (rate := view.rate_bps(variant)) is not None]
    seen = [float(np.nanmax(line.throughput_mbps)) for _, _, lines in by_variant for line in lines]
    peak = max(seen, default=0.0)
    top = style.nice_top(max([peak, *[rate for rate in rates if rate <= 2.0 * peak]]))
    return tuple(
        RatePanel(
            variant=variant.name,
            index=i,
            lines=lines,
            rate_mbps=rate / 1e6 if (rate := view.rate_bps(variant)) is not None else None,
            warmup_s=view.warmup_s(variant),
            end_s=max(view.end_s(variant), float(lines[0].time_s[-1])),
            top_mbps=top,
        )
        for i, variant, lines in by_variant
    )


def draw(data: RatePanel, ax: Axes) -> None:
    """A line for each class: strong, dashed, pale, pale dashed; the link's rate as a thin rule."""
    look = style.look(data.index)
    start_s = float(data.lines[0].time_s[0])
    if data.warmup_s > 0:
        ax.axvspan(0, data.warmup_s, color=style.WASH, linewidth=0, zorder=0)
    for place, line in enumerate(data.lines):
        ax.plot(
            line.time_s,
            line.throughput_mbps,
            color=look.colour,
            alpha=1.0 if place < 2 else 0.55,
            linestyle=style.DASHES[place % 2],
            linewidth=1.3,
        )
    words = [(float(np.nanmean(line.throughput_mbps[-10:])), _label(line), look.words) for line in data.lines]
    ax.set_xlim(min(0.0, start_s), data.end_s)
    ax.set_ylim(0, data.top_mbps)
    if data.rate_mbps is not None and data.rate_mbps <= data.top_mbps:
        ax.axhline(data.rate_mbps, color=style.MUTED, linewidth=0.7, zorder=1.5)
        words.append((data.rate_mbps, "link rate", style.MUTED))
    ax.set_title(labels.plain(labels.shorten(data.variant, limit=40)))
    style.time_axis(ax)
    ax.set_ylabel("throughput (Mbit/s)")
    labels.end_labels(ax, words)


def _label(line: RateLine) -> str:
    name = labels.shorten(line.name, limit=14)
    return f"{name} ({line.flows})" if line.flows > 1 else name


def _lines(variant: Variant) -> tuple[RateLine, ...]:
    have = set(variant.series.components("throughput_bps"))
    groups = [(name, [str(i) for i in ids if str(i) in have]) for name, ids in view.classes(variant).items()]
    groups = [(name, ids) for name, ids in groups if ids]
    if len(groups) > CLASSES:
        rest = [flow for _, ids in groups[CLASSES - 1 :] for flow in ids]
        groups = [*groups[: CLASSES - 1], ("others", rest)]
    lines = []
    for name, ids in groups:
        curves = [variant.series.select("throughput_bps", flow) for flow in ids]
        curves = [curve for curve in curves if len(curve[0])]
        length = min((len(time_s) for time_s, _ in curves), default=0)
        if length == 0:
            continue
        total_bps = np.sum([np.nan_to_num(value[:length]) for _, value in curves], axis=0)
        time_s, mean_bps = bin_mean(curves[0][0][:length], total_bps, bins=BINS)
        lines.append(RateLine(name, len(ids), time_s, mean_bps / 1e6))
    return tuple(lines)
