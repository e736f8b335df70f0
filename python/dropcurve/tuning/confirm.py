"""Confirmation: the winner, the best of the other disciplines, and what people run, on fresh seeds and conditions.

Each replication draws its own conditions, stratified over the ranges, and its own seed; what a design comes to over
them is one number, so that intervals cover both. Designs share conditions and seeds, so that differences are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..metrics import statistics
from ..metrics.statistics import Interval, Paired
from .bench import Bench, Trial
from .candidates import Candidate
from .effort import Effort
from .goal import Constraint

#: Fewest replications that an interval can be told from.
LEAST = 2
#: Seeds of replications lie this far from those of the search.
APART = 1_000_000


@dataclass(frozen=True)
class Kept:
    """How a constraint fared: runs that held it, of how many; the worst value and where."""

    constraint: Constraint
    held: int
    runs: int
    worst: float
    where: str


@dataclass(frozen=True)
class Line:
    """One design on fresh ground: its objectives, its measures (means over the range), its constraints, and the
    paired difference of each objective from the winner (None for the winner itself)."""

    candidate: Candidate
    objectives: tuple[Interval, ...]
    measures: dict[str, Interval]
    kept: tuple[Kept, ...]
    difference: tuple[Paired | None, ...]
    real: tuple[bool, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every constraint held in nineteen runs of twenty."""
        return all(one.held >= 0.95 * one.runs for one in self.kept)


def trials(bench: Bench, effort: Effort, *, seed: int) -> list[list[Trial]]:
    """The trials of each replication."""
    count = effort.fresh if bench.question.varying else 1
    found = []
    for number in range(effort.replications):
        conditions = bench.question.fresh(count, seed=seed + APART + number)
        found.append([
            Trial.of(place, one, seed + APART + number * effort.fresh + place)
            for place, one in enumerate(conditions)
        ])  # fmt: skip
    return found


def _made(
    bench: Bench, usable: Sequence[Candidate], replications: Sequence[list[Trial]], until: float | None
) -> list[list[Trial]]:
    """Makes replication after replication of all designs while there is time, two at least; those that were made."""
    if until is None:
        bench.run((one, trial) for some in replications for one in usable for trial in some)
        return list(replications)
    made: list[list[Trial]] = []
    for some in replications:
        limit = until if len(made) >= LEAST else None
        if not bench.run(((one, trial) for one in usable for trial in some), until=limit):
            break
        made.append(some)
    return made


def confirm(
    bench: Bench, candidates: Sequence[Candidate], effort: Effort, *, seed: int, until: float | None = None
) -> tuple[list[Line], int]:
    """Every design on the same fresh trials, and how many replications there was time for ``until`` then; the first
    is the winner the others are held against."""
    replications = trials(bench, effort, seed=seed)
    usable = [
        one for one in candidates if all(bench.usable(one, trial) for some in replications for trial in some)
    ]
    replications = _made(bench, usable, replications, until)
    goal = bench.question.goal
    values = {
        one.key: [
            [_together(bench, one, some, n) for some in replications] for n in range(len(goal.objectives))
        ]
        for one in usable
    }
    winner = values[usable[0].key]
    pairs: dict[tuple[str, int], Paired] = {}
    for one in usable[1:]:
        for n in range(len(goal.objectives)):
            found = statistics.paired(values[one.key][n], winner[n])
            if found is not None:
                pairs[one.key, n] = found
    adjusted = dict(zip(pairs, statistics.holm([pair.p for pair in pairs.values()]), strict=True))
    lines = []
    for one in usable:
        numbers = range(len(goal.objectives))
        lines.append(Line(
            one,
            tuple(statistics.t_interval(values[one.key][n]) for n in numbers),
            {measure.key: _interval(bench, one, replications, measure.key) for measure in goal.measures},
            tuple(_kept(bench, one, replications, constraint) for constraint in goal.constraints),
            tuple(pairs.get((one.key, n)) for n in numbers),
            tuple(adjusted.get((one.key, n), 1.0) < 0.05 for n in numbers),
        ))  # fmt: skip
    return lines, len(replications)


def _together(bench: Bench, one: Candidate, some: Sequence[Trial], number: int) -> float | None:
    """An objective over the conditions of a replication, in its own units: the mean, or the worst."""
    objective = bench.question.goal.objectives[number]
    values = [bench.objective(one, trial, objective) for trial in some]
    known = [value for value in values if value is not None]
    if not known:
        return None
    if bench.question.robust == "worst":
        return min(known) if objective.higher else max(known)
    return statistics.mean(known)


def _interval(
    bench: Bench, one: Candidate, replications: Sequence[Sequence[Trial]], measure: str
) -> Interval:
    means = []
    for some in replications:
        known = [value for trial in some if (value := bench.value(one, trial, measure)) is not None]
        means.append(statistics.mean(known) if known else None)
    return statistics.t_interval(means)


def _kept(
    bench: Bench, one: Candidate, replications: Sequence[Sequence[Trial]], constraint: Constraint
) -> Kept:
    found = [
        (value, trial)
        for some in replications
        for trial in some
        if (value := bench.value(one, trial, constraint.measure.key)) is not None
    ]
    if not found:
        return Kept(constraint, 0, 0, float("nan"), "")
    worst, trial = (max if constraint.upper else min)(found, key=lambda pair: pair[0])
    held = sum(constraint.excess(value) == 0 for value, _ in found)
    return Kept(constraint, held, len(found), worst, bench.question.describe(dict(trial.condition)))
