"""A scenario around an imported queue: the link and flows that the configuration does not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..quantities import units
from ..scenario import Scenario

_TEXT = """\
title = "{title}"

[run]
duration = "60 s"
warmup = "15 s"

[dumbbell]
rate = "{rate}"
delay = "{delay}"
access_rate = "0 bit/s"
access_delay = "{least}"
exit_delay = "0 s"

[queue]
kind = "droptail"

[flows.tcp]
count = {flows}
mss = "{mss} B"
ecn = {ecn}
start = "uniform 0 s to 5 s"
"""


def scenario(
    discipline: str,
    params: Mapping[str, Any],
    *,
    rate_bps: float,
    rtt_s: tuple[float, float],
    flows: int,
    packet_bytes: int = 1500,
    title: str = "An imported queue",
    name: str = "imported",
) -> Scenario:
    """One bottleneck with the queue, and long TCP flows whose round trips spread evenly over ``rtt_s``."""
    low, high = (value / 2.0 for value in rtt_s)
    delay = 0.9 * low
    spread = units.show_span(low - delay)
    if high > low:
        spread = f"even {spread} to {units.show_span(high - delay)}"
    text = _TEXT.format(
        title=title, rate=units.show_rate(rate_bps), delay=units.show_span(delay), least=spread, flows=flows,
        mss=packet_bytes - 40, ecn="true" if params.get("ecn") is True else "false",
    )  # fmt: skip
    plain = Scenario.parse(text, name=name)
    return plain.edit([("queue", {"kind": discipline, **dict(params)})])
