"""The Pareto front of the validated designs, where there are several objectives."""

from __future__ import annotations

from .candidates import Candidate
from .study import front, knee
from .validation import Validation


def validation_front(validation: Validation) -> list[Candidate]:
    """The Pareto front of the feasible designs, or of all if none is, the knee first, which becomes the recommendation;
    with one objective that alone."""
    if not validation.several:
        return [validation.decide()]
    bench = validation.bench
    question, candidates = bench.question, validation.candidates
    asked = [one for one in candidates if question.asks_for(one)] or candidates
    able = [one for one in asked if not validation.misses(one)] or asked
    able = [one for one in able if question.target.takes(one)] or able
    points: dict[tuple[float, ...], Candidate] = {}
    for one in able:
        trials = [trial for some in validation.trials(one) for trial in some]
        numbers = range(len(question.goal.objectives))
        points.setdefault(tuple(bench.together(bench.losses(one, trials, n)) for n in numbers), one)
    ahead = front({one.key: point for point, one in points.items()})
    front_points = {point: one for point, one in points.items() if one.key in ahead} or points
    validation.best = best = front_points[knee(list(front_points))]
    return [best, *(one for one in front_points.values() if one is not best)]
