"""Setup of the simulation: links, flows, and every option of disciplines and transports with its origin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..plot import view
from ..quantities import wording
from ..results import Result, Variant
from ..scenario import library

#: Keys that describe a flow group itself; its other keys are options.
GROUP_KEYS = (
    "count",
    "transport",
    "source",
    "class",
    "counted_as",
    "start",
    "stagger",
    "stop",
    "reverse",
    "from",
    "to",
)


def facts(result: Result) -> list[tuple[str, str]]:
    """Short facts about the setting, each with a heading."""
    if not result.variants or not result.variants[0].runs:
        return []
    variant = result.baseline
    run = variant.runs[0]
    link = view.main_link(variant)
    pairs = []
    if link is not None:
        summary = run["links"][link]
        where = f"Bottleneck {link}" if len(view.main_links(variant)) > 1 else "Bottleneck"
        pairs.append((where, f"{rate(summary.get('rate_bps'))}, {_number(summary.get('delay_ms'))} ms"))
    groups = [f"{len(ids)} {name}" for name, ids in view.classes(variant).items()]
    pairs.append(("Flows", ", ".join(groups) or "none"))
    pairs.append(("Each run", f"{_number(run['simulated_s'])} s, measured from {_number(run['warmup_s'])} s"))
    pairs.append(("Replications", str(len(result.seeds))))
    pairs.append(("Version", f"dropcurve {result.version}"))
    return pairs


def links(result: Result) -> list[dict[str, Any]]:
    """A row for each link with a recorded queue, with the discipline of each variant."""
    if not result.variants or not result.variants[0].runs:
        return []
    rows = []
    for name, summary in result.baseline.runs[0].get("links", {}).items():
        queues = [discipline(variant, name) for variant in result.variants]
        rows.append({
            "name": name,
            "rate": rate(summary.get("rate_bps")),
            "delay": f"{_number(summary.get('delay_ms'))} ms",
            "queues": queues if len(set(queues)) > 1 else queues[:1],
            "variants": [variant.name for variant in result.variants],
        })  # fmt: skip
    return [*rows, *_access(result.baseline)]


def _access(variant: Variant) -> list[dict[str, Any]]:
    """The private links of each flow, if the topology has them."""
    base: Mapping[str, Any] = next(
        (variant.scenario[form] for form in ("dumbbell", "chain") if form in variant.scenario), {}
    )
    rows = []
    for key, name in (("access", "access, for each flow"), ("exit", "exit, for each flow")):
        if f"{key}_delay" in base:
            queue = f"droptail, limit {base.get('access_queue', 'unknown')}"
            rate = _text(base.get(f"{key}_rate", "auto"))
            rows.append({"name": name, "rate": rate, "delay": _text(base[f"{key}_delay"]), "queues": [queue]})
    return rows


def discipline(variant: Variant, link: str) -> str:
    """The discipline of a variant at a link, as text: ``red (ns2), limit 100 pkts``."""
    queue = view.queue_of(variant, link)
    simulated = variant.runs[0]["links"].get(link)
    kind = str(queue.get("kind") or (simulated["kind"] if simulated else "unknown"))
    dialect = f" ({queue['dialect']})" if queue.get("dialect") else ""
    limit = f", limit {queue['limit']}" if queue.get("limit") else ""
    return f"{kind}{dialect}{_inside(queue)}{limit}"


def _inside(queue: Mapping[str, Any]) -> str:
    """The discipline inside a scheduler's queues as text, `` of codel``; "" for tail drop."""
    inner = queue.get("bands") or [queue.get("child")]
    names = [str(one.get("kind")) if isinstance(one, Mapping) else str(one or "plain") for one in inner]
    return "" if set(names) == {"plain"} else f" of {', '.join(dict.fromkeys(names))}"


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a discipline inside another as ``child.target``."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}.{name}": one for name, one in _flat(value).items()})
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            flat.update(_flat({f"{key}.{i}": one for i, one in enumerate(value)}))
        else:
            flat[key] = value
    return flat


def flows(result: Result) -> list[dict[str, str]]:
    """A row for each group of flows of the baseline."""
    groups = result.baseline.scenario.get("flows", {}) if result.variants else {}
    return [
        {
            "name": str(name),
            "count": str(group.get("count", 1)),
            "transport": _transport(group),
            "source": _source(group),
            "start": _text(group.get("start", "0 s")),
        }
        for name, group in groups.items()
        if isinstance(group, Mapping)
    ]


def options(result: Result) -> list[dict[str, Any]]:
    """A table for each kind of discipline at the main link and for TCP: every option, its value in each variant."""
    catalogue = _catalogue()
    tables: dict[str, dict[str, Any]] = {}
    for variant in result.variants:
        link = view.main_link(variant)
        queue = view.written_queue_of(variant, link) if link else {}
        kind = str(queue.get("kind") or "")
        entry = _named(catalogue.get("disciplines", []), "kind", kind)
        table = tables.setdefault(f"queue/{kind}", _table(entry, f"{entry.get('title') or kind} ({kind})"))
        automatic = variant.automatic.get(link, {}) if link else {}
        _add_column(table, entry, "dialects", variant.name, queue, automatic)
    tcp = _named(catalogue.get("transports", []), "name", "tcp")
    for variant in result.variants:
        for name, group in variant.scenario.get("flows", {}).items():
            if isinstance(group, Mapping) and group.get("transport") == "tcp":
                table = tables.setdefault("tcp", _table(tcp, "TCP"))
                own = {key: value for key, value in group.items() if key not in GROUP_KEYS}
                _add_column(table, tcp, "profiles", f"{variant.name}, {name}", own)
    return [_finished(table) for table in tables.values() if table["columns"]]


def rate(bps: float | None) -> str:
    """A rate as text: ``10 Mbit/s``; "unlimited" for a link without one."""
    if not bps:
        return "unlimited"
    divisor, unit = wording.scaled("bit/s", float(bps))
    return f"{float(bps) / divisor:g} {unit}"


def _catalogue() -> Mapping[str, Any]:
    """Returns the catalogue of the core; nothing where a stored result is read without a core."""
    try:
        return library.catalogue()
    except ImportError:
        return {}


def _named(entries: Sequence[Mapping[str, Any]], key: str, name: str) -> Mapping[str, Any]:
    return next((entry for entry in entries if entry.get(key) == name), {})


def _table(entry: Mapping[str, Any], title: str) -> dict[str, Any]:
    fields = {str(field["name"]): field for field in entry.get("fields", [])}
    return {
        "title": title, "about": entry.get("about", ""), "reference": entry.get("reference", ""),
        "fields": fields, "columns": [],
    }  # fmt: skip


def _add_column(
    table: dict[str, Any],
    entry: Mapping[str, Any],
    presets: str,
    name: str,
    values: Mapping[str, Any],
    automatic: Mapping[str, Any] | None = None,
) -> None:
    key = str(entry.get("preset_key") or {"dialects": "dialect", "profiles": "profile"}[presets])
    preset = _named(entry.get(presets, []), "name", str(values.get(key) or ""))
    table["columns"].append({
        "name": name,
        "preset": str(values.get(key) or ""),
        "preset_doc": preset.get("doc", ""),
        "preset_options": preset.get("options", {}),
        "values": {k: v for k, v in _flat(values).items() if k not in ("kind", key)},
        "automatic": automatic or {},
    })  # fmt: skip


def _finished(table: dict[str, Any]) -> dict[str, Any]:
    """Merges equal columns of a table; each row has the value and its origin for every column."""
    columns: list[dict[str, Any]] = []
    for column in table["columns"]:
        same = next(
            (
                c
                for c in columns
                if all(c[part] == column[part] for part in ("values", "preset", "automatic"))
            ),
            None,
        )
        if same is None:
            columns.append({**column, "names": [column["name"]]})
        else:
            same["names"].append(column["name"])
    keys = dict.fromkeys([*table["fields"], *(key for column in columns for key in column["values"])])
    rows = [_option(key, table["fields"].get(key, {}), columns) for key in keys]
    rows = [row for row in rows if any(cell["text"] for cell in row["cells"])]
    presets = [
        {"name": c["preset"], "doc": c["preset_doc"], "names": c["names"]} for c in columns if c["preset"]
    ]
    return {
        "title": table["title"], "about": table["about"], "presets": presets,
        "columns": [", ".join(c["names"]) if len(c["names"]) < 4 else "all" for c in columns],
        "main": [row for row in rows if row["differs"]], "rest": [row for row in rows if not row["differs"]],
        "count": len(rows),
    }  # fmt: skip


def _option(key: str, field: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cells = []
    for column in columns:
        value = column["values"].get(key)
        text = with_resolved(value, column["automatic"].get(key))
        cells.append({"text": text, "origin": _origin(key, value, field, column["preset_options"])})
    differs = len({cell["text"] for cell in cells}) > 1 or any(
        c["origin"] in ("set", "preset") for c in cells
    )
    return {"key": key, "doc": field.get("doc", ""), "source": field.get("source", ""), "cells": cells,
            "differs": differs}  # fmt: skip


def _origin(key: str, value: Any, field: Mapping[str, Any], preset: Mapping[str, Any]) -> str:
    """Origin of a value: "preset" (dialect or profile), "assumed", "default", or "set" in the scenario."""
    if value is None or not field:
        return ""
    if key in preset:
        return "preset" if _text(preset[key]) == _text(value) else "set"
    if _text(field.get("default")) == _text(value):
        return "assumed" if field.get("assumed") else "default"
    return "set"


def _text(value: Any) -> str:
    """A value as a scenario writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    text = re.sub(r"\b0 ns\b", "0 s", str(value))
    if text in ("true", "false"):
        return "yes" if text == "true" else "no"
    try:
        return f"{float(text):g}" if text and text[0].isdigit() and " " not in text else text
    except ValueError:
        return text


def with_resolved(value: Any, automatic: Any) -> str:
    """A value as in a scenario, and its resolved value: "auto: 5 pkts"."""
    return _text(value) if automatic is None else f"{_text(value)}: {_text(_rounded(automatic))}"


def _rounded(value: Any) -> Any:
    """Numbers with a unit to six digits, as those without one."""
    number, space, unit = str(value).partition(" ")
    try:
        return f"{float(number):.6g}{space}{unit}"
    except ValueError:
        return value


def _number(value: Any) -> str:
    return "–" if value is None else f"{float(value):g}"


def _transport(group: Mapping[str, Any]) -> str:
    name = str(group.get("transport", "tcp"))
    if name != "tcp":
        return name.upper()
    parts = [str(group[key]) for key in ("cc", "recovery") if group.get(key)]
    profile = f"profile {group['profile']}" if group.get("profile") else ""
    return f"TCP ({', '.join([*parts, *([profile] if profile else [])])})" if parts or profile else "TCP"


def _source(group: Mapping[str, Any]) -> str:
    name = str(group.get("source", ""))
    if name == "ftp":
        size = group.get("bytes")
        return "as much as TCP takes" if size in (None, "auto") else f"a file of {size}"
    return ", ".join(
        [name, *(f"{key} {_text(group[key])}" for key in ("rate", "packet", "on", "off") if group.get(key))]
    )
