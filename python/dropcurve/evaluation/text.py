"""A report card as people read it, and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .. import metrics
from ..present import terminal
from ..present.verdict import headline
from ..quantities import units, wording
from .cases import LEFT_OUT

if TYPE_CHECKING:
    from . import Card, ReportCard

SIGNS = {"better": "✓", "worse": "✗", "differs": "≠", "equal": "=", "undecided": " "}


def text(card: Card) -> str:
    """The card in rows: a line for each test, below it its measures."""
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
    lines.append("Not tested: " + "; ".join(f"{section} ({why})" for section, why in LEFT_OUT.items()) + ".")
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


def data(card: Card) -> dict[str, Any]:
    """The card as JSON holds it."""
    return {
        "candidate": card.candidate, "baseline": card.baseline, "replications": card.replications, "seed": card.seed,
        "rate_bps": card.setup.rate_bps, "rtt_s": card.setup.rtt_s, "buffer_pkts": card.setup.buffer,
        "not_tested": LEFT_OUT,
        "tests": [
            {"section": one.case.section, "title": one.case.title, "asks": one.case.asks, "grade": one.grade,
             "answers": [vars(answer) for answer in one.answers]}
            for one in card.graded
        ],
        "answer": None if card.decision is None else asdict(headline(card.decision, verb="Choose")),
        "problems": list(card.problems),
    }  # fmt: skip
