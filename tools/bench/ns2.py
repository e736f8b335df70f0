"""The same work here and in ns-2: processor time of the event loop for each segment delivered, and of the set-up.

    python tools/bench/ns2.py [FLOWS SECONDS]...        default: 10 60  100 20  1000 5

Runs the bench `dumbbell` and tools/bench/dumbbell.tcl in turn, so that other load on the machine meets both.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from instructions import ROOT, build, output

SCRIPT = ROOT / "tools/bench/dumbbell.tcl"
CASES = ["10", "60", "100", "20", "1000", "5"]
ROUNDS = 3


def main(numbers: list[str]) -> int:
    """Prints the table; the status to exit with."""
    if shutil.which("ns") is None:
        print("ns2: SKIPPED, because ns-2 is not installed")
        return 0
    bench = build()
    print("flows  segments: ours    ns-2   ns/segment: ours    ns-2  ratio   set-up of ns-2")
    for flows, seconds in zip(numbers[::2], numbers[1::2], strict=True):
        ours = [ours_in(bench, flows, seconds) for _ in range(ROUNDS)]
        theirs = [theirs_in(flows, seconds) for _ in range(ROUNDS)]
        (n, fast), (m, slow, before) = min(ours, key=lambda r: r[1]), min(theirs, key=lambda r: r[1])
        print(f"{flows:<6} {n:>14} {m:>7} {fast:>18.0f} {slow:>7.0f} {slow / fast:>6.1f} {before:>14.2f} s")
    return 0


def ours_in(bench: Path, flows: str, seconds: str) -> tuple[int, float]:
    """Segments, and nanoseconds for each."""
    found = re.match(r"(\d+) segments, ([\d.]+) ns", output(str(bench), flows, seconds, "folded"))
    if found is None:
        sys.exit("ns2: cannot read what the bench said")
    return int(found[1]), float(found[2])


def theirs_in(flows: str, seconds: str) -> tuple[int, float, float]:
    """Segments, nanoseconds for each in the event loop, and seconds before it."""
    said = subprocess.run(
        ["ns", str(SCRIPT), flows, seconds], check=True, capture_output=True, text=True
    ).stdout
    found = re.search(r"(\d+) segments, ([\d.]+) ns each in the event loop, ([\d.]+) s before", said)
    if found is None:
        sys.exit(f"ns2: cannot read what ns-2 said: {said}")
    return int(found[1]), float(found[2]), float(found[3])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or CASES))
