"""Among equal designs the one that stays good over the widest drift is recommended, with its own sensitivity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import Job
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link, solve
from dropcurve.tuning.bench import Bench

#: Excess of the delay where there are more flows than was asked for.
CROWDED = 1.05


def execute(self: Bench, some: list[Job], take: Callable[[Row], None], done: Any, *, limited: bool) -> bool:
    """Runs that follow from a formula: tail drop is ahead, and every limit of it is as good as any other."""
    for number, job in enumerate(some):
        resolved = job.scenario.resolved
        queue, flows = resolved["queue"], int(job.scenario.get("flows.long.count"))
        limit = units.packets(str(queue["limit"]), packet_bytes=1500)
        delay_ms = 1.2 * min(limit, 500.0) * (CROWDED if flows > 8 else 1.0)
        tail = queue["kind"] == "droptail"
        take({
            "scenario": job.scenario.hash, "seed": job.seed, "utilisation": 99.9 if tail else 90.0,
            "sojourn_ms_p95": delay_ms if tail else 1.0, "sojourn_ms_mean": delay_ms,
        })  # fmt: skip
        done(number + 1, len(some))
    return True


def test_the_sensitivity_is_that_of_the_design_that_the_drift_decides_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Bench, "_execute", execute)
    goal = "p95 delay < 30ms, max utilisation"
    question = of_link(rate="10Mbit", rtt="40ms", flows="2-8", buffer="100pkts", goal=goal)
    answer = solve(question, executor=Executor(1), out=tmp_path / "tune", cache="off", page=False)
    assert answer.best.kind == "droptail"
    limits = {line.candidate.queue for line in answer.lines if line.standing == "equal"}
    assert limits, "another limit is as good"
    assert answer.sensitivity
    assert answer.moved_design is None
