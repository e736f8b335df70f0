"""Designs held against each other on conditions and seeds that none of them was chosen on.

Half of the replications choose the best known design, the other half measure every design's regret against it: a best
that is chosen and measured on the same runs would be the luckiest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dropcurve.metrics import statistics
from dropcurve.metrics.statistics import Interval
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.decision import HOLDS

from .reference import loss_free

#: Replications, conditions of each, and where their seeds begin.
REPLICATIONS, CONDITIONS, SEED = 12, 6, 7_000_000


@dataclass(frozen=True)
class Standing:
    """A design in the contest: its objective, the share of runs that hold the bound, the worst run over the bound (1 is
    on it), and its regret against the best known design, in points with a 95 % interval."""

    name: str
    queue: str
    objective: float
    held: float
    worst: float
    regret: Interval

    @property
    def holds(self) -> bool:
        """Whether the bound holds in nineteen runs of twenty."""
        return self.held >= HOLDS


def hold(bench: Bench, designs: Mapping[str, Candidate]) -> dict[str, Standing]:
    """Every design's standing, by name. The best known is the best of those that hold the bound, whoever found it."""
    replications = _replications(bench)
    bench.run((one, trial) for one in designs.values() for trials in replications for trial in trials)
    choosing, measuring = replications[::2], replications[1::2]
    able = [name for name, one in designs.items() if _held(bench, one, choosing)[0] >= HOLDS] or list(designs)
    best = max(able, key=lambda name: _mean(bench, designs[name], choosing))
    found = {}
    for name, one in designs.items():
        held, worst = _held(bench, one, replications)
        gaps = [
            loss_free(bench, designs[best], trials) - loss_free(bench, one, trials) for trials in measuring
        ]
        found[name] = Standing(
            name, one.queue, _mean(bench, one, replications), held, worst, statistics.t_interval(gaps)
        )
    return found


def _replications(bench: Bench) -> list[list[PairedTrial]]:
    return [
        [
            PairedTrial.of(place, one, SEED + 100 * number + place)
            for place, one in enumerate(bench.question.fresh(CONDITIONS, seed=SEED + number))
        ]
        for number in range(REPLICATIONS)
    ]


def _mean(bench: Bench, one: Candidate, replications: list[list[PairedTrial]]) -> float:
    return statistics.mean([loss_free(bench, one, trials) for trials in replications])


def _held(bench: Bench, one: Candidate, replications: list[list[PairedTrial]]) -> tuple[float, float]:
    """Share of runs that hold the bound, and the worst of them as a multiple of it."""
    bound = bench.question.goal.constraints[0]
    values = [
        bench.value(one, trial, bound.measure.key) or 0.0 for trials in replications for trial in trials
    ]
    return sum(value <= bound.bound for value in values) / len(values), max(values) / bound.bound
