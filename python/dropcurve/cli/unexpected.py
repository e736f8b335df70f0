"""Internal errors: one line with the place and how to report it, instead of a traceback."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from .console import say

#: Address for reports of internal errors.
REPORT = "report it with the command and its files (CONTRIBUTING.md, Reporting an error)"
_HERE = Path(__file__).resolve().parents[2]


class Unexpected:
    """Turns an error of ours into one line on standard error; with ``debug`` it passes, traceback and all.

    It also takes panics of the core, which are no `Exception`, but neither Ctrl-C nor an exit.
    """

    def __init__(self, arguments: Sequence[str], *, debug: bool) -> None:
        self.arguments, self.debug = list(arguments), debug

    def __enter__(self) -> Unexpected:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or self.debug or isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            return False
        say(f"dropcurve: {line(error, trace)}")
        return True


def line(error: BaseException, trace: TracebackType | None) -> str:
    """The error in one line."""
    if isinstance(error, MemoryError):
        return "out of memory; run fewer at once (--jobs 1), a shorter --duration or fewer flows"
    found = traceback.extract_tb(trace)
    where = next((one for one in reversed(found) if _HERE in Path(one.filename).parents), None)
    place = f" ({Path(where.filename).relative_to(_HERE)}:{where.lineno})" if where else ""
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(": ")
    return f"internal error: {what}{place}; {REPORT}; --debug shows where it came from"
