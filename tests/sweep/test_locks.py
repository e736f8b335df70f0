"""No run is made twice, even if several processes ask for it and one dies while making it.

The other session is a process that obeys one line at a time, so that nothing here depends on time.
"""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.errors import ResultError
from dropcurve.runs import locks
from dropcurve.runs.job import build
from dropcurve.runs.locks import Locks
from dropcurve.runs.sweeping import batches, run_files
from dropcurve.runs.sweeping.rows import KEY
from dropcurve.runs.sweeping.run_table import RunTable

VARY = {"queue.max_p": [0.02, 0.1]}

OTHER = """if True:
    import json, sys
    from pathlib import Path
    from dropcurve.runs.sweeping.run_table import RunTable
    for line in sys.stdin:
        verb, *values = json.loads(line)
        if verb == "lock":
            folder, build, keys = values
            writer = RunTable(Path(folder), build).writer(work="other")
            answer = len(writer.lock([tuple(key) for key in keys]))
        elif verb == "add":
            answer = writer.add(values[0])
        else:
            answer = writer.flush()
        print(json.dumps(answer), flush=True)
"""


class Other:
    """Another session's process; it can die."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def does(self, *words: object) -> object:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def dies(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def other() -> Iterator[Other]:
    one = Other()
    try:
        yield one
    finally:
        one.dies()
        for pipe in (one.process.stdin, one.process.stdout):
            if pipe is not None:
                pipe.close()


def on_disk(folder: Path) -> list[tuple[object, ...]]:
    import pyarrow.parquet as parquet

    return [
        tuple(row[column] for column in KEY)
        for path in folder.glob("part-*.parquet")
        for row in parquet.read_table(path).to_pylist()
    ]


def of_another(folder: Path) -> tuple[RunTable, list[tuple[str, int]], dict[str, object]]:
    """A store, the runs that another session is going to lock, and the result that it reports for the second one."""
    store = RunTable(folder / "runs", build())
    store.open()
    scenario = dc.Scenario.load("short.toml").set("queue.max_p", 0.1)
    row = {
        "scenario": scenario.hash,
        "seed": 2,
        "build": build(),
        "version": "x",
        "stopped_by": "duration",
        "loss": -1.0,
    }
    return store, [(scenario.hash, 1), (scenario.hash, 2)], row


@pytest.mark.parametrize("written", ["as a file", "in a journal"])
def test_a_run_that_another_session_is_making_is_awaited_and_taken_over(folder: Path, written: str) -> None:
    store, keys, row = of_another(folder)
    counts: list[int] = []
    with other() as session:
        assert session.does("lock", str(store.folder), build(), keys) == 2

        def on_progress(done: int, _: int) -> None:
            counts.append(done)
            if done == 2:  # all that no other session has locked
                session.does("add", row)
                session.does("flush") if written == "as a file" else session.dies()

        table = dc.sweep(
            "short.toml", VARY, replications=2, out="kept", store="runs", jobs=1, progress=on_progress
        )
    assert counts == [0, 1, 2, 3, 4]
    rows = table.query("select seed, loss from runs where queue_max_p = 0.1 order by seed").fetchall()
    assert rows[1] == (2, -1.0), "the other's row"
    assert rows[0][1] >= 0.0, "locked, but never made by the other"
    assert len(on_disk(store.folder)) == len(set(on_disk(store.folder))) == 4


def test_a_batch_on_a_worker_awaits_what_is_left_of_a_dead_client(folder: Path) -> None:
    """The next client looked before the workers of the one that died had finished."""
    store, keys, row = of_another(folder)
    text = dc.Scenario.load("short.toml").set("queue.max_p", 0.1).to_toml()
    batch = batches.Batch(
        "name", str(store.folder), build(), "next", (), ((text, 2, "summary"), (text, 3, "summary"))
    )
    with other() as session, pytest.MonkeyPatch.context() as patch:
        assert session.does("lock", str(store.folder), build(), keys) == 2
        waits: list[float] = []

        def pause(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                session.does("add", row)
                session.does("flush")

        patch.setattr(locks.time, "sleep", pause)
        rows = batches.work(batch).rows
        assert len(waits) == 3
    assert [one["seed"] for one in rows] == [3, 2], "what is free first"
    assert rows[1] == row
    assert len(on_disk(store.folder)) == 2


def test_a_batch_given_again_begins_with_what_was_made_of_it(folder: Path) -> None:
    store = RunTable(folder / "runs", build())
    store.open()
    text = dc.Scenario.load("short.toml").to_toml()
    batch = batches.Batch(
        "name",
        str(store.folder),
        build(),
        store.session,
        (),
        tuple((text, seed, "summary") for seed in (1, 2)),
    )
    rows = batches.work(batch).rows
    assert [row["seed"] for row in rows] == [1, 2]
    marked = {**rows[0], "loss": -1.0}
    for path in store.files():
        path.unlink()
    (store.folder / f"journal-{store.session}-name-dead.jsonl").write_text(
        f"{json.dumps(marked)}\n", encoding="utf-8"
    )
    again = batches.work(batch).rows
    assert again == [marked, rows[1]]


def test_only_files_of_others_since_the_look_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunTable(folder / "runs", "b")
    store.open()

    def write(session: str, work: str, seed: int) -> None:
        with RunTable(store.folder, "b", session).writer(work=work) as writer:
            writer.lock([("a", seed)])
            writer.add({"scenario": "a", "seed": seed, "build": "b", "loss": 1.0})

    write("before", "x", 1)
    assert store.keys() == {("a", 1)}
    write(store.session, "done", 2)
    write(store.session, "again", 3)
    write("other", "x", 4)
    read: list[str] = []
    table = run_files.read_table
    monkeypatch.setattr(
        run_files,
        "read_table",
        lambda path, *, columns: read.append(path.name) or table(path, columns=columns),
    )
    assert set(store.read_new({("a", seed) for seed in range(9)}, "again")) == {("a", 3), ("a", 4)}
    assert {name.split("-")[1] for name in read} == {"other", store.session}
    assert not any("-done-" in name or "-before-" in name for name in read)


def test_a_writer_does_not_read_the_journal_it_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunTable(folder / "runs", "b")
    store.open()
    read: list[str] = []
    journal = run_files.journal_rows
    monkeypatch.setattr(run_files, "journal_rows", lambda path: read.append(path.name) or journal(path))
    with store.writer(work="x") as writer, RunTable(store.folder, "b", "other").writer(work="x") as other:
        for seed, one in ((1, writer), (2, other)):
            one.lock([("a", seed)])
            one.add({"scenario": "a", "seed": seed, "build": "b", "loss": 1.0})
        assert set(writer.read_new({("a", seed) for seed in range(9)})) == {("a", 2)}
        assert [name.split("-")[1] for name in read] == ["other"]


def test_the_journal_of_a_process_that_lives_is_left_alone(folder: Path) -> None:
    store, keys, row = of_another(folder)
    with other() as session:
        session.does("lock", str(store.folder), build(), keys)
        session.does("add", row)
        store.open()
        assert store.keys() == set() and len(list(store.folder.glob("journal-*"))) == 1
        session.dies()
        store.open()
    assert store.keys() == {keys[1]} and not list(store.folder.glob("journal-*"))


def test_a_lock_excludes_other_threads_and_processes_and_ends_with_its_owner(folder: Path) -> None:
    mine = Locks(folder)
    assert mine.try_acquire(["a"]) and not mine.try_acquire(["a"]) and mine.try_acquire(["b"])
    mine.release(["a"])
    assert mine.try_acquire(["a"])
    store = RunTable(folder, "b")
    with other() as session:
        assert session.does("lock", str(folder), "b", [["s", 1], ["s", 2]]) == 2
        writer = store.writer()
        assert writer.lock([("s", 1), ("s", 3)]) == [("s", 3)]
        session.dies()
        assert writer.lock([("s", 1), ("s", 2)]) == [("s", 1), ("s", 2)]
        writer.flush()
    # A folder that was removed and made again has no locks.
    (folder / locks.FILE).unlink()
    assert mine.try_acquire(["a"])


def test_locks_are_released_if_acquiring_them_is_interrupted(folder: Path) -> None:
    def names() -> Iterator[str]:
        yield "one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Locks(folder).try_acquire(names())
    assert Locks(folder).try_acquire(["one", "one", "two"]) == ["one", "two"]


def test_a_file_system_without_locks_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locks.fcntl, "lockf", none)
    with pytest.raises(ResultError, match="no record locks"):
        dc.sweep("short.toml", VARY, replications=1, out="kept")
