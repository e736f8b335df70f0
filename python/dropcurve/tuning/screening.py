"""Screening: which parameters of a family matter, by the elementary effects of Morris (1991), with SALib.

A few trajectories through the search space move one parameter at a time. The mean of the absolute effects (mu*)
measures how much a parameter matters, their standard deviation how much that depends on the others (Campolongo 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .bench import Bench, PairedTrial
from .candidates import Candidate
from .families import Family

#: Trajectories; each costs a candidate for each parameter and one more.
TRAJECTORIES = 4
#: A parameter whose effect is below this share of the greatest hardly matters.
NEGLIGIBLE = 0.08
#: Losses above this many points over the best count as this many: far from the optimum all is equally bad.
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
    from SALib.sample import morris

    names = list(family.axes)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    found = morris.sample(problem, TRAJECTORIES, num_levels=4, seed=seed)
    return [
        {name: axis.at(float(share)) for (name, axis), share in zip(family.axes.items(), one, strict=True)}
        for one in found
    ]


def effects(
    family: Family,
    bench: Bench,
    tried: Sequence[Candidate | None],
    trials: Sequence[PairedTrial],
    *,
    seed: int,
) -> list[ScreeningEffect]:
    """The effects, from the candidates of `designs` after they were run."""
    import numpy as np
    from SALib.analyze import morris as analysis
    from SALib.sample import morris

    names = list(family.axes)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    shares = morris.sample(problem, TRAJECTORIES, num_levels=4, seed=seed)
    losses = [math.inf if one is None else bench.score(one, trials) for one in tried]
    best = min(losses)
    if math.isinf(best):
        return [ScreeningEffect(family.kind, name, 0.0, 0.0, True) for name in names]
    answers = np.array([min(loss, best + CEILING) for loss in losses])
    found = analysis.analyze(problem, shares, answers, num_levels=4, print_to_console=False, seed=seed)
    most = float(max(found["mu_star"]))
    return [
        ScreeningEffect(family.kind, name, float(found["mu_star"][i]), float(found["sigma"][i]),
               bool(found["mu_star"][i] > NEGLIGIBLE * most))
        for i, name in enumerate(names)
    ]  # fmt: skip
