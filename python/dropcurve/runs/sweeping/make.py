"""Runs made on threads of this process, each by one session, and written to the table of a sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import dropcurve._core as _core

from .. import engine
from ..executor import Executor
from ..job import Job, build
from ..record import RunRecord
from ..store import RunStore
from .rows import UNSEEN, Row, row
from .run_table import Writer

#: Called with each row as soon as it is there.
Take = Callable[[Row], None]

#: Jobs handed to the threads at once: many enough that none waits for long, few enough to fit in memory.
CHUNK = 64


@dataclass
class Made:
    """Runs that a call of `make` made itself, and the time they took."""

    runs: int = 0
    seconds: float = 0.0


def make(
    jobs: Sequence[Job], writer: Writer, *, threads: int, take: Take, store: RunStore | None = None
) -> Made:
    """Makes runs on threads of this process, those that others make meanwhile left out; each row, found or made, goes
    to ``take``.

    Every run is locked first. Those that other sessions have locked come last: each is awaited, and read from where
    they put it or, if they died, made here. With a ``store`` the records of the runs are stored there as well.
    """
    made = Made()
    left = list(jobs)
    while left:
        some, left = left[: CHUNK * threads], left[CHUNK * threads :]
        mine = set(writer.lock([job.key for job in some]))
        found = writer.look(mine)
        for known in found.values():
            take(known)
        own = [job for job in some if job.key in mine and job.key not in found]
        began = time.perf_counter()
        if store is None:
            run(own, threads=threads, keep=writer.add, take=take)
        else:
            record(own, store, threads=threads, keep=writer.add, take=take)
        made.runs += len(own)
        made.seconds += time.perf_counter() - began
        writer.tidy()
        left += [job for job in some if job.key not in mine]
    return made


def run(jobs: Sequence[Job], *, threads: int, keep: Take, take: Take) -> None:
    """Makes runs on threads of this process; each row goes to ``keep`` and then to ``take``."""
    made = build()

    def finished(_: int, one: _core.Run) -> None:
        found = row(one.summary(UNSEEN), build=made)
        keep(found)
        take(found)

    _core.run_many(
        [(job.scenario.core, job.seed, "summary") for job in jobs],
        threads,
        None,
        finished,
        **engine.options(),
    )


def record(jobs: Sequence[Job], store: RunStore, *, threads: int, keep: Take, take: Take) -> None:
    """Makes runs as `run` does and adds the record of each to the store, with what its job keeps."""
    made = build()

    def finished(_: int, one: RunRecord) -> None:
        # What the samples tell has no place in a row, so that rows do not depend on what is stored next to them.
        summary = one.summary.copy()
        summary.pop("derived", None)
        found = row(summary, build=made)
        keep(found)
        take(found)

    Executor(threads).records(jobs, store, take=finished)
