"""Runs on a Dask cluster: batches of a second or more, results through a shared folder.

Every batch writes its runs itself, into the store, as they finish, and sends back only the rows. So neither
the death of a worker nor that of the scheduler or of the client loses a finished run: a batch given to another
worker begins with what the first one left in its journal, and the same command given again asks only for what
is not in the store. Workers have locked what they still make for a client or scheduler that is dead (`locks`): whoever
is given the same runs waits for them. The folder must be one that client and workers see under the same
path, on a file system with record locks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DropcurveError, UsageError
from ...quantities import values
from .rows import Row
from .store import Store

if TYPE_CHECKING:
    from .execute import Job, Take, Tell

#: What a batch is sized to take: Dask's own cost of a task is a few milliseconds.
BATCH_S = 2.0
#: Runs of the first batches, before it is known how long one takes.
FIRST = 4
#: Most runs of a batch.
MOST = 500
#: Batches under way for each thread of the cluster, so that none waits for the client.
AHEAD = 2

#: Seconds to wait for a scheduler to answer at first, and for one that did.
PATIENCE_S = 30
ANSWER_S = 30

#: What is told when the cluster is gone.
_REMEDY = "what was finished is kept; the same command goes on from there"


@dataclass(frozen=True)
class Batch:
    """Work of one task, as plain data: scenarios as text, so that nothing of ours is pickled. ``session`` and ``known``
    are those of the client's store."""

    name: str
    folder: str
    build: str
    session: str
    known: tuple[str, ...]
    jobs: tuple[tuple[str, int], ...]


def work(batch: Batch) -> tuple[float, list[Row]]:
    """Makes the runs of a batch on a worker: (seconds for each run made, rows). Part of them may be there from a
    worker that died, or from another session."""
    from ...scenario import Scenario
    from ..job import build
    from .execute import Job, make

    if build() != batch.build:
        raise UsageError(
            f"a worker has another build of dropcurve ({build()}) than the client ({batch.build}); "
            "install the same one on both"
        )
    store = Store(Path(batch.folder), batch.build, batch.session, set(batch.known))
    if not store.folder.is_dir():
        raise UsageError(
            f"{store.folder}: a worker does not see this folder; choose one on a shared file system"
        )
    rows: list[Row] = []
    jobs = [Job(Scenario.parse(text), seed) for text, seed in batch.jobs]
    with store.writer(work=batch.name) as writer:
        made = make(jobs, writer, threads=1, take=rows.append)
    return made.seconds / max(1, made.runs), rows


def execute(
    jobs: Sequence[Job], store: Store, client: Any, *, address: str, take: Take, done: Tell | None
) -> None:
    """Makes the runs on the cluster of ``client``; see `execute.execute`. Raises DropcurveError if the cluster is
    lost."""
    _Client(client, store, take, done, len(jobs), address).all(list(jobs))


@dataclass
class _Client:
    """Hands batches out and takes rows in."""

    client: Any
    store: Store
    take: Take
    done: Tell | None
    needed: int
    address: str
    finished: int = 0
    size: int = FIRST

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
                seconds, rows = self._result(future)
                future.release()
                if seconds > 0:
                    self.size = max(1, min(MOST, round(BATCH_S / max(seconds, 1e-3))))
                for row in rows:
                    self.finished += 1
                    self.take(row)
                    if self.done is not None:
                        self.done(self.finished, self.needed)
                ahead = self._ahead() if jobs else 0
                while jobs and going.count() < ahead:
                    going.add(self._submit(jobs))
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise self._lost(error) from None
        except DropcurveError:
            raise
        except Exception as error:
            # A client that has given up fails in whatever it is asked next.
            if self.client.status in ("closing", "closed"):
                raise self._lost(error) from None
            raise

    def _lost(self, error: Exception | None = None) -> DropcurveError:
        why = f" ({error})" if error is not None else ""
        return DropcurveError(f"{self.address}: the scheduler was lost{why}; {_REMEDY}")

    def _ahead(self) -> int:
        """Batches to have under way. Raises TimeoutError if the scheduler does not answer: Dask's own
        `scheduler_info` would wait for a dead one for ever."""
        ask = self.client.scheduler.identity
        workers = self.client.sync(ask, n_workers=-1, callback_timeout=ANSWER_S)["workers"]
        threads: int = sum(worker["nthreads"] for worker in workers.values())
        return max(2, AHEAD * threads)

    def _result(self, future: Any) -> tuple[float, list[Row]]:
        """What a finished batch gave. It may have to be made again where its worker died, so there is no limit to the
        wait while the scheduler is there."""
        while True:
            try:
                found: tuple[float, list[Row]] = future.result(timeout=ANSWER_S)
            except TimeoutError:
                self._ahead()
            else:
                return found

    def _submit(self, jobs: list[Job]) -> Any:
        """The next batch; ``jobs`` are taken from the end."""
        some = [jobs.pop() for _ in range(min(self.size, len(jobs)))]
        content = tuple((job.scenario.to_toml(), job.seed) for job in some)
        name = hashlib.sha256(json.dumps([job.key for job in some]).encode()).hexdigest()[:24]
        store = self.store
        known = tuple(sorted(store.known))
        batch = Batch(name, str(store.folder.resolve()), store.build, store.session, known, content)
        return self.client.submit(work, batch, key=f"dropcurve-{name}", pure=False)


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``address``, or of a cluster made for this work (`made`).

    Raises UsageError if the ``cluster`` extra is not installed, DropcurveError if no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--cluster needs Dask: pip install 'dropcurve[cluster]'") from None
    cluster = made(address)
    try:
        client = Client(cluster if cluster is not None else address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DropcurveError(f"{address}: no scheduler answers there: {error}") from None
    try:
        yield client
    finally:
        client.close(timeout=5)
        if cluster is not None:
            cluster.close()


def made(address: str) -> Any:
    """A cluster made from options, or None for the address of a scheduler that is there.

    ``local:4`` has four processes on this machine. ``slurm:queue=short,cores=8,memory=16GB,walltime=02:00:00,jobs=10``
    has ten SLURM jobs; all options but ``jobs`` are those of ``dask_jobqueue.SLURMCluster``. Raises UsageError for
    any other word before the colon that is not a protocol.
    """
    kind, _, rest = address.partition(":")
    if kind == "local":
        from distributed import LocalCluster

        if not rest.isdigit() or int(rest) < 1:
            raise UsageError(f"cluster = {address}: must be local:N with N processes, such as local:4")
        return LocalCluster(
            n_workers=int(rest), threads_per_worker=1, processes=True, dashboard_address=None,
            host="127.0.0.1", scheduler_port=0,
        )  # fmt: skip
    if kind == "slurm":
        return _slurm(address, rest)
    if "://" not in address and not rest.isdigit():
        example = "tcp://host:8786, local:4 or slurm:cores=8,memory=16GB,jobs=10"
        raise UsageError(f"cluster = {address}: must be the address of a Dask scheduler, such as {example}")
    return None


def _slurm(address: str, rest: str) -> Any:
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise UsageError("--cluster slurm: needs dask-jobqueue: pip install 'dropcurve[cluster]'") from None
    # Walltimes are full of colons and memory has units: only what is a number is one.
    options: dict[str, Any] = {}
    for part in values.split_commas(rest):
        name, sign, text = part.partition("=")
        if not sign:
            raise UsageError(f"cluster = {address}: '{part}' must be NAME=VALUE")
        options[name.strip()] = int(text) if text.strip().isdigit() else text.strip()
    missing = [name for name in ("cores", "memory") if name not in options]
    if missing:
        raise UsageError(f"cluster = {address}: needs {' and '.join(missing)}, such as cores=8,memory=16GB")
    jobs = int(options.pop("jobs", 1))
    try:
        cluster = SLURMCluster(**options)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"cluster = {address}: {error}; dask_jobqueue.SLURMCluster lists its options"
        ) from None
    cluster.scale(jobs=jobs)
    return cluster
