"""Running scenarios again and again with other seeds, until there are enough replications to answer.

Replication i of every variant has the same seed, hence the same random numbers in every part the
variants share: that is what makes their differences sharp.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .. import metrics
from ..errors import UsageError
from ..metrics import statistics
from ..results import Result, Variant, health
from ..results.series import Series
from ..scenario import Scenario, library
from . import command_line, derived
from .store import Done, Store, build

if TYPE_CHECKING:
    from .. import _core

#: Replications unless the user says otherwise.
REPLICATIONS = 10
#: Metrics a precision is asked of unless the user says otherwise.
PRECISE = ("sojourn_ms_mean", "goodput_bps")

#: Told (runs done, runs known to be needed, share of them done in [0, 1]).
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
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs = {self.jobs}: must be 1 or more")
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

    @property
    def threads(self) -> int:
        """Threads to run on: all processors unless told."""
        return self.jobs or os.cpu_count() or 1

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
    progress: Progress | None = None,
) -> Result:
    """Runs one scenario and returns its result; ``print(result)`` shows the table.

    ``seed`` is that of the first replication, the next have the numbers that follow. ``replications``
    (default 10) or ``precision`` with ``on`` and ``maximum`` say how often; see `Effort`. ``out`` is a
    folder to write as runs finish; the same call after an interruption goes on from there, and one that
    asks for more takes what it has of the same scenario, seed and build. Raises DropcurveError for whatever
    is wrong with the scenario, the values or the folder.
    """
    effort = Effort(seed, replications, precision, tuple(on), maximum, jobs)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    command = command_line.line(
        "run", [base.origin or f"{base.name}.toml"], [*command_line.edits(base.edits), *effort.options()]
    )
    return replicate({base.name: base}, effort, name=base.name, command=command, out=out, progress=progress)


def replicate(
    variants: dict[str, Scenario],
    effort: Effort,
    *,
    name: str,
    command: str = "",
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs every variant under the same seeds, in batches, until ``effort`` is satisfied."""
    store = None if out is None else Store(Path(out))
    if store is not None:
        store.open()
    work = _Work(list(variants.values()), effort, store, progress)
    size, loose = effort.first, True
    while loose:
        work.extend_to(size)
        loose = effort.precision is not None and size < effort.maximum and bool(work.loose())
        size = statistics.next_size(size, maximum=effort.maximum) if loose else size
    base = next(iter(variants.values()))
    made = [
        Variant(
            title,
            one.resolved,
            [done.summary for done in runs],
            runs[0].series or Series(),
            one.hash,
            one.automatic,
        )
        for (title, one), runs in zip(variants.items(), work.done, strict=True)
    ]
    problems, warnings = health.check(made, work.loose() if effort.precision else [], effort.maximum)
    result = Result(
        name=name, variants=made, seeds=work.seeds, version=library.version(), command=command,
        title=base.title, precision=effort.precision, warnings=warnings, problems=problems, build=build(),
        reused=work.reused,
    )  # fmt: skip
    if store is not None:
        result.save(store.folder)
        store.close()
    return result


@dataclass
class _Work:
    """Runs of several scenarios under growing lists of the same seeds."""

    scenarios: list[Scenario]
    effort: Effort
    store: Store | None
    progress: Progress | None
    seeds: list[int] = field(default_factory=list)
    done: list[list[Done]] = field(default_factory=list)
    reused: int = 0

    def extend_to(self, size: int) -> None:
        """Adds replications up to ``size``: those in the store are read, the others run."""
        from .. import _core

        fresh = [self.effort.seed + i for i in range(len(self.seeds), size)]
        slots = [(scenario, seed) for seed in fresh for scenario in self.scenarios]
        found = [self._stored(scenario, seed) for scenario, seed in slots]
        missing = [index for index, one in enumerate(found) if one is None]
        self.reused += len(slots) - len(missing)
        before = len(self.seeds) * len(self.scenarios) + len(slots) - len(missing)
        needed = size * len(self.scenarios)

        def keep(index: int, finished: _core.Run) -> None:
            scenario, seed = slots[missing[index]]
            found[missing[index]] = self._harvest(scenario, seed, finished)

        def tell(count: int, fraction: float) -> None:
            if self.progress is not None:
                self.progress(before + count, needed, (before + fraction * len(missing)) / needed)

        work = [(slots[i][0].core, slots[i][1], self._kept(*slots[i])) for i in missing]
        if work:
            _core.run_many(work, self.effort.threads, tell, keep)
        complete = [one for one in found if one is not None]
        assert len(complete) == len(slots), "every run was either found or finished"
        width = len(self.scenarios)
        self.done = self.done or [[] for _ in self.scenarios]
        for index, runs in enumerate(self.done):
            runs.extend(complete[index::width])
        self.seeds.extend(fresh)

    def loose(self) -> list[str]:
        """Metrics whose interval is still too wide in some variant."""
        precision = self.effort.precision
        if precision is None:
            return []
        return [
            key
            for key in self.effort.metrics
            for runs in self.done
            if not statistics.tight([_value(done, key) for done in runs], precision=precision)
        ]

    def _first(self, seed: int) -> bool:
        return seed == self.effort.seed

    def _kept(self, scenario: Scenario, seed: int) -> _core.Keep:
        return derived.keep(scenario, series=self._first(seed))

    def _stored(self, scenario: Scenario, seed: int) -> Done | None:
        if self.store is None:
            return None
        return self.store.find(scenario.hash, seed, series=self._first(seed))

    def _harvest(self, scenario: Scenario, seed: int, finished: _core.Run) -> Done:
        done = Done.of(finished, series=self._first(seed))
        if self.store is not None:
            self.store.keep(scenario.hash, seed, done)
        return done


def _value(done: Done, key: str) -> float | None:
    name, scope = metrics.split(key)
    return metrics.value(done.summary, name, scope=scope)
