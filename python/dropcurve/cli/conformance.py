"""dropcurve conformance: checks a discipline, control, source or metric against the rules of its kind."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def conformance(
    component: Annotated[
        str,
        typer.Argument(
            metavar="NAME[:KEY=VALUE,...]",
            help="The discipline, congestion control, source or metric, built in or of a plug-in.",
        ),
    ],
    seeds: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Number of random sequences of arrivals, departures and pauses."
        ),
    ] = 20,
    steps: Annotated[int, typer.Option(metavar="N", min=1, help="Length of each sequence.")] = 2_000,
    reorders: Annotated[
        bool, typer.Option("--reorders", help="Let packets of one flow leave out of order.")
    ] = False,
    json: o.Json = False,
) -> int:
    """Check a discipline, control, source or metric against the rules of its kind.

    For a discipline: no packet is lost or invented, packets of a flow keep their order, length and backlog are right,
    marks go to ECN-capable packets alone, and the same seed returns the same result. For a congestion control: windows
    are numbers above 0, and most losses narrow them. For a control or a source: both engines have
    the same results.

    \b
    Examples:
      dropcurve conformance codel
      dropcurve conformance half --plugin half.py
      dropcurve conformance cubic
    """
    from .. import metrics
    from ..errors import UsageError, nearest
    from ..quantities import values
    from ..runs import conformance as kit
    from ..scenario import library, plugins, toml
    from . import console

    name, known = component.partition(":")[0], library.catalogue()
    disciplines = [one["kind"] for one in known["disciplines"]]
    parts = [one["name"] for kind in ("congestion_controls", "sources") for one in known[kind]]
    extent = f"{seeds} sequences of {steps:,} steps"
    if name in [one["name"] for one in known["congestion_controls"]]:
        counted = kit.control(component, seeds=seeds, steps=steps)
    elif name in [one["name"] for one in known["sources"]]:
        counted, extent = kit.source(component, seeds=seeds), "whole runs"
    elif name in metrics.METRICS:
        counted, extent = kit.metric(component, seeds=seeds), "whole runs"
    elif name not in disciplines:
        remedy = nearest(
            name, [*disciplines, *parts, *metrics.METRICS], otherwise="`dropcurve list` shows all"
        )
        raise UsageError("NAME", component, "is not a discipline, control, source or metric", remedy)
    else:
        kind, parameters = values.queue(component)
        counted = plugins.conformance(
            toml.dump({"kind": kind, **parameters}), seeds=seeds, steps=steps, reorders=reorders
        )
    if json:
        console.data({"queue": component, "seeds": seeds, "steps": steps, **counted})
    else:
        counts = ", ".join(f"{count:,} {key}" for key, count in counted.items())
        print(f"{component}: passed {extent}: {counts}")
    return 0
