"""dropcurve agree: recorded runs of Linux and ns-3 that cover a queue and a sender, and the errors of the simulator."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from . import options as o


def agree(
    queue: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="Discipline, such as fq_codel (default: all)."),
    ] = None,
    sender: Annotated[
        str | None, typer.Argument(metavar="[CC]", help="Congestion control, such as cubic (default: all).")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="Profile of the senders: linux, linux-7.3 or ns3.")
    ] = None,
    rate: Annotated[str | None, o.shared("rate", "rows within a factor of five")] = None,
    json: o.Json = False,
) -> int:
    """Show how well recorded runs of Linux and ns-3 cover a queue and a sender.

    Each row is a recorded configuration with its goodput and mean queue, there (in Linux or ns-3) and here (simulated).
    The last line states the mean errors. `run`, `compare` and `tune` print it too if their senders have such a profile.

    \b
    Examples:
      dropcurve agree fq_codel cubic --profile linux
      dropcurve agree codel --rate 20Mbit
    """
    from ..errors import UsageError
    from ..quantities import units
    from ..results import agreement
    from . import console

    for value, allowed, name in (
        (queue, {row.queue for row in agreement.rows()}, "KIND"),
        (sender, {row.sender for row in agreement.rows()}, "CC"),
        (profile, set(agreement.PROFILES), "--profile"),
    ):
        if value is not None and value not in allowed:
            raise UsageError(
                name, value, "has no recorded rows", f"rows are recorded for {', '.join(sorted(allowed))}"
            )
    bps = None if rate is None else units.rate(rate, what="rate")
    coverage = agreement.covered(queue, sender, profile=profile, rate_bps=bps)
    if json:
        console.data({"line": coverage.line(), "rows": [asdict(row) for row in coverage.rows]})
    else:
        print("\n".join([*coverage.table(), coverage.line()]))
    return 0
