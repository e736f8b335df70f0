"""SONiC: WRED_PROFILE, QUEUE and SCHEDULER of CONFIG_DB.

Reference: SONiCQoS. Thresholds are bytes for each of three colours, probabilities whole percent; the instantaneous
queue counts, without an average. Values are text, as the database holds them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..files.shape import Keys
from . import code_points
from .model import Export, Import, Note, Problems, bottleneck, read_json, refuse
from .numbers import fit, whole
from .red_rows import as_red, cells, lost, no_weight, percent, rows_of
from .settings import Settings

#: Colours of packets, in the order of the classes.
COLOURS = ("green", "yellow", "red")


def export(
    settings: Settings,
    *,
    params: dict[str, Any],
    dev: str = "Ethernet0",
    name: str = "DROPCURVE",
    queue: int = 0,
    shape: bool = False,
    cell: int = 1,
) -> Export:
    """The tables of a profile and its queue; thresholds in whole cells of ``cell`` bytes. Raises ScenarioError."""
    notes: list[Note] = []
    problems = Problems()
    rows = rows_of(settings, problems, box="SONiC", most=3)
    problems.raise_if_any()
    lost(settings, notes, box="SONiC")
    no_weight(rows, notes, box="SONiC")
    notes.append(
        Note(
            "lost",
            "limit",
            f"{rows.limit[0]:g} pkts: the buffer belongs to BUFFER_PROFILE and BUFFER_QUEUE",
        )
    )
    ecn = settings.flag("ecn")
    profile = {"ecn": "ecn_all" if ecn else "ecn_none"}
    stated = []
    for i, colour in enumerate(COLOURS):
        row = rows.rows[min(i, len(rows.rows) - 1)]
        own = notes if i < len(rows.rows) else []
        at = f"{colour}." if len(rows.rows) > 1 else ""
        low = cells(row.low[1], f"{at}min_th", cell, own)
        high = cells(row.high[1], f"{at}max_th", cell, own)
        share = percent(row.max_p, f"{at}max_p", own, least=1)
        stated.append((low, high, share))
        profile |= {
            f"wred_{colour}_enable": "true", f"{colour}_min_threshold": str(low), f"{colour}_max_threshold": str(high),
            f"{colour}_drop_probability": str(share),
        }  # fmt: skip
    notes.append(
        Note("load", "", "where profiles are referred to by path, wred_profile reads [WRED_PROFILE|name]")
    )
    entry = {"wred_profile": name}
    tables: dict[str, Any] = {"WRED_PROFILE": {name: profile}, "QUEUE": {f"{dev}|{queue}": entry}}
    if shape:
        entry["scheduler"] = name
        # The shaper is pir; sonic-scheduler.yang refuses it without a committed rate.
        rate = str(round(settings.rate_bps / 8.0))
        tables["SCHEDULER"] = {
            name: {"type": "DWRR", "weight": "1", "meter_type": "bytes", "cir": rate, "pir": rate}
        }
    else:
        notes.append(bottleneck(dev, settings.rate_bps))
    text = json.dumps(tables, indent=4) + "\n"
    discipline, loaded = _loaded(stated, f"{round(rows.limit[1])} B", ecn, settings.mean_packet)
    return Export("sonic", settings.discipline, params, text, notes, discipline, loaded)


def _loaded(
    stated: list[tuple[int, int, int]], limit: str, ecn: bool, packet_bytes: int
) -> tuple[str, dict[str, Any]]:
    """The discipline of the ASIC: `red` for one curve, for several `wred` with the shortest possible average."""
    if len(set(stated)) == 1:
        return "red", as_red(*stated[0], limit, ecn=ecn, packet_bytes=packet_bytes)
    return "wred", {
        "limit": limit, "unit": "bytes", "mean_packet": f"{packet_bytes} B",
        "min_th": [f"{one[0]} B" for one in stated], "max_th": [f"{one[1]} B" for one in stated],
        "denominator": [100.0 / one[2] for one in stated], "exponent": 1, "idle_decay": "ignored", "ecn": ecn,
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
    """A profile of CONFIG_DB; of several, the one named, or the first that a queue uses."""
    tables = read_json(text, origin=origin)
    shape = {"WRED_PROFILE?": Keys(dict), "QUEUE?": Keys({"wred_profile?": str}), "PORT?": Keys(dict),
             "DSCP_TO_TC_MAP?": Keys(Keys(str)), "TC_TO_QUEUE_MAP?": Keys(Keys(str))}  # fmt: skip
    fit(tables, shape, "", origin=origin)
    profiles = tables.get("WRED_PROFILE")
    if not profiles:
        refuse("WRED_PROFILE", "", "is not there", "give the whole CONFIG_DB, or that table", origin=origin)
    used = [
        re.sub(r"^\[WRED_PROFILE\|(.*)\]$", r"\1", one["wred_profile"])
        for one in tables.get("QUEUE", {}).values()
        if "wred_profile" in one
    ]
    chosen = name or next((one for one in used if one in profiles), next(iter(profiles)))
    if chosen not in profiles:
        refuse("--name", chosen, f"is none of the profiles there: {', '.join(profiles)}", origin=origin)
    notes: list[Note] = []
    stated = _thresholds(profiles[chosen], chosen, origin)
    if buffer_bytes is None:
        buffer_bytes = 2 * max(one[1] for one in stated)
        notes.append(
            Note(
                "assumed",
                "limit",
                f"the text does not state the buffer: {buffer_bytes} B, twice the upper threshold; say --buffer",
            )
        )
    notes.append(Note("load", "w_q", "the instantaneous queue counts, without an average"))
    if len(set(stated)) > 1:
        notes.append(
            Note(
                "load",
                "class",
                "classes 0, 1, 2 are the colours that are enabled, in the order green, yellow, red",
            )
        )
        notes.append(
            Note("lost", "w_q", "with several colours the shortest average that is simulated is 1/2")
        )
    ecn = profiles[chosen].get("ecn", "ecn_none") != "ecn_none"
    discipline, params = _loaded(stated, f"{buffer_bytes} B", ecn, packet_bytes)
    others = [one for one in profiles if one != chosen]
    speed = _speed(tables, chosen, notes, origin)
    applications = _applications(tables, chosen)
    return Import(
        "sonic",
        discipline,
        params,
        notes,
        None,
        others,
        title=chosen,
        port_bps=speed,
        applications=applications,
    )


def _queues_of(tables: Mapping[str, Any], profile: str) -> list[str]:
    """The keys of the table QUEUE, such as ``Ethernet0|3``, that use a profile."""
    return [
        key
        for key, one in tables.get("QUEUE", {}).items()
        if re.sub(r"^\[WRED_PROFILE\|(.*)\]$", r"\1", one.get("wred_profile", "")) == profile
    ]


def _applications(tables: Mapping[str, Any], profile: str) -> frozenset[str]:
    """The applications whose code points are mapped to the queues of a profile."""
    numbers: set[str] = set()
    for key in _queues_of(tables, profile):
        first, _, last = key.rpartition("|")[2].partition("-")
        if not (first + last).isdecimal():
            return frozenset()
        numbers |= {str(one) for one in range(int(first), int(last or first) + 1)[:64]}
    classes = {
        one
        for table in tables.get("TC_TO_QUEUE_MAP", {}).values()
        for one, queue in table.items()
        if queue in numbers
    }
    maps = tables.get("DSCP_TO_TC_MAP", {}).values()
    return code_points.applications(
        code_points.number(point) for table in maps for point, one in table.items() if one in classes
    )


def _speed(tables: Mapping[str, Any], profile: str, notes: list[Note], origin: str) -> float | None:
    """The rate of the slowest port with a queue of this profile, by the table PORT; None where the table has none."""
    ports = {port for key in _queues_of(tables, profile) for port in key.rpartition("|")[0].split(",")}
    held = tables.get("PORT", {})
    speeds = [
        whole(held[port]["speed"], f"PORT|{port}.speed", origin=origin)
        for port in sorted(ports) if "speed" in held.get(port, {})
    ]  # fmt: skip
    if not speeds or min(speeds) <= 0:
        return None
    if len(set(speeds)) > 1:
        notes.append(
            Note("assumed", "rate", f"the slowest of its ports counts: {min(speeds)} Mbit/s; say --rate")
        )
    return min(speeds) * 1e6


def _thresholds(profile: dict[str, str], name: str, origin: str) -> list[tuple[int, int, int]]:
    thresholds = []
    for colour in COLOURS:
        keys = [f"{colour}_min_threshold", f"{colour}_max_threshold"]
        if profile.get(f"wred_{colour}_enable", "true") != "true" or any(key not in profile for key in keys):
            continue
        low, high = (whole(profile[key], f"{name}.{key}", origin=origin) for key in keys)
        key = f"{colour}_drop_probability"
        share = whole(profile.get(key, "100"), f"{name}.{key}", origin=origin)
        if low > high:
            refuse(f"{name}.{keys[0]}", low, f"must not exceed {keys[1]} ({high})", origin=origin)
        if not 0 <= share <= 100:
            refuse(
                f"{name}.{colour}_drop_probability",
                share,
                "must lie between 0 and 100 percent",
                origin=origin,
            )
        # Equal thresholds are a step, a probability of 0 is none: both become the nearest values that can be simulated.
        thresholds.append((max(1, low), max(high, low + 1, 2), max(1, share)))
    if not thresholds:
        refuse(name, "", "no colour is enabled", origin=origin)
    return thresholds


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return '"WRED_PROFILE"' in text
