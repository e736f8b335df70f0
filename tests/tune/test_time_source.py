"""Sources of time, and runs that are abandoned at the deadline of a limit of time."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import _core
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import of_file
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.time_source import ProcessorTime, WallTime


def _burn(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_waiting_takes_no_processor_time() -> None:
    source, wall = ProcessorTime(), WallTime()
    began = source.now(), wall.now()
    time.sleep(0.3)
    assert source.now() - began[0] < 0.1 and wall.now() - began[1] >= 0.3


@pytest.mark.parametrize("threads", [1, 2])
def test_processor_time_of_other_threads_is_shared_by_their_number(threads: int) -> None:
    source = ProcessorTime(threads)
    began, own = source.now(), time.thread_time()
    other = threading.Thread(target=_burn, args=(0.2,))
    other.start()
    other.join()
    spent = source.now() - began - (time.thread_time() - own)
    assert 0.2 / threads <= spent < 0.2 / threads + 0.1


def test_a_slowdown_is_that_of_the_last_second() -> None:
    source = WallTime()
    assert source.slowdown() >= 1.0
    _burn(0.2)
    assert source.slowdown() >= 1.0


class _Counting:
    """A source that advances by a second at each reading."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        self.at += 1.0
        return self.at

    def slowdown(self) -> float:
        return 1.0


def test_runs_that_are_not_finished_at_the_deadline_are_abandoned(tmp_path: Path) -> None:
    """The run simulates a day, which takes many times as long as the deadline takes to pass: two looks at the clock."""
    scenario = dc.Scenario.load("droptail_vs_red").set("run.duration", "100000 s")
    question = of_file(scenario, goal="p95 delay < 20ms, max utilisation")
    source = _Counting()
    bench = Bench(
        question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1), source=source,
        deadline=lambda: 3.0,
    )  # fmt: skip
    bench.open()
    one = Candidate("mine", "droptail", {"limit": "1000 pkts"})
    (trial,) = block(question.conditions(1), 1)
    assert not bench.run([(one, trial)], until=2.0)
    assert not bench.has(one, trial) and not list(bench.store.rows())


def test_a_second_answer_about_the_same_link_makes_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run is found in the store, wherever the answer goes."""
    asked: dict[str, Any] = {
        "rate": "1Mbit", "rtt": "30ms", "flows": "2", "buffer": "40pkts", "goal": "p95 delay < 120ms, max utilisation",
        "candidates": ["droptail"], "runs": 60, "cache": tmp_path / "cache", "jobs": 1,
    }  # fmt: skip
    first = dc.tune(**asked, out=tmp_path / "first")
    monkeypatch.delattr(_core, "run_many")
    second = dc.tune(**asked, out=tmp_path / "second")
    assert (first.queue, first.runs, str(first)) == (second.queue, second.runs, str(second))
