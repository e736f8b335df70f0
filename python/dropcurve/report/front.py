"""The page of a result or a sweep, as text and as a file."""

from __future__ import annotations

from pathlib import Path

from ..files.writing import write_text
from ..results import Result
from ..runs.sweeping import Sweep
from ..verdict import Exchange, Weights
from . import content, sweep
from .rendering import page


def write(
    result: Result | Sweep,
    path: str | Path,
    *,
    exchange: Exchange | None = None,
    weights: Weights | None = None,
) -> Path:
    """Writes the page to `path` and returns it. A folder gets `report.html`. The verdict is by this exchange rate and
    these weights of a goal, as for `Result.document`."""
    path = Path(path)
    if path.is_dir():
        path = path / "report.html"
    write_text(path, render(result, exchange=exchange, weights=weights))
    return path


def render(
    result: Result | Sweep, *, exchange: Exchange | None = None, weights: Weights | None = None
) -> str:
    """The page as text; arguments as for `write`."""
    if isinstance(result, Sweep):
        return page("sweep.html", sweep.of(result))
    return page("page.html", content.of(result, exchange=exchange, weights=weights))
