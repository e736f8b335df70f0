"""Regret of the atlas against the full search, and how much earlier that finds a good design if it starts there.

    python -m validation.atlas.gain --runs FOLDER --links 20

Both searches run on the same drawn links, of every kind of rate in turn, with the same budget of runs. Neither the
atlas nor the start of the search was fitted to links of this draw. A first good design is one that was run in all
trials, holds the bounds and is within `NEAR` points of the better of the two answers. Each finished link is stored in
the folder, so that an interrupted or a larger call continues from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from unittest import mock

from dropcurve.errors import UsageError
from dropcurve.metrics import statistics
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import Question, atlas, solving
from dropcurve.tuning import effort as efforts
from dropcurve.tuning.atlas import model as models
from dropcurve.tuning.atlas import storing
from dropcurve.tuning.atlas.start import starts
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.search import Search

from ..regret.links import DrawnLink, drawn
from .page import write

#: Points of the objective within which a design is a good one.
NEAR = 0.5
#: Seed of the links, of the searches and of the runs by which answers are compared; replications of the latter.
LINKS, SEED, FRESH, REPLICATIONS = 707, 1, 60_000, 4
#: Links drawn for each that is compared: some are beyond the atlas.
DRAWN = 3


@dataclass(frozen=True)
class AtlasRegret:
    """One link: the regret of the atlas in points, whether both answers hold the bounds on fresh seeds, and the runs
    and processor seconds until the first good design, with the atlas and without."""

    link: str
    goal: str
    atlas: str
    search: str
    regret: float
    half_width: float | None
    atlas_holds: bool
    search_holds: bool
    runs_with: int | None
    runs_without: int | None
    seconds_with: float | None
    seconds_without: float | None


@dataclass
class LoggedBench(Bench):
    """A bench that records when a design was run in all ``trials``: (design, runs and processor seconds so far)."""

    log: dict[str, tuple[Candidate, int, float]] = field(default_factory=dict)
    trials: list[PairedTrial] = field(default_factory=list)
    began: float = 0.0

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        """Executes runs, and records the designs that are complete."""
        wanted = list(pairs)
        done = super().run(wanted, until=until)
        now = time.process_time() - self.began
        for one in {one.key: one for one, _ in wanted if one.key not in self.log}.values():
            if all(self.has(one, trial) for trial in self.trials):
                self.log[one.key] = (one, self.runs, now)
        return done


def main() -> int:
    """Compares, and writes the outcome into the record of the model and onto the page."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.atlas.gain", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--runs", type=Path, required=True, help="folder for the runs")
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--search-runs", type=int, default=300, help="runs of each search")
    parser.add_argument("--out", type=Path, default=Path("docs/atlas.md"), help="page to write")
    parser.add_argument("--jobs", type=int, default=None)
    options = parser.parse_args()
    regrets: list[AtlasRegret] = []
    for number, link in enumerate(within(options.links)):
        regrets.append(_stored(number, link, options.runs, options.search_runs, Executor(options.jobs)))
        sys.stderr.write(f"{regrets[-1]}\n")
    known = models.load()
    record = {key: value for key, value in known.record.items() if key not in models.OWN}
    record["gain"] = {"search_runs": options.search_runs, "links": [asdict(one) for one in regrets]}
    storing.store(models.FOLDER, known.parts, record)
    write(options.out, models.load())
    return 0


def within(count: int) -> list[DrawnLink]:
    """The first drawn links that lie within the ranges of the atlas."""
    known = models.load()
    return [link for link in drawn(DRAWN * count, seed=LINKS) if _answered(link, known)][:count]


def _answered(link: DrawnLink, known: models.Atlas) -> bool:
    try:
        return bool(atlas.answer(link.question(), known).picks)
    except UsageError:
        return False


def _stored(number: int, link: DrawnLink, folder: Path, runs: int, executor: Executor) -> AtlasRegret:
    """The comparison of a link, from the folder if it is there."""
    path = folder / f"link-{number}-{runs}.json"
    if path.is_file():
        return AtlasRegret(**json.loads(path.read_text(encoding="utf-8")))
    regret = compared(link, folder / f"link-{number}", runs, executor)
    path.write_text(json.dumps(asdict(regret), indent=1) + "\n", encoding="utf-8")
    return regret


def compared(link: DrawnLink, folder: Path, runs: int, executor: Executor) -> AtlasRegret:
    """One link, searched from the atlas and from rules of thumb alone."""
    question = link.question()
    budget = efforts.by_size(question, runs)
    searches = {}
    for name in ("with", "without"):
        with mock.patch.object(solving, "starts", starts if name == "with" else lambda _: {}):
            searches[name] = searched(question, folder / name, budget, executor)
    pick = atlas.answer(question).picks[0].candidate
    loss = min(_loss(bench, one, trials) for bench, one, trials in searches.values())
    first = {name: _first(*parts, loss) for name, parts in searches.items()}
    bench, best, _ = searches["with"]
    trials = [one for seed in range(REPLICATIONS) for one in block(question.conditions(), FRESH + seed)]
    bench.run((one, trial) for one in (best, pick) for trial in trials)
    pair = statistics.paired(bench.losses(pick, trials), bench.losses(best, trials))
    assert pair is not None, "there are several trials"
    return AtlasRegret(
        link.title, link.goal, pick.queue, best.queue, pair.mean, pair.half_width,
        bench.violation(pick, trials) == 0, bench.violation(best, trials) == 0,
        *(None if one is None else one[0] for one in (first["with"], first["without"])),
        *(None if one is None else one[1] for one in (first["with"], first["without"])),
    )  # fmt: skip


def searched(
    question: Question, folder: Path, budget: Budget, executor: Executor
) -> tuple[LoggedBench, Candidate, list[PairedTrial]]:
    """A search: its bench, its best design and the trials that count."""
    bench = LoggedBench(question, RunTable(folder, build(), cache="off"), executor)
    bench.open()
    bench.began = time.process_time()
    search = Search(bench, SEED, budget)
    bench.trials = search.first
    outcome = search.go()
    return bench, outcome.finalists[0], search.first


def _loss(bench: Bench, candidate: Candidate, trials: list[PairedTrial]) -> float:
    bench.run((candidate, trial) for trial in trials)
    return bench.together(bench.losses(candidate, trials))


def _first(
    bench: LoggedBench, _: Candidate, trials: list[PairedTrial], loss: float
) -> tuple[int, float] | None:
    """The runs and seconds until the first good design; None if there was none."""
    for one, runs, seconds in list(bench.log.values()):
        if bench.violation(one, trials) == 0 and _loss(bench, one, trials) <= loss + NEAR:
            return runs, seconds
    return None


if __name__ == "__main__":
    sys.exit(main())
