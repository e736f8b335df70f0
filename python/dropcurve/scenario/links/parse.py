"""A link as people type it: ``cable``, ``dsl:up``, ``20/2Mbit:up,rtt=30ms``, ``office,downloads=20,buffer=50ms``."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from ...errors import UsageError, nearest
from ...quantities import units, values
from ..scenario import Scenario
from . import traffic
from .presets import preset
from .profile import DIRECTIONS, LinkProfile, Mix

#: What a link is called where a scenario is asked for: ``link:cable``.
PREFIX = "link:"
#: A home's link, but for its rates: what two rates alone stand for.
BASE = LinkProfile("link", 1e6, 1e6, (0.02, 0.08), "250ms", Mix(), "round trips and buffer assumed")
#: Keys of the link itself; all others are those of the mix.
KEYS = ("rate", "rtt", "buffer")

_RATES = re.compile(r"([0-9.]+)\s*([a-zA-Z]*(?:/s)?)\s*/\s*([0-9.]+)\s*([a-zA-Z]*(?:/s)?)")


def parse(text: str) -> tuple[LinkProfile, str]:
    """The link and the direction of its queue.

    Args:
        text: A preset or a rate (``100Mbit``, or down and up: ``20/2``, in Mbit/s unless they have units), ``:up`` or
            ``:down``, then ``key=value`` after commas: rate, rtt, buffer, downloads, uploads, web, videos, calls,
            games, ecn, cc.

    Returns:
        The profile, and "down" or "up".

    Raises:
        UsageError: For an unknown preset, direction or key, and for values out of range.
    """
    head, *rest = (part.strip() for part in text.split(","))
    name, _, direction = head.partition(":")
    direction = direction.strip() or "down"
    if direction not in DIRECTIONS:
        raise UsageError(f"link = {text}: '{direction}' is no direction; write {name}:down or {name}:up")
    typed = re.match(r"[0-9.]", name)
    found = _with(BASE, "rate", name) if typed else preset(name)
    for part in rest:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"link = {text}: '{part}' must be KEY=VALUE, such as rtt=30ms")
        found = _with(found, key, value)
    return found, direction


def load(text: str, *, duration: str | None = None) -> Scenario:
    """The scenario of ``link:...``, which remembers what it was called. Raises UsageError as `parse`."""
    profile, direction = parse(text.removeprefix(PREFIX))
    found = traffic.scenario(profile, direction=direction, duration=duration)
    return replace(found, origin=text)


def rates(text: str) -> tuple[float, float]:
    """Both rates of ``100Mbit``, ``20/2``, ``20/2Mbit`` or ``1Gbit/50Mbit`` in bit/s, down first."""
    found = _RATES.fullmatch(text.strip())
    if found is None or (found[2] and not found[4]):
        rate = units.rate(text)
        return rate, rate
    last = found[4] or "Mbit"
    return units.rate(f"{found[1]}{found[2] or last}"), units.rate(f"{found[3]}{last}")


def _with(profile: LinkProfile, key: str, value: str) -> LinkProfile:
    """The profile with one value changed."""
    if key == "rate":
        down, up = rates(value)
        return replace(profile, down_bps=down, up_bps=up)
    if key == "rtt":
        return replace(
            profile, rtt_s=units.between(value, lambda one: units.span(one, what="rtt"), what="rtt")
        )
    if key == "buffer":
        return replace(profile, buffer=value)
    kinds = {one.name: str(one.type) for one in fields(Mix)}
    if key not in kinds:
        known = (*KEYS, *kinds)
        raise UsageError(
            f"link: no key '{key}'; {nearest(key, known, otherwise=f'keys: {chr(44).join(known)}')}"
        )
    return replace(profile, mix=replace(profile.mix, **{key: _value(kinds[key], key, value)}))


def _value(kind: str, key: str, value: str) -> Any:
    if kind == "bool":
        if value not in ("true", "false"):
            raise UsageError(f"{key} = {value}: must be true or false")
        return value == "true"
    if kind == "int":
        return 0 if value == "0" else int(units.count(value, what=key))
    return values.share(value) if kind == "float" and value.strip("%0") else 0.0 if kind == "float" else value
