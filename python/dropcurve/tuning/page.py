"""The page of an answer: one HTML file that opens offline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import plot, report
from ..files import checksums
from ..files.writing import write_bytes, write_text
from ..plot import style
from ..quantities import units, wording
from ..results import Result
from ..runs import command_line
from ..runs.effort import Effort
from ..runs.replicate import replicate
from . import figures, fronts, statements, terms, text
from .aggregation import where
from .answer import Answer
from .findings import Findings
from .link_mix import MixLink
from .names import DISPLAY_NAMES, named
from .names import shown as of_parameter
from .question import ends
from .terms import labels
from .unsettled import undecided
from .validation_line import ValidationLine

TEMPLATE = "tune.html"
#: Most sentences, and letters, that open the page; the other sentences are folded.
OPENING_SENTENCES, OPENING_LETTERS = 3, 300
#: Number of figures that take as long to draw as those of the queue, and the time of a later figure as a share of that
#: of the first.
QUEUES, LATER = 3, 0.5
#: Returns the seconds that are left.
Left = Callable[[], float]


@dataclass
class _Pace:
    """Whether there is time for one more figure: ``left`` returns the seconds until the page must be there, None
    without a limit. The next figure is taken to last as long as the last one; the first also loads Matplotlib."""

    left: Left | None
    last_s: float = 0.0

    def fits(self, count: int = 1) -> bool:
        """Whether as many figures fit."""
        return self.left is None or count * self.last_s < self.left()

    def begin(self) -> None:
        """Records the start of a figure."""
        self._before = 0.0 if self.left is None else self.left()

    def end(self, share: float = 1.0) -> None:
        """Records the end of a figure; the next one takes ``share`` of its time."""
        self.last_s = 0.0 if self.left is None else share * (self._before - self.left())


def write(answer: Answer, folder: Path, *, cache: str | Path | None = None, left: Left | None = None) -> Path:
    """Writes ``report.html`` and ``figures/`` into the folder of an answer, and returns the page.

    ``left`` returns the seconds that are left for it: figures for which they do not suffice are left out.
    """
    drawn: figures.Drawn = {}
    files: list[Path] = []
    shown: list[dict[str, Any]] = []
    pace = _Pace(left)
    for name in figures.available(answer):
        if not pace.fits():
            break
        pace.begin()
        files += figures.save(answer, folder / "figures", [name], drawn=drawn)
        shown.append(_figure(name, answer, drawn))
        pace.end(1.0 if len(shown) > 1 else LATER)
    queues = at_the_ends(answer, cache) if answer.shows_queue and pace.fits(QUEUES) else []
    # No other figure may have had the time.
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for number, (_, result) in enumerate(queues, start=1):
        drawn[f"queue-{number}", "page"] = figure = plot.plot("queue", result)
        for format in ("svg", "png"):
            files.append(folder / "figures" / f"queue-{number}.{format}")
            with style.styled():
                write_bytes(files[-1], style.to_bytes(figure, format=format))
    page = folder / "report.html"
    write_text(page, render(answer, queues, drawn, shown))
    checksums.add(folder, [*files, page])
    return page


def at_the_ends(answer: Answer, cache: str | Path | None = None) -> list[tuple[str, Result]]:
    """Results at each end of the ranges: (the condition in words, one run of the recommendation and of its rival)."""
    rival = _rival(answer)
    rows = []
    for label, condition in ends(answer.question):
        base = answer.question.scenario(condition)
        variants = {"recommended": answer.best.on(base)}
        if rival is not None:
            variants[rival.candidate.name] = rival.candidate.on(base)
        rows.append((label, replicate(variants, Effort(answer.seed, 1), name="queue", cache=cache)))
    return rows


def _rival(answer: Answer) -> ValidationLine | None:
    """The closest untuned rival: the first that holds the constraints, else the first."""
    known = [line for line in answer.lines[1:] if line.candidate.origin != "search"]
    return next((line for line in known if line.holds), known[0] if known else None)


def render(
    answer: Answer,
    queues: list[tuple[str, Result]],
    drawn: figures.Drawn | None = None,
    shown: list[dict[str, Any]] | None = None,
) -> str:
    """The page as text; ``drawn`` are figures that were drawn already, ``shown`` those of the page (all by
    default)."""
    return report.page(TEMPLATE, content(answer, queues, drawn, shown))


def opening(sentences: list[str]) -> dict[str, list[str]]:
    """The sentences that open the page and those that fold: of the first three as many as fit into eight lines of a
    phone, and never none.
    """
    shown = sentences[:1]
    for one in sentences[1:OPENING_SENTENCES]:
        if sum(map(len, [*shown, one])) > OPENING_LETTERS:
            break
        shown.append(one)
    return {"verdict": shown, "folded": sentences[len(shown) :]}


def content(
    answer: Answer,
    queues: list[tuple[str, Result]],
    drawn: figures.Drawn | None = None,
    shown: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The variables of the template."""
    best, drawn = answer.best, {} if drawn is None else drawn
    names = figures.available(answer)
    shown = [_figure(name, answer, drawn) for name in names] if shown is None else shown
    missing = [f"no figure of {name}" for name in names[len(shown) :]]
    question = answer.question
    sentences = text.verdict(answer)
    return {
        "title": f"{named(best)} for {question.title}",
        "goal": str(question.goal),
        "robust": where(question.robust),
        "bounded": bool(question.goal.constraints),
        "question": question.title,
        "kind": best.kind_as_loaded,
        "params": [(name, of_parameter(value)) for name, value in best.params_as_loaded.items()],
        **opening([f"{one}." for one in sentences]),
        "holds": answer.lines[0].holds, "tone": tone(answer),
        "expected": _expected(answer),
        "configuration": answer.configuration, "box": question.target.box, "notes": answer.notes,
        "table": _table(answer),
        "figures": shown,
        "queues": [_queue(label, result, number, drawn) for number, (label, result) in enumerate(queues, start=1)],
        "drift": [text.drifted(one) for one in answer.drift if one.candidate.key == best.key],
        "effects": _effects(answer),
        "method": method(answer),
        "beyond": beyond(answer), "command": answer.command, "version": answer.version, "seed": answer.seed,
        "runs": f"{answer.runs + answer.fresh:,}".replace(",", "\u202f"),
        "stopped": ", ".join([answer.stopped, *missing]) if answer.stopped else "",
    }  # fmt: skip


def tone(answer: Findings) -> str:
    """Colour of the verdict: "bad" where nothing is to be loaded, "unsure" where a rival is undecided, else "good"."""
    if not answer.lines[0].holds:
        return "bad"
    return "unsure" if undecided(answer) else "good"


def _expected(answer: Answer) -> list[tuple[str, str]]:
    line = answer.lines[0]
    goal = answer.question.goal
    rows = [
        (name, terms.cell(cell, one))
        for name, one, cell in zip(goal.names, goal.objectives, line.objectives, strict=True)
    ]
    rows += [(one.text, terms.interval(line, one)) for one in statements.bounded(answer)]
    rows += [(f"{one.constraint} held", f"{one.held} of {one.runs} fresh runs") for one in line.kept]
    return rows


def _table(answer: Answer) -> dict[str, Any]:
    goal = answer.question.goal
    bounded = statements.bounded(answer)

    def row(line: ValidationLine, name: str) -> dict[str, Any]:
        cells = [
            {"text": terms.cell(cell, one), "sign": _sign(line, n, higher=one.higher)}
            for n, (one, cell) in enumerate(zip(goal.objectives, line.objectives, strict=True))
        ]
        cells += [{"text": terms.interval(line, one), "sign": ("", "")} for one in bounded]
        return {
            "name": name, "queue": line.candidate.queue, "best": line is answer.lines[0], "cells": cells,
            "held": [f"{one.held} of {one.runs}" for one in line.kept], "holds": line.holds,
            "standing": statements.standing_of(answer, line),
        }  # fmt: skip

    names = labels(answer.lines)
    groups = [("", [row(line, names[line.candidate.key]) for line in answer.lines])]
    if fronts.several(answer):
        front = [row(line, fronts.named(answer, line.candidate)) for line in fronts.ordered(answer)]
        rest = [row(line, names[line.candidate.key]) for line in fronts.others(answer)]
        groups = [
            (fronts.heading(answer), front),
            ("Off the front", rest),
        ]
    heads = [*goal.names, *(one.text for one in bounded)]
    return {
        "heads": heads,
        "bounds": [str(one) for one in goal.constraints],
        "groups": groups,
        "single": not fronts.several(answer),
    }


def _sign(line: ValidationLine, number: int, *, higher: bool) -> tuple[str, str]:
    pair = line.difference[number]
    if pair is None or not line.real[number]:
        return ("", "")
    return ("✓", "good") if (pair.mean > 0) == higher else ("✗", "bad")


def _figure(name: str, answer: Answer, drawn: figures.Drawn) -> dict[str, Any]:
    from markupsafe import Markup

    title, see = figures.TITLES[name]
    title = text.if_off(answer) if name == "sensitivity" else title
    return {
        "name": name, "title": title, "see": see, "wide": Markup(figures.fragment(name, answer, drawn=drawn)),
        "narrow": Markup(figures.fragment(name, answer, width="column", drawn=drawn)),
    }  # fmt: skip


def _queue(label: str, result: Result, number: int, done: figures.Drawn) -> dict[str, Any]:
    from markupsafe import Markup

    title = f"The queue with {label}" if label and label != "as given" else "The queue"
    see = "One run. Thin line: queue length. Thick line: the average that the discipline acts on."

    def embedded(width: str) -> Markup:
        figure = done.get((f"queue-{number}", width)) or plot.plot("queue", result, width=width)
        with style.styled(text_as_text=True):
            # Several of them on one page: names of styles and identifiers of their own.
            drawn = style.to_bytes(figure, format="svg")
            return Markup(style.embeddable(drawn, prefix=f"queue{number}-{width}", label=title))

    return {
        "name": f"queue-{number}",
        "title": title,
        "see": see,
        "wide": embedded("page"),
        "narrow": embedded("column"),
    }


def _effects(answer: Answer) -> list[tuple[str, str]]:
    rows = []
    for kind in dict.fromkeys(one.family for one in answer.effects):
        some = sorted((one for one in answer.effects if one.family == kind), key=lambda one: -one.mu_star)
        parts = [
            f"{one.parameter} {one.mu_star:.3g}{'' if one.matters else ' (small effect: seldom varied)'}"
            for one in some
        ]
        rows.append((DISPLAY_NAMES.get(kind, kind), ", ".join(parts)))
    return rows


def beyond(answer: Answer) -> str:
    """The command that runs the recommendation through the tests of RFC7928, in the middle of the ranges, with senders
    and traffic beyond the question. "" for a question about a scenario."""
    link, middle = answer.question.link, answer.question.middle()
    if link is None:
        return ""
    options = (
        [("link", link.spec.typed(middle))]
        if isinstance(link, MixLink)
        else [
            ("rate", units.show_rate(middle["rate"])), ("rtt", units.show_span(middle["rtt"])),
            ("buffer", units.show_packets(link.buffer_pkts)),
        ]
    )  # fmt: skip
    return command_line.line("evaluate", [answer.best.queue], options)


def method(answer: Answer) -> list[str]:
    """Method of the answer, as paragraphs."""
    question = answer.question
    count = answer.conditions
    tried = wording.count(len(answer.spots), "design")
    conditions = wording.count(count, "condition")
    sentences = [
        f"Candidates were evaluated at {conditions}: the corners of the ranges and points inside, all under common "
        "random numbers. The search began with common settings and designs by formula; the further candidates came "
        "from Optuna."
    ]
    if answer.effects:
        sentences[0] += " Morris's method screened the parameters before."
    if fronts.several(answer):
        sentences[0] += (
            f" {tried} were evaluated at every condition; those on the Pareto front were run again on fresh seeds, and "
            "the front of this page is that of these runs."
        )
    else:
        sentences[0] += (
            " A candidate that was clearly worse after half of the conditions was not pursued. "
            f"{tried} were evaluated at every condition. The best ran in a race on fresh seeds, which dropped a "
            "candidate as soon as it was significantly worse (paired t test)."
        )
    rest = "the rest of the front" if fronts.several(answer) else "the best of the other disciplines"
    sentences.append(
        f"The winner, {rest} and common settings were then validated on fresh seeds at fresh conditions, "
        f"stratified over the ranges: {text.ground(answer)}. Intervals are Student's over replications at 95 %, "
        "one value for each replication; differences are paired, and called better or worse only if they are "
        "significant after Holm's adjustment over the whole table."
    )
    if question.link is not None:
        sentences.append(f"Assumed of the traffic: {question.link.assumed()}.")
    return sentences
