"""Bounded reads of regular files: a FIFO, a device or a folder in the place of a file is refused, never waited for."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any, NoReturn

_WIDE = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}")
#: Half of a surrogate pair, also as the escape of one.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")

#: Default size limit of a file that is read whole, in bytes.
LIMIT = 2**30


def read_bytes(path: Path, *, limit: int = LIMIT) -> bytes:
    """Returns the content of a regular file.

    Args:
        path: The file. Symbolic links are followed.
        limit: Most bytes it may have.

    Raises:
        OSError: If it cannot be read, is not a regular file, or is larger than ``limit``; ``strerror`` names the
            reason.
    """
    # A FIFO is opened without waiting for its writer, so that it can be refused.
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        with os.fdopen(opened, "rb", closefd=False) as file:
            # No more than its size, because a read allocates the size that it is asked for.
            content = file.read(status.st_size) if status.st_size <= limit else None
    finally:
        os.close(opened)
    if content is None:
        raise OSError(errno.EFBIG, f"is larger than {limit} bytes", str(path))
    return content


def read_text(path: Path, *, limit: int = LIMIT, encoding: str = "utf-8") -> str:
    """Returns the text of a regular file. Raises OSError as `read_bytes`, and UnicodeDecodeError."""
    return read_bytes(path, limit=limit).decode(encoding)


def is_regular(path: Path) -> bool:
    """Whether a path is a regular file, or a link to one."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def parse_json(text: str | bytes) -> Any:
    """Parses JSON (RFC 8259): no NaN, no infinities, no half of a surrogate pair, which no UTF-8 text can hold.

    Raises:
        ValueError: If it is none, is nested too deep, or has a number of thousands of digits.
    """

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    def finite(digits: str) -> float:
        number = float(digits)
        if math.isinf(number):
            raise ValueError(f"{digits[:20]} is beyond the largest number")
        return number

    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        # Only such digits can be beyond it: a function for each number would take most of the time.
        wide = _WIDE.search(text) is not None
        value = json.loads(text, parse_constant=refuse, parse_float=finite if wide else None)
        if _SURROGATE.search(text) is not None:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair, which is not a character") from None
    except (RecursionError, ValueError) as error:
        raise _refused(error) from None
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """Parses TOML 1.0.

    Raises:
        ValueError: If it is none, is nested too deep, or has a number of thousands of digits.
    """
    try:
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        raise _refused(error) from None


def _refused(error: RecursionError | ValueError) -> ValueError:
    """The reason in words for a reader: Python's own for depth and for long numbers are advice to a programmer."""
    if isinstance(error, RecursionError):
        return ValueError("it is nested too deep")
    if "set_int_max_str_digits" in str(error):
        return ValueError(f"a whole number has more than {sys.get_int_max_str_digits()} digits")
    return error
