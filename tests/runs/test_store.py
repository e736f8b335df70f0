"""The store of runs: hits and misses, concurrent writers, and the limit of its size."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import dropcurve as dc
from dropcurve.errors import ResultError, UsageError
from dropcurve.metrics.summary import RunSummary
from dropcurve.results.series import Series
from dropcurve.runs import cache as caches
from dropcurve.runs import job, record
from dropcurve.runs.job import Job
from dropcurve.runs.record import RunRecord
from dropcurve.runs.store import RunStore


@pytest.fixture
def scenario(folder: Path) -> dc.Scenario:
    return dc.Scenario.load("short.toml")


@pytest.fixture
def store(folder: Path) -> Iterator[RunStore]:
    with RunStore(folder / "cache") as opened:
        yield opened


@cache
def whole() -> dict[str, Any]:
    """The summary of a run."""
    short = dc.Scenario.load("mm1").edit([("run.duration", "2 s"), ("run.warmup", "1 s")])
    (run,) = dc.run(short, replications=1, cache="off").baseline.runs
    return dict(run)


def record_of(scenario: dc.Scenario, seed: int, **more: Any) -> RunRecord:
    """A record with a few keys of its own."""
    own = {
        "scenario": scenario.hash,
        "seed": seed,
        "events": 7,
        "derived": {"sync": 0.5, "transient_s": None},
    }
    return RunRecord(cast(RunSummary, {**whole(), **own, **more}))


def test_a_record_is_found_as_it_was_added(store: RunStore, scenario: dc.Scenario) -> None:
    cwnd = np.array([0.0, 1.0]), np.array([2.0, np.nan])
    series = Series({("empty", "0"): (np.empty(0), np.empty(0)), ("cwnd", "0"): cwnd, ("cwnd", "1"): cwnd})
    whole = replace(record_of(scenario, 1, title="größe"), series=series)
    store.add(Job(scenario, 1, "series"), whole)
    store.flush()
    loaded = store.find(Job(scenario, 1, "series"))
    assert loaded is not None and loaded.series is not None
    assert loaded.summary == whole.summary
    assert list(loaded.series.curves) == list(series.curves)
    for key in series:
        for one, other in zip(loaded.series.select(*key), series.select(*key), strict=True):
            assert np.array_equal(one, other, equal_nan=True)


def test_a_run_stored_with_less_than_is_asked_is_not_found_and_more_replaces_it(
    store: RunStore, scenario: dc.Scenario
) -> None:
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1, events=1))
    store.flush()
    assert store.find(Job(scenario, 1, "summary")) is not None
    assert store.find(Job(scenario, 1, "derived")) is None
    store.add(Job(scenario, 1, "derived"), record_of(scenario, 1, events=2))
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1, events=3))
    store.flush()
    loaded = store.find(Job(scenario, 1, "derived"))
    assert loaded is not None and loaded.summary["events"] == 2, "less does not replace more"
    plain = store.find(Job(scenario, 1, "summary"))
    assert plain is not None
    assert plain.summary["derived"] == {"sync": None, "transient_s": None}, "as if it had not been sampled"


def test_another_seed_scenario_or_build_is_another_run(
    store: RunStore, scenario: dc.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1))
    store.flush()
    assert store.find(Job(scenario, 2, "summary")) is None
    assert store.find(Job(scenario.set("queue.max_p", 0.3), 1, "summary")) is None
    monkeypatch.setattr(job, "build", lambda: "00000000")
    assert store.find(Job(scenario, 1, "summary")) is None


@pytest.mark.parametrize("column", ["summary", "checksum"])
def test_a_damaged_record_counts_as_missing(store: RunStore, scenario: dc.Scenario, column: str) -> None:
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1))
    store.flush()
    with closing(sqlite3.connect(store.path)) as other:
        value = b"no summary" if column == "summary" else 5
        other.execute(f"UPDATE runs SET {column} = ?", (value,))
        other.commit()
    assert store.find(Job(scenario, 1, "summary")) is None
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1))
    store.flush()
    assert store.find(Job(scenario, 1, "summary")) is not None, "a run that is made again replaces it"


@pytest.mark.parametrize(
    "more", [{"events": "many"}, {"flows": [{}]}, {"links": {"a": 1}}, {"version": None}]
)
def test_a_record_of_other_types_counts_as_missing(
    store: RunStore, scenario: dc.Scenario, more: dict[str, Any]
) -> None:
    store.add(Job(scenario, 1, "summary"), record_of(scenario, 1))
    store.add(Job(scenario, 2, "summary"), record_of(scenario, 2, **more))
    store.flush()
    assert store.find(Job(scenario, 1, "summary")) is not None
    assert store.find(Job(scenario, 2, "summary")) is None


def test_a_record_of_another_run_counts_as_missing(scenario: dc.Scenario) -> None:
    text = record.serialise(record_of(scenario, 2))
    blob = record.compress(text, text)
    assert record.parse(blob, text, (scenario.hash, 2)) == record_of(scenario, 2).summary
    assert record.parse(blob, text, (scenario.hash, 1)) is None
    assert record.parse(blob, b"another dictionary", (scenario.hash, 2)) is None


def test_the_runs_that_were_not_used_for_longest_are_removed(folder: Path, scenario: dc.Scenario) -> None:
    noise = np.random.default_rng(1)
    with RunStore(folder / "cache", size=400_000) as store:
        for seed in range(1, 101):
            noisy = record_of(scenario, seed, text=noise.bytes(5_000).hex())
            store.add(Job(scenario, seed, "summary"), noisy)
        store.flush()
        with closing(sqlite3.connect(store.path)) as other:
            for seed in range(1, 101):
                age = seed if seed > 1 else 1000
                other.execute(
                    "UPDATE runs SET used = ? WHERE address = ?", (age, Job(scenario, seed).address)
                )
            other.commit()
        assert store.used_bytes() > 400_000
    with RunStore(folder / "cache") as store:
        left = [seed for seed in range(1, 101) if store.find(Job(scenario, seed, "summary")) is not None]
        assert store.used_bytes() <= 320_000
        assert left[0] == 1 and left[1:] == list(range(left[1], 101)), "the oldest go first"
        assert 20 < len(left) < 80
    assert store.path.stat().st_size < 400_000, "the room is given back"


class Failing:
    """A connection whose first statement of a kind fails, as on a full disk."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self.connection, self.statement = connection, statement

    def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        """Executes the statement, or fails."""
        self._fail(statement)
        return self.connection.execute(statement, *arguments)

    def executemany(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        """Executes the statement for each row, or fails."""
        self._fail(statement)
        return self.connection.executemany(statement, *arguments)

    def _fail(self, statement: str) -> None:
        if self.statement and statement.strip().startswith(self.statement):
            self.statement = ""
            raise sqlite3.OperationalError("database or disk is full")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT INTO runs", "COMMIT"])
def test_runs_that_a_full_disk_refused_are_stored_by_the_next_write(
    folder: Path, scenario: dc.Scenario, statement: str
) -> None:
    jobs = [Job(scenario, seed) for seed in (1, 2)]
    with RunStore(folder / "full") as full:
        full.add(jobs[0], record_of(scenario, 1))
        full.flush()
        full._written = time.monotonic()
        full.add(jobs[1], record_of(scenario, 2))
        assert full._waiting
        full._open = cast(sqlite3.Connection, Failing(full._connection, statement))
        with pytest.raises(ResultError, match="disk is full"):
            full.flush()
        assert full.find(jobs[0]) and not full.find(jobs[1])
        full.flush()
    with RunStore(folder / "full") as again:
        assert all(again.find(one) for one in jobs)


def add_many(folder: Path, text: str, first: int) -> None:
    """Work of one of several processes."""
    scenario = dc.Scenario.parse(text)
    with RunStore(folder) as store:
        for seed in range(first, first + 200):
            store.add(Job(scenario, seed, "summary"), record_of(scenario, seed))
            if seed % 10 == 0:
                store.flush()


def test_processes_write_at_once(folder: Path, scenario: dc.Scenario) -> None:
    spawn = multiprocessing.get_context("spawn")
    text = scenario.to_toml()
    processes = [
        spawn.Process(target=add_many, args=(folder / "cache", text, first)) for first in (1, 101, 1001)
    ]
    for one in processes:
        one.start()
    for one in processes:
        one.join()
    assert [one.exitcode for one in processes] == [0, 0, 0]
    with RunStore(folder / "cache") as store:
        assert store.count() == 500
        for seed in (*range(1, 301), *range(1001, 1201)):
            assert store.find(Job(scenario, seed, "summary")) == record_of(scenario, seed).cut("summary")


def test_a_file_that_is_no_store_is_refused_in_one_line(
    folder: Path, dropcurve: Any, scenario: dc.Scenario
) -> None:
    (folder / "cache").mkdir()
    (folder / "cache" / "runs-1.sqlite").write_text("nonsense " * 100, encoding="utf-8")
    with pytest.raises(ResultError, match=r"runs-1\.sqlite: cannot be used: .*; move it away"):
        dc.run(scenario, replications=1, cache="cache")
    answer = dropcurve("run", "short.toml", "--cache", "cache")
    assert answer.code == 2 and len(answer.errors) == 1


def test_the_place_is_an_option_a_variable_or_the_cache_folder_of_the_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "home"))
    assert caches.folder() is None, "the variable says off"
    monkeypatch.delenv("DROPCURVE_CACHE")
    assert caches.folder() == folder / "home" / "dropcurve"
    monkeypatch.setenv("DROPCURVE_CACHE", str(folder / "named"))
    assert caches.folder() == folder / "named"
    assert caches.folder("given") == Path("given")
    assert caches.folder("off") is None
    (folder / "file").write_text("", encoding="utf-8")
    monkeypatch.delenv("DROPCURVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
    assert caches.folder() is None, "nobody asked for it, so it may be missing"
    with pytest.raises(ResultError, match="file/runs: cannot be written"), caches.store(folder / "file/runs"):
        pass


def test_its_size_is_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert caches.size() == 2_000_000_000
    monkeypatch.setenv("DROPCURVE_CACHE_SIZE", "500 MB")
    assert caches.size() == 500_000_000
    monkeypatch.setenv("DROPCURVE_CACHE_SIZE", "much")
    with pytest.raises(UsageError, match="DROPCURVE_CACHE_SIZE"):
        caches.size()
