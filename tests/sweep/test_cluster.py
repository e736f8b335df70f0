"""Sweeps on a Dask cluster: killing a worker, the scheduler or the client loses nothing and repeats nothing."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import cli
from dropcurve.errors import UsageError, WorkError
from dropcurve.runs import cluster
from dropcurve.runs.sweeping import batches
from dropcurve.runs.sweeping.rows import KEY

distributed = pytest.importorskip("distributed")

VARY = {"queue.max_p": [0.02 * n for n in range(1, 11)]}
RUNS = 40
SWEEP: dict[str, Any] = {"replications": 4, "out": "kept"}
#: Seconds that anything may take on a busy machine: reaching it is a failure of the code, not of the machine.
LONG_S = 900


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of two runs: with four submitted, no more than eight runs can finish after a kill. Time decides
    nothing."""
    monkeypatch.setattr(cluster, "PATIENCE_S", LONG_S)
    monkeypatch.setattr(batches, "FIRST", 2)
    monkeypatch.setattr(batches, "MOST", 2)


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and two workers as processes of their own: (address, the scheduler)."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    shared = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", *shared, "--port", "0"],
            **quiet,
        ),
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", *shared,
             "--nworkers", "2", "--nthreads", "1", "--death-timeout", str(LONG_S)],
            **quiet,
        ),
    ]  # fmt: skip
    try:
        with distributed.Client(scheduler_file=str(file), timeout=LONG_S, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=LONG_S)
            address = client.scheduler.address
        yield address, started[0]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def on_disk(folder: Path) -> list[tuple[object, ...]]:
    import pyarrow.parquet as parquet

    tables = [
        parquet.read_table(path, columns=list(KEY)).to_pylist() for path in folder.glob("runs/part-*.parquet")
    ]
    return [tuple(one.values()) for table in tables for one in table]


def complete(folder: Path) -> None:
    """Every run is there, and none was made twice: compaction would hide it, so there must have been none."""
    runs = on_disk(folder)
    assert len(runs) == len(set(runs)) == RUNS


def test_a_killed_worker_loses_nothing_and_repeats_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, two_workers: tuple[str, list[int]]
) -> None:
    monkeypatch.setattr("dropcurve.runs.sweeping.run_table.RunTable.compact", lambda _: None)
    address, pids = two_workers
    killed: list[int] = []

    def kill(done: int, _: int) -> None:
        if done >= 8 and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    table = dc.sweep("short.toml", VARY, **SWEEP, cluster=address, progress=kill)
    assert killed
    complete(folder / "kept")
    alone = dc.sweep("short.toml", VARY, replications=4, out="alone", jobs=1)
    wanted = "select seed, queue_max_p, loss, sojourn_ms_p95 from runs"
    assert table.query(wanted).fetchall() == alone.query(wanted).fetchall()


def test_a_killed_client_and_a_killed_scheduler_lose_nothing_and_repeat_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dropcurve.runs.sweeping.run_table.RunTable.compact", lambda _: None)
    code = f"""if True:
        import os, signal
        import dropcurve as dc
        from dropcurve.runs import cluster
        from dropcurve.runs.sweeping import batches
        batches.FIRST = batches.MOST = 2
        cluster.PATIENCE_S = {LONG_S}
        def kill(done, needed):
            if done >= 8:
                os.kill(os.getpid(), signal.SIGKILL)
        dc.sweep("short.toml", {VARY!r}, replications=4, out="kept", cluster="ADDRESS", progress=kill)
    """
    counts: list[int] = []
    with scheduler(folder) as (address, process):
        client = subprocess.run(
            [sys.executable, "-c", code.replace("ADDRESS", address)], cwd=folder, capture_output=True
        )
        assert client.returncode == -signal.SIGKILL, client.stderr.decode()

        def kill(done: int, _: int) -> None:
            counts.append(done)
            if done >= 24:
                process.kill()

        with pytest.raises(WorkError, match="the scheduler was lost"):
            dc.sweep("short.toml", VARY, **SWEEP, cluster=address, progress=kill)
    assert 8 <= counts[0] < 24
    counts.clear()
    with scheduler(folder) as (address, _):
        dc.sweep("short.toml", VARY, **SWEEP, cluster=address, progress=lambda done, _: counts.append(done))
    assert 24 <= counts[0] < RUNS
    complete(folder / "kept")


def test_the_log_of_dask_is_silent_within_a_connection(two_workers: tuple[str, list[int]]) -> None:
    """It writes tracebacks when the scheduler is lost."""
    log = logging.getLogger("distributed.client")
    before = log.level
    with cluster.connect(two_workers[0]):
        assert not log.isEnabledFor(logging.CRITICAL)
    assert log.level == before


def test_work_for_another_build_or_another_disk_is_refused(folder: Path) -> None:
    from dropcurve.runs.job import build

    with pytest.raises(UsageError, match="another build"):
        batches.work(batches.Batch("name", str(folder), "0" * 8, "s", (), ()))
    with pytest.raises(UsageError, match="does not see this folder"):
        batches.work(batches.Batch("name", str(folder / "nowhere"), build(), "s", (), ()))


@pytest.fixture
def batch_system(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with what `sbatch` and `scancel` did: one that starts the job's script at once on this machine."""
    held = folder / "batch"
    held.mkdir()
    programs = {
        "sbatch": 'cp "$1" script\nsetsid bash script > log 2>&1 < /dev/null &\necho $! > pid\n'
        "echo Submitted batch job 4711",
        "scancel": 'echo "$1" > cancelled\nkill -TERM -- -$(cat pid)',
    }
    for name, text in programs.items():
        (held / name).write_text(f"#!/bin/sh\ncd {held}\n{text}\n", encoding="utf-8")
        (held / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{held}{os.pathsep}{os.environ['PATH']}")
    yield held
    if (held / "pid").exists():
        with suppress(ProcessLookupError):
            os.killpg(int((held / "pid").read_text()), signal.SIGKILL)


def test_a_sweep_runs_in_a_slurm_job(folder: Path, batch_system: Path) -> None:
    """The whole way: the job is submitted, its worker reaches the scheduler, makes the runs, and the job is
    cancelled."""
    pytest.importorskip("dask_jobqueue")
    address = f"slurm:cores=1,memory=1GB,jobs=1,interface=lo,death_timeout={LONG_S},walltime=00:10:00"
    vary = {"queue.max_p": [0.02, 0.1]}
    with cluster.trusting(plain=True):
        table = dc.sweep("short.toml", vary, replications=2, out="kept", cluster=address)
    script = (batch_system / "script").read_text(encoding="utf-8")
    assert "#SBATCH -t 00:10:00" in script and "distributed.cli.dask_worker" in script
    assert (batch_system / "cancelled").read_text().strip() == "4711"
    alone = dc.sweep("short.toml", vary, replications=2, out="alone", jobs=1)
    wanted = "select seed, queue_max_p, loss, sojourn_ms_p95 from runs order by all"
    assert table.query(wanted).fetchall() == alone.query(wanted).fetchall()


def test_slurm_jobs_are_made_from_options() -> None:
    pytest.importorskip("dask_jobqueue")
    from dask_jobqueue import SLURMCluster

    scaled: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SLURMCluster, "scale", lambda _, jobs: scaled.append(jobs))
        patch.setattr(cluster, "secured", lambda _: None)
        slurm = cluster.started("slurm:queue=short,cores=8,memory=16GB,walltime=02:00:00,jobs=10")
    script = slurm.job_script()
    slurm.close()
    assert scaled == [10]
    for line in ("-p short", "--cpus-per-task=8", "-t 02:00:00", "--mem=15G"):
        assert line in script


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("slurm:queue=short", "needs cores and memory"),
        ("slurm:cores=8,memory", "must be NAME=VALUE"),
        ("local:many", "must be local:N"),
        ("somewhere", "must be the address of a Dask scheduler"),
        ("tcp://127.0.0.1:1", "no scheduler answers there"),
    ],
)
def test_an_address_that_leads_nowhere_is_reported_in_one_line(
    address: str,
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 1)
    arguments = ["sweep", "short.toml", "--vary", "queue.max_p=0.1,0.2", "--out", "x", "--cluster", address]
    assert cli.invoke(arguments) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert message in lines[-1]
