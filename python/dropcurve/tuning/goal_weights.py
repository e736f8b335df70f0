"""A goal as the weights of a verdict on a comparison."""

from __future__ import annotations

from .. import metrics
from ..errors import UsageError
from ..verdict import Bound, Criterion, Weights
from .decision import margin_of
from .goal import Goal
from .measures import Measure


def weights(goal: Goal) -> Weights:
    """The weights of a goal with one objective.

    Raises:
        UsageError: For several objectives, between which a verdict cannot choose.

    Example:
        ``weights(goal.parse("p95 delay < 15ms, max utilisation")).criteria``
    """
    if len(goal.objectives) > 1:
        listed = ", ".join(map(str, goal.objectives))
        raise UsageError(
            "goal",
            listed,
            "a verdict weighs one objective",
            "write a sum such as 'max utilisation - 0.5 * p95 delay', or use tune for a Pareto front",
        )
    objective = goal.objectives[0]
    sign = 1.0 if objective.higher else -1.0
    in_points = objective.in_points
    criteria = [_criterion(one, worth=sign * weight, in_points=in_points) for weight, one in objective.terms]
    criteria += [_criterion(one.measure, bound=Bound(one.bound, upper=one.upper)) for one in goal.constraints]
    return Weights(tuple(criteria), f"goal {goal}", relative=not in_points, margin=margin_of(goal))


def _criterion(
    measure: Measure, *, worth: float = 0.0, bound: Bound | None = None, in_points: bool = False
) -> Criterion:
    if in_points and measure.metric.name == "page_doublings":
        # The same logarithm, with values that a reader knows.
        scope = metrics.split(measure.key)[1]
        key, title = ("page_ms_mean", "mean page load time")
        if scope:
            key, title = f"{key}[{scope}]", f"{title} of {scope}"
        return Criterion(key, title, "ms", worth=worth, log=True)
    better = "higher" if measure.metric.better == "higher" else "lower"
    return Criterion(measure.key, measure.text, measure.unit, worth=worth, bound=bound, better=better)  # type: ignore[arg-type]
