"""Executor of jobs: each run is found in the store or made, on threads of this process or on a Dask cluster, and
stored.

A `View` is the form in which a caller receives each run: `Executor.records` returns records with all counters,
`sweeping.make` the rows of a table. Both store the same, so that neither repeats a run of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

import dropcurve._core as _core

from ..errors import UsageError
from ..results.series import Series
from . import cluster, engine, record, threads
from .job import Job, Keep
from .record import RunRecord
from .store import RunStore

T = TypeVar("T")
#: The text and the series with which a run is stored.
Stored = tuple[bytes, Series | None]
#: Called with (jobs done, share of all work done in [0, 1]), runs found in the store included.
OnProgress = Callable[[int, float], None]

#: Jobs locked and handed to the threads at once, for each thread.
CHUNK = 256


class View(Protocol[T]):
    """The form in which a caller gets a run: its record, or a row of a table."""

    def executed(self, run: _core.Run, keep: Keep) -> tuple[T, Callable[[], Stored]]:
        """The view of a run that was executed, and a function that returns its stored form."""

    def stored(self, record: RunRecord) -> T:
        """The view of a stored run."""

    def cut(self, record: T, keep: Keep) -> T:
        """The part of a view that a job with ``keep`` may see."""


class RecordView:
    """The view of a run as its record."""

    def executed(self, run: _core.Run, keep: Keep) -> tuple[RunRecord, Callable[[], Stored]]:
        """The record of a run and its text."""
        whole = RunRecord.of(run, keep=keep)
        return whole, lambda: (record.serialise(whole), whole.series)

    def stored(self, record: RunRecord) -> RunRecord:
        """The record as it is."""
        return record

    def cut(self, record: RunRecord, keep: Keep) -> RunRecord:
        """Its part; see `RunRecord.cut`."""
        return record.cut(keep)


@dataclass(frozen=True)
class Executor:
    """Threads or cluster that make runs: ``jobs`` threads of this process, by default as many as there are processors,
    or, for the rows of a sweep's table alone, the Dask cluster at ``cluster`` (see `runs.cluster`).

    ``watch`` is called some twenty times a second while threads of this process make runs; an exception from it
    abandons the unfinished runs.
    """

    jobs: int | None = None
    cluster: str | None = None
    client: Any = field(default=None, repr=False, compare=False)
    watch: Callable[[], None] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        threads.check(self.jobs)

    @property
    def threads(self) -> int:
        """Number of threads."""
        return threads.count(self.jobs)

    @contextmanager
    def opened(self) -> Iterator[Executor]:
        """The same with its cluster reached or started once, for many calls."""
        if self.cluster is None or self.client is not None:
            yield self
            return
        with cluster.connect(self.cluster) as client:
            yield replace(self, client=client)

    def records(
        self,
        jobs: Sequence[Job],
        store: RunStore | None,
        *,
        take: Callable[[int, RunRecord], None],
        on_progress: OnProgress | None = None,
    ) -> int:
        """Calls ``take`` with the record of each job; see `execute`."""
        return self.execute(jobs, store, view=RecordView(), take=take, on_progress=on_progress)

    def execute(
        self,
        jobs: Sequence[Job],
        store: RunStore | None,
        *,
        view: View[T],
        take: Callable[[int, T], None],
        on_progress: OnProgress | None = None,
    ) -> int:
        """Calls ``take`` with the number and the view of each job as soon as it is available.

        Equal jobs are made once, by one process even if several ask for them at the same time: the others wait. The
        finished runs of work that is interrupted or fails stay in the store.

        Returns:
            The number of runs that were executed; the others were found in the store.
        """
        work = _Batch(list(jobs), store, self.threads, view, take, on_progress, self.watch)
        missing = work.find()
        while missing:
            batch, missing = missing[: CHUNK * self.threads], missing[CHUNK * self.threads :]
            missing += work.make(batch)
        return work.executed


class _Batch(Generic[T]):
    """Jobs of one call: which of them share a run, and how many are done."""

    def __init__(
        self,
        jobs: list[Job],
        store: RunStore | None,
        threads: int,
        view: View[T],
        take: Callable[[int, T], None],
        on_progress: OnProgress | None,
        watch: Callable[[], None] | None,
    ) -> None:
        self.store, self.threads, self.view, self.take, self.on_progress = (
            store,
            threads,
            view,
            take,
            on_progress,
        )
        self.watch = watch
        self.jobs = jobs
        self.numbers: dict[bytes, list[int]] = {}
        self.unique: dict[bytes, Job] = {}
        self.needed, self.done, self.executed = len(jobs), 0, 0
        self.version = 0
        for number, job in enumerate(jobs):
            name = job.address
            self.numbers.setdefault(name, []).append(number)
            # Among equal jobs the one that stores most is run.
            if name not in self.unique or self.unique[name].level < job.level:
                self.unique[name] = job

    def find(self) -> list[bytes]:
        """Takes the runs in the store and returns the addresses of the other jobs."""
        if self.store is None:
            return list(self.unique)
        self.version = self.store.changed()
        return [name for name in self.unique if not self._found(name)]

    def make(self, some: list[bytes]) -> list[bytes]:
        """Executes jobs that are not in the store, and returns those that another process is making meanwhile.

        If all of them are being made elsewhere it waits for the first. It holds no lock while it waits, so that two
        processes that wait for each other's runs cannot deadlock.
        """
        if self.store is None:
            self._run(some)
            return []
        locks = self.store.locks
        names = {one.hex(): one for one in some}
        mine = locks.try_acquire(names)
        try:
            if not mine:
                first = some[0].hex()
                locks.acquire(first)
                mine = [first]
            own = [names[name] for name in mine]
            if self.store.changed() != self.version:
                own = [name for name in own if not self._found(name)]
            self._run(own)
            self.store.flush()
        finally:
            locks.release(mine)
        held = set(mine)
        return [one for one in some if one.hex() not in held]

    def _found(self, name: bytes) -> bool:
        stored = self.store.find(self.unique[name]) if self.store is not None else None
        if stored is not None:
            self._hand_out(name, self.view.stored(stored))
        return stored is not None

    def _run(self, blobs: list[bytes]) -> None:
        if not blobs:
            return
        jobs = [self.unique[name] for name in blobs]
        before = self.done
        share = sum(len(self.numbers[name]) for name in blobs)

        def finished(index: int, run: _core.Run) -> None:
            outcome, stored = self.view.executed(run, jobs[index].keep)
            if self.store is not None:
                self.store.add_text(jobs[index], *stored())
            self.executed += 1
            self._hand_out(blobs[index], outcome)

        def progress(_: int, fraction: float) -> None:
            if self.watch is not None:
                self.watch()
            if self.store is not None:
                self.store.tick()
            if self.on_progress is not None:
                self.on_progress(self.done, min(1.0, (before + fraction * share) / self.needed))

        try:
            _core.run_many(
                [(job.scenario.core, job.seed, job.keep) for job in jobs],
                self.threads,
                progress,
                finished,
                **engine.options(),
            )
        except _core.PluginError as error:
            raise UsageError("plug-in", "", str(error), "correct the plug-in", shown="rule") from None

    def _hand_out(self, name: bytes, outcome: T) -> None:
        for number in self.numbers[name]:
            self.take(number, self.view.cut(outcome, self.jobs[number].keep))
            self.done += 1
