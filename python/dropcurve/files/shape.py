"""Shapes of stored files: the content of a file is checked when it is loaded, before anything uses it.

A shape is one of:

* a type: ``int``, ``float``, ``str``, ``bool``, ``dict``, ``list`` or ``None``; an ``int`` is also a ``float``, but a
  ``bool`` is not a number
* a tuple of alternatives
* ``[shape]``: a list of any length
* ``Keys``: a mapping from any name
* ``EqualLists``: lists of one length, by name
* a ``dict`` from key to shape; a key that ends in "?" may be absent

Keys that the shape does not name are ignored, since later versions may have more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Keys:
    """A mapping from any text to values of one shape."""

    of: Any


@dataclass(frozen=True)
class EqualLists:
    """A mapping from key to list, all lists of one length, an absent one empty. Other values may stand next to them."""

    of: dict[str, Any]


_NAMES = {
    int: "a whole number", float: "a number", str: "text", bool: "true or false", dict: "a table", list: "a list",
    None: "null",
}  # fmt: skip


def faults(value: Any, shape: Any, path: str = "") -> Iterator[str]:
    """Yields a sentence without a full stop for each part of ``value`` that is not of ``shape``."""
    if isinstance(shape, tuple):
        if all(any(True for _ in faults(value, one, path)) for one in shape):
            yield f"{path or 'it'} must be {describe(shape)}"
    elif isinstance(shape, dict):
        yield from _faults_of_keys(value, shape, path)
    elif isinstance(shape, (list, Keys)):
        yield from _faults_of_members(value, shape, path)
    elif isinstance(shape, EqualLists):
        yield from _faults_of_equal_lists(value, shape, path)
    elif not _is(value, shape):
        yield f"{path or 'it'} must be {describe(shape)}"


def describe(shape: Any) -> str:
    """The shape in words."""
    if isinstance(shape, tuple):
        return " or ".join(map(describe, shape))
    if isinstance(shape, list):
        return "a list"
    return "a table" if isinstance(shape, (dict, Keys, EqualLists)) else _NAMES[shape]


def _faults_of_keys(value: Any, shape: Mapping[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path or 'it'} must be a table"
        return
    for name, one in shape.items():
        key = name.removesuffix("?")
        if key in value:
            # Plain values first, as most are.
            if type(value[key]) is not one:
                yield from faults(value[key], one, _join(path, key))
        elif not name.endswith("?"):
            yield f"{_join(path, key)} is missing"


def _faults_of_equal_lists(value: Any, shape: EqualLists, path: str) -> Iterator[str]:
    faults = list(_faults_of_keys(value, shape.of, path))
    yield from faults
    lists = [name.removesuffix("?") for name, one in shape.of.items() if isinstance(one, list)]
    if not faults and len({len(value.get(name, ())) for name in lists}) > 1:
        yield f"{path or 'it'} must have lists of one length"


def _faults_of_members(value: Any, shape: list[Any] | Keys, path: str) -> Iterator[str]:
    if isinstance(shape, Keys):
        if not isinstance(value, dict):
            yield f"{path or 'it'} must be a table"
            return
        for name, one in value.items():
            yield from faults(one, shape.of, _join(path, repr(name)))
        return
    (inner,) = shape
    if hasattr(value, "rows_of_each_type"):
        # Rows that the core stores by column: every type of a value that any row has is in one of these.
        for index in value.rows_of_each_type():
            yield from faults(value[index], inner, f"{path}[{index}]")
        return
    if not isinstance(value, list):
        yield f"{path or 'it'} must be a list"
        return
    # Long lists of numbers first at the speed of a set.
    if isinstance(inner, type) and {type(one) for one in value} <= {inner}:
        return
    for index, one in enumerate(value):
        yield from faults(one, inner, f"{path}[{index}]")


def _is(value: Any, kind: Any) -> bool:
    if kind is None:
        return value is None
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
