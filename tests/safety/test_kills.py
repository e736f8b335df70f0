"""Kills at random moments: `sweep --out` and `tune --out` go on where they stopped, and end with the same answer."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.results import integrity

#: Kills of each command in the thorough form.
KILLS = int(os.environ.get("DROPCURVE_KILLS", "50"))
SECTION = """
[tune]
goal = "p95 delay < 25ms, max utilisation"
candidates = ["red", "droptail"]

[tune.ranges]
"flows.tcp.count" = "2-8"
"""
#: A command that is killed, without a chance to tidy up, some time after its libraries are loaded; 0 is never.
KILLED = """
import signal, sys
import dropcurve as dc
from dropcurve.runs.sweeping import batches
from dropcurve.tuning import effort
batches.FIRST = batches.MOST = 2
effort.LEVELS = (effort.Budget(1500, replications=3, fresh=2, seeds=1),) * 2
out, after_s = sys.argv[2], float(sys.argv[3])
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.setitimer(signal.ITIMER_REAL, after_s)
if sys.argv[1] == "sweep":
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.1, 0.3]}, replications=4, jobs=1, out=out)
else:
    dc.tune("asked.toml", runs=60, seed=3, jobs=1, out=out)
"""


def command(verb: str, out: str, after_s: float) -> int:
    """Runs a command that is killed after a time; its exit code."""
    words = [sys.executable, "-c", KILLED, verb, out, str(after_s)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode in (0, -signal.SIGALRM), done.stderr
    return done.returncode


def answer(verb: str, out: Path) -> object:
    """What the command found: all runs of a sweep with their values, the record of a search."""
    if verb == "sweep":
        rows = dc.Sweep.load(out).query(
            "SELECT queue_max_p, seed, loss, sojourn_ms_p95 FROM runs ORDER BY ALL"
        )
        return rows.fetchall()
    return json.loads((out / "tune.json").read_text(encoding="utf-8"))


def kept(verb: str, folder: Path, kills: int) -> int:
    """Kills a command again and again, each time a little later, until it ends; the number of kills."""
    scenario = (folder / "short.toml").read_text(encoding="utf-8")
    (folder / "asked.toml").write_text(scenario + SECTION, encoding="utf-8")
    assert command(verb, "whole", 0) == 0
    wanted = answer(verb, folder / "whole")
    rng, killed, series = random.Random(f"{verb} 26"), 0, 0
    while killed < kills:
        series += 1
        out = folder / f"cut{series}"
        for number in range(10):
            if command(verb, out.name, rng.uniform(0.005, 0.25) * (1 + number)) == 0:
                break
            killed += 1
        assert command(verb, out.name, 0) == 0
        assert answer(verb, out) == wanted, (series, killed)
        assert not integrity.check(out).faults
        left = [path.name for path in out.rglob("*") if path.suffix in (".part", ".tmp")]
        assert not left, left
    return killed


@pytest.mark.parametrize("verb", ["sweep", "tune"])
def test_a_command_that_was_killed_ends_with_the_same_answer(folder: Path, verb: str) -> None:
    assert kept(verb, folder, 1)


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["sweep", "tune"])
def test_a_command_that_was_killed_many_times_ends_with_the_same_answer(folder: Path, verb: str) -> None:
    assert kept(verb, folder, KILLS) >= KILLS
