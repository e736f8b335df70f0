"""What `run` and `compare` do alike: work with progress, keep, draw, print, and say how to go on after
Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..metrics import find
from ..present import terminal
from ..quantities import wording
from ..results import Result, folders
from ..runs.replicate import Progress
from ..runs.store import Store
from . import console


def check(per: str, only: Sequence[str]) -> None:
    """Raises UsageError for a table that cannot be made, before any work is done."""
    from ..results import tables

    tables.check_per(per)
    for name in only:
        find(name)


def give(
    work: Callable[[Progress | None], Result],
    *,
    folder: Path,
    per: str,
    only: Sequence[str],
    json: bool,
    quiet: bool,
    report: bool,
) -> int:
    """Does the work, writes page and figures, prints the answer. Returns 1 if a run is not what was
    asked for."""
    store = Store(folder)
    try:
        with console.progress(quiet=quiet or json) as progress:
            result = work(progress)
    except KeyboardInterrupt:
        kept = store.count()
        note = f"{kept} finished runs are kept in {folder}; the same command goes on from there"
        raise console.Interrupted(f"interrupted; {note if kept else 'no run was finished'}") from None
    if result.reused and not quiet:
        console.say(_reused(result, folder))
    if json:
        console.data(folders.record(result))
    elif not quiet:
        print(terminal.render(result.document(per=per, only=only), width=console.width()), flush=True)
    if report:
        draw(result, folder)
    if not json:
        print(folder if quiet else f"Kept:   {folder}")
    return 1 if result.problems else 0


def _reused(result: Result, folder: Path) -> str:
    whole = wording.count(len(result.variants) * len(result.seeds), "run")
    return f"dropcurve: {result.reused} of {whole} were there already, in {folder}; only the others were run"


def draw(result: Result, folder: Path) -> None:
    """Writes the figures and the page of a result into its folder."""
    from .. import plot, report

    plot.save_all(result, folder / "figures")
    report.write(result, path=folder / "report.html")
