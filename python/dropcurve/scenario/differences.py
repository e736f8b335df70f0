"""The part of a scenario that differs from the defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import dropcurve._core as _core

from . import toml

#: Characters up to which a scenario is compared with its defaults, value by value.
MOST_COMPARED = 20_000


def differences(tables: Mapping[str, Any], own_hash: str) -> dict[str, Any]:
    """The tables without every value whose absence leaves the hash as it is, and without the tables that this empties.

    Tables of more than `MOST_COMPARED` characters, such as those with recordings, are returned whole.
    """
    kept = dict(tables)
    if len(toml.dump(kept)) > MOST_COMPARED:
        return kept
    for path in list(_paths(kept)):
        rest = _without(kept, path)
        try:
            same = _core.Scenario(toml.dump(rest)).hash() == own_hash
        except _core.ScenarioError:
            continue
        kept = rest if same else kept
    return kept


def _paths(tables: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all values, those inside a table before the table."""
    for key, value in tables.items():
        path = (*above, key)
        if isinstance(value, Mapping):
            yield from _paths(value, path)
        yield path


def _without(tables: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A copy of the tables without the value at a path; unchanged at a table that still has values."""
    key, *rest = path
    if rest:
        return {**tables, key: _without(tables[key], tuple(rest))}
    if isinstance(tables[key], Mapping) and tables[key]:
        return dict(tables)
    return {name: value for name, value in tables.items() if name != key}
