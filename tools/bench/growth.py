"""How the cost of a segment, and memory, grow with the number of flows: the curve of docs/performance.md.

    python tools/bench/growth.py [--rounds N] [FLOWS:SECONDS]...     default: 3 rounds of 10:600 to 100000:2

The case is that of crates/sim/benches/runs/dumbbell.rs, folded. Cases go in turn, so that other load on the machine
meets all of them; a figure is the median, with half the range behind it. Nanoseconds are processor time of the run; the
start of the process and of the scenario is left out. Memory is the most that the whole process held at a time.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from instructions import build, output

CASES = ["10:600", "100:60", "1000:8", "10000:2", "100000:2"]


class Cost(NamedTuple):
    """Segments delivered, nanoseconds of processor for each, and the most bytes held."""

    segments: int
    each: float
    held: float


def main(arguments: Sequence[str]) -> int:
    """Prints the table; the status to exit with."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", default=CASES, metavar="FLOWS:SECONDS")
    options = parser.parse_args(arguments)
    bench = build(learned=True)
    costs: dict[str, list[Cost]] = {case: [] for case in options.cases}
    for done in range(options.rounds):
        for case, runs in costs.items():
            runs.append(measure(bench, *case.split(":")))
            print(
                f"growth: round {done + 1} of {options.rounds}, {case}: {runs[-1].each:.0f} ns",
                file=sys.stderr,
            )
    print("| Flows | Seconds | Segments | ns a segment | times the row above | most held, MB | kB a flow |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    above: float | None = None
    for case, runs in costs.items():
        flows, seconds = case.split(":")
        each = sorted(run.each for run in runs)
        middle, spread, held = median(each), (each[-1] - each[0]) / 2, max(run.held for run in runs)
        factor = "" if above is None else f"{middle / above:.1f}"
        above = middle
        # With few flows most of the memory is that of the process itself.
        kb = f"{held / 1e3 / int(flows):.1f}" if int(flows) >= 1000 else ""
        print(
            f"| {int(flows):,} | {seconds} | {runs[0].segments:,} | {middle:.0f} ± {spread:.0f} | {factor} "
            f"| {held / 1e6:.1f} | {kb} |".replace(",", " "),
            flush=True,
        )
    return 0


def measure(bench: Path, flows: str, seconds: str) -> Cost:
    """One run of the bench."""
    printed = output(str(bench), flows, seconds, "folded")
    read = re.match(r"(\d+) segments, ([\d.]+) ns .*, ([\d.]+) MB held", printed)
    if read is None:
        sys.exit(f"growth: cannot parse the output of the bench: {printed}")
    return Cost(int(read[1]), float(read[2]), 1e6 * float(read[3]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
