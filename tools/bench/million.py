"""Seconds and memory that a table of a million runs takes to store and to query.

    .venv/bin/python tools/bench/million.py FOLDER [--runs 1000000]

makes a few real runs and stores each of them many times, as a sweep does. Each copy has another hash, and its numbers
are scattered by a tenth, so that they compress no better than those of real runs. Prints a table of the seconds and the
peak memory of each step; each step runs in a process of its own. Linux only (`/proc`).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

import dropcurve as dc
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.runs.sweeping.table import Sweep

SEEDS = 10
BY_FLOWS = "select flows_tcp_count, avg(loss), quantile_cont(sojourn_ms_p95, 0.95) from runs group by all"
QUERIES = (
    "select count(*) from runs",
    "select avg(loss) from runs",
    BY_FLOWS,
    "select * from runs where point = 4711",
)
CALLS = ("to_polars", "to_pandas", "to_xarray")


def fill(folder: Path, runs: int) -> None:
    """A sweep of `runs` runs at a tenth as many points."""
    base = dc.Scenario.load("droptail_vs_red").edit([("run.warmup", "0.5 s"), ("run.duration", "2 s")])
    vary = {"dumbbell.delay": "5ms..50ms", "flows.tcp.count": "2..32"}
    table = dc.sweep(base, vary, points=4, replications=1, out=folder)
    store = table.store
    real = list(store.rows())
    for path in store.files():
        path.unlink()
    rng, points = random.Random(1), runs // SEEDS
    hashes = [f"{rng.getrandbits(64):016x}" for _ in range(points)]
    columns = {
        "point": range(points), "scenario": hashes, "dumbbell_delay_ms": [rng.uniform(5, 50) for _ in hashes],
        "flows_tcp_count": [rng.randrange(2, 33) for _ in hashes],
    }  # fmt: skip
    parquet.write_table(pa.table(columns), folder / "points.parquet")
    record = {**table.record, "seeds": list(range(1, SEEDS + 1))}
    (folder / "sweep.json").write_text(json.dumps(record), encoding="utf-8")
    with RunTable(store.folder, store.build).writer() as writer:
        for seed in record["seeds"]:
            for place, name in enumerate(hashes):
                row = {
                    column: value * rng.uniform(0.9, 1.1) if isinstance(value, float) else value
                    for column, value in real[place % len(real)].items()
                }
                writer.add({**row, "scenario": name, "seed": seed})
                writer.tidy()


def ask(folder: Path, what: str) -> None:
    """One step; prints its seconds and the memory that it took."""
    import duckdb
    import pandas
    import polars
    import xarray

    assert duckdb and pandas and polars and xarray, (
        "what takes time to import is there before the clock starts"
    )
    began = time.perf_counter()
    if what == "compact":
        Sweep.load(folder).store.compact()
    elif what in CALLS:
        getattr(Sweep.load(folder), what)()
    else:
        Sweep.load(folder).query(what).fetchall()
    print(json.dumps({"s": time.perf_counter() - began, "mib": most_mib()}))


def most_mib() -> float:
    """The most memory this process held so far."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) / 1024.0 for line in lines if line.startswith("VmHWM:"))


def main() -> int:
    """Fills, asks in children, prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--ask", help="one step alone")
    options = parser.parse_args()
    if options.ask:
        ask(options.folder, options.ask)
        return 0
    began = time.perf_counter()
    fill(options.folder, options.runs)
    print("| step | s | most memory (MiB) |\n|---|--:|--:|")
    print(f"| keep | {time.perf_counter() - began:.0f} | {most_mib():.0f} |", flush=True)
    for what in ("compact", *QUERIES, *CALLS):
        command = [sys.executable, __file__, str(options.folder), "--ask", what]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        measured = json.loads(done.stdout)
        print(f"| `{what}` | {measured['s']:.1f} | {measured['mib']:.0f} |", flush=True)
    size = sum(path.stat().st_size for path in (options.folder / "runs").glob("part-*"))
    columns = len(parquet.read_schema(next((options.folder / "runs").glob("part-*"))).names)
    print(f"\n{options.runs} runs, {columns} columns, {size / 2**20:.0f} MiB on disk")
    return 0


if __name__ == "__main__":
    sys.exit(main())
