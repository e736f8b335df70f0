"""The bounds of a goal on the delay, which the scale of a discipline follows."""

from __future__ import annotations

from .goal import Constraint, Goal
from .search_space import Sizing

#: Measures that rise with the scale.
RISING = ("sojourn_ms", "queue_pkts")


def delay_bounds(goal: Goal) -> tuple[Constraint, ...]:
    """The constraints of a goal that bound the queueing delay or the queue from above."""
    return tuple(one for one in goal.constraints if one.upper and one.measure.key.startswith(RISING))


def bound_s(goal: Goal, sizing: Sizing) -> float | None:
    """The tightest bound on the queueing delay in seconds; a bound on the queue in packets counts as the time to send
    them. None without one."""
    bounds = [
        one.bound / 1e3 if one.measure.unit == "ms" else one.bound / sizing.capacity
        for one in delay_bounds(goal)
    ]
    return min((value for value in bounds if value > 0), default=None)
