"""Settings as columns of a table: numbers as numbers, quantities as numbers with their unit in the name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .design import Point

#: Unit as written to (suffix, factor); what is not here stays text.
_UNITS: dict[str, tuple[str, float]] = {
    "ns": ("ms", 1e-6), "us": ("ms", 1e-3), "ms": ("ms", 1.0), "s": ("ms", 1e3), "min": ("ms", 6e4), "h": ("ms", 3.6e6),
    "bit/s": ("bps", 1.0), "kbit/s": ("bps", 1e3), "Mbit/s": ("bps", 1e6), "Gbit/s": ("bps", 1e9),
    "B": ("bytes", 1.0), "kB": ("bytes", 1e3), "MB": ("bytes", 1e6), "KiB": ("bytes", 1024.0),
    "MiB": ("bytes", 2.0**20),
    "pkts": ("pkts", 1.0), "pkt": ("pkts", 1.0),
}  # fmt: skip
_QUANTITY = re.compile(r"\s*([\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-z/]+)\s*")


def columns(points: Sequence[Point]) -> dict[str, list[Any]]:
    """``point``, ``scenario`` (its hash), ``queue`` if there are several, and a column for each path:
    ``queue_max_p``, ``dumbbell_delay_ms``."""
    found: dict[str, list[Any]] = {
        "point": [point.number for point in points],
        "scenario": [point.scenario.hash for point in points],
    }
    if any(point.queue for point in points):
        found["queue"] = [point.queue for point in points]
    for path in points[0].setting:
        name, some = _column(path, [point.scenario.get(path) for point in points])
        found[name] = some
    return found


def names(points: Sequence[Point]) -> list[str]:
    """The columns that say what was set."""
    return [name for name in columns(points) if name not in ("point", "scenario")]


def _column(path: str, found: list[Any]) -> tuple[str, list[Any]]:
    """The column of a path. All values must be of one kind of quantity to become numbers."""
    name = path.replace(".", "_")
    if all(isinstance(value, (int, float)) for value in found):
        return name, found
    parts = [_QUANTITY.fullmatch(str(value)) for value in found]
    units = [_UNITS.get(part[2]) if part else None for part in parts]
    if len({unit[0] if unit else "" for unit in units}) == 1 and units[0] is not None:
        numbers = [float(part[1]) * unit[1] for part, unit in zip(parts, units, strict=True) if part and unit]
        suffix = units[0][0]
        return (name if name.endswith(f"_{suffix}") else f"{name}_{suffix}"), numbers
    return name, [str(value) for value in found]
