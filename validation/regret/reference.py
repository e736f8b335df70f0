"""Exhaustive reference of a link: a dense grid over every family, solved along its lines, then narrowed by halving.

The grid is dense in the parameter that sets the delay and coarse in the others. Delay and utilisation rise with that
parameter, so bisection finds the edge of the bound on each line of the grid, at the two ends of the ranges. Points near
an edge that are not clearly worse than the best one are then run at every condition, and the best of these under
further seeds. Where the goal has no such edge, every point is run at the ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from dropcurve.metrics import statistics
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.constraint import customary_s, direction
from dropcurve.tuning.decision import margin_of, slack
from dropcurve.tuning.families import family
from dropcurve.tuning.search_space import Coordinates

#: Seed of the reference's own runs; those of the search and of the contest are others.
SEED = 40_000
#: Shares of the bound for a parameter that sets the delay.
SHARES = (0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.56, 0.63, 0.7, 0.78, 0.84, 0.88, 0.91,
          0.94, 0.97, 1.0, 1.05)  # fmt: skip
#: The other parameters of each family: values each is tried at.
OTHERS: dict[str, dict[str, tuple[float, ...]]] = {
    "droptail": {},
    "codel": {"interval": (0.02, 0.05, 0.1, 0.3)},
    "fq_codel": {"interval": (0.02, 0.05, 0.1, 0.3)},
    "pie": {"t_update": (0.005, 0.015), "alpha": (0.03, 0.125, 0.5), "beta": (0.5, 1.25, 5.0)},
    "red": {"ratio": (1.5, 3.0), "max_p": (0.02, 0.1, 0.4), "memory_s": (0.002, 0.03, 0.3)},
}
#: Points behind the best at which a point is left out after the ends, unless more may be made up for.
BEHIND = 3.0
#: Points of a line below the edge, and above it, that are run at every condition: the edge differs between seeds.
BELOW, ABOVE = 2, 1
#: Designs that are run under further seeds, and that go into the contest.
SECOND, KEPT, SEEDS = 16, 6, 4


def lines(bench: Bench) -> list[list[Candidate]]:
    """Every point of the grid that can be run, in lines along the scale: one for each value of the others."""
    question = bench.question
    bound = customary_s(question.goal, question.sizing)
    first = block(question.conditions(), SEED)[0]
    candidates: list[list[Candidate]] = []
    for kind in question.candidates:
        one = family(kind, question.sizing)
        unit = one.axes[one.scale].unit
        level = {"s": 1.0, "pkts": question.sizing.capacity, "B": question.sizing.capacity * 1500.0}[unit]
        others = OTHERS[kind]
        for rest in product(*others.values()):
            line: dict[str, Candidate] = {}
            for share in SHARES:
                at: Coordinates = {one.scale: share * bound * level, **dict(zip(others, rest, strict=True))}
                design = Candidate(f"{kind} of the grid", kind, one.params(at))
                if bench.usable(design, first):
                    line.setdefault(design.key, design)
            if line:
                candidates.append(list(line.values()))
    return candidates


def search(bench: Bench) -> tuple[list[Candidate], int]:
    """The best designs of the grid, the most promising first, and the number of its points."""
    grid = lines(bench)
    trials = block(bench.question.conditions(), SEED)
    ends = trials[:2]
    alive = [point for line in grid for point in _edge(bench, line, ends)]
    bench.run((point, trial) for point in alive for trial in ends)
    goal = bench.question.goal
    behind = max(BEHIND, slack(goal, margin_of(goal)))
    able = [point for point in alive if bench.violation(point, ends) == 0] or alive
    best = max((score(bench, point, ends) for point in able), default=0.0)
    alive = [point for point in alive if score(bench, point, ends) >= best - behind]
    bench.run((point, trial) for point in alive for trial in trials)
    second = ranked(bench, alive, trials)[:SECOND]
    more = [
        trial
        for number in range(1, SEEDS)
        for trial in block(bench.question.conditions(), SEED + 100 * number)
    ]
    bench.run((point, trial) for point in second for trial in more)
    return ranked(bench, second, [*trials, *more])[:KEPT], sum(map(len, grid))


def _edge(bench: Bench, line: Sequence[Candidate], ends: Sequence[PairedTrial]) -> list[Candidate]:
    """The points of a line around the largest that keeps the bound at the ends, which bisection finds; all of them
    where the goal has no such edge."""
    if direction(bench.question.goal) != 1:
        return list(line)
    low, high = -1, len(line)
    while high - low > 1:
        middle = (low + high) // 2
        bench.run((line[middle], trial) for trial in ends)
        if bench.violation(line[middle], ends) > 0:
            high = middle
        else:
            low = middle
    return list(line[max(0, low - BELOW) : low + 1 + ABOVE]) or list(line[:1])


def ranked(bench: Bench, points: Sequence[Candidate], trials: Sequence[PairedTrial]) -> list[Candidate]:
    """Designs in the order of a verdict: those that hold first, then by the objective."""
    return sorted(
        points, key=lambda one: (round(bench.violation(one, trials), 3), -score(bench, one, trials))
    )


def score(bench: Bench, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
    """The mean of the objective over trials, in points, the larger the better: percentage points of a share, and per
    cent of the value that `Bench.scale` fixed."""
    return -bench.together(bench.losses(candidate, trials))


def objective(bench: Bench, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
    """The mean of the objective over trials, in its own unit; runs without a value do not count."""
    wanted = bench.question.goal.objectives[0]
    values = [bench.objective(candidate, trial, wanted) for trial in trials]
    return statistics.mean([value for value in values if value is not None] or [0.0])
