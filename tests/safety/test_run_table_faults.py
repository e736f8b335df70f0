"""The table of a sweep on a disk that fails: after any failed write, sync, rename or removal, and after any kill, it
opens, and has every run that was stored, unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropcurve.errors import ResultError
from dropcurve.runs.sweeping.run_table import RunTable, Writer
from tests.safety.test_store_faults import FULL, Cut

parquet = pytest.importorskip("pyarrow.parquet")

#: What a session does: stores runs, makes a file of them, merges files, or is killed.
STEPS = st.sampled_from(["store", "store", "store", "flush", "merge", "kill"])


class Disk:
    """A disk whose step ``last`` fails, and with ``lasting`` all after it."""

    def __init__(self, last: int, lasting: bool) -> None:
        self.last, self.lasting, self.count = last, lasting, 0
        self.synced: set[int] = set()

    def step(self) -> bool:
        """Whether this step fails."""
        self.count += 1
        return self.count == self.last or (self.lasting and self.count > self.last)

    def fails(self, path: object) -> None:
        """Raises the error of a full disk if this step fails."""
        if self.step():
            raise OSError(FULL.errno, FULL.strerror, str(path))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Everything in the block uses this disk."""
        opened, sync, rename, remove = Path.open, os.fsync, Path.replace, Path.unlink
        written = parquet.write_table

        def open_(path: Path, mode: str = "r", *args: Any, **more: Any) -> Any:
            file = opened(path, mode, *args, **more)
            return Cut(file, self.step) if "w" in mode and "b" in mode else file

        def fsync(file: int) -> None:
            self.fails(file)
            sync(file)
            self.synced.add(os.fstat(file).st_ino)

        def replace(path: Path, target: Any) -> Any:
            self.fails(target)
            # A file that is renamed before it is on the disk is empty after a power failure.
            assert path.suffix == ".jsonl" or path.stat().st_ino in self.synced
            return rename(path, target)

        def unlink(path: Path, missing_ok: bool = False) -> None:
            # Probes and drafts are removed as well as can be.
            if not path.name.startswith("."):
                self.fails(path)
            remove(path, missing_ok)

        def write_table(table: Any, where: Any, **options: Any) -> None:
            written(table, where, **options)
            if self.step():
                os.truncate(where, Path(where).stat().st_size // 2)
                raise OSError(FULL.errno, FULL.strerror, str(where))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "open", open_)
            patch.setattr(Path, "replace", replace)
            patch.setattr(Path, "unlink", unlink)
            patch.setattr(os, "fsync", fsync)
            patch.setattr(parquet, "write_table", write_table)
            yield


def row(number: int) -> dict[str, Any]:
    """The row of a run; not all have the same columns."""
    more = {"loss": number / 7} if number % 3 else {"extra": f"é{number}"}
    return {"scenario": f"{number % 5:064x}", "seed": number, "build": "build", "value": 0.1 * number, **more}


def session(folder: Path, steps: list[str], stored: dict[int, dict[str, Any]], tried: set[int]) -> None:
    """A process that works on the table; the runs whose rows are stored go into ``stored``."""
    table = RunTable(folder, "build", cache="off")
    writer = Writer(table, "work")
    try:
        table.open()
        for step in steps:
            if step == "store":
                number = len(tried)
                tried.add(number)
                assert writer.lock([(row(number)["scenario"], number)])
                writer.add(row(number))
                stored[number] = row(number)
            elif step == "flush":
                writer.flush()
            elif step == "merge":
                table.compact()
            else:
                return
        writer.flush()
    finally:
        # The end of a process releases its locks and closes its files, whatever state they are in.
        if writer._file is not None:
            with suppress(OSError):
                writer._file.close()
        table.locks.release(writer._locked)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(STEPS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.integers(1, 40),
    st.booleans(),
)
def test_a_table_has_every_run_that_was_stored(sessions: list[list[str]], last: int, lasting: bool) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place) / "runs"
        folder.mkdir()
        stored: dict[int, dict[str, Any]] = {}
        tried: set[int] = set()
        disk = Disk(last, lasting)
        with disk.used():
            for steps in sessions:
                with suppress(ResultError, OSError):
                    session(folder, steps, stored, tried)
        table = RunTable(folder, "build", cache="off")
        table.open()
        by_seed = {one["seed"]: one for one in table.rows()}
        assert stored.items() <= by_seed.items()
        assert all(by_seed[number] == row(number) for number in by_seed) and set(by_seed) <= tried
        table.compact()
        assert {one["seed"]: one for one in table.rows()} == by_seed
        kept = {path.name.split("-")[0] for path in folder.iterdir()} - {"runs.lock"}
        assert kept <= {"part"} and all(path.suffix in (".parquet", ".lock") for path in folder.iterdir())
