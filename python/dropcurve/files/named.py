"""Text files named by users: read within a limit, and refused in one clear message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import DropcurveError
from .reading import LIMIT, parse_toml, read_text


def load_text(
    path: Path, *, origin: str | Path | None = None, kind: str = "a TOML file", limit: int = LIMIT
) -> str:
    """Returns the text of a file.

    Args:
        path: The file.
        origin: Its path as it was given, for the message; ``path`` unless given.
        kind: The expected kind of file, for the remedy.
        limit: Most bytes it may have.

    Raises:
        DropcurveError: If it cannot be read, is not a regular file, is larger than ``limit``, or is not UTF-8.
    """
    origin = path if origin is None else origin
    try:
        return read_text(path, limit=limit)
    except OSError as error:
        raise DropcurveError(
            origin,
            "",
            f"cannot be read: {error.strerror or error}",
            f"name {kind} that you may read",
            shown="path",
        ) from None
    except UnicodeDecodeError as error:
        where = f"byte {error.start}"
        raise DropcurveError(
            origin, where, f"is not UTF-8 text ({where})", "save it as UTF-8", shown="path"
        ) from None


def load_toml(
    path: Path, *, origin: str | Path | None = None, limit: int = LIMIT
) -> tuple[dict[str, Any], str]:
    """Returns the tables of a TOML file, and its text.

    Args:
        path: The file.
        origin: Its path as it was given, for the message; ``path`` unless given.
        limit: Most bytes it may have.

    Raises:
        DropcurveError: As `load_text`, and if it is not TOML.
    """
    text = load_text(path, origin=origin, limit=limit)
    try:
        return parse_toml(text), text
    except ValueError as error:
        raise DropcurveError(
            path if origin is None else origin,
            "",
            f"is not TOML: {error}",
            "correct the line that it names",
            shown="path",
        ) from None
