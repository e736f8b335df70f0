"""Claims as tests that are stated before the run, and their verdicts.

A test names the estimated quantity and the range in which the claim is right, margin included. It *holds* if the whole
interval of the estimate lies in that range, *does not hold* if none of it does, and else *cannot be decided*. A claim
may need several tests: it holds if all of them do, and does not hold if one does not. Intervals of a claim of k tests
are at 1 - 5 %/k each (Bonferroni), so either verdict is wrong in at most one case of twenty.

Replications that are all equal have no interval, so they decide nothing.

An undecided claim is judged again when its cells have more replications (`Judgement`). Repeated tests raise the
probability of a wrong verdict, so the error is split over them (a sequential test): half for the first, the rest
evenly for the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics import statistics
from ..present import intervals
from ..quantities import wording
from .cells import Cells, MissingCell
from .effects import Effect, gain

HOLDS = "holds"
FAILS = "does not hold"
OPEN = "cannot be decided"
#: A claim about cells that a setting does not have.
UNASKED = "not asked"
#: Probability of a wrong verdict on one claim.
ERROR = 0.05
#: Most repetitions of the tests of an undecided claim.
LOOKS = 12


@dataclass(frozen=True)
class Test:
    """A quantity to estimate, and the range it has to lie in: above ``above`` and below ``below``, in ``unit``.

    With ``difference`` zero means "no difference", so that an estimate within the bound either way is a tie.
    """

    label: str
    effect: Callable[[Cells], Effect]
    above: float | None = None
    below: float | None = None
    unit: str = ""
    difference: bool = False

    @property
    def margin(self) -> float:
        """The difference that a test of one bound requires; 0 for a range, and for a bound on the side of zero."""
        if self.above is not None and self.below is not None:
            return 0.0
        return self.above if self.above is not None else -(self.below or 0.0)

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
class TestedClaim:
    """A statement of a paper, in our words; ``place`` is the table or figure that shows it."""

    key: str
    place: str
    text: str
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Part:
    """The outcome of one test: estimate, half-width, number of replications. ``constant``: all replications are
    equal. ``margin``: the difference that a test of one bound requires."""

    label: str
    rule: str
    unit: str
    value: float
    half_width: float
    n: int
    verdict: str
    constant: bool = False
    margin: float = 0.0

    @property
    def tied(self) -> bool:
        """Whether the test fails because there is no difference worth the margin, in either direction."""
        return self.verdict == FAILS and abs(self.value) + self.half_width < self.margin

    @property
    def estimate(self) -> str:
        """``12.3 ± 0.4 %``."""
        if math.isnan(self.value):
            return "no value"
        half = self.half_width if math.isfinite(self.half_width) and not self.constant else None
        centre, width = wording.value(self.value, half)
        return f"{intervals.interval(centre, width)} {self.unit}".rstrip()


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim in one setting."""

    claim: TestedClaim
    parts: tuple[Part, ...]
    verdict: str

    @property
    def tied(self) -> bool:
        """Whether the claim fails only by ties: the variant that it prefers is as good as the others, not worse."""
        failed = [part for part in self.parts if part.verdict == FAILS]
        return bool(failed) and all(part.tied for part in failed)


def at(cell: str, number: str) -> Callable[[Cells], Effect]:
    """Effect of a test: a number of a cell.

    Args:
        cell: Name of the cell.
        number: Name of the number.

    Returns:
        A function from the cells to the effect.

    Example:
        >>> effect = at("red", "goodput")
    """
    return lambda cells: cells[cell][number]


def more(number: str, cell: str, other: str) -> Callable[[Cells], Effect]:
    """Effect of a test: by how many per cent a number is larger in one cell than in another.

    Args:
        number: Name of the number.
        cell: Name of the cell.
        other: Name of the cell that it is compared with.

    Returns:
        A function from the cells to the effect.

    Example:
        >>> effect = more("goodput", "red", "droptail")
    """
    return lambda cells: gain(cells[cell][number], cells[other][number])


def judge(claim: TestedClaim, cells: Cells, *, sequential: bool, error: float = ERROR) -> Finding:
    """The verdict on a claim; ``sequential`` means that the number of replications depended on the data."""
    confidence = 1.0 - error / len(claim.tests)
    level = statistics.level_when_stopping(confidence) if sequential else confidence
    try:
        effects = [test.effect(cells) for test in claim.tests]
    except MissingCell:
        return Finding(claim, (), UNASKED)
    parts = tuple(_part(test, effect, level) for test, effect in zip(claim.tests, effects, strict=True))
    return Finding(claim, parts, _together([part.verdict for part in parts]))


@dataclass
class Judgement:
    """Judges claims while cells grow: `ask` returns the replications needed, until every claim is decided, its cells
    have ``most`` of them, or its error is spent. Verdicts are final."""

    claims: Sequence[TestedClaim]
    most: int
    findings: dict[str, Finding] = field(default_factory=dict)
    _looks: dict[str, int] = field(default_factory=dict)
    _closed: set[str] = field(default_factory=set)

    def ask(self, cells: Cells) -> Mapping[str, int]:
        """Replications that open claims need, by cell; empty if no claim is open."""
        wanted: dict[str, int] = {}
        for claim in self.claims:
            if claim.key in self._closed:
                continue
            look = self._looks.setdefault(claim.key, 0)
            error = ERROR / 2 if look == 0 else ERROR / 2 / LOOKS
            finding = self.findings[claim.key] = judge(claim, cells, sequential=True, error=error)
            self._looks[claim.key] = look + 1
            sizes = self._more(finding, cells) if look < LOOKS else {}
            wanted |= {name: max(size, wanted.get(name, 0)) for name, size in sizes.items()}
            if not sizes:
                self._closed.add(claim.key)
        return wanted

    def _more(self, finding: Finding, cells: Cells) -> dict[str, int]:
        """The next size of the cells that the open tests of an open claim read, the least of them first."""
        sizes: dict[str, int] = {}
        if finding.verdict == OPEN:
            for test, part in zip(finding.claim.tests, finding.parts, strict=True):
                names = cells.read_by(test.effect) if part.verdict == OPEN else set()
                least = min((cells[name].n for name in names), default=0)
                grown = statistics.next_size(least, maximum=self.most)
                sizes |= {name: max(grown, sizes.get(name, 0)) for name in names if cells[name].n < grown}
        return sizes


def _part(test: Test, effect: Effect, level: float) -> Part:
    half = effect.half_width(level)
    undecided = math.isnan(effect.value) or not math.isfinite(half) or effect.constant
    verdict = OPEN if undecided else _place(test, effect.value, half)
    return Part(
        test.label, test.rule, test.unit, effect.value, half, effect.n, verdict, effect.constant,
        test.margin if test.difference else 0.0,
    )  # fmt: skip


def _place(test: Test, value: float, half: float) -> str:
    """Position of the interval against the range."""
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
