"""Many runs: a grid or a sample of settings, each replicated, kept once, resumable, asked in place.

    table = dropcurve.sweep("droptail_vs_red", {"queue.max_p": [0.02, 0.1], "flows.tcp.count": "2..64"}, points=32)
    table.query("select queue_max_p, avg(utilisation) from runs group by all")

`design` says which settings, `execute` reads the runs that are stored and makes the others (`make` on
threads, `batches` on Dask), `run_table` keeps their rows, `table` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import ResultError, UsageError
from ...files import checksums
from ...files.writing import draft, write_text
from ...quantities import values
from ...quantities.ranges import Range
from ...results.occupied import check_sweep
from ...scenario import Scenario, library
from .. import command_line, derived
from ..executor import Executor
from ..job import Job, build
from ..replicate import REPLICATIONS
from . import columns, design
from .execute import Tell, execute
from .run_table import RunTable
from .table import FORMAT, Sweep

__all__ = ["Sweep", "sweep"]

#: Most runs of a sweep whose records are stored too, a millisecond each, so that other commands need not make them.
RECORDED = 200
#: Runs handed to the threads between looks at what is there; bounds memory, not results.
SLICE = 20_000


def sweep(
    scenario: Scenario | str | Path,
    vary: Mapping[str, Sequence[Any] | Range | str] | None = None,
    *,
    queues: Sequence[str] = (),
    at: str = "queue",
    points: int | None = None,
    method: str = "sobol",
    seed: int = 1,
    replications: int | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    out: str | Path,
    force: bool = False,
    store: str | Path | None = None,
    cache: str | Path | None = None,
    progress: Tell | None = None,
) -> Sweep:
    """Runs a scenario at many settings and stores a table of all runs in a folder.

    The same call after an interruption resumes; one that asks for more makes only what is missing.

    Args:
        scenario: A scenario, the path of its file, or the name of one that ships with dropcurve.
        vary: For each path a list of values, of which every combination is run, or a range (``"0.01..0.5"``,
            ``"10 ms..200 ms log"``).
        queues: Disciplines as for `compare`, and ``at`` the path at which they are set.
        points: Settings at which all ranges are sampled (default 64), by ``method``: "sobol", "latin" or "random".
        seed: Of the first replication, and of the sample.
        replications: Runs of each setting (default 10).
        jobs: Threads.
        cluster: A Dask cluster instead: the address of its scheduler, ``local:N`` or ``slurm:...``.
        out: Folder of the sweep; one with the result of another scenario is refused unless ``force``.
        store: A folder of runs that several sweeps share.
        cache: Folder of the store of runs, or "off" (`dropcurve.runs.cache`); a sweep reads the runs in it.
        progress: Called with (runs done, runs needed).

    Returns:
        The sweep, whose table `Sweep.query` reads.

    Raises:
        DropcurveError: Scenario, settings, folder or cluster are refused.

    Example:
        >>> table = dropcurve.sweep("droptail_vs_red", {"queue.max_p": [0.02, 0.1]}, out="sweep")
        >>> table.query("select queue_max_p, avg(utilisation) from runs group by all")
    """
    seeds = _seeds(seed, REPLICATIONS if replications is None else replications)
    where = Executor(jobs, cluster)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    vary = dict(vary or {})
    found = design.points(base, vary, queues=list(queues), at=at, samples=points, method=method, seed=seed)
    folder = Path(out)
    if not force:
        check_sweep(folder, base.resolved)
    kept = RunTable(folder / "runs" if store is None else Path(store), build(), cache=cache)
    kept.open()
    record = {
        "format": FORMAT, "version": library.version(), "build": build(), "title": base.title,
        "command": _command(base, vary, list(queues), at, points, method, seed, replications),
        "seeds": seeds, "settings": columns.names(found), "grid": _is_grid(vary, base),
        "store": "runs" if store is None else str(Path(store).resolve()), "scenario": base.resolved,
    }  # fmt: skip
    _write(folder, record, found)
    _run(found, seeds, kept, where, progress)
    kept.adopt()
    kept.compact()
    if store is None:
        _seal(folder, kept)
    return Sweep(folder, record)


def _seeds(first: int, count: int) -> list[int]:
    """Returns the seeds of the replications. Raises UsageError for numbers that no run takes."""
    if count < 1:
        raise UsageError(f"replications = {count}: must be 1 or more")
    if not 0 <= first < 2**62:
        raise UsageError(f"seed = {first}: must be a whole number, 0 or more, of at most 18 digits")
    return list(range(first, first + count))


def _is_grid(vary: Mapping[str, Any], base: Scenario) -> bool:
    """Whether every axis is a list of values."""
    return not any(isinstance(axis, Range) for axis in design.axes_of(vary, base).values())


def _seal(folder: Path, kept: RunTable) -> None:
    """Stores the checksums of the files of runs, which never change once they are there."""
    known = set(checksums.covered(folder))
    checksums.update(
        folder, [path for path in kept.files() if path.relative_to(folder).as_posix() not in known]
    )


def _run(
    found: list[design.DesignPoint], seeds: list[int], kept: RunTable, where: Executor, progress: Tell | None
) -> None:
    """Makes what is missing, all points of a seed before the next, so that an interrupted sweep covers them all."""
    have = kept.keys()
    scenarios = {point.scenario.hash: point.scenario for point in found}
    whole = len(scenarios) * len(seeds)
    recorded = whole <= RECORDED and where.cluster is None
    missing = [
        Job(one, seed, derived.keep(one, series=seed == seeds[0]) if recorded else "summary")
        for seed in seeds
        for one in scenarios.values()
        if (one.hash, seed) not in have
    ]
    before = whole - len(missing)
    if progress is not None:
        progress(before, whole)
    if not missing:
        return
    with where.opened() as there:
        for start in range(0, len(missing), SLICE):

            def tell(done: int, _: int, *, first: int = before + start) -> None:
                if progress is not None:
                    progress(first + done, whole)

            execute(missing[start : start + SLICE], kept, where=there, take=lambda _: None, done=tell)


def _write(folder: Path, record: dict[str, Any], found: list[design.DesignPoint]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft(folder / "points.parquet") as beside:
            parquet.write_table(pa.table(columns.columns(found)), beside, write_page_checksum=True)
        write_text(folder / "sweep.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        checksums.update(folder, [folder / "points.parquet", folder / "sweep.json"])
    except OSError as error:
        where = error.filename or folder
        raise ResultError(f"{where}: cannot be written: {error.strerror or error}") from None


def _command(
    base: Scenario, vary: Mapping[str, Any], queues: Sequence[str], at: str, points: int | None, method: str,
    seed: int, replications: int | None,
) -> str:  # fmt: skip
    def shown(some: Sequence[Any] | Range | str) -> str:
        if isinstance(some, Range):
            unit = f" {some.unit}" if some.unit else ""
            return f"{some.low:g}{unit}..{some.high:g}{unit} {some.scale}"
        return some if isinstance(some, str) else ",".join(map(values.show, some))

    return command_line.line("sweep", [base.origin or f"{base.name}.toml"], [
        *command_line.edits(base.edits),
        *(("queue", queue) for queue in queues),
        *([] if at == "queue" else [("at", at)]),
        *(("vary", f"{path}={shown(some)}") for path, some in vary.items()),
        ("points", points), ("method", None if method == "sobol" else method),
        ("seed", seed), ("replications", replications or REPLICATIONS),
    ])  # fmt: skip
