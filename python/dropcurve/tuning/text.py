"""The answer as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..present.text_table import TextTable
from ..quantities import units, wording
from ..results import agreement
from . import cold_start, fronts, statements
from .aggregation import ROBUST, where
from .findings import Findings
from .goal import Goal
from .link import Link, unsettled
from .names import DISPLAY_NAMES, setting, shown
from .question import Question
from .robustness import Drift, ScaledParameter
from .statements import bounded
from .terms import cell, interval, labels, margin_shown
from .unsettled import narrower, to_do
from .validation_line import ValidationLine

#: Columns of the text.
WIDTH = 100


def verdict(answer: Findings) -> list[str]:
    """The verdict, as sentences without full stops; the first is the one to act on."""
    first, *rest = _verdict(answer)
    return [
        first,
        *filter(None, [answer.other, steady_start(answer.question), cold_start.sentence(answer.question)]),
        *rest,
        *filter(None, [answer.stress]),
    ]


def steady_start(question: Question) -> str:
    """A sentence on the long flows that start near their share, with the condition that would settle last; "" if all
    start from nothing."""
    if not isinstance(question.link, Link):
        return ""
    late = unsettled(question.link, question.conditions())
    if not late:
        return ""
    flows = question.link.long_flows(late[0])
    where = f" ({question.describe(late[0])})" if question.varying else ""
    return (
        f"Long flows start near their share of the link{where}: behind a queue so short against the round trip they "
        f"would take about {units.show_span(round(flows.settled_s))} to fill it from nothing"
    )


def _verdict(answer: Findings) -> list[str]:
    if not fronts.several(answer):
        return statements.verdict(answer)
    best = answer.lines[0]
    if not answer.question.asks_for(best.candidate):
        return [statements.not_validated(answer)]
    sentences = [f"{to_do(answer, setting(best.candidate))}; {_expectation(answer, best)}"]
    sentences += narrower(answer) if best.holds else []
    sentences += [
        f"{one.constraint} held in {one.held} of {one.runs} validation runs" for one in best.kept if one.runs
    ]
    sentences += list(fronts.verdict(answer))
    if not best.holds:
        sentences[0] = (
            f"No design {answer.question.tried} holds every constraint over the whole range, so there is nothing to "
            f"load; {setting(best.candidate)} comes closest"
        )
    return sentences


def _expectation(answer: Findings, best: ValidationLine) -> str:
    how = where(answer.question.robust)
    return f"{how} expect {statements.expected(answer, best)}"


def text(answer: Findings) -> str:
    """The whole answer, except for figures."""
    question = answer.question
    how = f"{ROBUST[question.robust]} counts"
    how += ", constraints hold at every condition" if question.goal.constraints else ""
    asked = textwrap.wrap(f"Goal: {_asked(question.goal)}; {how}", WIDTH, break_on_hyphens=False)
    parts = ["\n".join([question.title, *asked])]
    params = answer.best.params_as_loaded
    settings = [f"  {name:<14}{shown(value)}" for name, value in params.items()]
    kind = answer.best.kind_as_loaded
    parts.append("\n".join(_bullets(verdict(answer))))
    offered = answer.lines[0].holds and question.asks_for(answer.best)
    heading = "Recommendation" if offered else "Closest"
    parts.append("\n".join([f"{heading}: {kind}", *settings]))
    parts.append("\n".join(table(answer)))
    parts += ["\n".join(some) for some in (sensitivity(answer), _drift(answer), _screening(answer)) if some]
    if answer.configuration:
        parts.append(
            f"Configuration for {question.target.box}:\n"
            + textwrap.indent(answer.configuration.rstrip(), "  ")
        )
    parts += ["\n".join(_bullets(answer.notes))] if answer.notes else []
    middle = question.scenario(question.at([0.5] * len(question.varying)))
    parts += [
        "\n".join(textwrap.wrap(line, WIDTH)) for line in agreement.lines([answer.best.on(middle).resolved])
    ]
    if question.link is not None:
        parts.append("\n".join(textwrap.wrap(f"Assumed: {question.link.assumed()}", WIDTH)))
    tail = f"{answer.runs} runs for the search and {answer.fresh} for validation and sensitivity, seed {answer.seed}"
    if answer.brief and not answer.stopped:
        tail += "; --time 30min spends half an hour on a more thorough search"
    if answer.stopped:
        tail += f"; {answer.stopped}: another machine may get another answer"
    parts.append("\n".join(textwrap.wrap(tail, WIDTH)))
    return "\n\n".join(parts)


def _asked(goal: Goal) -> str:
    """The goal as text; for a weighted sum its name and its terms."""
    if goal.names != ("score",):
        return str(goal)
    objective = goal.objectives[0]
    first = f"the {'highest' if objective.higher else 'lowest'} score; score = {objective.label}"
    return "; ".join([first, *map(str, goal.constraints)])


def _bullets(lines: Sequence[str]) -> list[str]:
    wrap = textwrap.TextWrapper(WIDTH, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False)
    return [wrap.fill(f"{line}." if not line.endswith(".") else line) for line in lines]


def table(answer: Findings) -> list[str]:
    """The validated designs, one line each; those on the Pareto front in a table of their own."""
    lines: list[str] = []
    for heading, rows in tables(answer):
        lines += [*([heading, ""] if heading else []), *_columns([rows.heads, *rows.rows]), ""]
    return [*lines, *textwrap.wrap(foot(answer), WIDTH)]


def tables(answer: Findings) -> list[tuple[str, TextTable]]:
    """The validated designs as tables, each with its heading: one, or the Pareto front and the others."""
    goal = answer.question.goal
    more = bounded(answer)
    single = not fronts.several(answer)
    heads = [*goal.names, *(one.text for one in more)]
    heads += ["held"] if goal.constraints else []
    heads += ["compared with →"] if single else []
    best, names = answer.lines[0], labels(answer.lines)

    def cells(name: str, line: ValidationLine) -> list[str]:
        objectives = enumerate(goal.objectives)
        row = [cell(line.objectives[n], one) for n, one in objectives] if single else [
            _signed(cell(line.objectives[n], one), line, n) for n, one in objectives
        ]  # fmt: skip
        row += [interval(line, one) for one in more]
        row += [" ".join(f"{one.held}/{one.runs}" for one in line.kept)] if goal.constraints else []
        row += [statements.standing_of(answer, line)] if single else []
        return [f"{'→' if line is best else ' '} {name}", *row]

    if single:
        rows = [cells(names[one.candidate.key], one) for one in answer.lines]
        return [("", TextTable(["", *heads], rows, words=1))]
    front = [cells(fronts.named(answer, one.candidate), one) for one in fronts.ordered(answer)]
    others = [cells(names[one.candidate.key], one) for one in fronts.others(answer)]
    turned = [[one[:2], *some, one[2:]] for one, *some in front]
    pareto = [(fronts.heading(answer), TextTable(["", *heads, ""], turned, words=1))] if front else []
    return [*pareto, ("Off the front" if front else "", TextTable(["", *heads], others, words=1))]


def foot(answer: Findings) -> str:
    """A sentence below the tables: runs, intervals and comparisons."""
    if fronts.several(answer):
        return f"Over {ground(answer)}, 95 % intervals; ≠ differs from the recommendation (paired, Holm)."
    # A score varies so much with the seeds that means over different replications do not compare.
    scored = answer.question.goal.names == ("score",)
    shared = ", compared over the replications that they share" if scored else ""
    return (
        f"Over {ground(answer)}, fewer for rivals that were decided early{shared}; 95 % intervals, paired "
        f"differences, equal within {margin_shown(answer)} (two one-sided tests)."
    )


def ground(answer: Findings) -> str:
    """Sample that intervals are computed over: ``6 replications of 6 fresh conditions``."""
    conditions = wording.count(answer.fresh_conditions, "fresh condition")
    if not answer.question.varying:
        conditions = "the condition under fresh seeds"
    return f"{wording.count(answer.replications, 'replication')} of {conditions}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their columns under each other."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(one.ljust(width) for one, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _signed(text_: str, line: ValidationLine, number: int) -> str:
    return f"{text_} ≠" if line.real and line.real[number] else text_


def sensitivity(answer: Findings) -> list[str]:
    """A table of every objective: a line for each parameter, a column for each factor."""
    goal = answer.question.goal
    lines = []
    for number, one in enumerate(goal.objectives if answer.sensitivity else ()):
        divisor, unit = wording.scaled(one.unit, answer.lines[0].objectives[number].mean or 0.0)
        head = f"{goal.names[number]}{_in(unit)}"
        crosses = "; × a constraint does not hold" if goal.constraints else ""
        lines += (
            [f"  {head}"]
            if number
            else textwrap.wrap(f"{if_off(answer)}: {head}{crosses}", WIDTH, break_on_hyphens=False)
        )
        factors = sorted({off.factor for moved in answer.sensitivity for off in moved.off})
        rows = [["", *(f"× {factor:g}" if factor != 1.0 else "as is" for factor in factors)]]
        for moved in answer.sensitivity:
            at = {off.factor: off for off in moved.off}
            shown_ = [_off(at.get(factor), number, divisor) for factor in factors]
            rows.append([f"  {moved.parameter}", *shown_])
        lines += _columns(rows)
    return lines


def if_off(answer: Findings) -> str:
    """The heading of the sensitivity, which names the design where that is an earlier recommendation."""
    if answer.moved_design is None:
        return "If a parameter is off"
    return f"If a parameter is off, of {setting(answer.moved_design)}, which was recommended before"


def _off(one: ScaledParameter | None, number: int, divisor: float) -> str:
    if one is None:
        return "–"
    return f"{wording.value(one.objectives[number], None, divisor=divisor)[0]}{'' if one.holds else ' ×'}"


def _in(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _drift(answer: Findings) -> list[str]:
    mine = [one for one in answer.drift if one.candidate.key == answer.best.key]
    return (
        [
            "Drift of one condition at a time, and the range in which the recommendation stays good:",
            *(f"  {drifted(one)}" for one in mine),
        ]
        if mine
        else []
    )


def drifted(drift: Drift) -> str:
    """``flows: from 2 to 400 (asked for 5 to 100)``, at the ends of what was tried."""
    good, axis = drift.good, drift.axis
    asked = f"{axis.shown(axis.range.low)} to {axis.shown(axis.range.high)}"
    if good is None:
        return f"{axis.label}: not even in the middle of {asked}"
    low, high = good
    below = " (or less)" if low is drift.points[0] else ""
    above = " (or more)" if high is drift.points[-1] else ""
    return f"{axis.label}: good from {low.shown}{below} to {high.shown}{above}; asked for {asked}"


def _screening(answer: Findings) -> list[str]:
    if not answer.effects:
        return []
    lines = ["What matters (Morris: mean absolute effect on the goal over the range, in points):"]
    for kind in dict.fromkeys(one.family for one in answer.effects):
        some = sorted((one for one in answer.effects if one.family == kind), key=lambda one: -one.mu_star)
        parts = [
            f"{one.parameter} {one.mu_star:.3g}{'' if one.matters else ' (seldom moved)'}" for one in some
        ]
        lines.append(f"  {DISPLAY_NAMES.get(kind, kind)}: {', '.join(parts)}")
    return lines
