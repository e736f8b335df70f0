"""The answer in words, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..quantities import wording
from . import fronts
from .measures import Measure
from .terms import KINDS, cell, interval, points_of, shown

if TYPE_CHECKING:
    from .answer import Answer
    from .around import Drift, Off
    from .confirm import Kept, Line

#: Columns of the text.
WIDTH = 100

#: Share of what is expected of the recommendation within which another one does as well.
ALIKE = 0.03


def verdict(answer: Answer) -> list[str]:
    """Sentences: what to expect, what it beats, what it does not, and where it ends."""
    best = answer.lines[0]
    found = [_expectation(answer, best)]
    found += [_kept(one) for one in best.kept]
    found += list(_breaking(answer))
    if fronts.several(answer):
        found += list(fronts.verdict(answer))
    else:
        found += [line for other in _others(answer) if other.holds for line in _against(answer, other)]
        found += list(_families(answer))
    if not best.holds:
        found.insert(
            0, "No design that was tried holds every constraint over the whole range; this one comes closest"
        )
    return found


def _expectation(answer: Answer, best: Line) -> str:
    goal = answer.question.goal
    parts = [
        f"{one.label} {cell(interval, one)}"
        for one, interval in zip(goal.objectives, best.objectives, strict=True)
    ]
    parts += [f"{one.text} {interval(best, one)}" for one in bounded(answer)]
    how = "in the worst condition" if answer.question.robust == "worst" else "in the mean over the range"
    return f"On fresh seeds and conditions expect {how}: {', '.join(parts)}"


def bounded(answer: Answer) -> list[Measure]:
    """Measures of constraints and of sums: those that are no objectives themselves."""
    told = {one.single.key for one in answer.question.goal.objectives if one.single}
    return [one for one in answer.question.goal.measures if one.key not in told]


def _kept(one: Kept) -> str:
    if not one.runs:
        return f"{one.constraint}: no run has a value"
    worst = wording.amount(one.worst, None, one.constraint.measure.unit)
    where = f" ({one.where})" if one.where != "as given" else ""
    return f"{one.constraint} held in {one.held} of {one.runs} fresh runs; the worst was {worst}{where}"


def _others(answer: Answer) -> list[Line]:
    """Designs that were not tuned, by their lines."""
    return [line for line in answer.lines[1:] if line.candidate.origin != "search"]


def _against(answer: Answer, other: Line) -> Iterator[str]:
    told = [f"{text}" for text in _differences(answer, other)]
    if told:
        yield f"{other.candidate.name}: {'; '.join(told)}"


def _breaking(answer: Answer) -> Iterator[str]:
    """Which designs break each constraint."""
    for number, bound in enumerate(answer.question.goal.constraints):
        some = [
            other for other in _others(answer) if other.kept[number].held < 0.95 * other.kept[number].runs
        ]
        if some:
            parts = []
            for other in some:
                one = other.kept[number]
                worst = wording.amount(one.worst, None, bound.measure.unit)
                parts.append(
                    f"{other.candidate.name} (in {one.runs - one.held} of {one.runs} runs, worst {worst})"
                )
            yield f"Break {bound}: {', '.join(parts)}"


def _differences(answer: Answer, other: Line) -> Iterator[str]:
    """How a design differs from the recommendation in each objective."""
    for one, pair, real in zip(answer.question.goal.objectives, other.difference, other.real, strict=True):
        if pair is None:
            continue
        by = wording.amount(abs(pair.mean), pair.half_width, points_of(one))
        if not real:
            most = wording.bound(abs(pair.mean) + (pair.half_width or 0.0), points_of(one))
            yield f"no difference in {one.label} was seen, at most ±{most}"
        else:
            better = (pair.mean > 0) == one.higher
            yield f"{by} {'better' if better else 'worse'} in {one.label}"


def _families(answer: Answer) -> Iterator[str]:
    """Whether some parameters of each other discipline would do as well."""
    best = answer.best
    present = {line.candidate.kind for line in answer.lines[1:]}
    for name in answer.question.candidates:
        if name == best.kind or name not in present:
            continue
        line = _closest(answer, name)
        tried = wording.count(answer.looked.get(name, 0), "setting")
        kind = KINDS.get(name, name)
        mine = KINDS.get(best.kind, best.kind)
        objective, pair = answer.question.goal.objectives[0], line.difference[0]
        if answer.lines[0].holds and not line.holds:
            yield f"No parameters of {kind} that were tried ({tried}) keep within the goal where {mine} does"
        elif pair is not None and line.real[0] and (pair.mean > 0) != objective.higher:
            by = wording.amount(abs(pair.mean), pair.half_width, points_of(objective))
            told = f"its best stays {by} behind in {objective.label}"
            yield f"No parameters of {kind} that were tried ({tried}) beat {mine} here: {told}"
        elif pair is not None and line.real[0] and line.holds:
            by = wording.amount(abs(pair.mean), pair.half_width, points_of(objective))
            yield f"{kind} came out {by} better in {objective.label} on fresh ground ({line.candidate.name})"
        elif pair is not None:
            apart = abs(pair.mean) + (pair.half_width or 0.0)
            seen = f"no difference in {objective.label} was seen, at most ±{wording.bound(apart, points_of(objective))}"
            sure = apart <= ALIKE * abs(answer.lines[0].objectives[0].mean or 0.0)
            says = "does as well" if sure else "may do as well, or not: these runs cannot tell"
            yield f"{kind} {says} ({line.candidate.name}): {seen}"


def _closest(answer: Answer, kind: str) -> Line:
    """The best of a discipline that was confirmed, tuned or not: among those that hold, if there are any."""
    some = [line for line in answer.lines[1:] if line.candidate.kind == kind]
    sign = answer.question.goal.objectives[0].sign
    return min(some, key=lambda line: (not line.holds, sign * (line.objectives[0].mean or 0.0)))


def text(answer: Answer) -> str:
    """The whole answer, but for pictures."""
    question = answer.question
    how = "the worst condition counts" if question.robust == "worst" else "the mean over the range counts"
    how += ", constraints hold at every condition" if question.goal.constraints else ""
    parts = [f"{question.title}\nGoal: {question.goal}; {how}"]
    params = answer.best.params_as_loaded
    settings = [f"  {name:<14}{shown(value)}" for name, value in params.items()]
    kind = answer.best.kind_as_loaded
    parts.append("\n".join([f"Recommendation: {kind}", *settings]))
    parts.append("\n".join(_bullets(verdict(answer))))
    parts.append("\n".join(table(answer)))
    parts += ["\n".join(some) for some in (sensitivity(answer), _drift(answer), _screening(answer)) if some]
    if answer.configuration:
        parts.append(
            f"Configuration for {question.target.box}:\n"
            + textwrap.indent(answer.configuration.rstrip(), "  ")
        )
    parts += ["\n".join(_bullets(answer.notes))] if answer.notes else []
    tail = f"{answer.runs} runs of the search and {answer.fresh} around it, seed {answer.seed}"
    if answer.brief and not answer.stopped:
        tail += "; no more than that because each simulates much: --time 30min lets it do what fits into half an hour"
    if answer.stopped:
        tail += f"; {answer.stopped}: another machine may get another answer"
    parts.append("\n".join(textwrap.wrap(tail, WIDTH)))
    return "\n\n".join(parts)


def _bullets(lines: Sequence[str]) -> list[str]:
    wrap = textwrap.TextWrapper(WIDTH, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False)
    return [wrap.fill(f"{line}." if not line.endswith(".") else line) for line in lines]


def table(answer: Answer) -> list[str]:
    """The confirmed designs, a line each; those of a front apart, by what they are set to."""
    goal = answer.question.goal
    more = bounded(answer)
    heads = [*(one.label for one in goal.objectives), *(one.text for one in more)]
    heads += ["held"] if goal.constraints else []
    best, *rest = answer.lines
    rows: list[tuple[str, Line]] = [(best.candidate.name, best), *((one.candidate.name, one) for one in rest)]
    front: list[tuple[str, Line]] = []
    if fronts.several(answer):
        front = [(fronts.named(answer, one.candidate), one) for one in fronts.ordered(answer)]
        rows = [(one.candidate.name, one) for one in fronts.others(answer)]

    def cells(name: str, line: Line) -> list[str]:
        found = [_signed(cell(line.objectives[n], one), line, n) for n, one in enumerate(goal.objectives)]
        found += [interval(line, one) for one in more]
        found += [" ".join(f"{one.held}/{one.runs}" for one in line.kept)] if goal.constraints else []
        return [f"{'→' if line is best else ' '} {name}", *found]

    lines = []
    if front:
        lines = ["The front: nothing that was tried beats one of these in everything", ""]
        turned = [[one[:2], *some, one[2:]] for one, *some in (cells(*row) for row in front)]
        lines += [*_columns([["", *heads, ""], *turned]), "", "What people run", ""]
    lines += _columns([["", *heads], *(cells(*row) for row in rows)])
    foot = f"Over {ground(answer)}, 95 % intervals; ≠ differs from the recommendation (paired, Holm)."
    return [*lines, "", *textwrap.wrap(foot, WIDTH)]


def ground(answer: Answer) -> str:
    """What intervals are over: ``6 replications of 6 fresh conditions``."""
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


def _signed(text_: str, line: Line, number: int) -> str:
    return f"{text_} ≠" if line.real and line.real[number] else text_


def sensitivity(answer: Answer) -> list[str]:
    """A table of every objective: a line for each parameter, a column for each factor."""
    goal = answer.question.goal
    lines = []
    for number, one in enumerate(goal.objectives if answer.sensitivity else ()):
        divisor, unit = wording.scaled(one.unit, answer.lines[0].objectives[number].mean or 0.0)
        head = f"{one.label}{_in(unit)}"
        crosses = ", × where a constraint breaks" if goal.constraints else ""
        lines.append(f"  {head}" if number else f"If a parameter is off: {head}{crosses}")
        factors = sorted({off.factor for moved in answer.sensitivity for off in moved.off})
        rows = [["", *(f"× {factor:g}" if factor != 1.0 else "as is" for factor in factors)]]
        for moved in answer.sensitivity:
            at = {off.factor: off for off in moved.off}
            shown_ = [_off(at.get(factor), number, divisor) for factor in factors]
            rows.append([f"  {moved.parameter}", *shown_])
        lines += _columns(rows)
    return lines


def _off(one: Off | None, number: int, divisor: float) -> str:
    if one is None:
        return "–"
    return f"{wording.value(one.objectives[number], None, divisor=divisor)[0]}{'' if one.holds else ' ×'}"


def _in(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _drift(answer: Answer) -> list[str]:
    mine = [one for one in answer.drift if one.candidate.key == answer.best.key]
    return (
        [
            "How far conditions may drift, one at a time, before it is no longer good:",
            *(f"  {drifted(one)}" for one in mine),
        ]
        if mine
        else []
    )


def drifted(one: Drift) -> str:
    """``flows: from 2 to 400 (asked for 5 to 100)``, at the ends of what was tried."""
    good, axis = one.good, one.axis
    asked = f"{axis.shown(axis.range.low)} to {axis.shown(axis.range.high)}"
    if good is None:
        return f"{axis.label}: not even in the middle of {asked}"
    low, high = good
    below = " (or less)" if low is one.points[0] else ""
    above = " (or more)" if high is one.points[-1] else ""
    return f"{axis.label}: good from {low.shown}{below} to {high.shown}{above}; asked for {asked}"


def _screening(answer: Answer) -> list[str]:
    if not answer.effects:
        return []
    lines = ["What matters (Morris: mean absolute effect on the goal over the range, in points):"]
    for kind in dict.fromkeys(one.family for one in answer.effects):
        some = sorted((one for one in answer.effects if one.family == kind), key=lambda one: -one.mu_star)
        parts = [f"{one.knob} {one.mu_star:.3g}{'' if one.matters else ' (seldom moved)'}" for one in some]
        lines.append(f"  {KINDS.get(kind, kind)}: {', '.join(parts)}")
    return lines
