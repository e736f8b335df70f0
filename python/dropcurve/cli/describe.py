"""dropcurve describe: one discipline, source, metric or other thing, with its parameters."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def describe(
    name: Annotated[
        str,
        typer.Argument(
            help="A discipline, dialect, transport, profile, congestion control, source, link, section, metric, plot, "
            "scenario, goal, measure, box, bound or verb."
        ),
    ],
    json: o.Json = False,
) -> int:
    """Describe one thing and its parameters.

    \b
    Examples:
      dropcurve describe red
      dropcurve describe red:ns2
      dropcurve describe sojourn_ms_p95
    """
    from ..report import directory
    from . import console, names

    every = directory.describe(name, names.sections())
    if json:
        console.data([found.data for found in every])
    else:
        print("\n\n".join(directory.text(found, width=console.width()) for found in every))
    return 0
