"""Bounds of the traffic that a stress search may use: a TOML file, or the defaults.

    flows = "1-50"              # long TCP transfers
    rtt = "10-200 ms"
    cbr = "0-30 %"              # datagrams at a constant rate, in per cent of the link
    pulse_rate = "0-300 %"      # rate of on-off datagrams while they are on
    senders = ["linux", "rfc"]

A key that is left out has its default; one value fixes it. `PARAMETERS` and `CHOICES` declare every key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import ErrorGroup, Problem, ScenarioError, UsageError, nearest
from ...files.named import load_toml
from ...quantities import ranges, units
from ...quantities.ranges import Range
from ...scenario.scenario import located
from .parameters import CHOICES, ENVELOPE, KEYS, PARAMETERS, Choice, StressParameter

#: Traffic of one run: the value of each parameter and choice by name.
Case = dict[str, float | str]

#: Share of a range that starts at 0 below which the part is left out, so that a search also tries to do without.
OFF = 0.08
#: Largest file of bounds, in bytes.
LIMIT = 2**20


@dataclass(frozen=True)
class Bounds:
    """Ranges and names that a search may choose from.

    Attributes:
        ranges: By parameter; times in seconds, shares in per cent.
        choices: Names by choice.
        envelope_rate: Share of the link in per cent.
        envelope_burst: As written, see `units.buffer`.
        usual: Values towards which a case is shrunk, where they differ from `StressParameter.usual`.
    """

    ranges: Mapping[str, Range]
    choices: Mapping[str, tuple[str, ...]]
    envelope_rate: float = 30.0
    envelope_burst: str = "500ms"
    usual: Mapping[str, float] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """Parameters and choices that vary, in the order of the declaration."""
        names = [name for name, one in self.ranges.items() if not one.single]
        return (*names, *(name for name, some in self.choices.items() if len(some) > 1))

    def mild(self) -> Case:
        """The traffic that harms least by declaration: usual values, moved into their bounds."""
        case: Case = {}
        for name, one in self.ranges.items():
            wanted = self.usual[name] if name in self.usual else PARAMETERS[name].usual
            case[name] = min(max(wanted, one.low), one.high)
        return case | {name: some[0] for name, some in self.choices.items()}

    def at(self, shares: Mapping[str, float]) -> Case:
        """The case at a point of the unit cube: `mild` except for the axes in ``shares``."""
        case = self.mild()
        for name, share in shares.items():
            share = min(max(float(share), 0.0), 1.0)
            if name in self.choices:
                some = self.choices[name]
                case[name] = some[min(int(share * len(some)), len(some) - 1)]
            else:
                axis = self.ranges[name]
                case[name] = 0.0 if axis.low == 0 and share < OFF else axis.at(share)
        return case

    def share(self, name: str, value: float | str) -> float:
        """Coordinate of a value on an axis of the unit cube, the inverse of `at`."""
        if name in self.choices:
            some = self.choices[name]
            return (some.index(str(value)) + 0.5) / len(some)
        axis = self.ranges[name]
        return (
            min(max(axis.share(float(value)), 0.0), 1.0)
            if float(value) > 0 or axis.scale == "linear"
            else 0.0
        )

    def shown(self, name: str, value: float | str) -> str:
        """A value as text with its unit."""
        return str(value) if name in self.choices else PARAMETERS[name].shown(float(value))

    def lines(self) -> list[str]:
        """The bounds as a file has them, a line each."""
        rows = []
        for name, one in self.ranges.items():
            ends = PARAMETERS[name].shown(one.low), PARAMETERS[name].shown(one.high)
            rows.append(f'{name} = "{ends[0]}"' if one.single else f'{name} = "{ends[0]} to {ends[1]}"')
        rows += [f"{name} = {list(some)}".replace("'", '"') for name, some in self.choices.items()]
        return [
            *rows,
            f'envelope_rate = "{self.envelope_rate:g} %"',
            f'envelope_burst = "{self.envelope_burst}"',
        ]


def load(path: str | Path, **link: Any) -> Bounds:
    """The bounds of a TOML file; ``link`` as for `parse`.

    Raises:
        ScenarioError: With every problem in the file, its line and the nearest known key.
        DropcurveError: If the file cannot be read.
    """
    table, text = load_toml(Path(path), origin=path, limit=LIMIT)
    wrong = problems(table)
    if wrong:
        raise ScenarioError(located(wrong, text), origin=str(path))
    return parse(table, **link)


def problems(bounds: Mapping[str, Any]) -> list[Problem]:
    """Everything wrong with the keys and values of a file."""
    wrong = []
    for key, value in bounds.items():
        if key not in KEYS:
            hint = nearest(key, KEYS, otherwise=f"there are {', '.join(KEYS)}")
            wrong.append(Problem(key, str(value), "no such key here", hint))
            continue
        try:
            _read(key, value)
        except UsageError as error:
            wrong += error.problems
    return wrong


def parse(
    bounds: Mapping[str, Any],
    *,
    rtt_s: float | None = None,
    cc: str = "cubic",
    flows: int | None = None,
) -> Bounds:
    """Bounds from texts by key.

    Args:
        bounds: Values by key; those left out have their defaults.
        rtt_s: Usual round trip, of the link; its default bounds are a quarter and four times of it.
        cc: Congestion control of the link.
        flows: Usual number of transfers, of the link.

    Raises:
        UsageError: For an unknown key, and for values that make no sense, all of them at once.
    """
    wrong = ErrorGroup()
    for key in bounds:
        if key not in KEYS:
            wrong.take(lambda key=key: _unknown(key), None)  # type: ignore[misc]
    own: dict[str, Any] = {}
    for key in KEYS:
        default = _default(key, rtt_s, cc)
        own[key] = wrong.take(lambda key=key, default=default: _read(key, bounds.get(key, default)), None)  # type: ignore[misc]
    wrong.check()
    usual: dict[str, float] = {}
    if rtt_s is not None:
        usual["rtt"] = float(f"{rtt_s:.3g}")
    if flows is not None:
        usual["flows"] = float(flows)
    return Bounds(
        {name: own[name] for name in PARAMETERS},
        {name: own[name] for name in CHOICES},
        own["envelope_rate"],
        own["envelope_burst"],
        usual,
    )


def _default(key: str, rtt_s: float | None, cc: str) -> Any:
    """The default of a key on a link."""
    if key == "rtt" and rtt_s is not None:
        return f"{units.show_span(float(f'{rtt_s / 4:.2g}'))} to {units.show_span(float(f'{rtt_s * 4:.2g}'))}"
    if key in CHOICES:
        return [cc if one == "link" else one for one in CHOICES[key].default]
    return ENVELOPE[key][1] if key in ENVELOPE else PARAMETERS[key].default


def _unknown(key: str) -> None:
    hint = nearest(key, KEYS, otherwise=f"there are {', '.join(KEYS)}")
    raise UsageError("bound", key, "no such bound", hint, shown="value")


def _read(key: str, value: Any) -> Any:
    """The value of a key: a range, a list of names, a share, or the text of a burst."""
    if key in CHOICES:
        return _names(CHOICES[key], value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UsageError(
            key, value, "must be a value or a range as text", f'write one such as "{_example(key)}"'
        )
    text = str(value)
    if key == "envelope_burst":
        units.buffer(text, rate_bps=1e6, rtt_s=0.1, packet_bytes=1500, what=key)
        return text
    if key == "envelope_rate":
        one = _ranged(StressParameter(key, "", "%", 0, 10000, 0, "30 %"), text)
        if not one.single:
            raise UsageError(
                key, text, "must be one share, the most that may be sent", "write one such as 30 %"
            )
        return one.high
    return _ranged(PARAMETERS[key], text)


def _example(key: str) -> str:
    return ENVELOPE[key][1] if key in ENVELOPE else PARAMETERS[key].default


def _ranged(parameter: StressParameter, text: str) -> Range:
    """The range of a parameter: times in seconds, everything else in its own unit."""
    low, high = _ends(parameter, text)
    if not parameter.least <= low <= high <= parameter.most:
        rule = (
            "the smaller value comes first"
            if low > high
            else f"must lie between {parameter.shown(parameter.least)} and {parameter.shown(parameter.most)}"
        )
        raise UsageError(parameter.name, text, rule, f"write one such as {parameter.default}")
    wide = low > 0 and high / low >= ranges.WIDE
    return Range(low, high, "", "log" if wide else "linear", parameter.whole)


def _ends(parameter: StressParameter, text: str) -> tuple[float, float]:
    if parameter.unit == "s":
        return units.between(text, lambda part: _span(part, parameter.name), what=f"{parameter.name}:")
    parsed = ranges.parse(text, name=f"{parameter.name}:")
    unit = {"packets": "pkts", "pkt": "pkts", "p": "pkts"}.get(parsed.unit, parsed.unit)
    if unit not in ("", parameter.unit):
        wanted = f"in {parameter.unit}" if parameter.unit else "a pure number"
        raise UsageError(parameter.name, text, f"must be {wanted}", f"write one such as {parameter.default}")
    if parameter.whole and (parsed.low != round(parsed.low) or parsed.high != round(parsed.high)):
        raise UsageError(
            parameter.name, text, "must be whole numbers", f"write one such as {parameter.default}"
        )
    return parsed.low, parsed.high


def _span(text: str, name: str) -> float:
    bare = text.strip()
    if bare.rstrip("smuni µ") in ("0", "0.0"):
        return 0.0
    return units.span(bare, what=f"{name}:")


def _names(choice: Choice, value: Any) -> tuple[str, ...]:
    some = [value] if isinstance(value, str) else value
    if not isinstance(some, list) or not some or not all(isinstance(one, str) for one in some):
        raise UsageError(choice.name, value, "must be a list of names", 'write one such as ["linux"]')
    known = choice.known()
    for one in some:
        if one not in known:
            hint = nearest(one, known, otherwise=f"there are {', '.join(known)}")
            raise UsageError(choice.name, one, "is not known", hint)
    return tuple(dict.fromkeys(some))


def closeness(bounds: Bounds, case: Case, other: Case) -> float:
    """Largest distance of two cases on any axis, as a share of its range."""
    return max(
        (math.fabs(bounds.share(name, case[name]) - bounds.share(name, other[name])) for name in bounds.axes),
        default=0.0,
    )
