"""The number of runs of an answer where each run is long, on runs that follow from a formula instead of packets."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import Job
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link, solve
from dropcurve.tuning.bench import Bench

#: Seconds of a delay for each second of the parameter that sets it, by discipline.
LONGER = {"codel": 3.2, "cobalt": 3.2, "fq_codel": 4.0, "pie": 2.3, "fq_pie": 2.3}
#: Largest number of runs of a default answer at 10 Gbit/s: a run takes 1.4 to 1.7 s of one processor.
MOST = 150


def delay_s(queue: dict[str, Any], rate_bps: float) -> float:
    """The delay of a queue, proportional to the parameter that sets it and at most that of its buffer."""

    def packets(name: str) -> float:
        return units.packets(str(queue[name]), packet_bytes=1500) * 12_000 / rate_bps

    if queue["kind"] in LONGER:
        delay = LONGER[queue["kind"]] * units.span(str(queue["target"]))
    elif "min_th" in queue and queue["min_th"] != "auto":
        delay = 0.55 * (packets("min_th") + packets("max_th"))
    else:
        delay = packets("limit")
    return min(delay, packets("limit"))


def runs_of(
    monkeypatch: pytest.MonkeyPatch, out: Path, ahead: dict[str, float], steep: float, noise: float
) -> int:
    """Runs of an answer at 10 Gbit/s; ``ahead`` are points of utilisation by discipline, ``steep`` those lost without
    a queue, ``noise`` the deviation of the delay between seeds as a share of it."""
    runs = 0

    def execute(
        self: Bench, some: list[Job], take: Callable[[Row], None], done: Any, *, limited: bool
    ) -> bool:
        nonlocal runs
        for number, job in enumerate(some):
            resolved = job.scenario.resolved
            queue = resolved["queue"]
            named = int(hashlib.sha256(str(sorted(queue.items(), key=str)).encode()).hexdigest()[:6], 16)
            luck = np.random.default_rng([job.seed, named]).normal(size=2)
            delay = delay_s(queue, units.rate(str(resolved["dumbbell"]["rate"])))
            if queue["kind"] != "droptail":
                delay *= math.exp(noise * float(luck[0]))
            lost = steep * math.exp(-delay / 0.0012) * (1.0 + 0.1 * float(luck[1]))
            use = min(100.0, 100.0 - lost + ahead.get(queue["kind"], 0.0))
            runs += 1
            take({
                "scenario": job.scenario.hash, "seed": job.seed, "sojourn_ms_p95": 1e3 * delay,
                "sojourn_ms_mean": 600 * delay, "utilisation": use,
            })  # fmt: skip
            done(number + 1, len(some))
        return True

    monkeypatch.setattr(Bench, "_execute", execute)
    question = of_link(
        rate="10Gbit",
        rtt="5-40ms",
        flows="50-200",
        buffer="20000pkts",
        goal="p95 delay < 2ms, max utilisation",
    )
    answer = solve(question, executor=Executor(1), out=out, cache="off", page=False)
    assert answer.lines[0].holds and answer.drift and answer.sensitivity
    return runs


@pytest.mark.parametrize(
    ("ahead", "steep", "noise"),
    [
        pytest.param({}, 30.0, 0.01, id="tail drop wins"),
        pytest.param({"pie": 0.3, "codel": 0.25}, 5.0, 0.03, id="PIE wins, CoDel is near"),
        pytest.param({"codel": 0.5, "red": -3.0}, 10.0, 0.03, id="CoDel wins"),
    ],
)
def test_a_default_answer_at_ten_gigabits_takes_few_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ahead: dict[str, float], steep: float, noise: float
) -> None:
    assert runs_of(monkeypatch, tmp_path / "tune", ahead, steep, noise) <= MOST
