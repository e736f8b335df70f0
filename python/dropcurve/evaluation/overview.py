"""The report cards of many disciplines on one page: a table of grades, the verdicts, and every card, folded."""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, Problem
from ..quantities import units, wording
from ..scenario import library
from ..verdict import headline
from . import evaluate
from .card import SIGNS, Card, GradedTest, balance
from .cost import cost

#: Signs of grades in the table; those of measures, and one for tests whose measures point both ways.
GRADES = {**SIGNS, "mixed": "±", "undecided": "·"}

#: Called with the discipline, its number and the number of disciplines.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Overview:
    """Cards of several disciplines against the same baseline.

    Attributes:
        cards: The cards, in the order of the disciplines.
        refused: Disciplines that could not be tested, and why.
        command: Command line that repeats it.
    """

    cards: tuple[Card, ...]
    refused: dict[str, str] = field(default_factory=dict)
    command: str = ""

    def __str__(self) -> str:
        return self.markdown()

    def data(self) -> dict[str, Any]:
        """All cards as data for JSON."""
        return {"cards": [one.data() for one in self.cards], "refused": self.refused, "command": self.command}

    def markdown(self) -> str:
        """The page in Markdown."""
        about = _ABOUT.format(basis=self._basis(), cost=self._cost())
        parts = [
            "# Report cards of all disciplines", _filled(about), f"    {self.command}", _filled(_LEGEND), self._table(),
        ]  # fmt: skip
        if self.refused:
            parts.append(
                "\n".join(_item(f"`{kind}` was not tested: {why}") for kind, why in self.refused.items())
            )
        parts += [_section(one) for one in self.cards]
        return "\n\n".join(part.rstrip() for part in parts) + "\n"

    def _basis(self) -> str:
        one = self.cards[0]
        return (
            f"{units.show_rate(one.setup.rate_bps)}, round trip {units.show_span(one.setup.rtt_s)}, buffer of "
            f"{one.setup.buffer} packets, runs of {units.show_span(one.setup.seconds)}, "
            f"{wording.count(one.replications, 'paired replication')}, against `{one.baseline}`"
        )

    def _cost(self) -> str:
        phases = [one.case.phase for one in self.cards[0].graded]
        ends = [1.0 if one is None else one[1] for one in phases]
        repeats = (len(self.cards) + 1) * self.cards[0].replications
        tests = len(self.cards) * sum(one is None for one in phases)
        runs = repeats * len(ends)
        hours = repeats * sum(ends) * self.cards[0].setup.seconds / 3600.0
        return f"{tests} tests, {runs} runs and {hours:.0f} hours of simulated time"

    def _table(self) -> str:
        sections = [one.case.section for one in self.cards[0].graded if one.case.phase is None]
        head = ["Discipline", "Over all tests", *sections, "Instructions", "Numbers to set"]
        rows = [f"| {' | '.join(head)} |", f"|---|---|{':-:|' * len(sections)}--:|--:|"]
        for card in self.cards:
            price = cost(card.candidate)
            grades = [_sign(one) for one in card.graded if one.case.phase is None]
            work = "–" if price.ratio is None else f"{price.ratio:.1f} ×"
            name = f"[`{card.candidate}`](#{card.candidate})"
            rows.append(f"| {' | '.join([name, _overall(card), *grades, work, str(len(price.numbers))])} |")
        return "\n".join(rows)


def _sign(test: GradedTest) -> str:
    """The sign of a test; of one whose measures point both ways that of the balance, in brackets."""
    if test.grade == "mixed" and test.balance in ("better", "worse", "equal"):
        return f"({GRADES[test.balance]})"
    return GRADES[test.grade].strip() or "·"


_ABOUT = """Every discipline at its defaults through the characterisation guidelines of RFC 7928 (text of July 2016), as
[`dropcurve evaluate`](evaluate.md) runs them: {basis}. The page took {cost}, and is written by"""
_LEGEND = """✓ better, ✗ worse, = equal within the margin, · undecided: these runs cannot tell, or the difference is
not shown to exceed the margin. In brackets: better in some measures and worse in others; the sign is that of the
balance between utilisation and delay, ± where the balance is undecided. Instructions are those of one arrival and one
departure, compared with tail drop ([cost](../disciplines/cost.md)). The second column is the verdict over all tests:
utilisation against delay, loss, page load time and video, at the rates that each card states. Parameters that are no
defaults are named with the assumptions of a card."""


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False, break_long_words=False)


def _item(text: str) -> str:
    """An entry of a list in Markdown."""
    return textwrap.fill(f"* {text}", 100, subsequent_indent="  ", break_on_hyphens=False)


def _overall(card: Card) -> str:
    """The verdict over all tests in a few words."""
    decision = card.decision
    if decision is None:
        return "no value in some test"
    if decision.status == "undecided":
        return "undecided"
    if any(one.relation == "infeasible" for one in decision.rivals):
        return f"{'better' if decision.recommended == card.candidate else 'worse'}: no value in some test"
    if decision.half_width is None or not decision.advantage or balance(decision, card.baseline) == "equal":
        return "equal"
    amount = wording.amount(decision.advantage, decision.half_width, decision.points)
    return f"{'better' if decision.recommended == card.candidate else 'worse'} by {amount}"


def _section(card: Card) -> str:
    opening = "" if card.decision is None else " ".join(headline(card.decision, verb="Choose").sentences)
    wrapped = _filled(opening)
    body = str(card).split("\n\n", 2)[-1] if card.decision is not None else str(card)
    summary = f"<summary>All measures of {card.candidate}</summary>"
    folded = f'<details markdown="1">\n{summary}\n\n```text\n{body}\n```\n\n</details>'
    return f"## {card.candidate}\n\n{wrapped}\n\n{folded}"


def overview(
    kinds: Sequence[str] | None = None,
    *,
    command: str = "",
    cache: str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Overview:
    """The cards of several disciplines. Runs of the baseline are made once.

    Args:
        kinds: Queues as `dropcurve compare --queue` takes them; by default every discipline but the baseline.
        command: Command line that repeats it.
        cache: A folder of finished runs, as for `evaluate`; by default a temporary one.
        progress: Called as each discipline begins.
        options: As for `evaluate`.

    Raises:
        UsageError: For invalid options.
        DropcurveError: If no discipline could be tested, with the reason for each.
    """
    against = str(options.get("against", "droptail"))
    chosen = list(kinds or (kind for kind in library.disciplines() if kind != against))
    cards: list[Card] = []
    refused: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(chosen, start=1):
            if progress is not None:
                progress(kind, number, len(chosen))
            try:
                cards.append(evaluate(kind, cache=cache or folder, **options))
            except DropcurveError as error:
                refused[kind] = str(error).splitlines()[0]
    if not cards:
        raise DropcurveError.of(
            Problem(
                "discipline", kind, why, "name another; `dropcurve list disciplines` shows all", shown="value"
            )
            for kind, why in refused.items()
        )
    return Overview(tuple(cards), refused, command)
