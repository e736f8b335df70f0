"""A report card: its measures and grades, and the card as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .. import metrics
from ..present import terminal
from ..quantities import units, wording
from ..verdict import Verdict, headline
from .cases import Case, Setup
from .cost import cost

SIGNS = {"better": "✓", "worse": "✗", "differs": "≠", "equal": "=", "undecided": " "}


@dataclass(frozen=True)
class ReportCard:
    """One measure of one test: means with half-widths of baseline and candidate, and the paired difference.

    ``verdict`` is "better", "worse" or "differs" if the difference is real, "equal" if the whole interval lies within
    the equivalence margin (0.2 points of a share, 2 % of the baseline of any other measure), else "undecided".
    """

    metric: str
    baseline: tuple[float | None, float | None]
    candidate: tuple[float | None, float | None]
    difference: tuple[float, float | None]
    p_adjusted: float
    verdict: str


@dataclass(frozen=True)
class Graded:
    """A test with its answers; ``grade`` is "better", "worse", "mixed", "equal" or "undecided"."""

    case: Case
    answers: tuple[ReportCard, ...]

    @property
    def grade(self) -> str:
        """Grade of all answers together."""
        found = {answer.verdict for answer in self.answers}
        sides = found & {"better", "worse"}
        if sides:
            return "mixed" if len(sides) == 2 else next(iter(sides))
        return "undecided" if "undecided" in found else "equal"


@dataclass(frozen=True)
class Card:
    """The whole card; ``decision`` is the verdict over all tests together."""

    candidate: str
    baseline: str
    setup: Setup
    replications: int
    seed: int
    graded: tuple[Graded, ...]
    problems: tuple[str, ...] = ()
    decision: Verdict | None = None

    def __str__(self) -> str:
        return _text(self)

    def data(self) -> dict[str, Any]:
        """Returns the card as JSON holds it."""
        return _data(self)


def _text(card: Card) -> str:
    """Returns the card in rows: a line for each test, followed by its measures."""
    link = card.setup
    lines = [] if card.decision is None else [terminal.opening(headline(card.decision, verb="Choose")), ""]
    lines += [
        f"{card.candidate} against {card.baseline}: the guidelines of RFC 7928",
        f"{units.show_rate(link.rate_bps)}, {units.show_span(link.rtt_s)}, buffer {link.buffer} packets, "
        f"{card.replications} paired replications from seed {card.seed}, 95 % intervals",
        "",
    ]
    for one in card.graded:
        lines.append(f"{one.case.section:<6} {one.case.title:<32} {one.grade}")
        lines += [f"       {_row(answer)}" for answer in one.answers]
    lines.append(f"11     {'Cost':<32} {cost(card.candidate)}")
    counts = {
        grade: sum(one.grade == grade for one in card.graded)
        for grade in ("better", "mixed", "worse", "equal", "undecided")
    }
    lines += [
        "",
        "; ".join(f"{grade} in {number}" for grade, number in counts.items() if number)
        + f" of {len(card.graded)} tests.",
    ]
    lines.append(
        "✓ better, ✗ worse, ≠ differs, = equal within 0.2 points or 2 %; no sign: undecided (paired, Holm)."
    )
    return "\n".join(lines)


def _row(answer: ReportCard) -> str:
    name, scope = metrics.split(answer.metric)
    found = metrics.find(name)
    largest = max(abs(answer.baseline[0] or 0.0), abs(answer.candidate[0] or 0.0))
    divisor, unit = wording.scaled(found.unit, largest)
    shown = [_shown(one, divisor) for one in (answer.baseline, answer.candidate)]
    title = f"{found.title} ({scope})" if scope else found.title
    return f"{title:<40} {unit:<7}{shown[0]:>18} → {shown[1]:<18}{SIGNS[answer.verdict]}".rstrip()


def _shown(value: tuple[float | None, float | None], divisor: float) -> str:
    mean, half = wording.value(*value, divisor=divisor)
    return f"{mean} ± {half}" if half else mean


def _data(card: Card) -> dict[str, Any]:
    """The card as JSON holds it."""
    return {
        "candidate": card.candidate, "baseline": card.baseline, "replications": card.replications, "seed": card.seed,
        "rate_bps": card.setup.rate_bps, "rtt_s": card.setup.rtt_s, "buffer_pkts": card.setup.buffer,
        "cost": asdict(cost(card.candidate)),
        "tests": [
            {"section": one.case.section, "title": one.case.title, "asks": one.case.asks, "grade": one.grade,
             "answers": [vars(answer) for answer in one.answers]}
            for one in card.graded
        ],
        "answer": None if card.decision is None else asdict(headline(card.decision, verb="Choose")),
        "problems": list(card.problems),
    }  # fmt: skip
