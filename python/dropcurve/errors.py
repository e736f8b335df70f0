"""Errors: one root, so that ``except DropcurveError`` catches every error that this package raises on purpose."""

from __future__ import annotations

import difflib
import errno
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, Self, TypeVar

from .present.visible import cut

T = TypeVar("T")
#: Parts of a problem that its text has before the rule; "rule" means none.
Shown = Literal["both", "path", "value", "rule"]


_REMEDIES = {
    errno.ENOSPC: "make room, or name another folder",
    errno.EDQUOT: "make room, or name another folder",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f), or name another folder",
    errno.EEXIST: "name a folder, not a file",
    errno.ENOTDIR: "name a folder, not a file",
    errno.EISDIR: "name a file, not a folder",
    errno.ENAMETOOLONG: "choose a shorter name",
}


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the user's input.

    ``path`` is its place (dotted keys such as ``queue.max_th``, an option, a file), ``value`` the value there, "" if
    there is none; ``rule`` is the broken rule, ``remedy`` the action to take, both sentences without a full stop.
    ``line`` is the line of the file, from 1, if it is known: that of the key, or of the section that lacks it.
    ``shown`` selects the text before the rule: a value that is itself a name, such as a file, needs no path.
    """

    path: str
    value: str
    rule: str
    remedy: str = ""
    line: int | None = None
    shown: Shown = "both"

    def __post_init__(self) -> None:
        # Errors of libraries end in line breaks, or have several lines; a problem is one line.
        for name in ("rule", "remedy"):
            if not (text := getattr(self, name)).isprintable():
                object.__setattr__(self, name, " ".join(text.split()))

    def __str__(self) -> str:
        path = cut(self.path) if self.shown in ("both", "path") else ""
        value = cut(self.value) if self.shown in ("both", "value") else ""
        where = f"{path} = {value}" if path and value else path or value
        text = f"{where}: {self.rule}" if where else self.rule
        return f"{text}; {self.remedy}" if self.remedy else text


class DropcurveError(Exception):
    """Root of every error this package raises on purpose; ``problems`` lists everything that is wrong.

    Made from the parts of a `Problem`, or with `of` from several.
    """

    #: Exit code of the command line: 2, the input is wrong.
    exit_code = 2
    #: The file that the problems are in; "" if they are in none, or in several.
    origin: str
    problems: tuple[Problem, ...]

    def __init__(self, path: object, value: object, rule: str, remedy: str, *, shown: Shown = "both") -> None:
        self._hold([Problem(str(path), str(value), rule, remedy, shown=shown)], "")

    @classmethod
    def of(cls, problems: Iterable[Problem], *, origin: str = "") -> Self:
        """Returns the error with these problems.

        Args:
            problems: The problems, in the order in which they are shown.
            origin: File that all of them are of, if it is one.

        Returns:
            The error, not raised.

        Example:
            >>> raise ScenarioError.of([Problem("a", "0", "must be above 0", "raise it")], origin="mine.toml")
        """
        error = cls.__new__(cls)
        error._hold(problems, origin)
        return error

    def _hold(self, problems: Iterable[Problem], origin: str) -> None:
        self.problems, self.origin = tuple(problems), origin
        self.args = ("\n".join(self.lines()),)

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers send errors to the client.
        return _again, (type(self), self.problems, self.origin)

    def lines(self) -> list[str]:
        """Returns the message as lines.

        Returns:
            One line per problem, each beginning with the file it came from and the line there, if known.

        Example:
            >>> print(*error.lines(), sep="\n")
        """
        return [f"{self._place(problem)}{problem}" for problem in self.problems]

    def _place(self, problem: Problem) -> str:
        if not self.origin:
            return ""
        return f"{self.origin}: " if problem.line is None else f"{self.origin}:{problem.line}: "


def _again(kind: type[DropcurveError], problems: tuple[Problem, ...], origin: str) -> DropcurveError:
    return kind.of(problems, origin=origin)


class ScenarioError(DropcurveError):
    """A scenario or a configuration that cannot be used."""

    def __init__(self, problems: Iterable[Problem], *, origin: str = "") -> None:
        self._hold(problems, origin)


#: Value of a problem, as data, for a missing key or option.
ABSENT = "(nothing)"


def records(problems: Iterable[Problem], *, origin: str = "") -> list[dict[str, str | int | None]]:
    """Problems as data, for ``--json``: ``message``, ``file``, ``line``, ``path``, ``value``, ``rule`` and ``remedy``.

    Only ``file`` and ``line`` may be None; ``path`` and ``value`` are cut at 200 characters.
    """
    return [
        {
            "message": str(one), "file": origin or None, "line": one.line, "path": cut(one.path) or "input",
            "value": cut(one.value) or ABSENT, "rule": one.rule, "remedy": one.remedy,
        }
        for one in problems
    ]  # fmt: skip


def unwritable(where: object, error: OSError) -> Problem:
    """The problem of a file or folder that cannot be written: its path, the reason, and the remedy."""
    return failed(where, "cannot be written", error, "name a folder that you may write in")


def quoted(path: str, text: str, otherwise: str) -> Problem:
    """The problem in a message of another process, such as a forwarder that has ended; ``otherwise`` is the remedy if
    the message ends without one."""
    rule, _, remedy = text.rpartition("; ")
    return Problem(path, "", rule or text, remedy if rule else otherwise, shown="rule")


def failed(where: object, what: str, error: OSError, otherwise: str) -> Problem:
    """The problem of a file that the operating system refuses; ``otherwise`` is the remedy if the reason has none."""
    reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0, otherwise)
    return Problem(str(where), reason, f"{what}: {reason}" if what else reason, remedy, shown="path")


class ResultError(DropcurveError):
    """A result folder that cannot be read: missing, damaged, or of another format version."""


class WorkError(DropcurveError):
    """Work that was lost while it ran: a process that ended, an interface that vanished."""

    exit_code = 1


class UsageError(DropcurveError):
    """An invalid call: an unknown name, or values that exclude each other."""


class MissingError(UsageError, ImportError):
    """A library of an extra that is not installed, or too old."""


#: Purpose of each library, and the extras that install it.
EXTRAS = {
    "matplotlib": ("figures", ("plot",)),
    "pyarrow": ("series and tables of runs", ("plot", "sweep")),
    "duckdb": ("tables of sweeps", ("sweep",)),
    "scipy": ("Sobol, Latin and Halton samples", ("sweep",)),
    "pandas": ("data frames", ("tables",)),
    "polars": ("data frames of polars", ("tables",)),
    "xarray": ("labelled arrays", ("tables",)),
    "optuna": ("searches of an editable installation", ("optuna",)),
    "mcp": ("tools for agents", ("mcp",)),
}


def require(*libraries: str) -> None:
    """Checks that libraries of an extra are installed, in a version that the extra accepts, without loading them.

    Raises:
        MissingError: One line for the missing ones, or for one of another version: their purpose, and the command that
            installs them.
    """
    missing = [name for name in libraries if not installed(name)]
    if not missing:
        for name in libraries:
            _check_version(name)
        return
    purposes = " and ".join(EXTRAS[name][0] for name in missing)
    shared = [one for one in EXTRAS[missing[0]][1] if all(one in EXTRAS[name][1] for name in missing)]
    extras = shared[0] if shared else ",".join(EXTRAS[name][1][0] for name in missing)
    raise MissingError(
        "library",
        " and ".join(missing),
        f"{purposes} need {' and '.join(missing)}, not installed here",
        f"pip install 'dropcurve[{extras}]'",
        shown="rule",
    )


@cache
def _check_version(library: str) -> None:
    """Raises MissingError if the installed version of a library is none that its extra accepts.

    pip installs what it accepts with the extra; a library that was there before may be older.
    """
    import importlib.metadata as metadata

    from packaging.requirements import Requirement

    try:
        requirements = map(Requirement, metadata.requires("dropcurve") or [])
        have = metadata.version(library)
    except metadata.PackageNotFoundError:
        return  # run from a folder, without a record of what was installed
    purpose, extras = EXTRAS[library]
    wanted = next((one.specifier for one in requirements if one.name == library), None)
    if wanted is not None and not wanted.contains(have, prereleases=True):
        raise MissingError(
            "library",
            library,
            f"{purpose} need {library} {wanted}, and {have} is installed here",
            f"pip install 'dropcurve[{extras[0]}]'",
            shown="rule",
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
class ErrorGroup:
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
        """Raises UsageError with the problems of each failure, if there was one."""
        if self.errors:
            raise UsageError.of([one for error in self.errors for one in error.problems])


def nearest(name: str, known: Iterable[str], *, otherwise: str) -> str:
    """Returns ``did you mean 'red'?`` if a known name is close, else ``otherwise``."""
    known = list(known)
    # Two swapped letters count as one error, unlike in a ratio of common blocks.
    swapped = {name[:i] + name[i + 1] + name[i] + name[i + 2 :] for i in range(len(name) - 1)}
    near = [one for one in known if one in swapped]
    # Of names that are about as close, take the one with the same beginning and length: red, not dred or rared.
    close = difflib.get_close_matches(name, known, n=5, cutoff=0.6)
    near += sorted(close, key=lambda one: (one[:1] != name[:1], abs(len(one) - len(name))))
    return f"did you mean '{near[0]}'?" if near else otherwise
