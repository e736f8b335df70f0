"""Goals that no design comes near: found from the runs of the search, answered by what is possible instead.

Validation replications that all miss a bound decide nothing, so the runs go into the frontier between the objective and
the bounded measure: the scale of each family, from its setting closest to the bound to the far end of its axis.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..metrics import statistics
from .bench import Bench
from .constraint import direction, excess_ratio
from .effort import Budget
from .outcome import SearchOutcome
from .study import FamilyStudy
from .validation import NEAR_MISS

#: Mean excess over a bound, as the logarithm of their ratio, from which on a design is far from it: a quarter.
FAR = math.log(1.25)
#: Scales of each family on the frontier.
SCALES = 6
#: Replications of the validation, which shows that no design holds.
REPLICATIONS = 2


def is_hopeless(bench: Bench, outcome: SearchOutcome) -> bool:
    """Whether every family was solved and every design that was run at all conditions breaks a bound in more than half
    of these runs, and by `FAR` in their mean. With a smaller excess a further discipline may hold the bound."""
    goal = bench.question.goal
    if not goal.constraints or len(goal.objectives) > 1 or not (outcome.complete and outcome.tried):
        return False
    trials = [(outcome.trials or outcome.first, outcome.finalists), (outcome.first, outcome.tried)]
    return all(
        bench.missed(one, some) > NEAR_MISS
        and statistics.mean([excess_ratio(bench, one, trial) for trial in some]) > FAR
        for some, designs in trials
        for one in designs
        if all(bench.has(one, trial) for trial in some)
    )


def shorter(sizes: Budget) -> Budget:
    """The effort of a validation that shows that no design holds."""
    return replace(sizes, replications=min(sizes.replications, REPLICATIONS))


def extend_frontier(bench: Bench, outcome: SearchOutcome, seed: int, until: float | None) -> None:
    """Runs each family along its scale, away from the bound that it cannot hold, and adds the designs to those that
    were tried: all families at one scale, then at the next, as far as there is time."""
    sign, question = direction(bench.question.goal), bench.question
    known = {one.key for one in outcome.tried}
    for number in range(1, SCALES + 1) if sign else ():
        for one in outcome.best_of.values():
            space, coordinates = outcome.in_space(one, question)
            if space is None or coordinates is None:
                continue
            axis, start = space.axes[space.scale], coordinates[space.scale]
            end = axis.high if sign > 0 else axis.low
            value = axis.rounded(start * (end / start) ** (number / SCALES))
            study = FamilyStudy(space, question.target, 1, seed)
            candidate = study.candidate({**coordinates, space.scale: min(max(value, axis.low), axis.high)})
            if (
                candidate is None
                or candidate.key in known
                or not all(bench.usable(candidate, t) for t in outcome.first)
            ):
                continue
            if not bench.run(((candidate, trial) for trial in outcome.first), until=until):
                return
            known.add(candidate.key)
            outcome.tried.append(candidate)
