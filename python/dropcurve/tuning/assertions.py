"""Checks statements about a scenario, such as ``p95 delay < 20ms``: for pipelines and tests.

A statement is a constraint of a goal. Its measure is run under growing numbers of seeds until the interval of the mean
lies on one side of the bound, or there are no more to run; then it is undecided, which is no success.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from .. import metrics
from ..advise import planned
from ..errors import UsageError, nearest
from ..metrics import statistics
from ..metrics.statistics import Interval
from ..quantities import wording
from ..runs import cache as caches
from ..runs import derived
from ..runs.executor import Executor
from ..runs.job import Job
from ..runs.precision import until_precise
from ..runs.record import RunRecord
from ..runs.store import RunStore
from ..scenario import Scenario
from .goal import Constraint, parse

Judgement = Literal["holds", "fails", "undecided", "no value"]

#: Called with (runs done, runs known to be needed, share of them done in [0, 1]).
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class CheckedStatement:
    """A statement and its outcome: ``measured`` is in the unit of its measure, over ``measured.n`` seeds."""

    constraint: Constraint
    judgement: Judgement
    measured: Interval

    def __str__(self) -> str:
        measured = self.constraint.measure.shown(self.measured.mean, self.measured.half_width)
        runs = wording.count(self.measured.n, "run")
        if self.judgement == "no value":
            return f"{self.constraint}: no run has a value of this measure; choose one that this traffic has"
        words = {"holds": "holds", "fails": "fails", "undecided": "cannot be decided"}[self.judgement]
        return f"{self.constraint}: {words} ({measured} over {runs})"


def statements(texts: Sequence[str]) -> list[Constraint]:
    """Parses statements. Raises UsageError for a text that is not a bound on a measure, with the form to write."""
    constraints: list[Constraint] = []
    for text in texts:
        try:
            goal = parse(text)
        except UsageError as error:
            raise UsageError.of(replace(problem, path="statement") for problem in error.problems) from None
        if len(goal.constraints) != 1 or "," in text:
            raise UsageError(
                "statement",
                text,
                "must be a bound on one measure",
                "write one such as 'p95 delay < 20ms'",
                shown="value",
            )
        constraints.append(goal.constraints[0])
    if not constraints:
        raise UsageError("statement", "", "not given", "give one or more, such as 'p95 delay < 20ms'")
    return constraints


def check(
    scenario: Scenario | str | Path,
    texts: Sequence[str],
    *,
    seed: int = 1,
    replications: int = statistics.MINIMUM,
    maximum: int = statistics.MAXIMUM,
    jobs: int | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> list[CheckedStatement]:
    """Checks statements about a scenario, each at 95 % confidence.

    Args:
        scenario: a scenario, the path of its file, or the name of one that ships with dropcurve.
        texts: statements, each a bound on one measure: ``"p95 delay < 20ms"``, ``"goodput of video > 3Mbit"``.
        seed: seed of the first run; the next have the numbers that follow.
        replications: runs before the first judgement, 2 or more.
        maximum: largest number of runs; a statement that is still open then is "undecided".
        jobs: threads (default: all processors). Does not change the outcome.
        cache: folder of the store of runs, or "off".
        progress: called with (runs done, runs known to be needed, share of them done).

    Returns:
        One `CheckedStatement` for each text, in their order.

    Raises:
        DropcurveError: the scenario, a statement or a number is refused.

    Example:
        >>> for one in check("droptail_vs_red", ["utilisation > 90%", "p95 delay < 150ms"]):
        ...     print(one)
    """
    wanted = statements(texts)
    if not 2 <= replications <= maximum:
        raise UsageError(
            "replications", replications, f"must be from 2 to maximum ({maximum})", "choose one in between"
        )
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    _refuse_unknown_classes(base, wanted)
    _refuse_missing(base, wanted)
    work = _Runs(base, seed, Executor(jobs), progress)
    with caches.store(cache) as store:
        until_precise(
            {work: replications},
            extend=lambda sizes: work.extend_to(sizes[work], store),
            is_loose=lambda _: any(_judge(one, work.records)[0] == "undecided" for one in wanted),
            maximum=maximum,
        )
    return [CheckedStatement(one, *_judge(one, work.records)) for one in wanted]


def _refuse_unknown_classes(base: Scenario, wanted: Sequence[Constraint]) -> None:
    """Raises UsageError for measures of flows that the scenario does not have."""
    groups = base.get("flows")
    known = dict(groups) if isinstance(groups, dict) else {}
    classes = [*known, *(str(one["counted_as"]) for one in known.values() if "counted_as" in one)]
    for one in wanted:
        name, scope = metrics.split(one.measure.key)
        if scope and not scope.isdigit() and metrics.find(name).per == "flow" and scope not in classes:
            raise UsageError(
                "statement", str(one), f"the scenario has no flows named {scope}",
                nearest(scope, classes, otherwise=f"it has {wording.listed(classes)}"), shown="value",
            )  # fmt: skip


def _refuse_missing(base: Scenario, wanted: Sequence[Constraint]) -> None:
    """Raises UsageError for measures that no run of the scenario can have a value of."""
    wrong = []
    for one in wanted:
        try:
            planned.refuse_missing([one.measure.key], base, what="statement")
        except UsageError as error:
            wrong += [replace(problem, value=str(one), shown="value") for problem in error.problems]
    if wrong:
        raise UsageError.of(wrong)


@dataclass(eq=False)
class _Runs:
    """Runs of one scenario under consecutive seeds."""

    scenario: Scenario
    seed: int
    executor: Executor
    progress: Progress | None
    records: list[RunRecord] = field(default_factory=list)

    def extend_to(self, size: int, store: RunStore | None) -> None:
        """Executes the runs up to ``size``, or takes them from the store."""
        before = len(self.records)
        keep = derived.keep(self.scenario, series=False)
        jobs = [Job(self.scenario, self.seed + number, keep) for number in range(before, size)]
        records: dict[int, RunRecord] = {}

        def on_progress(count: int, share: float) -> None:
            if self.progress is not None:
                self.progress(before + count, size, (before + share * len(jobs)) / size)

        self.executor.records(jobs, store, take=records.__setitem__, on_progress=on_progress)
        self.records += [records[number] for number in range(len(jobs))]


def _judge(constraint: Constraint, records: Sequence[RunRecord]) -> tuple[Judgement, Interval]:
    """The judgement at a level adjusted for sequential tests, and the mean of the measure."""
    name, scope = metrics.split(constraint.measure.key)
    values = [metrics.value(record.summary, name, scope=scope) for record in records]
    interval = statistics.t_interval(values, confidence=statistics.level_when_stopping(0.95))
    if interval.mean is None:
        return "no value", interval
    half = interval.half_width or 0.0
    beyond = constraint.beyond(interval.mean, margin=0.0) * (abs(constraint.bound) or 1.0)
    if beyond + half <= 0:
        return "holds", interval
    return ("fails" if beyond - half > 0 else "undecided"), interval
