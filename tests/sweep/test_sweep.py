"""Sweeps: the runs made, the runs stored, queries over them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve import _core, metrics
from dropcurve.errors import UsageError
from dropcurve.runs.job import build
from dropcurve.runs.sweeping import design, run_table
from dropcurve.runs.sweeping.rows import KEY, UNSEEN, row
from dropcurve.runs.sweeping.run_table import RunTable

VARY = {"queue.max_p": [0.02, 0.1], "dumbbell.delay": ["5 ms", "20 ms"]}


def rows_on_disk(folder: Path) -> list[tuple[object, ...]]:
    """The key of every row of every file, twice if it is there twice."""
    import pyarrow.parquet as parquet

    tables = [
        parquet.read_table(path, columns=list(KEY)).to_pylist() for path in folder.glob("runs/part-*.parquet")
    ]
    return [tuple(one.values()) for table in tables for one in table]


def test_a_grid_has_every_combination_with_the_numbers_of_single_runs(folder: Path) -> None:
    table = dc.sweep("short.toml", VARY, replications=2, out="kept")
    rows = table.query(
        "select queue_max_p, dumbbell_delay_ms, seed, loss, sojourn_ms_p95 from runs"
    ).fetchall()
    assert [row[:3] for row in rows] == [
        (p, delay, seed) for p in (0.02, 0.1) for delay in (5.0, 20.0) for seed in (1, 2)
    ]
    edited = dc.Scenario.load("short.toml").edit([("queue.max_p", 0.1), ("dumbbell.delay", "5 ms")])
    one = dc.run(edited, replications=2)
    expected = [(one.baseline.values("loss")[i], one.baseline.values("sojourn_ms_p95")[i]) for i in range(2)]
    assert [row[3:] for row in rows if row[:2] == (0.1, 5.0)] == expected


def test_a_row_has_what_the_metrics_say(folder: Path) -> None:
    (run,) = dc.run("short.toml", replications=1).baseline.runs
    columns = row(run, build="b")
    for name, one in metrics.METRICS.items():
        if one.per != "class" and name != "sync":
            assert columns.get(name) == metrics.value(run, name)
    assert columns["goodput_bps[voice]"] == metrics.value(run, "goodput_bps", scope="voice")
    assert columns["friendliness[voice]"] == metrics.value(run, "friendliness", scope="voice")


def test_no_metric_looks_at_what_a_row_is_made_without(folder: Path) -> None:
    (run,) = _core.run_many([(dc.Scenario.load("short.toml").core, 1, "summary")], 1)
    whole, seen = run.summary(), run.summary(UNSEEN)
    assert row(seen, build="b") == row(whole, build="b")
    del whole["conservation"]
    for link in whole["links"].values():
        for key in ("drop_curve", "sojourn_ms_histogram", "dropped_ms", "left_ms"):
            del link[key]
    assert seen == whole


# The time that drawing takes depends on the machine.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(), st.floats(allow_nan=False) | st.integers(-(2**63), 2**63 - 1) | st.text()))
def test_a_line_of_a_journal_reads_as_what_was_written(row: dict[str, Any]) -> None:
    line = _core.json_line(row)
    assert line.index(b"\n") == len(line) - 1
    assert [(*one, type(one[1])) for one in json.loads(line).items()] == [
        (*one, type(one[1])) for one in row.items()
    ]


def test_a_file_of_rows_has_their_values_with_gaps_and_infinities(folder: Path) -> None:
    table = RunTable(folder, "b")
    known = {"scenario": "2026-01-01", "seed": 2**40, "build": "b"}
    rows = [known | {"loss": 1, "jain": 0.1}, known | {"seed": 2, "loss": 0.5, "mos": float("inf")}]
    table._write(folder / "part-a-b-c.parquet", rows)
    assert list(table.rows()) == rows


def test_nothing_is_run_twice(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    dc.sweep("short.toml", VARY, replications=1, out="kept")
    table = dc.sweep(
        "short.toml", {**VARY, "queue.max_p": [0.02, 0.1, 0.5]}, replications=2, out="kept",
        progress=lambda done, needed: seen.append((done, needed)),
    )  # fmt: skip
    assert seen[0] == (4, 12) and seen[-1] == (12, 12)
    on_disk = rows_on_disk(folder / "kept")
    assert len(on_disk) == len(set(on_disk)) == 12
    assert table.query("select count(*) from runs").fetchall() == [(12,)]
    # A smaller question to the same store sees only its own.
    smaller = dc.sweep(
        "short.toml", {"queue.max_p": [0.02, 0.1]}, replications=1, out="other", store="kept/runs"
    )
    assert smaller.query("select count(*) from runs").fetchall() == [(2,)]


def test_an_interruption_loses_no_finished_run(folder: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dc.sweep("short.toml", VARY, replications=2, out="kept", jobs=1, progress=stop)
    before = rows_on_disk(folder / "kept")
    assert len(before) == 3
    first: list[int] = []
    dc.sweep("short.toml", VARY, replications=2, out="kept", progress=lambda done, _: first.append(done))
    assert first[0] == 3
    after = rows_on_disk(folder / "kept")
    assert len(after) == len(set(after)) == 8 and set(before) < set(after)


def test_a_journal_of_a_killed_process_is_taken_in(folder: Path) -> None:
    store = RunTable(folder / "runs", build())
    store.open()
    kept = {"scenario": "a", "seed": 1, "build": build(), "loss[größe]": 2.5}
    whole = _core.json_line(kept)
    cut = whole[: whole.index("ö".encode()) + 1]
    (store.folder / "journal-s-x-1.jsonl").write_bytes(whole + cut)
    assert store.read_new({("a", 1), ("b", 1)}, "y") == {("a", 1): kept}
    store.open()
    assert list(store.rows()) == [kept] and not list(store.folder.glob("journal*"))
    assert not list(RunTable(store.folder, "another build").rows())


def test_files_made_without_pyarrow_are_read_and_taken_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"scenario": "a", "seed": seed, "build": "b", "utilisation": seed / 2} for seed in (1, 2)]
    with monkeypatch.context() as without:
        without.setattr(run_table, "installed", lambda _: False)
        store = RunTable(folder / "runs", "b")
        store.open()
        with store.writer() as writer:
            for one in rows:
                assert writer.lock([(one["scenario"], one["seed"])])
                writer.add(one)
        assert [path.suffix for path in store.parts()] == [".jsonl"]
        assert list(RunTable(store.folder, "b").rows()) == rows
        with RunTable(store.folder, "b").writer() as other:
            assert list(other.read_new([("a", 2)]).values()) == rows[1:]
    later = RunTable(store.folder, "b")
    assert list(later.rows()) == rows
    later.open()
    assert [path.suffix for path in later.parts()] == [".parquet"]
    assert list(later.rows()) == rows


def test_compaction_keeps_every_run_once(folder: Path) -> None:
    store = RunTable(folder / "runs", "b")
    store.open()
    # A metric may be whole in one file, a fraction in another, and missing in a third.
    for numbers in ((1, 2), (2, 3), (4,)):
        with store.writer() as writer:
            for number in numbers:
                value = 1 if number == 1 else 0.5
                writer.add(
                    {"scenario": "a", "seed": number, "build": "b", "loss": value, f"metric{number}": 1.0}
                )
    before = sorted(store.rows(), key=lambda one: int(one["seed"]))
    store.compact()
    assert sorted(store.rows(), key=lambda one: int(one["seed"])) == before and len(before) == 4
    assert len(store.files()) == 1


@pytest.mark.parametrize("method", ["sobol", "latin", "random"])
def test_a_sample_covers_its_ranges_and_is_the_same_again(folder: Path, method: str) -> None:
    base = dc.Scenario.load("short.toml")
    vary = {"queue.max_p": "0.01..0.5 log", "flows.tcp.count": "2..32"}
    points = design.points(base, vary, samples=16, method=method, seed=3)
    again = design.points(base, vary, samples=16, method=method, seed=3)
    assert [point.setting for point in points] == [point.setting for point in again]
    shares = [float(point.setting["queue.max_p"]) for point in points]
    assert all(0.01 <= share <= 0.5 for share in shares)
    if method != "random":
        # One in each sixteenth of the logarithm.
        assert sum(share < 0.0707 for share in shares) == 8
    assert all(isinstance(point.setting["flows.tcp.count"], int) for point in points)


def test_other_libraries_get_the_same_numbers(folder: Path) -> None:
    table = dc.sweep(
        "short.toml", {"flows.tcp.count": [2, 3]}, queues=["red", "droptail"], replications=2, out="kept"
    )
    frame, other, array = table.to_pandas(), table.to_polars(), table.to_xarray()
    assert list(frame["loss"]) == other["loss"].to_list()
    for _, one in frame.iterrows():
        place = {name: one[name] for name in ("queue", "flows_tcp_count", "seed")}
        assert float(array["loss"].sel(place)) == one["loss"]
    assert array["loss"].dims == ("queue", "flows_tcp_count", "seed") and array["loss"].attrs["units"] == "%"
    sample = dc.sweep(
        "short.toml", {"queue.max_p": "0.01..0.5"}, points=4, replications=1, out="sample"
    ).to_xarray()
    assert sample["loss"].dims == ("point", "seed") and sample["queue_max_p"].dims == ("point",)


def test_invalid_sweeps_are_refused(folder: Path, dropcurve: Callable[..., Any]) -> None:
    base = dc.Scenario.load("short.toml")
    for call, rule in (
        (lambda: design.points(base, {}), "nothing to sweep"),
        (lambda: design.points(base, {"queue.max_p": [0.1]}, samples=5), "drawn from ranges"),
        (lambda: design.points(base, {"queue.max_p": "0.1..0.2"}, method="best"), "must be one of sobol"),
        (lambda: design.points(base, {"queue.max_p": "high..low"}), "must be a list of values, or a range"),
        (lambda: dc.sweep(base, VARY, replications=0, out="x"), "replications = 0"),
    ):
        with pytest.raises(UsageError, match=rule):
            call()


def test_the_command_line_runs_reports_and_answers(folder: Path, dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve(
        "sweep", "short.toml", "--vary", "queue.max_p=0.02,0.1", "--replications", "2", "--out", "kept",
        "--metric", "loss",
    )  # fmt: skip
    assert answer.code == 0 and "queue_max_p" in answer.out and "2 points, 2 replications each" in answer.out
    assert (
        "Repeat: dropcurve sweep short.toml --vary queue.max_p=0.02,0.1 --seed 1 --replications 2"
        in answer.err
    )
    asked = dropcurve("query", "kept", "select max(seed) as most from runs", "--json")
    assert json.loads(asked.out) == [{"most": 2}]
    for arguments, message in (
        (("query", "kept", "select nonsense from runs"), "SQL: "),
        (("query", "elsewhere"), "holds no sweep"),
        (("sweep", "short.toml"), "nothing to sweep"),
        (
            ("sweep", "short.toml", "--vary", "queue.max_p=0.1,0.2", "--cluster", "nowhere"),
            "address of a Dask scheduler",
        ),
    ):
        failed = dropcurve(*arguments)
        assert failed.code == 2 and message in failed.err and len(failed.errors) == 1
