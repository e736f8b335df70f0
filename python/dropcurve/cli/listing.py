"""dropcurve list: names of disciplines, sources, metrics and so on."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="disciplines, dialects, transports, profiles, controls, sources, links, metrics, scenarios, plots, "
            "goals, measures, boxes, bounds or verbs.",
        ),
    ] = None,
    json: o.Json = False,
) -> int:
    """List disciplines, dialects, scenarios, metrics and so on.

    \b
    Examples:
      dropcurve list
      dropcurve list dialects
      dropcurve list scenarios --json
    """
    from ..report import directory
    from . import console, names

    more = names.sections()
    sections = directory.sections(more) if what is None else {what: directory.section(what, more)}
    if json:
        entries = {
            name: [{"name": title, "about": about} for title, about in rows]
            for name, rows in sections.items()
        }
        console.data(entries if what is None else entries[what])
    else:
        parts = [
            (f"{name}\n" if what is None else "")
            + directory.aligned(rows, indent="  " if what is None else "", width=console.width())
            for name, rows in sections.items()
        ]
        print("\n\n".join(parts))
    return 0
