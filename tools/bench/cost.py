"""Writes `docs/disciplines/cost.md`, and the table of report cards: instructions and nanoseconds of a packet.

    python tools/bench/cost.py

Instructions: the bench `disc` takes few and many packets under valgrind; the difference over the difference
in packets leaves out the start. Nanoseconds: the best of seven runs of the same bench, on this machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from instructions import ROOT, build, output

PAGE = ROOT / "docs/disciplines/cost.md"
TABLE = ROOT / "python/dropcurve/evaluation/instructions.py"
FEW, MANY = 20_000, 60_000
PLAIN = "droptail"

HEAD = """# What a packet costs

One arrival and one departure in each discipline, at its defaults except for `limit = "100 pkts"`,
compared with plain tail drop. A packet of 1000 bytes arrives every 0.8 ms, from eight flows in turn,
and the queue is held near 10 packets. The cost includes drops, controller ticks and the loop of the
benchmark, which is the same for each.

*Instructions* ({compiler}, x86-64 without extensions) do not depend on the load of the machine.
*ns* are the best of seven runs on a machine of two cores that had other work. `tools/bench/cost.py`
writes this page from `crates/queue/benches/disc.rs`, which prints the dialects too
(`cargo bench -p dropcurve-queue`).

| Discipline | Instructions | ns | Instructions above tail drop |
|---|---:|---:|---:|
"""


def main() -> int:
    """Measures and writes the page; the status to exit with."""
    if shutil.which("valgrind") is None:
        print("cost: SKIPPED, because valgrind is not installed")
        return 0
    bench = build("dropcurve-queue", "disc")
    nanoseconds = times(output(str(bench)))
    counted = {kind: instructions(bench, kind) for kind in nanoseconds}
    rows = [
        f"| [`{kind}`]({kind}.md) | {each:.0f} | {nanoseconds[kind]:.0f} | {each / counted[PLAIN]:.1f} |"
        for kind, each in sorted(counted.items(), key=lambda item: item[1])
    ]
    compiler = "Rust " + output("rustc", "--version").split()[1]
    PAGE.write_text(HEAD.format(compiler=compiler) + "\n".join(rows) + "\n", encoding="utf-8")
    head, _, _ = TABLE.read_text(encoding="utf-8").partition("{\n")
    body = "".join(f'    "{kind}": {each:.0f},\n' for kind, each in sorted(counted.items()))
    TABLE.write_text(f"{head}{{\n{body}}}\n", encoding="utf-8")
    return 0


def times(output: str) -> dict[str, float]:
    """Nanoseconds for each kind at its defaults, from the output of the bench."""
    rows = re.findall(r"^(\w+) +- +([\d.]+) ns", output, flags=re.MULTILINE)
    return {kind: float(ns) for kind, ns in rows}


def instructions(bench: Path, kind: str) -> float:
    """Instructions for each packet."""
    low, high = (collected(bench, kind, packets) for packets in (FEW, MANY))
    return (high - low) / (MANY - FEW)


def collected(bench: Path, kind: str, packets: int) -> int:
    """Instructions of a whole run."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*tool, str(bench), kind, str(packets)], check=True, capture_output=True, text=True)
    count = re.search(r"Collected : (\d+)", done.stderr)
    if count is None:
        sys.exit(f"cost: cannot parse the output of valgrind:\n{done.stderr}")
    return int(count[1])


if __name__ == "__main__":
    sys.exit(main())
