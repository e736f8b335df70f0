"""CAKE as ``tc`` words, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..quantities import units
from ..scenario.links.framing import WORDS as FRAMINGS
from . import cake_functions
from . import tc_numbers as tc
from .model import Note, Problems
from .settings import Settings
from .tc_commands import TcCommands
from .tc_tree import Queue

#: CAKE's words for round trips, in seconds.
RTTS = {
    "datacentre": 0.0001, "lan": 0.001, "metro": 0.010, "regional": 0.030, "internet": 0.100,
    "oceanic": 0.300, "satellite": 1.0, "interplanetary": 3600.0,
}  # fmt: skip
#: CAKE's round trip where none is stated, and its least memory, in bytes.
DEFAULT_RTT_S, LEAST_MEMORY = RTTS["internet"], 4 << 20
#: Words for the tins.
TINS = ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence")
#: Words for the isolation of flows, and the values of scenarios.
ISOLATION = {
    "flowblind": "flowblind", "srchost": "srchost", "dsthost": "dsthost", "hosts": "hosts", "flows": "flows",
    "dual-srchost": "dual_srchost", "dual-dsthost": "dual_dsthost", "triple-isolate": "triple",
}  # fmt: skip
#: Words for the filter of acknowledgements, and the values of scenarios.
ACK_FILTERS = {"ack-filter": "conservative", "ack-filter-aggressive": "aggressive"}
#: Note on a queue without marking.
MARKS = Note("lost", "ecn", "CAKE always marks ECN-capable packets")
#: Bytes of the Ethernet header, which the kernel counts unless an overhead is stated.
ETHERNET = 14


def read(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """A `cake` queue as a discipline, its parameters, and the rate of its shaper in bit/s."""
    options = queue.options
    round_trip = RTTS.get(cake_functions.last(options, RTTS), DEFAULT_RTT_S)
    if "rtt" in options:
        round_trip = tc.time(options["rtt"])
    unlimited = "unlimited" in options or options.get("bandwidth", "unlimited") == "unlimited"
    rate = None if unlimited else tc.rate(options["bandwidth"])
    notes += [Note("lost", word, lost) for word, lost in cake_functions.of_words(options).lost]
    filtered = ACK_FILTERS.get(cake_functions.last(options, (*ACK_FILTERS, "no-ack-filter")), "")
    tins = cake_functions.last(options, TINS) or "diffserv3"
    isolate = ISOLATION[cake_functions.last(options, ISOLATION) or "triple-isolate"]
    washes = cake_functions.last(options, ("wash", "nowash")) == "wash"
    wire = _wire(options, notes)
    if (isolate, tins) == ("flowblind", "besteffort") and not filtered and not _describes_wire(options):
        # One queue for all flows, without overhead: COBALT behind a shaper.
        memory = {"limit": f"{tc.size(options['memlimit'])} B"} if "memlimit" in options else {}
        times = {"target": units.show_span(target(round_trip)), "interval": units.show_span(round_trip)}
        return "cobalt", {"dialect": "cake", **memory, **times, "ecn": True}, rate
    params: dict[str, Any] = {
        **({} if rate is None else {"bandwidth": units.show_rate(rate)}),
        "tins": tins, "isolate": isolate,
        **({"ack_filter": filtered} if filtered else {}), **({"wash": True} if washes else {}),
        "interval": units.show_span(round_trip), **wire,
    }  # fmt: skip
    if "memlimit" in options:
        params["limit"] = f"{tc.size(options['memlimit'])} B"
        notes.append(
            Note("lost", "memlimit", "Linux counts the memory of buffers, the simulator the bytes of packets")
        )
    return "cake", params, rate


def _describes_wire(options: dict[str, str]) -> bool:
    """Whether the options describe the wire, so that the kernel counts from the network layer."""
    stated = "overhead" in options and "raw" not in options
    return stated or "ether-vlan" in options or any(word in options for word in FRAMINGS)


def _wire(options: dict[str, str], notes: list[Note]) -> dict[str, Any]:
    """Overhead, least size and framing of packets on the wire."""
    named = [FRAMINGS[word] for word in FRAMINGS if word in options]
    overhead = sum(one[0] for one in named) + (4 if "ether-vlan" in options else 0)
    overhead += tc.signed(options.get("overhead") or "0")
    least = tc.count(options["mpu"]) if options.get("mpu") else max((one[1] for one in named), default=0)
    framing = next((word for word in ("atm", "ptm") if word in options), "") or next(
        (one[2] for one in named if one[2]), "plain"
    )
    if not _describes_wire(options):
        # Packets of a scenario are those of the network layer; the kernel counts their Ethernet header too.
        overhead += ETHERNET
    if overhead < 0:
        notes.append(Note("lost", "overhead", f"{overhead} bytes become 0: packets cannot shrink"))
    params: dict[str, Any] = {"overhead": f"{max(0, overhead)} B"}
    if least:
        params["mpu"] = f"{least} B"
    return {**params, **({"framing": framing} if framing != "plain" else {})}


def write(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """The words of `cake` for a `cake` queue."""
    interval = max(1, round(settings.seconds("interval") * 1e6)) / 1e6
    if abs(interval - settings.seconds("interval")) > 1e-12:
        notes.append(Note("rounded", "interval", f"becomes {tc.show_time(interval)}"))
    notes += another_target(settings, target(interval))
    if not settings.flag("ecn"):
        notes.append(MARKS)
    shaped = settings.text("bandwidth") != "auto"
    rate = settings.rate("bandwidth") if shaped else settings.rate_bps
    overhead = round(settings.bytes_("overhead") - settings.bytes_("uncounted"))
    problems.require(
        overhead >= -64,
        "uncounted",
        settings.text("uncounted"),
        "tc takes an overhead of -64 or more",
        "lower it",
    )
    least, framing = round(settings.bytes_("mpu")), settings.text("framing")
    limit = round(settings.bytes_("limit"))
    word = next(word for word, name in ISOLATION.items() if name == settings.text("isolate"))
    filtered = next((word for word, name in ACK_FILTERS.items() if name == settings.text("ack_filter")), "")
    washes = settings.flag("wash")
    one_queue = (word, settings.text("tins"), filtered) == ("flowblind", "besteffort", "")
    usual = (overhead, least, framing) == (ETHERNET, 0, "plain") and not one_queue
    wire = [
        "overhead",
        str(overhead),
        *(["mpu", str(least)] if least else []),
        {"plain": "noatm"}.get(framing, framing),
    ]
    words = [
        "bandwidth", tc.show_rate(rate), settings.text("tins"), word, *([filtered] if filtered else []),
        *(["wash"] if washes else []), *rtt(interval), *([] if usual else wire),
    ]  # fmt: skip
    stated = limit != default_memory(rate, interval) and (shaped or limit != LEAST_MEMORY)
    if stated:
        words += ["memlimit", str(limit)]
        notes.append(memory(limit))
    shown: dict[str, Any] = {
        "bandwidth": units.show_rate(rate), "tins": settings.text("tins"), "isolate": settings.text("isolate"),
        **({"ack_filter": ACK_FILTERS[filtered]} if filtered else {}), **({"wash": True} if washes else {}),
        "interval": units.show_span(interval), "overhead": f"{max(0, overhead)} B",
        **({"mpu": f"{least} B"} if least else {}), **({"framing": framing} if framing != "plain" else {}),
        **({"limit": f"{limit} B"} if stated else {}),
    }  # fmt: skip
    return TcCommands("cake", words, "cake", shown, shapes=True)


def rtt(seconds: float) -> list[str]:
    """The words for a round trip; none for the default one."""
    return [] if abs(seconds - DEFAULT_RTT_S) <= 1e-9 else ["rtt", tc.show_time(seconds)]


def default_memory(rate_bps: float, interval_s: float) -> int:
    """The memory that CAKE takes where none is stated, in bytes: four round trips at its rate."""
    return max(LEAST_MEMORY, int(rate_bps / 8.0 * 4.0 * interval_s))


def defaults(words: str, options: Mapping[str, Any]) -> str:
    """The words of a CAKE that takes the place of another one, with the round trip and the memory that are its defaults
    where the other one had its own: `tc qdisc replace` leaves what is not stated as it is in a queue of the same kind
    (tc(8)).

    Args:
        words: The words of the new queue.
        options: The parameters of the one in place.
    """
    had, has = units.span(str(options["interval"])), words.split()
    stated = [] if "rtt" in has or abs(had - DEFAULT_RTT_S) <= 1e-9 else ["rtt", tc.show_time(DEFAULT_RTT_S)]
    if "limit" in options and "memlimit" not in has:
        interval = tc.time(has[has.index("rtt") + 1]) if "rtt" in has else DEFAULT_RTT_S
        stated += ["memlimit", str(default_memory(tc.rate(has[has.index("bandwidth") + 1]), interval))]
    return " ".join([words, *stated])


def target(round_trip: float) -> float:
    """The target that CAKE takes for a round trip."""
    return round_trip / 20.0


def another_target(settings: Settings, taken: float) -> list[Note]:
    """A note if the target asked for differs from the one that CAKE takes."""
    if abs(taken - settings.seconds("target")) <= 1e-9:
        return []
    text = f"{settings.text('target')} becomes {units.show_span(taken)}: CAKE takes a twentieth of its rtt"
    return [Note("rounded", "target", text)]


def memory(limit: int) -> Note:
    """The note that CAKE's limit counts memory, not packets."""
    text = f"CAKE bounds memory, with its own overhead for each packet: memlimit {limit}"
    return Note("lost", "limit", text)
