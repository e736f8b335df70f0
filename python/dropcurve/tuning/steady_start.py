"""Runs whose warm-up ends before flows of CUBIC fill the link: fast links, long round trips, short queues, few flows.

Behind a queue that is short against the round trip a flow leaves slow start far below its share W (packets), and its
window grows from there with the cube of time: W is reached after about two times K = cbrt(W (1 - beta) / C) (RFC9438
section 4.2). Windows of two to five seconds along a run show it: over 40 ms with a bound of 2 ms, tail drop reaches
its steady utilisation at 1 Gbit/s after some 7 to 10 s with 50 flows (2 + 2 K = 9.4 s), after 10 s with 20 (12.0 s),
and has 82 % after 10 s with 12 (13.9 s); at 10 Gbit/s with 50 flows it has 58 % after 5 s and 93 % after 14 s (17.9
s). Where the bound is a fifth of the round trip or more, links up to 120 Mbit/s with 2 to 10 flows are steady after 5
s, and 10 Gbit/s over 5 ms with 50 flows after 2 s.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..quantities import units
from .delay_bounds import bound_s
from .link import PACKET_BYTES, Link, times
from .question import Question

#: CUBIC's constant (packets / s^3) and factor of decrease (RFC9438).
C, BETA = 0.4, 0.7
#: Latest start of a flow (s), and the times K after it until it fills its share.
START_S, TIMES = 2.0, 2.0
#: Seconds after the warm-up from which on the start is a part of the figures that matters.
LATE_S = 2.0
#: Bound as a share of the round trip below which a queue is short: between a fifth (steady) and a tenth (not).
SHORT = 0.15


def settling_s(rate_bps: float, rtt_s: float, flows: float) -> float:
    """Seconds until flows of CUBIC fill a link behind a short queue.

    Example:
        >>> round(settling_s(10e9, 0.04, 50), 1)
        17.9
    """
    window = rate_bps * rtt_s / (8 * PACKET_BYTES) / flows
    return START_S + TIMES * float((window * (1.0 - BETA) / C) ** (1 / 3))


def warning(question: Question) -> str:
    """A sentence on the condition that settles last after its warm-up; "" if all settle within it, or the question has
    no bound on the delay of long flows of CUBIC over a link."""
    link, bound = question.link, bound_s(question.goal, question.room)
    if not isinstance(link, Link) or link.tcp != "cubic" or bound is None:
        return ""
    late = [one for one in question.conditions() if bound < SHORT * one["rtt"] and _late_s(one) > LATE_S]
    if not late:
        return ""
    worst = max(late, key=_late_s)
    where = f" ({question.describe(worst)})" if question.varying else ""
    return (
        f"The start is part of these figures{where}: runs measure from {times(worst['rate'], worst['rtt'])[0]:g} s on, "
        f"and behind so short a queue flows fill the link after about {units.show_span(round(_settled_s(worst)))}; a "
        "scenario with a longer run.warmup shows the steady state"
    )


def _settled_s(one: Mapping[str, float]) -> float:
    return settling_s(one["rate"], one["rtt"], max(1.0, one["flows"]))


def _late_s(one: Mapping[str, float]) -> float:
    """Seconds by which a condition settles after the warm-up."""
    return _settled_s(one) - times(one["rate"], one["rtt"])[0]
