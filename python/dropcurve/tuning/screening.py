"""Screening: which parameters of a family matter, by the elementary effects of Morris (1991).

A few trajectories through the search space move one parameter at a time. The mean of the absolute effects (mu*)
measures how much a parameter matters, their standard deviation how much that depends on the others (Campolongo 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..metrics import statistics
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .search_space import Family

#: Trajectories; each costs a candidate for each parameter and one more.
TRAJECTORIES = 4
#: Levels of each coordinate, and the step between the two ends of an elementary effect: p / (2 (p - 1)).
LEVELS, STEP = 4, 2.0 / 3.0
#: A parameter whose effect is below this share of the largest one is seldom varied.
NEGLIGIBLE = 0.08
#: Cap on losses, in points above the best: far from the optimum all designs are equally bad.
CEILING = 100.0


@dataclass(frozen=True)
class ScreeningEffect:
    """Effect on the loss of moving a parameter over its range, in points: mean of the absolute effects, their
    deviation; whether that is more than a small part of the largest."""

    family: str
    parameter: str
    mu_star: float
    sigma: float
    matters: bool


def designs(family: Family, *, seed: int) -> list[dict[str, float]]:
    """The coordinates of every candidate to try, trajectory by trajectory."""
    return [
        {name: axis.at(share) for (name, axis), share in zip(family.axes.items(), point, strict=True)}
        for one in trajectories(len(family.axes), TRAJECTORIES, seed=seed)
        for point in one.points
    ]


@dataclass(frozen=True)
class Moves:
    """Points of the unit cube, each one step from the one before along the axis in ``order``; its length in ``steps``
    with a sign."""

    points: list[list[float]]
    order: list[int]
    steps: list[float]


def trajectories(axes: int, count: int, *, seed: int) -> list[Moves]:
    """Random trajectories over a grid: every axis is moved once, up or down by `STEP` (Morris 1991, section 3)."""
    import numpy as np

    rng = np.random.default_rng(seed)
    paths = []
    for _ in range(count):
        low = rng.integers(0, LEVELS // 2, axes) / (LEVELS - 1)
        signs = rng.choice([-1.0, 1.0], axes)
        order = [int(axis) for axis in rng.permutation(axes)]
        point = np.where(signs > 0.0, low, low + STEP)
        points = [point.tolist()]
        for axis in order:
            point = point.copy()
            point[axis] += signs[axis] * STEP
            points.append(point.tolist())
        paths.append(Moves(points, order, [float(signs[axis]) * STEP for axis in order]))
    return paths


def elementary(paths: Sequence[Moves], answers: Sequence[float]) -> list[list[float]]:
    """The elementary effects of each axis, one of each trajectory, from the answers at all points in order."""
    effects: list[list[float]] = [[] for _ in paths[0].order]
    start = 0
    for one in paths:
        values = answers[start : start + len(one.points)]
        start += len(one.points)
        for axis, step, (before, after) in zip(one.order, one.steps, pairwise(values), strict=True):
            effects[axis].append((after - before) / step)
    return effects


def effects(
    family: Family,
    bench: Bench,
    tried: Sequence[Candidate | None],
    trials: Sequence[PairedTrial],
    *,
    seed: int,
) -> list[ScreeningEffect]:
    """The effects, from the candidates of `designs` after they were run."""
    names = list(family.axes)
    losses = [math.inf if one is None else bench.score(one, trials) for one in tried]
    best = min(losses)
    if math.isinf(best):
        return [ScreeningEffect(family.kind, name, 0.0, 0.0, True) for name in names]
    answers = [min(loss, best + CEILING) for loss in losses]
    effects_of = elementary(trajectories(len(names), TRAJECTORIES, seed=seed), answers)
    means = [statistics.mean([abs(one) for one in each]) for each in effects_of]
    return [
        ScreeningEffect(family.kind, name, mean, statistics.deviation(each), mean > NEGLIGIBLE * max(means))
        for name, mean, each in zip(names, means, effects_of, strict=True)
    ]
