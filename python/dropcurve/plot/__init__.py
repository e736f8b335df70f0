"""Figures of a result. Each kind is one file with two functions.

`data(result)` returns plain data, one frozen dataclass for each panel, units in the names of its fields;
`draw(data, ax)` draws one of them. So numbers are tested without drawing, and other programs may use them:

    from dropcurve.plot import plot
    plot("queue", result, path="queue.svg")            # 7 in wide
    plot("queue", result, path="queue.pdf", width="column")

Matplotlib is imported when the first figure is drawn, not before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..files.writing import write_bytes
from . import labels, sweep
from . import style as styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Kind:
    """A kind of figure: its module in this package, and its title."""

    name: str
    title: str

    @property
    def module(self) -> Any:
        """The module with `data`, `draw`, `LAYOUT` and `SEE`; loaded on first use."""
        return import_module(f"{__name__}.{self.name}")

    @property
    def see(self) -> str:
        """Hint for the reader of the figure."""
        return str(self.module.SEE)


@dataclass(frozen=True)
class Layout:
    """How the panels of a kind are laid out.

    `height_in` is that of one panel at page width; `columns` the largest number in a row there; `legend` whether
    variants are distinguished by a key above all panels, as a line ("line") or a marker ("marker").
    """

    height_in: float
    columns: int = 1
    legend: str | None = None
    baseline_in_legend: bool = True
    share_x: bool = True
    share_y: bool = True


_ALL = (
    Kind("comparison", "Differences to the baseline"),
    Kind("tradeoff", "Utilisation against queueing delay"),
    Kind("queue", "Queue over time"),
    Kind("drop_curve", "Drop curve"),
    Kind("delay_distribution", "Queueing delay"),
    Kind("throughput_shares", "Shares of the link"),
    Kind("throughput", "Throughput over time"),
    Kind("cwnd", "Congestion windows"),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}


def plot(
    kind: str,
    result: Any,
    *,
    path: str | Path | None = None,
    format: str | None = None,
    width: str | float = "page",
    style: str = "screen",
) -> Figure:
    """Draws one kind of figure of a result, and writes it if a path is given.

    Args:
        kind: Kind of figure.
        result: A result.
        path: File to write.
        format: "svg", "png", "pdf" or "pgf" (needs LaTeX); by default the suffix of the path.
        width: "page" (7 in), "column" (3.5 in) or a number of inches.
        style: "screen", or "paper": serif type, black, fonts embedded as fonts.

    Returns:
        The figure. Drawing the same result twice makes files of the same bytes.

    Example:
        >>> plot("queue", result, path="queue.svg")
    """
    with styles.styled(style=style):
        figure = _draw(_kind(kind), result, width=width)
        if path is not None:
            path = Path(path)
            ending = format or path.suffix.lstrip(".").lower() or "svg"
            write_bytes(path, styles.to_bytes(figure, format=ending))
    return figure


def image(kind: str, result: Any, *, format: str = "svg", width: str | float = "page") -> bytes:
    """Returns the bytes of a figure's file.

    Args:
        kind: Kind of figure.
        result: A result.
        format: "svg", "png", "pdf" or "pgf".
        width: "page", "column" or a number of inches.

    Returns:
        The bytes; the same for the same result.

    Example:
        >>> Path("queue.png").write_bytes(image("queue", result, format="png"))
    """
    with styles.styled():
        return styles.to_bytes(_draw(_kind(kind), result, width=width), format=format)


#: Figures of one result that were drawn, by kind and width: a layout takes longer than writing it to a file.
Drawn = dict[tuple[str, str | float], "Figure"]


def fragment(
    kind: str,
    result: Any,
    *,
    label: str | None = None,
    width: str | float = "page",
    drawn: Drawn | None = None,
) -> str:
    """Returns a figure as an SVG element to paste into a page, with text as SVG text and colours as CSS variables.

    Args:
        kind: Kind of figure.
        result: A result.
        label: Description for screen readers; by default the title.
        width: "page", "column" or a number of inches.
        drawn: Figures of `save_all` that need not be drawn again.

    Returns:
        The element.

    Example:
        >>> fragment("comparison", result)[:4]
        '<svg'
    """
    with styles.styled(text_as_text=True):
        figure = (drawn or {}).get((kind, width)) or _draw(_kind(kind), result, width=width)
        svg = styles.to_bytes(figure, format="svg")
    # A page has a figure in several widths: each with names of styles and identifiers of its own.
    size = str(width).replace(".", "-")
    return styles.embeddable(svg, prefix=f"{kind.replace('_', '-')}-{size}", label=label or KINDS[kind].title)


def available(result: Any) -> tuple[str, ...]:
    """Returns the kinds of figures that are not empty for a result.

    Args:
        result: A result.

    Returns:
        Kinds, in the order of a report.

    Example:
        >>> available(result)
    """
    return tuple(name for name, kind in KINDS.items() if kind.module.data(result))


def save_all(
    result: Any,
    folder: str | Path,
    *,
    formats: Sequence[str] = ("svg", "png"),
    width: str | float = "page",
    style: str = "screen",
    drawn: Drawn | None = None,
) -> list[Path]:
    """Writes every figure that a result has into a folder.

    Args:
        result: A result.
        folder: The folder.
        formats: Formats of each figure.
        width: "page", "column" or a number of inches.
        style: "screen" or "paper".
        drawn: Takes up the figures, for the page of the same result; of the style "screen" alone.

    Returns:
        The files.

    Example:
        >>> save_all(result, "figures")
    """
    files = []
    for name in available(result):
        with styles.styled(style=style):
            figure = _draw(KINDS[name], result, width=width)
            if drawn is not None and style == "screen":
                drawn[name, width] = figure
            files += _save(figure, [Path(folder) / f"{name}.{format}" for format in formats])
    return files


def save_sweep(
    settings: Sequence[str],
    measured: Sequence[sweep.MetricRuns],
    *,
    kind: str | None = None,
    file: Path | None = None,
    folder: Path | None = None,
    width: str | float = "page",
    style: str = "screen",
) -> list[Path]:
    """Writes the figures of a sweep: one kind into a file, or all into a folder as SVG and PNG.

    Args:
        settings: Columns of the settings.
        measured: Runs of each metric.
        kind: Kind of figure, for `file`.
        file: File of one figure.
        folder: Folder of all figures.
        width: "page", "column" or a number of inches.
        style: "screen" or "paper".

    Returns:
        The files.

    Raises:
        UsageError: As `dropcurve.plot.sweep.draw`.

    Example:
        >>> save_sweep(settings, found, folder=Path("figures"))
    """
    files = []
    # Without one that can be drawn, the reason is that of the first.
    for name in [kind] if kind else sweep.available(settings, measured) or tuple(sweep.KINDS)[:1]:
        with styles.styled(style=style):
            figure = sweep.draw(name, settings, measured, width=width)
            both = [(folder or Path()) / f"{name}.{format}" for format in ("svg", "png")]
            files += _save(figure, [file] if file else both)
    return files


def _save(figure: Figure, files: Sequence[Path]) -> list[Path]:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, styles.to_bytes(figure, format=file.suffix.lstrip(".").lower() or "svg"))
    return list(files)


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise UsageError("plot kind", repr(name), f"must be one of {', '.join(KINDS)}", "choose one of these")
    return KINDS[name]


def _draw(kind: Kind, result: Any, *, width: str | float) -> Figure:
    width_in = styles.width_in(width)
    module = kind.module
    layout: Layout = module.LAYOUT
    panels = module.data(result)
    columns = max(1, min(layout.columns if width_in > 5 else 1, len(panels)))
    rows = max(1, math.ceil(len(panels) / columns))
    heights = [
        _height_in(module, layout, panels[r * columns : (r + 1) * columns], width_in) for r in range(rows)
    ]
    figure = styles.new_figure(width_in, sum(heights) + 0.25)
    axes = figure.subplots(
        rows,
        columns,
        squeeze=False,
        sharey=layout.share_y and len(panels) > 1,
        sharex=layout.share_x and len(panels) > 1,
        height_ratios=heights,
    )
    if layout.legend and panels:
        names = [variant.name for variant in result.variants]
        first = 0 if layout.baseline_in_legend else 1
        labels.variant_legend(figure, names, line=layout.legend == "line", first=first)
    if panels and hasattr(module, "key"):
        module.key(figure)
    flat = list(axes.flat)
    for panel, ax in zip(panels, flat, strict=False):
        module.draw(panel, ax)
    for ax in flat[max(1, len(panels)) :]:
        ax.set_visible(False)
    if not panels:
        labels.note_empty(flat[0], f"{kind.title}: this result has no data for it")
    elif len(panels) > 1:
        _label_outer(flat, layout, panels=len(panels), columns=columns)
    styles.arrange(figure)
    return figure


def _height_in(module: Any, layout: Layout, panels: Sequence[Any], width_in: float) -> float:
    """The height of a row of panels: the kind's own, or what its `height_in` asks for these data."""
    own = getattr(module, "height_in", None)
    if own is not None and panels:
        return max(float(own(panel, width_in)) for panel in panels)
    return layout.height_in


def _label_outer(axes: Sequence[Any], layout: Layout, *, panels: int, columns: int) -> None:
    """Labels the axes at the left only, and under the lowest panel of each column if they share the axis."""
    for i in range(panels):
        if i % columns:
            axes[i].set_ylabel("")
        if i + columns < panels and layout.share_x:
            axes[i].set_xlabel("")
        else:
            axes[i].tick_params(labelbottom=True)
