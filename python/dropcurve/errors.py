"""Errors: one root, so that ``except DropcurveError`` catches whatever this package raises on purpose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class DropcurveError(Exception):
    """Root of every error this package raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the user's input.

    ``path`` is where (dotted keys such as ``queue.max_th``), ``value`` what stands there, ``rule`` what
    it breaks, ``remedy`` what to do; the last two are sentences without a full stop, each but ``rule``
    may be empty.
    """

    path: str
    value: str
    rule: str
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.path} = {self.value}" if self.path and self.value else self.path or self.value
        text = f"{where}: {self.rule}" if where else self.rule
        return f"{text}; {self.remedy}" if self.remedy else text


class ScenarioError(DropcurveError):
    """A scenario that cannot be used; ``problems`` lists everything wrong with it, not only the first."""

    def __init__(self, problems: Iterable[Problem], *, origin: str = "") -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.origin = origin
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """One line per problem, each beginning with the file it came from, if known."""
        head = f"{self.origin}: " if self.origin else ""
        return [f"{head}{problem}" for problem in self.problems]


class ResultError(DropcurveError):
    """A result folder that cannot be read: missing, damaged, or of another format version."""


class UsageError(DropcurveError):
    """A call that makes no sense as put: an unknown name, or values that exclude each other."""
