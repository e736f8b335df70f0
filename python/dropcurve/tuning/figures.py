"""Figures of an answer: the trade-off, the sensitivity to each parameter, the drift of conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files.writing import write_bytes
from ..plot import labels, style
from ..quantities import wording
from .answer import Answer
from .goal import Constraint
from .measures import Measure
from .names import DISPLAY_NAMES, named
from .robustness import Drift, DriftPoint, Sensitivity
from .study import front

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Title and caption by name of each figure, in the order of the page.
TITLES = {
    "trade": (
        "What was tried",
        "Each point is a design, averaged over all conditions; filled points hold every constraint. With two "
        "objectives the line is the Pareto front. A ring marks the recommendation, unless it was only found in the "
        "steps after the search. The worst designs are left out.",
    ),
    "sensitivity": (
        "If a parameter is off",
        "Each parameter is multiplied by the factor below, the others stay. Crosses: a constraint fails at some "
        "condition.",
    ),
    "drift": (
        "If conditions drift",
        "One condition varies, the others stay in the middle of their ranges; the range asked for is grey. Crosses: a "
        "constraint does not hold.",
    ),
}


def available(answer: Answer) -> tuple[str, ...]:
    """Names of the figures that the answer has data for."""
    axes = _axes(answer)
    spots = [one for one in answer.spots if all(_finite(axis.value(one)) for axis in axes)]
    kinds = ["trade"] if len(axes) > 1 and spots else []
    kinds += ["sensitivity"] if answer.sensitivity else []
    return (*kinds, *(["drift"] if answer.drift else []))


#: Figures that were drawn, by name and width: a layout takes longer than writing it to a file.
Drawn = dict[tuple[str, str], "Figure"]


def fragment(name: str, answer: Answer, *, width: str = "page", drawn: Drawn | None = None) -> str:
    """A figure as an SVG element for a page; ``drawn`` holds those that were drawn already."""
    with style.styled(text_as_text=True):
        svg = style.to_bytes(_figure(name, answer, width, {} if drawn is None else drawn), format="svg")
    title, see = TITLES[name]
    return style.embeddable(svg, prefix=f"{name}-{width}", label=f"{title}. {see}")


def save(
    answer: Answer, folder: Path, names: Sequence[str] | None = None, *, drawn: Drawn | None = None
) -> list[Path]:
    """Writes figures as SVG and PNG: those of ``names``, or all."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in available(answer) if names is None else names:
        with style.styled():
            figure = _figure(name, answer, "page", {} if drawn is None else drawn)
            for format in ("svg", "png"):
                files.append(folder / f"{name}.{format}")
                write_bytes(files[-1], style.to_bytes(figure, format=format))
    return files


def _figure(name: str, answer: Answer, width: str, drawn: Drawn) -> Figure:
    if (name, width) not in drawn:
        draw: dict[str, Callable[[Answer, float], Figure]] = {
            "trade": _trade, "sensitivity": _sensitivity, "drift": _drift,
        }  # fmt: skip
        figure = draw[name](answer, style.WIDTHS_IN[width])
        style.arrange(figure)
        drawn[name, width] = figure
    return drawn[name, width]


@dataclass(frozen=True)
class _Axis:
    """An axis of the trade-off: label, unit, and the function that reads its value from a spot."""

    label: str
    unit: str
    value: Callable[[Any], float]
    higher: bool
    divisor: float
    bound: Constraint | None = None

    @property
    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


def _axes(answer: Answer) -> list[_Axis]:
    """Axes of the trade-off: the objectives, or the only one and the first bounded measure."""
    goal = answer.question.goal
    scaled = [
        _scaled(answer, goal.names[number], one.unit, _objective(number), higher=one.higher)
        for number, one in enumerate(goal.objectives)
    ]
    if len(scaled) == 1:
        plain = {one.single.key for one in goal.objectives if one.single}
        bounds = [one for one in goal.constraints if one.measure.key not in plain][:1]
        scaled += [
            _scaled(
                answer,
                one.measure.text,
                one.measure.unit,
                _measure(one.measure),
                higher=not one.upper,
                bound=one,
            )
            for one in bounds
        ]
    return scaled


def _objective(number: int) -> Callable[[Any], float]:
    return lambda spot: float(spot.objectives[number])


def _measure(measure: Measure) -> Callable[[Any], float]:
    return lambda spot: float(spot.measures[measure.key])


def _scaled(
    answer: Answer,
    label: str,
    unit: str,
    value: Callable[[Any], float],
    *,
    higher: bool,
    bound: Constraint | None = None,
) -> _Axis:
    """An axis in the unit of the recommendation."""
    best = next((one for one in answer.spots if one.candidate.key == answer.best.key), None)
    divisor, shown = wording.scaled(unit, value(best) if best else 0.0)
    return _Axis(label, shown, lambda spot: value(spot) / divisor, higher, divisor, bound)


def _trade(answer: Answer, width_in: float) -> Figure:
    """The first objective against each of the others, or against the bounded measure."""
    up, *others = _axes(answer)
    wide = width_in > 5
    count = len(others)
    figure = style.new_figure(width_in, 3.4 if wide else 3.4 * count + 0.4)
    axes = figure.subplots(1 if wide else count, count if wide else 1, squeeze=False, sharey=wide)
    for number, (ax, across) in enumerate(zip(axes.flat, others, strict=True)):
        _tried(ax, answer, up, across, named=number == 0)
        ax.set_xlabel(across.title)
        if number == 0 or not wide:
            ax.set_ylabel(up.title)
    figure.legend(loc="outside upper left", ncols=6 if wide else 3, handletextpad=0.2, columnspacing=1.2)
    return figure


def _tried(ax: Axes, answer: Answer, up: _Axis, across: _Axis, *, named: bool) -> None:
    """Every design as a point, the front, and a ring around the recommendation."""
    spots = [one for one in answer.spots if _finite(across.value(one), up.value(one))]
    best = next((one for one in spots if one.candidate.key == answer.best.key), None)
    _window(ax, spots, up, across, best)
    kinds = list(dict.fromkeys(one.candidate.kind_as_loaded for one in spots))
    away: list[str] = []
    for number, kind in enumerate(kinds):
        look = style.look(number)
        some = [one for one in spots if one.candidate.kind_as_loaded == kind]
        kept = any(one.holds for one in some)
        name = DISPLAY_NAMES.get(kind, kind)
        seen = any(_shown(ax, across.value(one), up.value(one)) for one in some)
        if not seen:
            away.append(name)
        for holds in (True, False):
            of = [one for one in some if one.holds is holds]
            labelled = named and seen and bool(of) and (holds or not kept)
            ax.plot(
                [across.value(one) for one in of], [up.value(one) for one in of], linestyle="none",
                marker=look.marker, markersize=4.2, color=look.colour, markerfacecolor=look.colour if holds else "none",
                markeredgewidth=0.8, alpha=0.95 if holds else 0.55, label=name if labelled else None,
            )  # fmt: skip
    if away:
        ax.annotate(f"outside the axes: {', '.join(away)}", (0.995, 0.98), xycoords="axes fraction", ha="right",
                    va="top", fontsize=6.5, color=style.MUTED)  # fmt: skip
    if len(answer.question.goal.objectives) < 3:
        _front(ax, spots, up, across)
    if best is not None:
        ax.plot([across.value(best)], [up.value(best)], linestyle="none", marker="o", markersize=11,
                markerfacecolor="none", markeredgecolor=style.INK, markeredgewidth=1.1, zorder=5)  # fmt: skip


def _shown(ax: Axes, x: float, y: float) -> bool:
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return left <= x <= right and low <= y <= high


def _front(ax: Axes, spots: Sequence[Any], up: _Axis, across: _Axis) -> None:
    """The Pareto front: designs that no other one beats in both."""
    points = {
        one.candidate.key: [(-1.0 if axis.higher else 1.0) * axis.value(one) for axis in (across, up)]
        for one in spots
    }
    names = set(front(points))
    line = sorted((across.value(one), up.value(one)) for one in spots if one.candidate.key in names)
    ax.plot([p[0] for p in line], [p[1] for p in line], color=style.MUTED, linewidth=0.9, zorder=1)


def _window(ax: Axes, spots: Sequence[Any], up: _Axis, across: _Axis, best: Any) -> None:
    """Limits of the axes: the worst designs are left out, bounds are inside."""
    left, right = _span(across, spots, best)
    if across.bound is not None:
        limit = across.bound.bound / across.divisor
        ax.axvline(limit, color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 2)))
        ax.annotate(f" {across.bound} in the mean", (limit, 0.02), xycoords=("data", "axes fraction"),
                    fontsize=6.5, color=style.MUTED)  # fmt: skip
        if not across.higher:
            right = max(
                2.2 * limit, min(right, 4 * limit), 1.06 * across.value(best) if best is not None else 0.0
            )
        # The bound is inside the axes even where every design is far from it.
        left, right = min(left, 0.9 * limit), max(right, 1.1 * limit)
    ax.set_xlim(left, right)
    inside = [one for one in spots if left <= across.value(one) <= right]
    low, high = _span(up, inside or spots, best)
    # No share exceeds 100 %.
    ax.set_ylim(low, min(high, WHOLE) if up.unit == "%" and low < 100.0 else high)


#: Upper end of an axis of shares: a mark at 100 % is drawn whole.
WHOLE = 100.6
#: Share of the designs, the worst ones, that may lie outside the axes.
OUTSIDE = 0.08


def _span(axis: _Axis, spots: Sequence[Any], best: Any) -> tuple[float, float]:
    """Range of an axis: all but the worst designs, and in any case the recommendation."""
    values = sorted((axis.value(one) for one in spots), reverse=axis.higher)
    worst = values[int((1.0 - OUTSIDE) * (len(values) - 1))]
    ends = sorted([values[0], worst, *([axis.value(best)] if best is not None else [])])
    low, high = ends[0], ends[-1]
    room = 0.06 * (high - low or abs(high) or 1.0)
    floor = 0.0 if 0.0 <= low < 0.5 * high else low - room
    return floor, high + room


def _finite(*values: float) -> bool:
    return all(abs(value) < float("inf") for value in values)


#: Width in inches of a tick's label, and of the labels and gaps of one panel in a row.
TICK_IN, MARGIN_IN = 0.5, 0.5

#: Title, value of a point, bound.
Curve = tuple[str, Callable[[Any], float], float | None]


def _curves(answer: Answer) -> list[Curve]:
    """Curves of the sensitivity figures: the objectives and the first bounded measure."""
    goal = answer.question.goal
    curves: list[Curve] = []
    for number, objective in enumerate(goal.objectives):
        axis = _scaled(
            answer, goal.names[number], objective.unit, _objective(number), higher=objective.higher
        )
        curves.append((axis.title, axis.value, None))
    for bound in goal.constraints[:1]:
        one = bound.measure
        axis = _scaled(answer, one.text, one.unit, _measure(one), higher=not bound.upper)
        curves.append((axis.title, axis.value, bound.bound / axis.divisor))
    return curves


def _grid(count: int, rows: int, width_in: float, height_in: float) -> tuple[Figure, Any]:
    figure = style.new_figure(width_in, rows * height_in + 0.3)
    return figure, figure.subplots(rows, count, squeeze=False, sharey="row", sharex="col")


def _sensitivity(answer: Answer, width_in: float) -> Figure:
    curves = _curves(answer)
    some = answer.sensitivity
    figure, axes = _grid(len(some), len(curves), width_in, 1.35)
    for column, one in enumerate(some):
        for row, (title, value, bound) in enumerate(curves):
            ax = axes[row][column]
            _off(ax, one, value, bound)
            if column == 0:
                ax.set_ylabel(title)
            if row == 0:
                ax.set_title(one.parameter)
            if row == len(curves) - 1:
                ax.set_xlabel("factor")
    # Axes of the final size may choose other, wider ticks, which need room again.
    engine: Any = figure.get_layout_engine()
    engine.execute(figure)
    return figure


def _off(ax: Axes, sensitivity: Sensitivity, value: Callable[[Any], float], bound: float | None) -> None:
    look = style.look(0)
    xs, ys = [off.factor for off in sensitivity.off], [value(off) for off in sensitivity.off]
    ax.set_xscale("log", base=2)
    ax.plot(xs, ys, color=look.colour)
    _marks(
        ax,
        [(x, y, off.holds, off.factor == 1.0) for x, y, off in zip(xs, ys, sensitivity.off, strict=True)],
        look,
    )
    ax.set_xlim(0.21, 4.8)
    ax.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    _bound(ax, bound)


def _marks(ax: Axes, points: Sequence[tuple[float, float, bool, bool]], look: style.VariantStyle) -> None:
    """Markers: a dot where constraints hold, a cross where one does not, a ring at the recommendation."""
    for x, y, holds, here in points:
        if not holds:
            ax.plot([x], [y], marker="x", color=style.PALETTE[1], markersize=5, markeredgewidth=1.2, zorder=4)
        else:
            ax.plot([x], [y], marker="o", color=look.colour, markersize=3.4, zorder=3)
        if here:
            ax.plot(
                [x],
                [y],
                marker="o",
                markerfacecolor="none",
                markeredgecolor=style.INK,
                markersize=9,
                zorder=5,
            )


def _bound(ax: Axes, bound: float | None) -> None:
    if bound is not None:
        ax.axhline(bound, color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 2)))


def _drift(answer: Answer, width_in: float) -> Figure:
    curves = _curves(answer)
    axes_of = list({one.axis.name: one.axis for one in answer.drift}.values())
    designs = list({one.candidate.key: one.candidate for one in answer.drift}.values())
    figure, axes = _grid(len(axes_of), len(curves), width_in, 1.5)
    for column, axis in enumerate(axes_of):
        mine = [one for one in answer.drift if one.axis.name == axis.name]
        for row, (title, value, bound) in enumerate(curves):
            ax = axes[row][column]
            for one in mine:
                number = [design.key for design in designs].index(one.candidate.key)
                _drift_line(ax, one, value, style.look(number))
            if axis.range.low > 0:
                ax.set_xscale("log")
            _ticks(ax, mine[0], width_in / len(axes_of) - MARGIN_IN)
            ax.axvspan(axis.range.low, axis.range.high, color=style.WASH, linewidth=0, zorder=0)
            _bound(ax, bound)
            if column == 0:
                ax.set_ylabel(title)
            if row == len(curves) - 1:
                ax.set_xlabel(axis.label)
    names = [named(one) if number == 0 else one.name for number, one in enumerate(designs)]
    if len(designs) > 1:
        labels.variant_legend(figure, [f"{names[0]}, as recommended", *names[1:]])
    return figure


def _drift_line(ax: Axes, drift: Drift, value: Callable[[Any], float], look: style.VariantStyle) -> None:
    xs, ys = [point.value for point in drift.points], [value(point) for point in drift.points]
    ax.plot(xs, ys, color=look.colour, linestyle=look.dash)
    _marks(ax, [(point.value, value(point), point.holds, False) for point in drift.points], look)


def _ticks(ax: Axes, drift: Drift, width_in: float) -> None:
    """Tick labels: as many of the tried values as fit, the ends of the asked range first."""
    ends = [point for point in drift.points if point.value in (drift.axis.range.low, drift.axis.range.high)]
    scale = math.log if drift.axis.range.low > 0 else float
    least_gap = TICK_IN / width_in * (scale(drift.points[-1].value) - scale(drift.points[0].value))
    kept: list[DriftPoint] = []
    for point in [*ends, drift.points[0], drift.points[-1], *drift.points]:
        if all(abs(scale(point.value) - scale(other.value)) >= least_gap for other in kept):
            kept.append(point)
    ax.set_xticks([point.value for point in kept], [point.shown for point in kept])
    ax.set_xticks([], minor=True)
