"""Configurations that `fix` and `import` read: the text of a file, its options, and the places of its queues."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..boxes import Import
from ..scenario import Scenario
from . import options as o
from .queue_settings import QueueSetting

if TYPE_CHECKING:
    from ..fixes import Place

#: Base round trips of boxes of data centres.
USUAL_RTT = {"sonic": "50-200us", "nxos": "50-200us"}

Box = Annotated[
    str | None,
    typer.Option("--from", metavar="BOX", help=f"{o.BOXES} (default: recognised from the text)."),
]
Rate = Annotated[str | None, o.shared("rate", "where no shaper in the text states it")]
Rtt = Annotated[
    str | None,
    o.shared(
        "rtt",
        "without queueing; or a range, 20-200ms; default: 40ms; 20-80ms for a line with two rates; 50-200us for "
        "sonic and nxos",
    ),
]
Flows = Annotated[
    str | None, o.shared("flows", "default: one for each 2 Mbit/s of the queue's rate, 2 to 20")
]
Buffer = Annotated[str | None, o.shared("buffer", "where the text states shares of it")]


def contents(file: str) -> str:
    """The text of a file, or of standard input for "-". Raises DropcurveError if it is not text."""
    from ..errors import DropcurveError

    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        rates = "; rates of a line are numbers such as 20/2" if file[:1].isdigit() else ""
        raise DropcurveError(
            "file",
            file,
            "there is no such file",
            f"name a file that exists, or - for standard input{rates}",
            shown="value",
        ) from None
    except UnicodeDecodeError:
        raise DropcurveError(
            "file", file, "is not text", "name the router's configuration as text, in UTF-8", shown="value"
        ) from None


def reading(file: str, *, rate: float | None, buffer: str | None, packet: int) -> dict[str, Any]:
    """The options of `dropcurve.boxes.read` common to all verbs that read a configuration."""
    from ..quantities import units

    room = None if buffer is None else units.packets(buffer, packet_bytes=packet)
    return {
        "origin": "" if file == "-" else file, "buffer_bytes": None if room is None else round(room * packet),
        "rate_bps": rate, "packet_bytes": packet,
    }  # fmt: skip


def title(file: str) -> str:
    """The name of a file's queue: the file's without its ending."""
    return "imported" if file == "-" else Path(file).stem


def round_trip(rtt: str | None, box: str) -> tuple[float, float] | None:
    """Least and greatest base round trip in seconds: as given, else the usual ones for this box;
    None for that of the link."""
    from ..quantities import units

    chosen = rtt or USUAL_RTT.get(box)
    if chosen is None:
        return None
    return units.between(chosen, lambda word: units.span(word, what="rtt"), what="rtt")


def say_unneeded(rate_bps: float | None, queues: Sequence[Import]) -> None:
    """Prints which queues keep the rate of their shaper although another one is given."""
    from ..quantities import units
    from . import console

    for one in queues:
        if rate_bps is not None and one.rate_bps and abs(one.rate_bps - rate_bps) > 1e-3 * rate_bps:
            console.say(
                f"{one.title or one.discipline} is shaped to {units.show_rate(one.rate_bps)} in the text; --rate is "
                "for queues without a shaper"
            )


def gathered(places: list[Place], cases: list[QueueSetting], duration: str | None) -> Place:
    """One place of several conditions, each with this duration unless it is None."""
    distinct: list[Place] = []
    for one, case in zip(places, cases, strict=True):
        base = one.base if duration is None else lasting(one.base, duration)
        # A shaper of the text makes conditions that differ in the rate alone the same.
        if base.hash not in {other.base.hash for other in distinct}:
            distinct.append(replace(one, condition=case.words, base=base))
    if len(distinct) == 1:
        return replace(distinct[0], condition="")
    return replace(distinct[0], others=tuple(distinct[1:]))


def lasting(base: Scenario, duration: str) -> Scenario:
    """The scenario with this duration, of which half at most is warm-up."""
    from ..quantities import units

    warmup = units.span(str(base.get("run.warmup")))
    half = units.span(duration, what="duration") / 2.0
    return base.edit([("run.duration", duration), ("run.warmup", units.show_span(min(warmup, half)))])
