"""A link as text: ``cable``, ``dsl:up``, ``20/2Mbit:up,rtt=30ms``, ``office,downloads=5-20,buffer=50ms``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ...errors import UsageError, nearest
from ...quantities import ranges, units
from ...quantities.ranges import Range
from .. import library
from ..scenario import Scenario
from . import framing, traffic
from .presets import preset
from .profile import DIRECTIONS, LinkProfile, Mix

#: Prefix of a link where a scenario is expected: ``link:cable``.
PREFIX = "link:"
#: Round trips and buffer of a home, for links that do not state theirs.
USUAL = {"rtt": "20-80ms", "buffer": "250ms"}
#: The link of two rates alone: the round trips, buffer and traffic of a home.
BASE = LinkProfile("link", 1e6, 1e6, (0.02, 0.08), USUAL["buffer"], Mix(), "round trips and buffer assumed")
#: Keys of the link itself; all others are those of the mix.
KEYS = ("rate", "down", "up", "rtt", "buffer", "back", *framing.KEYS)
RATES = ("rate", "down", "up")
#: Most ranges of a link. A range of round trips does not count: it is the spread among the flows of a run.
MOST_RANGES = 7


@dataclass(frozen=True)
class LinkSpec:
    """A link as typed.

    Attributes:
        profile: The link with every range at its middle.
        direction: Direction of the queue: "down" or "up".
        varying: Ranges by key, rates in bit/s.
        parts: The keys and values as typed, without ranges.
        head: The preset, or "" for rates.
    """

    profile: LinkProfile
    direction: str
    varying: Mapping[str, Range] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    head: str = ""

    def at(self, condition: Mapping[str, float]) -> LinkProfile:
        """The link at values of the keys that vary.

        Raises:
            UsageError: For values out of range.
        """
        profile = self.profile
        for key, value in condition.items():
            profile = _with(profile, key, shown(key, self.varying[key], value))
        return profile

    def typed(self, condition: Mapping[str, float]) -> str:
        """The text of the link at a condition, which `spec` parses."""
        fixed = self.at(condition)
        values = [(key, shown(key, self.varying[key], value)) for key, value in condition.items()]
        head = self.head or f"{_compact(fixed.down_bps)}/{_compact(fixed.up_bps)}"
        words = [f"{key}={value}" for key, value in values if key not in RATES]
        if self.head and set(RATES) & set(condition):
            words.append(f"rate={_compact(fixed.down_bps)}/{_compact(fixed.up_bps)}")
        return ",".join([f"{head}:{self.direction}", *self.parts, *words])

    def label(self, condition: Mapping[str, float]) -> str:
        """A condition in a few words: ``downloads 4, up 2 Mbit/s``."""
        return ", ".join(f"{key} {shown(key, self.varying[key], value)}" for key, value in condition.items())

    def assumptions(self) -> str:
        """Returns the assumptions about link and traffic in one line, with the ranges."""
        words = self.profile.assumptions(self.direction)
        ends = [
            f"{key} {shown(key, axis, axis.low)} to {shown(key, axis, axis.high)}"
            for key, axis in self.varying.items()
        ]
        return f"{words}; varied: {', '.join(ends)}" if ends else words

    def conditions(self) -> list[dict[str, float]]:
        """Conditions that represent the ranges: both ends and the middle of a single range, the corners of two, and of
        more an orthogonal array of ends, in which every pair of ranges has all four corners equally often.

        Raises:
            UsageError: For more than seven ranges.
        """
        keys = list(self.varying)
        if len(keys) > MOST_RANGES:
            raise UsageError(
                "link",
                ", ".join(keys),
                f"has {len(keys)} ranges; at most {MOST_RANGES} can vary",
                "fix the others",
            )
        if not keys:
            return [{}]
        if len(keys) == 1:
            values = dict.fromkeys(self.varying[keys[0]].at(share) for share in (0.0, 0.5, 1.0))
            return [{keys[0]: value} for value in values]
        rows = 4 if len(keys) <= 3 else 8
        # Column n of a Hadamard matrix of Sylvester's form: the parity of the bits that row and n share.
        return [
            {
                key: self.varying[key].at(float((row & number).bit_count() % 2))
                for number, key in enumerate(keys, start=1)
            }
            for row in range(rows)
        ]


def spec(text: str, **override: str | None) -> LinkSpec:
    """The link that a text names.

    Args:
        text: A preset or a rate (``100Mbit``, or down and up: ``20/2``, in Mbit/s unless they have units), ``:up`` or
            ``:down``, then ``key=value`` after commas: rate, down, up, rtt, buffer, downloads, uploads, web, videos,
            calls, games, l4s, ecn, cc, back (the discipline of the other direction), and framing, overhead and mpu
            (the bytes that the line adds to a packet). All but cc, back and those of the framing may be ranges.
        override: Values of keys that replace those of the text, unless they are None.

    Returns:
        The link, its direction and its ranges.

    Raises:
        UsageError: For an unknown preset, direction or key, and for values out of range.

    Example:
        ``spec("cable:up,downloads=1-4", buffer="100ms").varying["downloads"]``
    """
    head, *rest = (part.strip() for part in text.split(","))
    name, _, direction = head.partition(":")
    direction = direction.strip() or "down"
    if direction not in DIRECTIONS:
        raise UsageError("link", text, f"'{direction}' is not a direction", f"write {name}:down or {name}:up")
    typed = re.match(r"[0-9.]", name) is not None
    given = dict([("rate", name)] if typed else [])
    for part in rest:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError("link", text, f"'{part}' must be KEY=VALUE", "write one such as rtt=30ms")
        given[key] = value
    given |= {key: value for key, value in override.items() if value is not None}
    varying: dict[str, Range] = {}
    base = BASE if typed else preset(name)
    if direction == "up" and not base.mix.uploads:
        # A port of a data centre has the same traffic in either direction.
        base = replace(base, mix=replace(base.mix, downloads=0, uploads=base.mix.downloads))
    for key, value in given.items():
        _refuse_unknown(key, value)
        for single, ends in _ranged(key, value):
            varying.pop(single, None)
            if isinstance(ends, Range):
                varying[single] = ends
                ends = shown(single, ends, ends.at(0.5))
            base = _with(base, single, ends)
    fixed = tuple(
        f"{key}={value}"
        for key, value in given.items()
        if key not in varying and not (key in RATES and (typed or set(RATES) & set(varying)))
    )
    result = LinkSpec(base, direction, varying, fixed, "" if typed else name)
    for condition in ({key: ends.at(share) for key, ends in varying.items()} for share in (0.0, 1.0)):
        result.at(condition)
    return result


def overrides(text: str, **numbers: Any) -> dict[str, str]:
    """Options by a few numbers as keys of a link.

    Args:
        text: The link, for its direction.
        numbers: rate, rtt, flows, buffer, short, tcp and ecn as on the command line, without those not given.

    Returns:
        Values by key, for `spec`. Flows are the long transfers that fill the queue, short flows the load of web pages.

    Raises:
        UsageError: For ``udp``, which no link has.
    """
    direction = spec(text).direction
    names = {
        "rate": "rate", "rtt": "rtt", "buffer": "buffer", "short": "web", "tcp": "cc", "ecn": "ecn",
        "flows": "downloads" if direction == "down" else "uploads",
    }  # fmt: skip
    if "udp" in numbers:
        raise UsageError(
            "--udp",
            "",
            "a link has calls and games for UDP",
            "write them, such as --link cable,calls=4, and leave --udp out",
        )
    return {names[key]: "true" if value is True else str(value) for key, value in numbers.items()}


def parse(text: str) -> tuple[LinkProfile, str]:
    """The link and the direction of its queue, for callers without ranges.

    Args:
        text: As for `spec`.

    Returns:
        The profile, and "down" or "up".

    Raises:
        UsageError: As `spec`, and for a range of anything but the round trip.
    """
    parsed = spec(text)
    if parsed.varying:
        key = next(iter(parsed.varying))
        raise UsageError("link", text, f"{key} is a range, and one value is needed here", "write one value")
    return parsed.profile, parsed.direction


def load(text: str, *, duration: str | None = None) -> Scenario:
    """The scenario of a link without ranges (``link:...``), which stores the text as its origin.

    Raises:
        UsageError: As `parse`.
    """
    profile, direction = parse(text.removeprefix(PREFIX))
    loaded = traffic.scenario(profile, direction=direction, duration=duration)
    return replace(loaded, origin=text)


def scenarios(text: str, *, duration: str | None = None, l4s: bool = False) -> list[Scenario]:
    """The scenarios of a link: one, or one for each condition of its ranges.

    Args:
        text: As for `spec`, with or without ``link:`` in front.
        duration: Simulated time of a run; by default long enough for the measures to settle.
        l4s: Adds an L4S sender where the text does not state their number.

    Raises:
        UsageError: As `spec`.
    """
    text = with_l4s(text.removeprefix(PREFIX)) if l4s else text.removeprefix(PREFIX)
    wanted = spec(text)
    loaded = []
    for condition in wanted.conditions():
        typed = wanted.typed(condition) if condition else text
        scenario = traffic.scenario(wanted.at(condition), direction=wanted.direction, duration=duration)
        name = f"{scenario.name} {wanted.label(condition)}".strip() if condition else scenario.name
        loaded.append(replace(scenario, name=name, origin=f"{PREFIX}{typed}"))
    return loaded


def with_l4s(text: str) -> str:
    """The link with one L4S sender, unless it states their number."""
    return text if re.search(r",\s*l4s\s*=", text) else f"{text},l4s=1"


def rates(text: str) -> tuple[float, float]:
    """Both rates of ``100Mbit``, ``20/2``, ``20/2Mbit`` or ``1Gbit/50Mbit`` in bit/s, down first.

    Raises:
        UsageError: For text of another form, and for ranges.
    """
    down, up = (units.between(one, _rate, what="rate") for one in _pair(text))
    if down[0] != down[1] or up[0] != up[1]:
        raise UsageError("rate", text, "must be one rate, or two with a slash", "write one such as 20/2Mbit")
    return down[0], up[0]


def shown(key: str, axis: Range, value: float) -> str:
    """A value of a key as `spec` parses it: ``2.5Mbit``, ``50ms``, ``4``."""
    if key in RATES:
        return _compact(value)
    return str(axis.shown(value)).replace(" ", "")


def _pair(text: str) -> tuple[str, str]:
    """Down and up of one rate or of two with a slash; the first has the unit of the second if it has none."""
    parts = re.split(r"(?<![bBts])\s*/\s*|(?<=[bBts])\s*/\s*(?!s\b)", text.strip())
    if len(parts) > 2 or not all(parts):
        raise UsageError("rate", text, "must be one rate, or two with a slash", "write one such as 20/2Mbit")
    if len(parts) == 1:
        return parts[0], parts[0]
    unit = re.search(r"[a-zA-Z].*$", parts[1])
    if unit is None and re.search(r"[a-zA-Z]", parts[0]):
        raise UsageError("rate", text, "must have a unit at its end", "write one such as 20/2Mbit")
    last = parts[1] if unit else f"{parts[1]}Mbit"
    first = parts[0] if re.search(r"[a-zA-Z]", parts[0]) else f"{parts[0]}{unit[0] if unit else 'Mbit'}"
    return first, last


def _rate(text: str) -> float:
    return units.rate(text, what="rate")


def _ranged(key: str, value: str) -> list[tuple[str, Range | str]]:
    """A key's value, or its range; a pair of rates is two keys."""
    if key in RATES:
        pair = (value, value) if key != "rate" else _pair(value)
        down, up = (units.between(one, _rate, what=key) for one in pair)
        keys = [(key, down)] if key != "rate" or down == up else [("down", down), ("up", up)]
        pairs: list[tuple[str, Range | str]] = []
        for name, (low, high) in keys:
            wide: Any = "log" if high / low >= ranges.WIDE else "linear"
            pairs.append((name, _compact(low) if low == high else Range(low, high, "", wide)))
        return pairs
    if key in ("rtt", "cc", "back", *framing.KEYS) or not ranges.is_range(value):
        return [(key, value)]
    return [(key, ranges.parse(value, name=key))]


def _compact(bps: float) -> str:
    """A rate as text: ``2.5Mbit``."""
    return units.show_rate(bps).replace(" ", "").removesuffix("/s")


def _with(profile: LinkProfile, key: str, value: str) -> LinkProfile:
    """The profile with one value changed."""
    if key in RATES:
        down, up = rates(value)
        if key == "rate":
            return replace(profile, down_bps=down, up_bps=up)
        return replace(profile, down_bps=down) if key == "down" else replace(profile, up_bps=up)
    if key == "rtt":
        return replace(
            profile, rtt_s=units.between(value, lambda one: units.span(one, what="rtt"), what="rtt")
        )
    if key == "buffer":
        return replace(profile, buffer=value)
    if key in framing.KEYS:
        return replace(profile, framing=framing.changed(profile.framing, key, value))
    if key == "back":
        _known(key, value, "disciplines", "kind")
        return replace(profile, back=value)
    kinds = {one.name: str(one.type) for one in fields(Mix)}
    if key == "cc":
        _known(key, value, "congestion_controls", "name")
    return replace(profile, mix=replace(profile.mix, **{key: _value(kinds[key], key, value)}))


def _refuse_unknown(key: str, value: str) -> None:
    """Raises UsageError for a key that links do not have, with the value as it was typed."""
    known = (*RATES, *KEYS, *(one.name for one in fields(Mix)))
    if key not in known:
        shown = dict.fromkeys((*KEYS, *(one.name for one in fields(Mix))))
        raise UsageError(
            f"link.{key}",
            value,
            "no such key",
            nearest(key, shown, otherwise=f"there are {', '.join(shown)}"),
        )


def _known(key: str, value: str, what: str, name: str) -> None:
    """Refuses a value that the catalogue lacks, with the nearest."""
    names = [str(one[name]) for one in library.catalogue()[what]]
    if value not in names:
        hint = nearest(value, names, otherwise=f"there are {', '.join(names)}")
        raise UsageError(key, value, "is not known", hint)


def _value(kind: str, key: str, value: str) -> Any:
    """A value of the mix from text."""
    if kind == "int":
        return 0 if value == "0" else int(units.count(value, what=key))
    if kind == "float":
        return _share(key, value)
    return value


def _share(key: str, text: str) -> float:
    """A share from 0 to 1: ``30%``, ``0.3``, ``true`` (all) or ``false`` (none)."""
    if text in ("true", "false"):
        return float(text == "true")
    match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*(%?)", text.strip())
    share = float(match[1]) / (100.0 if match[2] else 1.0) if match else -1.0
    if not 0.0 <= share <= 1.0:
        raise UsageError(key, text, "must be a share", "write one such as 20% or 0.2")
    return share
