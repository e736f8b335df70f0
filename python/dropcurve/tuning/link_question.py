"""Questions about a link: by a few numbers, each of which may be a range, or by its name with its usual traffic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import boxes
from ..errors import ErrorGroup, UsageError
from ..quantities import ranges, units
from ..quantities.ranges import Range
from ..scenario.links import spec, with_l4s
from ..verdict import Exchange
from . import goal as goals
from .candidates import target_of
from .delay_bounds import bound_s
from .link import LEAST_BUFFER, MOST_SHARE, Link
from .link_mix import MixLink
from .question import ConditionAxis, Question, assembled
from .search_space import Sizing

#: Limits of rate and round trip, in bit/s and seconds.
LEAST_RATE, MOST_RATE, MOST_RTT_S = 1e4, 1e13, 60.0
#: In place of a buffer that was refused, while the other values are read.
NO_BUFFER: tuple[float, str, ConditionAxis | None] = (float(LEAST_BUFFER), "", None)


def of_link(
    *,
    rate: str,
    rtt: str,
    flows: str,
    buffer: str,
    goal: str | None = None,
    short: str | None = None,
    udp: str | None = None,
    tcp: str = "cubic",
    ecn: bool = False,
    box: str = "",
    candidates: Sequence[str] = (),
    robust: str = "mean",
    space: Mapping[str, Mapping[str, str]] | None = None,
    exchange: Exchange | None = None,
    taken: Mapping[str, str] | None = None,
) -> Question:
    """Returns the question about a link described by a few numbers.

    Args:
        rate: Rate of the link.
        rtt: Base round trip.
        flows: Long TCP flows.
        buffer: Size of the queue in packets, bytes, time at the link's rate or bandwidth-delay products.
        goal: As `goal.parse` takes it; "balanced" if there is none.
        short: Short flows, in per cent of the link.
        udp: UDP, in per cent of the link.
        tcp: Congestion control.
        ecn: Whether flows negotiate ECN.
        box: The configuration is for this box; "" for none.
        candidates: Disciplines to choose from; by default the usual ones.
        robust: A key of `aggregation.ROBUST`.
        space: Ranges of parameters by discipline.
        exchange: Between delay and utilisation, for goals by name.
        taken: Those of ``rtt`` and ``buffer`` that were not given and are assumed, by name.

    Returns:
        The question; rate, rtt, flows, buffer, short and udp may be ranges.

    Raises:
        UsageError: For invalid values, all of them at once.

    Example:
        >>> question = of_link(rate="10 Mbit/s", rtt="40 ms", flows="8", buffer="100 ms")
    """
    wrong = ErrorGroup()
    rates = wrong.take(lambda: _rate(rate), (LEAST_RATE, LEAST_RATE))
    trips = wrong.take(lambda: _rtt(rtt), (1.0, 1.0))
    counts = wrong.take(
        lambda: units.between(flows, lambda text: units.count(text, what="flows"), what="flows"),
        (1.0, 1.0),
    )
    size = wrong.take(lambda: _buffer(buffer, rates, trips), NO_BUFFER)
    shares = wrong.take(lambda: _shares(short, udp), list[ConditionAxis]())
    text = goals.DEFAULT if goal is None else goal
    wrong.take(lambda: goals.parse(text), None)
    target = wrong.take(lambda: target_of(box, rates[0], trips[1]), None)
    link = wrong.take(lambda: Link(size[0], tcp, ecn, size[1], tuple((taken or {}).items())), None)
    wrong.check()
    assert target is not None and link is not None, "what was wrong was raised"
    own = [_axis("rate", *rates), _axis("rtt", *trips), _axis("flows", *counts, whole=True), *shares]
    axes = tuple([*own, size[2]] if size[2] else own)
    packets = units.show_packets(float(f"{size[0]:.4g}")) if not size[1] else size[1]
    shown = ", ".join([*map(_shown, own), str(size[2]) if size[2] else f"buffer of {packets}"])
    middle = link.scenario({axis.name: axis.range.at(0.5) for axis in axes})
    parsed_goal = goals.of_scenario(text, middle, exchange=exchange)
    sizing = Sizing(rates[0] / (8 * 1500), size[0], trips[1], ecn)
    link = replace(link, bound_s=bound_s(parsed_goal, sizing))
    return assembled(shown, parsed_goal, axes, sizing, target, candidates, robust, space or {}, link=link)


def of_mix(
    text: str,
    *,
    goal: str | None = None,
    box: str = "",
    candidates: Sequence[str] = (),
    robust: str = "mean",
    space: Mapping[str, Mapping[str, str]] | None = None,
    exchange: Exchange | None = None,
    override: Mapping[str, str] | None = None,
) -> Question:
    """Returns the question about a link with its usual traffic.

    Args:
        text: The link as `links.spec` takes it; with DualPI2 among the candidates it has an L4S sender.
        goal: As `goal.parse` takes it; "balanced" if there is none.
        box: The configuration is for this box; "" for none.
        candidates: Disciplines to choose from; by default the usual ones.
        robust: A key of `aggregation.ROBUST`.
        space: Ranges of parameters by discipline.
        exchange: Between delay and utilisation, for goals by name.
        override: Keys of the link by name, such as ``{"buffer": "50-300ms"}``.

    Returns:
        The question; its conditions are the ranges of the link.

    Raises:
        UsageError: For invalid values.

    Example:
        >>> question = of_mix("20/2")
    """
    if any(one.partition(":")[0] == "dualpi2" for one in candidates):
        text = with_l4s(text)
    keys = dict(override or {})
    scripts = bool(box) and boxes.named(box, what="for") == "sqm"
    own = scripts and "buffer" not in keys and re.search(r",\s*buffer\s*=", text) is None
    if scripts and re.search(r",\s*back\s*=", text) is None:
        # One section of the SQM scripts shapes both directions.
        keys["back"] = "fq_codel"
    link = MixLink(spec(text, **keys))
    axes = tuple(ConditionAxis(key, ends) for key, ends in link.spec.varying.items())
    conditions: list[dict[str, float]] = [{}, *(link.spec.conditions() if axes else [])]
    rate = min(link.rate_bps(one) for one in conditions)
    profile = link.spec.profile
    shown = [f"{profile.name}, {link.direction}: {units.show_rate(profile.rate_bps(link.direction))}"]
    shown += [str(axis) for axis in axes]
    aim = goals.DEFAULT if goal is None else goal
    wanted = goals.of_scenario(aim, link.scenario({}), exchange=exchange)
    # The scripts switch ECN on, whether or not a sender of this traffic uses it.
    sizing = Sizing(
        rate * profile.framing.share / (8 * 1500), link.buffer_pkts, link.rtt_s[1], link.ecn or scripts
    )
    if own:
        # The queue of the scripts stands before that of the modem, with the limit that the scripts set.
        sizing = replace(sizing, buffer_pkts=float(boxes.sqm.LIMIT), modem_pkts=link.buffer_pkts)
    back = profile.rate_bps("up" if link.direction == "down" else "down")
    target = target_of(
        box, rate, link.rtt_s[1], direction=link.direction, other_bps=back, framing=profile.framing
    )
    return assembled(
        ", ".join(shown), wanted, axes, sizing, target, candidates, robust, space or {}, link=link
    )


def _rate(text: str) -> tuple[float, float]:
    ends = units.between(text, lambda one: units.rate(one, what="rate"), what="rate")
    if not LEAST_RATE <= ends[0] <= ends[1] <= MOST_RATE:
        raise UsageError("rate", text, "must lie between 10kbit and 10Tbit", "write one such as 100Mbit")
    return ends


def _rtt(text: str) -> tuple[float, float]:
    ends = units.between(text, lambda one: units.span(one, what="rtt"), what="rtt")
    if ends[1] > MOST_RTT_S:
        raise UsageError("rtt", text, f"must be at most {MOST_RTT_S:g} s", "write one such as 50ms")
    return ends


def _buffer(
    text: str, rates: tuple[float, float], trips: tuple[float, float]
) -> tuple[float, str, ConditionAxis | None]:
    """The largest buffer in packets, the text or unit that conditions need ("" for none), and its axis if it varies."""

    # A time or a bandwidth-delay product seldom is a whole number of packets.
    whole = re.search(r"[0-9.]\s*(?:[mun]?s|min|bdp)$", text.strip(), re.IGNORECASE) is not None

    def packets(one: str, rate: float, trip: float) -> float:
        size = units.buffer(one, rate_bps=rate, rtt_s=trip, packet_bytes=1500)
        return float(round(size)) if whole else size

    low, high = units.between(text, lambda one: packets(one, rates[1], trips[1]), what="buffer")
    least = units.between(text, lambda one: packets(one, rates[0], trips[0]), what="buffer")[0]
    if min(low, least) < LEAST_BUFFER:
        raise UsageError("buffer", text, f"must hold at least {LEAST_BUFFER} packets", "write a larger one")
    if low != high:
        ends = ranges.parse(text, name="buffer")
        return high, ends.unit, ConditionAxis("buffer", replace(ends, whole=False))
    return high, "" if low == least else text, None


def _shares(short: str | None, udp: str | None) -> list[ConditionAxis]:
    axes = [
        _axis(name, *_percent(name, text))
        for name, text in (("short", short), ("udp", udp))
        if text is not None
    ]
    together = sum(one.range.high for one in axes)
    if together > MOST_SHARE:
        raise UsageError(
            "short, udp",
            f"{short}, {udp}",
            f"ask for up to {together:g} % of the link",
            "leave at least 5 % to the rest",
        )
    return axes


def _percent(name: str, text: str) -> tuple[float, float]:
    span = ranges.parse(text, name=name)
    if span.unit not in ("", "%") or not 0 <= span.low <= span.high <= 95:
        raise UsageError(
            name,
            text,
            "must be a share of the link in per cent, of at most 95%",
            "write one such as 10% or 0-30%",
        )
    return span.low, span.high


def _axis(name: str, low: float, high: float, *, whole: bool = False) -> ConditionAxis:
    wide = low > 0 and high / low >= ranges.WIDE
    return ConditionAxis(name, Range(low, high, "", "log" if wide else "linear", whole))


def _shown(axis: ConditionAxis) -> str:
    """``100 Mbit/s``, ``round trip 20 ms to 200 ms``, ``5 to 100 flows``."""
    bare = str(axis).removeprefix(axis.label).strip()
    if axis.name == "rate":
        return bare
    return f"{bare} {axis.label}" if axis.name in ("flows", "short", "udp") else str(axis)
