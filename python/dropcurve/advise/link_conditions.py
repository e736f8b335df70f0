"""Conditions of a design: a link, its long TCP flows, and the range of each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import UsageError
from ..quantities import units

#: Mean queueing delay to aim at where the goal names none (FGS01).
TARGET_DELAY_S = 0.005
#: Longest round trip of a link within a data centre, and the share of it that the delay may take there: 5 ms would be
#: many round trips.
LOCAL_S, LOCAL_AIM = 1e-3, 0.25


@dataclass(frozen=True)
class Point:
    """One condition: `flows` long TCP flows with propagation round trip `rtt_s` on a link of `capacity` packets a
    second.
    """

    flows: int
    rtt_s: float
    capacity: float

    def window(self, queue: float) -> float:
        """Mean window in packets of a flow at full utilisation and a queue of `queue` packets."""
        return (self.rtt_s * self.capacity + queue) / self.flows

    def round_trip(self, queue: float) -> float:
        """Round trip in seconds, queueing included."""
        return self.rtt_s + queue / self.capacity

    def label(self) -> str:
        """``20 flows, 40 ms``."""
        noun = "flow" if self.flows == 1 else "flows"
        return f"{self.flows} {noun}, {units.show_span(self.rtt_s)}"


@dataclass(frozen=True)
class Conditions:
    """A link with ranges of round trips and flows.

    Attributes:
        rate_bps: Rate that the TCP flows share.
        rtt_s: Propagation round-trip time, (least, most).
        flows: Number of long TCP flows, (least, most).
        buffer: In packets of ``packet_bytes``; None: the advice chooses it.
        packet_bytes: Bytes of a full packet.
        target_delay_s: Queueing delay that the goal allows; None where the goal has no such bound.
        b: Packets per acknowledgement.
        rto_s: Smallest retransmission timeout.
        ecn: Whether flows and box use ECN.
        udp_bps: Rate of UDP on the link, in addition to ``rate_bps``.
        cc: Congestion control of the flows; "" where it is not known.
        line_bps: Rate of a line whose framing leaves less to full packets; 0 where it adds nothing.
    """

    rate_bps: float
    rtt_s: tuple[float, float]
    flows: tuple[int, int]
    buffer: float | None = None
    packet_bytes: int = 1500
    target_delay_s: float | None = None
    ecn: bool = False
    b: int = 2
    rto_s: float = 1.0
    udp_bps: float = 0.0
    cc: str = ""
    line_bps: float = 0.0

    @property
    def capacity(self) -> float:
        """Rate of the link in full packets a second."""
        return self.rate_bps / (8.0 * self.packet_bytes)

    @property
    def least_demanding(self) -> Point:
        """Fewest flows, longest round trip: the highest loop gain, so the first to oscillate."""
        return Point(self.flows[0], self.rtt_s[1], self.capacity)

    @property
    def most_demanding(self) -> Point:
        """Most flows, shortest round trip: needs the most drops."""
        return Point(self.flows[1], self.rtt_s[0], self.capacity)

    @property
    def middle(self) -> Point:
        """Geometric means of both ranges."""
        flows = max(1, round(math.sqrt(self.flows[0] * self.flows[1])))
        return Point(flows, float(f"{math.sqrt(self.rtt_s[0] * self.rtt_s[1]):.2g}"), self.capacity)

    @property
    def aim_s(self) -> float:
        """Mean queueing delay to aim at: half of the bound of the goal, which leaves room for oscillation; else the 5
        ms of FGS01, in a data centre a quarter of the longest round trip.
        """
        if self.target_delay_s is not None:
            return self.target_delay_s / 2.0
        return LOCAL_AIM * self.rtt_s[1] if self.is_local else TARGET_DELAY_S

    @property
    def is_local(self) -> bool:
        """Whether the round trips are those within a data centre."""
        return self.rtt_s[1] < LOCAL_S

    def points(self) -> Iterator[Point]:
        """The corners that matter, each once, and the middle where they are far apart."""
        wide = self.rtt_s[1] > 1.5 * self.rtt_s[0] or self.flows[1] > 1.5 * self.flows[0]
        yield from dict.fromkeys(
            (self.least_demanding, *((self.middle,) if wide else ()), self.most_demanding)
        )


def conditions(
    *,
    rate: str | float,
    rtt: str | float | tuple[float, float],
    flows: str | int | tuple[int, int],
    buffer: str | float | None = None,
    packet: str | int = 1500,
    goal: str | None = None,
    ecn: bool = False,
) -> Conditions:
    """Returns the conditions of a link from numbers as a user types them.

    Args:
        rate: In bit/s, or text with its unit; of a range the low end, where delay is longest.
        rtt: In seconds, or text; may be a range.
        flows: Long TCP flows; may be a range.
        buffer: In packets, or text in packets, bytes, time or bandwidth-delay products; of a range the low end.
        packet: Bytes of a full packet.
        goal: A bound on the delay in it sets the target.
        ecn: Whether flows negotiate ECN.

    Returns:
        The conditions, with a target if the goal bounds delay.

    Raises:
        UsageError: For invalid values.

    Example:
        >>> conditions(rate="20 Mbit/s", rtt="40 ms", flows=8).rate_bps
        20000000.0
    """
    packet_bytes = units.size(packet, what="packet") if isinstance(packet, str) else packet
    if not 40 <= packet_bytes <= 65535:
        raise UsageError("packet", packet, "must lie between 40 and 65535 bytes", "write a size such as 1500")
    rate_bps = units.between(rate, units.rate, what="rate")[0] if isinstance(rate, str) else float(rate)
    trips = _rtt(rtt)
    result = Conditions(
        rate_bps=rate_bps,
        rtt_s=trips,
        flows=_flows(flows),
        buffer=_buffer(buffer, rate_bps, trips[1], packet_bytes),
        packet_bytes=packet_bytes,
        target_delay_s=allowed_delay(goal),
        ecn=ecn,
    )
    for name, value in (
        ("rate", result.rate_bps),
        ("rtt", result.rtt_s[0]),
        ("buffer", result.buffer or 1.0),
    ):
        if not (value > 0 and math.isfinite(value)):
            raise UsageError(name, f"{value:g}", "must be above 0 and finite", "give the number of the link")
    return result


def _rtt(rtt: str | float | tuple[float, float]) -> tuple[float, float]:
    if isinstance(rtt, str):
        return units.between(rtt, lambda text: units.span(text, what="rtt"), what="rtt")
    low, high = rtt if isinstance(rtt, tuple) else (rtt, rtt)
    if low > high:
        raise UsageError(
            "rtt", f"({low:g}, {high:g})", "the shorter round trip comes first", f"write ({high:g}, {low:g})"
        )
    return float(low), float(high)


def _flows(flows: str | int | tuple[int, int]) -> tuple[int, int]:
    if isinstance(flows, str):
        low, high = units.between(flows, lambda text: units.count(text, what="flows"), what="flows")
    else:
        low, high = flows if isinstance(flows, tuple) else (flows, flows)
    if not 1 <= low <= high:
        raise UsageError(
            "flows", f"({low:g}, {high:g})", "must be 1 or more, and rise", "put the smaller number first"
        )
    return int(low), int(high)


def _buffer(buffer: str | float | None, rate_bps: float, rtt_s: float, packet_bytes: int) -> float | None:
    if isinstance(buffer, str):

        def packets(text: str) -> float:
            return units.buffer(text, rate_bps=rate_bps, rtt_s=rtt_s, packet_bytes=packet_bytes)

        # Whole packets of a time or a bandwidth-delay product.
        return max(1.0, math.floor(units.between(buffer, packets, what="buffer")[0] + 1e-9))
    return None if buffer is None else float(buffer)


def allowed_delay(goal: str | None) -> float | None:
    """The queueing delay in seconds that a goal such as ``p95 delay < 15ms, max utilisation`` allows, if it names
    one.
    """
    bounds = re.findall(
        r"(?:delay|sojourn)[^,;<≤]*(?:<=?|≤|below|under)\s*([0-9.]+\s*(?:us|ms|s)\b)", goal or ""
    )
    return min((units.span(text, what="goal") for text in bounds), default=None)
