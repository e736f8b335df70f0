"""Rows of runs that are not in the table yet: read from the store of runs, or made on threads or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...present import notebook
from ...scenario import Scenario
from .. import cache, derived
from ..executor import Executor
from ..job import Job
from ..store import RunStore
from . import batches, stored_rows
from .make import Take, make
from .rows import Row
from .run_table import RunTable, Writer

#: Most runs of a sweep whose first replications are stored with their series, at 15 ms and 100 kB each, so that `run`
#: and `compare` need not make them again for their figures.
WITH_SERIES = 200
#: Runs handed to the threads between checks of the store; bounds memory, not results.
SLICE = 20_000

#: Called with (runs done, runs needed); both include stored runs.
SweepProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class OpenTable:
    """The writer of a table, and the store of runs if there is one, which stay open over many calls of `execute`: to
    open both takes longer than a batch of few runs, and a file for each batch would be one of few rows."""

    writer: Writer
    records: RunStore | None


@contextmanager
def opened(table: RunTable) -> Iterator[OpenTable]:
    """A table and its store of runs, open. Raises as `cache.store`."""
    with cache.store(table.cache) as records, table.writer() as writer:
        yield OpenTable(writer, records)


def complete(
    scenarios: Iterable[Scenario],
    seeds: Sequence[int],
    table: RunTable,
    executor: Executor,
    progress: SweepProgress | None,
) -> None:
    """Adds the runs of every scenario under every seed that the table lacks: all scenarios under one seed before the
    next, so that an interrupted sweep covers them all. ``progress`` is called with (runs done, runs needed);
    without it a notebook shows a bar."""
    if progress is None and (bar := notebook.bar()) is not None:
        progress = bar.counted
    have = table.keys()
    different = {one.hash: one for one in scenarios}
    whole = len(different) * len(seeds)
    with_series = whole <= WITH_SERIES and executor.cluster is None
    missing = [
        Job(one, seed, "series" if with_series and seed == seeds[0] else "summary")
        for seed in seeds
        for one in different.values()
        if (one.hash, seed) not in have
    ]
    before = whole - len(missing)
    if progress is not None:
        progress(before, whole)
    if not missing:
        return
    with executor.opened() as elsewhere:
        for start in range(0, len(missing), SLICE):

            def report(done: int, _: int, *, first: int = before + start) -> None:
                if progress is not None:
                    progress(first + done, whole)

            execute(
                missing[start : start + SLICE], table, executor=elsewhere, take=lambda _: None, done=report
            )


def execute(
    jobs: Sequence[Job],
    store: RunTable,
    *,
    executor: Executor,
    take: Take,
    done: SweepProgress | None = None,
    held: OpenTable | None = None,
) -> None:
    """Adds the row of every job, none of which is in the table, to the table and calls ``take`` with it.

    A table that is ``held`` open collects the rows of many calls in one file. Runs on a cluster have writers of their
    own.

    A run that another command stored is read, the others are made, each by one session even if several ask for it at
    once. The rows that are finished when this is interrupted or fails stay in the table. The runs are also stored for
    commands that need more than a row, with the numbers that such a command derives from samples.
    """
    if not jobs:
        return
    finished = 0

    def counted(row: Row) -> None:
        nonlocal finished
        finished += 1
        take(row)
        if done is not None:
            done(finished, len(jobs))

    with _records(store, held) as records:
        with _writing(store, held) as copies:
            left = _copied(jobs, store, counted, copies, records)
        if not left:
            return
        if records is not None:
            left = [_with_derived(job) for job in left]
        if executor.cluster is not None:
            with executor.opened() as elsewhere:
                batches.execute(
                    left, store, elsewhere.client, address=executor.cluster, take=counted, records=records
                )
        else:
            with _writing(store, held) as own:
                make(left, own, threads=executor.threads, take=counted, store=records, watch=executor.watch)


@contextmanager
def _writing(table: RunTable, held: OpenTable | None) -> Iterator[Writer]:
    """The open writer, or one for this call."""
    if held is not None:
        yield held.writer
        return
    with table.writer() as own:
        yield own


@contextmanager
def _records(table: RunTable, held: OpenTable | None) -> Iterator[RunStore | None]:
    """The open store of runs, or one for this call. What was added is written at its end, for those who wait for it."""
    if held is None:
        with cache.store(table.cache) as own:
            yield own
        return
    yield held.records
    if held.records is not None:
        held.records.flush()


def _with_derived(job: Job) -> Job:
    """The job with the derived values that `run` and `compare` need of every replication."""
    return job if job.keep != "summary" else replace(job, keep=derived.keep(job.scenario, series=False))


def _copied(
    jobs: Sequence[Job], table: RunTable, take: Take, writer: Writer, store: RunStore | None
) -> list[Job]:
    """Copies the rows that other commands have stored into the table and returns the jobs that remain."""
    keys = {job.key for job in jobs}
    stored = {} if store is None else stored_rows.find(store, keys, exclude=table.folder.resolve())
    if not stored:
        return list(jobs)
    # A run that another session is making is left to `make`, which waits for it.
    mine = set(writer.try_lock(list(stored)))
    for one in mine:
        writer.add(stored[one])
        take(stored[one])
    return [job for job in jobs if job.key not in mine]
