"""Each write of a store may fail, or be cut where the disk is full: the next command completes the work, with the same
rows, none lost and none twice."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import DropcurveError
from dropcurve.results import integrity

VARY = {"queue.max_p": [0.02, 0.1, 0.3]}
FULL = OSError(28, "No space left on device")


class Cut:
    """A file of which a write may fail half way."""

    def __init__(self, file: Any, step: Callable[[], bool]) -> None:
        self.file, self.step = file, step

    def write(self, content: bytes) -> int:
        """Writes all, or half of it and fails."""
        if self.step():
            self.file.write(content[: len(content) // 2])
            self.file.flush()
            raise OSError(FULL.errno, FULL.strerror, self.file.name)
        return int(self.file.write(content))

    def __enter__(self) -> Cut:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@contextmanager
def disk(last: int) -> Iterator[list[int]]:
    """A disk that takes ``last`` steps (writes, syncs, renames) and then fails one. Yields the count of steps."""
    count = [0]
    opened, sync, rename = Path.open, os.fsync, Path.replace

    def step() -> bool:
        count[0] += 1
        return count[0] == last + 1

    def fails(path: object) -> None:
        if step():
            raise OSError(FULL.errno, FULL.strerror, str(path))

    def open_(path: Path, mode: str = "r", *args: Any, **more: Any) -> Any:
        file = opened(path, mode, *args, **more)
        return Cut(file, step) if "w" in mode and "b" in mode else file

    def fsync(file: int) -> None:
        fails(file)
        sync(file)

    def replace(path: Path, target: Any) -> Any:
        fails(target)
        return rename(path, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", open_)
        patch.setattr(os, "fsync", fsync)
        patch.setattr(Path, "replace", replace)
        yield count


def sweep(out: str) -> dc.Sweep:
    """The work that is interrupted."""
    return dc.sweep("short.toml", VARY, replications=2, jobs=1, out=out)


def rows(table: dc.Sweep) -> list[Any]:
    """The outcome."""
    return table.query("SELECT queue_max_p, seed, loss, sojourn_ms_p95 FROM runs ORDER BY ALL").fetchall()


def faults(folder: Path, chosen: Callable[[int], list[int]]) -> None:
    """Fails one step after another, each time in a folder of its own."""
    with disk(10**9) as count:
        wanted = rows(sweep("whole"))
    assert len(wanted) == 6 and count[0] > 8
    failed = 0
    for last in chosen(count[0]):
        try:
            with disk(last):
                sweep(f"kept{last}")
        except (OSError, DropcurveError) as error:
            failed += 1
            assert "No space left on device" in str(error) and "kept" in str(error), error
        assert rows(sweep(f"kept{last}")) == wanted, last
        left = [path.name for path in (folder / f"kept{last}").rglob("*") if path.suffix in (".part", ".tmp")]
        assert not left, (last, left)
        assert not integrity.check(folder / f"kept{last}").faults
    assert failed


def test_some_steps_of_a_sweep_may_fail(folder: Path) -> None:
    faults(folder, lambda steps: sorted(random.Random(26).sample(range(steps), 6)))


@pytest.mark.slow
def test_each_step_of_a_sweep_may_fail(folder: Path) -> None:
    faults(folder, lambda steps: list(range(steps)))
