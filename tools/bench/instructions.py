"""Counts the instructions of whole runs, which other work on the machine does not change.

    python tools/bench/instructions.py            print the table
    python tools/bench/instructions.py --check    fail where a case needs 3 % more than tools/bench/budget.json allows
    python tools/bench/instructions.py --write    write what was counted into the budget
    python tools/bench/instructions.py --learned  print the table of the build that is released (tools/learn.py)

Each case is two runs of the bench `runs` under valgrind, short and long: the difference in instructions over the
difference in segments leaves out the start. Cells of the matrix (`cells.py`) count after their warm-up. Counts belong
to a compiler, so a budget of another one is not compared.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from cells import Cell
from cells import count as count_cell

ROOT = Path(__file__).resolve().parents[2]
BUDGET = ROOT / "tools/bench/budget.json"
TOLERANCE = 1.03


class Case(NamedTuple):
    """Flows through RED: how many, the mode of the engine, and the seconds of the short and the long run."""

    flows: int
    mode: str
    short: int
    long: int


CASES = [
    Case(1, "folded", 20, 60),
    Case(10, "folded", 10, 30),
    Case(10, "folded series", 10, 30),
    Case(10, "hops", 10, 30),
    Case(100, "folded", 3, 6),
]
# Cells of the matrix (`matrix.py`) that stand for the others.
CELLS = [
    Cell("droptail", "sack", "10"),
    Cell("droptail", "linux", "10"),
    Cell("red", "bbr", "10"),
    Cell("pie", "cubic-ecn", "10"),
    Cell("fq_codel", "linux", "10"),
    Cell("cake", "bbr3", "10"),
]


def main(verb: str) -> int:
    """Counts all cases and runs the chosen command; returns the exit code."""
    if shutil.which("valgrind") is None:
        print("instructions: SKIPPED, because valgrind is not installed")
        return 0
    compiler = output("rustc", "--version")
    bench = build(learned=verb == "--learned")
    counted = {}
    print("flows  mode           instructions/segment  events/segment  instructions/event  start, millions")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (each, events, start) in zip(CASES, pool.map(partial(count, bench), CASES), strict=True):
            counted[f"{case.flows} {case.mode}"] = round(each, 1)
            row = f"{case.flows:<6} {case.mode:<14} {each:>20.0f} {events:>15.2f} {each / events:>19.0f}"
            print(f"{row} {start / 1e6:>16.2f}", flush=True)
        for cell, cost in zip(CELLS, pool.map(partial(count_cell, bench), CELLS), strict=True):
            counted[cell.name] = round(cost.instructions, 1)
            print(f"{cell.name:<21} {cost.instructions:>20.0f} {cost.events:>15.2f}", flush=True)
    if verb == "--write":
        BUDGET.write_text(json.dumps({"compiler": compiler, "instructions": counted}, indent=2) + "\n")
    return check(compiler, counted) if verb == "--check" else 0


def check(compiler: str, counted: dict[str, float]) -> int:
    """Compares with the budget; the status to exit with."""
    budget = json.loads(BUDGET.read_text(encoding="utf-8"))
    if budget["compiler"] != compiler:
        print(f"instructions: SKIPPED, the budget is of {budget['compiler']}, this is {compiler}")
        return 0
    allowed: dict[str, float] = budget["instructions"]
    over = {case: each for case, each in counted.items() if each > TOLERANCE * allowed[case]}
    for case, each in over.items():
        rise = 100 * (each / allowed[case] - 1)
        print(f"instructions: {case} needs {each:.0f} a segment, {rise:.1f} % more than {allowed[case]:.0f}")
    if over:
        print(
            "instructions: if something wanted costs that, tools/bench/instructions.py --write renews the budget"
        )
    else:
        print("instructions: within the budget")
    return 1 if over else 0


def build(package: str = "dropcurve-sim", bench: str = "runs", *, learned: bool = False) -> Path:
    """Builds a bench, plainly or as a release is built; the path of its program."""
    command = ["cargo", "bench", "-p", package, "--bench", bench, "--locked", "--no-run"]
    if learned:
        command = [sys.executable, str(ROOT / "tools/learn.py"), *command]
    command += ["--quiet", "--message-format=json"]
    # Other output, such as the kind of build, is progress.
    messages = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    artifacts = [json.loads(line) for line in messages.splitlines()]
    return next(Path(one["executable"]) for one in artifacts if one.get("executable"))


def count(bench: Path, case: Case) -> tuple[float, float, float]:
    """Instructions and events for each segment, and the instructions that do not depend on their number.

    They lie on a straight line through the short and the long run. The intercept at no segments is the start of the
    process, of the scenario and of the flows, and the end.
    """
    (low, few, _), (high, many, events) = (
        run(bench, case.flows, case.mode, seconds) for seconds in (case.short, case.long)
    )
    each = (high - low) / (many - few)
    return each, events, high - each * many


def run(bench: Path, flows: int, mode: str, seconds: int) -> tuple[int, int, float]:
    """Instructions, segments, and events for each segment of one run."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*tool, str(bench), str(flows), str(seconds), *mode.split()],
        check=True,
        capture_output=True,
        text=True,
    )
    line = re.match(r"(\d+) segments, .* and ([\d.]+) events", done.stdout)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if line is None or collected is None:
        sys.exit(
            f"instructions: cannot parse the output of the bench or of valgrind:\n{done.stdout}{done.stderr}"
        )
    return int(collected[1]), int(line[1]), float(line[2])


def output(*command: str) -> str:
    """Returns the output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
