"""dropcurve trace: every packet of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .sweep import ScenarioFile


def trace(
    scenario: ScenarioFile,
    changes: o.Set = None,
    duration: o.Duration = None,
    seed: o.Seed = 1,
    rows: Annotated[int, typer.Option(metavar="N", min=0, help="Rows to print.")] = 20,
    write: Annotated[
        Path | None, o.shared("write", "all rows: .csv, .parquet, or .pcapng for Wireshark")
    ] = None,
    force: o.Force = False,
) -> int:
    """Record every packet of one run, for reading or for Wireshark.

    Each row is an event: sent, received, acknowledged, dropped or marked. A capture has three interfaces: the source,
    the destination and the queue.

    \b
    Examples:
      dropcurve trace droptail_vs_red --duration "20 s" --rows 40
      dropcurve trace droptail_vs_red --write red.pcapng
    """
    from ..errors import UsageError
    from ..quantities import wording
    from ..runs import command_line, tracing
    from . import console

    if write is not None and write.suffix not in tracing.ENDINGS:
        *some, last = tracing.ENDINGS
        raise UsageError(
            "--write", write, f"must end in {', '.join(some)} or {last}", "choose one of these endings"
        )
    if write is not None and write.exists() and not force:
        raise UsageError("--write", write, "exists", "name another file, or give --force to replace it")
    traced = tracing.trace(o.load(scenario, changes=changes, duration=duration), seed=seed)
    for row in [tracing.HEADS, *traced.first(rows)] if rows else []:
        print(
            "  ".join(
                cell.rjust(width) for cell, width in zip(row, (12, 11, 6, 8, 8, 9), strict=True)
            ).rstrip()
        )
    if len(traced) > rows:
        console.say(
            f"{wording.count(len(traced), 'row')} in all; --rows N prints more, --write FILE writes all"
        )
    if write is not None:
        print(traced.write(write))
        console.again(
            command_line.line(
                "trace",
                [scenario],
                [
                    *(("set", change) for change in changes or []),
                    ("duration", duration),
                    ("seed", seed),
                    ("write", write),
                ],
            )
        )
    return 0
