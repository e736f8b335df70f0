"""Problems as lines and, under ``--json``, as data; internal errors as one line instead of a traceback."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import TracebackType

from ..errors import Problem, records
from .console import data, say
from .streams import ReaderGone

#: Address for reports of internal errors.
REPORT = "report it with the command and its files (CONTRIBUTING.md, Reporting an error)"
_HERE = Path(__file__).resolve().parents[2]


class Unexpected:
    """Turns an internal error into one line on standard error; with ``debug`` it passes with its traceback.

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
        # Standard output itself may have failed.
        with suppress(OSError, ReaderGone):
            report_problems(self.arguments, [described(error, trace)], code=self.code)
        return True


def report_problems(
    arguments: Sequence[str],
    problems: Sequence[Problem],
    lines: Sequence[str] = (),
    *,
    code: int,
    origin: str = "",
    printed: bool = True,
) -> None:
    """Writes problems to standard error, a line each; under ``--json`` also to standard output, as JSON.

    Args:
        arguments: The command's.
        problems: The problems.
        lines: Their lines, if they name more than the problems do.
        code: The exit code.
        origin: The file that the problems are in.
        printed: Whether standard output can be used; it may itself have failed.
    """
    say("\n".join(f"dropcurve: {line}" for line in lines or map(str, problems)))
    if "--json" in arguments and printed:
        data({"exit_code": code, "problems": records(problems, origin=origin)})


#: Options that say what a name of the package says, where the two differ.
OPTIONS = {"box": ("--from", "--for"), "link": ("--link", "--rate")}


def as_typed(problems: Sequence[Problem], arguments: Sequence[str]) -> list[Problem]:
    """Problems with the option in place of the package's name for it, where an option was given that value."""
    typed = {*pairwise(arguments), *(one.partition("=")[::2] for one in arguments if one.startswith("--"))}

    def option(problem: Problem) -> Problem:
        names = OPTIONS.get(problem.path, (f"--{problem.path.replace('_', '-')}",))
        path = next((name for name in names if (name, problem.value) in typed), problem.path)
        return replace(problem, path=path)

    return [option(one) for one in problems]


def described(error: BaseException, trace: TracebackType | None) -> Problem:
    """An internal error as a problem of one line."""
    if isinstance(error, MemoryError):
        remedy = "run fewer at once (--jobs 1), a shorter --duration or fewer flows"
        return Problem("memory", type(error).__name__, "out of memory", remedy, shown="rule")
    import traceback

    frames = traceback.extract_tb(trace)
    where = next((one for one in reversed(frames) if _HERE in Path(one.filename).parents), None)
    place = f" ({Path(where.filename).relative_to(_HERE)}:{where.lineno})" if where else ""
    message = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(": ")
    remedy = f"{REPORT}; --debug shows where it came from"
    return Problem(
        place.strip(" ()") or "core", message, f"internal error: {message}{place}", remedy, shown="rule"
    )
