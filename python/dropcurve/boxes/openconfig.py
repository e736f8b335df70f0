"""OpenConfig: a queue management profile of openconfig-qos, and the queue of an interface that uses it.

Reference: OpenConfigQoS. Thresholds are bytes, the probability whole percent, the weight an exponent; numbers of 64
bits are text, as in RFC7951.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from .model import Export, Import, Note, Problems, bottleneck, read_json, refuse
from .numbers import fit, whole
from .red_rows import INSTANT, MARKS_BEYOND, cells, lost, percent, rows_of
from .settings import Settings

#: A threshold of this or more, in bytes, means no threshold.
UNBOUNDED = 2**40


def export(
    settings: Settings,
    *,
    params: dict[str, Any],
    dev: str = "Ethernet0",
    name: str = "DROPCURVE",
    queue: str = "BE",
    shape: bool = False,
    cell: int = 1,
) -> Export:
    """A profile and its queue, as JSON; thresholds in whole cells of ``cell`` bytes. Raises ScenarioError."""
    notes: list[Note] = []
    problems = Problems()
    rows = rows_of(settings, problems, box="OpenConfig", most=1)
    problems.raise_if_any()
    lost(settings, notes, box="OpenConfig")
    row = rows.rows[0]
    low = cells(row.low[1], "min_th", cell, notes)
    high = cells(row.high[1], "max_th", cell, notes)
    share = percent(row.max_p, "max_p", notes, least=1)
    exponent = min(16, max(1, round(-math.log2(rows.w_q))))
    if abs(0.5**exponent - rows.w_q) > 1e-9 * rows.w_q:
        notes.append(Note("rounded", "w_q", f"{rows.w_q:.4g} becomes 2^-{exponent} = {0.5**exponent:.4g}"))
    notes.append(Note("load", "weight", "its meaning is the vendor's choice: here the exponent, as in Cisco"))
    notes.append(
        Note("lost", "limit", f"{rows.limit[0]:g} pkts: the buffer belongs to buffer-allocation-profiles")
    )
    ecn = settings.flag("ecn")
    config = {
        "min-threshold": str(low), "max-threshold": str(high), "enable-ecn": ecn, "drop": not ecn, "weight": exponent,
        "max-drop-probability-percent": share,
    }  # fmt: skip
    output: dict[str, Any] = {
        "queues": {"queue": [{"name": queue, "config": {"name": queue, "queue-management-profile": name}}]}
    }
    if shape:
        notes.append(Note("load", "", "the shaper belongs to scheduler-policies: none was written"))
    else:
        notes.append(bottleneck(dev, settings.rate_bps, shaper=False))
    tree = {
        "openconfig-qos:qos": {
            "queue-management-profiles": {
                "queue-management-profile": [
                    {"name": name, "config": {"name": name}, "wred": {"uniform": {"config": config}}}
                ]
            },
            "interfaces": {
                "interface": [{"interface-id": dev, "config": {"interface-id": dev}, "output": output}]
            },
        }
    }
    text = json.dumps(tree, indent=2) + "\n"
    loaded = _loaded(
        low, high, share / 100.0, 0.5**exponent, ecn, f"{round(rows.limit[1])} B", settings.mean_packet
    )
    return Export("openconfig", settings.discipline, params, text, notes, "red", loaded)


def _loaded(
    low: int, high: int, max_p: float, w_q: float, ecn: bool, limit: str, packet_bytes: int
) -> dict[str, Any]:
    return {
        "limit": limit, "unit": "bytes", "mean_packet": f"{packet_bytes} B", "min_th": f"{low} B",
        "max_th": f"{high} B",         "max_p": max_p, "w_q": w_q, "spacing": "geometric", "ecn": ecn,
        **(MARKS_BEYOND if ecn else {}),
    }  # fmt: skip


def read(
    text: str,
    *,
    origin: str = "",
    name: str | None = None,
    buffer_bytes: int | None = None,
    packet_bytes: int = 1500,
    **_: Any,
) -> Import:
    """A queue management profile; of several, the one named, or the first."""
    tree = read_json(text, origin=origin)
    profiles = fit(
        list(_profiles(tree)), [{"name?": str, "config?": {"name?": str}}], "profiles", origin=origin
    )
    held = {one.get("name", one.get("config", {}).get("name", "")): one for one in profiles}
    if not held:
        refuse("queue-management-profile", "", "is not there", "give the profile", origin=origin)
    chosen = name or next(iter(held))
    if chosen not in held:
        refuse("--name", chosen, f"is none of the profiles there: {', '.join(held)}", origin=origin)
    notes: list[Note] = []
    kind = next((one for one in ("wred", "red") if one in held[chosen]), None)
    if kind is None:
        refuse(chosen, "", "holds neither wred nor red", origin=origin)
    config = fit(held[chosen], {kind: {"uniform?": {"config?": dict}}}, chosen, origin=origin)
    config = config[kind].get("uniform", {}).get("config", {})
    low, high = (
        whole(config.get(key, -1), f"{chosen}.{key}", origin=origin)
        for key in ("min-threshold", "max-threshold")
    )
    if low < 0 or high < low:
        refuse(
            f"{chosen}.max-threshold",
            high,
            f"must be there and not below min-threshold ({low})",
            origin=origin,
        )
    key = "max-drop-probability-percent"
    share = max(1, whole(config.get(key, 100), f"{chosen}.{key}", origin=origin)) / 100.0
    if buffer_bytes is None:
        buffer_bytes = 2 * high if high < UNBOUNDED else 4 * low
        notes.append(
            Note("assumed", "limit", f"the text does not state the buffer: {buffer_bytes} B; say --buffer")
        )
    high = max(high, low + 1)
    if high >= UNBOUNDED:
        notes.append(Note("assumed", "max_th", f"{high} B is not a bound: the end of the buffer is taken"))
        high = buffer_bytes
    elif high > buffer_bytes > low:
        share *= (buffer_bytes - low) / (high - low)
        text = f"{high} B lies beyond the buffer, at whose end the line has reached {share:.3g}"
        notes.append(Note("rounded", "max_th", text))
        high = buffer_bytes
    weight = INSTANT
    if config.get("weight"):
        weight = 0.5 ** min(16, max(1, whole(config["weight"], f"{chosen}.weight", origin=origin)))
        notes.append(
            Note("assumed", "w_q", f"weight {config['weight']} is taken as an exponent, as in Cisco")
        )
    else:
        notes.append(Note("assumed", "w_q", "no weight: the instantaneous queue counts"))
    params = _loaded(
        max(1, low), high, share, weight, bool(config.get("enable-ecn")), f"{buffer_bytes} B", packet_bytes
    )
    others = [one for one in held if one != chosen]
    return Import("openconfig", "red", params, notes, None, others, title=chosen)


def _profiles(tree: Any) -> Iterator[dict[str, Any]]:
    """Every entry of a list ``queue-management-profile``, at any depth and with any prefix."""
    if isinstance(tree, list):
        for one in tree:
            yield from _profiles(one)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if key.split(":")[-1] == "queue-management-profile" and isinstance(value, list):
                yield from value
            else:
                yield from _profiles(value)


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return "queue-management-profile" in text and text.lstrip().startswith("{")
