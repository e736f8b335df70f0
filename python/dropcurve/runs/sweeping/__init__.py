"""Sweeps: a grid or a sample of settings, each replicated; resumable, stored once, queried in place.

    table = dropcurve.sweep("droptail_vs_red", {"queue.max_p": [0.02, 0.1], "flows.tcp.count": "2..64"}, points=32)
    table.query("select queue_max_p, avg(utilisation) from runs group by all")

`design` makes the settings, `execute` reads the runs that are stored and makes the others (`make` on threads, `batches`
on Dask), `run_table` stores their rows, `folder` writes the files next to it, and `table` answers queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...quantities.arguments import checked
from ...quantities.ranges import Range
from ...results.occupied import check_sweep
from ...scenario import Scenario
from .. import command_line
from ..effort import Effort
from ..executor import Executor
from ..job import build
from . import design, folder
from .execute import SweepProgress, complete
from .run_table import RunTable
from .table import Sweep

__all__ = ["Sweep", "sweep"]


@checked
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
    progress: SweepProgress | None = None,
) -> Sweep:
    """Runs a scenario at many settings and stores a table of all runs in a folder.

    The same call after an interruption resumes; one that asks for more makes only what is missing.

    Args:
        scenario: A scenario, the path of its file, or the name of one that ships with dropcurve.
        vary: For each path a list of values, of which every combination is run, or a range (``"0.01..0.5"``,
            ``"10 ms..200 ms log"``).
        queues: Disciplines as for `compare`, and ``at`` the path at which they are set.
        points: Settings at which all ranges are sampled (default 64), by ``method``: "sobol", "latin" or "random".
        seed: Seed of the first replication, and of the sample.
        replications: Runs of each setting (default 10).
        jobs: Threads.
        cluster: A Dask cluster instead: the address of its scheduler, ``local:N`` or ``slurm:...``.
        out: Folder of the sweep; one with the result of another scenario is refused unless ``force``.
        store: Folder of runs that several sweeps share.
        cache: Folder of the store of runs, or "off" (`dropcurve.runs.cache`).
        progress: Called with (runs done, runs needed).

    Returns:
        The sweep, whose table `Sweep.query` reads.

    Raises:
        DropcurveError: Scenario, settings, folder or cluster are refused.

    Example:
        >>> table = dropcurve.sweep("droptail_vs_red", {"queue.max_p": [0.02, 0.1]}, out="sweep")
        >>> table.query("select queue_max_p, avg(utilisation) from runs group by all")
    """
    effort = Effort(seed, replications)
    executor = Executor(jobs, cluster)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    vary = vary or {}
    drawn = design.points(base, vary, queues=queues, at=at, samples=points, method=method, seed=seed)
    target = Path(out)
    if not force:
        check_sweep(target, base.resolved)
    table = RunTable(target / "runs" if store is None else Path(store), build(), cache=cache)
    table.open()
    options = (
        command_line.edits(base.edits) + design.options(queues, at, vary, points, method) + effort.options()
    )
    command = command_line.line("sweep", [base.origin or f"{base.name}.toml"], options)
    seeds = range(seed, seed + effort.first)
    record = folder.write(
        target, base, drawn, command=command, seeds=seeds, grid=design.is_grid(vary, base), store=store
    )
    complete([point.scenario for point in drawn], seeds, table, executor, progress)
    table.adopt()
    table.compact()
    folder.mark_complete(target, table)
    return Sweep(target, record)
