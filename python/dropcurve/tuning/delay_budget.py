"""A recommendation that leaves part of the bound on the delay unused is compared with its own discipline at more delay.

Whether more delay buys anything is a question to the runs: the scale is moved towards the bound, and the design is
validated like any other. It is recommended if it is better; otherwise the answer names it as the reason
(`spare`).
"""

from __future__ import annotations

import math

from . import settling
from .candidates import Candidate
from .constraint import direction, log_ratio
from .delay_bounds import delay_bounds
from .outcome import SearchOutcome
from .search_space import Coordinates
from .study import FamilyStudy
from .validation import Validation

#: Share of the delay bound from which on the budget counts as used, and the share that a larger scale aims at.
USED, AIM = 0.9, 0.97
#: Least share that a factor is computed from, and the share up to which a design is just over the bound.
LEAST, JUST_OVER = 0.1, 1.25
#: Moves of the recommendation at most; powers of the factor to the aim that are tried until a design holds the bound.
MOVES, POWERS = 4, (1.0, 0.5, 0.25)
#: Factor between two scales where the box takes no setting in between, and the largest number of such steps.
STEP, STEPS = 1.05, 40


def spend(validation: Validation, outcome: SearchOutcome, seed: int) -> None:
    """Validates the discipline of the recommendation with a larger scale, until the recommendation uses its budget, is
    within the margin of the largest possible objective, or is not better with more delay."""
    question = validation.bench.question
    if validation.several or not delay_bounds(question.goal) or direction(question.goal) < 0:
        return
    for _ in range(MOVES):
        best = validation.decide()
        share = used(validation, best)
        if validation.settled or share >= USED or validation.misses(best) or _tried(validation, best, share):
            return
        space, coordinates = outcome.in_space(best, question)
        if space is None or coordinates is None:
            return
        study = FamilyStudy(space, question.target, 1, seed)
        for power in POWERS:
            larger = _larger(study, best, coordinates, max(AIM / max(share, LEAST), STEP) ** power)
            if larger is None or not validation.add(larger):
                return
            if not validation.misses(larger):
                break
        settling.settle(validation)


def used(validation: Validation, candidate: Candidate) -> float:
    """The largest share of the bound on the delay in the runs of a design."""
    trials = [trial for some in validation.trials(candidate) for trial in some]
    return math.exp(max(log_ratio(validation.bench, candidate, trial) for trial in trials))


def _tried(validation: Validation, best: Candidate, share: float) -> bool:
    """Whether a validated design of the same discipline uses more of the bound: it holds that, or is just over it."""
    return any(
        one.kind == best.kind
        and one.key != best.key
        and share < used(validation, one)
        and (used(validation, one) <= JUST_OVER or not validation.misses(one))
        for one in validation.candidates
    )


def _larger(study: FamilyStudy, best: Candidate, coordinates: Coordinates, factor: float) -> Candidate | None:
    """The design with its scale multiplied by a factor, or the next setting that the box takes; None at the end of its
    axis."""
    name = study.family.scale
    axis, scale = study.family.axes[name], coordinates[name] * factor
    for _ in range(STEPS):
        scale = min(scale, axis.high)
        candidate = study.candidate({**coordinates, name: axis.rounded(scale)})
        if candidate is not None and candidate.key != best.key:
            return candidate
        if scale >= axis.high:
            return None
        scale *= STEP
    return None
