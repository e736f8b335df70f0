"""Rows of runs that are not in the table yet: read from the store of runs, or made on threads or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import cache
from ..executor import Executor
from ..job import Job
from . import batches, elsewhere
from .make import Take, make
from .rows import Row
from .run_table import RunTable

#: Called with (runs done, runs needed), those that were stored included.
Tell = Callable[[int, int], None]


def execute(
    jobs: Sequence[Job], store: RunTable, *, where: Executor, take: Take, done: Tell | None = None
) -> None:
    """Adds the row of every job, none of which is in the table, to the table and calls ``take`` with it.

    A run that another command stored is read, the others are made, each by one session even if several ask for it at
    once. The rows that are finished when this is interrupted or fails stay in the table. Where a job keeps more than
    the summary, the records of the runs that are made on threads are stored as well, for commands that need more than
    a row.
    """
    if not jobs:
        return
    finished = 0

    def counted(found: Row) -> None:
        nonlocal finished
        finished += 1
        take(found)
        if done is not None:
            done(finished, len(jobs))

    left = _copied(jobs, store, counted)
    if left and where.cluster is not None:
        with where.opened() as there:
            batches.execute(left, store, there.client, address=where.cluster, take=counted)
    elif left:
        recorded = any(job.keep != "summary" for job in left)
        with cache.store(store.cache) as records, store.writer() as writer:
            make(left, writer, threads=where.threads, take=counted, store=records if recorded else None)


def _copied(jobs: Sequence[Job], table: RunTable, take: Take) -> list[Job]:
    """Copies the rows that other commands have stored into the table and returns the jobs that remain."""
    with cache.store(table.cache) as store:
        keys = {job.key for job in jobs}
        found = {} if store is None else elsewhere.find(store, keys, but=table.folder.resolve())
    if not found:
        return list(jobs)
    with table.writer() as writer:
        # A run that another session is making is left to `make`, which waits for it.
        mine = set(writer.try_lock(list(found)))
        for one in mine:
            writer.add(found[one])
            take(found[one])
    return [job for job in jobs if job.key not in mine]
