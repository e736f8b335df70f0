"""dropcurve describe: one discipline, source, metric or other thing, with its parameters."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer

from . import options as o


def describe(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A discipline, dialect, transport, profile, congestion control, source, link, section, metric, plot, "
            "scenario, goal, measure, box, bound or verb.",
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
    from . import console

    every = _found(name)
    if json:
        console.data([page.data for page in every])
    else:
        print("\n\n".join(directory.text(page, width=console.width()) for page in every))
    return 0


def _found(name: str) -> list[Any]:
    """Everything of this name; options of verbs, which take time to load, only where there is nothing else."""
    from ..errors import UsageError
    from ..report import directory
    from . import names

    try:
        return list(directory.describe(name, names.sections()))
    except UsageError:
        path = name.split(".")
        for one in (":".join(path), path[-1]) if len(path) == 2 and all(path) else ():
            # A key as scenarios and options write it: queue.max_p, fq_codel.target.
            with suppress(UsageError):
                return list(directory.describe(one, names.sections()))
        options = [row for row in names.options() if row[0] == name.lstrip("-")]
        if not options:
            raise
        return list(directory.describe(name.lstrip("-"), {"options": options}))
