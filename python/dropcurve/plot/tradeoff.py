"""Utilisation against queueing delay: the trade-off of a queue discipline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..metrics.statistics import Interval, t_interval
from ..results import Result, Variant
from . import Layout, labels, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYOUT = Layout(height_in=2.7, columns=1)
SEE = "Up and to the left is better: a full link and a short queue. Bars are intervals over replications."

X, Y = "sojourn_ms_p95", "utilisation"


@dataclass(frozen=True)
class TradeoffPoint:
    """One variant; half-widths are None for a single replication."""

    variant: str
    index: int
    sojourn_p95_ms: float
    sojourn_p95_half_ms: float | None
    utilisation_percent: float
    utilisation_half_percent: float | None


@dataclass(frozen=True)
class TradeoffPanel:
    """All variants."""

    points: tuple[TradeoffPoint, ...]


def data(result: Result) -> tuple[TradeoffPanel, ...]:
    """One panel if there are at least two variants to compare."""
    points = []
    for i, variant in enumerate(result.variants):
        x, y = (_interval(result, variant, metric) for metric in (X, Y))
        if x.mean is not None and y.mean is not None:
            points.append(TradeoffPoint(variant.name, i, x.mean, x.half_width, y.mean, y.half_width))
    return (TradeoffPanel(tuple(points)),) if len(points) > 1 else ()


def draw(data: TradeoffPanel, ax: Axes) -> None:
    """A point for each variant with both intervals and its name; the best corner is the upper left one."""
    figure: Any = ax.figure
    for point in data.points:
        look = style.look(point.index)
        ax.errorbar(
            point.sojourn_p95_ms,
            point.utilisation_percent,
            xerr=point.sojourn_p95_half_ms,
            yerr=point.utilisation_half_percent,
            fmt=look.marker,
            color=look.colour,
            markersize=5.5,
            markeredgecolor=style.PAPER,
            markeredgewidth=0.6,
            elinewidth=1.0,
            zorder=3,
        )
    right, low, high = _limits(data)
    ax.set_xlim(0, right)
    ax.set_ylim(low, high)
    ax.set_xlabel("queueing delay, p95 (ms)")
    ax.set_ylabel("link utilisation (%)")
    ax.annotate(
        "better",
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(15, -14),
        textcoords="offset points",
        color=style.MUTED,
        fontsize=6.5,
        va="center",
    )
    ax.annotate(
        "",
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(14, -12),
        textcoords="offset points",
        arrowprops={"arrowstyle": "->", "color": style.MUTED, "linewidth": 0.8},
    )
    limit = 34 if figure.get_figwidth() > 5 else 20
    names = [(labels.shorten(point.variant, limit=limit), point) for point in data.points]
    labels.place_names(
        ax, [(p.sojourn_p95_ms, p.utilisation_percent, name, style.look(p.index).words) for name, p in names]
    )


def _limits(data: TradeoffPanel) -> tuple[float, float, float]:
    right = max(p.sojourn_p95_ms + (p.sojourn_p95_half_ms or 0.0) for p in data.points)
    upper_ends = [p.utilisation_percent + (p.utilisation_half_percent or 0.0) for p in data.points]
    lower_ends = [p.utilisation_percent - (p.utilisation_half_percent or 0.0) for p in data.points]
    span = max(max(upper_ends) - min(lower_ends), 1.0)
    return (
        max(right * 1.12, 1e-3),
        max(0.0, min(lower_ends) - 0.22 * span),
        min(max(upper_ends) + 0.22 * span, 102.0),
    )


def _interval(result: Result, variant: Variant, metric: str) -> Interval:
    return t_interval(variant.values(metric), confidence=result.level)
