"""How much faster two jobs are than one: `run` with replications, and `sweep`.

    .venv/bin/python tools/bench/jobs.py [--rounds N]

Each command runs with one job and with two in turn, in a folder of its own, so that no stored result is used. A row
has the median elapsed time and CPU time of both in seconds, and the ratio of the elapsed times. It needs two idle
cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import dropcurve as dc

SCENARIO = "droptail_vs_red"
REPLICATIONS = 200
FLOWS = [4, 8, 12, 16]

# The commands, by the number of jobs and the folder for the answer.
QUESTIONS: dict[str, Callable[[int, Path], object]] = {
    "run": lambda jobs, _: dc.run(SCENARIO, replications=REPLICATIONS, jobs=jobs),
    "sweep": lambda jobs, out: dc.sweep(
        SCENARIO, {"flows.tcp.count": FLOWS}, replications=REPLICATIONS // len(FLOWS), jobs=jobs, out=out
    ),
}


def timed(question: Callable[[int, Path], object], jobs: int) -> tuple[float, float]:
    """Seconds on the clock and of processor time of one answer."""
    with tempfile.TemporaryDirectory() as folder:
        begun, used = time.perf_counter(), time.process_time()
        answer = question(jobs, Path(folder) / "answer")
        taken = time.perf_counter() - begun, time.process_time() - used
        # Removing the answer's folder is no part of the measured time.
        del answer
        return taken


def main(arguments: Sequence[str]) -> int:
    """Prints the table; the status to exit with."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args(arguments).rounds
    if (os.cpu_count() or 1) < 2:
        print("jobs: SKIPPED, because the machine has only one core")
        return 0
    print("question  one job s  processor s  two jobs s  processor s  faster by")
    for name, question in QUESTIONS.items():
        timed(question, 1)
        taken = [(timed(question, 1), timed(question, 2)) for _ in range(rounds)]
        one, two = ([median(run[jobs][i] for run in taken) for i in (0, 1)] for jobs in (0, 1))
        print(
            f"{name:<9} {one[0]:>9.2f}  {one[1]:>11.2f}  {two[0]:>10.2f}  {two[1]:>11.2f}  {one[0] / two[0]:>9.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
