"""dropcurve report: the page of a kept result."""

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
    """Write the page of a kept result; it opens offline.

    \b
    Example:
      dropcurve report results/red-1a2b3c4d --out red.html
    """
    from .. import commands
    from .. import report as pages
    from ..results import Result
    from . import console

    result = Result.load(folder)
    file = out or folder / "report.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    pages.write(result, path=file)
    print(file)
    console.again(commands.line("report", [str(folder)], [("out", out)]))
    return 0
