"""The queue of the other direction of a link: whether it delays what the queue under comparison is judged by."""

from __future__ import annotations

import re
from dataclasses import replace

from ..errors import DropcurveError
from ..metrics import statistics
from ..metrics.run_parts import Run, main_links
from ..quantities import units
from ..scenario import links
from .measurements import Measurements
from .recommendation import round_trip_s

#: Share of the base round trip from which the delay in the other direction is worth a sentence.
NOTABLE = 0.5
#: Discipline of the other direction that a link with its usual traffic assumes.
ASSUMED = "droptail"


def sentence(result: Measurements, leader: str) -> str:
    """Returns the sentence on a long queue in the other direction in the runs of the leading design.

    Args:
        result: A comparison on a link with its usual traffic.
        leader: Name of the design in its verdict.

    Returns:
        The sentence; "" where that queue is short, or is none that was assumed.
    """
    variant = next((one for one in result.variants if one.name == leader), result.baseline)
    back = variant.scenario.get("back_queue")
    if not isinstance(back, dict) or back.get("kind") != ASSUMED:
        return ""
    if not str(variant.scenario.get("description") or "").startswith(links.ASSUMED):
        return ""
    delays = [one for run in variant.runs if (one := _delay_s(run)) is not None]
    trip = round_trip_s(variant)
    if not delays or trip is None or (mean := statistics.mean(delays)) < NOTABLE * trip:
        return ""
    shown = units.show_span(float(f"{mean:.2g}"))
    base = units.show_span(float(f"{trip:.2g}"))
    return (
        f"The queue of the other direction, assumed to be tail drop, delays acknowledgements by {shown} on average, "
        f"on a base round trip of {base}, whatever is loaded here: mend it too{_command(result)}."
    )


def _delay_s(run: Run) -> float | None:
    """Mean time of a byte in the queue against the direction of the main link, by its mean backlog."""
    (name, *_) = [*main_links(run), ""]
    link = run["links"].get(f"{name}.back")
    if not link or not link.get("rate_bps") or link.get("queue_bytes_mean") is None:
        return None
    return float(8.0 * link["queue_bytes_mean"] / link["rate_bps"])


def _command(result: Measurements) -> str:
    """The command that tunes the other direction, in brackets; "" where the link is not known by its text."""
    named = re.findall(rf"(?<![^\s']){links.PREFIX}([^\s']+)", result.command)
    if len(named) != 1:
        return ""
    try:
        spec = links.spec(named[0])
    except DropcurveError:
        return ""
    typed = replace(spec, direction="down" if spec.direction == "up" else "up").typed({})
    return f" (dropcurve tune --link {typed})"
