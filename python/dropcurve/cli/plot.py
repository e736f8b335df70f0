"""dropcurve plot: figures of a stored result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .show import Folder


def plot(
    folder: Folder,
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="One kind of figure (all it has).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="A file for one kind, a folder for all (figures/ of the result)."),
    ] = None,
    json: o.Json = False,
) -> int:
    """Draw the figures of a stored result, or one of them.

    The folder is the one that `run` or `compare` names at the end.

    \b
    Examples:
      dropcurve plot demo
      dropcurve plot demo queue --out queue.pdf
    """
    from .. import plot as plots
    from ..errors import UsageError, nearest
    from ..files import checksums
    from ..results import Result
    from ..runs import command_line
    from . import console

    if kind is not None and kind not in plots.KINDS:
        hint = nearest(kind, plots.KINDS, otherwise="`dropcurve list plots` shows all")
        raise UsageError(f"no figure is called '{kind}'; {hint}")
    result = Result.load(folder)
    if kind is None:
        files = plots.save_all(result, out or folder / "figures")
    else:
        file = out or folder / "figures" / f"{kind}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        plots.plot(kind, result, path=file)
        files = [file]
    checksums.add(folder, files)
    if json:
        console.data([str(file) for file in files])
    else:
        for file in files:
            print(file)
    console.again(command_line.line("plot", [str(folder), *([kind] if kind else [])], [("out", out)]))
    return 0
