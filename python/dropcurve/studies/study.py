"""A study: its question, settings, tests and page."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..quantities import units
from ..runs import cache as caches
from ..scenario import Scenario
from .blocks import Block
from .cells import Cells, Measure, Probe, Progress, ReplicationPlan, Runner
from .claims import HOLDS, UNASKED, Finding, Judgement, TestedClaim, judge
from .printed_values import Comparison, PrintedValue, compare

#: Replications of each cell in the quick form.
QUICK = 3
#: Factor on the replications of a cell that an undecided claim depends on, where only verdicts are printed.
OPEN_TIMES = 3


@dataclass(frozen=True)
class Setting:
    """All cells under one set of choices.

    ``about`` describes the difference from the first setting. ``judged``: whether the claims are asked here. ``kind``
    is "era" for the study as it was, "choice" for another value of a parameter that the paper leaves open, "today" for
    a stack and a link of the present, and "question" for a question beyond the paper. ``maximum`` caps the replications
    of its cells where verdicts need fewer than numbers that are printed, ``first`` replaces that of the plan where they
    need more. ``probes`` are cells from packet traces.
    """

    about: str
    scenarios: Callable[[], Mapping[str, Scenario]]
    kind: str = "choice"
    judged: bool = True
    maximum: int | None = None
    first: int | None = None
    decide: int | None = None
    tolerance: Mapping[str, float] | None = None
    probes: Callable[[], Mapping[str, Probe]] = dict

    @property
    def printed(self) -> bool:
        """Whether the page prints its numbers; of the other settings it prints verdicts only."""
        return self.kind != "choice" or not self.judged


@dataclass(frozen=True)
class Page:
    """The author's part of a page. Strings are paragraphs of Markdown.

    ``paper`` summarises the paper's experiments and claims. ``short`` answers the question. ``choices`` has rows (what,
    in the paper, here). ``results`` are tables and figures. ``sensitivity``, ``today`` and ``questions`` have headings
    of their own. ``explained`` lists the paper's figures and tables, with the place of each on this page.
    """

    short: Sequence[str]
    choices: Sequence[tuple[str, str, str]]
    results: Sequence[Block]
    today: Sequence[Block] = ()
    sensitivity: Sequence[Block] = ()
    questions: Sequence[Block] = ()
    surprises: Sequence[str] = ()
    paper: str = ""
    explained: Sequence[Block] = ()


@dataclass(frozen=True)
class Study:
    """A study: copy one of the files of this folder as the start of your own.

    * ``measure`` returns the numbers of a run by name.
    * ``tolerance`` names the numbers whose precision decides the replications of a cell (``one/other`` is the ratio of
      two means), each with an absolute half-width that always suffices; ``floor`` gives the reason for that width.
    * ``decide``: most replications that an undecided claim adds to the cells it depends on; 0: none.
    * ``maximum_unprinted``: most replications in settings of which the page prints verdicts but no numbers; three times
      as many for an undecided claim.
    * ``quick`` names the settings of the quick form; their runs are shortened to the share ``shorten``.
    * ``keep_series`` names the cells whose sampled series the figures need.
    * ``printed_values`` are the numbers that the paper prints, for cells of the first setting. The page counts those
      outside the range of the runs. None: there is no paper to compare with.
    * ``informed`` has the keys of claims whose tests were stated after earlier results had been read; the page says so.
    """

    name: str
    title: str
    source: str
    question: str
    measure: Measure
    settings: Mapping[str, Setting]
    claims: Sequence[TestedClaim]
    page: Callable[[Outcome], Page]
    tolerance: Mapping[str, float]
    maximum: int = 100
    first: int = 5
    maximum_unprinted: int | None = None
    decide: int = 0
    floor: str = ""
    quick: Sequence[str] = ()
    shorten: float = 1.0
    keep_series: frozenset[str] = frozenset()
    printed_values: Sequence[PrintedValue] | None = None
    informed: Sequence[str] = ()

    def plan(self, setting: str, plan: ReplicationPlan) -> ReplicationPlan:
        """How often the cells of a setting run, by a plan for the others."""
        own = self.settings[setting].tolerance
        return plan if own is None else replace(plan, tolerance=own)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a study: cells and findings by setting."""

    study: Study
    plan: ReplicationPlan
    cells: Mapping[str, Cells]
    findings: Mapping[str, Sequence[Finding]]
    runs: int
    reused: int
    seconds: float

    @property
    def quick(self) -> bool:
        """Whether this is the quick form: too few replications to quote."""
        return self.plan.precision is None

    def __getitem__(self, setting: str) -> Cells:
        """The cells of a setting. Raises KeyError where it was left out."""
        return self.cells[setting]

    def __contains__(self, setting: str) -> bool:
        return setting in self.cells

    @property
    def main(self) -> str:
        """The setting the verdicts are from: the first."""
        return next(iter(self.study.settings))

    def verdict(self, claim: str, setting: str = "") -> str:
        """How a claim ended in a setting."""
        return self.finding(claim, setting).verdict

    def finding(self, claim: str, setting: str = "") -> Finding:
        """The finding on a claim in a setting. Raises KeyError for an unknown one."""
        return next(one for one in self.findings[setting or self.main] if one.claim.key == claim)

    def count(self, verdict: str = HOLDS, setting: str = "") -> int:
        """Number of claims with this outcome."""
        return sum(one.verdict == verdict for one in self.findings[setting or self.main])

    def imprecise(self, *, floors: bool) -> dict[tuple[str, str], dict[str, float]]:
        """Printed cells that miss the precision, by setting and name: the numbers concerned, each with its 95 %
        half-width as a share of its mean. With ``floors`` only numbers that also miss the stated absolute width."""
        return {
            (setting, name): wide
            for setting, cells in self.cells.items() if self.study.settings[setting].printed
            for name, cell in cells.items()
            if (wide := self.study.plan(setting, self.plan).imprecise(cell, floors=floors))
        }  # fmt: skip

    def compared(self) -> list[Comparison]:
        """The printed values of the paper with the cells of the first setting."""
        return compare(self.study.printed_values or (), self[self.main])

    @property
    def asked(self) -> int:
        """Number of claims that were tested in the first setting."""
        return sum(one.verdict != UNASKED for one in self.findings[self.main])


def reproduce(
    study: Study,
    *,
    folder: str | Path,
    quick: bool = False,
    precision: float = 0.05,
    replications: int = QUICK,
    jobs: int | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Runs a study and judges its claims; `write` makes the pages of the outcome.

    Args:
        study: The study.
        folder: Stores finished runs if there is no ``cache``.
        quick: Uses the study's quick settings, shortened, with ``replications`` of each cell.
        precision: Otherwise each cell runs until its numbers are known to this relative half-width.
        replications: Replications of each cell with ``quick``.
        jobs: Number of threads; by default all.
        cache: Folder in which finished runs are stored as those of `run` are.
        progress: Called as runs finish.

    Returns:
        Cells, findings and the number of runs.

    Raises:
        DropcurveError: If a scenario is refused or the folder cannot be written.

    Example:
        >>> outcome = reproduce(load("red-at"), folder="out", quick=True)
    """
    began = time.monotonic()
    plan = ReplicationPlan(replications, None, study.tolerance, jobs=jobs)
    if not quick:
        plan = ReplicationPlan(study.first, precision, study.tolerance, study.maximum, jobs)
    names = list(study.settings)
    if quick:
        names = list(study.quick or names[:1])
    # All of them first: a scenario that is refused is reported before any run starts.
    scenarios = {name: _scenarios(study, name, quick=quick) for name in names}
    findings: dict[str, Sequence[Finding]] = {}
    cells: dict[str, Cells] = {}
    with caches.store_or(Path(folder), cache) as store:
        runner = Runner(study.measure, plan, store, study.keep_series, progress)
        for name in names:
            runner.plan = study.plan(name, plan)
            cells[name], judgement = _run(runner, study, name, scenarios[name])
            if study.settings[name].judged:
                findings[name] = _findings(study, cells[name], judgement, quick=quick)
    return Outcome(study, plan, cells, findings, runner.runs, runner.reused, time.monotonic() - began)


def _run(
    runner: Runner, study: Study, name: str, scenarios: Mapping[str, Scenario]
) -> tuple[Cells, Judgement]:
    """The cells of a setting, run until they are precise and its claims decided."""
    setting = study.settings[name]
    probes = runner.probe(setting.probes())
    if runner.plan.precision is None:
        return Cells(runner.run(scenarios) | probes), Judgement((), 0)
    most = (
        study.decide
        if setting.printed or study.maximum_unprinted is None
        else min(study.decide, OPEN_TIMES * study.maximum_unprinted)
    )
    judgement = Judgement(
        study.claims if setting.judged else (), most if setting.decide is None else setting.decide
    )

    def ask(cells: Cells) -> Mapping[str, int]:
        # Cells from traces do not grow.
        wanted = judgement.ask(Cells(cells | probes))
        return {cell: size for cell, size in wanted.items() if cell in cells}

    maximum = setting.maximum or (None if setting.printed else study.maximum_unprinted)
    cells = runner.run(scenarios, first=setting.first, maximum=maximum, ask=ask)
    return Cells(cells | probes), judgement


def _findings(study: Study, cells: Cells, judgement: Judgement, *, quick: bool) -> list[Finding]:
    if quick:
        return [judge(claim, cells, sequential=False) for claim in study.claims]
    return [judgement.findings[claim.key] for claim in study.claims]


def _scenarios(study: Study, setting: str, *, quick: bool) -> Mapping[str, Scenario]:
    full = study.settings[setting].scenarios()
    if not quick or study.shorten == 1.0:
        return full
    return {name: _shortened(scenario, study.shorten) for name, scenario in full.items()}


def _shortened(scenario: Scenario, share: float) -> Scenario:
    """The scenario with less simulated time, warm-up included."""
    run = scenario.resolved["run"]
    cut = {key: f"{share * seconds(run[key]):g} s" for key in ("duration", "warmup") if run[key] != "auto"}
    return scenario.edit([(f"run.{key}", value) for key, value in cut.items()])


def seconds(text: str) -> float:
    """A span such as "20 ms" in seconds."""
    number, unit = text.split()
    return float(number) * float(units.SPANS[unit])


def prose(text: str) -> list[str]:
    """Returns the paragraphs of a text that is wrapped and indented like code.

    Args:
        text: The text, with an empty line between paragraphs.

    Returns:
        One line for each paragraph.

    Example:
        >>> prose("A study of RED.")
        ['A study of RED.']
    """
    return [" ".join(part.split()) for part in text.strip().split("\n\n")]
