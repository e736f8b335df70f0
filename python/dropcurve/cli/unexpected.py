"""Problems as lines and, under ``--json``, as data; internal errors as one line instead of a traceback."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from .console import data, say
from .streams import ReaderGone

#: Address for reports of internal errors.
REPORT = "report it with the command and its files (CONTRIBUTING.md, Reporting an error)"
_HERE = Path(__file__).resolve().parents[2]


class Unexpected:
    """Turns an error of ours into one line on standard error; with ``debug`` it passes, traceback and all.

    It also takes panics of the core, which are no `Exception`, but neither Ctrl-C nor an exit. ``code`` is the exit
    code that it names under ``--json``.
    """

    def __init__(self, arguments: Sequence[str], *, debug: bool, code: int) -> None:
        self.arguments, self.debug, self.code = list(arguments), debug, code

    def __enter__(self) -> Unexpected:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or self.debug or isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            return False
        text = line(error, trace)
        # Standard output itself may have failed.
        with suppress(OSError, ReaderGone):
            tell(self.arguments, [{"message": text}], [text], code=self.code)
        return True


def tell(
    arguments: Sequence[str],
    problems: Sequence[Mapping[str, object]],
    lines: Sequence[str],
    *,
    code: int,
    printed: bool = True,
) -> None:
    """Writes the lines to standard error; under ``--json`` also the problems to standard output, as JSON, unless
    ``printed`` is false because standard output is what failed."""
    say("\n".join(f"dropcurve: {line}" for line in lines))
    if "--json" in arguments and printed:
        data({"exit_code": code, "problems": list(problems)})


def line(error: BaseException, trace: TracebackType | None) -> str:
    """The error in one line."""
    if isinstance(error, MemoryError):
        return "out of memory; run fewer at once (--jobs 1), a shorter --duration or fewer flows"
    found = traceback.extract_tb(trace)
    where = next((one for one in reversed(found) if _HERE in Path(one.filename).parents), None)
    place = f" ({Path(where.filename).relative_to(_HERE)}:{where.lineno})" if where else ""
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(": ")
    return f"internal error: {what}{place}; {REPORT}; --debug shows where it came from"
