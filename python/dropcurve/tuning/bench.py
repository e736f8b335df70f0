"""Evaluates candidates: makes each run once and returns objectives, constraint excess and loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import ScenarioError, UsageError
from ..metrics import statistics
from ..quantities import wording
from ..runs.executor import Executor
from ..runs.job import Job
from ..runs.sweeping.execute import OpenTable, execute
from ..runs.sweeping.rows import Row, key
from ..runs.sweeping.run_table import RunTable
from ..scenario import Scenario
from .aggregation import over
from .candidates import Candidate, bare
from .decision import DELAY, leaves_delay_open, margin_of, point_of, reported
from .goal import Constraint, Objective
from .measures import main_measures
from .question import Condition, Question
from .time_source import TimeSource, WallTime

#: Margin inside every constraint, as a share of it, before a margin was measured: without one, a design on the edge
#: fails on fresh seeds.
MARGIN = 0.03
#: Penalty in points for a constraint exceeded by its whole bound. A point is a percentage point, or 1 % of the
#: reference.
PENALTY = 3000.0

#: Under a time limit: runs of each thread before the first check of the clock, and most seconds between later checks.
SLICE, SLICE_S = 3, 0.5

#: A batch begins only if at least this share of its expected time is left.
WORTH = 0.5

#: Called with (runs done of this stage, runs it needs).
OnBatch = Callable[[int, int], None]


@dataclass(frozen=True)
class PairedTrial:
    """A condition under a seed, which two candidates share when they are compared. ``index`` numbers the condition."""

    index: int
    condition: tuple[tuple[str, float], ...]
    seed: int

    @classmethod
    def of(cls, index: int, condition: Condition, seed: int) -> PairedTrial:
        """The trial of a condition, the ``index``-th of its list."""
        return cls(index, tuple(condition.items()), seed)


def block(conditions: Sequence[Condition], seed: int) -> list[PairedTrial]:
    """Every condition once under one seed."""
    return [PairedTrial.of(index, condition, seed) for index, condition in enumerate(conditions)]


class _DeadlinePassed(Exception):
    """The deadline passed while runs were made."""


@dataclass
class Bench:
    """Executes and stores the runs of one question. Runs under a time limit that are unfinished at the ``deadline`` are
    abandoned; ``source`` supplies the time of both. With a store that is ``held`` open, runs are collected in few
    files; otherwise each batch has its own."""

    question: Question
    store: RunTable
    executor: Executor
    on_batch: OnBatch | None = None
    runs: int = 0
    made: int = 0
    spent_s: float = 0.0
    _known: dict[tuple[str, int], Row] = field(default_factory=dict, repr=False)
    _made: dict[tuple[str, tuple[tuple[str, float], ...]], Scenario | None] = field(default_factory=dict)
    _bases: dict[tuple[tuple[str, float], ...], Scenario] = field(default_factory=dict)
    _asked: set[tuple[str, int]] = field(default_factory=set)
    _valued: dict[tuple[tuple[str, float], ...], bool] = field(default_factory=dict, repr=False)
    _runs_of: dict[str, list[tuple[str, int]]] = field(default_factory=dict, repr=False)
    scales: list[float] = field(default_factory=list)
    margin: float = MARGIN
    source: TimeSource = field(default_factory=WallTime)
    deadline: Callable[[], float] | None = None
    held: OpenTable | None = None

    def open(self) -> None:
        """Opens the store and reads its rows."""
        self.store.open()
        self._known = {key(row): row for row in self.store.rows()}

    def for_question(self, question: Question) -> Bench:
        """A bench for another question on the same open store, with the rows that are known."""
        return Bench(
            question, self.store, self.executor, scales=self.scales, source=self.source, deadline=self.deadline,
            held=self.held, _known=self._known,
        )  # fmt: skip

    def scenario(self, candidate: Candidate, trial: PairedTrial) -> Scenario | None:
        """The scenario with a candidate; None if it refuses it."""
        name = (candidate.key, trial.condition)
        if name not in self._made:
            if trial.condition not in self._bases:
                self._bases[trial.condition] = bare(self.question.scenario(dict(trial.condition)))
            try:
                base = self._bases[trial.condition]
                link = self.question.link
                most = str(base.get("queue.limit")) if link is not None and link.buffer_varies else None
                self._made[name] = candidate.instead(base, most=most)
            except ScenarioError:
                self._made[name] = None
        return self._made[name]

    @property
    def run_s(self) -> float | None:
        """Mean seconds of a run so far, with all threads busy; None before the first."""
        return self.spent_s / self.made if self.made else None

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        """Executes those of these runs that are missing. ``runs`` counts each that was ever asked for, found or made,
        so that a search that is repeated spends its budget as the first one did.

        With ``until`` none begins after that moment, and none continues after the deadline. Returns whether all are
        there."""
        jobs: dict[tuple[str, int], Job] = {}
        asked: list[tuple[tuple[tuple[str, float], ...], tuple[str, int]]] = []
        for candidate, trial in pairs:
            scenario = self.scenario(candidate, trial)
            if scenario is None:
                continue
            job = Job(scenario, trial.seed)
            asked.append((trial.condition, job.key))
            if job.key not in self._asked:
                self._asked.add(job.key)
                self._runs_of.setdefault(candidate.key, []).append(job.key)
                self.runs += 1
            if job.key not in self._known:
                jobs[job.key] = job

        def take(row: Row) -> None:
            self._known[key(row)] = row

        done = self._make(list(jobs.values()), take, until)
        for condition, name in asked:
            if name in self._known:
                self._valued[condition] = self._valued.get(condition, False) or self._has_values(name)
        return done

    def _has_values(self, name: tuple[str, int]) -> bool:
        row = self._known[name]
        return all(one.value(row) is not None for one in self.question.goal.objectives)

    def void(self, trial: PairedTrial) -> bool:
        """Whether no run at a condition has a value of the objectives, such as fairness with one flow. Such a condition
        does not count; a design without a value where another one has a value has an infinite loss."""
        return not self._valued.get(trial.condition, True)

    @property
    def valued(self) -> int:
        """The number of conditions at which some run has a value of the objectives."""
        return sum(self._valued.values())

    def losses(self, candidate: Candidate, trials: Sequence[PairedTrial], number: int = 0) -> list[float]:
        """An objective in points in each trial that counts, the smaller the better; one 0 if none counts."""
        points = [self.points(candidate, trial)[number] for trial in trials if not self.void(trial)]
        return points or [0.0]

    def _make(self, jobs: list[Job], take: Callable[[Row], None], until: float | None) -> bool:
        """Executes runs, all at once or a few at a time; returns whether all were made."""
        start = 0
        while start < len(jobs):
            began = self.source.now()
            left = None if until is None else until - began
            if left is not None and not self._worthwhile(left):
                return False
            some = jobs[start : start + self._slice(len(jobs), left)]

            def done(finished: int, _: int, before: int = start) -> None:
                if self.on_batch is not None:
                    self.on_batch(before + finished, len(jobs))

            finished = self._execute(some, take, done, limited=until is not None)
            start += len(some)
            self.made += len(some)
            self.spent_s += self.source.now() - began
            if not finished:
                return False
        return True

    def _execute(self, jobs: list[Job], take: Callable[[Row], None], done: OnBatch, *, limited: bool) -> bool:
        """Executes a batch; returns whether it was finished, if it is ``limited`` by the deadline. Finished runs are
        stored in any case."""
        deadline = self.deadline

        def watch() -> None:
            if deadline is not None and self.source.now() >= deadline():
                raise _DeadlinePassed

        executor = replace(self.executor, watch=watch) if limited and deadline is not None else self.executor
        try:
            execute(jobs, self.store, executor=executor, take=take, done=done, held=self.held)
        except _DeadlinePassed:
            return False
        return True

    def _worthwhile(self, left_s: float) -> bool:
        """Whether there is time to begin a batch of a run for each thread."""
        shortest = (self.run_s or 0.0) * self.executor.threads
        return left_s > 0 and left_s >= WORTH * shortest

    def _slice(self, jobs: int, left_s: float | None) -> int:
        """Runs to make before the next check of the clock: as many as there is time for at the pace so far, but at
        least one for each thread."""
        if left_s is None:
            return jobs
        threads = self.executor.threads
        paced = int(min(left_s, SLICE_S) / self.run_s) if self.run_s else SLICE * threads
        return max(threads, paced)

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        """The row of a run that was made; None if the candidate was refused."""
        scenario = self.scenario(candidate, trial)
        return None if scenario is None else self._known[(scenario.hash, trial.seed)]

    def same(self, candidate: Candidate, trial: PairedTrial) -> str:
        """A key that is equal for candidates that are the same simulation under different names."""
        scenario = self.scenario(candidate, trial)
        return "" if scenario is None else scenario.hash

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        """Whether the run was asked for and made. Runs that are only in the store from before do not count, so that a
        repeated search takes the same steps."""
        scenario = self.scenario(candidate, trial)
        if scenario is None:
            return False
        name = (scenario.hash, trial.seed)
        return name in self._asked and name in self._known

    def usable(self, candidate: Candidate, trial: PairedTrial) -> bool:
        """Whether the scenario takes the candidate."""
        return self.scenario(candidate, trial) is not None

    def value(self, candidate: Candidate, trial: PairedTrial, measure: str) -> float | None:
        """A metric of a run that was made."""
        row = self.row(candidate, trial)
        return None if row is None else row.get(measure)

    def objective(self, candidate: Candidate, trial: PairedTrial, one: Objective) -> float | None:
        """An objective of a run that was made, in its own units."""
        row = self.row(candidate, trial)
        return None if row is None else one.value(row)

    def expectation(self, candidate: Candidate) -> str:
        """The means of the goal's main measures over all runs of a candidate, such as ``utilisation 99.6 %, p95 delay
        11.4 ms``; "" before there is one."""
        rows = [self._known[run] for run in self._runs_of.get(candidate.key, []) if run in self._known]
        means: dict[str, float] = {}
        for one in reported(self.question.goal):
            values = [row[one.key] for row in rows if one.key in row]
            if values:
                means[one.key] = statistics.mean(values)
        known = [one for one in reported(self.question.goal) if one.key in means]
        return ", ".join(
            f"{one.text} {wording.amount(means[one.key], None, one.unit)}"
            for one in main_measures(known, lambda one: means[one.key])
        )

    def scale(self, reference: Candidate, trials: Sequence[PairedTrial]) -> None:
        """Sets the size of a point for each objective, from the mean of the reference: see `decision.point_of`.

        Raises UsageError for a measure that this traffic has no value for.
        """
        self.scales = []
        for one in self.question.goal.objectives:
            values = [self.objective(reference, trial, one) for trial in trials]
            known = [abs(value) for value in values if value is not None]
            if not known:
                raise UsageError(
                    "goal",
                    one.label,
                    "has no value in these runs",
                    "choose a measure that this traffic has (completion times need short transfers, such as those of "
                    "--link cable), or longer runs",
                )
            self.scales.append(point_of(one, statistics.mean(known)))

    def points(self, candidate: Candidate, trial: PairedTrial) -> tuple[float, ...]:
        """Each objective of a run in points, the smaller the better; infinite where it has no value."""
        return self.points_of(self.row(candidate, trial) or {})

    def points_of(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Each objective in points, of a run with these values."""
        points = []
        for one, scale in zip(self.question.goal.objectives, self.scales, strict=True):
            value = one.value(values)
            points.append(float("inf") if value is None else one.sign * value / scale)
        return tuple(points)

    def excess(self, candidate: Candidate, trial: PairedTrial) -> float:
        """Constraint violation of a run: the sum over the constraints of the excess as a share of the bound."""
        return self.excess_of(self.row(candidate, trial) or {})

    def excess_of(self, values: Mapping[str, float]) -> float:
        """Constraint violation of a run with these values."""
        total = 0.0
        for one in self.question.goal.constraints:
            value = values.get(one.measure.key)
            total += 10.0 if value is None else one.excess(value, margin=self.margin)
        return total

    def loss(self, candidate: Candidate, trial: PairedTrial) -> float:
        """One number for a run: the points of the only objective, or the mean of several, and the penalty."""
        return self.loss_of(self.row(candidate, trial) or {})

    def loss_of(self, values: Mapping[str, float]) -> float:
        """The loss of a run with these values."""
        points = self.points_of(values)
        return sum(points) / len(points) + PENALTY * self.excess_of(values)

    def together(self, losses: Sequence[float]) -> float:
        """One loss from those of different conditions: their mean, the worst, or the mean of the worst quarter."""
        return over(losses, self.question.robust)

    def score(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        """The loss over trials: the mean over seeds at each condition, then `together`."""
        by_condition: dict[int, list[float]] = {}
        for trial in trials:
            if not self.void(trial):
                by_condition.setdefault(trial.index, []).append(self.loss(candidate, trial))
        return self.together([_mean(losses) for losses in by_condition.values()] or [0.0])

    def mean(self, candidate: Candidate, trials: Sequence[PairedTrial], measure: str) -> float | None:
        """The mean of a measure over the trials that have a value; None without one."""
        values = [self.value(candidate, trial, measure) for trial in trials]
        known = [value for value in values if value is not None]
        return statistics.mean(known) if known else None

    def tied(self, loss: float, candidate: Candidate, trials: Sequence[PairedTrial]) -> tuple[float, float]:
        """Sort key of a design by its loss; where the goal leaves the delay open, losses within half a margin are equal
        and the shorter delay decides."""
        goal = self.question.goal
        if not leaves_delay_open(goal) or math.isinf(loss):
            return loss, 0.0
        step = margin_of(goal) / 2.0
        return step * round(loss / step), self.mean(candidate, trials, DELAY) or 0.0

    def broken(
        self, candidate: Candidate, trials: Sequence[PairedTrial]
    ) -> list[tuple[Constraint, PairedTrial, float]]:
        """Constraints that the mean over seeds breaks at some condition: (constraint, a trial there, the mean)."""
        failures = []
        for one in self.question.goal.constraints:
            by_condition: dict[int, list[PairedTrial]] = {}
            for trial in trials:
                by_condition.setdefault(trial.index, []).append(trial)
            for some in by_condition.values():
                values = [self.value(candidate, trial, one.measure.key) for trial in some]
                mean = _mean([value for value in values if value is not None])
                if one.excess(mean) > 0:
                    failures.append((one, some[0], mean))
        return failures

    def missed(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        """The share of runs that do not hold a constraint, of the one held least often; a run without a value does not
        hold it."""
        rows = [self.row(candidate, trial) or {} for trial in trials]
        shares = [
            sum(one.measure.key not in row or one.excess(row[one.measure.key]) > 0 for row in rows)
            / max(len(rows), 1)
            for one in self.question.goal.constraints
        ]
        return max(shares, default=0.0)

    def violation(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        """The greatest share by which a constraint is broken at any condition; 0 if all hold."""
        return max((one.excess(mean) for one, _, mean in self.broken(candidate, trials)), default=0.0)


def _mean(values: Sequence[float]) -> float:
    """The mean, infinite if a value is or there is none."""
    if not values or any(value == float("inf") for value in values):
        return float("inf")
    return statistics.mean(values)
