"""Figures of a stress answer: harm over the two parameters with the largest effect, and along every parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plot import style
from .answer import StressAnswer
from .parameters import PARAMETERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Title and caption by name of each figure, in the order of the page.
TITLES = {
    "map": (
        "Harm over the two parameters that matter most",
        "One run for each pair of values, everything else as in the worst case; darker is worse, ringed is the worst "
        "case.",
    ),
    "walks": (
        "Harm along each parameter",
        "One run at each value, everything else as in the worst case; the line is where the worst case is.",
    ),
}


def available(answer: StressAnswer) -> tuple[str, ...]:
    """Names of the figures that the answer has data for."""
    names = ["map"] if answer.grid is not None else []
    return (*names, *(["walks"] if any(walk.effect > 0 for walk in answer.walks) else []))


def draw(name: str, answer: StressAnswer, *, width: str = "page") -> Figure:
    """A figure by name."""
    from matplotlib.figure import Figure

    with style.styled():
        wide = style.WIDTHS_IN[width]
        figure = Figure(
            figsize=(wide, 0.0 + (0.62 * wide if name == "map" else 1.5 * _rows(answer, wide))),
            layout="constrained",
        )
        if name == "map":
            _map(figure, answer)
        else:
            _walks(figure, answer, wide)
        style.arrange(figure)
    return figure


def fragment(name: str, answer: StressAnswer, *, width: str = "page") -> str:
    """A figure as an SVG element for a page."""
    figure = draw(name, answer, width=width)
    with style.styled(text_as_text=True):
        svg = style.to_bytes(figure, format="svg")
    title, see = TITLES[name]
    return style.embeddable(svg, prefix=f"{name}-{width}", label=f"{title}. {see}")


def _map(figure: Figure, answer: StressAnswer) -> None:
    """A cell for each pair of values of the grid, with its harm."""
    from matplotlib.colors import LinearSegmentedColormap

    grid = answer.grid
    assert grid is not None, "`available` checks that there is a grid"
    axes = figure.subplots()
    colours = LinearSegmentedColormap.from_list("harm", [style.WASH, style.PALETTE[1]])
    low, high = min(map(min, grid.harm)), max(map(max, grid.harm))
    span = high - low or 1.0
    for y, row in enumerate(grid.harm):
        for x, value in enumerate(row):
            share = (value - low) / span
            axes.add_patch(_cell(x, y, colours(share)))
            axes.text(x, y, f"{value:.3g}", ha="center", va="center", fontsize=6.5, color=style.INK)
    for ticks, axis, values in ((axes.xaxis, grid.across, grid.columns), (axes.yaxis, grid.down, grid.rows)):
        ticks.set_ticks(range(len(values)), [answer.bounds.shown(axis, one) for one in values])
    axes.set_xlabel(_label(grid.across))
    axes.set_ylabel(_label(grid.down))
    axes.set_xlim(-0.5, len(grid.columns) - 0.5)
    axes.set_ylim(-0.5, len(grid.rows) - 0.5)
    axes.grid(visible=False)
    own = answer.worst[grid.across], answer.worst[grid.down]
    if own[0] in grid.columns and own[1] in grid.rows:
        cell = grid.columns.index(own[0]), grid.rows.index(own[1])
        axes.add_patch(_cell(*cell, "none", edge=style.INK, line=1.6))
    axes.set_title(f"{'regret' if answer.regret else 'harm'} of {answer.design} ({answer.unit})")


def _cell(x: int, y: int, colour: Any, *, edge: str = style.PAPER, line: float = 0.8) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (x - 0.5, y - 0.5),
        1.0,
        1.0,
        facecolor=colour,
        edgecolor=edge,
        linewidth=line,
        zorder=3 if line > 1 else 1,
    )


def _rows(answer: StressAnswer, wide: float) -> int:
    some = len(_moving(answer))
    return -(-some // _columns(wide))


def _columns(wide: float) -> int:
    return 3 if wide > style.COLUMN_IN else 2


def _moving(answer: StressAnswer) -> list[Any]:
    return sorted((one for one in answer.walks if one.effect > 0), key=lambda one: -one.effect)


def _walks(figure: Figure, answer: StressAnswer, wide: float) -> None:
    """A panel for each parameter that matters, with one scale of harm."""
    some = _moving(answer)
    columns, rows = _columns(wide), _rows(answer, wide)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    every = [axes for row in panels for axes in row]
    for axes, walk in zip(every, some, strict=False):
        _panel(axes, answer, walk)
    for axes in every[len(some) :]:
        axes.set_visible(False)
    for row in panels:
        row[0].set_ylabel(answer.unit)


def _panel(axes: Axes, answer: StressAnswer, walk: Any) -> None:
    names = [answer.bounds.shown(walk.axis, one) for one in walk.values]
    numbers = range(len(names))
    axes.plot(numbers, walk.harm, color=style.PALETTE[0], marker="o", markersize=2.5)
    own = answer.worst[walk.axis]
    if own in walk.values:
        axes.axvline(walk.values.index(own), color=style.PALETTE[1], linewidth=0.8)
    shown = [0, len(names) // 2, len(names) - 1]
    axes.set_xticks(shown, [names[one] for one in shown])
    axes.margins(x=0.06)
    axes.set_title(_label(walk.axis))


def _label(axis: str) -> str:
    return axis.replace("_", " ") if axis in PARAMETERS else axis
