"""Panels in the house style: lines with intervals, with a paper's points where it has some; maps; topologies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import labels, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Line:
    """Points over ``x`` with intervals. ``look`` numbers colour and marker; ``paper`` marks numbers that a paper
    prints, drawn hollow and without a line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    half: Sequence[float] = ()
    look: int = 0
    paper: bool = False
    markers: bool = True
    joined: bool = True


@dataclass(frozen=True)
class Panel:
    """One pair of axes. ``ticks`` names places on the x axis; ``levels`` are horizontal lines with a name."""

    lines: Sequence[Line]
    x: str
    y: str
    title: str = ""
    ticks: Mapping[float, str] | None = None
    log_x: bool = False
    log_y: bool = False
    zero: bool = True
    bottom: float | None = None
    top: float | None = None
    levels: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True)
class Map:
    """A table of numbers as colours, the number written in each field but NaN.

    ``middle`` is the neutral value; with None the colour deepens from the least value to the largest.
    """

    values: Sequence[Sequence[float]]
    rows: Sequence[str]
    columns: Sequence[str]
    x: str
    y: str
    title: str = ""
    middle: float | None = 1.0


def panels(
    drawn: Sequence[Panel | Map], width_in: float, *, height_in: float = 2.3, columns: int = 2
) -> Figure:
    """Returns a figure of panels with one key above them.

    Args:
        drawn: The panels and maps.
        width_in: Width of the figure in inches.
        height_in: Height of a row in inches.
        columns: Panels in a row.

    Returns:
        The figure.

    Example:
        >>> figure = panels([one, other], 7.0)
    """
    across = max(1, min(columns if width_in > 5 else 1, len(drawn)))
    down = math.ceil(len(drawn) / across)
    keys = _key(drawn)
    longest = max((len(name) for name in keys), default=0)
    per_row = max(1, int(width_in * 72 / (longest * 4.2 + 34)))
    rows = max(1, math.ceil(len(keys) / per_row))
    figure = style.new_figure(width_in, down * height_in + 0.17 * rows + 0.05)
    axes = figure.subplots(down, across, squeeze=False)
    flat = list(axes.flat)
    for one, ax in zip(drawn, flat, strict=False):
        if isinstance(one, Map):
            _draw_map(one, ax)
        else:
            _draw_lines(one, ax)
    for ax in flat[len(drawn) :]:
        ax.set_visible(False)
    if len(keys) > 1:
        figure.legend(
            [_handle(one) for one in keys.values()], [labels.plain(name) for name in keys],
            loc="outside upper left", ncols=math.ceil(len(keys) / rows), borderaxespad=0.3, columnspacing=1.4,
            handletextpad=0.5,
        )  # fmt: skip
    style.arrange(figure)
    return figure


def _key(drawn: Sequence[Panel | Map]) -> dict[str, Line]:
    lines = [one for panel in drawn if isinstance(panel, Panel) for one in panel.lines if one.name]
    return {one.name: one for one in lines}


def _handle(line: Line) -> Any:
    from matplotlib.lines import Line2D

    look = style.look(line.look)
    return Line2D(
        [], [], color=look.colour, linewidth=1.3, linestyle="none" if line.paper or not line.joined else look.dash,
        marker=_sign(line), markersize=5 if line.paper or line.markers else 9,
        markerfacecolor=style.PAPER if line.paper else look.colour,
    )  # fmt: skip


def _sign(line: Line) -> str:
    """The marker in the legend: a bar for data that are intervals alone."""
    if line.markers:
        return style.look(line.look).marker
    return "none" if line.joined else "|"


def _draw_lines(panel: Panel, ax: Axes) -> None:
    for one in panel.lines:
        look = style.look(one.look)
        ax.errorbar(
            one.x, one.y, yerr=list(one.half) or None, color=look.colour, elinewidth=0.9, capsize=0,
            linestyle="none" if one.paper or not one.joined else look.dash,
            marker=look.marker if one.markers else "none", markersize=5 if one.paper else 3.6,
            markerfacecolor=style.PAPER if one.paper else look.colour,
            markeredgewidth=1.0, linewidth=1.3 if one.markers else 0.9, zorder=4 if one.paper else 3,
        )  # fmt: skip
    if panel.log_x:
        ax.set_xscale("log")
    if panel.log_y:
        ax.set_yscale("log")
    elif panel.zero:
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]) if min(_all_y(panel), default=0) < 0 else 0.0)
    if panel.bottom is not None:
        ax.set_ylim(bottom=panel.bottom)
    if panel.top is not None:
        ax.set_ylim(top=panel.top)
    ax.margins(x=0.04)
    if panel.ticks is not None:
        ax.set_xticks(list(panel.ticks), list(panel.ticks.values()))
        ax.minorticks_off()
    for level, name in panel.levels:
        ax.axhline(level, color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        ax.annotate(
            name, (1.0, level), xycoords=("axes fraction", "data"), xytext=(-2, 2),
            textcoords="offset points", ha="right", fontsize=6.5, color=style.MUTED, zorder=5,
            bbox={"facecolor": style.PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.4},
        )  # fmt: skip
    ax.set_xlabel(panel.x)
    ax.set_ylabel(panel.y)
    ax.set_title(labels.plain(panel.title))


def _all_y(panel: Panel) -> list[float]:
    return [y for one in panel.lines for y in one.y]


def _draw_map(heat_map: Map, ax: Axes) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    known = [value for row in heat_map.values for value in row if math.isfinite(value)]
    if heat_map.middle is None:
        colours = LinearSegmentedColormap.from_list("rising", ["#e3eff7", "#5aa0d0"])
        low, high = min(known, default=0.0), max(known, default=1.0)
    else:
        colours = LinearSegmentedColormap.from_list("apart", ["#5aa0d0", "#ffffff", "#e8945a"])
        reach = max((abs(value - heat_map.middle) for value in known), default=1.0) or 1.0
        low, high = heat_map.middle - reach, heat_map.middle + reach
    # Drawn as shapes, because the content policy of the page forbids images.
    edges = (
        [i - 0.5 for i in range(len(heat_map.columns) + 1)],
        [i - 0.5 for i in range(len(heat_map.rows) + 1)],
    )
    ax.pcolormesh(
        *edges, heat_map.values, cmap=colours, vmin=low, vmax=high, edgecolors=style.PAPER, linewidth=0.5
    )
    ax.invert_yaxis()
    for y, row in enumerate(heat_map.values):
        for x, value in enumerate(row):
            if math.isnan(value):
                continue
            ax.annotate(
                style.format_number(value), (x, y), ha="center", va="center", fontsize=6.5, color=style.INK
            )
    ax.set_xticks(range(len(heat_map.columns)), list(heat_map.columns))
    ax.set_yticks(range(len(heat_map.rows)), list(heat_map.rows))
    ax.grid(visible=False)
    ax.set_xlabel(heat_map.x)
    ax.set_ylabel(heat_map.y)
    ax.set_title(labels.plain(heat_map.title))


def network(
    nodes: Mapping[str, tuple[float, float]], links: Sequence[tuple[str, str, str]], width_in: float
) -> Figure:
    """A topology: nodes by name and place, links between two of them with a label."""
    ys = [y for _, y in nodes.values()]
    figure = style.new_figure(width_in, 0.9 + 0.5 * (max(ys) - min(ys)))
    ax = figure.subplots()
    ax.set_axis_off()
    for one, other, label in links:
        (x0, y0), (x1, y1) = nodes[one], nodes[other]
        ax.plot([x0, x1], [y0, y1], color=style.RULE, linewidth=1.4, zorder=1)
        if label:
            ax.annotate(label, ((x0 + x1) / 2, (y0 + y1) / 2), xytext=(0, 4), textcoords="offset points", ha="center",
                        va="bottom", color=style.MUTED, in_layout=False)  # fmt: skip
    box = {"boxstyle": "round,pad=0.4", "facecolor": style.WASH, "edgecolor": style.RULE}
    for name, (x, y) in nodes.items():
        ax.text(x, y, name, ha="center", va="center", color=style.INK, bbox=box, zorder=2,
                in_layout=False)  # fmt: skip
    ax.margins(0.14, 0.35)
    return figure
