"""Runs that are not in the store yet, made on local threads or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...scenario import Scenario
from ..job import build
from .rows import UNSEEN, Key, Row, row
from .store import Store, Writer

if TYPE_CHECKING:
    from ... import _core

#: Told (runs done, runs needed), those found in the store included.
Tell = Callable[[int, int], None]
#: Told each row as soon as it is there.
Take = Callable[[Row], None]

#: Jobs handed to the threads at once: many enough that none waits for long, few enough to fit in memory.
CHUNK = 64


@dataclass(frozen=True)
class Job:
    """One run to make."""

    scenario: Scenario
    seed: int

    @property
    def key(self) -> Key:
        """What it is found by in a store."""
        return self.scenario.hash, self.seed


@dataclass(frozen=True)
class Where:
    """Where runs are made: on ``jobs`` local threads (None: all processors), or on the Dask cluster at
    ``cluster`` (see `cluster`)."""

    jobs: int | None = None
    cluster: str | None = None
    client: Any = field(default=None, repr=False, compare=False)

    @contextmanager
    def opened(self) -> Iterator[Where]:
        """The same with its cluster reached or made once, for many calls of `execute`."""
        if self.cluster is None or self.client is not None:
            yield self
            return
        from . import cluster

        with cluster.connect(self.cluster) as client:
            yield replace(self, client=client)

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs = {self.jobs}: must be 1 or more")

    @property
    def threads(self) -> int:
        """Local threads."""
        return self.jobs or os.cpu_count() or 1


def execute(jobs: Sequence[Job], store: Store, *, where: Where, take: Take, done: Tell | None = None) -> None:
    """Makes every run of ``jobs``, none of which was in the store, keeps it there and hands it to ``take``.

    A run is made by one session even if several ask for it at once. What is finished when this is interrupted or
    fails stays in the store.
    """
    if not jobs:
        return
    if where.cluster is not None:
        from . import cluster

        with where.opened() as there:
            cluster.execute(jobs, store, there.client, address=where.cluster, take=take, done=done)
        return
    finished = 0

    def counted(found: Row) -> None:
        nonlocal finished
        finished += 1
        take(found)
        if done is not None:
            done(finished, len(jobs))

    with store.writer() as writer:
        make(jobs, writer, threads=where.threads, take=counted)


@dataclass
class Made:
    """What `make` did itself."""

    runs: int = 0
    seconds: float = 0.0


def make(jobs: Sequence[Job], writer: Writer, *, threads: int, take: Take) -> Made:
    """Makes runs on threads of this process, those that others make meanwhile left out; each row, found or made, goes
    to ``take``.

    Every run is locked first. Those that other sessions have locked come last: each is awaited, and read from where
    they put it or, if they died, made here.
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
        run(own, threads=threads, keep=writer.add, take=take)
        made.runs += len(own)
        made.seconds += time.perf_counter() - began
        writer.tidy()
        left += [job for job in some if job.key not in mine]
    return made


def run(jobs: Sequence[Job], *, threads: int, keep: Take, take: Take) -> None:
    """Makes runs on threads of this process; each row goes to ``keep`` and then to ``take``."""
    from ... import _core

    made = build()

    def finished(_: int, one: _core.Run) -> None:
        found = row(one.summary(UNSEEN), build=made)
        keep(found)
        take(found)

    _core.run_many([(job.scenario.core, job.seed, "summary") for job in jobs], threads, None, finished)
