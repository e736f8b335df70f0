"""Runs on a Dask cluster: batches of a second or more, results through a shared folder.

Every batch writes the rows of its runs itself, into the table, as they finish, and sends back rows and
records, which the client adds to its store of runs. So no finished run is lost if a worker, the scheduler or
the client dies: a batch that is assigned to another worker starts from the journal of the first one, and the
same command repeated requests only the runs that are not in the table. Workers hold locks on runs that they
still make for a dead client or scheduler (`locks`): a worker that is assigned the same runs waits for them.
The folder must be one that client and workers see under the same path, on a file system with record locks.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import DropcurveError, UsageError, WorkError
from ...scenario import Scenario
from .. import engine
from ..job import Job, Keep, build
from ..store import RunStore
from .make import make
from .rows import Key, Row
from .run_table import RunTable

#: Intended seconds of a batch: Dask's own cost of a task is a few milliseconds.
BATCH_S = 2.0
#: Runs of the first batches, before it is known how long one takes.
FIRST = 4
#: Most runs of a batch.
MOST = 500
#: Batches submitted for each thread of the cluster, so that none waits for the client.
AHEAD = 2

#: Seconds to wait for the answer of a scheduler that did answer.
ANSWER_S = 30

#: Remedy when the cluster is lost.
_REMEDY = "finished runs are stored; the same command resumes from there"


@dataclass(frozen=True)
class Batch:
    """Work of one task, as plain data: scenarios as text, so that nothing of ours is pickled. ``session`` and
    ``known`` are those of the client's store."""

    name: str
    folder: str
    build: str
    session: str
    known: tuple[str, ...]
    jobs: tuple[tuple[str, int, Keep], ...]
    engine: str = field(default_factory=engine.chosen)


@dataclass(frozen=True)
class BatchResult:
    """The answer of a batch: ``seconds`` for each run made, the rows of all, and the records of those made.
    Part of the runs may be from a worker that died or from another session."""

    seconds: float
    rows: list[Row]
    records: list[tuple[Key, bytes]]


def work(batch: Batch) -> BatchResult:
    """Executes the runs of a batch on a worker. Raises UsageError for another build, and for a folder it does
    not see."""
    if build() != batch.build:
        raise UsageError(
            "worker",
            build(),
            f"a worker has another build of dropcurve ({build()}) than the client ({batch.build})",
            "install the same one on both",
            shown="rule",
        )
    store = RunTable(Path(batch.folder), batch.build, batch.session, set(batch.known))
    if not store.folder.is_dir():
        raise UsageError(
            "out",
            store.folder,
            "a worker does not see this folder",
            "choose one on a shared file system",
            shown="value",
        )
    rows: list[Row] = []
    records: list[tuple[Key, bytes]] = []
    jobs = [Job(Scenario.parse(text), seed, keep) for text, seed, keep in batch.jobs]
    with engine.using(batch.engine), store.writer(work=batch.name) as writer:
        outcome = make(jobs, writer, threads=1, take=rows.append, records=records)
    return BatchResult(outcome.seconds / max(1, outcome.runs), rows, records)


def execute(
    jobs: Sequence[Job],
    store: RunTable,
    client: Any,
    *,
    address: str,
    take: Callable[[Row], None],
    records: RunStore | None = None,
) -> None:
    """Executes the runs on the cluster of ``client`` and stores them in ``records`` too; see `execute.execute`.

    Raises WorkError if the cluster is lost.
    """
    _Client(client, store, take, address, records).all(list(jobs))


@dataclass
class _Client:
    """Submits batches and collects rows."""

    client: Any
    store: RunTable
    take: Callable[[Row], None]
    address: str
    records: RunStore | None = None
    size: int = FIRST
    submitted: dict[Key, Job] = field(default_factory=dict)

    def all(self, jobs: list[Job]) -> None:
        """Every job, a few batches for each thread at a time."""
        from distributed import CancelledError, as_completed
        from distributed.comm import CommClosedError

        jobs.reverse()
        try:
            first = [self._submit(jobs) for _ in range(self._ahead()) if jobs]
            going = as_completed(first, loop=self.client.loop)
            for future in going:
                if future.status == "cancelled":
                    raise self._lost()
                result = self._result(future)
                future.release()
                if result.seconds > 0:
                    self.size = max(1, min(MOST, round(BATCH_S / max(result.seconds, 1e-3))))
                self._add(result)
                ahead = self._ahead() if jobs else 0
                while jobs and going.count() < ahead:
                    going.add(self._submit(jobs))
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise self._lost(error) from None
        except DropcurveError:
            raise
        except Exception as error:
            # A client that has given up fails in its next call.
            if self.client.status in ("closing", "closed"):
                raise self._lost(error) from None
            raise

    def _add(self, result: BatchResult) -> None:
        for key, text in result.records:
            job = self.submitted.pop(key, None)
            if self.records is not None and job is not None:
                self.records.add_text(job, zlib.decompress(text))
        for row in result.rows:
            self.take(row)

    def _lost(self, error: Exception | None = None) -> WorkError:
        why = f" ({error})" if error is not None else ""
        return WorkError("cluster", self.address, f"the scheduler was lost{why}", _REMEDY, shown="value")

    def _ahead(self) -> int:
        """Returns how many batches to have submitted. Raises TimeoutError if the scheduler does not answer:
        Dask's own `scheduler_info` would wait for a dead one without end."""
        ask = self.client.scheduler.identity
        workers = self.client.sync(ask, n_workers=-1, callback_timeout=ANSWER_S)["workers"]
        threads: int = sum(worker["nthreads"] for worker in workers.values())
        return max(2, AHEAD * threads)

    def _result(self, future: Any) -> BatchResult:
        """Returns the result of a finished batch.

        A batch may have to be made again where its worker died, so the wait has no limit while the scheduler lives.
        """
        while True:
            try:
                result: BatchResult = future.result(timeout=ANSWER_S)
            except TimeoutError:
                self._ahead()
            else:
                return result

    def _submit(self, jobs: list[Job]) -> Any:
        """The next batch; ``jobs`` are taken from the end."""
        some = [jobs.pop() for _ in range(min(self.size, len(jobs)))]
        content = tuple((job.scenario.to_toml(), job.seed, job.keep) for job in some)
        self.submitted |= {job.key: job for job in some}
        name = hashlib.sha256(json.dumps([job.key for job in some]).encode()).hexdigest()[:24]
        store = self.store
        known = tuple(sorted(store.known))
        batch = Batch(name, str(store.folder.resolve()), store.build, store.session, known, content)
        return self.client.submit(work, batch, key=f"dropcurve-{name}", pure=False)
