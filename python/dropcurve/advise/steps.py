"""Steps for senders of DCTCP: marks of all packets beyond a threshold."""

from __future__ import annotations

import math

from ..quantities import units
from . import rules
from .designs import Design
from .link_conditions import Conditions
from .targets import room


def step_marking(conditions: Conditions) -> Design:
    """A step for DCTCP, which needs marks beyond a seventh of a round trip's packets."""
    threshold, wanted = _step(conditions)
    return Design(
        "Step marking", "step_marking",
        {"limit": units.show_packets(room(conditions)), "threshold": units.show_packets(threshold)},
        f"K > R C/7 = {wanted:.3g} packets at the longest round trip",
        "DCTCP10, RFC8257",
        "DCTCP reduces its window by the share of marked packets, so that a step keeps the queue near K without "
        "emptying it.",
        "Flows without ECN lose every packet beyond K, and flows with classic ECN halve their windows for a single "
        "mark.",
    )  # fmt: skip


def red_as_step(conditions: Conditions) -> Design:
    """The same step as switches have it: a RED curve over the instantaneous queue whose thresholds are neighbours."""
    threshold, wanted = _step(conditions)
    return Design(
        "RED as a step by DCTCP's rule", "red",
        {"limit": units.show_packets(room(conditions)), "min_th": units.show_packets(threshold),
         "max_th": units.show_packets(threshold + 1.0), "max_p": "1", "w_q": "0.999999", "ecn": "true",
         "ecn_forced": "mark"},
        f"min_th = R C/7 = {wanted:.3g} packets at the longest round trip, max_th = min_th + 1, max_p = 1, without an "
        "average",
        "DCTCP10, RFC8257",
        "Step marking for a box that has RED or WRED with ECN alone.",
        "As step marking: flows without ECN lose every packet beyond the thresholds.",
    )  # fmt: skip


def _step(conditions: Conditions) -> tuple[float, float]:
    """The threshold of a step for DCTCP, a seventh of a round trip in whole packets within the buffer; with the
    unrounded one."""
    wanted = rules.bandwidth_delay(conditions.capacity, conditions.rtt_s[1]) / 7.0
    return min(max(2.0, math.ceil(wanted)), max(1.0, room(conditions) - 2.0)), wanted
