"""The runs of the atlas, stored by the folder given with ``--runs``: an interrupted or a larger call makes the missing
runs, on threads of this machine or on a Dask cluster."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dropcurve.errors import DropcurveError
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import Job, build
from dropcurve.runs.sweeping.execute import execute
from dropcurve.runs.sweeping.rows import Row, key
from dropcurve.runs.sweeping.run_table import RunTable

from .draw import Draw, Traffic, drawn, kept

#: Draws handed out at once; the two kinds of traffic take turns.
BLOCK = 250
#: Seed of the draws.
SEED = 31


def table(folder: Path) -> RunTable:
    """The stored runs, opened."""
    run_table = RunTable(folder / "runs", build(), cache="off")
    run_table.open()
    return run_table


def make(folder: Path, counts: dict[Traffic, int], executor: Executor) -> float:
    """Executes the runs that are missing and returns the processor hours that this process has spent on them; on a
    cluster those of its own process alone."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    with executor.opened() as elsewhere:
        for kind, first in _blocks(folder, counts):
            _block(folder, kind, first, min(BLOCK, counts[kind] - first), elsewhere)
            sys.stderr.write(f"{kind}: {min(first + BLOCK, counts[kind])} of {counts[kind]}\n")
    spent = (time.process_time() - began) / 3600.0
    with (folder / "cost.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps({"hours": spent, "build": build()}) + "\n")
    return spent


def _blocks(folder: Path, counts: dict[Traffic, int]) -> Iterator[tuple[Traffic, int]]:
    """Blocks that are not complete, the two kinds in proportion to their counts."""
    blocks = [
        (first / count, kind, first)
        for kind, count in counts.items()
        for first in range(0, count, BLOCK)
        if not _index(folder, kind, first).exists()
    ]
    for _, kind, first in sorted(blocks):
        yield kind, first


def _index(folder: Path, kind: Traffic, first: int) -> Path:
    return folder / "index" / f"{build()}-{SEED}-{kind}-{first}.json"


def _block(folder: Path, kind: Traffic, first: int, count: int, executor: Executor) -> None:
    """Executes one block and notes which run belongs to which draw."""
    store = table(folder)
    jobs = []
    for one in drawn(kind, range(first, first + count), seed=SEED):
        if kept(one):
            try:
                jobs.append((one.number, Job(one.scenario(), one.seed)))
            except DropcurveError:
                continue  # the scenario refuses the design, say a threshold of RED beyond a small buffer
    have = store.keys()
    began, cpu = time.perf_counter(), time.process_time()
    execute([job for _, job in jobs if job.key not in have], store, executor=executor, take=lambda _: None)
    path = _index(folder, kind, first)
    path.parent.mkdir(parents=True, exist_ok=True)
    note = {
        "draws": [[number, *job.key] for number, job in jobs],
        "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - began,
    }  # fmt: skip
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(note), encoding="utf-8")
    fresh.replace(path)


def finished(folder: Path, kind: Traffic) -> Iterator[tuple[Draw, Row]]:
    """Every finished draw of a kind with the row of its run."""
    rows = {key(row): row for row in table(folder).rows()}
    files = sorted((folder / "index").glob(f"{build()}-{SEED}-{kind}-*.json"), key=_first)
    for path in files:
        draws = json.loads(path.read_text(encoding="utf-8"))["draws"]
        numbers = [number for number, _, _ in draws]
        for one, (_, scenario, seed) in zip(drawn(kind, numbers, seed=SEED), draws, strict=True):
            yield one, rows[(scenario, seed)]


def cost_h(folder: Path) -> float:
    """Processor hours of all finished blocks, the drawing of their conditions not counted."""
    files = (folder / "index").glob(f"{build()}-{SEED}-*.json")
    return sum(float(json.loads(path.read_text(encoding="utf-8"))["cpu_s"]) for path in files) / 3600.0


def _first(path: Path) -> int:
    return int(path.stem.rsplit("-", 1)[1])
