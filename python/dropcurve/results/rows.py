"""JSON with long lists of objects, which the core stores by column: as a list of dicts 300,000 flows would take some
gigabytes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dropcurve._core as _core

from ..files.reading import parse_json

#: A sequence of mappings that replaces a list of dicts and makes each value on access.
Rows = _core.Rows
Sequence.register(_core.Rows)
Mapping.register(_core.Row)

#: Largest file of runs, in bytes.
LIMIT = 2**36
#: Texts below this length have no list that is long enough.
_SHORT = 100_000


def parse(text: bytes) -> Any:
    """Parses JSON as `parse_json` does, with `Rows` for each list of more than 1000 objects of few forms.

    Raises:
        ValueError: As `parse_json`.
    """
    if len(text) > _SHORT:
        try:
            return _core.read_json(text)
        except ValueError:
            # The usual parser reports the fault, or accepts it: numbers beyond 64 bits.
            pass
    return parse_json(text)


def dump(value: Any, **options: Any) -> bytes:
    """JSON text of a value with `Rows` in it, in UTF-8; options and errors are those of `parts`."""
    return b"".join(parts(value, **options))


def parts(value: Any, **options: Any) -> Iterator[bytes]:
    """Yields the JSON text of a value with `Rows` in it, in UTF-8; the text of one `Rows` is made at a time.

    Args:
        value: The value.
        options: Those of `json.dumps`.

    Raises:
        TypeError: Part of it cannot be written as JSON.
    """
    tables: list[_core.Rows] = []
    token = uuid.uuid4().hex

    def default(part: Any) -> str:
        if not isinstance(part, Rows):
            raise TypeError(f"{type(part).__name__} is not JSON")
        tables.append(part)
        return token

    first, *rest = json.dumps(value, default=default, **options).split(f'"{token}"')
    yield first.encode()
    for rows, text in zip(tables, rest, strict=True):
        yield rows.json()
        yield text.encode()
