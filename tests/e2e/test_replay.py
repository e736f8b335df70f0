"""Same scenario, seed and version: same answer, for any number of threads and after any interruption."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve import _core
from dropcurve.runs.job import Job
from dropcurve.runs.record import RunRecord
from dropcurve.runs.store import RunStore

FILES = ("result.json", "runs.json", "series.parquet", "scenario.toml")


def contents(folder: str) -> list[bytes]:
    return [(Path(folder) / name).read_bytes() for name in FILES]


def test_threads_do_not_change_a_byte(folder: Path) -> None:
    for jobs in (1, 2, 5):
        dc.compare("short.toml", queues=["droptail", "red"], replications=4, jobs=jobs, out=f"jobs{jobs}")
    assert contents("jobs1") == contents("jobs2") == contents("jobs5")


def test_a_replication_does_not_depend_on_how_many_there_are(folder: Path) -> None:
    few, many = (dc.run("short.toml", replications=n).baseline.runs for n in (2, 4))
    assert few == many[:2]
    assert dc.run("short.toml", seed=3, replications=1).baseline.runs == many[2:3]


def test_variants_share_their_seeds(folder: Path) -> None:
    result = dc.compare("short.toml", queues=["droptail", "red"], replications=3)
    starts = [
        [[flow["start_s"] for flow in run["flows"]] for run in variant.runs] for variant in result.variants
    ]
    assert starts[0] == starts[1]
    assert starts[0][0] != starts[0][1]


def test_finished_runs_are_used_again(folder: Path) -> None:
    scenario = dc.Scenario.load("short.toml")
    whole = dc.run(scenario, replications=3)
    with RunStore(Path("kept/unfinished")) as store:
        first = RunRecord(whole.baseline.runs[0], whole.baseline.series)
        store.add(Job(scenario, 1, "series"), first)
        # A mark no run would leave shows that the second run was read, not run.
        marked = RunRecord({**whole.baseline.runs[1], "events": -1})
        store.add(Job(scenario, 2, "derived"), marked)
    resumed = dc.run(scenario, replications=3, out="kept")
    assert [run["events"] for run in resumed.baseline.runs] == [
        whole.baseline.runs[0]["events"], -1, whole.baseline.runs[2]["events"],
    ]  # fmt: skip
    assert resumed.reused == 2
    assert not Path("kept/unfinished").exists()


def test_a_failing_callback_stops_the_runs(folder: Path) -> None:
    # Days of work: if the runs went on, this test would not end.
    scenario = dc.Scenario.load("short.toml").set("run.duration", "1000000 s")

    def fail(done: int, needed: int, share: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        dc.run(scenario, replications=400, progress=fail)


def test_progress_rises_to_one(folder: Path) -> None:
    states: list[tuple[int, int, float]] = []
    dc.run("short.toml", replications=3, progress=lambda *state: states.append(state))
    assert states[-1] == (3, 3, pytest.approx(1.0))
    assert all(before[2] <= after[2] for before, after in pairwise(states))


def test_runs_come_in_the_order_of_the_jobs(folder: Path) -> None:
    core = dc.Scenario.load("short.toml").core
    long = dc.Scenario.load("short.toml").set("run.duration", "20 s").core
    jobs: list[tuple[_core.Scenario, int, _core.Keep]]
    jobs = [(long, 9, "summary"), (core, 1, "series"), (core, 2, "derived")]
    runs = _core.run_many(jobs, 3)
    assert [run.summary()["seed"] for run in runs] == [9, 1, 2]
    assert [bool(run.series()) for run in runs] == [False, True, False]
    assert [bool(run.derived()) for run in runs] == [False, True, True]


def test_runs_are_passed_on_with_their_numbers_and_then_dropped(folder: Path) -> None:
    core = dc.Scenario.load("short.toml").core
    seeds: dict[int, int] = {}

    def finished(number: int, run: _core.Run) -> None:
        seeds[number] = run.summary()["seed"]

    assert _core.run_many([(core, seed, "summary") for seed in (9, 1, 2)], 3, None, finished) == []
    assert seeds == {0: 9, 1: 1, 2: 2}


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("cache", ["off", "cache"])
def test_ctrl_c_keeps_what_is_done_and_says_how_to_resume(folder: Path, cache: str) -> None:
    # Minutes of work, so that it cannot be over before the signal comes.
    long = ["--set", "run.duration=1000 s", "--replications", "4000"]
    options = [*long, "--jobs", "2", "--no-report", "--out", "kept", "--cache", cache]
    # The environment of the tests may have made processes ignore it.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heed}; from dropcurve.cli import main; main()"
    command = [sys.executable, "-c", code, "run", "short.toml", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    place = Path("kept/unfinished" if cache == "off" else cache)
    while time.monotonic() < deadline and stored(place) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    kept = stored(place)
    assert process.returncode == 130
    assert out == ""
    assert kept >= 3
    assert (
        err == f"dropcurve: interrupted; {kept} finished runs stored; the same command resumes from there\n"
    )


def stored(folder: Path) -> int:
    """Runs in a store that a process has open."""
    if not (folder / "runs-1.sqlite").exists():
        return 0
    try:
        with closing(sqlite3.connect(folder / "runs-1.sqlite")) as database:
            return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.Error:
        return 0
