"""The same work here, here hop by hop, in ns-2 and in ns-3: processor time for each segment delivered.

    python tools/bench/peers.py [--rounds N] [--without SIDE] [--queue KIND] [--hops N] [FLOWS:SECONDS[:ROUNDS]]...

Without cases: 3 rounds of 10:60 and 100:10, 2 of 1000:2, which takes some ten minutes, nearly all of them in ns-3:
with ``--without ns-3`` longer runs are a matter of seconds.

The work is that of crates/sim/benches/runs/dumbbell.rs; tools/bench/dumbbell.tcl and dumbbell.cc describe it for the
others. With another queue than RED, or with several links in a row, it is a cell of cells.py, which hop by
hop leaves out; ours then is the event loop, too. ns-3 has FQ-CoDel, with CUBIC flows, and ns-2 the others.
Runs go in turn, so that other load on the machine meets all of them; a figure is the median, with half the range behind
it. Ours counts the whole process, theirs the event loop alone. A peer that is not installed is left out with a message.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from cells import Cell, scenario_of
from instructions import ROOT, build, output

HERE = Path(__file__).parent
NS3 = ["applications", "internet", "point-to-point", "traffic-control", "network", "core"]
SIDES = ["hops", "ns-2", "ns-3"]
QUEUES = ["red", "droptail", "sfq", "fq_codel"]
# The chains of cells.py have four.
HOPS = [1, 4]
# With a thousand flows ns-3 takes more than a minute for a second.
CASES = ["10:60", "100:10", "1000:2:2"]
# Work counts as the same if the segments delivered agree to within this.
SAME = 0.02


class Cost(NamedTuple):
    """Segments delivered, and nanoseconds of processor for each."""

    segments: int
    each: float


Side: TypeAlias = Callable[[str, str], Cost]


def main(arguments: Sequence[str]) -> int:
    """Prints the table; the status to exit with."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--without", action="append", default=[], choices=SIDES, metavar="SIDE", help=", ".join(SIDES)
    )
    parser.add_argument("--queue", default="red", choices=QUEUES)
    parser.add_argument("--hops", type=int, default=1, choices=HOPS)
    parser.add_argument("cases", nargs="*", default=CASES, metavar="FLOWS:SECONDS[:ROUNDS]")
    options = parser.parse_args(arguments)
    if options.queue == "fq_codel" and options.hops > 1:
        parser.error("--hops: with fq_codel must be 1; leave it out")
    ordinary = options.queue == "red" and options.hops == 1
    sides = found(options.without) if ordinary else found_for(options.queue, options.hops, options.without)
    print("flows  seconds  side      segments   ns/segment            ours is faster by")
    for case in options.cases:
        flows, seconds, *rounds = case.split(":")
        costs: dict[str, list[Cost]] = {name: [] for name in sides}
        for done in range(int(rounds[0]) if rounds else options.rounds):
            for name, side in sides.items():
                costs[name].append(side(flows, seconds))
                line = f"round {done + 1}, {flows} flows, {name}: {costs[name][-1].each:.0f} ns"
                print(f"peers: {line}", file=sys.stderr)
        show(flows, seconds, costs)
    return 0


def found(without: Sequence[str] = ()) -> dict[str, Side]:
    """Programs that are compared."""
    bench = build(learned=True)
    sides: dict[str, Side] = {"folded": lambda flows, seconds: ours(bench, flows, seconds, "folded")}
    if "hops" not in without:
        sides["hops"] = lambda flows, seconds: ours(bench, flows, seconds, "hops")
    sides |= ns2(without)
    program = build_ns3() if "ns-3" not in without else None
    if program is not None:
        sides["ns-3"] = lambda flows, seconds: theirs([str(program), flows, seconds])
    return sides


def found_for(queue: str, hops: int, without: Sequence[str]) -> dict[str, Side]:
    """Programs that are compared with this queue and this many links in a row."""
    bench = build(learned=True)
    sides: dict[str, Side] = {"folded": lambda flows, seconds: our_cell(bench, queue, hops, flows, seconds)}
    if queue != "fq_codel":
        return sides | ns2(without, queue, str(hops))
    program = build_ns3() if "ns-3" not in without else None
    if program is not None:
        sides["ns-3"] = lambda flows, seconds: theirs([str(program), flows, seconds, queue])
    return sides


def ns2(without: Sequence[str], *more: str) -> dict[str, Side]:
    """ns-2, if it is installed and wanted, with these further arguments of its script."""
    if "ns-2" in without:
        return {}
    if shutil.which("ns") is None:
        print("peers: ns-2 left out, because it is not installed (Debian: ns2)")
        return {}
    script = str(HERE / "dumbbell.tcl")
    return {"ns-2": lambda flows, seconds: theirs(["ns", script, flows, seconds, *more])}


def build_ns3() -> Path | None:
    """Builds our program for ns-3; `None`, with a message, if that is not possible."""
    if shutil.which("g++") is None or not Path("/usr/include/ns3/core-module.h").exists():
        print("peers: ns-3 left out, because it or g++ is not installed (Debian: libns3-dev, g++)")
        return None
    program = ROOT / "target/bench/ns3-dumbbell"
    program.parent.mkdir(parents=True, exist_ok=True)
    libraries = [f"-lns3-{name}" for name in NS3]
    source = str(HERE / "dumbbell.cc")
    subprocess.run(["g++", "-O2", "-std=c++17", source, "-o", str(program), *libraries], check=True)
    return program


def show(flows: str, seconds: str, costs: dict[str, list[Cost]]) -> None:
    """Prints the rows of one case."""
    own = costs["folded"]
    for name, runs in costs.items():
        each = sorted(run.each for run in runs)
        ratio = median(each) / median(run.each for run in own)
        spread = (each[-1] - each[0]) / 2
        apart = runs[0].segments / own[0].segments - 1
        word = "" if abs(apart) <= SAME else f"   not the same work: segments differ by {100 * apart:+.1f} %"
        figure = f"{median(each):.0f} ± {spread:.0f}"
        print(
            f"{flows:<6} {seconds:<8} {name:<8} {runs[0].segments:>9}   {figure:<18} {ratio:>8.1f}{word}",
            flush=True,
        )


def ours(bench: Path, flows: str, seconds: str, mode: str) -> Cost:
    """One run of the bench, the whole process counted."""
    printed = output(str(bench), flows, seconds, mode)
    segments = re.match(r"(\d+) segments", printed)
    process = re.search(r"([\d.]+) ms in all", printed)
    if segments is None or process is None:
        sys.exit(f"peers: cannot read what the bench printed: {printed}")
    return Cost(int(segments[1]), 1e6 * float(process[1]) / int(segments[1]))


def our_cell(bench: Path, queue: str, hops: int, flows: str, seconds: str) -> Cost:
    """One run of a cell, its event loop counted."""
    cell = Cell(queue, "cubic" if queue == "fq_codel" else "sack", "chain" if hops > 1 else flows)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        text = scenario_of(cell, int(flows), float(seconds), 0)
        # As in ns-2, which drops early only where two packets are queued.
        file.write(text.replace('kind = "red"\n', 'kind = "red"\nmin_queue = "2"\n'))
        file.flush()
        printed = output(str(bench), file.name)
    read = re.match(r"(\d+) segments, ([\d.]+) ns", printed)
    if read is None:
        sys.exit(f"peers: cannot read what the bench printed: {printed}")
    return Cost(int(read[1]), float(read[2]))


def theirs(command: list[str]) -> Cost:
    """One run of a peer, its event loop counted."""
    printed = output(*command)
    read = re.search(r"(\d+) segments, ([\d.]+) ns each in the event loop", printed)
    if read is None:
        sys.exit(f"peers: cannot read what {command[0]} printed: {printed}")
    return Cost(int(read[1]), float(read[2]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
