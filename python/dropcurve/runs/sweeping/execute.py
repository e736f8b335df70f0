"""Rows of runs that are not in the table yet: read from the store of runs, or made on threads or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...present import notebook
from ...scenario import Scenario
from .. import cache, derived
from ..executor import Executor
from ..job import Job
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
Tell = Callable[[int, int], None]


def complete(
    scenarios: Iterable[Scenario],
    seeds: Sequence[int],
    table: RunTable,
    executor: Executor,
    progress: Tell | None,
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
    done: Tell | None = None,
    writer: Writer | None = None,
) -> None:
    """Adds the row of every job, none of which is in the table, to the table and calls ``take`` with it.

    A ``writer`` of the table that stays open collects the rows of many calls in one file: one for each call, of few
    rows, would take longer than they did. Runs on a cluster have writers of their own.

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

    with _writing(store, writer) as copies:
        left = _copied(jobs, store, counted, copies)
    if not left:
        return
    with cache.store(store.cache) as records:
        if records is not None:
            left = [_with_derived(job) for job in left]
        if executor.cluster is not None:
            with executor.opened() as elsewhere:
                batches.execute(
                    left, store, elsewhere.client, address=executor.cluster, take=counted, records=records
                )
        else:
            with _writing(store, writer) as own:
                make(left, own, threads=executor.threads, take=counted, store=records, watch=executor.watch)


@contextmanager
def _writing(table: RunTable, writer: Writer | None) -> Iterator[Writer]:
    """The open writer, or one for this call."""
    if writer is not None:
        yield writer
        return
    with table.writer() as own:
        yield own


def _with_derived(job: Job) -> Job:
    """The job with the derived values that `run` and `compare` need of every replication."""
    return job if job.keep != "summary" else replace(job, keep=derived.keep(job.scenario, series=False))


def _copied(jobs: Sequence[Job], table: RunTable, take: Take, writer: Writer) -> list[Job]:
    """Copies the rows that other commands have stored into the table and returns the jobs that remain."""
    with cache.store(table.cache) as store:
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
