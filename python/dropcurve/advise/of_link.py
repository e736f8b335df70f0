"""The conditions of a link with its usual traffic (`dropcurve.scenario.links`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..quantities import units
from ..quantities.ranges import Range
from ..scenario import links
from .link_conditions import Conditions, conditions


def of_link(text: str, *, packet: str | int = 1500, goal: str | None = None, **numbers: Any) -> Conditions:
    """The conditions of a link.

    Args:
        text: The link, as `links.spec` takes it.
        packet: Bytes of a full packet.
        goal: A bound on the delay in it sets the target.
        numbers: Values of rate, rtt, flows, buffer and ecn that override those of the link.

    Returns:
        Conditions whose flows are the long transfers that fill the queue; of ranges of rate and buffer the low ends.
        The rate is what the framing of the line leaves to full packets.

    Raises:
        UsageError: For invalid values.

    Example:
        ``of_link("cable:up", flows="1-4").flows``
    """
    spec = links.spec(text, **links.overrides(text, **numbers))
    profile, direction, mix = spec.profile, spec.direction, spec.profile.mix
    bulk = "downloads" if direction == "down" else "uploads"
    flows = _ends(spec.varying.get(bulk), float(getattr(mix, bulk)))
    lines = [spec.at(one) for one in ({}, *(spec.conditions() if spec.varying else ()))]
    rate, share = min(one.rate_bps(direction) for one in lines), profile.framing.share
    size = spec.varying.get("buffer")
    buffer = profile.buffer if size is None else f"{units.plain(size.low)}{size.unit}"
    result = conditions(
        rate=rate, rtt=profile.rtt_s, flows=(max(1, round(flows[0] + mix.l4s)), max(1, round(flows[1] + mix.l4s))),
        buffer=buffer, packet=packet, goal=goal, ecn=mix.ecn > 0,
    )  # fmt: skip
    return replace(result, rate_bps=rate * share, line_bps=rate if share < 1.0 else 0.0, cc=mix.cc)


def _ends(axis: Range | None, value: float) -> tuple[float, float]:
    return (value, value) if axis is None else (axis.low, axis.high)
