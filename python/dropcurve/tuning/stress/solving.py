"""All steps of a stress answer in order: search, shrinking, fresh runs, rivals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...metrics import statistics
from ...quantities import units
from ...scenario import library
from . import fault, shrinking
from .answer import StressAnswer
from .search import CHOOSING, FINALISTS, GRID, LEVELS, StressSearch
from .trials import StressDesign, Trials

#: Distance of fresh seeds from those of the search, and seeds by which a shrunk case is judged.
APART, SHRINKING = 1_000_000, 3
#: Approximate number of runs for shrinking.
SHRUNK = 60
#: Share of a time limit for the search; the rest is validation, shrinking and rivals.
SEARCHED = 0.7


@dataclass(frozen=True)
class StressBudget:
    """Effort of an answer.

    Attributes:
        runs: Cases of the search.
        fresh: Fresh runs of each interval.
        seconds: Limit of time, or None.
        keep: Share of the harm that the minimal scenario must retain.
        seed: Seed of every random choice.
    """

    runs: int
    fresh: int
    seconds: float | None
    keep: float
    seed: int

    def planned(self, axes: int, rivals: int, each: int) -> int:
        """Approximate number of runs of a whole answer; the search makes ``each`` runs for a case."""
        search = self.runs + axes * LEVELS + (GRID * GRID if axes > 1 else 0) + FINALISTS * CHOOSING + SHRUNK
        return each * (search + 2 * self.fresh) + (rivals + 2) * self.fresh


def solve(
    work: Trials, rivals: Sequence[StressDesign], spent: StressBudget, *, folder: Path, command: str
) -> StressAnswer:
    """The answer of a question whose runs ``work`` makes.

    Args:
        work: Makes the runs.
        rivals: Run under the minimal scenario.
        spent: Effort.
        folder: Folder of the answer.
        command: Repeats the call.
    """
    began, seed = time.monotonic(), spent.seed
    work.planned = spent.planned(len(work.bounds.axes), len(rivals), 1 + len(work.rivals))
    work.until = None if spent.seconds is None else began + SEARCHED * spent.seconds
    search = StressSearch(work, spent.runs, seed)
    worst = search.go()[0].case
    cut = work.late
    work.until = None if spent.seconds is None else began + spent.seconds
    common = [seed + CHOOSING + number for number in range(SHRINKING)]
    minimal = shrinking.shrink(work, worst, common, spent.keep)
    work.stage = "fresh runs"
    seeds = [seed + APART + number for number in range(spent.fresh)]
    usual = work.enveloped(work.bounds.mild())
    kind, harmed = fault.judge(work, minimal, seeds, rivals)
    losses = [shrinking.validated(work, one, seeds) for one in (worst, minimal)]
    if (losses[0].mean or 0.0) <= (losses[0].half_width or 0.0):
        kind = "none"
    harms = [statistics.t_interval(work.harms(one, seeds)) for one in (minimal, usual)]
    design = work.design.text
    scenario = work.scenario(minimal, work.design, title=f"The worst found for {design} at {work.link.name}")
    limit = "" if spent.seconds is None else units.show_span(spent.seconds)
    return StressAnswer(
        design=design, link=work.link, bounds=work.bounds, measure=work.harm.about, unit=work.harm.unit,
        regret=bool(work.rivals), worst=worst, worst_loss=losses[0], minimal=minimal, minimal_loss=losses[1],
        minimal_harm=harms[0], usual=usual, usual_harm=harms[1], keep=spent.keep, fault=kind, rivals=harmed,
        walks=tuple(search.walks), grid=search.grid, scenario=scenario, seed=seed, fresh=spent.fresh, runs=work.done,
        digest=scenario.digest(seeds[0]), digest_seed=seeds[0], command=command, version=library.version(),
        stopped=f"cut short to fit into {limit}: another machine may find another case" if cut else "",
        folder=folder,
    )  # fmt: skip
