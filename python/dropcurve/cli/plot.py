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
    write: Annotated[Path | None, o.shared("write", "one figure: .svg, .png or .pdf")] = None,
    out: Annotated[Path | None, o.shared("out", "figures/ of the result")] = None,
    json: o.Json = False,
) -> int:
    """Draw the figures of a stored result, or one of them.

    The folder is the one that `run` or `compare` names at the end.

    \b
    Examples:
      dropcurve plot demo
      dropcurve plot demo queue --write queue.pdf
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
    if write is not None and kind is None:
        raise UsageError(
            f"--write {write}: is one file; name the figure that goes into it, or a folder with --out"
        )
    if kind is not None and out is not None and out.suffix in (".svg", ".png", ".pdf"):
        o.refuse_out(out, "the figure")
    result = Result.load(folder)
    target = out or folder / "figures"
    if kind is None:
        files = plots.save_all(result, target)
    else:
        file = write or target / f"{kind}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        plots.plot(kind, result, path=file)
        files = [file]
    checksums.add(folder, files)
    if json:
        console.data([str(file) for file in files])
    else:
        for file in files:
            print(file)
    console.again(
        command_line.line("plot", [str(folder), *([kind] if kind else [])], [("write", write), ("out", out)])
    )
    return 0
