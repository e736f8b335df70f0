"""How the link is shared: the goodput of each flow, and the mean of each class with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics.statistics import t_interval
from ..results import Result, Variant
from . import Layout, labels, style, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYOUT = Layout(height_in=2.4, columns=1, legend="marker")
SEE = (
    "A tick is one flow, a marker the mean of its class with its interval. The closer the ticks are "
    "together, the fairer the link is shared."
)

#: Classes shown, the largest first in the scenario's order; more would not fit.
CLASSES = 8


@dataclass(frozen=True)
class FlowShare:
    """One class under one variant. `flows_mbps` is each flow's mean over the replications."""

    name: str
    variant: str
    index: int
    flows_mbps: tuple[float, ...]
    mean_mbps: float
    half_width_mbps: float | None


@dataclass(frozen=True)
class SharePanel:
    """All classes. `equal_mbps` is the main link's rate over the number of flows; None if variants differ."""

    classes: tuple[str, ...]
    variants: int
    shares: tuple[FlowShare, ...]
    equal_mbps: float | None
    top_mbps: float


def data(result: Result) -> tuple[SharePanel, ...]:
    """One panel, or none if there are fewer than two flows."""
    shares = [share for i, variant in enumerate(result.variants) for share in _shares(result, i, variant)]
    names = tuple(dict.fromkeys(share.name for share in shares))[:CLASSES]
    shares = [share for share in shares if share.name in names]
    if all(len(share.flows_mbps) < 2 for share in shares) and len(names) < 2:
        return ()
    equals = {equal for variant in result.variants if (equal := _equal_mbps(variant)) is not None}
    ends = [
        end
        for share in shares
        for end in (*share.flows_mbps, share.mean_mbps + (share.half_width_mbps or 0.0))
    ]
    top = max(ends)
    equal = equals.pop() if len(equals) == 1 else None
    if equal is not None and equal <= 1.6 * top:
        top = max(top, equal)
    elif equal is not None:
        equal = None
    return (SharePanel(names, len(result.variants), tuple(shares), equal, style.nice_top(top)),)


def height_in(panel: SharePanel, width_in: float) -> float:
    """Room for a row for each class and variant."""
    return 0.6 + 0.2 * len(panel.classes) * (panel.variants + 0.6)


def draw(data: SharePanel, ax: Axes) -> None:
    """A row for each class and variant: flows as faint ticks, the class's mean as a marker."""
    figure: Any = ax.figure
    room = data.variants + 0.6
    for place, name in enumerate(data.classes):
        if place % 2 == 0:
            ax.axhspan(place * room, (place + 1) * room, color=style.WASH, linewidth=0, zorder=0)
        for share in data.shares:
            if share.name == name:
                _draw_share(ax, share, place * room + 0.8 + share.index)
    if data.equal_mbps is not None:
        ax.axvline(data.equal_mbps, color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
        ax.annotate(
            "equal share",
            (data.equal_mbps, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=6.5,
            color=style.MUTED,
        )
    ax.set_xlim(0, data.top_mbps)
    ax.set_ylim(len(data.classes) * room, 0)
    wide = figure.get_figwidth() > 5
    names = [labels.plain(labels.shorten(name, limit=26 if wide else 14)) for name in data.classes]
    counts = {share.name: len(share.flows_mbps) for share in data.shares}
    words = [
        f"{shown}\n{counts[name]} {'flow' if counts[name] == 1 else 'flows'}"
        for name, shown in zip(data.classes, names, strict=True)
    ]
    ax.set_yticks([(i + 0.5) * room for i in range(len(names))], words)
    ax.tick_params(axis="y", labelcolor=style.INK, length=0)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("goodput of a flow (Mbit/s)")


def _draw_share(ax: Axes, share: FlowShare, y: float) -> None:
    look = style.look(share.index)
    if len(share.flows_mbps) > 1:
        ax.plot(
            share.flows_mbps,
            np.full(len(share.flows_mbps), y),
            linestyle="none",
            marker="|",
            markersize=6,
            markeredgewidth=0.8,
            color=look.colour,
            alpha=0.45,
            zorder=2,
        )
    half = share.half_width_mbps
    if half is not None:
        ax.plot(
            [max(0.0, share.mean_mbps - half), share.mean_mbps + half],
            [y, y],
            color=look.colour,
            linewidth=1.6,
            solid_capstyle="butt",
            zorder=3,
        )
    ax.plot(
        [share.mean_mbps],
        [y],
        linestyle="none",
        marker=look.marker,
        markersize=5,
        color=look.colour,
        markeredgecolor=style.PAPER,
        markeredgewidth=0.6,
        zorder=4,
        clip_on=False,
    )


def _shares(result: Result, index: int, variant: Variant) -> list[FlowShare]:
    by_flow = view.goodputs_bps(variant)
    shares = []
    for name, ids in view.classes(variant).items():
        known = [by_flow[i] for i in ids if by_flow.get(i)]
        if not known:
            continue
        runs = min(len(values) for values in known)
        per_run = [sum(values[run] for values in known) / len(known) / 1e6 for run in range(runs)]
        interval = t_interval(per_run, confidence=result.level)
        shares.append(FlowShare(
            name=name, variant=variant.name, index=index, mean_mbps=interval.mean or 0.0,
            half_width_mbps=interval.half_width,
            flows_mbps=tuple(sum(values) / len(values) / 1e6 for values in known),
        ))  # fmt: skip
    return shares


def _equal_mbps(variant: Variant) -> float | None:
    groups = variant.scenario.get("flows", {}).values()
    if "dumbbell" not in variant.scenario or any(group.get("reverse") for group in groups):
        return None  # not all flows cross the main link
    rate = view.rate_bps(variant)
    flows = sum(len(ids) for ids in view.classes(variant).values())
    return rate / flows / 1e6 if rate and flows > 1 else None
