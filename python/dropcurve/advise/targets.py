"""The buffer of a design, and targets of the delay that fit into it."""

from __future__ import annotations

import math

from ..quantities import units
from . import rules
from .link_conditions import Conditions


def room(conditions: Conditions, max_th: float = 0.0) -> float:
    """The buffer in packets: as given, or the greater of the bandwidth-delay product and twice the average at which
    RED drops everything.
    """
    if conditions.buffer is not None:
        return max(1.0, math.floor(conditions.buffer))
    longest = rules.bandwidth_delay(conditions.capacity, conditions.rtt_s[1])
    return float(math.ceil(max(longest, 4.0 * max_th, 20.0)))


def codel_times(conditions: Conditions) -> tuple[float, float, tuple[str, ...]]:
    """Target and interval, and a note on a target that the buffer bounds."""
    # RFC8289 section 4.3: the worst round trip of the path, which within a data centre is far below 100 ms.
    interval = (
        conditions.rtt_s[1]
        if conditions.is_local
        else max(0.1, math.ceil(conditions.rtt_s[1] * 100.0) / 100.0)
    )
    target = interval / 20.0 if conditions.target_delay_s is None else min(interval / 20.0, conditions.aim_s)
    target, note = within_buffer(max(target, 1.5 / conditions.capacity), conditions)
    return target, short(interval), note


def within_buffer(target_s: float, conditions: Conditions) -> tuple[float, tuple[str, ...]]:
    """A target of at most half the buffer, but of a packet at least, and a note where that lowers it: a queue that
    cannot become as long as its target drops by overflow alone.
    """
    half = max(1.0, room(conditions) / 2.0) / conditions.capacity
    if target_s <= half:
        return short(target_s), ()
    shown = units.show_span(short(half))
    return short(half), (
        f"the buffer is too small for the wanted delay: target lowered to half of it, {shown}",
    )


def short(value: float) -> float:
    """A number in three significant digits, the precision of a rule of thumb."""
    return float(f"{value:.3g}")
