"""Replications of scenarios under the same seeds, until there are enough to answer.

Replication i of every variant has the same seed, hence the same random numbers in every part that the variants share
(common random numbers): that is what makes their paired differences sharp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import metrics
from ..errors import ResultError, UsageError
from ..metrics import statistics
from ..results import Result, Variant, health
from ..results.occupied import check_result
from ..results.series import Series
from ..scenario import Scenario, library
from . import cache as caches
from . import command_line, derived
from .executor import Executor
from .job import Job, build
from .precision import until_precise
from .record import RunRecord
from .store import RunStore, writable

#: Replications unless the user says otherwise.
REPLICATIONS = 10
#: Metrics a precision is asked of unless the user says otherwise.
PRECISE = ("sojourn_ms_mean", "goodput_bps")

#: Called with (runs done, runs known to be needed, share of them done in [0, 1]).
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Effort:
    """How often to run, and on how many threads.

    ``precision`` (a share such as 0.05) adds replications until the half-width of every metric in
    ``metrics`` is at most that share of its mean in every variant, or ``maximum`` is reached; see
    ``docs/statistics.md``.
    """

    seed: int = 1
    replications: int | None = None
    precision: float | None = None
    metrics: tuple[str, ...] = PRECISE
    maximum: int = statistics.MAXIMUM
    jobs: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63 - 10_000:
            raise UsageError(f"seed = {self.seed}: must be a whole number, 0 or more, of at most 18 digits")
        if self.replications is not None and self.replications < 1:
            raise UsageError(f"replications = {self.replications}: must be 1 or more")
        Executor(self.jobs)
        if self.precision is not None and not 0 < self.precision < 1:
            raise UsageError(f"precision = {self.precision}: must lie between 0 and 1, such as 0.05")
        if self.precision is not None and self.maximum < self.first:
            raise UsageError(f"maximum = {self.maximum}: must be at least {self.first}")
        for name in self.metrics:
            metrics.find(metrics.split(name)[0])

    @property
    def first(self) -> int:
        """Replications before the first look."""
        if self.precision is None:
            return self.replications or REPLICATIONS
        return max(statistics.MINIMUM, self.replications or 0)

    def options(self) -> list[tuple[str, object]]:
        """The command-line options that ask for this effort; threads do not change an answer and are
        left out."""
        shown: list[tuple[str, object]] = [("seed", self.seed)]
        if self.precision is None:
            return [*shown, ("replications", self.first)]
        shown += [("replications", self.replications), ("precision", f"{100 * self.precision:g}%")]
        if self.metrics != PRECISE:
            shown += [("on", name) for name in self.metrics]
        return shown if self.maximum == statistics.MAXIMUM else [*shown, ("maximum", self.maximum)]


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
        force: replaces whatever result is there.
        cache: folder of the store of runs, or "off"; see `dropcurve.runs.cache`. A run that was stored by any command
            is not made again, so the same call after an interruption resumes, and one that asks for more
            replications makes only those that are missing.
        progress: called with (runs done, runs known to be needed, share of them done).

    Returns:
        The result: means with confidence intervals, series and where they come from.

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
) -> Result:
    """Runs every variant under the same seeds, in batches, until ``effort`` is satisfied."""
    folder = None if out is None else Path(out)
    if folder is not None:
        if not force:
            check_result(folder, [one.hash for one in variants.values()])
        writable(folder)
    work = _Work(list(variants.values()), effort, progress, {} if folder is None else _kept(folder))
    with caches.store(cache, out=folder) as store:
        until_precise(
            {work: effort.first},
            extend=lambda sizes: work.extend_to(sizes[work], store),
            is_loose=lambda _: bool(work.loose()),
            maximum=effort.maximum,
        )
        result = _result(variants, work, name, command)
        if folder is not None:
            result.save(folder)
    return result


def _result(variants: Mapping[str, Scenario], work: _Work, name: str, command: str) -> Result:
    effort, base = work.effort, next(iter(variants.values()))
    made = [
        Variant(
            title,
            one.resolved,
            [record.summary for record in records],
            records[0].series or Series(),
            one.hash,
            one.automatic,
        )
        for (title, one), records in zip(variants.items(), work.done, strict=True)
    ]
    problems, warnings = health.check(made, work.loose() if effort.precision else [], effort.maximum)
    return Result(
        name=name, variants=made, seeds=work.seeds, version=library.version(), command=command,
        title=base.title, precision=effort.precision, warnings=warnings, problems=problems, build=build(),
        reused=work.reused,
    )  # fmt: skip


@dataclass(eq=False)
class _Work:
    """Runs of several scenarios under growing lists of the same seeds; ``kept`` are those of an earlier result."""

    scenarios: list[Scenario]
    effort: Effort
    progress: Progress | None
    kept: dict[tuple[str, int], RunRecord]
    seeds: list[int] = field(default_factory=list)
    done: list[list[RunRecord]] = field(default_factory=list)
    reused: int = 0

    def extend_to(self, size: int, store: RunStore | None) -> None:
        """Adds replications up to ``size``: those that are stored are read, the others made."""
        fresh = [self.effort.seed + i for i in range(len(self.seeds), size)]
        jobs = [self._job(scenario, seed) for seed in fresh for scenario in self.scenarios]
        found = [self._found(job) for job in jobs]
        missing = [number for number, record in enumerate(found) if record is None]
        before = len(self.seeds) * len(self.scenarios) + len(jobs) - len(missing)
        needed = size * len(self.scenarios)

        def take(number: int, record: RunRecord) -> None:
            found[missing[number]] = record

        def tell(count: int, fraction: float) -> None:
            if self.progress is not None:
                self.progress(before + count, needed, (before + fraction * len(missing)) / needed)

        executor = Executor(self.effort.jobs)
        made = executor.records([jobs[number] for number in missing], store, take=take, tell=tell)
        self.reused += len(jobs) - made
        complete = [record for record in found if record is not None]
        assert len(complete) == len(jobs), "every run was either found or made"
        width = len(self.scenarios)
        self.done = self.done or [[] for _ in self.scenarios]
        for index, records in enumerate(self.done):
            records.extend(complete[index::width])
        self.seeds.extend(fresh)

    def loose(self) -> list[str]:
        """Metrics whose interval is still too wide in some variant."""
        precision = self.effort.precision
        if precision is None:
            return []
        return [
            key
            for key in self.effort.metrics
            for records in self.done
            if not statistics.tight([_value(record, key) for record in records], precision=precision)
        ]

    def _job(self, scenario: Scenario, seed: int) -> Job:
        return Job(scenario, seed, derived.keep(scenario, series=seed == self.effort.seed))

    def _found(self, job: Job) -> RunRecord | None:
        """The run of the earlier result, if that has series where they are wanted."""
        record = self.kept.get(job.key)
        return record if record is not None and (record.series or job.keep != "series") else None


def _kept(folder: Path) -> dict[tuple[str, int], RunRecord]:
    """The runs of the result in a folder, by scenario and seed; none if it is of another build or no result."""
    try:
        result = Result.load(folder)
    except ResultError:
        return {}
    if result.build != build():
        return {}
    return {
        (variant.hash, run["seed"]): RunRecord(run, variant.series if index == 0 else None)
        for variant in result.variants
        for index, run in enumerate(variant.runs)
    }


def _value(record: RunRecord, key: str) -> float | None:
    name, scope = metrics.split(key)
    return metrics.value(record.summary, name, scope=scope)
