"""Designs that miss a bound, validated with the nearest safer scale that holds it.

Close steps come first, as the edge of a bound is steep on most links. Where delays scatter so much that close steps
change little, as on a link whose rate varies, wide ones follow until one holds, and the gap to the last that does not
is halved: what lies between a design that misses its bound and one that leaves half of it unused is often the best.
"""

from __future__ import annotations

import math

from . import proof as proofs
from .candidates import Candidate
from .challengers import Challengers
from .outcome import SearchOutcome
from .search_space import Coordinates, Family
from .validation import NEAR_MISS, Validation

#: Factors to the safe side of a scale: close ones, and wide ones where no close one holds.
CLOSE, WIDE = (0.98, 0.96, 0.91, 0.85), (0.74, 0.6, 0.45, 0.3)
#: Times that the gap below a wide step is halved, as a logarithm.
HALVINGS = 2
#: Number of designs, better but infeasible, that are moved to the safe side.
RETREATS = 3


def take(validation: Validation, outcome: SearchOutcome, challengers: Challengers) -> bool:
    """Validates designs that are ahead of the recommendation and miss a bound with a safer scale; returns whether there
    was one."""
    before = len(validation.candidates)
    for one in validation.ahead()[:RETREATS]:
        _of(one, validation, outcome, challengers)
    return len(validation.candidates) > before


def step_back(
    failed: proofs.Proof, validation: Validation, outcome: SearchOutcome, challengers: Challengers
) -> None:
    """Validates a refused design with a safer scale; of one that broke its bound too often moved by at least the excess
    that few of its runs pass."""
    _of(
        failed.candidate,
        validation,
        outcome,
        challengers,
        1.0 if failed.holds else math.exp(-max(failed.over, 0.0)),
    )


def secure(validation: Validation, outcome: SearchOutcome, challengers: Challengers) -> None:
    """Validates a recommendation that broke a bound in few runs with a safer scale: among equals the one that holds its
    bounds in more runs is recommended."""
    best = validation.decide()
    if not validation.several and 0.0 < validation.broken(best) <= NEAR_MISS:
        _of(best, validation, outcome, challengers)


def _of(
    candidate: Candidate,
    validation: Validation,
    outcome: SearchOutcome,
    challengers: Challengers,
    most: float = 1.0,
) -> None:
    space, coordinates = outcome.in_space(candidate, validation.bench.question)
    if space is not None and coordinates is not None:
        nearest(candidate, space, coordinates, validation, challengers, most)


def nearest(
    candidate: Candidate, space: Family, coordinates: Coordinates, validation: Validation, challengers: Challengers,
    most: float = 1.0,
) -> None:  # fmt: skip
    """Validates a design with its scale moved by a factor of ``most`` at least, until one holds its bounds or is behind
    the recommendation."""
    misses = 1.0
    for factor in [one for one in (*CLOSE, *WIDE) if one <= most] or WIDE[-1:]:
        safer = challengers.safer(candidate, space, coordinates, factor)
        if safer is None:
            continue
        if not validation.add(safer):
            return
        if validation.clears(safer):
            break
        if factor in WIDE and _is_behind(safer, validation):
            return
        misses = factor
    else:
        return
    holds = factor
    for _ in range(HALVINGS if factor in WIDE else 0):
        middle = math.sqrt(misses * holds)
        safer = challengers.safer(candidate, space, coordinates, middle)
        if safer is None or not validation.add(safer):
            return
        if validation.clears(safer):
            holds = middle
        else:
            misses = middle


def _is_behind(candidate: Candidate, validation: Validation) -> bool:
    """Whether a design is behind a feasible recommendation in the mean of their common replications."""
    best = validation.decide()
    pair = validation.standing_of(candidate)[1]
    return candidate is not best and not validation.misses(best) and pair is not None and pair.mean > 0.0
