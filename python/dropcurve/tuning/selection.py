"""Designs that follow from a search: those to validate, and those that were evaluated at every condition."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import robustness
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .findings import Spot
from .outcome import SearchOutcome
from .study import front, knee


def chosen_of(outcome: SearchOutcome, bench: Bench) -> tuple[list[Candidate], int]:
    """Designs to validate: the best, the rest of the front, the best of the other disciplines, and the initial designs,
    the better ones first, as the time may not suffice for all; with the number of designs on the front."""
    several = len(bench.question.goal.objectives) > 1
    leaders = _knee(outcome, bench) if several else outcome.finalists[:1]
    best = leaders[0]
    others = [] if several else [one for kind, one in outcome.best_of.items() if kind != best.kind]
    rivals = [*others, *outcome.known]
    if not several:
        rivals.sort(key=lambda one: _score(bench, one, outcome.trials))
    found = {one.key: one for one in [*leaders, *rivals]}
    return list(found.values()), len(leaders)


def _score(bench: Bench, one: Candidate, trials: Sequence[PairedTrial]) -> float:
    """The loss of a design over the trials that it was run in; infinite without one."""
    had = [trial for trial in trials if bench.has(one, trial)]
    return bench.score(one, had) if had else math.inf


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
    found: list[tuple[Candidate, tuple[float, ...], dict[str, float], bool]] = []
    for one in outcome.tried:
        objectives, measures, holds = robustness.summary(bench, one, outcome.first)
        found.append((one, objectives, measures, holds))
    signs = [one.sign for one in goal.objectives]
    points = {
        one.key: [
            *(sign * value for sign, value in zip(signs, objectives, strict=True)),
            *((1.0 if bound.upper else -1.0) * measures[bound.measure.key] for bound in goal.constraints),
        ]
        for one, objectives, measures, _ in found
        if all(value == value for value in (*objectives, *measures.values()))
    }
    ahead = set(front(points))
    return [
        Spot(one, objectives, measures, holds, one.key in ahead) for one, objectives, measures, holds in found
    ]
