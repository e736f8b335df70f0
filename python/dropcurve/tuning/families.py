"""The search space of each discipline: axes with ranges sized for the link, and their conversion to parameters.

Where the parameters of a discipline depend on each other (RED's thresholds) its axes do not (a threshold and a ratio),
so that every point of the search space is a valid setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import UsageError, nearest
from ..quantities import ranges, units
from ..quantities.ranges import Range
from ..scenario import library
from . import catalogue_spaces
from .search_space import (
    FULL_BYTES,
    Coordinates,
    Family,
    Params,
    Sizing,
    digits,
    limit,
    log_range,
    memory_range,
    show_span,
)  # fmt: skip


def family(kind: str, sizing: Sizing, *, space: Mapping[str, str] | None = None) -> Family:
    """The family of a discipline, or of the ranges in ``space`` (parameter to ``"0.01..0.5 log"``).

    A discipline that is not listed here has the parameters and ranges of the catalogue (`catalogue_spaces`). Raises
    UsageError for one that does not exist.
    """
    space_of_kind = _own(kind, sizing, space) if space else _usual(kind, sizing)
    dialect = sizing.dialects.get(kind)
    return (
        replace(space_of_kind, fixed={"dialect": dialect, **space_of_kind.fixed})
        if dialect
        else space_of_kind
    )


def _usual(kind: str, sizing: Sizing) -> Family:
    if kind in FAMILIES:
        return FAMILIES[kind](kind, sizing)
    known = library.disciplines()
    if kind not in known:
        hint = nearest(kind, known, otherwise="`dropcurve list disciplines` shows them")
        raise UsageError("queue", kind, "no such discipline", hint)
    return catalogue_spaces.of_catalogue(kind, sizing)


def _pkts(value: float) -> str:
    return units.show_packets(value)


def _longest(sizing: Sizing) -> float:
    """Longest target of delay (s) worth trying: half of what the buffer holds, within the range of use."""
    return min(max(0.06, sizing.buffer_pkts / sizing.capacity / 2), 0.5)


def _shortest(sizing: Sizing) -> float:
    """Shortest target of delay (s) worth trying: a quarter of a packet's time, as a controller with such a target still
    holds a queue of some packets."""
    return max(2e-4, 0.25 / sizing.capacity)


def _ecn(sizing: Sizing) -> Params:
    return {"ecn": True} if sizing.ecn else {"ecn": False}


def _red(kind: str, sizing: Sizing) -> Family:
    """Thresholds by the lower one and their ratio; the weight by the time constant of the average."""
    least = 1.0
    axes = {
        "min_th": log_range(least, max(8.0, sizing.buffer_pkts / 4), "pkts"),
        "ratio": log_range(1.25, 8.0),
        # Nonlinear RED scales max_p by 1.5 and may not pass 1.
        "max_p": log_range(0.005, 0.66 if kind == "nlred" else 1.0),
        "memory_s": memory_range(sizing),
    }

    def build(at: Coordinates) -> Params:
        low = min(at["min_th"], math.floor(sizing.buffer_pkts / 2))
        high = max(low + 1, min(low * at["ratio"], math.floor(sizing.buffer_pkts) - 1))
        high = digits(high)
        weight = -math.expm1(-1.0 / (sizing.capacity * at["memory_s"]))
        return {
            **limit(sizing), "min_th": _pkts(low), "max_th": _pkts(high), "max_p": at["max_p"],
            "w_q": min(0.9, digits(weight)),
        }  # fmt: skip

    def read(params: Mapping[str, Any]) -> Coordinates:
        low = units.packets(str(params["min_th"]), packet_bytes=1500)
        high = units.packets(str(params["max_th"]), packet_bytes=1500)
        memory = -1.0 / (sizing.capacity * math.log1p(-float(params["w_q"])))
        return {"min_th": low, "ratio": high / low, "max_p": float(params["max_p"]), "memory_s": memory}

    gentle = {"above_max": "gentle"} if kind == "red" else {}
    return Family(kind, axes, build, read, {**gentle, **_ecn(sizing)})


def _wred(kind: str, sizing: Sizing) -> Family:
    """WRED as on routers: the axes of RED with one class, a mark denominator and an exponent."""
    red = _red("red", sizing)

    def build(at: Coordinates) -> Params:
        params = red.build(at)
        return {
            **limit(sizing), "min_th": [params["min_th"]], "max_th": [params["max_th"]],
            "denominator": [float(max(1, round(1.0 / params["max_p"])))],
            "exponent": min(16, max(1, round(-math.log2(params["w_q"])))),
        }  # fmt: skip

    def read(params: Mapping[str, Any]) -> Coordinates | None:
        return red.read({
            "min_th": params["min_th"][0], "max_th": params["max_th"][0],
            "max_p": 1.0 / float(params["denominator"][0]), "w_q": 0.5 ** float(params["exponent"]),
        })  # fmt: skip

    return Family(kind, red.axes, build, read, _ecn(sizing))


def _spans(kind: str, sizing: Sizing, axes: Mapping[str, Range]) -> Family:
    """Parameters that are times, in seconds here, or pure numbers."""

    def build(at: Coordinates) -> Params:
        return limit(sizing) | {
            name: show_span(at[name]) if axis.unit == "s" else at[name] for name, axis in axes.items()
        }

    def read(params: Mapping[str, Any]) -> Coordinates:
        # Parameters that a design leaves out stay at the default of the discipline.
        return {
            name: units.span(str(params[name])) if axis.unit == "s" and name in params
            else float(params.get(name, DEFAULTS.get((kind, name), math.sqrt(axis.low * axis.high))))
            for name, axis in axes.items()
        }  # fmt: skip

    return Family(kind, dict(axes), build, read, _ecn(sizing))


#: Defaults of the RFCs, by discipline and parameter; times in seconds.
DEFAULTS = {
    ("codel", "target"): 0.005, ("codel", "interval"): 0.1, ("fq_codel", "target"): 0.005,
    ("fq_codel", "interval"): 0.1, ("cobalt", "target"): 0.005, ("cobalt", "interval"): 0.1,
    ("pie", "target"): 0.015, ("pie", "t_update"): 0.015, ("pie", "alpha"): 0.125, ("pie", "beta"): 1.25,
    ("fq_pie", "target"): 0.015, ("fq_pie", "t_update"): 0.015, ("fq_pie", "alpha"): 0.125, ("fq_pie", "beta"): 1.25,
    ("dualpi2", "target"): 0.015, ("dualpi2", "t_update"): 0.016, ("dualpi2", "alpha"): 0.16,
    ("dualpi2", "beta"): 3.2, ("cake", "interval"): 0.1, ("fq_cobalt", "target"): 0.005,
    ("fq_cobalt", "interval"): 0.1, ("ared", "target_delay"): 0.005, ("ared", "interval"): 0.5,
    ("docsis_pie", "target"): 0.01, ("docsis_pie", "interval"): 0.016, ("docsis_pie", "alpha"): 0.25,
    ("docsis_pie", "beta"): 2.5, ("pi2", "target"): 0.02, ("pi2", "t_update"): 0.032, ("pi2", "alpha"): 0.3125,
    ("pi2", "beta"): 3.125,
}  # fmt: skip


def _codel(kind: str, sizing: Sizing) -> Family:
    least = _shortest(sizing)
    return _spans(
        kind,
        sizing,
        {
            "target": log_range(least, _longest(sizing), "s"),
            # RFC 8289: the interval is the longest usual round trip.
            "interval": log_range(max(0.005, 3.0 / sizing.capacity), max(0.5, 2.0 * sizing.rtt_s), "s"),
        },
    )


def _pie(kind: str, sizing: Sizing) -> Family:
    return _spans(kind, sizing, {
        "target": log_range(_shortest(sizing), _longest(sizing), "s"), "t_update": log_range(0.002, 0.05, "s"),
        "alpha": log_range(0.01, 4.0), "beta": log_range(0.1, 40.0),
    })  # fmt: skip


def _docsis_pie(kind: str, sizing: Sizing) -> Family:
    """PIE of a cable modem, which drops and does not mark (RFC 8034)."""
    axes = {
        "target": log_range(_shortest(sizing), _longest(sizing), "s"), "interval": log_range(0.002, 0.05, "s"),
        "alpha": log_range(0.02, 8.0), "beta": log_range(0.2, 80.0),
    }  # fmt: skip
    return replace(_spans(kind, sizing, axes), fixed={})


def _dualpi2(kind: str, sizing: Sizing) -> Family:
    """The classic queue as PIE's; the other's marking threshold is a share of its target, with a ramp half as
    long, as in RFC 9332."""
    pie = _spans(kind, sizing, {
        "target": log_range(_shortest(sizing), _longest(sizing), "s"), "t_update": log_range(0.002, 0.05, "s"),
        "alpha": log_range(0.01, 4.0), "beta": log_range(0.1, 40.0),
    })  # fmt: skip

    def build(at: Coordinates) -> Params:
        params = pie.build(at)
        step = show_span(at["step"] * units.span(params["target"]))
        return params | {"min_th": step, "range": show_span(units.span(step) / 2)}

    def read(params: Mapping[str, Any]) -> Coordinates | None:
        coordinates = pie.read(params)
        step = units.span(str(params.get("min_th", "800 us")))
        return None if coordinates is None else {**coordinates, "step": step / coordinates["target"]}

    return Family(kind, {**pie.axes, "step": log_range(0.02, 0.5)}, build, read, _ecn(sizing))


def _ared(kind: str, sizing: Sizing) -> Family:
    axes = {
        "target_delay": log_range(
            _shortest(sizing), max(0.02, sizing.buffer_pkts / sizing.capacity / 2), "s"
        ),
        "interval": log_range(0.05, 2.0, "s"),
    }
    return _spans(kind, sizing, axes)


def _droptail(kind: str, sizing: Sizing) -> Family:
    # In bytes: a packet is 6 ms at 2 Mbit/s, too coarse a grain for a bound on the delay.
    axis = log_range(1.0 * FULL_BYTES, max(4.0, sizing.buffer_pkts) * FULL_BYTES, "B", whole=True)

    def read(params: Mapping[str, Any]) -> Coordinates:
        return {"limit": FULL_BYTES * units.packets(str(params["limit"]), packet_bytes=FULL_BYTES)}

    return Family(kind, {"limit": axis}, lambda at: {"limit": axis.shown(digits(at["limit"]))}, read)


def _fair(kind: str, sizing: Sizing) -> Family:
    """Fair queues with tail drop: their common limit; an overflow drops from the longest queue."""
    axis = log_range(8.0, max(16.0, sizing.buffer_pkts), "pkts", whole=True)

    def read(params: Mapping[str, Any]) -> Coordinates:
        return {"limit": units.packets(str(params["limit"]), packet_bytes=FULL_BYTES)}

    return Family(kind, {"limit": axis}, lambda at: {"limit": _pkts(round(at["limit"]))}, read)


def _cake(kind: str, sizing: Sizing) -> Family:
    """CAKE by its interval; the target is a twentieth of it, and CAKE sizes the buffer itself."""
    axis = log_range(max(0.005, 30.0 / sizing.capacity), 0.5, "s")

    def read(params: Mapping[str, Any]) -> Coordinates:
        return {"interval": units.span(str(params.get("interval", "100 ms")))}

    return Family(kind, {"interval": axis}, lambda at: {"interval": show_span(at["interval"])}, read)


def _pi(kind: str, sizing: Sizing) -> Family:
    axes = {
        "q_ref": log_range(2.0, min(max(8.0, sizing.buffer_pkts / 2), sizing.buffer_pkts - 1), "pkts"),
        "gain": log_range(1e-7, 1e-2), "zero": log_range(0.05, 50.0),
    }  # fmt: skip

    def build(at: Coordinates) -> Params:
        return {**limit(sizing), "q_ref": _pkts(at["q_ref"]), "gain": at["gain"], "zero": at["zero"]}

    def read(params: Mapping[str, Any]) -> Coordinates:
        reference = units.packets(str(params["q_ref"]), packet_bytes=1500)
        return {"q_ref": reference, "gain": float(params["gain"]), "zero": float(params["zero"])}

    return Family(kind, axes, build, read, _ecn(sizing))


def _own(kind: str, sizing: Sizing, space: Mapping[str, str]) -> Family:
    """Parameters named by the user, each over a range of its own; all others at their defaults."""
    axes = {name: ranges.parse(text, name=f"tune.space.{kind}.{name}") for name, text in space.items()}

    def build(at: Coordinates) -> Params:
        return limit(sizing) | {name: axis.shown(at[name]) for name, axis in axes.items()}

    def read(params: Mapping[str, Any]) -> Coordinates:
        return {name: float(str(params[name]).split()[0]) for name in axes}

    return Family(kind, axes, build, read)


#: Disciplines with a search space of their own; the others have that of `catalogue_spaces`.
FAMILIES: dict[str, Callable[[str, Sizing], Family]] = {
    "droptail": _droptail, "red": _red, "choke": _red, "nlred": _red, "ared": _ared, "codel": _codel, "cobalt": _codel,
    "fq_codel": _codel, "pie": _pie, "fq_pie": _pie, "pi": _pi, "wred": _wred, "dualpi2": _dualpi2,
    "sfq": _fair, "drr": _fair, "prio": _fair, "policer": _fair, "tbf": _fair, "htb": _fair,
    "cake": _cake, "docsis_pie": _docsis_pie, "pi2": _pie, "fq_cobalt": _codel,
}  # fmt: skip

#: Disciplines tried by default.
USUAL = ("red", "codel", "pie", "fq_codel", "droptail")
