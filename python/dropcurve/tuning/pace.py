"""The budget of an answer, from the size of the link or the pace of its first runs."""

from __future__ import annotations

from . import effort
from .bench import Bench, block
from .candidates import Candidate, references
from .effort import Budget, Clock
from .validation import APART


def effort_of(bench: Bench, clock: Clock, runs: int | None, seed: int) -> Budget:
    """The budget of an answer: by the size of the link, or under a time limit by the pace of the first runs."""
    question = bench.question
    if clock.seconds is None:
        return effort.by_size(question, runs)
    name, kind, params, origin = next(references(question.sizing, box=question.target.box))
    one = Candidate(name, kind, params, origin)
    bench.run((one, trial) for trial in block(question.conditions(2), seed))
    if 0.0 < bench.spent_s < effort.PACED * clock.seconds:
        # The first runs include loading and preparation: the pace is that of the next ones.
        bench.spent_s, bench.made = 0.0, 0
        bench.run((one, trial) for n in (1, 2) for trial in block(question.conditions(2), seed + n * APART))
    if bench.run_s is None:
        return effort.by_size(question, runs)
    return effort.by_pace(question, clock.left(effort.DRIFT) or 0.0, bench.run_s, runs)
