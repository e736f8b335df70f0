"""A report card: its measures and grades, and the card as text and as JSON."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from .. import metrics
from ..present import intervals, terminal
from ..quantities import units, wording
from ..verdict import Verdict, headline
from .cases import Case, Setup
from .cost import cost

#: Sign of each grade.
SIGNS = {"better": "✓", "worse": "✗", "differs": "≠", "equal": "=", "undecided": " "}
#: Dimensions of a card, with the metrics that belong to each.
DIMENSIONS = {
    "use": ("utilisation", "goodput_bps"),
    "delay": ("sojourn_ms_mean", "sojourn_ms_p95", "delay_ms_p95", "jitter_ms"),
    "loss": ("loss", "flow_loss"),
    "completion time": ("fct_ms_mean", "fct_ms_p95", "page_ms_mean"),
    "video": ("video_bps",),
    "fairness": ("jain",),
    "steadiness": ("queue_pkts_sd", "sync"),
}


@dataclass(frozen=True)
class GradedMeasure:
    """One measure of one test: means with half-widths of baseline and candidate, and the paired difference.

    ``verdict`` is "equal" if the whole interval lies within the equivalence margin (0.2 points of a share, 2 % of the
    baseline of any other measure), "better", "worse" or "differs" if the difference is real and exceeds the margin,
    else "undecided".
    """

    metric: str
    baseline: tuple[float | None, float | None]
    candidate: tuple[float | None, float | None]
    difference: tuple[float, float | None]
    p_adjusted: float
    verdict: str


@dataclass(frozen=True)
class GradedTest:
    """A test with its answers; ``balance`` is how the discipline compares by the verdict on this test alone ("better",
    "worse", "equal" or "undecided"), "" where it has none."""

    case: Case
    answers: tuple[GradedMeasure, ...]
    balance: str = ""

    @property
    def grade(self) -> str:
        """Grade of all answers together: "better", "worse", "mixed", "equal" or "undecided"."""
        return _together({answer.verdict for answer in self.answers})

    @property
    def dimensions(self) -> dict[str, str]:
        """The grade of each dimension that the test measures."""
        by_dimension: dict[str, set[str]] = {}
        for answer in self.answers:
            name, _ = metrics.split(answer.metric)
            dimension = next((one for one, names in DIMENSIONS.items() if name in names), "")
            by_dimension.setdefault(dimension, set()).add(answer.verdict)
        return {name: _together(verdicts) for name, verdicts in by_dimension.items() if name}

    @property
    def words(self) -> str:
        """The grade in words: ``worse on balance: delay better, use worse``."""
        if self.grade != "mixed":
            return self.grade
        sides = [
            f"{name} {one}" for name, one in self.dimensions.items() if one in ("better", "worse", "mixed")
        ]
        head = f"{self.balance} on balance" if self.balance else "mixed"
        return f"{head}: {', '.join(sides)}"


def balance(verdict: Verdict | None, baseline: str) -> str:
    """How the other of two designs compares with the baseline: "better", "worse", "equal", "undecided", or "" without a
    verdict."""
    if verdict is None or not verdict.rivals:
        return ""
    relation = verdict.rivals[0].relation
    if relation in ("equal", "undecided"):
        return relation
    return "worse" if verdict.leader == baseline else "better"


def _together(verdicts: set[str]) -> str:
    """One grade of several verdicts."""
    sides = verdicts & {"better", "worse"}
    if sides:
        return "mixed" if len(sides) == 2 else next(iter(sides))
    return "undecided" if "undecided" in verdicts else "equal"


@dataclass(frozen=True)
class Card:
    """The whole card; ``decision`` is the verdict over all tests together, ``fitted`` names the parameters that differ
    from their defaults because those do not fit the link."""

    candidate: str
    baseline: str
    setup: Setup
    replications: int
    seed: int
    graded: tuple[GradedTest, ...]
    problems: tuple[str, ...] = ()
    decision: Verdict | None = None
    fitted: tuple[str, ...] = ()

    def __str__(self) -> str:
        return _text(self)

    def assumed(self) -> str:
        """Assumptions about the traffic, in one line."""
        ecn = "with ECN" if self.setup.ecn else "without ECN"
        flows = wording.count(self.setup.flows("medium"), "Reno flow")
        return (
            f"Assumed: the tests' own traffic ({flows} {ecn} at medium congestion, no L4S senders), both directions "
            "with the same queue" + "".join(f"; {one}" for one in self.fitted)
        )

    def data(self) -> dict[str, Any]:
        """Returns the card as data for JSON."""
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
        lines.append(f"{one.case.section:<9} {one.case.title:<32} {one.words}")
        lines += [f"        {_row(answer)}" for answer in one.answers]
    lines.append(f"11, 12    {'Cost and numbers to set':<32} {cost(card.candidate)}")
    lines += ["", *_summary(card), ""]
    lines.append(
        "✓ better, ✗ worse, ≠ differs, = equal within 0.2 points or 2 %; no sign: undecided (paired, Holm)."
    )
    lines += ["", textwrap.fill(card.assumed(), terminal.WIDTH)]
    return "\n".join(lines)


def _summary(card: Card) -> list[str]:
    """A table of the tests in which each dimension is better or worse than the baseline's, and the balance."""
    whole = [one for one in card.graded if one.case.phase is None]
    rows = {name: [one.dimensions[name] for one in whole if name in one.dimensions] for name in DIMENSIONS}
    rows |= {"on balance": [one.balance for one in whole if one.balance]}
    kinds = ("better", "worse", "mixed", "equal", "undecided")
    head = f"{f'Of {len(whole)} tests':<17}" + "".join(f"{kind:>11}" for kind in kinds)
    return [
        head,
        *(
            f"{name:<17}" + "".join(f"{grades.count(kind) or '–':>11}" for kind in kinds)
            for name, grades in rows.items() if grades
        ),
    ]  # fmt: skip


def _row(answer: GradedMeasure) -> str:
    name, scope = metrics.split(answer.metric)
    metric = metrics.find(name)
    largest = max(abs(answer.baseline[0] or 0.0), abs(answer.candidate[0] or 0.0))
    divisor, unit = wording.scaled(metric.unit, largest)
    shown = [_shown(one, divisor, metric.possible) for one in (answer.baseline, answer.candidate)]
    title = f"{metric.title} ({scope})" if scope else metric.title
    return f"{title:<40} {unit:<7}{shown[0]:>18} → {shown[1]:<18} {SIGNS[answer.verdict]}".rstrip()


def _shown(value: tuple[float | None, float | None], divisor: float, possible: intervals.Range) -> str:
    return intervals.interval(*wording.value(*value, divisor=divisor, within=possible))


def _data(card: Card) -> dict[str, Any]:
    """The card as data for JSON."""
    return {
        "candidate": card.candidate, "baseline": card.baseline, "replications": card.replications, "seed": card.seed,
        "rate_bps": card.setup.rate_bps, "rtt_s": card.setup.rtt_s, "buffer_pkts": card.setup.buffer,
        "cost": asdict(cost(card.candidate)),
        "tests": [
            {"section": one.case.section, "title": one.case.title, "asks": one.case.asks, "grade": one.grade,
             "dimensions": one.dimensions, "balance": one.balance or None,
             "answers": [vars(answer) for answer in one.answers]}
            for one in card.graded
        ],
        "answer": None if card.decision is None else asdict(headline(card.decision, verb="Choose")),
        "fitted": list(card.fitted), "problems": list(card.problems),
    }  # fmt: skip
