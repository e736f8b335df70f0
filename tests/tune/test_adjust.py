"""Finalists on fresh conditions: how many runs they are moved to the edge of a bound in."""

from __future__ import annotations

import pytest

from dropcurve.tuning import of_link
from dropcurve.tuning.adjust import on_fresh_conditions
from dropcurve.tuning.effort import ALONE, Budget
from dropcurve.tuning.families import family
from dropcurve.tuning.study import FamilyStudy

from .test_proof import Lucky, tail_drop


@pytest.mark.parametrize(
    ("rate", "rtt", "flows", "runs", "expected"),
    [
        ("10Mbit", "20ms", "4", 1500, 18),
        ("10Mbit", "20-40ms", "4-8", 1500, 24),
        ("10Mbit", "20ms", "4", 24, 12),
        ("60Mbit", "20ms", "4", 1500, 14),
        ("200Mbit", "20ms", "4", 1500, 4),
    ],
)
def test_one_condition_gets_about_as_many_runs_as_several(
    rate: str, rtt: str, flows: str, runs: int, expected: int
) -> None:
    """Under one condition a replication is one run: four of them would say little about nineteen of twenty. Where runs
    are long the challengers, which are run in the same trials, have time for fewer."""
    bench = Lucky(0.0)
    goal = "p95 delay < 15ms, max utilisation"
    bench.question = of_link(rate=rate, rtt=rtt, flows=flows, buffer="200pkts", goal=goal)
    alone = not bench.question.varying
    budget = Budget(runs, replications=6 * ALONE if alone else 6, fresh=1 if alone else 6)
    study = FamilyStudy(family("droptail", bench.question.sizing), bench.question.target, 1, 1)
    _, trials = on_fresh_conditions(bench, {"droptail": study}, budget, 1, [tail_drop(17_000)], [], None)
    assert len(trials) == expected and len({trial.seed for trial in trials}) == expected
