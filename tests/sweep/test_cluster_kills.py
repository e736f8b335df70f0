"""Kills at random moments: after the death of scheduler, worker or client the same command completes the sweep."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dropcurve as dc
from tests.sweep.test_cluster import VARY, complete, distributed, scheduler

#: Kills of each kind in the thorough form, and the longest time to one.
KILLS, LATEST_S = int(os.environ.get("DROPCURVE_KILLS", "50")), 6.0
CLIENT = """if True:
    import dropcurve as dc
    from dropcurve.cli import main
    from dropcurve.runs.sweeping import batches
    batches.FIRST = batches.MOST = 2
    words = ["--replications", "4", "--out", {out!r}, "--cluster", {address!r}, "--quiet"]
    main(["sweep", "short.toml", *{vary!r}, *words])
"""
WORDS = ["--vary", "queue.max_p=" + ",".join(f"{value:g}" for value in VARY["queue.max_p"])]


def worker_of(address: str) -> int:
    """The process of one of the cluster's workers."""
    with distributed.Client(address, timeout=60, set_as_default=False) as client:
        return int(next(iter(client.run(os.getpid).values())))


def start(address: str, out: str) -> subprocess.Popen[str]:
    """A sweep as a command of its own."""
    code = CLIENT.format(vary=WORDS, out=out, address=address)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


def survives(folder: Path, victim: str, after_s: float, number: int) -> None:
    """Kills the victim at a moment; then the same command completes the missing runs, or ends with one line if it
    cannot."""
    out = f"kept-{victim}-{number}"
    with scheduler(folder) as (address, process):
        worker = worker_of(address) if victim == "worker" else 0
        client = start(address, out)
        time.sleep(after_s)
        if victim == "scheduler":
            process.kill()
        else:
            os.kill(worker or client.pid, signal.SIGKILL)
        said = client.communicate(timeout=600)[1].strip().splitlines()
        if victim == "worker":
            assert client.returncode == 0, said
        elif victim == "scheduler" and client.returncode:
            lines = [line for line in said if line.startswith("dropcurve: ")]
            assert len(lines) == 1, said
            assert not any("Traceback" in line for line in said), said
    dc.sweep("short.toml", VARY, replications=4, out=out, jobs=1)
    complete(folder / out)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["scheduler", "worker", "client"])
def test_a_kill_at_any_moment_loses_nothing_and_repeats_nothing(
    folder: Path, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Compaction would hide a run that was made twice.
    monkeypatch.setattr("dropcurve.runs.sweeping.run_table.RunTable.compact", lambda _: None)
    rng = random.Random(f"{victim} 26")
    for number in range(KILLS):
        survives(folder, victim, rng.uniform(0, LATEST_S), number)
