"""Designs that miss a bound, validated with the nearest safer scale that holds it.

Close steps come first, as the edge of a bound is steep on most links. Where delays scatter so much that close steps
change little, as on a link whose rate varies, wide ones follow until one holds. Then the gap to the last that does not
is halved, while a scale in its middle would be better by more than the margin: what lies between a design that misses
its bound and one that leaves part of it unused is often the best, and designs that are as good as each other need no
runs of their own.

Where few runs of a design exceed the bound by much, and the delay falls more slowly than the scale, the runs tell how
far the step has to be: the excess that one run of twenty passes, over the elasticity of the delay (`elasticity`). Steps
that are shorter than that are left out, as each would take as many runs to be refused. So are scales above one that a
validated design with the same other parameters has and misses a bound with.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ..metrics import statistics
from . import proof as proofs
from .candidates import Candidate
from .challengers import Challengers
from .constraint import direction, excess_ratio
from .decision import HOLDS, complexity
from .outcome import SearchOutcome
from .search_space import Coordinates, Family
from .validation import LENIENT, NEAR_MISS, Validation

#: Factors to the safe side of a scale: close ones, and wide ones where no close one holds.
CLOSE, WIDE = (0.98, 0.96, 0.91, 0.85), (0.74, 0.6, 0.45, 0.3)
#: Times at most that the gap between a scale that misses a bound and one that holds is halved, as a logarithm.
HALVINGS = 2
#: Number of designs, better but infeasible, that are moved to the safe side.
RETREATS = 3
#: Share of the runs that speak for a design from which on the others are worth it.
NEARLY = 0.75
#: Elasticity of the delay before there are runs (it is proportional to the scale), the standard deviation of that, and
#: the least one.
PROPORTIONAL, UNSURE, LEAST = 1.0, 0.5, 0.2
#: Ratio of two scales between which none is tried.
ADJACENT = 0.98
#: Least variance of the logarithm of the delay between runs.
LEAST_VARIANCE = 1e-4
#: Share of the step that follows from the runs from which on a factor is tried.
SURELY = 0.7


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
    over = max(failed.over, 0.0)
    _of(failed.candidate, validation, outcome, challengers, over, 1.0 if failed.holds else math.exp(-over))


def speak(validation: Validation) -> None:
    """Adds the runs after which designs speak for themselves that are ahead and count as missing a bound only because
    they are like a refused design (`Validation.misses`), the simplest first: if they are few, or if the design broke no
    bound and is shown to be ahead by more than the margin."""
    if validation.several or len(validation.refused) > LENIENT:
        return
    validation.decide()
    held_back = []
    for one in validation.candidates:
        pair = validation.standing_of(one)[1]
        like = validation.misses(one) and not validation.misses(one, own=True)
        if like and pair is not None and pair.mean < 0.0:
            ahead = pair.half_width is not None and -pair.mean > max(validation.margin, pair.half_width)
            nearly = 0.0 if ahead and validation.broken(one) == 0.0 else NEARLY
            held_back.append((complexity(one), pair.mean, one, nearly))
    for _, _, one, nearly in sorted(held_back, key=lambda row: row[:2])[: 2 * RETREATS]:
        _complete(validation, one, nearly)
    validation.decide()


def speaking(missed: int) -> int:
    """The fewest runs that show that a design holds its bounds in nineteen of twenty, if ``missed`` of them do not."""
    return next(runs for runs in itertools.count(1) if proofs.rejects(missed, runs))


def _complete(validation: Validation, candidate: Candidate, nearly: float = NEARLY) -> None:
    """Adds the runs of a design after which they speak for it, unless one more of them breaks a bound, if it has the
    share ``nearly`` of them."""
    runs = validation.made(candidate) * validation.fresh
    enough = speaking(round(validation.broken(candidate) * runs))
    if nearly * enough <= runs < enough:
        validation.extend([candidate], math.ceil(enough / validation.fresh), until=validation.until)


def _clears(validation: Validation, candidate: Candidate) -> bool:
    """Whether a design holds its bounds: one that counts as missing one only because it is like a refused design gets
    the few runs after which its own speak for it. The next safer scale would take more."""
    if validation.clears(candidate):
        return True
    if not validation.misses(candidate, own=True) and len(validation.refused) <= LENIENT:
        _complete(validation, candidate)
    return not validation.misses(candidate)


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
    over: float | None = None,
    most: float = 1.0,
) -> None:
    """Validates a design with a safer scale, by a factor of ``most`` at least; ``over`` is the logarithm of the excess
    that has to go, by default that which one of twenty of its runs passes."""
    space, coordinates = outcome.in_space(candidate, validation.bench.question)
    if space is not None and coordinates is not None:
        step = _step(candidate, space, coordinates, validation, outcome, over)
        nearest(candidate, space, coordinates, validation, outcome, challengers, min(most, step))


def _step(
    candidate: Candidate, space: Family, coordinates: Coordinates, validation: Validation, outcome: SearchOutcome,
    over: float | None = None,
) -> float:  # fmt: skip
    """Factor on the scale of a design above which no safer one is tried."""
    over = _over(candidate, validation) if over is None else over
    return math.exp(-SURELY * over / elasticity(candidate, space, coordinates, validation, outcome))


def _over(candidate: Candidate, validation: Validation) -> float:
    """Logarithm of value / bound that one of twenty runs of a design passes; 0 if that is within the bounds."""
    excesses = sorted(
        excess_ratio(validation.bench, candidate, trial)
        for some in validation.trials(candidate)
        for trial in some
    )
    allowed = math.ceil((1.0 - HOLDS) * len(excesses))
    return max(0.0, excesses[-1 - allowed]) if len(excesses) > allowed else 0.0


def _siblings(
    space: Family, coordinates: Coordinates, validation: Validation, outcome: SearchOutcome
) -> Iterator[tuple[Candidate, float]]:
    """The validated designs of a family with these coordinates except for the scale, with the logarithm of theirs over
    this scale, turned so that the bounds hold below."""
    sign = direction(validation.bench.question.goal) or 1
    for other in validation.candidates:
        there = outcome.in_space(other, validation.bench.question)[1] if other.kind == space.kind else None
        if there is not None and all(
            math.isclose(there[name], value, rel_tol=1e-3)
            for name, value in coordinates.items()
            if name != space.scale
        ):
            yield other, sign * math.log(there[space.scale] / coordinates[space.scale])


def elasticity(
    candidate: Candidate, space: Family, coordinates: Coordinates, validation: Validation, outcome: SearchOutcome
) -> float:  # fmt: skip
    """Change of the logarithm of the delay over that of the scale: the mean, by ridge regression from `PROPORTIONAL`,
    over the validated designs that differ from this one in the scale alone, in common trials."""
    bench = validation.bench
    own = [trial for some in validation.trials(candidate) for trial in some]
    excesses = {trial: excess_ratio(bench, candidate, trial) for trial in own}
    variance = statistics.deviation(list(excesses.values())) ** 2 if len(own) > 1 else 0.0
    variance = max(variance, LEAST_VARIANCE)
    total, weight = PROPORTIONAL / UNSURE**2, 1.0 / UNSURE**2
    for other, step in _siblings(space, coordinates, validation, outcome):
        for trial in own[: sum(map(len, validation.trials(other)))]:
            change = excess_ratio(bench, other, trial) - excesses[trial]
            total += step * change / variance
            weight += step**2 / variance
    return min(max(total / weight, LEAST), PROPORTIONAL)


def known_gap(
    space: Family, coordinates: Coordinates, validation: Validation, outcome: SearchOutcome
) -> tuple[float, float, Candidate | None]:
    """The smallest factor on the scale, up to 1, with which a validated design misses a bound, the largest one below it
    with which one holds all of them (0: none), and that design."""
    steps = [
        (math.exp(step), one)
        for one, step in _siblings(space, coordinates, validation, outcome)
        if step <= 0.0
    ]
    misses = min((factor for factor, one in steps if validation.misses(one)), default=1.0)
    below = [pair for pair in steps if pair[0] < misses and not validation.misses(pair[1])]
    return misses, *max(below, key=lambda pair: pair[0], default=(0.0, None))


def nearest(
    candidate: Candidate, space: Family, coordinates: Coordinates, validation: Validation, outcome: SearchOutcome,
    challengers: Challengers, most: float = 1.0,
) -> None:  # fmt: skip
    """Validates a design with its scale moved by a factor of ``most`` at least, until one holds its bounds or is behind
    the recommendation."""
    misses, holds, holding = known_gap(space, coordinates, validation, outcome)
    if misses <= WIDE[-1] or holds >= ADJACENT * misses:
        return
    most = min(most, ADJACENT * misses if misses < 1.0 else most)
    for factor in (*CLOSE, *WIDE):
        if factor <= holds:
            break
        if factor > most and factor != WIDE[-1]:
            continue
        safer = challengers.safer(candidate, space, coordinates, factor)
        if safer is None:
            continue
        if not validation.add(safer):
            return
        if _clears(validation, safer):
            holds, holding = factor, safer
            break
        if factor in WIDE and _is_behind(safer, validation):
            return
        misses = factor
        at = outcome.in_space(safer, validation.bench.question)[1]
        if at is not None:
            most = min(most, factor * _step(safer, space, at, validation, outcome))
    else:
        return
    for _ in range(HALVINGS):
        middle = math.sqrt(misses * holds)
        if holding is None or _gain(candidate, holding, holds, middle, validation) <= validation.margin:
            return
        safer = challengers.safer(candidate, space, coordinates, middle)
        if safer is None or not validation.add(safer):
            return
        if _clears(validation, safer):
            holds, holding = middle, safer
        else:
            misses = middle


def _gain(
    candidate: Candidate, holding: Candidate, holds: float, middle: float, validation: Validation
) -> float:
    """Points by which a scale at the factor ``middle`` is better than the design that ``holds`` the bounds: its share
    of the difference to the design at factor 1, in the mean of their common replications."""
    bench = validation.bench
    pairs = zip(validation.trials(candidate), validation.trials(holding), strict=False)
    costs = [
        bench.together(bench.losses(holding, some)) - bench.together(bench.losses(candidate, some))
        for some, _ in pairs
    ]
    return statistics.mean(costs) * math.log(middle / holds) / -math.log(holds) if costs else math.inf


def _is_behind(candidate: Candidate, validation: Validation) -> bool:
    """Whether a design is behind a feasible recommendation in the mean of their common replications."""
    best = validation.decide()
    pair = validation.standing_of(candidate)[1]
    return candidate is not best and not validation.misses(best) and pair is not None and pair.mean > 0.0
