"""Records draws of six queues of Linux in virtual time: ``python -m validation.agree.record_linux 20`` adds 20 rows.

Draw number n is the same configuration on every machine. A row is the mean over near delays, so that one trajectory is
not taken for a mean; the same build of the kernel produces the same bytes each time, so a row can be recorded again and
compared.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from . import live_linux, means
from .context import ROOT

ROWS = ROOT / "validation" / "agree" / "data" / "linux_drawn.csv"
KEYS = ("name", "Q", "CC", "ECN", "RATE", "DELAY", "N", "T", "PKTS", "SEED")
QUEUES = ("pfifo", "red", "codel", "pie", "fq_codel", "cake")
#: Controls to draw from; CUBIC twice, because it is the most common.
CONTROLS = ("cubic", "cubic", "reno", "bbr", "dctcp", "vegas", "westwood", "htcp", "illinois")
RATES_MBIT = (2, 4, 8, 12, 20, 40, 80)
DELAYS_MS = (5, 10, 20, 40, 80, 160)
FLOWS = (1, 2, 4, 8, 16)
LIMITS = (50, 100, 200, 1000)
#: Number of near delays of a row, besides the drawn one, and seconds of a run.
NEAR_MS = (0, 1)
SECONDS = 40


def drawn(number: int) -> dict[str, str]:
    """Configuration of this number."""
    rng = Random(f"linux {number}")
    queue, control = rng.choice(QUEUES), rng.choice(CONTROLS)
    marks = queue not in ("pfifo", "cake") and (control == "dctcp" or rng.random() < 1 / 3)
    return {
        "name": f"draw{number}",
        "Q": queue,
        "CC": "reno" if control == "dctcp" and not marks else control,
        "ECN": str(int(marks)),
        "RATE": f"{rng.choice(RATES_MBIT)}mbit",
        "DELAY": f"{rng.choice(DELAYS_MS)}ms",
        "N": str(rng.choice(FLOWS)),
        "T": str(SECONDS),
        "PKTS": str(rng.choice(LIMITS)),
        "SEED": "7",
    }


def record(row: Mapping[str, str]) -> dict[str, str]:
    """The row with the kernel's results, over its near delays."""
    delay_ms = float(row["DELAY"].removesuffix("ms"))
    words = {key: row[key] for key in KEYS[1:] if row.get(key)}
    runs = []
    for near_ms in NEAR_MS:
        keys = {**words, "DELAY": f"{delay_ms + near_ms:g}ms"}
        runs.append(live_linux.once([f"{key}={value}" for key, value in keys.items()], columns=COLUMNS))
    return {**row, "DELAY": f"{delay_ms + sum(NEAR_MS) / len(NEAR_MS):g}ms", **means.row_of(runs)}


#: Columns of the kernel's summary that a row has.
COLUMNS = ("goodput_mbps", "backlog_mean", "drops", "marks")


def stored() -> list[dict[str, str]]:
    """Rows recorded so far."""
    if not ROWS.exists():
        return []
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def missing(count: int) -> Iterator[dict[str, str]]:
    """The next draws that have no row."""
    names = {row["name"] for row in stored()}
    number = 0
    while count > 0:
        number += 1
        row = drawn(number)
        if row["name"] not in names:
            count -= 1
            yield row


def append(row: Mapping[str, str], path: Path = ROWS) -> None:
    """Adds a row to the table."""
    head = [*KEYS, "seeds", *(name for column in COLUMNS for name in (column, f"{column}_sd"))]
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, head, lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow({key: row.get(key, "") for key in head})


def main(count: int = 10) -> int:
    """Records this number of further rows; each is stored as it ends."""
    if lack := live_linux.lacking():
        sys.stderr.write(f"record-linux: needs {lack}\n")
        return 1
    for row in missing(count):
        recorded = record(row)
        append(recorded)
        sys.stderr.write(" ".join(f"{key}={recorded[key]}" for key in (*KEYS[:8], *COLUMNS)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
