"""Claims as tests that are stated before the run, and how they end.

A test names what is estimated and the range in which the claim would be right, margin included. It *holds* if the
whole interval of the estimate lies in that range, *does not hold* if none of it does, and else *cannot be decided*.
A claim may need several tests: it holds if all of them do, and does not hold if one does not. Intervals of a claim of
k tests are at 1 - 5 %/k each (Bonferroni), so either verdict is wrong in at most one case of twenty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import statistics, wording
from .effects import Effect, gain

if TYPE_CHECKING:
    from .cells import Cells

HOLDS = "holds"
FAILS = "does not hold"
OPEN = "cannot be decided"
#: A claim about cells that a setting does not have.
UNASKED = "not asked"
#: Chance of a wrong verdict on one claim.
ERROR = 0.05


@dataclass(frozen=True)
class Test:
    """What is estimated, and where it would have to lie: above ``above`` and below ``below``, in ``unit``."""

    label: str
    effect: Callable[[Cells], Effect]
    above: float | None = None
    below: float | None = None
    unit: str = ""

    @property
    def rule(self) -> str:
        """The range in words: ``> 5 %``."""
        unit = f" {self.unit}" if self.unit else ""
        low = "" if self.above is None else _plain(self.above)
        high = "" if self.below is None else _plain(self.below)
        if low and high:
            return f"between {low} and {high}{unit}"
        return f"> {low}{unit}" if low else f"< {high}{unit}"


@dataclass(frozen=True)
class Claim:
    """What a paper says, in our words; ``place`` is the table or figure it rests on."""

    key: str
    place: str
    text: str
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Part:
    """How one test ended: estimate, half-width, number of replications."""

    label: str
    rule: str
    unit: str
    value: float
    half_width: float
    n: int
    verdict: str

    @property
    def estimate(self) -> str:
        """``12.3 ± 0.4 %``."""
        if math.isnan(self.value):
            return "no value"
        half = self.half_width if math.isfinite(self.half_width) else None
        centre, width = wording.value(self.value, half)
        return f"{centre} ± {width} {self.unit}".rstrip() if width else f"{centre} {self.unit}".rstrip()


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim in one setting."""

    claim: Claim
    parts: tuple[Part, ...]
    verdict: str


def at(cell: str, number: str) -> Callable[[Cells], Effect]:
    """What a test estimates: a number of a cell."""
    return lambda cells: cells[cell][number]


def more(number: str, cell: str, other: str) -> Callable[[Cells], Effect]:
    """What a test estimates: by how many per cent a number is larger in one cell than in another."""
    return lambda cells: gain(cells[cell][number], cells[other][number])


def judge(claim: Claim, cells: Cells, *, sequential: bool) -> Finding:
    """The verdict on a claim; ``sequential`` says that the number of replications depended on the data."""
    confidence = 1.0 - ERROR / len(claim.tests)
    level = statistics.level_when_stopping(confidence) if sequential else confidence
    try:
        effects = [test.effect(cells) for test in claim.tests]
    except Absent:
        return Finding(claim, (), UNASKED)
    parts = tuple(_part(test, effect, level) for test, effect in zip(claim.tests, effects, strict=True))
    return Finding(claim, parts, _together([part.verdict for part in parts]))


class Absent(KeyError):
    """A cell that a setting does not have."""


def _part(test: Test, effect: Effect, level: float) -> Part:
    half = effect.half_width(level)
    verdict = (
        OPEN if math.isnan(effect.value) or not math.isfinite(half) else _place(test, effect.value, half)
    )
    return Part(test.label, test.rule, test.unit, effect.value, half, effect.n, verdict)


def _place(test: Test, value: float, half: float) -> str:
    """Where the interval lies against the range."""
    above = -math.inf if test.above is None else test.above
    below = math.inf if test.below is None else test.below
    low, high = value - half, value + half
    if low > above and high < below:
        return HOLDS
    return FAILS if high <= above or low >= below else OPEN


def _together(verdicts: Sequence[str]) -> str:
    if FAILS in verdicts:
        return FAILS
    return HOLDS if all(verdict == HOLDS for verdict in verdicts) else OPEN


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")
