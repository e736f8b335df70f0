"""Replications of scenarios under the same seeds, until their number or precision is reached.

Replication i of every variant has the same seed, hence the same random numbers in every part that the variants share
(common random numbers): this makes their paired differences precise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .. import metrics
from ..errors import ResultError
from ..metrics import statistics
from ..present import notebook
from ..results import Result, Variant, health
from ..results.series import Series
from ..scenario import Scenario, library
from . import derived, threads
from .effort import Effort
from .executor import Executor
from .job import Job, build
from .precision import until_precise
from .record import RunRecord
from .store import RunStore

#: Called with (runs done, runs known to be needed, share of them done in [0, 1]).
Progress = Callable[[int, int, float], None]
#: Fewest replications, whatever the time: one has no interval.
FEWEST = 2
#: Runs for each thread in a part of a series that has to end in time.
PARTS = 2


@dataclass(eq=False)
class Replications:
    """Runs of several scenarios under a growing list of seeds, the same for all.

    Attributes:
        scenarios: the scenarios to run.
        effort: their number, or the precision to reach.
        progress: called while runs are made; in a notebook a bar if there is none.
        earlier: the runs of an earlier result, by scenario and seed.
        seeds: the seeds so far.
        done: the runs of each scenario, in the order of the seeds.
        reused: number of runs found in the store.
        until: time of `time.monotonic` by which the replications have to end; None without a limit.
    """

    scenarios: list[Scenario]
    effort: Effort
    progress: Progress | None
    earlier: dict[tuple[str, int], RunRecord] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)
    done: list[list[RunRecord]] = field(default_factory=list)
    reused: int = 0
    until: float | None = None

    def __post_init__(self) -> None:
        if self.progress is None and (bar := notebook.bar()) is not None:
            self.progress = bar.runs

    def run(self, store: RunStore | None) -> None:
        """Adds replications until the effort is spent, the precision reached or the time over."""
        if self.until is not None:
            self._in_time(self.until, store)
            return
        until_precise(
            {self: self.effort.first},
            extend=lambda sizes: self.extend_to(sizes[self], store),
            is_loose=lambda _: bool(self.loose()),
            maximum=self.effort.maximum,
        )

    def _in_time(self, until: float, store: RunStore | None) -> None:
        """Adds replications in parts while the next part is expected to take no longer than is left, and `FEWEST` of
        them in any case."""
        most, spent = self.effort.first, 0.0
        part = -(-PARTS * threads.count(self.effort.jobs) // len(self.scenarios))
        while (size := len(self.seeds)) < most:
            began = time.monotonic()
            if size >= FEWEST and began + spent > until:
                return
            self.extend_to(min(most, size + part if size >= FEWEST else max(part, FEWEST)), store)
            spent = time.monotonic() - began

    def extend_to(self, size: int, store: RunStore | None) -> None:
        """Adds replications up to ``size``: stored ones are read, the others are made."""
        fresh = [self.effort.seed + i for i in range(len(self.seeds), size)]
        jobs = [self._job(scenario, seed) for seed in fresh for scenario in self.scenarios]
        stored = [self._found(job) for job in jobs]
        missing = [number for number, record in enumerate(stored) if record is None]
        before = len(self.seeds) * len(self.scenarios) + len(jobs) - len(missing)
        needed = (size if self.until is None else self.effort.first) * len(self.scenarios)

        def take(number: int, record: RunRecord) -> None:
            stored[missing[number]] = record

        def report(count: int, fraction: float) -> None:
            if self.progress is not None:
                self.progress(before + count, needed, (before + fraction * len(missing)) / needed)

        executor = Executor(self.effort.jobs)
        new = executor.records([jobs[number] for number in missing], store, take=take, on_progress=report)
        self.reused += len(jobs) - new
        complete = [record for record in stored if record is not None]
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

    def result(self, variants: Mapping[str, Scenario], *, name: str, command: str) -> Result:
        """The runs as a result, with warnings about them; ``variants`` names the scenarios in their order."""
        with_runs = [
            Variant(
                title,
                one.resolved,
                [record.summary for record in records],
                records[0].series or Series(),
                one.hash,
                one.automatic,
            )
            for (title, one), records in zip(variants.items(), self.done, strict=True)
        ]
        problems, warnings = health.check(with_runs, self.loose(), self.effort.maximum)
        return Result(
            name=name, variants=with_runs, seeds=self.seeds, version=library.version(), command=command,
            title=self.scenarios[0].title, precision=self.effort.precision, warnings=warnings, problems=problems,
            build=build(), reused=self.reused,
        )  # fmt: skip

    def _job(self, scenario: Scenario, seed: int) -> Job:
        return Job(scenario, seed, derived.keep(scenario, series=seed == self.effort.seed))

    def _found(self, job: Job) -> RunRecord | None:
        """The run of the earlier result, unless it lacks series that are needed."""
        record = self.earlier.get(job.key)
        return record if record is not None and (record.series or job.keep != "series") else None


def stored_in(folder: Path | None) -> dict[tuple[str, int], RunRecord]:
    """The runs of the result in a folder, by scenario and seed; none if it is of another build or no result."""
    if folder is None:
        return {}
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
