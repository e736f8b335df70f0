"""Designs compared with each other on conditions and seeds that none of them was chosen on.

Half of the replications choose the best known design, the other half measure every design's regret against it: a best
that is chosen and measured on the same runs would be biased by luck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dropcurve.metrics import statistics
from dropcurve.metrics.statistics import Interval
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.decision import HOLDS

from .reference import objective, score

#: Replications, conditions of each, and where their seeds begin.
REPLICATIONS, CONDITIONS, SEED = 12, 6, 7_000_000


@dataclass(frozen=True)
class Standing:
    """A design in the contest: its objective, the share of runs that hold the bounds, the worst run over its bound (1
    is on it; 0 without one), and its regret against the best known design, in points with a 95 % interval."""

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
    """Every design's standing, by name. The best known is the best feasible design of all searches."""
    replications = _replications(bench)
    bench.run((one, trial) for one in designs.values() for trials in replications for trial in trials)
    choosing, measuring = replications[::2], replications[1::2]
    able = [name for name, one in designs.items() if _held(bench, one, choosing)[0] >= HOLDS] or list(designs)
    best = max(able, key=lambda name: _mean(bench, designs[name], choosing))
    standings = {}
    for name, one in designs.items():
        held, worst = _held(bench, one, replications)
        gaps = [score(bench, designs[best], trials) - score(bench, one, trials) for trials in measuring]
        standings[name] = Standing(
            name,
            one.queue,
            objective(bench, one, [trial for trials in replications for trial in trials]),
            held,
            worst,
            statistics.t_interval(gaps),
        )
    return standings


def _replications(bench: Bench) -> list[list[PairedTrial]]:
    return [
        [
            PairedTrial.of(place, one, SEED + 100 * number + place)
            for place, one in enumerate(bench.question.fresh(CONDITIONS, seed=SEED + number))
        ]
        for number in range(REPLICATIONS)
    ]


def _mean(bench: Bench, candidate: Candidate, replications: list[list[PairedTrial]]) -> float:
    return statistics.mean([score(bench, candidate, trials) for trials in replications])


def _held(bench: Bench, candidate: Candidate, replications: list[list[PairedTrial]]) -> tuple[float, float]:
    """Share of runs that hold the bound held least often, and the worst of them as a multiple of its bound."""
    trials = [trial for some in replications for trial in some]
    ratios = [0.0]
    for bound in bench.question.goal.constraints:
        for trial in trials:
            value = bench.value(candidate, trial, bound.measure.key) or 0.0
            over, under = (value, bound.bound) if bound.upper else (bound.bound, value)
            ratios.append(over / under if under else math.inf)
    return 1.0 - bench.missed(candidate, trials), max(ratios)
