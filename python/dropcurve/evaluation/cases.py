"""The tests of a report card: each guideline of RFC7928 that the simulator can follow, as a scenario with what is
measured.

Sections are those of RFC7928. Its text was not at hand when this was written: sections and levels of congestion (those
at which tail drop should lose 0.1, 0.5 and 1 %) were held against the scenarios for ns-3 of DST17, which name theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..advise import rules, tcp
from ..quantities import units

#: Loss under tail drop at each level of congestion.
LEVELS = {"mild": 0.001, "medium": 0.005, "heavy": 0.01}

_HEAD = """\
title = "{title}"
source = "RFC 7928 section {section}"

[run]
duration = "{duration}"
warmup = "{warmup}"

[dumbbell]
rate = "{rate}"
delay = "{delay}"
access_delay = "{access}"
exit_delay = "0 s"

[queue]
kind = "droptail"
limit = "{buffer} pkts"

[back_queue]
kind = "droptail"
limit = "{buffer} pkts"
"""


@dataclass(frozen=True)
class Setup:
    """The link of a card: rate, base round trip, and a buffer of one bandwidth-delay product unless it is given."""

    rate_bps: float
    rtt_s: float
    buffer: int
    seconds: float
    ecn: bool

    @property
    def capacity(self) -> float:
        """Packets of 1500 bytes a second."""
        return self.rate_bps / 12_000.0

    def flows(self, level: str) -> int:
        """Long flows that bring tail drop to a level: the square root law (MSMO97) with the buffer half full."""
        window = tcp.mathis(LEVELS[level], tcp.Sender(self.rtt_s))
        room = rules.bandwidth_delay(self.capacity, self.rtt_s) + self.buffer / 2.0
        return max(2, round(room / window))

    def scenario(self, case: Case) -> str:
        """The scenario's text, with a tail-drop queue."""
        head = _HEAD.format(
            title=case.title, section=case.section, duration=units.show_span(self.seconds),
            warmup=units.show_span(self.seconds / 6.0), rate=units.show_rate(self.rate_bps),
            delay=units.show_span(0.4 * self.rtt_s), access=units.show_span(0.1 * self.rtt_s),
            buffer=self.buffer,
        )  # fmt: skip
        return head + "".join(case.flows(self))

    def group(self, name: str, count: int, **keys: str | int | bool) -> str:
        """A group of TCP flows."""
        return group(name, count=count, start="uniform 0 s to 1 s", ecn=self.ecn, **keys)


def group(name: str, **keys: str | int | bool) -> str:
    """A table of flows."""
    lines = [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join(["", f"[flows.{name}]", *lines, ""])


def _value(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Case:
    """One guideline: its section, what it asks, the flows, and the metrics (``name`` or ``name[class]``) that
    answer.
    """

    section: str
    title: str
    asks: str
    metrics: tuple[str, ...]
    flows: Callable[[Setup], Iterator[str]]


def friendly(setup: Setup) -> Iterator[str]:
    """Long Reno flows."""
    yield setup.group("tcp", setup.flows("medium"))


def aggressive(setup: Setup) -> Iterator[str]:
    """Long CUBIC flows."""
    yield setup.group("tcp", setup.flows("medium"), cc="cubic")


def unresponsive(setup: Setup) -> Iterator[str]:
    """TCP beside UDP that takes a third of the link whatever happens."""
    yield setup.group("tcp", setup.flows("medium"))
    yield group(
        "udp",
        transport="udp",
        source="cbr",
        rate=units.show_rate(setup.rate_bps / 3.0),
        packet="1500 B",
        jitter=0,
    )


def round_trips(setup: Setup) -> Iterator[str]:
    """Two groups, one with a fifth of the other's base round trip."""
    count = max(2, setup.flows("medium") // 2)
    yield setup.group("far", count, access_delay=units.show_span(0.1 * setup.rtt_s + 0.4 * setup.rtt_s))
    yield setup.group("near", count, access_delay="0 s")


def bursts(setup: Setup) -> Iterator[str]:
    """Web pages and a variable stream beside one transfer."""
    yield setup.group("bulk", 1)
    yield setup.group("web", 10, source="http")
    yield group(
        "video", transport="udp", source="onoff", rate=units.show_rate(setup.rate_bps / 4.0), packet="1200 B",
        on="200 ms", off="800 ms",
    )  # fmt: skip


def level(name: str) -> Callable[[Setup], Iterator[str]]:
    """Long flows at a level of congestion."""

    def flows(setup: Setup) -> Iterator[str]:
        yield setup.group("tcp", setup.flows(name))

    return flows


def varying(setup: Setup) -> Iterator[str]:
    """Mild congestion, heavy in the middle third."""
    third = setup.seconds / 3.0
    mild = setup.flows("mild")
    yield setup.group("stays", mild)
    start, stop = (units.show_span(value) for value in (third, 2.0 * third))
    yield group("comes", count=max(1, setup.flows("heavy") - mild), start=start, stop=stop, ecn=setup.ecn)


def mixture(setup: Setup) -> Iterator[str]:
    """Transfers, web pages and a call."""
    yield setup.group("bulk", max(2, setup.flows("mild")))
    yield setup.group("web", 10, source="http")
    yield group("voice", transport="udp", source="cbr", rate="87.2 kbit/s", packet="218 B")


def both_ways(setup: Setup) -> Iterator[str]:
    """Transfers in both directions."""
    yield setup.group("down", setup.flows("medium"))
    yield setup.group("up", setup.flows("mild"), reverse=True)


DELAY = ("sojourn_ms_mean", "sojourn_ms_p95")
CASES = (
    Case("5.1", "TCP-friendly senders", "delay falls, the link stays in use, flows lose out of step",
         (*DELAY, "goodput_bps", "loss", "sync"), friendly),
    Case("5.2", "Aggressive senders (CUBIC)", "the same with senders that come back faster",
         (*DELAY, "goodput_bps", "loss"), aggressive),
    Case("5.3", "Unresponsive senders", "TCP keeps a share beside UDP, and waits less",
         (*DELAY, "goodput_bps[tcp]", "loss"), unresponsive),
    Case("6", "Round trips of unlike length", "flows get shares that are more alike",
         ("jain", *DELAY, "goodput_bps"), round_trips),
    Case("7", "Bursts", "web pages come sooner beside a transfer",
         ("fct_ms_mean", "fct_ms_p95", "sojourn_ms_p95", "goodput_bps[bulk]"), bursts),
    Case("8.2.2", "Mild congestion", "a steady queue in a link that is in use",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("mild")),
    Case("8.2.3", "Medium congestion", "the same",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("medium")),
    Case("8.2.4", "Heavy congestion", "the same",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("heavy")),
    Case("8.2.5", "Varying congestion", "delay stays in hand as flows come and go",
         (*DELAY, "goodput_bps[stays]", "utilisation"), varying),
    Case("9.1", "Mixed traffic", "calls and pages gain, transfers do not lose",
         ("delay_ms_p95[voice]", "jitter_ms[voice]", "fct_ms_p95", "goodput_bps[bulk]"), mixture),
    Case("9.2", "Traffic in both directions", "delay falls although acknowledgements queue, too",
         (*DELAY, "goodput_bps[down]", "utilisation"), both_ways),
)  # fmt: skip

#: Guidelines that are not tested, and why.
LEFT_OUT = {
    "5.4": "less-than-best-effort senders: LEDBAT is not in the simulator",
    "8.2.6": "varying capacity: links keep their rate",
    "10": "several queues in a row: dropcurve compare on a [chain]",
    "11": "cost: the benches give nanoseconds for each packet",
}


def setup(*, rate_bps: float, rtt_s: float, buffer: float | None, seconds: float, ecn: bool) -> Setup:
    """A link with a buffer of one bandwidth-delay product unless it is given, at least 8 packets."""
    product = rules.bandwidth_delay(rate_bps / 12_000.0, rtt_s)
    return Setup(rate_bps, rtt_s, max(8, math.ceil(product if buffer is None else buffer)), seconds, ecn)
