"""JSON files of a folder as dropcurve writes it: read, and checked against their shape."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import ResultError
from .reading import LIMIT, parse_json, read_bytes
from .shape import faults

#: Faults of a file that are shown.
_SHOWN = 3
#: Parser of a file's text; raises ValueError.
Parse = Callable[[bytes], Any]


def load_json(path: Path, shape: Any, *, remedy: str, parse: Parse = parse_json, limit: int = LIMIT) -> Any:
    """Returns the content of a JSON file whose types are those of ``shape``.

    Args:
        path: The file.
        shape: Its shape.
        remedy: Remedy named in the message if it is damaged.
        parse: Parses its text.
        limit: Most bytes it may have.

    Raises:
        ResultError: If it cannot be read, is not JSON, or has other types.
    """
    try:
        value = parse(read_bytes(path, limit=limit))
    except OSError as error:
        raise ResultError(
            path, "", f"cannot be read: {error.strerror or error}", remedy, shown="path"
        ) from None
    except ValueError as error:
        raise ResultError(
            path, "", f"is damaged: {' '.join(str(error).split())[:200]}", remedy, shown="path"
        ) from None
    check(path, value, shape, remedy=remedy)
    return value


def check(path: Path, value: Any, shape: Any, *, remedy: str) -> None:
    """Raises ResultError if ``value``, the content of ``path``, is not of ``shape``."""
    wrong = list(islice(faults(value, shape), _SHOWN + 1))
    if wrong:
        more = ", and more" if len(wrong) > _SHOWN else ""
        raise ResultError(
            path, wrong[0], f"is damaged: {', '.join(wrong[:_SHOWN])}{more}", remedy, shown="path"
        )
