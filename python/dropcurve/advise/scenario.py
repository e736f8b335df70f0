"""Conditions of a scenario: its bottleneck, its long TCP flows, and their round trips."""

from __future__ import annotations

import re
from typing import Any

from ..errors import DropcurveError, UsageError
from ..quantities import units
from ..scenario import Scenario
from ..scenario.links.framing import Framing, of_params
from .link_conditions import Conditions


def conditions_of(scenario: Scenario) -> Conditions:
    """Returns the conditions of a dumbbell, or of a chain's first hop. Raises UsageError where there is none.

    The round trip is that of propagation; greedy TCP flows count; the rate of other traffic is subtracted.
    """
    resolved = scenario.resolved
    wire = resolved.get("dumbbell") or resolved.get("chain")
    if wire is None:
        raise UsageError(
            "scenario",
            scenario.name,
            "has neither a dumbbell nor a chain, which advice needs",
            "give --rate, --rtt and --flows",
            shown="value",
        )
    hops = int(wire.get("hops", 1))
    forward = [one for one in resolved["flows"].values() if not one.get("reverse")]
    tcp = [one for one in forward if one["transport"] == "tcp" and one.get("source") == "ftp"]
    if not tcp:
        raise UsageError(
            "scenario",
            scenario.name,
            "has no long TCP flows, and the models cover no others",
            'add flows with source = "ftp", or run it instead',
            shown="value",
        )
    trips = [_round_trip(wire, one, hops) for one in tcp]
    flows = sum(int(one["count"]) for one in tcp)
    packet = round(sum(_bytes(one) * int(one["count"]) for one in tcp) / flows)
    line, framing = units.rate(wire["rate"]), of_params(wire)
    datagrams = [one for one in forward if one["transport"] == "udp"]
    udp = sum(map(rate_of, datagrams))
    left = framing.share * (line - sum(_on_wire(one, framing) * rate_of(one) for one in datagrams))
    if left <= 0.0:
        raise UsageError(
            "scenario",
            scenario.name,
            "UDP alone fills the link, so TCP's equations do not apply",
            "lower the rate of its UDP flows, or raise that of the link",
            shown="value",
        )
    limit = buffer_of(scenario)
    return Conditions(
        rate_bps=left,
        rtt_s=(min(low for low, _ in trips), max(high for _, high in trips)),
        flows=(flows, flows),
        buffer=None if limit is None else units.packets(limit, packet_bytes=packet),
        packet_bytes=packet,
        ecn=any(bool(one.get("ecn")) for one in tcp),
        b=int(tcp[0].get("ack_every", 2)),
        rto_s=_span(str(tcp[0].get("min_rto", "1 s"))),
        udp_bps=udp,
        line_bps=line if framing.share < 1.0 else 0.0,
    )


def base_round_trip_s(scenario: Scenario) -> float | None:
    """The base round trip of a scenario in the middle of its range.

    Returns:
        Seconds; None for a scenario without long TCP flows through the queue.
    """
    try:
        trip_s: float = conditions_of(scenario).middle.rtt_s
    except DropcurveError:
        return None
    return trip_s


def _bytes(group: dict[str, Any]) -> int:
    return units.size(group["mss"]) + units.size(group["headers"])


def _on_wire(group: dict[str, Any], framing: Framing) -> float:
    """The bytes that the line takes for each byte of a group's datagrams; 1 where they have no one size."""
    size = _size(str(group["packet"])) if "packet" in group else 0
    return framing.on_wire(size) / size if size and framing else 1.0


def buffer_of(scenario: Scenario) -> str | None:
    """The limit of the bottleneck's queue, resolved if it is "auto"; under strict priority that of the last band. None
    where there is no limit."""
    queue = scenario.resolved["queue"]
    last = queue["bands"][-1] if queue.get("kind") == "prio" else queue
    limit = last.get("limit") if isinstance(last, dict) else queue.get("limit")
    if limit != "auto":
        return None if limit is None else str(limit)
    return next((str(one["limit"]) for one in scenario.automatic.values() if "limit" in one), None)


def rate_of(group: dict[str, Any]) -> float:
    """Mean rate in bit/s at which a group of UDP flows sends while it runs."""
    count = int(group["count"])
    if group["source"] == "voice":
        return count * _spoken(group)
    if group["source"] == "replay":
        return count * _replayed(group)
    share = 1.0
    if group["source"] == "onoff":
        on, off = _span(group["on"]), _span(group["off"])
        share = on / (on + off)
    return share * count * units.rate(group["rate"])


#: Bits a second of speech by codec (RFC 3551 sections 4.5.4, 4.5.6 and 4.5.14).
_CODECS = {"g711": 64_000, "g726": 32_000, "g729": 8_000}


def _spoken(group: dict[str, Any]) -> float:
    """Mean rate of one speaker: a codec's frames with their headers, silent in pauses if those are suppressed."""
    frame = _span(group["frame"])
    payload = round(_CODECS[group["codec"]] / 8 * frame)
    talk, pause = _span(group["talk"]), _span(group["pause"])
    share = talk / (talk + pause) if group["suppression"] else 1.0
    return share * 8 * (payload + _size(group["headers"])) / frame


def _replayed(group: dict[str, Any]) -> float:
    """Mean rate of a recording; the packet that ends it closes its last gap."""
    packets = [re.fullmatch(r"(.+?)\s+(\S+\s*[A-Za-z]+)", str(one)) for one in group["packets"]]
    sent = [(_span(one[1]), _size(one[2])) for one in packets if one]
    lasts = float(group["scale"]) * sent[-1][0] if sent else 0.0
    return 8 * sum(size for _, size in sent[1:]) / lasts if lasts > 0.0 else 0.0


def _size(text: str) -> int:
    return 0 if re.fullmatch(r"0(?:\.0*)?\s*\w+", text) else units.size(text)


def _round_trip(wire: dict[str, Any], group: dict[str, Any], hops: int) -> tuple[float, float]:
    low = high = 0.0
    for part, times in (
        (wire["delay"], hops),
        (_own(group, wire, "access_delay"), 1),
        (_own(group, wire, "exit_delay"), 1),
    ):
        ends = _spread(part)
        low, high = low + 2.0 * times * ends[0], high + 2.0 * times * ends[1]
    if low <= 0.0:
        raise UsageError(
            "round trip",
            "0",
            "the propagation delay must be above 0 for advice",
            "give the link or its flows a delay",
        )
    return low, high


def _own(group: dict[str, Any], wire: dict[str, Any], key: str) -> Any:
    value = group.get(key, "auto")
    return wire[key] if value == "auto" else value


def _spread(value: Any) -> tuple[float, float]:
    """Least and greatest of a spread: a span, ``even A to B``, ``uniform A to B`` or a list."""
    if isinstance(value, list):
        spans = [_span(one) for one in value]
        return min(spans), max(spans)
    match = re.fullmatch(r"(?:even|uniform)\s+(.+)\s+to\s+(.+)", value)
    if match:
        return _span(match[1]), _span(match[2])
    return _span(value), _span(value)


def _span(text: str) -> float:
    return 0.0 if re.fullmatch(r"0(?:\.0*)?\s*\w+", text) else units.span(text)
