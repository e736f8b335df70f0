"""Types of the files of a result: the part of ``docs/results.md`` that every version of format 1 has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import NoneType
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from ..files.shape import EqualLists, Keys
from ..metrics import summary

#: ``result.json``
RESULT = {
    "format": int, "version": str, "build": str, "name": str, "title": str, "command": str, "confidence": float,
    "precision": (float, None), "seeds": [int], "warnings": [str], "problems": [str],
    "variants": [{"name": str, "hash": str, "scenario": dict, "automatic": Keys(dict)}],
}  # fmt: skip

_STATISTICS = {"mean": (float, None), "p95": (float, None), "count": int}
_LINK = {
    "rate_bps": float, "delay_ms": float, "kind": str, "arrived_pkts": int, "departed_pkts": int,
    "departed_bytes": int, "early_pkts": int, "forced_pkts": int, "overflow_pkts": int, "marked_pkts": int,
    "lost_pkts": int, "busy_s": float, "sojourn_ms": _STATISTICS,
}  # fmt: skip
_FLOW = {
    "id": int, "group": str, "class": str, "transport": str, "start_s": float, "sent_pkts": int, "received_pkts": int,
    "received_bytes": int, "goodput_bytes": int, "delay_ms": _STATISTICS,
}  # fmt: skip

_TALLY = {"pkts": int, "bytes": int}
_CONSERVED = dict.fromkeys(("sent", "delivered", "dropped", "in_flight", "queued"), _TALLY)

_SUMMARY = {
    "scenario": str, "seed": int, "stopped_by": str, "simulated_s": float, "warmup_s": float, "events": int,
    "links": Keys(_LINK), "flows": [_FLOW], "groups": Keys(dict), "conservation?": [_CONSERVED],
}  # fmt: skip


def of_keys(kind: Any, needed: Any = None) -> Any:
    """The shape of a type in `metrics.summary`, in which only the keys of the shape ``needed`` have to be there.
    A key of it that ends in "?" may be absent, and what it names has the keys that ``needed`` says.

    Example:
        >>> of_keys(float | None)
        (<class 'float'>, None)
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return of_keys(inner[0], needed)
    if origin in (list, Sequence):
        return [of_keys(inner[0], needed[0] if isinstance(needed, list) else None)]
    if origin is dict:
        return Keys(of_keys(inner[1], needed.of if isinstance(needed, Keys) else None))
    if inner:
        return tuple(None if one is NoneType else one for one in inner)
    if not is_typeddict(kind):
        return kind
    known = needed if isinstance(needed, dict) else {}
    keys = {}
    for name, one in get_type_hints(kind, include_extras=True).items():
        shape = of_keys(one, known.get(name, known.get(f"{name}?")))
        # What every version has keeps its own type, which may be wider.
        is_plain = isinstance(known.get(name), type) and known[name] is not dict
        keys[name if name in known else f"{name}?"] = known[name] if is_plain else shape
    return EqualLists(keys) if kind.__name__.endswith("Rows") else keys


@cache
def runs() -> dict[str, Any]:
    """The shape of ``runs.json``: what every version has, and the types of all other keys where they are there."""
    return {"format": int, "runs": [{"variant": str, "summary": of_keys(summary.RunSummary, _SUMMARY)}]}


#: EqualLists of ``series.parquet``.
SERIES = {"variant": "text", "series": "text", "component": "text", "time_s": "number", "value": "number"}
