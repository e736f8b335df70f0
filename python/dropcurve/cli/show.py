"""dropcurve show: the table of a stored result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o

Folder = Annotated[
    Path, typer.Argument(metavar="RESULT_FOLDER", help="A folder that `run`, `compare` or `sweep` wrote.")
]


def show(
    folder: Folder,
    per: o.Per = "total",
    metric: o.Metric = None,
    setup: Annotated[
        bool,
        typer.Option("--setup", help="Show the simulated scenarios, with every automatic value resolved."),
    ] = False,
    json: o.Json = False,
) -> int:
    """Print the table of a stored result or sweep, or its scenarios.

    The folder is the one that `run`, `compare` or `sweep` names at the end.

    \b
    Examples:
      dropcurve show demo
      dropcurve show demo --per flow --metric goodput_bps
      dropcurve show demo --setup
    """
    from ..present import terminal
    from ..report import setting
    from ..results import Result, folders
    from ..scenario import plugins
    from . import answer, console
    from .swept import is_sweep, show_sweep

    # Metrics of installed packages are columns, too.
    plugins.discover()
    answer.check(per, metric or [])
    if is_sweep(folder):
        return show_sweep(folder, metric or [], setup=setup, json=json)
    result = Result.load(folder)
    if setup:
        if json:
            console.data(setting.data(result))
        else:
            print(setting.text(result, width=console.width()))
    elif json:
        console.data(folders.record(result))
    else:
        exchange, weights = answer.stated(result)
        document = result.document(per=per, only=metric or [], exchange=exchange, weights=weights)
        print(terminal.render(document, width=console.width()))
    return 0
