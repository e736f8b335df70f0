"""The validated designs as lines of the answer: intervals, constraints, differences from the recommendation."""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics import statistics
from ..metrics.statistics import PairedDifference
from .aggregation import over
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .decision import replications_needed, reported
from .goal import Constraint
from .proof import ConstraintOutcome, kept
from .validation import Validation
from .validation_line import ValidationLine


def lines(validation: Validation) -> list[ValidationLine]:
    """Every validated design, the recommendation first."""
    bench, goal = validation.bench, validation.bench.question.goal
    best = validation.best or validation.decide()
    objectives = range(len(goal.objectives))
    order = [best, *(one for one in validation.candidates if one is not best)]
    values = {
        one.key: [[_together(bench, one, some, n) for some in validation.trials(one)] for n in objectives]
        for one in order
    }
    pairs: dict[tuple[str, int], PairedDifference] = {}
    for one in order[1:]:
        for n in objectives:
            count = min(len(values[one.key][n]), len(values[best.key][n]))
            pair_of = statistics.paired(values[one.key][n][:count], values[best.key][n][:count])
            if pair_of is not None:
                pairs[one.key, n] = pair_of
    adjusted = dict(zip(pairs, statistics.holm([pair.p for pair in pairs.values()]), strict=True))
    rows = []
    for one in order:
        stands, pair = (None, None) if validation.several or one is best else validation.standing_of(one)
        needed = replications_needed(pair, validation.margin) if stands == "undecided" and pair else None
        rows.append(ValidationLine(
            one,
            tuple(statistics.t_interval(values[one.key][n]) for n in objectives),
            {m.key: validation.interval(one, m.key) for m in reported(goal)},
            tuple(_kept(validation, one, bound) for bound in goal.constraints),
            tuple(pairs.get((one.key, n)) for n in objectives),
            tuple(adjusted.get((one.key, n), 1.0) < 0.05 for n in objectives),
            stands, needed, validation.drifted.get(one.key), validation.delay_of(one),
        ))  # fmt: skip
    return rows


def _together(bench: Bench, candidate: Candidate, some: Sequence[PairedTrial], number: int) -> float | None:
    """An objective over the conditions of a replication, in its own units."""
    objective = bench.question.goal.objectives[number]
    values = [bench.objective(candidate, trial, objective) for trial in some]
    known = [value for value in values if value is not None]
    if not known:
        return None
    return objective.sign * over([objective.sign * value for value in known], bench.question.robust)


def _kept(validation: Validation, candidate: Candidate, bound: Constraint) -> ConstraintOutcome:
    """Outcome of a constraint; of a design that broke one in a block of fresh seeds the outcome there."""
    if candidate.key in validation.refused:
        return next(
            outcome for outcome in validation.refused[candidate.key].kept if outcome.constraint == bound
        )
    return kept(
        validation.bench, candidate, [trial for some in validation.trials(candidate) for trial in some], bound
    )
