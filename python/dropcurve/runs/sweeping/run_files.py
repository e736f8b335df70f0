"""Files of a run table: Parquet files and journals as rows, checked when they are read.

A file may disappear between its listing and its reading, because another process merges files: then it counts as
absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import ResultError, require
from ...files.columns import check_columns, check_schema
from ...files.reading import is_regular, read_bytes
from ...files.shape import faults
from .rows import KEY, Key, Row, key

#: Types of the columns that identify the run of a row, for `check_schema`.
KEYS = {"scenario": "text", "seed": "integer", "build": "text"}
#: Remedy for a file that cannot be read.
UNREADABLE = "remove it to make its runs again"
_ROW = {"scenario": str, "seed": int, "build": str}
_SCALARS = (str, int, float, type(None))


def rows_of(path: Path, *, columns: list[str] | None) -> list[Row] | None:
    """The rows of a file; None if it was merged with others since it was listed."""
    if path.suffix == ".jsonl":
        return list(journal_rows(path)) if path.exists() else None
    table = read_table(path, columns=columns)
    return None if table is None else table.to_pylist()


def journal_of(part: Path) -> Path:
    """The journal that a Parquet file was made of."""
    return part.with_name(f"journal-{part.stem.removeprefix('part-')}.jsonl")


def journal_rows(path: Path) -> Iterator[Row]:
    """The rows of a journal, without an incomplete last line and without invalid lines."""
    try:
        content = read_bytes(path)
    except OSError:
        return
    for line in content.split(b"\n"):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not any(faults(row, _ROW)) and all(isinstance(one, _SCALARS) for one in row.values()):
            yield row


def read_table(path: Path, *, columns: list[str] | None) -> Any:
    """A file as a table whose columns have the right types; None if it was merged with others since it was
    listed."""
    require("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as parquet

    if path.exists() and not is_regular(path):
        raise ResultError(path, "", "is not a regular file", UNREADABLE, shown="path")
    try:
        # `parquet.read_table` loads pandas.
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read(columns=columns)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise ResultError(path, "", f"cannot be read: {error}", UNREADABLE, shown="path") from None
    check_schema(path, table.schema, KEYS, remedy=UNREADABLE)
    return table


def row_count(path: Path) -> int:
    """The rows of a file."""
    import pyarrow.parquet as parquet

    check_columns(path, KEYS, remedy=UNREADABLE)
    return int(parquet.read_metadata(path).num_rows)


def without_gaps(row: Row) -> Row:
    """A row without the gaps that columns of other runs leave in it."""
    return {name: value for name, value in row.items() if value is not None}


def unseen(table: Any, seen: set[tuple[Any, ...]]) -> Any:
    """The rows of runs that are not in ``seen``; adds these runs to it."""
    import pyarrow as pa

    keys = zip(*(table.column(name).to_pylist() for name in KEY), strict=True)
    kept = []
    for one in keys:
        kept.append(one not in seen)
        seen.add(one)
    return table if all(kept) else table.filter(pa.array(kept))


@lru_cache(maxsize=10_000)
def keys_of(path: Path, build: str) -> frozenset[Key]:
    """The runs of a build in a file, which never changes once it is there."""
    rows = rows_of(path, columns=list(KEY)) or []
    return frozenset(key(row) for row in rows if row["build"] == build)
