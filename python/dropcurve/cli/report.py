"""dropcurve report: the page of a stored result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .show import Folder


def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it (report.html of the result).")
    ] = None,
) -> int:
    """Write the page of a stored result; it opens offline.

    The folder is the one that `run` or `compare` names at the end.

    \b
    Example:
      dropcurve report demo --out red.html
    """
    from .. import report as pages
    from ..files import checksums
    from ..results import Result
    from ..runs import command_line
    from . import console

    result = Result.load(folder)
    file = out or folder / "report.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    pages.write(result, path=file)
    checksums.add(folder, [file])
    print(file)
    console.again(command_line.line("report", [str(folder)], [("out", out)]))
    return 0
