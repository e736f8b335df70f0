"""Settings as columns of a table: numbers as numbers, quantities as numbers with their unit in the name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...quantities import units
from .design import DesignPoint

#: (Suffix, factor) by unit; values in other units stay text.
_UNITS: dict[str, tuple[str, float]] = {
    **{unit: ("ms", float(1000 * span)) for unit, span in units.SPANS.items()},
    **{unit: ("bps", float(rate)) for unit, rate in units.RATES.items()},
    **{unit: ("bytes", float(size)) for unit, size in units.SIZES.items()},
    **dict.fromkeys(units.PACKETS, ("pkts", 1.0)),
}
_QUANTITY = re.compile(r"\s*([\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-z/]+)\s*")


def columns(points: Sequence[DesignPoint]) -> dict[str, list[Any]]:
    """``point``, ``scenario`` (its hash), ``queue`` if there are several, and a column for each path:
    ``queue_max_p``, ``dumbbell_delay_ms``."""
    by_name: dict[str, list[Any]] = {
        "point": [point.number for point in points],
        "scenario": [point.scenario.hash for point in points],
    }
    if any(point.queue for point in points):
        by_name["queue"] = [point.queue for point in points]
    for path in points[0].setting:
        name, values = _column(path, [point.scenario.get(path) for point in points])
        by_name[name] = values
    return by_name


def names(points: Sequence[DesignPoint]) -> list[str]:
    """The columns of the varied settings."""
    return [name for name in columns(points) if name not in ("point", "scenario")]


def _column(path: str, values: list[Any]) -> tuple[str, list[Any]]:
    """The column of a path. All values must be of one kind of quantity to become numbers."""
    name = path.replace(".", "_")
    if all(isinstance(value, (int, float)) for value in values):
        return name, values
    parts = [_QUANTITY.fullmatch(str(value)) for value in values]
    found_units = [_UNITS.get(part[2]) if part else None for part in parts]
    first = found_units[0]
    if first is not None and all(unit and unit[0] == first[0] for unit in found_units):
        pairs = zip(parts, found_units, strict=True)
        numbers = [float(part[1]) * unit[1] for part, unit in pairs if part and unit]
        suffix = first[0]
        return (name if name.endswith(f"_{suffix}") else f"{name}_{suffix}"), numbers
    return name, [str(value) for value in values]
