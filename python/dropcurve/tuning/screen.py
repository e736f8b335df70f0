"""Screening: which knobs of a family matter, by the elementary effects of Morris (1991), with SALib.

A few trajectories through the ranges move one knob at a time. The mean of the absolute effects (mu*) says how much a
knob matters, their standard deviation how much that depends on the others (Campolongo 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .bench import Bench, Trial
from .candidates import Candidate
from .families import Family

#: Trajectories; each costs a candidate for each knob and one more.
TRAJECTORIES = 4
#: A knob whose effect is below this share of the greatest hardly matters.
NEGLIGIBLE = 0.08
#: Losses above this many points over the best count as this many: far from the optimum all is equally bad.
CEILING = 100.0


@dataclass(frozen=True)
class Effect:
    """What moving a knob over its range does to the loss, in points: mean of the absolute effects, their
    deviation; whether that is more than a trifle beside the others."""

    family: str
    knob: str
    mu_star: float
    sigma: float
    matters: bool


def designs(family: Family, *, seed: int) -> list[dict[str, float]]:
    """The knobs of every candidate to try, trajectory by trajectory."""
    from SALib.sample import morris

    names = list(family.knobs)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    found = morris.sample(problem, TRAJECTORIES, num_levels=4, seed=seed)
    return [
        {name: axis.at(float(share)) for (name, axis), share in zip(family.knobs.items(), one, strict=True)}
        for one in found
    ]


def effects(
    family: Family, bench: Bench, tried: Sequence[Candidate | None], trials: Sequence[Trial], *, seed: int
) -> list[Effect]:
    """The effects, from the candidates of `designs` after they were run."""
    import numpy as np
    from SALib.analyze import morris as analysis
    from SALib.sample import morris

    names = list(family.knobs)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    shares = morris.sample(problem, TRAJECTORIES, num_levels=4, seed=seed)
    losses = [math.inf if one is None else bench.score(one, trials) for one in tried]
    best = min(losses)
    if math.isinf(best):
        return [Effect(family.kind, name, 0.0, 0.0, True) for name in names]
    answers = np.array([min(loss, best + CEILING) for loss in losses])
    found = analysis.analyze(problem, shares, answers, num_levels=4, print_to_console=False, seed=seed)
    most = float(max(found["mu_star"]))
    return [
        Effect(family.kind, name, float(found["mu_star"][i]), float(found["sigma"][i]),
               bool(found["mu_star"][i] > NEGLIGIBLE * most))
        for i, name in enumerate(names)
    ]  # fmt: skip
