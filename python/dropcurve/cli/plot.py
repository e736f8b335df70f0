"""dropcurve plot: figures of a stored result or sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .show import Folder
from .swept import is_sweep, plot_sweep

#: Files that a figure can be written to.
ENDINGS = (".svg", ".png", ".pdf", ".pgf")


def plot(
    folder: Folder,
    kind: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="Kind of figure (default: all that the result has)."),
    ] = None,
    metric: o.Metric = None,
    style: Annotated[
        str, typer.Option(metavar="NAME", help="screen, or paper: serif type, black, fonts embedded.")
    ] = "screen",
    width: Annotated[
        str, typer.Option(metavar="NAME", help="page (7 in), column (3.5 in), or inches.")
    ] = "page",
    write: Annotated[Path | None, o.shared("write", "one figure: .svg, .png, .pdf or .pgf")] = None,
    out: Annotated[Path | None, o.shared("out", "default: figures/ of the result")] = None,
    json: o.Json = False,
) -> int:
    """Draw the figures of a stored result or sweep, or one of them.

    The folder is the one that `run`, `compare` or `sweep` names at the end.

    \b
    Examples:
      dropcurve plot demo
      dropcurve plot demo queue --style paper --width column --write queue.pdf
      dropcurve plot grid heat_map --metric utilisation --metric sojourn_ms_p95
    """
    from ..errors import UsageError
    from ..files import checksums
    from ..runs import command_line
    from . import console

    if write is not None and kind is None:
        raise UsageError(
            "--write",
            write,
            "is one file, and no figure is named for it",
            "name the figure that goes into it, or a folder with --out",
        )
    if kind is not None and out is not None and out.suffix in ENDINGS:
        o.refuse_out(out, "the figure")
    target = out or folder / "figures"
    if is_sweep(folder):
        where = {"file": write} if write else {"folder": target}
        files = plot_sweep(folder, kind, metric or [], where, width=_inches(width), look=style)
    elif metric:
        raise UsageError(
            "--metric", metric[0], f"is for the figures of a sweep; {folder} is none", "leave it out"
        )
    else:
        files = _result(folder, kind, write, target, width=_inches(width), style=style)
    checksums.add(folder, files)
    if json:
        console.data([str(file) for file in files])
    else:
        for file in files:
            print(file)
    options = [("style", style if style != "screen" else None), ("width", width if width != "page" else None)]
    console.again(
        command_line.line(
            "plot",
            [str(folder), *([kind] if kind else [])],
            [*(("metric", name) for name in metric or []), *options, ("write", write), ("out", out)],
        )
    )
    return 0


def _inches(width: str) -> str | float:
    """A width as it was written, as a number where it is one."""
    try:
        return float(width)
    except ValueError:
        return width


def _result(
    folder: Path, kind: str | None, write: Path | None, target: Path, *, width: str | float, style: str
) -> list[Path]:  # fmt: skip
    """The files of the figures of a result, or of one of them."""
    from .. import plot as plots
    from ..errors import UsageError, nearest
    from ..results import Result

    if kind is not None and kind not in plots.KINDS:
        hint = nearest(kind, plots.KINDS, otherwise="`dropcurve list plots` shows all")
        raise UsageError("figure", kind, f"no figure is called '{kind}'", hint, shown="rule")
    result = Result.load(folder)
    if kind is None:
        return plots.save_all(result, target, width=width, style=style)
    file = write or target / f"{kind}.svg"
    file.parent.mkdir(parents=True, exist_ok=True)
    plots.plot(kind, result, path=file, width=width, style=style)
    return [file]
