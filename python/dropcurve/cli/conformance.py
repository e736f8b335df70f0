"""dropcurve conformance: a discipline against the rules for every queue."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def conformance(
    queue: Annotated[
        str, typer.Argument(metavar="KIND[:KEY=VALUE,...]", help="The discipline, built in or of a plug-in.")
    ],
    seeds: Annotated[
        int, typer.Option(min=1, help="Random sequences of arrivals, departures and pauses.")
    ] = 20,
    steps: Annotated[int, typer.Option(min=1, help="Length of each sequence.")] = 2_000,
    reorders: Annotated[bool, typer.Option("--reorders", help="Packets of one flow may overtake.")] = False,
    json: o.Json = False,
) -> int:
    """Check a discipline against the rules for every queue.

    No packet is lost or invented, packets of a flow keep their order, length and backlog are right, only ECN-capable
    packets are marked, and the same seed returns the same result.

    \b
    Examples:
      dropcurve conformance codel
      dropcurve conformance half --plugin half.py
    """
    from ..quantities import values
    from ..scenario import plugins, toml
    from . import console

    kind, parameters = values.queue(queue)
    table = toml.dump({"kind": kind, **parameters})
    found = plugins.conformance(table, seeds=seeds, steps=steps, reorders=reorders)
    if json:
        console.data({"queue": queue, "seeds": seeds, "steps": steps, **found})
    else:
        counts = ", ".join(f"{count:,} {name}" for name, count in found.items())
        print(f"{queue}: passed {seeds} sequences of {steps:,} steps: {counts}")
    return 0
