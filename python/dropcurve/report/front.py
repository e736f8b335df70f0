"""Renders the page of a result or a sweep as text, and writes it to a file."""

from __future__ import annotations

from pathlib import Path

from .. import plot
from ..files.writing import write_text
from ..quantities.arguments import checked
from ..results import Result
from ..runs.sweeping import Sweep
from ..verdict import Exchange, Weights
from . import content, sweep
from .rendering import page


@checked
def write(
    result: Result | Sweep,
    path: str | Path,
    *,
    exchange: Exchange | None = None,
    weights: Weights | None = None,
    drawn: plot.Drawn | None = None,
) -> Path:
    """Writes the page of a result.

    Args:
        result: A result or a sweep.
        path: The file; in a folder the page is ``report.html``.
        exchange: Exchange rate of the verdict, as for `Result.document`.
        weights: Weights of the verdict's goal.
        drawn: Figures that `plot.save_all` drew already.

    Returns:
        The file.

    Example:
        >>> write(result, "results/red")
    """
    path = Path(path)
    if path.is_dir():
        path = path / "report.html"
    write_text(path, render(result, exchange=exchange, weights=weights, drawn=drawn))
    return path


def render(
    result: Result | Sweep,
    *,
    exchange: Exchange | None = None,
    weights: Weights | None = None,
    drawn: plot.Drawn | None = None,
) -> str:
    """Returns the page of a result as text.

    Args:
        result: A result or a sweep.
        exchange: Exchange rate of the verdict, as for `Result.document`.
        weights: Weights of the verdict's goal.
        drawn: Figures that `plot.save_all` drew already.

    Returns:
        HTML that opens offline.

    Example:
        >>> text = render(result)
    """
    if isinstance(result, Sweep):
        return page("sweep.html", sweep.of(result))
    return page("page.html", content.of(result, exchange=exchange, weights=weights, drawn=drawn))
