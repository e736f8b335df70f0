"""Recordings that a scenario refers to by name: ``opportunities_ms = "file:cell.trace"``, ``packets = "file:a.pcap"``.

The simulator is given their contents, never a path: so a resolved scenario holds all that a run needs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..errors import DropcurveError

#: A key with a file for its value; what is quoted or behind a ``#`` in front of it is none.
_REFERENCE = re.compile(
    r'^((?:[^#"\'\n]|"[^"\n]*"|\'[^\'\n]*\')*?\b(opportunities_ms|packets)\s*=\s*)"file:([^"\n]+)"',
    re.MULTILINE,
)


def mahimahi(path: str | Path) -> list[int]:
    """The delivery opportunities of a trace in the format of Mahimahi: milliseconds, one a line, each for 1500 bytes.

    Raises DropcurveError if the file cannot be read, or with the first entry that is no whole number or goes back.
    """
    try:
        lines = Path(path).read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is no text of digits"
        raise DropcurveError(f"{path}: cannot be read: {reason}") from None
    times: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.isdigit():
            raise DropcurveError(f"{path}: entry {number} is '{line}'; each is a time in whole milliseconds")
        if times and int(line) < times[-1]:
            raise DropcurveError(
                f"{path}: entry {number} is {line}, before the one in front of it ({times[-1]})"
            )
        times.append(int(line))
    if not times or times[-1] == 0:
        raise DropcurveError(f"{path}: holds no time above 0, so there is nothing to repeat")
    return times


def packets(path: str | Path) -> list[str]:
    """The IP packets of a pcap or pcapng capture, as a scenario writes them: ``"12.5 ms 1500 B"``, from the first on.

    Raises DropcurveError as `captures.packets` does.
    """
    from . import captures

    return [f"{_span(time_ns)} {size} B" for time_ns, size in captures.packets(path)]


def _span(time_ns: int) -> str:
    """Nanoseconds, exactly, in the largest unit of which there is one."""
    for digits, unit in ((9, "s"), (6, "ms"), (3, "us")):
        whole, rest = divmod(time_ns, 10**digits)
        if whole:
            return f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{time_ns} ns"


_READERS = {"opportunities_ms": mahimahi, "packets": packets}


def filled_in(text: str, folder: Path) -> str:
    """The text of a scenario with the contents of the files it names; paths are seen from ``folder``.

    Raises DropcurveError as `mahimahi` and `packets` do.
    """

    def contents(found: re.Match[str]) -> str:
        return f"{found[1]}{json.dumps(_READERS[found[2]](folder / found[3]))}"

    return _REFERENCE.sub(contents, text)


def value(path: str, given: Any) -> Any:
    """The value of a key given from Python or a command line, with the contents of a file it names.

    Paths are seen from the working folder. Raises DropcurveError as `mahimahi` and `packets` do.
    """
    reader = _READERS.get(path.rpartition(".")[2])
    if reader is None or not isinstance(given, str) or not given.startswith("file:"):
        return given
    return reader(given.removeprefix("file:"))
