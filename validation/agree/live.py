"""Runs of ns-2 with the project's own scripts: how to run it, and the tables that can be recorded again.

    python -m validation.agree.live TABLE ROWS SEEDS OUT     records rows of a table again, with more seeds

A row of a table becomes the arguments of `ns2/dumbbell.tcl`, which states the same network on its own.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import means
from .cases import AgreementCase
from .context import ROOT, Context

Row = Mapping[str, str]
#: Tables whose rows `dumbbell.tcl` can run.
TABLES = ("wtred", "cnodder", "redat_ftp", "hassan_tcp")
SCRIPTS = ROOT / "validation" / "agree" / "ns2"
#: No run of another program may take longer, in seconds.
PATIENCE_S = 1800


def available() -> bool:
    """Whether there is an ns-2 to run."""
    return shutil.which("ns") is not None


def absent(program: str, lack: str) -> AgreementCase:
    """One case in place of all those of a program that is not installed."""
    return AgreementCase(f"all of {program}", missing=f"{lack} on this machine")


def attempt(name: str, work: Callable[[], AgreementCase]) -> AgreementCase:
    """A case, or that the other program failed at it: one failure does not end the comparison."""
    try:
        return work()
    except subprocess.SubprocessError as error:
        output = getattr(error, "stderr", None) or ""
        last = output.strip().splitlines()[-1] if isinstance(output, str) and output.strip() else str(error)
        return AgreementCase(name, missing=f"a run that ended well ({last[:120]})")


def run_program(*words: str) -> str:
    """Returns the output of ns-2 for these arguments."""
    command = ["ns", str(SCRIPTS / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return done.stdout


def arguments(table: str, row: Row) -> dict[str, str]:
    """Returns the arguments of `dumbbell.tcl` for a row."""
    parameters_of = {"wtred": _wtred, "cnodder": _cnodder, "redat_ftp": _redat, "hassan_tcp": _hassan}[table]
    keys = ("buf", "minth", "maxth", "maxp", "wq", "wait", "gentle", "window")
    values = {key: row[key] for key in keys if key in row}
    values["years"] = "2000" if row["profile"] == "era" else "2011"
    values["from"], values["until"] = row["tmeas"], row["dur"]
    return values | parameters_of(row)


def _wtred(row: Row) -> dict[str, str]:
    size = int(row["buf"])
    thresholds = {"minth": f"{0.4 * size:g}", "maxth": f"{0.7 * size:g}"} if row["thr"] == "pct" else {}
    return {"aqm": row["aqm"], "overhead": row["overhead"], **thresholds}


def _cnodder(row: Row) -> dict[str, str]:
    sink = "TCPSink/Sack1" if row["tcp"] == "Sack1" else "TCPSink"
    same = {key: row[key] for key in ("aqm", "delay", "bytes", "qib", "meanpkt", "tick", "tcp")}
    path = {"rate": "30Mb", "near": "100Mb", "nearlow": "0.001", "nearhigh": "0.0029", "far": "100Mb"}
    load = {"sizes": "1500 750 375", "each": "20", "starts": "2", "window": "1000"}
    return {**same, **path, **load, "back": "5000", "sink": sink}


def _redat(row: Row) -> dict[str, str]:
    kind = {"aqm": "DropTail" if row["scheme"] == "DropTail" else "RED"}
    kind["gentle"] = "true" if row["scheme"] == "GRED" else "false"
    path = {
        "rate": row["rate"],
        "delay": row["delay"],
        "near": "100Mb",
        "nearlow": "0.001",
        "nearhigh": "0.009",
    }
    load = {"sizes": "1000", "meanpkt": "1000", "each": row["N"], "starts": "5", "tcp": "Newreno"}
    return {**kind, **path, **load, "back": "2000"}


def _hassan(row: Row) -> dict[str, str]:
    kind = {"aqm": row["aqm"], "redback": "1" if row["aqm"] == "RED" else "0", "back": row["buf"]}
    path = {"rate": "1.5Mb", "delay": "20ms", "near": "10Mb", "nearlow": "0.006", "nearhigh": "0.006"}
    load = {"sizes": "1000", "meanpkt": "1000", "each": row["n"], "starts": "5", "tcp": "Sack1"}
    return {**kind, **path, **load, "far": "10Mb", "fardelay": "6ms", "sink": "TCPSink/Sack1"}


def once(pairs: Mapping[str, str], seed: int) -> dict[str, float]:
    """Returns the counters of one run of `dumbbell.tcl`."""
    words = [part for pair in pairs.items() for part in pair]
    text = run_program("dumbbell.tcl", *words, "seed", str(seed))
    return {key: float(value) for key, value in (pair.split("=") for pair in text.split())}


def record(table: str, row: Row, seeds: int, context: Context) -> dict[str, str]:
    """A row with the means and deviations of this many runs."""

    def run(seed: int) -> dict[str, float]:
        pairs = arguments(table, row)
        key = f"ns2 {table} {sorted(pairs.items())} {seed}"
        values: dict[str, float] = context.cached(key, lambda: once(pairs, seed))
        return values

    with ThreadPoolExecutor(context.jobs) as pool:
        runs = list(pool.map(run, range(1, seeds + 1)))
    return {**row, **means.row_of(runs)}


def main(words: Sequence[str]) -> None:
    """Records rows of a file, with the keys of each, and writes them to another file."""
    table, source, seeds, out = words[0], Path(words[1]), int(words[2]), Path(words[3])
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    recorded = [record(table, row, seeds, Context()) for row in rows]
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(recorded[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(recorded)


if __name__ == "__main__":
    main(sys.argv[1:])
