"""Kills at random moments: after the death of scheduler, worker or client the same command completes the sweep.

Scheduler, workers and client are processes forked from one that has Dask and the package loaded, so that a kill costs
some seconds of processor time less than with commands. `test_cluster.py` kills those that the commands start.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import cli
from dropcurve.runs import cluster
from dropcurve.runs.sweeping import batches
from dropcurve.runs.sweeping.run_table import RunTable
from tests.sweep.test_cluster import LONG_S, RUNS, VARY, complete, distributed, on_disk

#: Seconds for which the client looks for its scheduler: one that dies early is looked for as long.
PATIENCE_S = 60
#: Kills of each kind in the thorough form, and the most seconds between the run after which a kill is due and the kill.
KILLS, LATER_S = int(os.environ.get("DROPCURVE_KILLS", "50")), 0.5
WORDS = ["--vary", "queue.max_p=" + ",".join(f"{value:g}" for value in VARY["queue.max_p"])]
FORKS = multiprocessing.get_context("forkserver")
LOADED = [
    "distributed",
    "pandas",
    "pyarrow.compute",
    "pyarrow.json",
    "pyarrow.parquet",
    "pyarrow.pandas_compat",
]
FORKS.set_forkserver_preload([*LOADED, "dropcurve.cli.sweep", __name__])


def scheduler_process(folder: Path) -> None:
    """A scheduler until its end; its address is in a file."""

    async def serve() -> None:
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
            (folder / "address.part").write_text(scheduler.address)
            (folder / "address.part").rename(folder / "address")
            await scheduler.finished()

    os.chdir(folder)
    quiet(folder / "scheduler.txt")
    asyncio.run(serve())


def worker_process(folder: Path, address: str) -> None:
    """A worker until its end."""

    async def work() -> None:
        place = str(folder / "space")
        async with distributed.Worker(address, nthreads=1, local_directory=place, dashboard=False) as worker:
            await worker.finished()

    os.chdir(folder)
    quiet(folder / "workers.txt")
    asyncio.run(work())


def client_process(folder: Path, address: str, out: str) -> None:
    """The command; its exit code is the process's, and its messages are in a file."""
    os.chdir(folder)
    quiet(folder / f"{out}.txt")
    cluster.PATIENCE_S = PATIENCE_S
    batches.FIRST = batches.MOST = 2
    RunTable.compact = lambda _: None  # type: ignore[method-assign]
    words = ["--replications", "4", "--out", out, "--cluster", address, "--quiet"]
    raise SystemExit(cli.main(["sweep", "short.toml", *WORDS, *words]))


def quiet(path: Path) -> None:
    """Sends the process's output into a file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)


def fork(target: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    """A started process."""
    process = FORKS.Process(target=target, args=arguments)
    process.start()
    return process


@contextmanager
def small_cluster(folder: Path) -> Iterator[tuple[str, dict[str, ForkServerProcess]]]:
    """A scheduler and two workers: address, and the processes that may be killed."""
    (folder / "address").unlink(missing_ok=True)
    started = [fork(scheduler_process, folder)]
    try:
        until = time.monotonic() + LONG_S
        while not (folder / "address").exists():
            assert started[0].is_alive() and time.monotonic() < until
            time.sleep(0.02)
        address = (folder / "address").read_text()
        started += [fork(worker_process, folder, address) for _ in range(2)]
        yield address, {"scheduler": started[0], "worker": started[1]}
    finally:
        for process in reversed(started):
            process.kill()
            process.join()


def wait_for(folder: Path, runs: int, client: ForkServerProcess) -> None:
    """Returns once this many runs are stored, or the client has ended."""
    while 2 * sum(1 for _ in folder.glob("runs/part-*.parquet")) < runs and client.is_alive():
        time.sleep(0.02)


def survives(folder: Path, victim: str, rng: random.Random, number: int) -> int:
    """Kills the victim some time after some runs are stored; then the same command completes the missing runs, or ends
    with one line if it cannot. Returns the number of runs that were stored at the kill."""
    out = f"kept-{victim}-{number}"
    with small_cluster(folder) as (address, processes):
        client = fork(client_process, folder, address, out)
        wait_for(folder / out, rng.randint(0, RUNS), client)
        time.sleep(rng.uniform(0, LATER_S))
        stored = on_disk(folder / out)
        processes.get(victim, client).kill()
        client.join(LONG_S)
        output = (folder / f"{out}.txt").read_text() if (folder / f"{out}.txt").exists() else ""
        if victim == "worker":
            assert client.exitcode == 0, output
        elif victim == "scheduler" and client.exitcode:
            lines = [line for line in output.splitlines() if line.startswith("dropcurve: ")]
            assert len(lines) == 1 and "Traceback" not in output, output
            assert client.exitcode == 1 or "no scheduler answers" in output, (client.exitcode, output)
    dc.sweep("short.toml", VARY, replications=4, out=out, jobs=1)
    complete(folder / out)
    assert set(stored) <= set(on_disk(folder / out))
    return len(stored)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["scheduler", "worker", "client"])
def test_a_kill_at_any_moment_loses_nothing_and_repeats_nothing(
    folder: Path, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Compaction would hide a run that was made twice.
    monkeypatch.setattr(RunTable, "compact", lambda _: None)
    rng = random.Random(f"{victim} 26")
    stored = [survives(folder, victim, rng, number) for number in range(KILLS)]
    # Kills before the first run and after the last show less.
    assert KILLS < 10 or sum(0 < count < RUNS for count in stored) > KILLS / 3
