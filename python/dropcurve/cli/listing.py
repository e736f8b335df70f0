"""dropcurve list: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="disciplines, dialects, transports, profiles, sources, metrics, scenarios or plots.",
        ),
    ] = None,
    json: o.Json = False,
) -> int:
    """List what there is: disciplines, dialects, transports, profiles, sources, metrics, scenarios, plots.

    \b
    Examples:
      dropcurve list
      dropcurve list dialects
    """
    from .. import commands, directory
    from . import console

    sections = directory.sections() if what is None else {what: directory.section(what)}
    if json:
        entries = {
            name: [{"name": title, "about": about} for title, about in rows]
            for name, rows in sections.items()
        }
        console.data(entries if what is None else entries[what])
    else:
        for number, (name, rows) in enumerate(sections.items()):
            if what is None:
                print(("\n" if number else "") + name)
            console.rows(rows, indent="  " if what is None else "")
    console.again(commands.line("list", [what] if what else [], []))
    return 0
