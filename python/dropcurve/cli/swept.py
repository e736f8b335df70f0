"""Folders of sweeps where a verb also takes the folder of a result."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError


def is_sweep(folder: Path) -> bool:
    """Whether a folder holds a sweep."""
    return (folder / "sweep.json").is_file()


def show_sweep(folder: Path, only: list[str], *, setup: bool, json: bool) -> int:
    """Prints the table of a sweep, or the scenario it started from."""
    from ..runs.sweeping import Sweep
    from . import console
    from .sweep import plain

    swept = Sweep.load(folder)
    if setup:
        console.data(swept.record["scenario"])
    elif json:
        console.data(swept.record | {"points": plain(swept, only)})
    else:
        print(swept.to_text(only=only))
    return 0


def plot_sweep(
    folder: Path, kind: str | None, only: list[str], target: dict[str, Path], *, width: str | float, look: str
) -> list[Path]:
    """Draws the figures of a sweep, or one of them.

    Args:
        folder: Folder of the sweep.
        kind: One of `dropcurve.plot.sweep.KINDS`; None for all it has.
        only: Metrics to show; those of its page if empty.
        target: Either the ``file`` to write or the ``folder`` to write SVG and PNG to.
        width: "page", "column" or a number of inches.
        look: Style of the figures.

    Returns:
        The files.

    Raises:
        UsageError: If no metric has values, or the sweep does not have this kind.
    """
    from .. import plot
    from ..report import sweep as page
    from ..runs.sweeping import Sweep

    swept = Sweep.load(folder)
    drawn = page.metric_runs(swept, only)
    if not drawn:
        raise UsageError(
            "out",
            folder,
            "no run has a value of these metrics",
            f"choose another; `dropcurve query {folder}` lists its columns",
            shown="value",
        )
    return plot.save_sweep(swept.settings, drawn, kind=kind, width=width, style=look, **target)
