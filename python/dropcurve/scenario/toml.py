"""Scenarios as TOML text, and their tables by path."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, time
from typing import Any

from ..present.visible import json_text


def dump(table: Mapping[str, Any]) -> str:
    """A table as a file: plain keys first, then sections. Parsing it returns the table."""
    return "\n".join(_lines(table, "")).strip() + "\n"


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            name = f"{path}.{_key(key)}" if path else _key(key)
            yield ""
            yield f"[{name}]"
            yield from _lines(value, name)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())} }}"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    # JSON does not escape DEL, TOML does; other control characters of a terminal are escaped as well.
    return json_text(value, indent=None)


def paths(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all values, those inside a table before the table."""
    all_paths: list[tuple[str, ...]] = []
    for key, value in table.items():
        path = (*above, key)
        all_paths += [*(paths(value, path) if isinstance(value, Mapping) else ()), path]
    return all_paths


def without(table: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A copy of the table without the value at a path; unchanged at a table that still has values."""
    key, *rest = path
    if rest:
        return {**table, key: without(table[key], tuple(rest))}
    if isinstance(table[key], Mapping) and table[key]:
        return dict(table)
    return {name: value for name, value in table.items() if name != key}
