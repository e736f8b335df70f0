"""dropcurve describe: all there is to know of one thing."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def describe(
    name: Annotated[
        str,
        typer.Argument(
            help="A discipline, dialect, transport, profile, source, section, metric, plot or scenario."
        ),
    ],
    json: o.Json = False,
) -> int:
    """Describe one thing: what it is, its parameters with unit, default, range and source.

    \b
    Examples:
      dropcurve describe red
      dropcurve describe red:ns2
      dropcurve describe sojourn_ms_p95
    """
    from .. import commands, directory
    from . import console

    found = directory.describe(name)
    if json:
        console.data(found.data)
    else:
        print(found.title)
        for paragraph in found.paragraphs:
            print()
            console.rows([(paragraph,)])
        for heading, table in found.tables:
            print(f"\n{heading}")
            console.rows(table, indent="  ")
        for block in found.blocks:
            print(f"\n{block}")
    console.again(commands.line("describe", [name], []))
    return 0
