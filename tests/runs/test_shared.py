"""A run that any command made is not made again by another one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import _core
from dropcurve.runs import derived, record
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import Job, build
from dropcurve.runs.record import RunRecord
from dropcurve.runs.store import RunStore
from dropcurve.runs.sweeping.execute import execute
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.studies.cells import ReplicationPlan, Runner


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The runs that the core makes, by hash and seed."""
    simulated: list[tuple[str, int]] = []
    run_many = _core.run_many

    def noted(jobs: Any, *rest: Any, **more: Any) -> Any:
        simulated.extend((core.hash(), seed) for core, seed, _ in jobs)
        return run_many(jobs, *rest, **more)

    monkeypatch.setattr(_core, "run_many", noted)
    return simulated


def test_a_second_command_makes_only_what_is_missing(folder: Path, calls: list[tuple[str, int]]) -> None:
    first = dc.run("short.toml", replications=3, cache="cache")
    assert len(calls) == 3 and first.reused == 0
    calls.clear()
    again = dc.run("short.toml", replications=3, cache="cache", out="elsewhere")
    assert calls == [] and again.reused == 3
    assert again.baseline.runs == first.baseline.runs
    assert list(again.baseline.series) == list(first.baseline.series)
    larger = dc.compare("short.toml", queues=["droptail", "red"], replications=4, cache="cache")
    red = dc.Scenario.load("short.toml").hash
    assert sorted(calls) == sorted([(larger.variants[0].hash, seed) for seed in (1, 2, 3, 4)] + [(red, 4)])
    assert larger.reused == 3


def test_stored_runs_are_the_same_to_the_bit(folder: Path) -> None:
    files = ("result.json", "runs.json", "series.parquet")
    for out, cache in (("without", "off"), ("first", "cache"), ("second", "cache")):
        dc.compare("short.toml", queues=["droptail", "red"], replications=3, out=out, cache=cache)
    for name in files:
        one, *others = (Path(out, name).read_bytes() for out in ("without", "first", "second"))
        assert others == [one, one], name


def test_without_a_cache_every_run_is_made(folder: Path, calls: list[tuple[str, int]]) -> None:
    for _ in range(2):
        dc.run("short.toml", replications=2)
    assert len(calls) == 4


def test_the_result_in_the_folder_answers_too(folder: Path, calls: list[tuple[str, int]]) -> None:
    dc.run("short.toml", replications=3, out="kept")
    calls.clear()
    larger = dc.run("short.toml", replications=5, out="kept")
    assert [seed for _, seed in calls] == [4, 5] and larger.reused == 3


def test_equal_jobs_are_made_once_with_the_most_that_any_asks_for(
    folder: Path, calls: list[tuple[str, int]]
) -> None:
    scenario = dc.Scenario.load("short.toml")
    taken: dict[int, RunRecord] = {}
    jobs = [Job(scenario, 1, "summary"), Job(scenario, 1, "series"), Job(scenario, 2, "summary")]
    simulated = Executor(2).records(jobs, None, take=taken.__setitem__)
    assert simulated == 2 and len(calls) == 2
    assert taken[1].series and not taken[0].series
    assert taken[0].summary["derived"] == {"sync": None, "transient_s": None}, "as if it were alone"
    assert {**taken[1].summary, "derived": None} == {**taken[0].summary, "derived": None}
    assert sorted(taken) == [0, 1, 2]


VARY = {"queue.max_p": [0.05, 0.1], "flows.tcp.count": [2, 3]}
ROWS = "select * exclude (point) from runs order by all"


def test_a_sweep_reads_the_runs_that_a_comparison_stored(folder: Path, calls: list[tuple[str, int]]) -> None:
    vary = {"queue.max_p": [0.05, 0.1]}
    dc.compare("short.toml", vary=vary, replications=2, cache="cache")
    calls.clear()
    states: list[tuple[int, int]] = []
    table = dc.sweep(
        "short.toml", VARY, replications=2, out="a", cache="cache", progress=lambda *what: states.append(what)
    )
    assert len(calls) == 4 and states[-1] == (8, 8), "three flows are those of the file"
    alone = dc.sweep("short.toml", VARY, replications=2, out="b")
    assert table.query(ROWS).fetchall() == alone.query(ROWS).fetchall()


def forget_runs() -> None:
    """Removes the records from the store, as its limit of size does in time; tables stay noted."""
    with RunStore(Path("cache")) as store:
        store.size = 0
        store.shrink()
        assert store.count() == 0


def test_a_sweep_reads_the_rows_of_another_sweep(folder: Path, calls: list[tuple[str, int]]) -> None:
    dc.sweep("short.toml", VARY, replications=2, out="a", cache="cache")
    forget_runs()
    calls.clear()
    larger = {**VARY, "queue.max_p": [0.05, 0.1, 0.2]}
    table = dc.sweep("short.toml", larger, replications=2, out="b", cache="cache")
    assert len(calls) == 4
    alone = dc.sweep("short.toml", larger, replications=2, out="c")
    assert table.query(ROWS).fetchall() == alone.query(ROWS).fetchall()


@pytest.mark.parametrize("ruin", ["removed", "damaged", "of other metrics"])
def test_rows_of_another_sweep_that_cannot_be_used_are_made_again(
    folder: Path, calls: list[tuple[str, int]], ruin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dc.sweep("short.toml", VARY, replications=1, out="a", cache="cache")
    forget_runs()
    calls.clear()
    if ruin == "removed":
        shutil.rmtree("a")
    elif ruin == "damaged":
        for path in Path("a/runs").glob("part-*.parquet"):
            path.write_bytes(b"nonsense")
    else:
        monkeypatch.setattr("dropcurve.runs.sweeping.stored_rows.identity", lambda: "others")
    dc.sweep("short.toml", VARY, replications=1, out="b", cache="cache")
    assert len(calls) == 4


def test_a_table_reads_the_runs_of_another_table(folder: Path, calls: list[tuple[str, int]]) -> None:
    """Two tables, as a search makes one with each batch of its runs."""
    jobs = [Job(dc.Scenario.load("short.toml"), seed) for seed in (1, 2)]
    for out in ("a", "b"):
        table = RunTable(Path(out), build(), cache="cache")
        table.open()
        rows: list[dict[str, Any]] = []
        execute(jobs, table, executor=Executor(1), take=rows.append)
        assert sorted(one["seed"] for one in rows) == [1, 2]
        assert table.keys() == {job.key for job in jobs}
    assert len(calls) == 2


MAX_P = {"queue.max_p": [0.05, 0.1]}


def ran() -> None:
    for value in MAX_P["queue.max_p"]:
        dc.run(dc.Scenario.load("short.toml").edit([("queue.max_p", value)]), replications=2, cache="cache")


def compared() -> None:
    dc.compare("short.toml", vary=MAX_P, replications=2, cache="cache")


def swept() -> None:
    dc.sweep("short.toml", MAX_P, replications=2, out="swept", cache="cache", force=True)


def studied() -> None:
    base = dc.Scenario.load("short.toml")
    cells = {f"{value:g}": base.edit([("queue.max_p", value)]) for value in MAX_P["queue.max_p"]}
    with RunStore(Path("cache")) as store:
        runner = Runner(lambda run: {"events": run["events"]}, ReplicationPlan(2, None), store)
        runner.run(cells)


def searched() -> None:
    """Runs a batch as `tune` does."""
    base = dc.Scenario.load("short.toml")
    jobs = [
        Job(base.edit([("queue.max_p", value)]), seed) for value in MAX_P["queue.max_p"] for seed in (1, 2)
    ]
    table = RunTable(Path("searched"), build(), cache="cache")
    table.open()
    execute(jobs, table, executor=Executor(1), take=lambda _: None)


def swept_on_a_cluster() -> None:
    dc.sweep("short.toml", MAX_P, replications=2, out="swept", cache="cache", force=True, cluster="local:1")


EVERYBODY = [ran, compared, swept, studied, searched]


@pytest.mark.parametrize("first", EVERYBODY)
@pytest.mark.parametrize("second", EVERYBODY)
def test_a_run_is_made_once_whichever_command_comes_first(
    folder: Path, calls: list[tuple[str, int]], first: Callable[[], None], second: Callable[[], None]
) -> None:
    """Except for the first of each variant, whose curves a study and a search do not store and a comparison needs."""
    first()
    assert len(calls) == len(set(calls)) == 4
    calls.clear()
    shutil.rmtree("swept", ignore_errors=True)
    shutil.rmtree("searched", ignore_errors=True)
    second()
    for_curves = first in (studied, searched) and second in (ran, compared)
    assert sorted(seed for _, seed in calls) == ([1, 1] if for_curves else [])


def test_the_runs_of_a_large_sweep_and_of_a_cluster_are_stored_too(
    folder: Path, calls: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dropcurve.runs.sweeping.execute.WITH_SERIES", 0)
    swept()
    shutil.rmtree("swept")
    calls.clear()
    compared()
    assert sorted(seed for _, seed in calls) == [1, 1]
    shutil.rmtree("cache")
    swept_on_a_cluster()
    shutil.rmtree("swept")
    calls.clear()
    compared()
    assert sorted(seed for _, seed in calls) == [1, 1]


def test_a_run_stored_with_a_row_is_the_run_that_a_comparison_stores(folder: Path) -> None:
    """Byte for byte, though the core writes the one text and Python the other."""
    searched()
    job = Job(dc.Scenario.load("short.toml").edit([("queue.max_p", 0.05)]), 2, "derived")
    (run,) = _core.run_many([(job.scenario.core, job.seed, "derived")], 1)
    whole = RunRecord.of(run, keep="derived")
    assert record.text_of(run, derived.numbers(run, run.summary())) == record.serialise(whole)
    with RunStore(Path("cache")) as store:
        assert store.find(job) == whole


OTHER = """if True:
    import sys
    from dropcurve.runs.locks import Locks
    from pathlib import Path
    locks = Locks(Path("cache"))
    locks.acquire(sys.argv[1])
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("finishes", [True, False])
def test_a_run_that_another_process_is_making_is_awaited(
    folder: Path, calls: list[tuple[str, int]], finishes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read if the other process finishes it, and made here if that dies."""
    scenario = dc.Scenario.load("short.toml")
    job = Job(scenario, 2, "summary")
    Path("cache").mkdir()
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, job.address.hex()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    taken: dict[int, RunRecord] = {}

    def end(_: float) -> None:
        if finishes and not calls_of(2):
            (run,) = run_alone(scenario, 2)
            with RunStore(Path("cache")) as theirs:
                theirs.add(job, RunRecord({**RunRecord.of(run, keep="summary").summary, "events": -1}))
        other.kill()
        other.wait()

    def calls_of(seed: int) -> list[tuple[str, int]]:
        return [one for one in calls if one[1] == seed]

    def run_alone(scenario: dc.Scenario, seed: int) -> list[_core.Run]:
        runs = _core.run_many([(scenario.core, seed, "summary")], 1)
        calls.clear()
        return runs

    monkeypatch.setattr("dropcurve.runs.locks.time.sleep", end)
    jobs = [Job(scenario, seed, "summary") for seed in (1, 2, 3)]
    with RunStore(Path("cache")) as store:
        Executor(1).records(jobs, store, take=taken.__setitem__)
    assert sorted(taken) == [0, 1, 2]
    assert (taken[1].summary["events"] == -1) is finishes
    for pipe in (other.stdin, other.stdout):
        if pipe is not None:
            pipe.close()


def test_the_command_line_says_what_had_been_stored(folder: Path, dropcurve: Callable[..., Any]) -> None:
    words = ("run", "short.toml", "--replications", "3", "--no-report", "--cache", "cache")
    assert "stored before" not in dropcurve(*words, "--out", "a").err
    again = dropcurve(*words, "--out", "b")
    assert "dropcurve: 3 of 3 runs were stored already; only the others were made" in again.err
