"""Runs of a stress search: each made once, through the store of runs, and counted as a harm."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import UsageError
from ...metrics import statistics
from ...quantities import values
from ...runs.executor import Executor
from ...runs.job import Job
from ...runs.record import RunRecord
from ...runs.store import RunStore
from ...runs.variants import with_queue
from ...scenario import Scenario, library
from . import traffic
from .bounds import Bounds, Case
from .harm import Harm
from .traffic import StressLink

#: Called with (stage, runs made or found, runs planned, the worst harm so far or None).
StressProgress = Callable[[str, int, int, float | None], None]


@dataclass(frozen=True)
class StressDesign:
    """A discipline as ``--queue`` takes it, with the name that sentences use for it."""

    text: str
    name: str = ""

    @property
    def title(self) -> str:
        """Its name in sentences and tables."""
        return self.name or self.text

    def on(self, scenario: Scenario, link: StressLink) -> Scenario:
        """The scenario with this discipline, in the link's buffer, marking where TCP negotiates ECN."""
        kind, given = values.queue(self.text)
        text = self.text
        if link.ecn and "ecn" not in given and "ecn" in _fields(kind):
            text += f"{',' if ':' in text else ':'}ecn=true"
        return with_queue(scenario, text, "queue")


@dataclass
class Trials:
    """Executes runs and counts their harm.

    Attributes:
        bounds, link, harm, design: The question.
        rivals: Designs whose least harm is subtracted, for a search of regret; none for one of harm.
        executor: Executor of the runs.
        store: Store of runs; None without one.
        until: Moment of the monotonic clock after which a search stops; None without a limit.
    """

    bounds: Bounds
    link: StressLink
    harm: Harm
    design: StressDesign
    rivals: tuple[StressDesign, ...]
    executor: Executor
    store: RunStore | None
    until: float | None = None
    progress: StressProgress | None = None
    planned: int = 1
    done: int = 0
    stage: str = ""
    worst: float | None = None
    _known: dict[tuple[str, tuple[Any, ...], int], float] = field(default_factory=dict, repr=False)

    @property
    def late(self) -> bool:
        """Whether the time of a search is over."""
        return self.until is not None and time.monotonic() >= self.until

    def enveloped(self, case: Case) -> Case:
        """The case inside the envelope of the bounds."""
        return traffic.enveloped(case, self.bounds, self.link)

    def scenario(self, case: Case, design: StressDesign, *, title: str = "") -> Scenario:
        """The scenario of a case with a design."""
        return design.on(traffic.scenario(self.link, case, title=title), self.link)

    def harms(self, case: Case, seeds: Sequence[int], design: StressDesign | None = None) -> list[float]:
        """The harm of a case under each seed, of the design in question by default."""
        self.run([case], seeds, [design or self.design])
        return [self._known[_key(design or self.design, case, seed)] for seed in seeds]

    def losses(self, cases: Sequence[Case], seeds: Sequence[int]) -> list[list[float]]:
        """The loss of each case under each seed: the harm, or the regret against the rivals."""
        self.run(cases, seeds, [self.design, *self.rivals])
        by_case = []
        for case in cases:
            row = []
            for seed in seeds:
                own = self._known[_key(self.design, case, seed)]
                least = min((self._known[_key(one, case, seed)] for one in self.rivals), default=0.0)
                row.append(own - least)
            by_case.append(row)
        return by_case

    def means(self, cases: Sequence[Case], seeds: Sequence[int]) -> list[float]:
        """The mean of `losses` over the seeds."""
        return [statistics.mean(row) for row in self.losses(cases, seeds)]

    def run(self, cases: Sequence[Case], seeds: Sequence[int], designs: Sequence[StressDesign]) -> None:
        """Executes the runs that are not known yet."""
        wanted: dict[tuple[str, tuple[Any, ...], int], tuple[Case, Job]] = {}
        for case in cases:
            for design in designs:
                scenario = None
                for seed in seeds:
                    name = _key(design, case, seed)
                    if name in self._known or name in wanted:
                        continue
                    scenario = scenario or self.scenario(case, design)
                    wanted[name] = (case, Job(scenario, seed))
        names, jobs = list(wanted), [job for _, job in wanted.values()]

        def take(number: int, record: RunRecord) -> None:
            case = wanted[names[number]][0]
            self._known[names[number]] = self.harm.of(case, record.summary)
            self.done += 1
            if self.progress is not None:
                self.progress(self.stage, self.done, max(self.planned, self.done), self.worst)

        if jobs:
            self.executor.records(jobs, self.store, take=take)


def design(text: str, link: StressLink, bounds: Bounds, name: str = "") -> StressDesign:
    """The design of a text.

    Raises:
        DropcurveError: For an unknown discipline or parameter, before any run.
    """
    designed = StressDesign(text, name)
    designed.on(traffic.scenario(link, bounds.mild()), link)
    return designed


def rivals_of(
    mine: StressDesign, texts: Sequence[str], link: StressLink, bounds: Bounds
) -> tuple[StressDesign, ...]:
    """The designs of texts, without those that are the same simulation as ``mine`` or as one before.

    Raises:
        DropcurveError: As `design`.
    """
    base = traffic.scenario(link, bounds.mild())
    known = {mine.on(base, link).hash}
    rivals = []
    for text in texts:
        one = design(text, link, bounds)
        name = one.on(base, link).hash
        if name not in known:
            known.add(name)
            rivals.append(one)
    return tuple(rivals)


def check_seed(seed: int) -> None:
    """Raises UsageError for a seed out of range."""
    if not 0 <= seed < 2**31:
        raise UsageError("seed", seed, "must be a whole number from 0 to 2147483647", "choose one such as 1")


def _fields(kind: str) -> set[str]:
    """Parameters of a discipline; empty for an unknown one, which is refused elsewhere."""
    for one in library.catalogue()["disciplines"]:
        if one["kind"] == kind:
            return {str(field["name"]) for field in one["fields"]}
    return set()


def _key(design: StressDesign, case: Case, seed: int) -> tuple[str, tuple[Any, ...], int]:
    return design.text, tuple(sorted(case.items())), seed
