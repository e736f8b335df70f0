"""`run`, and the part it shares with `compare`: variants, replicated under the same seeds, as a result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..metrics import statistics
from ..quantities.arguments import checked
from ..results import Result
from ..results.occupied import check_result
from ..scenario import Scenario
from . import cache as caches
from . import command_line
from .effort import PRECISE, Effort
from .replications import Progress, Replications, stored_in
from .store import writable


@checked
def run(
    scenario: Scenario | str | Path,
    *,
    seed: int = 1,
    replications: int | None = None,
    precision: float | None = None,
    on: Sequence[str] = PRECISE,
    maximum: int = statistics.MAXIMUM,
    jobs: int | None = None,
    out: str | Path | None = None,
    force: bool = False,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs one scenario; ``print(result)`` shows the table.

    Args:
        scenario: a scenario, the path of its file, or the name of one that ships with dropcurve.
        seed: seed of the first replication; the next have the numbers that follow.
        replications: how many (default 10).
        precision: instead, replications until the half-width of every metric in ``on`` is at most this share of its
            mean, or there are ``maximum`` of them; see `Effort`.
        jobs: threads (default: all processors). Does not change the result.
        out: folder to write the result to; one that holds the result of another scenario is refused.
        force: replaces any result in the folder.
        cache: folder of the store of runs, or "off"; see `dropcurve.runs.cache`. A run that was stored by any command
            is not made again, so the same call after an interruption resumes, and one that asks for more
            replications makes only those that are missing.
        progress: called with (runs done, runs known to be needed, share of them done).

    Returns:
        The result: means with confidence intervals, series, scenario and seeds.

    Raises:
        DropcurveError: the scenario or a value is refused, or a folder cannot be written.

    Example:
        >>> print(dropcurve.run("droptail_vs_red", replications=5))
    """
    effort = Effort(seed, replications, precision, tuple(on), maximum, jobs)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    command = command_line.line(
        "run", [base.origin or f"{base.name}.toml"], [*command_line.edits(base.edits), *effort.options()]
    )
    return replicate(
        {base.name: base},
        effort,
        name=base.name,
        command=command,
        out=out,
        force=force,
        cache=cache,
        progress=progress,
    )


def replicate(
    variants: dict[str, Scenario],
    effort: Effort,
    *,
    name: str,
    command: str = "",
    out: str | Path | None = None,
    force: bool = False,
    cache: str | Path | None = None,
    progress: Progress | None = None,
    until: float | None = None,
) -> Result:
    """Runs every variant under the same seeds, in batches, until ``effort`` is satisfied, or as many as end before
    ``until`` (`time.monotonic`)."""
    folder = None if out is None else Path(out)
    if folder is not None:
        if not force:
            check_result(folder, [one.hash for one in variants.values()])
        writable(folder)
    work = Replications(list(variants.values()), effort, progress, stored_in(folder), until=until)
    with caches.store(cache, out=folder) as store:
        work.run(store)
        result = work.result(variants, name=name, command=command)
        if folder is not None:
            result.save(folder)
    return result
