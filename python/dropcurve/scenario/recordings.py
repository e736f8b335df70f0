"""Recordings that a scenario refers to by name: ``opportunities_ms = "file:cell.trace"``, ``packets = "file:a.pcap"``.

The simulator gets their contents, never a path, so a resolved scenario is complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ..errors import DropcurveError
from ..files.reading import read_text
from . import captures

#: Largest recording that is read, in bytes.
LIMIT = 2**28
#: A key with a file for its value; one in quotes or behind a ``#`` does not count.
_REFERENCE = re.compile(
    r'^((?:[^#"\'\n]|"[^"\n]*"|\'[^\'\n]*\')*?\b(opportunities_ms|packets)\s*=\s*)"file:([^"\n]+)"',
    re.MULTILINE,
)


def mahimahi(path: str | Path) -> list[int]:
    """The delivery opportunities of a trace in Mahimahi's format: milliseconds, one on each line, for 1500 bytes each.

    Raises DropcurveError if the file cannot be read, is not a regular file or is larger than `LIMIT`, or for the first
    entry that is not a whole number or is smaller than the one before. Messages do not quote the file.
    """
    try:
        lines = read_text(Path(path), limit=LIMIT, encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not a text of digits"
        raise DropcurveError(
            path, "", f"cannot be read: {reason}", "name a recording in Mahimahi's format", shown="path"
        ) from None
    times: list[int] = []
    for number, line in enumerate(lines, 1):
        if not re.fullmatch(r"[0-9]{1,15}", line):
            raise DropcurveError(
                path,
                f"entry {number}",
                f"entry {number}: must be a time in whole milliseconds, of at most 15 digits",
                "correct the file",
                shown="path",
            )
        if times and int(line) < times[-1]:
            raise DropcurveError(
                path,
                f"entry {number}",
                f"entry {number}: must not lie before the one in front of it",
                "sort the file",
                shown="path",
            )
        times.append(int(line))
    if not times or times[-1] == 0:
        raise DropcurveError(
            path, "", "holds no time above 0, so there is nothing to repeat", "record again", shown="path"
        )
    return times


def packets(path: str | Path) -> list[str]:
    """The IP packets of a pcap or pcapng capture, as a scenario writes them: ``"12.5 ms 1500 B"``, from the first on.

    Raises DropcurveError as `captures.packets` does.
    """
    return [f"{_span(time_ns)} {size} B" for time_ns, size in captures.packets(path)]


def _span(time_ns: int) -> str:
    """A time in the largest unit in which it is a whole number."""
    for digits, unit in ((9, "s"), (6, "ms"), (3, "us")):
        whole, rest = divmod(time_ns, 10**digits)
        if whole:
            return f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{time_ns} ns"


_READERS = {"opportunities_ms": mahimahi, "packets": packets}

#: Folders that the user named, in which scenarios may name files in addition to those of their own folder.
_allowed: ContextVar[tuple[Path, ...]] = ContextVar("allowed folders", default=())


@contextmanager
def allowing(folders: Iterable[str | Path]) -> Iterator[None]:
    """Lets scenarios name files in these folders and below, for as long as the block lasts."""
    before = _allowed.set((*_allowed.get(), *map(Path, folders)))
    try:
        yield
    finally:
        _allowed.reset(before)


def filled_in(text: str, folder: Path) -> str:
    """The text of a scenario with the contents of the files it names.

    Args:
        text: The scenario.
        folder: Folder of the scenario; paths are relative to it, and files must lie in it or below.

    Returns:
        The text without names of files.

    Raises:
        DropcurveError: As `mahimahi` and `packets` do, and for a file that lies elsewhere.
    """

    def contents(match: re.Match[str]) -> str:
        return f"{match[1]}{json.dumps(_read(match[2], match[3], folder, (folder,)))}"

    return _REFERENCE.sub(contents, text)


def value(path: str, given: Any, *, folder: Path, within: Iterable[Path] = ()) -> Any:
    """The value of a key, with the contents of a file it names.

    Args:
        path: The key, such as ``flows.office.packets``.
        given: Its value.
        folder: Folder to which paths are relative; files must lie in it or below.
        within: Other folders in which they may lie.

    Returns:
        The contents, or ``given`` if it names no file.

    Raises:
        DropcurveError: As `filled_in`.
    """
    key = path.rpartition(".")[2]
    if key not in _READERS or not isinstance(given, str) or not given.startswith("file:"):
        return given
    return _read(key, given.removeprefix("file:"), folder, (folder, *within))


def _read(key: str, name: str, folder: Path, within: Iterable[Path]) -> Any:
    """The contents of a file for a key. Symbolic links are resolved."""
    path = folder / name
    try:
        real, roots = path.resolve(), [one.resolve() for one in (*within, *_allowed.get())]
    except (OSError, RuntimeError, ValueError):
        raise DropcurveError(
            key, name, "cannot be read: is not a usable path", "name a file", shown="value"
        ) from None
    if not any(real.is_relative_to(root) for root in roots):
        raise DropcurveError(
            key,
            f"file:{name}",
            "must lie in the folder of the scenario or below it",
            "move it there, or allow its folder with --allow-files DIR (from Python allow_files=)",
        )
    return _READERS[key](path)
