"""The configured drop curve, the expected share of drops and marks, and the observed share.

The share expected holds for a steady average (`law.py`). Observed points carry Wilson's interval for a
proportion (Wilson 1927), over all replications; they count drops and marks, early and forced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..results import Result, Variant
from . import Layout, labels, law, style, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=1.9, columns=2, share_x=False)
SEE = (
    "Dashed line: the configured probability. Solid line: the share of packets that it drops or marks, "
    "given the spacing of drops. Points: the measured share, with Wilson intervals."
)

P_B_DASH = (0, (4, 2))

#: Observed points between the thresholds.
BINS = 12
#: Least number of arrivals of a bin; others are left out.
FEWEST = 300


@dataclass(frozen=True)
class DropCurvePanel:
    """One variant. Averages in `unit`; probabilities plain. Law arrays are empty for other disciplines."""

    variant: str
    index: int
    unit: str
    spacing: str
    law_avg: Floats
    p_b: Floats
    expected: Floats
    thresholds: tuple[tuple[str, float], ...]
    avg: Floats
    observed: Floats
    low: Floats
    high: Floats
    right: float
    top: float


def data(result: Result) -> tuple[DropCurvePanel, ...]:
    """One panel for each variant whose discipline has an average; those of one unit share their axes."""
    panels = [
        panel
        for i, variant in enumerate(result.variants)
        for link in view.main_links(variant)
        if (panel := _panel(i, variant, link)) is not None
    ]
    if not panels:
        return ()
    right = {unit: max(p.right for p in panels if p.unit == unit) for unit in {p.unit for p in panels}}
    top = max(p.top for p in panels)
    return tuple(replace(panel, right=right[panel.unit], top=top) for panel in panels)


def wilson(hits: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a proportion."""
    if trials <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    share, spread = hits / trials, z * z / trials
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = z / (1.0 + spread) * math.sqrt(share * (1.0 - share) / trials + spread / (4.0 * trials))
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == trials else min(1.0, middle + half)
    return low, high


def draw(data: DropCurvePanel, ax: Axes) -> None:
    """Law dashed in grey, expected share solid, observed points with intervals; in per cent."""
    look = style.look(data.index)
    for _, value in data.thresholds:
        if value < data.right:
            ax.axvline(value, color=style.RULE, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1.2)
    inside = data.law_avg <= data.right
    if inside.any():
        ax.plot(
            data.law_avg[inside], 100 * data.p_b[inside], color=style.MUTED, linewidth=1.0, linestyle=P_B_DASH
        )
        ax.plot(data.law_avg[inside], 100 * data.expected[inside], color=look.colour, linewidth=1.6)
    if len(data.avg):
        below = np.maximum(0.0, data.observed - data.low)
        above = np.maximum(0.0, data.high - data.observed)
        ax.errorbar(
            data.avg,
            100 * data.observed,
            yerr=100 * np.array([below, above]),
            fmt=look.marker,
            markersize=3.2,
            markerfacecolor=style.PAPER,
            markeredgecolor=look.colour,
            color=look.colour,
            markeredgewidth=0.9,
            elinewidth=0.8,
            linestyle="none",
            zorder=3,
        )
    ax.set_xlim(0, data.right)
    ax.set_ylim(0, 100 * data.top)
    ax.set_title(labels.plain(labels.shorten(data.variant, limit=30)))
    if data.spacing:
        ax.set_title(
            f"spacing {data.spacing}", loc="right", fontsize=6.5, color=style.MUTED, fontweight="normal"
        )
    ax.set_xlabel(f"average queue ({data.unit})")
    ax.set_ylabel("dropped or marked (%)")
    for name, value in data.thresholds:
        if value < data.right:
            ax.annotate(
                name,
                (value, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-2, -2),
                fontsize=6,
                textcoords="offset points",
                ha="right",
                va="top",
                color=style.MUTED,
            )


def key(figure: Figure) -> None:
    """Draws the key of dashes, lines and points once above all panels."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=style.MUTED, linewidth=1.0, linestyle=P_B_DASH),
        Line2D([], [], color=style.INK, linewidth=1.6),
        Line2D(
            [], [], color=style.INK, linestyle="none", marker="o", markersize=3.2, markerfacecolor=style.PAPER
        ),
    ]
    texts = ["p_b, as configured", "expected share", "observed"]
    figure.legend(
        handles,
        texts,
        loc="outside upper left",
        ncols=3,
        borderaxespad=0.3,
        borderpad=0.2,
        columnspacing=1.2,
        handletextpad=0.5,
    )


def curve(drop_law: law.Law, *, right: float, points: int = 240) -> tuple[Floats, Floats, Floats]:
    """(avg, p_b, expected share) of a law from 0 to `right`, with its jumps as upright lines."""
    avg = np.unique(
        np.concatenate(
            [
                np.linspace(0.0, right, points),
                [
                    e
                    for level in (drop_law.min_th, drop_law.max_th, drop_law.end)
                    for e in (np.nextafter(level, 0), level)
                ],
            ]
        )
    )
    avg = avg[avg <= right]
    return avg, drop_law.p_b(avg), drop_law.share(avg)


def _panel(index: int, variant: Variant, link: str) -> DropCurvePanel | None:
    drop_law = law.of(variant, link)
    centres, arrived, dropped = view.observed_curve(view.links_of(variant, link))
    start, width = (
        (drop_law.min_th, (drop_law.max_th - drop_law.min_th) / BINS)
        if drop_law
        else (0.0, _reach(centres) / BINS)
    )
    binned = rebin(centres, arrived, dropped, start=start, width=width)
    kept = [one for one in binned if one[1] >= FEWEST]
    if drop_law is None and not kept:
        return None
    bounds = [wilson(d, a) for _, a, d in kept]
    avg, high = np.array([c for c, _, _ in kept]), np.array([b[1] for b in bounds])
    observed = np.array([d / a for _, a, d in kept])
    right = max(1.08 * float(avg.max(initial=0.0)), 1.25 * drop_law.max_th if drop_law else 0.0, 1.0)
    law_avg, p_b, expected = curve(drop_law, right=2.2 * right) if drop_law else (np.empty(0),) * 3
    in_bytes = view.counts_bytes(variant, link)
    per = 1e-3 if in_bytes else 1.0
    return DropCurvePanel(
        variant=view.title(variant, link), index=index, unit="kB" if in_bytes else "pkts",
        spacing=drop_law.spacing if drop_law else "", law_avg=per * law_avg, p_b=p_b, expected=expected,
        thresholds=(("min_th", per * drop_law.min_th), ("max_th", per * drop_law.max_th)) if drop_law else (),
        avg=per * avg, observed=observed, low=np.array([b[0] for b in bounds]), high=high,
        right=per * right, top=_top(drop_law, avg, np.array([a for _, a, _ in kept]), high),
    )  # fmt: skip


def rebin(
    centres: Sequence[float], arrived: Sequence[int], dropped: Sequence[int], *, start: float, width: float
) -> list[tuple[float, int, int]]:
    """Bins of `width` with an edge at `start`: (mean average of their arrivals, arrived, dropped)."""
    bins: dict[int, tuple[float, int, int]] = {}
    for centre, came, went in zip(centres, arrived, dropped, strict=True):
        place = math.floor((centre - start) / width)
        weighted, before, gone = bins.get(place, (0.0, 0, 0))
        bins[place] = (weighted + centre * came, before + came, gone + went)
    return [(weighted / came, came, went) for _, (weighted, came, went) in sorted(bins.items()) if came]


def _reach(centres: Sequence[float]) -> float:
    return max([1.0, *centres])


def _top(drop_law: law.Law | None, avg: Floats, arrived: Floats, high: Floats) -> float:
    """Upper end of the axis: the slope, and the part above `max_th` if the queue spends a tenth of its time there."""
    shown = np.ones(len(avg), dtype=bool)
    if drop_law is not None and arrived[avg >= drop_law.max_th].sum() < 0.1 * arrived.sum():
        shown = avg < drop_law.max_th
    slope = 2.2 * drop_law.max_p if drop_law else 0.0
    return float(min(1.02, max(slope, 1.1 * high[shown].max(initial=0.0), 0.01)))
