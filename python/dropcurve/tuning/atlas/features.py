"""Numbers by which the atlas knows a condition and a design: logarithms of ratios, since queues depend on ratios.

A condition is the traffic of a link with one value of each of its ranges, a design a family with its scale; see
`Condition` and `ScaledDesign`. Both kinds of traffic share the features of a design.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...scenario.links import LinkProfile
from ..link import Link
from ..search_space import FULL_BYTES, Coordinates, Sizing

#: Disciplines of the atlas, in the order of its features.
DISCIPLINES = ("droptail", "codel", "pie", "fq_codel", "red", "cake")
#: Bit/s of a call and of a game with headers.
CALL_BPS, GAME_BPS = 80_000.0, 20_600.0


@dataclass(frozen=True)
class Condition:
    """Link and traffic at one condition.

    Attributes:
        traffic: "stated" or "usual".
        capacity: Packets a second.
        rtt_s: The longest base round trip.
        buffer_pkts: Buffer in full packets.
        numbers: Features of the traffic.
        quantities: Quantities that have a range in the atlas, by name: rates in bit/s, times in seconds, shares in per
            cent.
    """

    traffic: str
    capacity: float
    rtt_s: float
    buffer_pkts: float
    numbers: tuple[float, ...]
    quantities: Mapping[str, float]


@dataclass(frozen=True)
class ScaledDesign:
    """A design: the parameter in which its delay rises as seconds at the capacity it is sized for, or in packets.

    Attributes:
        kind: Discipline, one of `DISCIPLINES`.
        scale: Value of the scale, in seconds or packets.
        in_packets: Whether it counts packets.
        interval_s: Interval of CoDel; 0 for other disciplines.
        memory_pkts: Packets that RED's average spans; 0 for other disciplines.
        linux: Whether it is the Linux dialect.
    """

    kind: str
    scale: float
    in_packets: bool
    interval_s: float
    memory_pkts: float
    linux: bool


def stated(link: Link, at: Mapping[str, float]) -> Condition:
    """The condition of a link with stated flows."""
    capacity, rtt, flows = at["rate"] / (8 * FULL_BYTES), at["rtt"], max(1, round(at["flows"]))
    short, udp = at.get("short", 0.0), at.get("udp", 0.0)
    bdp = capacity * rtt
    numbers = (
        math.log(bdp), math.log(rtt), math.log(flows), math.log((bdp + 2.0) / flows), short / 10.0, udp / 10.0,
        float(short > 0), float(udp > 0), float(link.tcp == "reno"), float(link.ecn),
    )  # fmt: skip
    quantities = {
        "rate": at["rate"], "round trip": rtt, "bandwidth-delay product": bdp, "flows": flows,
        "rate for each flow": at["rate"] / flows, "short flows": short, "UDP": udp,
    }  # fmt: skip
    return Condition("stated", capacity, rtt, link.packets(at), numbers, quantities)


def usual(profile: LinkProfile, direction: str) -> Condition:
    """The condition of a link with its usual traffic, at the rate that the framing of its line leaves to full
    packets."""
    up, mix = direction == "up", profile.mix
    share = profile.framing.share
    rate, low, high = share * profile.rate_bps(direction), *profile.rtt_s
    back = share * profile.rate_bps("down" if up else "up")
    # Pages are a share of the whole line.
    web = mix.web / share
    forward, against = (mix.uploads, mix.downloads) if up else (mix.downloads, mix.uploads)
    capacity = rate / (8 * FULL_BYTES)
    bdp = capacity * high
    numbers = (
        math.log(bdp), math.log(high), math.log(low / high), math.log(max(0.5, forward)), math.log(0.5 + against),
        math.log((bdp + 2.0) / max(1, forward)), math.log(back / rate), float(up), web * 5.0, float(mix.web > 0),
        0.0 if up else web * 5.0, float(mix.videos), 0.0 if up else float(mix.videos),
        math.sqrt(mix.calls * CALL_BPS / rate), math.sqrt(mix.games * GAME_BPS / rate), math.log(1.0 + mix.calls),
        float(mix.cc == "reno"), mix.ecn,
    )  # fmt: skip
    quantities = {
        "rate": rate, "round trip": high, "bandwidth-delay product": bdp, "long transfers through the queue": forward,
        "long transfers against it": against, "rate for each flow": rate / max(1, forward), "web": mix.web,
        "videos": mix.videos, "calls": mix.calls, "games": mix.games, "rate of the other direction": back / rate,
    }  # fmt: skip
    return Condition("usual", capacity, high, float(profile.buffer_pkts(direction)), numbers, quantities)


def scaled_design(kind: str, coordinates: Coordinates, sizing: Sizing, *, linux: bool) -> ScaledDesign:
    """The design at coordinates of its family (`search_space.Family`), sized for ``sizing``."""
    interval = memory = 0.0
    if kind == "droptail":
        return ScaledDesign(kind, coordinates["limit"] / FULL_BYTES, True, 0.0, 0.0, linux)
    if kind == "red":
        memory = coordinates["memory_s"] * sizing.capacity
        return ScaledDesign(kind, coordinates["min_th"], True, 0.0, memory, linux)
    if kind in ("codel", "fq_codel"):
        interval = coordinates["interval"]
    scale = coordinates["interval" if kind == "cake" else "target"]
    return ScaledDesign(kind, scale, False, interval, 0.0, linux)


def rows(condition: Condition, settings: Sequence[ScaledDesign]) -> list[list[float]]:
    """One row of features for each design at a condition."""
    return [[*condition.numbers, *_row(condition, one)] for one in settings]


def delay_s(condition: Condition, design: ScaledDesign) -> float:
    """The scale of a design as a delay at a condition: the order of magnitude of its queueing delay."""
    scale = design.scale / condition.capacity if design.in_packets else design.scale
    if design.in_packets:
        scale = min(scale, condition.buffer_pkts / condition.capacity)
    return scale / 20.0 if design.kind == "cake" else scale


def _row(condition: Condition, design: ScaledDesign) -> list[float]:
    rtt, capacity = condition.rtt_s, condition.capacity
    scale = delay_s(condition, design)
    of_trip, in_packets = math.log(scale / rtt), math.log(scale * capacity)
    index = DISCIPLINES.index(design.kind)
    slots = [0.0] * (3 * len(DISCIPLINES))
    slots[index], slots[len(DISCIPLINES) + index], slots[2 * len(DISCIPLINES) + index] = (
        1.0,
        of_trip,
        in_packets,
    )
    interval = math.log(design.interval_s / rtt) if design.interval_s else 0.0
    memory = math.log(design.memory_pkts / (capacity * rtt)) if design.memory_pkts else 0.0
    buffer_s = condition.buffer_pkts / capacity
    return [
        of_trip, in_packets, *slots, interval, memory, math.log(condition.buffer_pkts), math.log(buffer_s / rtt),
        math.log(buffer_s / scale), float(design.linux),
    ]  # fmt: skip
