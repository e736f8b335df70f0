"""Runs made on threads of this process, each by one session, and written to the table of a sweep."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import dropcurve._core as _core

from ...results.series import Series
from .. import derived, record
from ..executor import Executor, Stored
from ..job import Job, Keep, build
from ..record import RunRecord
from ..store import RunStore
from .rows import UNSEEN, Key, Row, row
from .run_table import Writer

#: Called with each row as soon as it is available.
Take = Callable[[Row], None]

#: Jobs handed to the threads at once: many enough that none waits for long, few enough to fit in memory.
CHUNK = 64


@dataclass
class MadeRuns:
    """Runs that a call of `make` made itself, and the time they took."""

    runs: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class RowView:
    """The view of a run as a row. Numbers derived from samples are not in it, so that a row does not depend on the
    stored samples. ``records``, if it is a list, gets the text of every run that is made, compressed."""

    build: str
    records: list[tuple[Key, bytes]] | None = None

    def executed(self, run: _core.Run, keep: Keep) -> tuple[Row, Callable[[], Stored]]:
        """The row of a run, and the text and series of its record."""
        summary = run.summary(UNSEEN)

        def stored() -> Stored:
            series = Series.from_curves(run.series()) if keep == "series" else None
            return record.text_of(run, derived.numbers(run, summary)), series

        if self.records is not None:
            self.records.append(((summary["scenario"], summary["seed"]), zlib.compress(stored()[0], 1)))
        return row(summary, build=self.build), stored

    def stored(self, record: RunRecord) -> Row:
        """The row of a stored run."""
        summary = record.summary.copy()
        summary.pop("derived", None)
        return row(summary, build=self.build)

    def cut(self, row: Row, keep: Keep) -> Row:
        """The row as it is."""
        return row


def make(
    jobs: Sequence[Job],
    writer: Writer,
    *,
    threads: int,
    take: Take,
    store: RunStore | None = None,
    records: list[tuple[Key, bytes]] | None = None,
    watch: Callable[[], None] | None = None,
) -> MadeRuns:
    """Executes the missing runs on threads of this process, and calls ``take`` with every row, read or made.

    Each run is locked first. Runs that another session has locked come last: this session waits for them and reads them
    from the table of the other, or makes them if the other died. With a ``store`` the runs are stored there as well;
    ``records`` collects them where the store is out of reach. ``watch`` may abandon the runs, see `Executor`.
    """
    outcome = MadeRuns()
    executor, view = Executor(threads, watch=watch), RowView(build(), records)

    def add(_: int, row: Row) -> None:
        writer.add(row)
        take(row)

    left = list(jobs)
    while left:
        batch, left = left[: CHUNK * threads], left[CHUNK * threads :]
        mine = set(writer.lock([job.key for job in batch]))
        elsewhere = writer.read_new(mine)
        for known in elsewhere.values():
            take(known)
        own = [job for job in batch if job.key in mine and job.key not in elsewhere]
        began = time.perf_counter()
        executor.execute(own, store, view=view, take=add)
        outcome.runs += len(own)
        outcome.seconds += time.perf_counter() - began
        writer.tidy()
        left += [job for job in batch if job.key not in mine]
    return outcome
