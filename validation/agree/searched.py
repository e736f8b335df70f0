"""Compares the search of `dropcurve tune` with a grid that has ten times its runs.

    python -m validation.agree.searched --out docs/guide/tuning-search.md --runs FOLDER

searches disciplines with one to five parameters under small budgets, with five seeds each. For each search it runs
every point of the grid under the same conditions and seed, and compares the two best points on fresh seeds. It
writes a page. With ``--runs`` finished runs are stored, and the same command resumes.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from dropcurve.metrics import statistics
from dropcurve.metrics.statistics import Interval
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.scenario import Scenario
from dropcurve.tuning import Question, of_file, of_link
from dropcurve.tuning.bench import PENALTY, Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.families import family
from dropcurve.tuning.search import Search

SLOW = """
title = "A slow access link"
run = {duration = "12 s", warmup = "4 s"}
dumbbell = {rate = "5 Mbit/s", delay = "10 ms", access_rate = "100 Mbit/s", access_delay = "uniform 1 ms to 10 ms"}
queue = {kind = "droptail", limit = "80 pkts"}

[flows.tcp]
count = 6
profile = "linux"
start = "uniform 0 s to 1 s"
"""

FAST = """
title = "A fast link whose flows use ECN"
run = {duration = "3 s", warmup = "1 s"}
dumbbell = {rate = "200 Mbit/s", delay = "2 ms", access_delay = "uniform 1 ms to 2 ms"}
queue = {kind = "droptail", limit = "500 pkts"}

[flows.tcp]
count = 12
profile = "linux"
ecn = true
start = "uniform 0 s to 300 ms"
"""

TWO = """
title = "Classic and scalable flows"
run = {duration = "8 s", warmup = "3 s"}
dumbbell = {rate = "20 Mbit/s", delay = "4 ms", access_delay = "uniform 1 ms to 3 ms"}
queue = {kind = "droptail", limit = "250 pkts"}

[flows.classic]
count = 3
profile = "linux"
start = "uniform 0 s to 500 ms"

[flows.scalable]
count = 3
profile = "linux"
cc = "prague"
start = "uniform 0 s to 500 ms"
"""


def _file(text: str) -> Callable[[str, str], Question]:
    return lambda kind, goal: of_file(Scenario.parse(text, name="searched"), goal=goal, candidates=[kind])


def _link(rate: str, rtt: str, flows: str, buffer: str, short: str = "0") -> Callable[[str, str], Question]:
    return lambda kind, goal: of_link(
        rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, goal=goal, candidates=[kind]
    )


#: The questions, by name on the page.
LINKS: dict[str, Callable[[str, str], Question]] = {
    "5 Mbit/s, six flows": _file(SLOW),
    "20 Mbit/s, ten flows, a fifth short flows": _link("20Mbit", "24ms", "10", "150pkts", "20"),
    "200 Mbit/s, twelve flows with ECN": _file(FAST),
    "20 Mbit/s, three CUBIC and three Prague": _file(TWO),
    "4 Mbit/s, 20 to 80 ms, 3 to 12 flows": _link("4Mbit", "20-80ms", "3-12", "60pkts"),
}


@dataclass(frozen=True)
class SearchProblem:
    """A discipline to search, on a link, for a goal, with a number of runs; its search space is that of
    `tuning.families`."""

    link: str
    kind: str
    goal: str
    runs: int

    @property
    def question(self) -> Question:
        """Text as `dropcurve tune` takes it."""
        return LINKS[self.link](self.kind, self.goal)


_SLOW, _SHORT, _FAST, _TWO, _RANGE = LINKS
PROBLEMS = (
    SearchProblem(_SLOW, "droptail", "max utilisation - 0.5 * mean delay", 60),
    SearchProblem(_SLOW, "droptail", "p95 delay < 40ms, max goodput", 60),
    SearchProblem(_SLOW, "codel", "max utilisation - 0.5 * mean delay", 60),
    SearchProblem(_SLOW, "codel", "p95 delay < 25ms, max utilisation", 100),
    SearchProblem(_SLOW, "ared", "max utilisation - 0.5 * p95 delay", 100),
    SearchProblem(_SLOW, "red", "max utilisation - 0.5 * mean delay", 100),
    SearchProblem(_SLOW, "red", "p95 delay < 25ms, max utilisation", 150),
    SearchProblem(_SLOW, "pie", "p95 delay < 25ms, max utilisation", 150),
    SearchProblem(_SHORT, "pie", "p95 delay < 15ms, max goodput", 60),
    SearchProblem(_SHORT, "fq_codel", "min p95 completion time + 0.01 * mean delay", 60),
    SearchProblem(_FAST, "red", "max utilisation - 4 * p95 delay", 60),
    SearchProblem(_TWO, "dualpi2", "max utilisation - 2 * p95 delay", 100),
    SearchProblem(_RANGE, "codel", "max utilisation - 0.3 * p95 delay", 60),
    SearchProblem(_RANGE, "red", "max utilisation - 0.3 * mean delay", 100),
)
#: Times as many runs as the search may make.
TIMES = 10
#: Searches of each problem, each with a grid under its seed.
SEARCHES = 5
#: Fresh seeds of every condition: how many at a time and at most, until the interval is this narrow (points); the first
#: one.
SEEDS, MOST, NARROW = 20, 200, 1.0
FRESH = 5_000


@dataclass(frozen=True)
class SearchOutcomes:
    """Outcome of a search: runs of search and grid, and the points by which its winner is worse than the grid's."""

    coordinates: int
    searched: int
    grid: int
    behind: Interval

    @property
    def reached(self) -> bool:
        """Whether the interval reaches 0 or less."""
        return (self.behind.mean or 0.0) <= (self.behind.half_width or 0.0)


@dataclass(frozen=True)
class SearchedProblem:
    """Outcomes of a problem, search by search."""

    problem: SearchProblem
    searches: tuple[SearchOutcomes, ...]

    @property
    def ranked(self) -> list[SearchOutcomes]:
        """The searches, the one that is least behind first."""
        return sorted(self.searches, key=lambda one: one.behind.mean or 0.0)

    @property
    def median(self) -> SearchOutcomes:
        """The search in the middle. An interval over the searches would be the wider, and the easier to reach 0 with,
        the less they agree."""
        return self.ranked[len(self.searches) // 2]


def solve(problem: SearchProblem, folder: Path, *, seed: int = 1, jobs: int = 1) -> SearchOutcomes:
    """Searches, tries the grid, and compares."""
    question, kind = problem.question, problem.kind
    bench = Bench(question, RunTable(folder, build()), Executor(jobs))
    bench.open()
    candidates = Search(bench, seed, Budget(problem.runs)).go()
    searched = bench.runs
    trials = block(question.conditions(), seed)
    points = _grid(problem, bench, trials)
    bench.run((point, trial) for point in points for trial in trials)
    best = min(points, key=lambda point: bench.score(point, trials))
    answer = candidates.best_of.get(kind) or candidates.finalists[0]
    gap = _behind(bench, answer, best)
    bench.store.compact()
    return SearchOutcomes(len(family(kind, question.sizing).axes), searched, len(points) * len(trials), gap)


def side(problem: SearchProblem, conditions: int, coordinates: int) -> int:
    """How many places of each parameter make ten times the runs of the search."""
    places = TIMES * problem.runs / conditions
    return max(2, round(math.pow(places, 1.0 / coordinates)))


def _grid(problem: SearchProblem, bench: Bench, trials: Sequence[PairedTrial]) -> list[Candidate]:
    """About ten times as many runs as the search has, at regular distances; equal settings once."""
    space = family(problem.kind, problem.question.sizing)
    steps = side(problem, len(trials), len(space.axes))
    shares = [(step + 0.5) / steps for step in range(steps)]
    candidates = []
    for place in product(shares, repeat=len(space.axes)):
        coordinates = {name: axis.at(at) for (name, axis), at in zip(space.axes.items(), place, strict=True)}
        candidates.append(Candidate("grid", problem.kind, space.params(coordinates)))
    distinct = {point.key: point for point in candidates}.values()
    return [point for point in distinct if all(bench.usable(point, trial) for trial in trials)]


def _behind(bench: Bench, answer: Candidate, best: Candidate) -> Interval:
    """Loss of the answer against another under fresh seeds, in the mean over the conditions."""
    conditions = bench.question.conditions()
    pairs: list[float] = []
    gap = Interval(None, None, 0)
    while len(pairs) < MOST and (gap.half_width is None or gap.half_width > NARROW):
        blocks = [block(conditions, FRESH + len(pairs) + number) for number in range(SEEDS)]
        bench.run((point, trial) for point in (answer, best) for some in blocks for trial in some)
        pairs += [bench.score(answer, some) - bench.score(best, some) for some in blocks]
        gap = statistics.t_interval(pairs)
    return gap


def page(problems: Sequence[SearchedProblem]) -> Iterator[str]:
    """The page, line by line."""
    reached = sum(one.median.reached for one in problems)
    single = [search.reached for one in problems for search in one.searches]
    yield from f"""\
# The search against a grid

Does the search reach what a ten times larger grid finds? Written by `python -m validation.agree.searched`; do not edit.

Each discipline is searched alone under a small budget (`--runs`; the initial designs are added and counted),
{SEARCHES} times with other seeds. For every search all points of a regular grid over the same ranges are run under its
seed at all conditions, about ten times as many runs as the budget (of one parameter in whole packets, all that there
are), and the best of them is compared with the answer of the search under fresh seeds, {SEEDS} at a time, until the
interval is ±{NARROW:g} or {MOST} are used. *Behind* is what the answer loses against the best of the grid, in points
(percentage points of the goal, or 1 % of tail drop's; a broken bound costs {PENALTY / 100:g} for each per cent of it),
paired, with a 95 % interval: the median of the searches, and the worst of them; below 0 the search found better.

**In {reached} of {len(problems)} the median of the searches reaches the grid within its interval, and {sum(single)} of
the {len(single)} single searches do.** A grid of many points chooses the luckiest of them on its seed, so that its
winner does worse on fresh ones; the search takes into account the results of neighbouring settings.

| link | discipline | parameters | goal | runs of the search | of the grid | behind, median (points) | worst | reached |
|---|---|--:|---|--:|--:|--:|--:|--:|""".splitlines()
    for one in problems:
        runs = sorted(search.searched for search in one.searches)
        worst = one.ranked[-1]
        yield (
            f"| {one.problem.link} | {one.problem.kind} | {worst.coordinates} | {one.problem.goal} "
            f"| {runs[0]}–{runs[-1]} | {worst.grid} | {_shown(one.median.behind)} | {_shown(worst.behind)} "
            f"| {sum(search.reached for search in one.searches)} of {len(one.searches)} |"
        )


def progress_line(number: int, seed: int, outcomes: SearchOutcomes) -> str:
    """A line of progress."""
    verdict = "reached the grid" if outcomes.reached else "did not reach the grid"
    return (
        f"problem {number} of {len(PROBLEMS)}, seed {seed}: the search {verdict} with {outcomes.searched} runs against "
        f"{outcomes.grid}: behind by {_shown(outcomes.behind)} points over {outcomes.behind.n} fresh seeds"
    )


def _shown(interval: Interval) -> str:
    return f"{interval.mean or 0.0:+.2f} ± {interval.half_width or 0.0:.2f}".replace("-", "−")


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(prog="python -m validation.agree.searched")
    parser.add_argument("problems", nargs="*", type=int, help="which of them, from 1 (default: all)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runs", type=Path, help="folder for the runs, to go on after an interruption")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        for number in options.problems or range(1, len(PROBLEMS) + 1):
            problem = PROBLEMS[number - 1]
            searches = []
            for seed in range(1, SEARCHES + 1):
                folder = (options.runs or Path(scratch)) / f"{number}-{seed}"
                searches.append(solve(problem, folder, seed=seed, jobs=options.jobs))
                sys.stderr.write(progress_line(number, seed, searches[-1]) + "\n")
            problems.append(SearchedProblem(problem, tuple(searches)))
            options.out.write_text(wrap_markdown("\n".join(page(problems)) + "\n"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
