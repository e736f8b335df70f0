"""Does the search of `dropcurve tune` reach what a ten times larger grid finds?

    python -m dropcurve.agree.searched --out docs/guide/tuning-search.md

searches disciplines with one, two and four parameters under small budgets, tries every point of a grid with ten times
the runs on the same conditions and seeds, holds the two winners against each other on fresh seeds, and writes a page.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from .. import statistics
from ..scenario import Scenario
from ..statistics import Interval
from ..store import build
from ..sweeping.execute import Where
from ..sweeping.store import Store
from ..tuning import of_file
from ..tuning.bench import PENALTY, Bench, Trial, block
from ..tuning.candidates import Candidate
from ..tuning.effort import Effort
from ..tuning.families import family
from ..tuning.search import Search

SCENARIO = """
title = "A slow access link"
run = {duration = "12 s", warmup = "4 s"}
dumbbell = {rate = "5 Mbit/s", delay = "10 ms", access_rate = "100 Mbit/s", access_delay = "uniform 1 ms to 10 ms"}
queue = {kind = "droptail", limit = "80 pkts"}

[flows.tcp]
count = 6
profile = "linux"
start = "uniform 0 s to 1 s"
"""
#: (discipline, goal, runs): knobs of each are those of `tuning.families`.
PROBLEMS = (
    ("droptail", "max utilisation - 0.5 * mean delay", 60),
    ("droptail", "p95 delay < 40ms, max goodput", 60),
    ("codel", "max utilisation - 0.5 * mean delay", 60),
    ("codel", "p95 delay < 25ms, max utilisation", 100),
    ("ared", "max utilisation - 0.5 * p95 delay", 100),
    ("red", "max utilisation - 0.5 * mean delay", 100),
    ("red", "p95 delay < 25ms, max utilisation", 150),
    ("pie", "p95 delay < 25ms, max utilisation", 150),
)
#: Times as many runs as the search may make.
TIMES = 10
#: Fresh seeds: so many at a time and at most, until the interval is this narrow (points); the first one.
SEEDS, MOST, NARROW = 20, 200, 1.0
FRESH = 5_000


@dataclass(frozen=True)
class Outcome:
    """What came of a problem: runs of either, and how far the search's winner is behind, in points."""

    kind: str
    goal: str
    knobs: int
    searched: int
    grid: int
    behind: Interval
    seeds: int

    @property
    def reached(self) -> bool:
        """Whether the interval reaches 0 or less."""
        return (self.behind.mean or 0.0) <= (self.behind.half_width or 0.0)


def solve(kind: str, goal: str, runs: int, folder: Path, *, seed: int = 1) -> Outcome:
    """Searches, tries the grid, and compares."""
    question = of_file(Scenario.parse(SCENARIO, name="searched"), goal=goal, candidates=[kind])
    bench = Bench(question, Store(folder, build()), Where(1))
    bench.open()
    found = Search(bench, seed, Effort(runs)).go()
    searched = bench.runs
    one = family(kind, question.room)
    trials = block(question.conditions(), seed)
    side = round((TIMES * runs / len(trials)) ** (1.0 / len(one.knobs)))
    shares = [(step + 0.5) / side for step in range(side)]
    made = [
        Candidate(
            "grid",
            kind,
            one.params(
                {name: axis.at(at) for (name, axis), at in zip(one.knobs.items(), place, strict=True)}
            ),
        )
        for place in product(shares, repeat=len(one.knobs))
    ]
    grid = [
        point for point in {point.key: point for point in made}.values() if bench.usable(point, trials[0])
    ]
    bench.run((point, trial) for point in grid for trial in trials)
    best = min(grid, key=lambda point: bench.score(point, trials))
    answer = found.best_of[kind]
    pairs: list[float] = []
    gap = Interval(None, None, 0)
    while len(pairs) < MOST and (gap.half_width is None or gap.half_width > NARROW):
        fresh = [
            Trial.of(0, question.conditions()[0], FRESH + len(pairs) + number) for number in range(SEEDS)
        ]
        bench.run((point, trial) for point in (answer, best) for trial in fresh)
        pairs += [bench.loss(answer, trial) - bench.loss(best, trial) for trial in fresh]
        gap = statistics.t_interval(pairs)
    return Outcome(kind, goal, len(one.knobs), searched, len(grid) * len(trials), gap, len(pairs))


def page(found: Sequence[Outcome]) -> Iterator[str]:
    """The page, line by line."""
    reached = sum(one.reached for one in found)
    yield from f"""\
# The search against a grid

Does the search reach what a ten times larger grid finds? Written by `python -m dropcurve.agree.searched`; do not edit.

One bottleneck of 5 Mbit/s with six CUBIC flows. Each discipline is searched alone under a small budget (`--runs`; what
is known beforehand comes on top and is counted). Then every point of a regular grid over the same ranges is run under
the same seed, about ten times as many runs as the budget (of one parameter in whole packets, all that there are), and
the best of it is held against the answer of the search under fresh seeds, {SEEDS} at a time, until the interval is
±{NARROW:g} or {MOST} are used. *Behind* is what the answer loses
against the best of the grid, in points (percentage points of the goal, or 1 % of tail drop's; a broken bound costs
{PENALTY / 100:g} for each per cent of it), paired, with a 95 % interval; below 0 the search found better.

**In {reached} of {len(found)} the search reaches the grid within its interval.** A grid of many points chooses the
luckiest of them on its seed, so that its winner does worse on fresh ones; the search races its best on more seeds.

| discipline | parameters | goal | runs of the search | of the grid | fresh seeds | behind (points) | |
|---|--:|---|--:|--:|--:|--:|---|""".splitlines()
    for one in found:
        mean, half = one.behind.mean or 0.0, one.behind.half_width or 0.0
        shown = f"{mean:+.2f} ± {half:.2f}".replace("-", "−")
        yield (
            f"| {one.kind} | {one.knobs} | {one.goal} | {one.searched} | {one.grid} | {one.seeds} | {shown} "
            f"| {'reached' if one.reached else 'not reached'} |"
        )


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(prog="python -m dropcurve.agree.searched")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (kind, goal, runs) in enumerate(PROBLEMS):
            found.append(solve(kind, goal, runs, Path(scratch) / str(number)))
            sys.stderr.write(f"{found[-1]}\n")
            asked.out.write_text("\n".join(page(found)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
