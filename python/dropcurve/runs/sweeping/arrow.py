"""Rows of runs as a table of Arrow, without pandas."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

import dropcurve._core as _core

from .rows import Row

if TYPE_CHECKING:
    import pyarrow as pa


def table(rows: Sequence[Row]) -> pa.Table:
    """Rows as a table. They are read as lines of JSON, since a table of Python lists loads pandas, which takes longer
    than a short search."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    types: dict[str, Any] = {}
    full = [{name: value for name, value in row.items() if value is not None} for row in rows]
    for name, value in chain.from_iterable(row.items() for row in full):
        if isinstance(value, str):
            types[name] = pa.string()
        elif isinstance(value, float):
            types[name] = pa.float64()
        else:
            types.setdefault(name, pa.int64())
    schema = pa.schema(list(types.items()))
    lines = BytesIO(b"".join(map(_core.json_line, full)))
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    parsed: pa.Table = arrow_json.read_json(lines, parse_options=options)
    return parsed
