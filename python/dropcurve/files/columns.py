"""Types of the columns of Parquet files, checked before their rows are used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ResultError, require
from .reading import is_regular

if TYPE_CHECKING:
    import pyarrow as pa


def check_columns(path: Path, shape: Mapping[str, str], *, remedy: str) -> None:
    """Checks the types of a Parquet file's columns.

    Args:
        path: The file.
        shape: As for `check_schema`.
        remedy: Remedy named in the message if the file is refused.

    Raises:
        ResultError: If the file is no Parquet, or a column is of another type.
    """
    require("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as parquet

    if not is_regular(path):
        raise ResultError(path, "", "is missing or not a regular file", remedy, shown="path")
    try:
        schema = parquet.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise ResultError(
            path, "", f"is damaged: {' '.join(str(error).split())[:200]}", remedy, shown="path"
        ) from None
    check_schema(path, schema, shape, remedy=remedy)


def check_schema(path: Path, schema: pa.Schema, shape: Mapping[str, str], *, remedy: str) -> None:
    """Checks the columns that a Parquet file has.

    Args:
        path: The file, for the message.
        schema: Its columns.
        shape: For each column that must be there "text", "integer", "number" or "any". Every column holds text,
            numbers or switches.
        remedy: Remedy named in the message if the file is refused.

    Raises:
        ResultError: If a column is missing, there twice or of another type.
    """
    for name, kind in shape.items():
        if schema.names.count(name) != 1 or kind not in {*_kinds(schema.field(name).type), "any"}:
            of = "" if kind == "any" else f" of type {kind}"
            raise ResultError(
                path,
                name,
                f"is damaged: column {name[:200]} must be one column{of}",
                remedy,
                shown="path",
            )
    for column in schema:
        if not _kinds(column.type):
            raise ResultError(
                path,
                column.name,
                f"is damaged: column {column.name[:200]!r} must hold text, numbers or switches",
                remedy,
                shown="path",
            )


def _kinds(kind: Any) -> set[str]:
    """Returns the names of a column's type; none for types that dropcurve does not write."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return {"text"}
    if pa.types.is_integer(kind):
        return {"integer", "number"}
    if pa.types.is_floating(kind):
        return {"number"}
    return {"switch"} if pa.types.is_boolean(kind) or pa.types.is_null(kind) else set()
