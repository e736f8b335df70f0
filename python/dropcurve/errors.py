"""Errors: one root, so that ``except DropcurveError`` catches whatever this package raises on purpose."""

from __future__ import annotations

import difflib
import errno
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TypeVar

from .present.visible import cut

T = TypeVar("T")


class DropcurveError(Exception):
    """Root of every error this package raises on purpose."""

    #: Exit code of the command line: 2, the input is wrong.
    exit_code = 2


_REMEDIES = {
    errno.ENOSPC: "make room, or name another folder",
    errno.EDQUOT: "make room, or name another folder",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f), or name another folder",
    errno.EEXIST: "name a folder, not a file",
    errno.ENOTDIR: "name a folder, not a file",
    errno.EISDIR: "name a file, not a folder",
    errno.ENAMETOOLONG: "choose a shorter name",
}


def unwritable(where: object, error: OSError) -> str:
    """The message for a file or folder that cannot be written: its path, the reason and the remedy."""
    remedy = _REMEDIES.get(error.errno or 0, "name a folder that you may write in")
    return f"{where}: cannot be written: {error.strerror or error}; {remedy}"


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the user's input.

    ``path`` is where (dotted keys such as ``queue.max_th``), ``value`` what stands there, ``rule`` what
    it breaks, ``remedy`` what to do; the last two are sentences without a full stop, each but ``rule``
    may be empty. ``line`` is the line of the file, from 1, where it is known: that of the key, or of the
    section that lacks it.
    """

    path: str
    value: str
    rule: str
    remedy: str = ""
    line: int | None = None

    def __str__(self) -> str:
        path, value = cut(self.path), cut(self.value)
        where = f"{path} = {value}" if path and value else path or value
        text = f"{where}: {self.rule}" if where else self.rule
        return f"{text}; {self.remedy}" if self.remedy else text


class ScenarioError(DropcurveError):
    """A scenario that cannot be used; ``problems`` lists everything wrong with it, not only the first."""

    def __init__(self, problems: Iterable[Problem], *, origin: str = "") -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.origin = origin
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """One line per problem, each beginning with the file it came from and the line there, if known."""
        return [f"{self._place(problem)}{problem}" for problem in self.problems]

    def _place(self, problem: Problem) -> str:
        if not self.origin:
            return ""
        return f"{self.origin}: " if problem.line is None else f"{self.origin}:{problem.line}: "


def records(error: BaseException) -> list[dict[str, str | int | None]]:
    """Every problem of an error as data, for ``--json``: ``message``, and of a scenario's problem also ``file``,
    ``line``, ``path``, ``value``, ``rule`` and ``remedy``."""
    if isinstance(error, ScenarioError):
        return [
            {
                "message": str(one), "file": error.origin or None, "line": one.line, "path": one.path,
                "value": cut(one.value), "rule": one.rule, "remedy": one.remedy or None,
            }
            for one in error.problems
        ]  # fmt: skip
    return [{"message": line} for line in str(error).splitlines()]


class ResultError(DropcurveError):
    """A result folder that cannot be read: missing, damaged, or of another format version."""


class WorkError(DropcurveError):
    """Work that was lost while it ran: a process that ended, an interface that vanished."""

    exit_code = 1


class UsageError(DropcurveError):
    """A call that makes no sense as put: an unknown name, or values that exclude each other."""


class MissingError(UsageError, ImportError):
    """A library of an extra that is not installed."""


#: What each library is for, and the extras that install it.
EXTRAS = {
    "matplotlib": ("figures", ("plot",)),
    "pyarrow": ("series and tables of runs", ("plot", "sweep")),
    "duckdb": ("tables of sweeps", ("sweep",)),
    "scipy": ("Sobol, Latin and Halton samples", ("sweep",)),
    "pandas": ("data frames", ("tables",)),
    "polars": ("data frames of polars", ("tables",)),
    "xarray": ("labelled arrays", ("tables",)),
}


def require(*libraries: str) -> None:
    """Checks that libraries of an extra are installed, without loading them.

    Raises:
        MissingError: One line for the missing ones: what they are for, and the command that installs them.
    """
    missing = [name for name in libraries if not installed(name)]
    if not missing:
        return
    purposes = " and ".join(EXTRAS[name][0] for name in missing)
    shared = [one for one in EXTRAS[missing[0]][1] if all(one in EXTRAS[name][1] for name in missing)]
    extras = shared[0] if shared else ",".join(EXTRAS[name][1][0] for name in missing)
    raise MissingError(
        f"{purposes} need {' and '.join(missing)}, not installed here: pip install 'dropcurve[{extras}]'"
    )


def installed(library: str) -> bool:
    """Whether a library can be imported."""
    return sys.modules.get(library) is not None or find_spec(library) is not None


class Interruption(KeyboardInterrupt):
    """Ctrl-C while runs were being made; ``finished`` of those asked for are stored."""

    def __init__(self, finished: int) -> None:
        self.finished = finished
        super().__init__()

    def __str__(self) -> str:
        if not self.finished:
            return "interrupted; no run was finished"
        runs = f"{self.finished} finished run{'s' if self.finished > 1 else ''}"
        return f"interrupted; {runs} stored; the same command resumes from there"


@dataclass
class Gathered:
    """Errors of a call, raised together: a step that fails is recorded, and the others are still taken."""

    errors: list[DropcurveError] = field(default_factory=list)

    def take(self, step: Callable[[], T], otherwise: T) -> T:
        """Returns the value of a step; ``otherwise`` if it fails."""
        try:
            return step()
        except DropcurveError as error:
            self.errors.append(error)
            return otherwise

    def check(self) -> None:
        """Raises UsageError with a line for each failure, if there was one."""
        if self.errors:
            raise UsageError("\n".join(map(str, self.errors)))


def nearest(name: str, known: Iterable[str], *, otherwise: str) -> str:
    """Returns ``did you mean 'red'?`` if a known name is close, else ``otherwise``."""
    known = list(known)
    # Two neighbours in the wrong order count as one slip, which a ratio of common blocks does not know.
    swapped = {name[:i] + name[i + 1] + name[i] + name[i + 2 :] for i in range(len(name) - 1)}
    near = [one for one in known if one in swapped]
    # Of names that are about as close, the one that begins alike and is as long is meant: red, not dred or rared.
    close = difflib.get_close_matches(name, known, n=5, cutoff=0.6)
    near += sorted(close, key=lambda one: (one[:1] != name[:1], abs(len(one) - len(name))))
    return f"did you mean '{near[0]}'?" if near else otherwise
