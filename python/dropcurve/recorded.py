"""Recordings that a scenario file refers to by name, such as ``opportunities_ms = "file:cell.trace"``.

The simulator is given their contents, never a path: so a resolved scenario holds all that a run needs.
"""

from __future__ import annotations

import re
from pathlib import Path

from .errors import DropcurveError

_REFERENCE = re.compile(r'^(\s*opportunities_ms\s*=\s*)"file:([^"\n]+)"', re.MULTILINE)


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


def filled_in(text: str, folder: Path) -> str:
    """The text of a scenario with the contents of the files it names; paths are seen from ``folder``.

    Raises DropcurveError as `mahimahi` does.
    """
    return _REFERENCE.sub(lambda found: f"{found[1]}{mahimahi(folder / found[2])}", text)
