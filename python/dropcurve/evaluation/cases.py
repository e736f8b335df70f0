"""The tests of a report card: each guideline of RFC7928 that the simulator can follow, as a scenario with what is
measured.

Sections are those of RFC7928. Levels of congestion (those at which tail drop should lose 0.1, 0.5 and 1 %) were held
against the scenarios for ns-3 of DST17, which name the section of each. Less-than-best-effort senders (5.4) are those
of TCP Vegas, whose delay-based control RFC6297 lists among them; LEDBAT is not in the simulator.
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

{topology}
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
            warmup=units.show_span(self.seconds / 6.0), topology=case.topology(self), buffer=self.buffer,
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


def dumbbell(setup: Setup) -> str:
    """One bottleneck."""
    return f'[dumbbell]\nrate = "{units.show_rate(setup.rate_bps)}"\n{_delays(setup, 0.4)}'


def chain(setup: Setup) -> str:
    """Two bottlenecks in a row, which share the delay."""
    return f'[chain]\nhops = 2\nrate = "{units.show_rate(setup.rate_bps)}"\n{_delays(setup, 0.2)}'


def changing(setup: Setup) -> str:
    """One bottleneck whose rate falls to a quarter and comes back, each for a sixth of the run."""
    part_ms = 1000.0 * setup.seconds / 6.0
    times: list[int] = []
    for begin, rate in ((0.0, setup.rate_bps), (part_ms, setup.rate_bps / 4.0)):
        # The link carries 1500 bytes at each of these moments.
        gap_ms = 12e6 / rate
        times += [round(begin + gap_ms * (i + 1)) for i in range(int(part_ms / gap_ms))]
    return f"[dumbbell]\nopportunities_ms = {times}\n{_delays(setup, 0.4)}"


def _delays(setup: Setup, share: float) -> str:
    delay, access = (units.show_span(part * setup.rtt_s) for part in (share, 0.1))
    return f'delay = "{delay}"\naccess_delay = "{access}"\nexit_delay = "0 s"\n'


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
    topology: Callable[[Setup], str] = dumbbell


def friendly(setup: Setup) -> Iterator[str]:
    """Long Reno flows."""
    yield setup.group("tcp", setup.flows("medium"))


def aggressive(setup: Setup) -> Iterator[str]:
    """Long CUBIC flows."""
    yield setup.group("tcp", setup.flows("medium"), cc="cubic")


def unresponsive(setup: Setup) -> Iterator[str]:
    """TCP and UDP that takes a third of the link without feedback."""
    yield setup.group("tcp", setup.flows("medium"))
    yield group(
        "udp",
        transport="udp",
        source="cbr",
        rate=units.show_rate(setup.rate_bps / 3.0),
        packet="1500 B",
        jitter=0,
    )


def background(setup: Setup) -> Iterator[str]:
    """TCP, and as many senders that yield to queueing delay."""
    count = max(2, setup.flows("medium") // 2)
    yield setup.group("tcp", count)
    yield setup.group("background", count, cc="vegas")


def round_trips(setup: Setup) -> Iterator[str]:
    """Two groups, one with a fifth of the other's base round trip."""
    count = max(2, setup.flows("medium") // 2)
    yield setup.group("far", count, access_delay=units.show_span(0.1 * setup.rtt_s + 0.4 * setup.rtt_s))
    yield setup.group("near", count, access_delay="0 s")


def bursts(setup: Setup) -> Iterator[str]:
    """Web pages, a variable stream and one transfer."""
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


def in_a_row(setup: Setup) -> Iterator[str]:
    """Transfers through both queues, and others through one of them."""
    count = max(1, setup.flows("medium") // 2)
    yield setup.group("through", count)
    for hop in (1, 2):
        yield setup.group(f"hop{hop}", count, **{"from": hop, "to": hop + 1})


DELAY = ("sojourn_ms_mean", "sojourn_ms_p95")
CASES = (
    Case("5.1", "TCP-friendly senders", "delay falls, the link stays in use, flows lose out of step",
         (*DELAY, "goodput_bps", "loss", "sync"), friendly),
    Case("5.2", "Aggressive senders (CUBIC)", "the same with senders that come back faster",
         (*DELAY, "goodput_bps", "loss"), aggressive),
    Case("5.3", "Unresponsive senders", "TCP keeps a share next to UDP, and waits less",
         ("delay_ms_p95[tcp]", "goodput_bps[tcp]", "flow_loss[tcp]"), unresponsive),
    Case("5.4", "Background senders (delay-based)", "TCP keeps its share next to senders that yield, and waits less",
         ("goodput_bps[tcp]", "goodput_bps[background]", "delay_ms_p95[tcp]", "flow_loss[background]"), background),
    Case("6", "Round trips of unlike length", "flows get shares that are more alike",
         ("jain", *DELAY, "goodput_bps"), round_trips),
    Case("7", "Bursts", "web pages come sooner next to a transfer",
         ("fct_ms_mean", "fct_ms_p95", "delay_ms_p95[video]", "goodput_bps[bulk]"), bursts),
    Case("8.2.2", "Mild congestion", "a steady queue in a link that is in use",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("mild")),
    Case("8.2.3", "Medium congestion", "the same",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("medium")),
    Case("8.2.4", "Heavy congestion", "the same",
         ("queue_pkts_sd", *DELAY, "utilisation"), level("heavy")),
    Case("8.2.5", "Varying congestion", "delay stays in hand as flows come and go",
         (*DELAY, "goodput_bps[stays]", "utilisation"), varying),
    Case("8.2.6", "Varying capacity", "delay stays in hand as the link's rate falls and comes back",
         (*DELAY, "goodput_bps", "loss"), level("medium"), changing),
    Case("9.1", "Mixed traffic", "calls and pages gain, transfers do not lose",
         ("delay_ms_p95[voice]", "jitter_ms[voice]", "fct_ms_p95", "goodput_bps[bulk]"), mixture),
    Case("9.2", "Traffic in both directions", "delay falls although acknowledgements queue, too",
         (*DELAY, "goodput_bps[down]", "utilisation"), both_ways),
    Case("10", "Two queues in a row", "transfers through both keep a share, and wait less",
         ("delay_ms_p95[through]", "goodput_bps[through]", "goodput_bps", "jain"), in_a_row, chain),
)  # fmt: skip


def setup(*, rate_bps: float, rtt_s: float, buffer: float | None, seconds: float, ecn: bool) -> Setup:
    """A link with a buffer of one bandwidth-delay product unless it is given, at least 8 packets."""
    product = rules.bandwidth_delay(rate_bps / 12_000.0, rtt_s)
    return Setup(rate_bps, rtt_s, max(8, math.ceil(product if buffer is None else buffer)), seconds, ecn)
