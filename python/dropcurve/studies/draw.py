"""Lines and panels of a study's figures: effects with their intervals, and our numbers next to a paper's."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..plot.panels import Line, Panel
from .effects import Effect

#: Confidence of the bars.
LEVEL = 0.95


def line(name: str, points: Sequence[tuple[float, Effect]], look: int = 0, *, scale: float = 1.0) -> Line:
    """Returns a line through effects, with their intervals.

    Args:
        name: Name of the line.
        points: Position and effect of each point.
        look: Index of its colour and marker.
        scale: Factor of all values.

    Returns:
        The line.

    Example:
        >>> line("RED", [(5.0, effect), (10.0, other)])
    """
    known = [(x, one) for x, one in points if not math.isnan(one.value)]
    halves = [one.half_width(LEVEL) for _, one in known]
    return Line(
        name,
        [x for x, _ in known],
        [one.value * scale for _, one in known],
        [half * scale if math.isfinite(half) else 0.0 for half in halves],
        look,
    )


def with_paper(
    title: str, y: str, names: Sequence[str], here: Sequence[tuple[float, float]],
    paper: Sequence[tuple[float, float]], *, levels: Sequence[tuple[float, str]] = (),
) -> Panel:  # fmt: skip
    """Returns bars of numbers with their half-widths, next to the printed numbers of a paper.

    Args:
        title: Title of the panel.
        y: Label of the axis.
        names: Names of the groups of bars.
        here: Number and half-width of each group in this reproduction.
        paper: The same in the paper.
        levels: Horizontal lines, each with its label.

    Returns:
        The panel.

    Example:
        >>> with_paper("Table 3", "ratio", ["1", "2"], [(1.0, 0.1), (1.1, 0.1)], [(1.0, 0.0), (1.2, 0.0)])
    """
    at = range(len(names))
    ours, theirs = list(zip(*here, strict=True)), list(zip(*paper, strict=True))
    lines = [
        Line("here", [i - 0.1 for i in at], ours[0], ours[1], joined=False),
        Line("the paper", [i + 0.1 for i in at], theirs[0], theirs[1], look=1, paper=True),
    ]
    ticks = {float(i): name.replace(" ", "\n") for i, name in enumerate(names)}
    return Panel(lines, "", y, title, ticks=ticks, levels=levels)
