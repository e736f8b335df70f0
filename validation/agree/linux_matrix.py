"""Records Linux in virtual time for pairs of queue and sender: ``make record-linux COUNT=20`` adds 20 rows.

Number n is the same configuration on every machine: a pair of the matrix with rate, delay, flows and ECN drawn. A row
is the mean over near delays, so that one trajectory is not taken for a mean. A block of rows is one boot of the kernel.
The same build produces the same bytes each time, so a block can be recorded again and compared; another build of the
same version moves single rows by some per cent (3 % of the drops of row 163, 2 % of those of row 164).
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from . import live, live_linux, means
from .context import ROOT
from .record_linux import COLUMNS, KEYS, append

ROWS = ROOT / "validation" / "agree" / "data" / "linux_matrix.csv"
RIG = Path(__file__).parent / "linux_rig"
OUT = ROOT / "out" / "agree" / "linux-matrix"
#: Disciplines as arguments of `tc`; `{ecn}` where marking is an option, after `;` what `tc qdisc change` sets then.
QUEUES = {
    "pfifo": "pfifo limit {pkts}",
    "red": "red limit 150000 min 15000 max 45000 avpkt 1500 burst 20 probability 0.1 bandwidth {rate}{ecn}",
    "red_adaptive": "red limit 150000 min 15000 max 45000 avpkt 1500 burst 20 probability 0.1 bandwidth {rate}{ecn} "
    "adaptive",
    "gred": "gred setup DPs 1 default 0;gred DP 0 limit 150000 min 15000 max 45000 avpkt 1500 burst 20 "
    "probability 0.1 bandwidth {rate}{ecn}",
    "choke": "choke limit {pkts} min 15 max 45 avpkt 1000 burst 20 probability 0.1 bandwidth {rate}{ecn}",
    "sfb": "sfb limit {pkts}",
    "sfq": "sfq limit {pkts} divisor 1024",
    "pie": "pie limit {pkts}{ecn}",
    "fq_pie": "fq_pie{ecn}",
    "codel": "codel limit {pkts}{ecn}",
    "fq_codel": "fq_codel",
    "cake": "cake besteffort",
    "dualpi2": "dualpi2",
}
CONTROLS = (
    "reno", "cubic", "bbr", "dctcp", "vegas", "westwood", "htcp", "illinois", "bic", "highspeed", "hybla", "scalable",
    "yeah", "cdg", "veno",
)  # fmt: skip
RATES_MBIT = (2, 4, 4, 8, 8, 12, 12, 20, 20, 40)
DELAYS_MS = (5, 10, 20, 40, 80, 160, 200)
FLOWS = (1, 2, 2, 4, 4, 8, 8, 16, 16, 50)
LIMITS = (50, 100, 100)
NEAR_MS = (0, 1)
SECONDS = 15
#: Rows of one boot.
BLOCK = 5


def pairs() -> list[tuple[str, str]]:
    """Every queue with every sender, in an order drawn once; DCTCP only where there are marks."""
    all_pairs = [(q, c) for q in QUEUES for c in CONTROLS if c != "dctcp" or q not in ("pfifo", "sfq")]
    return Random("linux matrix").sample(all_pairs, len(all_pairs))


def drawn(number: int) -> dict[str, str]:
    """Configuration of this number, from 0 on."""
    every = pairs()
    queue, control = every[number % len(every)]
    rng = Random(f"linux matrix {number}")
    marks = queue not in ("pfifo", "sfq") and (control == "dctcp" or rng.random() < 1 / 3)
    return {
        "name": f"matrix{number}",
        "Q": queue,
        "CC": control,
        "ECN": str(int(marks)),
        "RATE": f"{rng.choice(RATES_MBIT)}mbit",
        "DELAY": f"{rng.choice(DELAYS_MS)}ms",
        "N": str(rng.choice(FLOWS)),
        "T": str(SECONDS),
        "PKTS": str(rng.choice(LIMITS)),
        "SEED": "7",
    }


def kernel() -> Path:
    """The kernel in virtual time: ``DROPCURVE_KERNEL``, or that of the rig of `live_linux`."""
    named = os.environ.get("DROPCURVE_KERNEL")
    return Path(named) if named else live_linux.oracle() / "linux-um"


def plan(rows: Sequence[Mapping[str, str]]) -> list[tuple[str, ...]]:
    """The lines of the guest's plan: each row over each of its near delays."""
    lines: list[tuple[str, ...]] = []
    for row in rows:
        ecn = " ecn" if row["ECN"] == "1" else ""
        queue = QUEUES[row["Q"]].format(pkts=row["PKTS"], rate=row["RATE"], ecn=ecn)
        for near_ms in NEAR_MS:
            delay = f"{float(row['DELAY'].removesuffix('ms')) + near_ms:g}ms"
            name = f"{row['name']}-{near_ms}"
            lines.append((name, queue, row["CC"], row["ECN"], row["RATE"], delay, row["N"], row["T"]))
    return lines


def record(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The rows with the kernel's results, from one boot."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    lines = plan(rows)
    (OUT / "plan").write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    subprocess.run(
        [RIG / "run", kernel(), OUT], capture_output=True, check=True, timeout=live.PATIENCE_S * BLOCK
    )
    recorded, marked_before = [], 0
    for row in rows:
        runs = []
        for near_ms in NEAR_MS:
            folder = OUT / f"{row['name']}-{near_ms}"
            demand_result(row["CC"], folder)
            marked = int((folder / "nstat.txt").read_text(encoding="utf-8").split()[2])
            runs.append(summary(folder, marked - marked_before))
            marked_before = marked
        middle = float(row["DELAY"].removesuffix("ms")) + statistics.fmean(NEAR_MS)
        recorded.append({**row, "DELAY": f"{middle:g}ms", **means.row_of(runs)})
    return recorded


def demand_result(control: str, folder: Path) -> None:
    """Raises a `KernelError` where iperf3 could not run, which names the remedy if the kernel lacks the control."""
    document = json.loads((folder / "iperf.json").read_text(encoding="utf-8"))
    if "sum_received" in document["end"]:
        return
    error = document.get("error", "no result")
    if "CONGESTION" in error:
        live_linux.demand([control], kernel())
    raise live_linux.KernelError(f"iperf3 in the guest: {error}; see {folder}")


def summary(folder: Path, marked: int) -> dict[str, float]:
    """Goodput in Mbit/s, mean backlog in bytes without the first quarter, drops, and packets that arrived marked."""
    end = json.loads((folder / "iperf.json").read_text(encoding="utf-8"))["end"]
    backlog = samples((folder / "queue.txt").read_text(encoding="utf-8"))
    last = (folder / "qdisc.txt").read_text(encoding="utf-8").split("qdisc ")[2]
    return {
        "goodput_mbps": end["sum_received"]["bits_per_second"] / 1e6,
        "backlog_mean": statistics.fmean(backlog[len(backlog) // 4 :]),
        "drops": int(re.findall(r"dropped (\d+)", last)[0]),
        "marks": marked,
    }


def samples(text: str) -> list[int]:
    """Bytes waiting in the discipline below the shaper, sample by sample."""
    scale = {"": 1, "K": 1024, "M": 1 << 20}
    values = []
    for part in text.split("qdisc ")[1:]:
        waiting = re.search(r"backlog (\d+)([KM]?)b", part)
        if waiting and not part.startswith("htb"):
            values.append(int(waiting[1]) * scale[waiting[2]])
    return values


def missing(count: int, first: int = 0) -> Iterator[list[dict[str, str]]]:
    """The next blocks that have no rows, at least this number of rows."""
    names: set[str] = set()
    if ROWS.exists():
        with ROWS.open(encoding="utf-8", newline="") as file:
            names = {row["name"] for row in csv.DictReader(file)}
    while count > 0:
        block = [drawn(number) for number in range(first, first + BLOCK)]
        if not names & {row["name"] for row in block}:
            count -= BLOCK
            yield block
        first += BLOCK


def main(count: int = 10, first: int = 0) -> int:
    """Records blocks of this number of rows or a few more, from number ``first`` on; a block is stored as it ends."""
    if lack := live_linux.lacking():
        sys.stderr.write(f"record-linux: needs {lack}\n")
        return 1
    for block in missing(count, first):
        try:
            rows = record(block)
        except live_linux.KernelError as error:
            sys.stderr.write(f"record-linux: {error}\n")
            return 1
        for row in rows:
            append(row, ROWS)
            sys.stderr.write(" ".join(f"{key}={row[key]}" for key in (*KEYS[:8], *COLUMNS)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
