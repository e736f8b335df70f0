"""Types of the files of a result: the part of ``docs/results.md`` that every version of format 1 has."""

from __future__ import annotations

from ..files.shape import Keys

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

#: ``runs.json``
RUNS = {
    "format": int,
    "runs": [{
        "variant": str,
        "summary": {
            "scenario": str, "seed": int, "stopped_by": str, "simulated_s": float, "warmup_s": float, "events": int,
            "links": Keys(_LINK), "flows": [_FLOW], "groups": Keys(dict),
        },
    }],
}  # fmt: skip

#: Columns of ``series.parquet``.
SERIES = {"variant": "text", "series": "text", "component": "text", "time_s": "number", "value": "number"}
