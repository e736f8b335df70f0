"""The question by a few numbers: a link by a few numbers, each of which may be a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import Gathered, UsageError
from ..quantities import ranges, units
from ..quantities.ranges import Range
from . import goal as goals
from .candidates import target_of
from .families import Room
from .link import MOST_SHARE, Link
from .question import ConditionAxis, Question, assembled

#: What the numbers may be: bits a second, seconds, packets.
LEAST_RATE, MOST_RATE, MOST_RTT_S, LEAST_BUFFER = 1e4, 1e13, 60.0, 4


def of_link(
    *,
    rate: str,
    rtt: str,
    flows: str,
    buffer: str,
    goal: str,
    short: str | None = None,
    udp: str | None = None,
    tcp: str = "cubic",
    ecn: bool = False,
    box: str = "",
    candidates: Sequence[str] = (),
    robust: str = "mean",
    space: Mapping[str, Mapping[str, str]] | None = None,
) -> Question:
    """The question by a few numbers; each of ``rate``, ``rtt``, ``flows``, ``short`` and ``udp`` may be a range.

    Raises UsageError for values that make no sense, all of them at once.
    """
    wrong = Gathered()
    rates = wrong.take(lambda: _rate(rate), (LEAST_RATE, LEAST_RATE))
    trips = wrong.take(lambda: _rtt(rtt), (1.0, 1.0))
    counts = wrong.take(
        lambda: units.between(flows, lambda text: units.count(text, what="flows"), what="flows"),
        (1.0, 1.0),
    )
    room_pkts = wrong.take(lambda: _buffer(buffer), float(LEAST_BUFFER))
    shares = wrong.take(lambda: _shares(short, udp), list[ConditionAxis]())
    wanted = wrong.take(lambda: goals.parse(goal), None)
    target = wrong.take(lambda: target_of(box, rates[0], trips[1]), None)
    link = wrong.take(lambda: Link(room_pkts, tcp, ecn), None)
    wrong.check()
    assert wanted is not None and target is not None and link is not None, "what was wrong was raised"
    axes = (_axis("rate", *rates), _axis("rtt", *trips), _axis("flows", *counts, whole=True), *shares)
    shown = ", ".join(_told(axis) for axis in axes)
    return assembled(
        f"{shown}, buffer of {units.show_packets(float(f'{room_pkts:.4g}'))}", wanted, axes,
        Room(rates[0] / (8 * 1500), room_pkts, trips[1], ecn), target, candidates, robust, space or {}, link=link,
    )  # fmt: skip


def _rate(text: str) -> tuple[float, float]:
    found = units.between(text, lambda one: units.rate(one, what="rate"), what="rate")
    if not LEAST_RATE <= found[0] <= found[1] <= MOST_RATE:
        raise UsageError(f"rate '{text}' must lie between 10kbit and 10Tbit")
    return found


def _rtt(text: str) -> tuple[float, float]:
    found = units.between(text, lambda one: units.span(one, what="rtt"), what="rtt")
    if found[1] > MOST_RTT_S:
        raise UsageError(f"rtt '{text}' must be at most {MOST_RTT_S:g} s")
    return found


def _buffer(text: str) -> float:
    found = units.packets(text, packet_bytes=1500)
    if found < LEAST_BUFFER:
        raise UsageError(f"buffer '{text}' must hold at least {LEAST_BUFFER} packets")
    return found


def _shares(short: str | None, udp: str | None) -> list[ConditionAxis]:
    found = [_axis(name, *_percent(name, text)) for name, text in (("short", short), ("udp", udp)) if text]
    together = sum(one.range.high for one in found)
    if together > MOST_SHARE:
        raise UsageError(
            f"short '{short}' and udp '{udp}' ask for up to {together:g} % of the link; leave at least 5 % to the rest"
        )
    return found


def _percent(name: str, text: str) -> tuple[float, float]:
    found = ranges.parse(text, name=name)
    if found.unit not in ("", "%") or not 0 <= found.low <= found.high <= 95:
        raise UsageError(
            f"{name} '{text}' must be a share of the link in per cent, such as 10% or 0-30%, of at most 95%"
        )
    return found.low, found.high


def _axis(name: str, low: float, high: float, *, whole: bool = False) -> ConditionAxis:
    wide = low > 0 and high / low >= ranges.WIDE
    return ConditionAxis(name, Range(low, high, "", "log" if wide else "linear", whole))


def _told(axis: ConditionAxis) -> str:
    """``100 Mbit/s``, ``round trip 20 ms to 200 ms``, ``5 to 100 flows``."""
    bare = str(axis).removeprefix(axis.label).strip()
    if axis.name == "rate":
        return bare
    return f"{bare} {axis.label}" if axis.name in ("flows", "short", "udp") else str(axis)
