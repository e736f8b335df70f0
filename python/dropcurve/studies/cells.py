"""The cells of a study: one scenario each, run until its intervals are narrow enough.

Every cell starts from the same seed, so that compared cells share the random numbers of their common replications.
Each is extended on its own: a cell with a low variance stops at five replications while another one continues.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from ..metrics import statistics
from ..metrics.summary import RunSummary
from ..results.series import Series
from ..runs import derived
from ..runs.executor import Executor
from ..runs.job import Job
from ..runs.precision import until_precise
from ..runs.record import RunRecord
from ..runs.store import RunStore
from ..runs.tracing import Trace, trace
from ..scenario import Scenario
from .effects import Effect, mean

Run = dict[str, Any]
#: Numbers of a run by name; a gap is NaN.
Measure = Callable[[Run], Mapping[str, float]]
#: Called with (runs done, runs known to be needed, share done).
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class StudyCell:
    """The numbers of one scenario, a value for each replication; ``series`` are those of the first, if stored."""

    scenario: Scenario
    numbers: Mapping[str, tuple[float, ...]]
    series: Series = field(default_factory=Series, repr=False)

    def __getitem__(self, name: str) -> Effect:
        """The mean of a number, or the ratio of two means, ``"one/other"``. Raises KeyError if there is none of that
        name."""
        if name in self.numbers or "/" not in name:
            return mean(self.numbers[name])
        one, other = name.split("/")
        return mean(self.numbers[one]) / mean(self.numbers[other])

    def known(self, name: str) -> Effect | None:
        """The same over the replications in which the number has a value; None if there are none."""
        if name not in self.numbers:
            return self[name] if "/" in name and set(name.split("/")) <= set(self.numbers) else None
        values = [value for value in self.numbers[name] if not math.isnan(value)]
        return mean(values) if values else None

    @property
    def n(self) -> int:
        """Number of replications."""
        return len(next(iter(self.numbers.values())))


@dataclass(frozen=True)
class Probe:
    """A scenario whose numbers come from the fate of every packet (`dropcurve.trace`), not from a summary."""

    scenario: Scenario
    numbers: Callable[[Trace], Mapping[str, float]]


class MissingCell(KeyError):
    """A cell that a setting does not have."""


class Cells(dict[str, StudyCell]):
    """Cells by name; a missing one raises `MissingCell`, and claims about it are left out."""

    def __missing__(self, name: str) -> StudyCell:
        raise MissingCell(name)

    def read_by(self, effect: Callable[[Cells], object]) -> set[str]:
        """The names of the cells that an effect reads."""
        noted = _RecordingCells(self)
        effect(noted)
        return noted.names


class _RecordingCells(Cells):
    """Cells that record which of them are read."""

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> StudyCell:
        self.names.add(name)
        return super().__getitem__(name)


@dataclass(frozen=True)
class ReplicationPlan:
    """Numbers of replications.

    ``first`` replications, then more until every number named in ``tolerance`` has an interval of at most
    ``precision`` times its mean, or of the absolute tolerance given for it if that is wider, or ``maximum`` is
    reached. With ``precision`` None there are ``first`` replications.
    """

    first: int = statistics.MINIMUM
    precision: float | None = 0.05
    tolerance: Mapping[str, float] = field(default_factory=dict)
    maximum: int = statistics.MAXIMUM
    jobs: int | None = None

    def loose(self, cell: StudyCell) -> list[str]:
        """Numbers whose interval is still too wide to stop."""
        if self.precision is None:
            return []
        level = statistics.level_when_stopping(1 - 0.05)
        # Divided so that it holds relative to the true mean too (Law, Simulation Modeling, section 9.4.1).
        share = self.precision / (1 + self.precision)
        return [
            name
            for name in self.tolerance
            if self._width(cell, name, level) > max(share, self._floor(cell, name))
        ]

    def imprecise(self, cell: StudyCell, *, floors: bool) -> dict[str, float]:
        """Numbers whose 95 % interval is wider than the precision, with its width as a share of the mean; with
        ``floors`` only those that are not within the absolute tolerance either."""
        if self.precision is None:
            return {}
        widths = {name: self._width(cell, name, 0.95) for name in self.tolerance}
        least = {name: self._floor(cell, name) if floors else 0.0 for name in widths}
        return {name: width for name, width in widths.items() if width > max(self.precision, least[name])}

    def _width(self, cell: StudyCell, name: str, level: float) -> float:
        """Half an interval as a share of the mean; 0 for a number that the cell does not have."""
        effect = cell.known(name)
        if effect is None or (half := effect.half_width(level)) == 0:
            return 0.0
        return half / abs(effect.value) if effect.value else math.inf

    def _floor(self, cell: StudyCell, name: str) -> float:
        """The absolute tolerance as a share of the mean."""
        effect, least = cell.known(name), self.tolerance[name]
        return least / abs(effect.value) if effect and effect.value else math.inf if least else 0.0


@dataclass
class _Runs:
    """The numbers measured in the runs of a cell so far, by seed."""

    scenario: Scenario
    rows: dict[int, Mapping[str, float]] = field(default_factory=dict)
    series: Series = field(default_factory=Series)

    def cell(self) -> StudyCell:
        """The cell they make."""
        rows = [self.rows[seed] for seed in sorted(self.rows)]
        numbers = {name: tuple(float(row[name]) for row in rows) for name in rows[0]}
        return StudyCell(self.scenario, numbers, self.series)


@dataclass
class Runner:
    """Runs cells. ``store`` has finished runs; ``keep_series`` names the cells whose series are stored."""

    measure: Measure
    plan: ReplicationPlan
    store: RunStore
    keep_series: frozenset[str] = frozenset()
    progress: Progress | None = None
    runs: int = 0
    reused: int = 0
    _done: int = 0
    _needed: int = 0

    def run(
        self,
        scenarios: Mapping[str, Scenario],
        *,
        first: int | None = None,
        maximum: int | None = None,
        ask: Callable[[Cells], Mapping[str, int]] | None = None,
    ) -> Cells:
        """Every cell, each to its precision, from ``first`` replications to ``maximum`` if that is not the plan's;
        then to the sizes that ``ask`` returns, until it returns none."""
        most = maximum or self.plan.maximum
        runs_by_name = {name: _Runs(scenario) for name, scenario in scenarios.items()}
        until_precise(
            dict.fromkeys(scenarios, min(first or self.plan.first, most)),
            extend=lambda sizes: self._extend(runs_by_name, sizes),
            is_loose=lambda name: bool(self.plan.loose(runs_by_name[name].cell())),
            maximum=most,
        )
        cells = Cells({name: runs.cell() for name, runs in runs_by_name.items()})
        while ask is not None and (sizes := ask(cells)):
            self._extend(runs_by_name, sizes)
            cells.update({name: runs_by_name[name].cell() for name in sizes})
        return cells

    def probe(self, probes: Mapping[str, Probe]) -> Cells:
        """Cells from traces, each of the plan's first number of replications."""
        traced = {}
        for name, wanted in probes.items():
            rows = [self._traced(wanted, seed) for seed in range(1, self.plan.first + 1)]
            numbers = {key: tuple(float(row[key]) for row in rows) for key in rows[0]}
            traced[name] = StudyCell(wanted.scenario, numbers)
        return Cells(traced)

    def _traced(self, wanted: Probe, seed: int) -> Mapping[str, float]:
        self.runs += 1
        job = Job(wanted.scenario, seed, "derived", probe=_identity(wanted.numbers))
        stored = self.store.find(job)
        self.reused += stored is not None
        if stored is None:
            numbers = dict(wanted.numbers(trace(wanted.scenario, seed=seed)))
            summary = {"scenario": wanted.scenario.hash, "seed": seed, "numbers": numbers}
            stored = RunRecord(cast(RunSummary, summary))
            self.store.add(job, stored)
        measured: Mapping[str, float] = cast(Any, stored.summary)["numbers"]
        return measured

    def _extend(self, runs: Mapping[str, _Runs], sizes: Mapping[str, int]) -> None:
        """Adds replications of each named cell up to its size: those in the store are read, the others made. Cells that
        are the same scenario share their runs."""
        slots = [
            (name, seed) for name, size in sizes.items() for seed in range(len(runs[name].rows) + 1, size + 1)
        ]
        jobs = [self._job(runs[name].scenario, name, seed) for name, seed in slots]
        self._needed += len(slots)
        self.runs += len(slots)

        def take(number: int, record: RunRecord) -> None:
            name, seed = slots[number]
            runs[name].rows[seed] = self.measure(dict(record.summary))
            if record.series is not None and self._wanted(name, seed):
                runs[name].series = record.series

        def report(done: int, share: float) -> None:
            if self.progress is not None:
                whole = (self._done + share * len(slots)) / self._needed
                self.progress(self._done + done, self._needed, whole)

        simulated = Executor(self.plan.jobs).records(jobs, self.store, take=take, on_progress=report)
        self.reused += len(slots) - simulated
        self._done += len(slots)

    def _job(self, scenario: Scenario, name: str, seed: int) -> Job:
        return Job(scenario, seed, derived.keep(scenario, series=self._wanted(name, seed)))

    def _wanted(self, name: str, seed: int) -> bool:
        return seed == 1 and name in self.keep_series


def _identity(function: Callable[..., object]) -> str:
    """A hash over a function: its module, the text of its file, and its bound arguments. Stored numbers of the
    function are reused only while all of that is the same."""
    bound: tuple[object, ...] = ()
    while isinstance(function, partial):
        bound += (function.args, sorted(function.keywords.items()))
        function = function.func
    code = function.__code__
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    source = inspect.getsourcefile(function)
    text = Path(source).read_text(encoding="utf-8") if source else ""
    identity = (function.__module__, function.__qualname__, code.co_firstlineno, bound, cells, text)
    return hashlib.sha256(repr(identity).encode()).hexdigest()[:16]
