"""Pictures of an answer: the trade, what each parameter costs, how far conditions may drift."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..plot import labels, style
from .answer import Answer
from .around import Drift, Sensitivity
from .goal import Objective
from .measures import Measure
from .words import KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Name, title and what to see, of each picture, in the order of the page.
TITLES = {
    "trade": (
        "What was tried",
        "Each point is a design at all conditions; filled ones keep every constraint. The line is the front: nothing "
        "that was tried is better in both. Ringed: the recommendation.",
    ),
    "sensitivity": (
        "If a parameter is off",
        "Each parameter alone, put off by the factor below. Crosses: a constraint breaks there at some condition.",
    ),
    "drift": (
        "If conditions drift",
        "One thing varies, the others stay in the middle of their ranges; grey is what was asked for. Crosses: a "
        "constraint breaks.",
    ),
}


def available(answer: Answer) -> tuple[str, ...]:
    """The pictures that have something to show."""
    found = ["trade"] if len(_axes(answer)) == 2 else []
    found += ["sensitivity"] if answer.sensitivity else []
    return (*found, *(["drift"] if answer.drift else []))


def fragment(name: str, answer: Answer, *, width: str = "page") -> str:
    """A picture as an SVG element for a page."""
    with style.styled(text_as_text=True):
        svg = style.to_bytes(_figure(name, answer, style.WIDTHS_IN[width]), format="svg")
    title, see = TITLES[name]
    return style.embeddable(svg, prefix=f"{name}-{width}", label=f"{title}. {see}")


def save(answer: Answer, folder: Path) -> list[Path]:
    """Writes every picture as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in available(answer):
        for format in ("svg", "png"):
            with style.styled():
                figure = _figure(name, answer, style.PAGE_IN)
                files.append(folder / f"{name}.{format}")
                files[-1].write_bytes(style.to_bytes(figure, format=format))
    return files


def _figure(name: str, answer: Answer, width_in: float) -> Figure:
    draw: dict[str, Callable[[Answer, float], Figure]] = {
        "trade": _trade, "sensitivity": _sensitivity, "drift": _drift,
    }  # fmt: skip
    figure = draw[name](answer, width_in)
    style.arrange(figure)
    return figure


def _axes(answer: Answer) -> list[tuple[str, str, Callable[[Any], float], bool]]:
    """(label, unit, value of a spot, whether higher is better) of the two things that are weighed: two objectives, or
    the objective and the first bounded measure."""
    goal = answer.question.goal

    def of_objective(number: int, one: Objective) -> tuple[str, str, Callable[[Any], float], bool]:
        return one.label, one.unit, lambda spot: float(spot.objectives[number]), one.higher

    def of_measure(one: Measure, upper: bool) -> tuple[str, str, Callable[[Any], float], bool]:
        return one.text, one.unit, lambda spot: float(spot.measures[one.key]), not upper

    found = [of_objective(number, one) for number, one in enumerate(goal.objectives)][:2]
    told = {one.single.key for one in goal.objectives if one.single}
    found += [of_measure(one.measure, one.upper) for one in goal.constraints if one.measure.key not in told]
    return found[:2]


def _trade(answer: Answer, width_in: float) -> Figure:
    figure = style.new_figure(width_in, 3.4 if width_in > 5 else 3.8)
    ax = figure.subplots()
    (up, up_unit, y, _), (across, across_unit, x, _) = _axes(answer)
    spots = [one for one in answer.spots if _finite(x(one), y(one))]
    kinds = list(dict.fromkeys(one.candidate.loaded_kind or one.candidate.kind for one in spots))
    for number, kind in enumerate(kinds):
        face = style.look(number)
        some = [one for one in spots if (one.candidate.loaded_kind or one.candidate.kind) == kind]
        kept = any(one.holds for one in some)
        for holds in (True, False):
            of = [one for one in some if one.holds is holds]
            ax.plot(
                [x(one) for one in of], [y(one) for one in of], linestyle="none", marker=face.marker, markersize=4.2,
                color=face.colour, markerfacecolor=face.colour if holds else "none", markeredgewidth=0.8,
                alpha=0.95 if holds else 0.55, label=KINDS.get(kind, kind) if of and (holds or not kept) else None,
            )  # fmt: skip
    _front(ax, spots, x, y, answer)
    best = next((one for one in spots if one.candidate.key == answer.best.key), None)
    if best is not None:
        ax.plot([x(best)], [y(best)], linestyle="none", marker="o", markersize=11, markerfacecolor="none",
                markeredgecolor=style.INK, markeredgewidth=1.1, zorder=5)  # fmt: skip
    _window(ax, answer, spots, x, y)
    ax.set_xlabel(f"{across} ({across_unit})" if across_unit else across)
    ax.set_ylabel(f"{up} ({up_unit})" if up_unit else up)
    figure.legend(
        loc="outside upper left", ncols=6 if width_in > 5 else 3, handletextpad=0.2, columnspacing=1.2
    )
    return figure


def _front(
    ax: Axes, spots: Sequence[Any], x: Callable[[Any], float], y: Callable[[Any], float], answer: Answer
) -> None:
    """The line of designs that none beats in both."""
    (_, _, _, up), (_, _, _, across) = _axes(answer)
    from .study import front

    points = {
        one.candidate.key: [(-1.0 if across else 1.0) * x(one), (-1.0 if up else 1.0) * y(one)]
        for one in spots
    }
    names = set(front(points))
    line = sorted((x(one), y(one)) for one in spots if one.candidate.key in names)
    ax.plot([p[0] for p in line], [p[1] for p in line], color=style.MUTED, linewidth=0.9, zorder=1)


def _window(
    ax: Axes, answer: Answer, spots: Sequence[Any], x: Callable[[Any], float], y: Callable[[Any], float]
) -> None:
    """The view: what is near the front, so that a hopeless design does not squeeze the rest; bounds are drawn in."""
    goal = answer.question.goal
    across = sorted(x(one) for one in spots)
    (_, _, _, _), (label, _, _, higher) = _axes(answer)
    bounds = [one for one in goal.constraints if one.measure.text == label]
    top = across[min(len(across) - 1, int(0.93 * len(across)))]
    if bounds and not higher:
        top = max(2.2 * bounds[0].bound, min(top, 4 * bounds[0].bound))
        ax.axvline(bounds[0].bound, color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 2)))
        ax.annotate(f" {bounds[0]} in the mean", (bounds[0].bound, 0.02), xycoords=("data", "axes fraction"),
                    fontsize=6.5, color=style.MUTED)  # fmt: skip
    if not higher and across[-1] > top:
        ax.set_xlim(0, 1.06 * top)
    elif not higher and across[0] >= 0:
        ax.set_xlim(0, 1.06 * across[-1])
    values = sorted(y(one) for one in spots if x(one) <= top or higher)
    low = values[int(0.08 * len(values))]
    room = 0.06 * (values[-1] - low or 1.0)
    ax.set_ylim(low - room, values[-1] + room)


def _finite(*values: float) -> bool:
    return all(abs(value) < float("inf") for value in values)


#: Label, unit, value of a point, bound.
Curve = tuple[str, str, Callable[[Any], float], float | None]


def _curves(answer: Answer) -> list[Curve]:
    """What the pictures around the answer show: the first objective and the first bounded measure."""
    goal = answer.question.goal
    one = goal.objectives[0]
    found: list[Curve] = [(one.label, one.unit, lambda point: float(point.objectives[0]), None)]
    if goal.constraints:
        bound = goal.constraints[0]
        measure = bound.measure
        found.append(
            (measure.text, measure.unit, lambda point: float(point.measures[measure.key]), bound.bound)
        )
    return found


def _grid(count: int, rows: int, width_in: float, height_in: float) -> tuple[Figure, Any]:
    figure = style.new_figure(width_in, rows * height_in + 0.3)
    return figure, figure.subplots(rows, count, squeeze=False, sharey="row", sharex="col")


def _sensitivity(answer: Answer, width_in: float) -> Figure:
    curves = _curves(answer)
    some = answer.sensitivity
    figure, axes = _grid(len(some), len(curves), width_in, 1.35)
    for column, one in enumerate(some):
        for row, (label, unit, value, bound) in enumerate(curves):
            ax = axes[row][column]
            _off(ax, one, value, bound)
            if column == 0:
                ax.set_ylabel(f"{label} ({unit})" if unit else label)
            if row == 0:
                ax.set_title(one.parameter)
            if row == len(curves) - 1:
                ax.set_xlabel("factor")
    return figure


def _off(ax: Axes, one: Sensitivity, value: Callable[[Any], float], bound: float | None) -> None:
    face = style.look(0)
    xs, ys = [off.factor for off in one.off], [value(off) for off in one.off]
    ax.set_xscale("log", base=2)
    ax.plot(xs, ys, color=face.colour)
    _marks(
        ax, [(x, y, off.holds, off.factor == 1.0) for x, y, off in zip(xs, ys, one.off, strict=True)], face
    )
    ax.set_xlim(0.21, 4.8)
    ax.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    _bound(ax, bound)


def _marks(ax: Axes, points: Sequence[tuple[float, float, bool, bool]], face: style.Look) -> None:
    """A dot where constraints hold, a cross where one breaks, a ring at what is recommended."""
    for x, y, holds, here in points:
        if not holds:
            ax.plot([x], [y], marker="x", color=style.PALETTE[1], markersize=5, markeredgewidth=1.2, zorder=4)
        else:
            ax.plot([x], [y], marker="o", color=face.colour, markersize=3.4, zorder=3)
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
        for row, (label, unit, value, bound) in enumerate(curves):
            ax = axes[row][column]
            for one in (one for one in answer.drift if one.axis.name == axis.name):
                number = [design.key for design in designs].index(one.candidate.key)
                _far(ax, one, value, style.look(number))
            if axis.range.low > 0:
                ax.set_xscale("log")
            _ticks(ax, next(one for one in answer.drift if one.axis.name == axis.name))
            ax.axvspan(axis.range.low, axis.range.high, color=style.WASH, linewidth=0, zorder=0)
            _bound(ax, bound)
            if column == 0:
                ax.set_ylabel(f"{label} ({unit})" if unit else label)
            if row == len(curves) - 1:
                ax.set_xlabel(axis.label)
    names = [KINDS.get(one.kind, one.kind) if number == 0 else one.name for number, one in enumerate(designs)]
    if len(designs) > 1:
        labels.variant_legend(figure, [f"{names[0]}, as recommended", *names[1:]])
    return figure


def _far(ax: Axes, one: Drift, value: Callable[[Any], float], face: style.Look) -> None:
    xs, ys = [far.value for far in one.points], [value(far) for far in one.points]
    ax.plot(xs, ys, color=face.colour, linestyle=face.dash)
    _marks(ax, [(far.value, value(far), far.holds, False) for far in one.points], face)


def _ticks(ax: Axes, one: Drift) -> None:
    """The values that were tried, as people write them; every other one where they are many."""
    points = one.points if len(one.points) < 7 else one.points[::2]
    ax.set_xticks([far.value for far in points], [far.shown for far in points])
    ax.set_xticks([], minor=True)
