"""Search spaces from the catalogue: the parameters that matter, over ranges around their defaults.

A row of `MOVED` names the parameters of a discipline that the tuner moves, first the one in which the queueing delay
rises. ``min_th < max_th`` is a chain: the first parameter and one ratio, so that every point keeps the order; the
parameters around ``=`` have one value. A discipline without a row, such as that of a plug-in, moves its queue lengths
and the first of its numbers and times.

Ranges: queue lengths from one packet to half the buffer; weights of an average as its memory, from a packet to two
seconds; shares near one by a multiple of their distance from one; everything else from an eighth of the default to its
eightfold. No range exceeds that of the catalogue.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ..errors import DropcurveError
from ..quantities import units
from ..quantities.ranges import Range
from ..scenario import library
from .search_space import (
    Coordinates,
    Family,
    Params,
    Sizing,
    digits,
    limit,
    log_range,
    memory_range,
    show_span,
)

#: Factor by which a range exceeds the default, up and down.
AROUND = 8.0
#: Share from which a number counts by its distance from one: a target utilisation.
NEAR_ONE = 0.8
#: Parameters that are moved in a discipline without a row.
MOST = 4
#: Names of numbers that bound or initialise what the discipline adapts itself; they are not moved without a row.
BOUNDS = ("top", "bottom", "initial", "floor", "least")

_RED = ("min_th < max_th", "max_p", "w_q")
#: Moved parameters by discipline.
MOVED: dict[str, tuple[str, ...]] = {
    "avq": ("gamma", "alpha"),
    "blue": ("level", "d1", "d2", "freeze_time"),
    "bred": ("l1 < l2 < w_m", "p1", "p2"),
    "cared": ("target_delay", "interval", "gain_up", "gain_down"),
    "curve": _RED,
    "curvy_red": ("range", "weight", "threshold"),
    "dred": ("target", "alpha", "beta"),
    "dtred": ("min_share < max_share", "max_p", "w_q"),
    "erd": ("drop_level", "drop_probability"),
    "feng": _RED,
    "fpi": ("q_ref", "k_e", "k_d", "k_u"),
    "fred_flow": (*_RED, "minq"),
    "fred_refined": _RED,
    "fuzzy_red": ("q_moderate < q_full", "dq", "interval"),
    "gchoke": (*_RED, "max_matches"),
    "gkvq": ("theta",),
    "gred": ("min_th < max_th", "probability", "w_q"),
    "green": ("target", "delta_p", "delta_t", "k"),
    "green_tcp": ("rtt", "active_for"),
    "lred": ("q0", "beta", "period", "weight"),
    "lru_red": (*_RED, "threshold"),
    "luba": ("tolerance", "weight", "period"),
    "phantom": ("gamma",),
    "pid_red": ("min_th < max_th", "k_p", "k_i", "k_d"),
    "purple": ("q_ref", "gain", "pace", "interval"),
    "qprot": ("target", "t_update", "alpha", "beta"),
    "rared": ("target_delay", "interval", "gain_up", "gain_down"),
    "red_at": ("min_low < min_th < min_high < max_low < max_th < max_high", "max_p", "w_q"),
    "red_pd": (*_RED, "target_rtt"),
    "red_size": _RED,
    "rem": ("target", "gamma", "alpha", "interval"),
    "rio": ("out_min_th < out_max_th = in_min_th < in_max_th", "out_max_p", "w_q"),
    "rtred": ("min_start < target", "max_p", "w_q"),
    "savq": ("q_ref", "gain", "alpha"),
    "sfb": ("target < max", "increment", "decrement"),
    "shred": _RED,
    "sred": ("flows_full", "p_max", "overwrite"),
    "step_marking": ("threshold",),
    "wtred": ("min_share < max_share", "max_p", "w_red < w_yellow < w_green"),
    "xchoke": (*_RED, "p_hit"),
    "yellow": ("q_ref", "step", "period", "delta"),
}  # fmt: skip


def of_catalogue(kind: str, sizing: Sizing) -> Family:
    """The search space of a discipline of the catalogue; its limit alone where nothing else can be moved."""
    entry = next(one for one in library.catalogue()["disciplines"] if one["kind"] == kind)
    fields = {one["name"]: one for one in entry["fields"]}
    rows = MOVED.get(kind) or _without_row(fields)
    moved = [_MovedParameters.of(row, fields, sizing) for row in rows] or [
        _MovedParameters.of("limit", fields, sizing)
    ]
    ecn: Params = {"ecn": sizing.ecn} if "ecn" in fields and kind != "gred" else {}
    whole: Params = limit(sizing) if kind != "gred" else _one_class(sizing)

    def build(at: Coordinates) -> Params:
        params = dict(whole)
        for one in moved:
            params |= one.build(at)
        return params

    def read(params: Mapping[str, Any]) -> Coordinates:
        coordinates: Coordinates = {}
        for one in moved:
            coordinates |= one.read(params)
        return coordinates

    axes = {name: axis for one in moved for name, axis in one.axes.items()}
    usual = {name: value for one in moved for name, value in one.usual().items()}
    return Family(kind, axes, build, read, ecn, usual)


def _without_row(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The first parameters that can be moved: queue lengths, then numbers and times."""
    rest = {name: one for name, one in fields.items() if name not in ("limit", "w_q", *BOUNDS)}
    lengths = [name for name, one in rest.items() if one["kind"] == "amount" and not one["list"]]
    numbers = [
        name for name, one in rest.items()
        if one["kind"] in ("number", "span") and not one["list"] and (_number(one) or 0.0) > 0
    ]  # fmt: skip
    if {"min_th", "max_th"} <= set(lengths):
        lengths = ["min_th < max_th", *(name for name in lengths if name not in ("min_th", "max_th"))]
    return (*lengths, *(["w_q"] if "w_q" in fields else []), *numbers)[:MOST]


def _one_class(sizing: Sizing) -> Params:
    """Generic RED with one class, which has the whole buffer."""
    whole = limit(sizing)["limit"]
    return {"limit": whole, "dp_limit": [whole], "prio": [1]}


class _MovedParameters:
    """A row: one parameter, or a chain of them with a ratio."""

    def __init__(self, groups: list[list[str]], fields: Mapping[str, Any], sizing: Sizing) -> None:
        self.groups, self.fields, self.sizing = groups, fields, sizing
        self.first = groups[0][0]
        #: Name of the first axis, and that of the ratio; "" for a single parameter.
        self.name = "memory_s" if self.first == "w_q" else self.first
        self.ratio = "" if len(groups) == 1 else "ratio" if _is_length(self._field) else f"{self.first}_ratio"
        self.axes = {self.name: self._axis()}
        if self.ratio:
            links = len(groups) - 1
            self.axes[self.ratio] = log_range(1.25, max(1.5, AROUND ** (1.0 / links)))

    @classmethod
    def of(cls, row: str, fields: Mapping[str, Any], sizing: Sizing) -> _MovedParameters:
        return cls([part.replace(" ", "").split("=") for part in row.split("<")], fields, sizing)

    @property
    def _field(self) -> Mapping[str, Any]:
        declared: Mapping[str, Any] = self.fields[self.first]
        return declared

    def usual(self) -> Coordinates:
        """The coordinates of the defaults; none where the default is automatic."""
        try:
            return self.read({})
        except DropcurveError:
            return {}

    def build(self, at: Coordinates) -> Params:
        params: Params = {}
        value = at[self.name]
        ratio = at[self.ratio] if self.ratio else 1.0
        links, most = len(self.groups) - 1, self._most()
        if links and value * ratio**links > most:
            ratio = max(1.01, (most / value) ** (1.0 / links))
        for group in self.groups:
            for name in group:
                params[name] = self._shown(name, value)
            value = max(value * ratio, value + 1.0) if self._field["kind"] == "count" else value * ratio
        return params

    def read(self, params: Mapping[str, Any]) -> Coordinates:
        """The coordinates of parameters, with the defaults of the catalogue for those that are absent. Raises
        DropcurveError for one that is automatic."""
        values = [self._value(group[0], params) for group in self.groups]
        first, last = values[0], values[-1]
        coordinates = {self.name: first}
        if self.ratio:
            coordinates[self.ratio] = (last / first) ** (1.0 / (len(values) - 1))
        return coordinates

    def _axis(self) -> Range:
        """Range of the first parameter."""
        parameter, sizing = self._field, self.sizing
        low, high = _bounds(parameter)
        default = _number(parameter)
        if self.first == "w_q":
            return memory_range(sizing)
        if _is_length(parameter):
            # The last parameter of a chain must fit into the buffer, too.
            return log_range(1.0, sizing.buffer_pkts / (2.0 if len(self.groups) == 1 else 4.0), "pkts")
        if parameter["kind"] == "count":
            default = default or 1.0
            return log_range(max(low, 1.0, default / AROUND), min(high, default * AROUND), whole=True)
        unit = "s" if parameter["kind"] == "span" else ""
        if default is None or default <= 0.0:
            raise AssertionError(f"a parameter that is moved has a default: {self.first}")
        if NEAR_ONE <= default <= 1.0 and high == 1.0:
            return Range(digits(1.0 - max(0.2, AROUND * (1.0 - default))), 1.0)
        most = min(high, default * AROUND, 1.0 if self.first.endswith("share") else math.inf)
        # The first parameter of a chain leaves room for the last one.
        most = most / 1.5 ** (len(self.groups) - 1) if most == high else most
        return log_range(max(low, default / AROUND), most, unit)

    def _most(self) -> float:
        """Largest value of the last parameter of a chain."""
        last = self.fields[self.groups[-1][0]]
        return self._longest() if _is_length(last) else _bounds(last)[1]

    def _longest(self) -> float:
        """Longest queue below the limit, in whole packets."""
        return math.floor(self.sizing.buffer_pkts) - 1.0

    def _shown(self, name: str, value: float) -> Any:
        """The value of a parameter as a scenario takes it."""
        parameter = self.fields[name]
        if name == "w_q":
            return min(0.9, digits(-math.expm1(-1.0 / (self.sizing.capacity * value))))
        if parameter["kind"] == "amount":
            shown: Any = units.show_packets(min(digits(value), self._longest()))
        elif parameter["kind"] == "span":
            shown = show_span(value)
        elif parameter["kind"] == "count":
            shown = round(value)
        else:
            shown = digits(value)
        return [shown] if parameter["list"] else shown

    def _value(self, name: str, params: Mapping[str, Any]) -> float:
        """The number of a parameter, from those given or the default."""
        value = params.get(name, self.fields[name]["default"])
        value = value[0] if isinstance(value, list) else value
        kind = self.fields[name]["kind"]
        if kind == "amount":
            return units.packets(str(value), packet_bytes=1500)
        if kind == "span":
            return units.span(str(value))
        number = float(value)
        if name == "w_q":
            return -1.0 / (self.sizing.capacity * math.log1p(-number))
        return number


def _is_length(parameter: Mapping[str, Any]) -> bool:
    """Whether a parameter is the length of a queue."""
    return bool(
        parameter["kind"] == "amount" or (parameter["kind"] == "number" and parameter["unit"] == "pkts")
    )


def _number(parameter: Mapping[str, Any]) -> float | None:
    """The default of a parameter as a number (seconds, packets); None for one that is automatic."""
    value = (
        parameter["default"][0]
        if isinstance(parameter["default"], list) and parameter["default"]
        else parameter["default"]
    )
    try:
        if parameter["kind"] == "span":
            return units.span(str(value))
        if parameter["kind"] == "amount":
            return units.packets(str(value), packet_bytes=1500)
        return float(value)
    except (DropcurveError, TypeError, ValueError):
        return None


def _bounds(parameter: Mapping[str, Any]) -> tuple[float, float]:
    """Ends of the range in the catalogue; an open end lies a thousandth inside."""
    match = re.fullmatch(r"must lie in ([\[(])([\d.]+), ([\d.]+)([\])])", str(parameter["range"] or ""))
    if match is None:
        least = re.fullmatch(r"must be at least ([\d.]+)", str(parameter["range"] or ""))
        return (float(least[1]) if least else 0.0), math.inf
    low, high = float(match[2]), float(match[3])
    inside = (high - low) / 1000.0
    return low + (inside if match[1] == "(" and low else 0.0), high - (inside if match[4] == ")" else 0.0)
