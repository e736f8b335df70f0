"""Designs that follow from a search: those to validate, and those that were evaluated at every condition."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..verdict.equivalence import FAIR
from . import robustness
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .challengers import further_kinds
from .decision import margin_of, slack
from .effort import ENDS
from .findings import Spot
from .initial_designs import is_default
from .outcome import SearchOutcome
from .study import front, knee
from .validation_line import ValidationLine


def chosen_of(outcome: SearchOutcome, bench: Bench, *, few: bool = False) -> tuple[list[Candidate], int]:
    """Designs to validate: the best, the rest of the front, the best of the other disciplines, and the initial designs,
    the better ones first, as the time may not suffice for all; with the number of designs on the front. Where runs are
    ``few`` because each is long, rivals that are clearly behind at the ends of the ranges, or behind the best of their
    own discipline, are compared by these runs, except for the queue without AQM."""
    several = len(bench.question.goal.objectives) > 1
    leaders = _knee(outcome, bench) if several else outcome.finalists[:1]
    best = leaders[0]
    others = [] if several else [one for kind, one in outcome.best_of.items() if kind != best.kind]
    rivals = [*others, *outcome.known]
    if not several:
        rivals.sort(key=lambda one: _score(bench, one, outcome.trials))
    if few:
        ends = outcome.first[:ENDS]
        bench.run((one, trial) for one in rivals if one.origin != "no AQM" for trial in ends)
        ahead = {one.kind: _score(bench, one, ends) for one in (best, *others)}
        rivals = [
            one
            for one in rivals
            if one.origin == "no AQM"
            or (
                not lost(bench, one, best, ends)
                and (one in others or _score(bench, one, ends) < ahead.get(one.kind, math.inf))
            )
        ]
    designs = {one.key: one for one in [*leaders, *rivals]}
    return list(designs.values()), len(leaders)


def affordable_of(
    bench: Bench,
    chosen: Sequence[Candidate],
    size: int,
    most: int,
    ends: Sequence[PairedTrial],
    until: float | None,
) -> tuple[list[Candidate], list[Candidate]]:
    """The designs to validate for which there is time: the first ``size`` of them, and ``most`` altogether; and the
    others that were not compared.

    If not all fit, the rivals are run at the ``ends`` of the ranges: one that is clearly behind there is compared by
    these runs, and validated only after the others. The defaults of the best one's own discipline go before all rivals:
    a setting that differs from them has to be shown to be better. Next are, where the goal weighs several measures, the
    defaults of disciplines that isolate flows, which serve most links well: however short the time, they are compared.
    """
    if len(chosen) <= most:
        return list(chosen), []
    best = chosen[0]
    weighed = len(bench.question.goal.objectives[0].terms) > 1

    def fair(candidate: Candidate) -> bool:
        return weighed and is_default(candidate) and candidate.kind_as_loaded in FAIR

    rivals = sorted(
        chosen[size:], key=lambda one: (one.kind != best.kind or not is_default(one), not fair(one))
    )
    bench.run(((one, trial) for one in rivals for trial in ends), until=until)
    # A score of few runs is too noisy to leave out the setting that most people would load.
    behind = {one.key for one in rivals if not fair(one) and lost(bench, one, best, ends)}
    order = [
        *chosen[:size], *(one for one in rivals if one.key not in behind),
        *(one for one in rivals if one.key in behind),
    ]  # fmt: skip
    kept = order[: max(size, most)]
    return kept, [one for one in order[len(kept) :] if one.key not in behind]


def further_of(outcome: SearchOutcome, bench: Bench) -> list[str]:
    """The disciplines to solve after a search, those first that are akin to the best of the searched ones."""
    trials = outcome.trials or outcome.first
    losses = {kind: _score(bench, one, trials) for kind, one in outcome.best_of.items()}
    return further_kinds(bench.question, losses)


def lost(bench: Bench, candidate: Candidate, best: Candidate, ends: Sequence[PairedTrial]) -> bool:
    """Whether a design misses a bound at the ends of the ranges and the best holds it there, or is far behind it."""
    if not all(bench.has(design, trial) for design in (candidate, best) for trial in ends):
        return False
    misses = bench.violation(candidate, ends) > 0 and bench.violation(best, ends) == 0
    goal = bench.question.goal
    losses = [bench.together(bench.losses(design, ends)) for design in (candidate, best)]
    return misses or losses[0] - losses[1] > slack(goal, margin_of(goal))


def _score(bench: Bench, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
    """The loss of a design over the trials that it was run in; infinite without one."""
    had = [trial for trial in trials if bench.has(candidate, trial)]
    return bench.score(candidate, had) if had else math.inf


def _knee(outcome: SearchOutcome, bench: Bench) -> list[Candidate]:
    """The front with its knee first."""
    several = range(len(bench.question.goal.objectives))
    points = {
        tuple(bench.together(bench.losses(one, outcome.trials, n)) for n in several): one
        for one in outcome.finalists
    }
    best = points[knee(list(points))]
    return [best, *(one for one in outcome.finalists if one is not best)]


def spots_of(outcome: SearchOutcome, bench: Bench) -> list[Spot]:
    """The designs that were evaluated at every condition, with the Pareto front of objectives and bounded measures."""
    goal = bench.question.goal
    outcomes: list[tuple[Candidate, tuple[float, ...], dict[str, float], bool]] = []
    for one in outcome.tried:
        objectives, measures, holds = robustness.summary(bench, one, outcome.first)
        outcomes.append((one, objectives, measures, holds))
    signs = [one.sign for one in goal.objectives]
    points = {
        one.key: [
            *(sign * value for sign, value in zip(signs, objectives, strict=True)),
            *((1.0 if bound.upper else -1.0) * measures[bound.measure.key] for bound in goal.constraints),
        ]
        for one, objectives, measures, _ in outcomes
        if all(value == value for value in (*objectives, *measures.values()))
    }
    ahead = set(front(points))
    return [
        Spot(one, objectives, measures, holds, one.key in ahead)
        for one, objectives, measures, holds in outcomes
    ]


def missing(candidates: Sequence[Candidate], lines: Sequence[ValidationLine]) -> list[Candidate]:
    """Designs that are on no line of the validation, each once."""
    there = {line.candidate.key for line in lines}
    return list({one.key: one for one in candidates if one.key not in there}.values())
