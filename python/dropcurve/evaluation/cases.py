"""The tests of a report card: each guideline of RFC7928 that the simulator can follow, as a scenario with the metrics
measured.

Sections are those of RFC7928 (July 2016); where one asks for several scenarios, letters or the numerals of its own list
follow. Phases of varying load and rate are shares of the run instead of 20 s, so that a run of any length has all of
them; each phase is measured alone as well (section 8.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ..advise import rules
from ..quantities import units

#: Loss under tail drop at each level of congestion (section 8.2.1).
LEVELS = {"mild": 0.001, "medium": 0.005, "heavy": 0.01}
#: The constant of the loss of N flows that share S packets: l = 0.76 N^2 / S^2 (section 8.2.1).
CROWDING = 0.76
#: Share of the link's rate that is left in the low phase of a changing rate, and the short phase (section 8.2.6).
LOW_SHARE, SHORT_PHASE_S = 0.1, 0.1

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
        """Long flows that bring tail drop to a level: N = S sqrt(l / 0.76), where S is the bandwidth-delay product and
        the buffer together (section 8.2.1)."""
        shared = rules.bandwidth_delay(self.capacity, self.rtt_s) + self.buffer
        return max(2, round(shared * math.sqrt(LEVELS[level] / CROWDING)))

    def scenario(self, case: Case) -> str:
        """The scenario's text, with a tail-drop queue."""
        begin, end = case.phase or (1.0 / 6.0, 1.0)
        head = _HEAD.format(
            title=case.title, section=case.section, duration=units.show_span(end * self.seconds),
            warmup=units.show_span(begin * self.seconds), topology=case.topology(self), buffer=self.buffer,
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
    """One bottleneck whose rate falls to a tenth and rises again, each for a sixth of the run."""
    return _changing(setup, setup.seconds / 6.0)


def fast_changing(setup: Setup) -> str:
    """One bottleneck whose rate changes every 100 ms; on links so slow that no packet fits, every two packets
    of the low rate."""
    return _changing(setup, max(SHORT_PHASE_S, 2.0 / (LOW_SHARE * setup.capacity)))


def _changing(setup: Setup, phase_s: float) -> str:
    times: list[int] = []
    for begin, rate in ((0.0, setup.rate_bps), (1e3 * phase_s, LOW_SHARE * setup.rate_bps)):
        # The link carries 1500 bytes at each of these moments; the list repeats from the last one, the end of a phase.
        count = int(rate / 12e3 * phase_s + 1e-9)
        times += [round(begin + 1e3 * phase_s * (i + 1) / count) for i in range(count)]
    return f"[dumbbell]\nopportunities_ms = {times}\n{_delays(setup, 0.4)}"


def _delays(setup: Setup, share: float) -> str:
    delay, access = (units.show_span(part * setup.rtt_s) for part in (share, 0.1))
    return f'delay = "{delay}"\naccess_delay = "{access}"\nexit_delay = "0 s"\n'


@dataclass(frozen=True)
class Case:
    """One guideline: its section, its question, the flows, and the metrics (``name`` or ``name[class]``) that answer
    it. ``phase`` is the part of the run that is measured, in shares; None: all after the warm-up. A phase is part of
    another test: the verdict over all tests leaves it out.
    """

    section: str
    title: str
    asks: str
    metrics: tuple[str, ...]
    flows: Callable[[Setup], Iterator[str]]
    topology: Callable[[Setup], str] = dumbbell
    phase: tuple[float, float] | None = None


def _udp(name: str, setup: Setup, share: float, **keys: str | int | bool) -> str:
    """Datagrams at a share of the link's rate, without feedback."""
    return group(name, transport="udp", source="cbr", rate=units.show_rate(share * setup.rate_bps), **keys)


def _web(setup: Setup, count: int) -> str:
    """Pages of 50 objects over six connections with an initial window of 10 packets (section 7.2)."""
    return setup.group(
        "web", count, source="http", sessions="open", arrival="exponential 4 s", embedded=49, size="8000 B",
        connections=6, connection="page", initial_window=10,
    )  # fmt: skip


def friendly(setup: Setup) -> Iterator[str]:
    """One long Reno flow with an initial window of 3 packets."""
    yield setup.group("tcp", 1, initial_window=3)


def windows(setup: Setup) -> Iterator[str]:
    """One long Reno flow, and transfers of 50 packets with initial windows of 3 and of 10 packets once it is steady."""
    yield setup.group("bulk", 1)
    for window in (3, 10):
        yield group(
            f"short{window}", source="http", size="72400 B", think="exponential 1 s", initial_window=window,
            start=units.show_span(setup.seconds / 6.0), ecn=setup.ecn,
        )  # fmt: skip


def aggressive(setup: Setup) -> Iterator[str]:
    """One long CUBIC flow."""
    yield setup.group("tcp", 1, cc="cubic")


def overload(setup: Setup) -> Iterator[str]:
    """UDP beyond the rate of the link, alone."""
    yield _udp("udp", setup, 1.2, packet="1500 B")


def unresponsive(setup: Setup) -> Iterator[str]:
    """One long Reno flow, and UDP of three fifths of the link: more than half, less than all."""
    yield setup.group("tcp", 1)
    yield _udp("udp", setup, 0.6, packet="1500 B")


def background(setup: Setup) -> Iterator[str]:
    """One long Reno flow, and one of LEDBAT, which yields to queueing delay, with target and gain of section 5.4."""
    yield setup.group("tcp", 1)
    yield setup.group("background", 1, cc="ledbat", ledbat_target="5 ms", ledbat_gain=10)


def round_trips(setup: Setup) -> Iterator[str]:
    """Two long Reno flows, one with a fifth of the other's base round trip."""
    yield setup.group("far", 1, access_delay=units.show_span(0.1 * setup.rtt_s + 0.4 * setup.rtt_s))
    yield setup.group("near", 1, access_delay="0 s")


def bursts(*, video: bool, bulk: bool) -> Callable[[Setup], Iterator[str]]:
    """Web pages and datagrams at a constant rate, with or without a video in bursts and a transfer (figure 2)."""

    def flows(setup: Setup) -> Iterator[str]:
        yield _web(setup, 1)
        yield _udp("cbr", setup, 0.05, packet="500 B")
        if video:
            yield group(
                "video", transport="udp", source="onoff", rate=units.show_rate(setup.rate_bps / 4.0), packet="1200 B",
                on="200 ms", off="800 ms",
            )  # fmt: skip
        if bulk:
            yield setup.group("bulk", 1)

    return flows


def level(name: str) -> Callable[[Setup], Iterator[str]]:
    """Long flows at a level of congestion."""

    def flows(setup: Setup) -> Iterator[str]:
        yield setup.group("tcp", setup.flows(name))

    return flows


def varying(setup: Setup, *, phases: int = 3) -> Iterator[str]:
    """Mild congestion in the first third, medium in the second, heavy in the last; the first ``phases`` of them."""
    counts = [setup.flows(name) for name in LEVELS]
    yield setup.group("stays", counts[0])
    for part, name in ((1, "second"), (2, "third"))[: phases - 1]:
        more = counts[part] - counts[part - 1]
        if more > 0:
            yield group(name, count=more, start=units.show_span(part * setup.seconds / 3.0), ecn=setup.ecn)


def mixture(setup: Setup) -> Iterator[str]:
    """A call in both directions, six downloads of web pages, datagrams at a constant rate, an adaptive video, five
    transfers."""
    for name, back in (("voice", False), ("answer", True)):
        yield group(name, transport="udp", source="cbr", rate="87.2 kbit/s", packet="218 B", reverse=back)
    yield _web(setup, 6)
    yield _udp("cbr", setup, 0.05, packet="500 B")
    yield setup.group("video", 1, source="video")
    yield setup.group("bulk", 5)


def both_ways(setup: Setup) -> Iterator[str]:
    """Mild congestion in both directions."""
    yield setup.group("down", setup.flows("mild"))
    yield setup.group("up", setup.flows("mild"), reverse=True)


def in_a_row(setup: Setup) -> Iterator[str]:
    """Mild congestion, half of it through both queues and half through the second (figure 3)."""
    count = max(1, setup.flows("mild") // 2)
    yield setup.group("first", count)
    yield setup.group("second", count, **{"from": 2, "to": 3})


#: Metrics of most tests: of the delay, of a link under congestion (section 8.2), and of a phase of it.
DELAY = ("sojourn_ms_mean", "sojourn_ms_p95")
STEADY = ("queue_pkts_sd", *DELAY, "utilisation")
PHASE = (*DELAY, "utilisation")
#: The queue of the other direction, and those of a chain: what section 8.2 measures, for each (sections 9.2 and 10).
BACK = tuple(f"{name}[bottleneck.back]" for name in STEADY)
HOPS = tuple(f"{name}[{hop}]" for hop in ("hop1", "hop2") for name in PHASE)
#: Metrics of the tests with bursts (section 7).
PAGES = ("page_ms_mean[web]", "delay_ms_p95[cbr]", "flow_loss[cbr]")
#: The tests, in the order of RFC7928.
CASES = (
    Case("5.1.1", "TCP-friendly sender", "delay falls and the link stays in use",
         (*DELAY, "goodput_bps", "loss"), friendly),
    Case("5.1.2", "Different initial windows", "short transfers finish sooner next to a long one",
         ("fct_ms_mean[short3]", "fct_ms_mean[short10]", "sojourn_ms_p95", "goodput_bps[bulk]"), windows),
    Case("5.2", "Aggressive sender (CUBIC)", "delay falls and the link stays in use",
         (*DELAY, "goodput_bps", "loss"), aggressive),
    Case("5.3a", "Overload by unresponsive UDP", "delay stays bounded although no sender slows down",
         (*DELAY, "utilisation"), overload),
    Case("5.3b", "TCP next to unresponsive UDP", "TCP keeps a share next to UDP, at a shorter delay",
         ("delay_ms_p95[tcp]", "goodput_bps[tcp]", "flow_loss[tcp]"), unresponsive),
    Case("5.4", "Less than best effort", "TCP keeps its share next to a sender that yields, at a shorter delay",
         ("goodput_bps[tcp]", "goodput_bps[background]", "delay_ms_p95[tcp]", "flow_loss[background]"), background),
    Case("6", "Different round-trip times", "the flows' shares become more equal",
         ("jain", "goodput_bps[far]", "goodput_bps[near]", "flow_loss[far]", "flow_loss[near]", *DELAY), round_trips),
    Case("7-I", "Bursts: web", "pages load faster, and datagrams are not lost",
         PAGES, bursts(video=False, bulk=False)),
    Case("7-II", "Bursts: web and a transfer", "the same next to a transfer",
         (*PAGES, "goodput_bps[bulk]"), bursts(video=False, bulk=True)),
    Case("7-III", "Bursts: web and video", "the same next to a stream in bursts",
         (*PAGES, "delay_ms_p95[video]"), bursts(video=True, bulk=False)),
    Case("7-IV", "Bursts: all of them", "the same next to both",
         (*PAGES, "delay_ms_p95[video]", "goodput_bps[bulk]"), bursts(video=True, bulk=True)),
    Case("8.2.2", "Mild congestion", "a steady queue on a busy link", STEADY, level("mild")),
    Case("8.2.3", "Medium congestion", "the same", STEADY, level("medium")),
    Case("8.2.4", "Heavy congestion", "the same", STEADY, level("heavy")),
    Case("8.2.5", "Varying congestion", "delay stays bounded as flows arrive",
         (*DELAY, "goodput_bps[stays]", "utilisation"), varying),
    Case("8.2.5-I", "Varying congestion: mild phase", "the same, of this phase", PHASE,
         partial(varying, phases=1), phase=(1 / 6, 1 / 3)),
    Case("8.2.5-II", "Varying congestion: medium phase", "the same, of this phase", PHASE,
         partial(varying, phases=2), phase=(1 / 3, 2 / 3)),
    Case("8.2.5-III", "Varying congestion: heavy phase", "the same, of this phase", PHASE, varying, phase=(2 / 3, 1.0)),
    Case("8.2.6a", "Capacity varies slowly", "delay stays bounded as the link's rate falls to a tenth and recovers",
         (*DELAY, "goodput_bps", "loss"), level("medium"), changing),
    Case("8.2.6a-I", "Capacity: a phase at the rate", "the same, of this phase",
         (*DELAY, "goodput_bps", "loss"), level("medium"), changing, phase=(2 / 6, 3 / 6)),
    Case("8.2.6a-II", "Capacity: a phase at a tenth", "the same, of this phase",
         (*DELAY, "goodput_bps", "loss"), level("medium"), changing, phase=(3 / 6, 4 / 6)),
    Case("8.2.6b", "Capacity varies fast", "the same every 100 ms",
         (*DELAY, "goodput_bps", "loss"), level("medium"), fast_changing),
    Case("9.1", "Mixed traffic", "calls, pages and video improve, transfers do not suffer",
         ("delay_ms_p95[voice]", "jitter_ms[voice]", "page_ms_mean[web]", "video_bps[video]", "goodput_bps[bulk]"),
         mixture),
    Case("9.2", "Traffic in both directions", "delay falls although acknowledgements queue as well",
         (*STEADY, "goodput_bps[down]", *BACK, "goodput_bps[up]"), both_ways),
    Case("10", "Two queues in a row", "transfers through both keep a share, at a shorter delay",
         ("delay_ms_p95[first]", "goodput_bps[first]", "goodput_bps[second]", "jain", *HOPS), in_a_row, chain),
)  # fmt: skip


def setup(*, rate_bps: float, rtt_s: float, buffer: float | None, seconds: float, ecn: bool) -> Setup:
    """A link with a buffer of one bandwidth-delay product unless it is given, at least 8 packets."""
    product = rules.bandwidth_delay(rate_bps / 12_000.0, rtt_s)
    return Setup(rate_bps, rtt_s, max(8, math.ceil(product if buffer is None else buffer)), seconds, ecn)
