"""A link and its traffic from a few numbers.

The answer prints these assumptions:

* Long TCP flows use CUBIC (RFC 9438 with the numbers of Linux) by default. Their round-trip times lie within a tenth of
  the given one, so that they do not synchronise.
* Short flows are web objects, each on a fresh connection. They arrive as a Poisson process; sizes have a heavy tail.
* UDP has exponential gaps.

A run lasts until its numbers have settled: longer for long round trips and slow links. Behind a queue that is short
against the round trip the flows start near their share (`steady_start`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import UsageError
from ..quantities import units
from ..scenario import Scenario
from .steady_start import LongFlows

#: Payload of a short flow: Pareto with the shape that CB97 found for the web, truncated where a flow is no longer
#: short.
LEAST_BYTES, SHAPE, MOST_BYTES = 2_000.0, 1.2, 1_000_000.0
#: Places where short flows arrive, each with a round trip of its own.
PLACES = 8
#: Bytes of a full packet.
PACKET_BYTES = 1500
#: Fewest packets of a buffer.
LEAST_BUFFER = 4
#: Senders of the UDP share.
UDP_FLOWS = 4
#: Largest number of packets of a run; its measurement window is shortened for more.
MOST_PACKETS = 1_000_000
#: Properties as an answer names them.
NAMES = {"rtt": "round trip", "buffer": "buffer"}
#: Largest share of the link that short flows and UDP may offer together.
MOST_SHARE = 95.0


@dataclass(frozen=True)
class Link:
    """A link with stated flows: the properties that are the same at every condition.

    Attributes:
        buffer_pkts: The largest buffer in packets.
        tcp: Congestion control of TCP.
        ecn: Whether flows negotiate ECN.
        buffer: The buffer as text with its unit where it follows from the condition (``250ms``, ``1bdp``), or the
            unit alone where the condition has its size; "" for `buffer_pkts` everywhere.
        taken: Properties that nobody stated, with what is assumed, such as ``("buffer", "250ms")``.
        bound_s: Bound on the queueing delay that is asked for, in seconds; None without one.
    """

    buffer_pkts: float
    tcp: str = "cubic"
    ecn: bool = False
    buffer: str = ""
    taken: tuple[tuple[str, str], ...] = ()
    bound_s: float | None = None

    def __post_init__(self) -> None:
        if self.tcp not in ("cubic", "reno"):
            raise UsageError(
                "tcp",
                self.tcp,
                "must be cubic or reno",
                "choose one of these; other senders go into a scenario file",
            )

    @property
    def buffer_varies(self) -> bool:
        """Whether the buffer in packets differs between conditions."""
        return bool(self.buffer)

    def packets(self, condition: Mapping[str, float]) -> float:
        """The buffer at a condition, in packets."""
        if not self.buffer:
            return self.buffer_pkts
        text = f"{units.plain(condition['buffer'])}{self.buffer}" if "buffer" in condition else self.buffer
        size = units.buffer(
            text, rate_bps=condition["rate"], rtt_s=condition["rtt"], packet_bytes=PACKET_BYTES
        )
        return max(LEAST_BUFFER, round(size))

    def assumed(self) -> str:
        """Assumptions about the traffic, in one line."""
        ecn = "with ECN" if self.ecn else "without ECN"
        taken = "".join(f"{NAMES[name]} {value}, " for name, value in self.taken)
        return (
            f"{taken}long transfers of {self.tcp.upper()} {ecn}, no L4S senders; short flows and UDP as far as "
            "they are asked for; no calls, games or video (--link RATE adds them)"
        )

    def scenario(self, condition: Mapping[str, float]) -> Scenario:
        """The scenario at a condition: ``rate`` (bit/s), ``rtt`` (s), ``flows``, ``short`` and ``udp`` (% of the
        link)."""
        rate, rtt, flows = condition["rate"], condition["rtt"], max(1, round(condition["flows"]))
        short, udp = condition.get("short", 0.0), condition.get("udp", 0.0)
        if short + udp > MOST_SHARE:
            raise UsageError(
                "short, udp",
                f"{short + udp:g} %",
                f"short flows and UDP ask for {short + udp:g} % of the link",
                "leave at least 5 % to the rest",
                shown="rule",
            )
        usual, duration = times(rate, rtt)
        long = self.long_flows(condition)
        more = long.longer(usual)
        near, far = (units.show_span(_us(share * rtt)) for share in (0.2, 0.3))
        parts = [
            f'title = "{units.show_rate(rate)}, {units.show_span(rtt)}, {flows} flows"',
            f'[run]\nduration = "{duration + more:g} s"\nwarmup = "{usual + more:g} s"',
            "[dumbbell]\n"
            f'rate = "{units.show_rate(rate)}"\ndelay = "{units.show_span(_us(0.2 * rtt))}"\n'
            f'access_delay = "uniform {near} to {far}"\n'
            f'exit_delay = "{units.show_span(_us(0.05 * rtt))}"',
            f'[queue]\nkind = "droptail"\nlimit = "{self.packets(condition):g} pkts"',
            f"[flows.long]\ncount = {flows}\n{long.keys(usual)}\n{self._tcp()}",
        ]
        if short > 0:
            gap = PLACES * 8 * short_bytes() / (short / 100 * rate)
            parts.append(
                f'[flows.short]\ncount = {PLACES}\nsource = "http"\nsessions = "open"\n'
                f'arrival = "exponential {units.show_span(_us(gap))}"\n'
                f'size = "pareto from {LEAST_BYTES:.0f} B shape {SHAPE:g} up to {MOST_BYTES:.0f} B"\n{self._tcp()}'
            )
        if udp > 0:
            each = units.show_rate(float(f"{udp / 100 * rate / UDP_FLOWS:.6g}"))
            parts.append(
                f'[flows.udp]\ncount = {UDP_FLOWS}\ntransport = "udp"\nsource = "poisson"\nrate = "{each}"\n'
                'start = "uniform 0 s to 1 s"'
            )
        return Scenario.parse("\n\n".join(parts), name="link")

    def long_flows(self, condition: Mapping[str, float]) -> LongFlows:
        """The long flows of a condition, which share what short flows and UDP leave."""
        rest = 1.0 - (condition.get("short", 0.0) + condition.get("udp", 0.0)) / 100.0
        flows = max(1, round(condition["flows"]))
        rate, rtt = rest * condition["rate"], condition["rtt"]
        return LongFlows(rate, rtt, flows, self.tcp, self.bound_s, PACKET_BYTES)

    def _tcp(self) -> str:
        ecn = "\necn = true" if self.ecn else ""
        return f'transport = "tcp"\nprofile = "linux"\ncc = "{self.tcp}"{ecn}'


def unsettled(link: Link, conditions: Iterable[dict[str, float]]) -> list[dict[str, float]]:
    """The conditions whose long flows start near their share, the one that would settle last first."""
    late = [one for one in conditions if link.long_flows(one).late(times(one["rate"], one["rtt"])[0])]
    return sorted(late, key=lambda one: -link.long_flows(one).settled_s)


def short_bytes() -> float:
    """Mean payload of a short flow: that of a Pareto law whose draws are cut at `MOST_BYTES`."""
    tail: float = LEAST_BYTES * (LEAST_BYTES / MOST_BYTES) ** (SHAPE - 1)
    return LEAST_BYTES + (LEAST_BYTES - tail) / (SHAPE - 1)


def times(rate_bps: float, rtt_s: float) -> tuple[float, float]:
    """(warm-up, duration) in seconds.

    The warm-up is 3 s and 50 round trips; the measurement window is 8 s and 100 round trips, or 4000 packets if that is
    longer, but at most a million packets. Both are whole seconds; where a million packets are less, tenths of one.
    """
    warmup = 3.0 + 50.0 * rtt_s
    packets_a_second = rate_bps / (8 * PACKET_BYTES)
    window = max(8.0 + 100.0 * rtt_s, 4000.0 / packets_a_second)
    most = max(2.0 + 20.0 * rtt_s, MOST_PACKETS / packets_a_second)
    step = 1.0 if window <= most else 0.1
    warmup = _rounded_up(warmup, step)
    return warmup, _rounded_up(warmup + _rounded_up(min(window, most), step), step)


def _rounded_up(value: float, step: float) -> float:
    """The next multiple of a step, to a tenth."""
    return round(math.ceil(round(value / step, 6)) * step, 1)


def _us(seconds: float) -> float:
    """Whole microseconds."""
    return round(seconds * 1e6) / 1e6
