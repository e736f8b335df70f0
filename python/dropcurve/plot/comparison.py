"""Differences of each variant from the baseline, relative to the baseline's mean, with their intervals.

The intervals are those of the paired differences; the baseline's mean is taken as known when they are
put in per cent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import metrics
from ..present import intervals
from ..quantities import wording
from ..results import Result, findings
from . import Layout, labels, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYOUT = Layout(height_in=3.0, columns=1, legend="marker", baseline_in_legend=False)
SEE = (
    "Each marker is the change from the baseline, its bar the interval of the paired difference. "
    "Filled markers are significant differences; hollow ones may be chance."
)

#: Most metrics and points of the figure; the others are only in the table.
METRICS, POINTS = 8, 30


@dataclass(frozen=True)
class MetricPoint:
    """One variant's difference in one metric, in per cent of the baseline's mean."""

    variant: str
    index: int
    change_percent: float
    half_width_percent: float | None
    real: bool
    improves: bool | None


@dataclass(frozen=True)
class MetricLine:
    """One metric. `better` is "higher", "lower" or "none"."""

    title: str
    better: str
    points: tuple[MetricPoint, ...]


@dataclass(frozen=True)
class MetricPanel:
    """All metrics; `reach_percent` are the ends of the axis, beyond which points become arrows."""

    baseline: str
    variants: int
    lines: tuple[MetricLine, ...]
    reach_percent: tuple[float, float]


def data(result: Result) -> tuple[MetricPanel, ...]:
    """One panel, or none if there is nothing to compare."""
    if len(result.variants) < 2:
        return ()
    names = [variant.name for variant in result.variants]
    rows = {row.key: row for row in result.table()}
    points: dict[str, list[MetricPoint]] = {}
    for difference in result.differences():
        row = rows.get(difference.key)
        base = row.cells[0].mean if row is not None else None
        apart = difference.scope and metrics.find(difference.metric).per == "flow"
        if apart or not base or difference.variant not in names:
            continue
        half = difference.half_width
        points.setdefault(difference.key, []).append(MetricPoint(
            variant=difference.variant, index=names.index(difference.variant),
            change_percent=100.0 * difference.mean / abs(base),
            half_width_percent=None if half is None else 100.0 * half / abs(base),
            real=difference.real, improves=difference.improves,
        ))  # fmt: skip
    most = max(4, min(METRICS, POINTS // (len(names) - 1)))
    chosen = sorted(points, key=lambda key: _rank(rows[key].metric, rows[key].better))[:most]
    lines = tuple(MetricLine(rows[key].title, rows[key].better, tuple(points[key])) for key in chosen)
    if not lines:
        return ()
    return (MetricPanel(names[0], len(names), lines, _reach(lines)),)


def height_in(panel: MetricPanel, width_in: float) -> float:
    """Room for each metric's variants, one under the other."""
    rows = sum(_room(line) for line in panel.lines)
    return 0.55 + 0.145 * rows


def draw(data: MetricPanel, ax: Axes) -> None:
    """A forest plot: filled markers are real differences, hollow ones may be chance."""
    figure: Any = ax.figure
    wide = figure.get_figwidth() > 5
    low, high = data.reach_percent
    ax.set_xlim(low, high)
    ax.axvline(0, color=style.INK, linewidth=0.8, zorder=1.5)
    y = 0.0
    ticks: list[float] = []
    words: list[str] = []
    for place, line in enumerate(data.lines):
        room = _room(line)
        if place % 2 == 0:
            ax.axhspan(y, y + room, color=style.WASH, linewidth=0, zorder=0)
        ticks.append(y + room / 2)
        words.append(_name(line, wide=wide))
        first = y + (room - len(line.points) + 1) / 2
        for i, point in enumerate(line.points):
            _draw_point(ax, point, first + i, low=low, high=high, wide=wide)
        y += room
    ax.set_ylim(y, 0)
    ax.set_yticks(ticks, words)
    ax.tick_params(axis="y", labelcolor=style.INK, length=0)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(f"change from {labels.plain(labels.shorten(data.baseline, limit=36 if wide else 18))} (%)")


def _rank(metric: str, better: str) -> int:
    """Orders metrics: those of a verdict first, then those with a better direction, then the rest."""
    headline = list(findings.HEADLINE)
    if metric in headline:
        return headline.index(metric)
    return 100 if better != "none" else 200


def _room(line: MetricLine) -> float:
    return max(len(line.points) + 0.7, 1.9)


def _name(line: MetricLine, *, wide: bool) -> str:
    title = labels.plain(labels.shorten(line.title, limit=40 if wide else 24))
    hint = {"higher": "higher is better", "lower": "lower is better"}.get(line.better)
    return f"{title}\n{hint}" if hint and len(line.points) > 1 else title


def _draw_point(ax: Axes, point: MetricPoint, y: float, *, low: float, high: float, wide: bool) -> None:
    look = style.look(point.index)
    half = point.half_width_percent or 0.0
    inside = low <= point.change_percent <= high
    x = min(max(point.change_percent, low), high)
    if inside:
        ax.plot(
            [max(low, x - half), min(high, x + half)],
            [y, y],
            color=look.colour,
            linewidth=1.4,
            solid_capstyle="butt",
            zorder=2,
        )
    marker = look.marker if inside else (">" if point.change_percent > high else "<")
    ax.plot(
        [x],
        [y],
        marker=marker,
        markersize=4.8,
        markeredgewidth=1.1,
        markeredgecolor=look.colour,
        zorder=3,
        markerfacecolor=look.colour if point.real else style.PAPER,
        clip_on=False,
        linestyle="none",
    )
    if wide:
        ax.annotate(
            _words(point),
            (1.0, y),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            va="center",
            textcoords="offset points",
            fontsize=6.5,
            annotation_clip=False,
            color=style.INK if point.real else style.MUTED,
        )


def _words(point: MetricPoint) -> str:
    mean, half = wording.value(point.change_percent, point.half_width_percent)
    sign = "+" if point.change_percent > 0 else ""
    text = f"{sign}{intervals.interval(mean, half)} %"
    if not point.real and wording.vague(point.half_width_percent, "", 2 * intervals.POINTS[1]):
        return intervals.UNDECIDED
    if point.real:
        judged = {True: "better", False: "worse", None: "differs"}[point.improves]
    else:
        judged = (
            "the same" if point.change_percent == 0 and point.half_width_percent == 0 else "may be chance"
        )
    return f"{text}  {judged}"


def _reach(lines: tuple[MetricLine, ...]) -> tuple[float, float]:
    """Ends of the axis: all points, unless outliers would squeeze the others together."""
    ends = [
        point.change_percent + sign * (point.half_width_percent or 0.0)
        for line in lines
        for point in line.points
        for sign in (-1, 1)
    ]
    sizes = np.sort(np.abs(ends))
    usual = float(np.quantile(sizes, 0.75))
    bound = float(sizes[-1]) if sizes[-1] <= 4 * max(usual, 1e-9) else 2.0 * usual
    bound = max(bound, 0.1)
    low = max(min([0.0, *ends]), -bound)
    high = min(max([0.0, *ends]), bound)
    margin = 0.05 * (high - low)
    return low - margin, high + margin
