"""dropcurve show: the table of a kept result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o

Folder = Annotated[Path, typer.Argument(metavar="RESULT_FOLDER", help="As `run` and `compare` write it.")]


def show(folder: Folder, per: o.Per = "total", metric: o.Metric = None, json: o.Json = False) -> int:
    """Print the table of a kept result.

    \b
    Examples:
      dropcurve show results/red-1a2b3c4d
      dropcurve show results/red-1a2b3c4d --per flow --metric goodput_bps
    """
    from .. import folders
    from .. import show as shown
    from ..results import Result
    from . import answer, console

    answer.check(per, metric or [])
    result = Result.load(folder)
    if json:
        console.data(folders.record(result))
    else:
        print(shown.text(result, per=per, only=metric or []))
    return 0
