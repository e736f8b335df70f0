"""Effects that claims are judged by: a number estimated from replications, with its confidence interval.

An effect stores one part for each replication, so that effects of cells that share their seeds can be
combined and the interval of the outcome leaves out what the cells share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..metrics import statistics

#: Tolerance for equal replications after rounding in the delta method, as a share of them or of 1.
ROUNDING = 1e-8


@dataclass(frozen=True)
class Effect:
    """An estimate. ``parts`` holds one number for each replication, in the order of the seeds; their mean
    is ``value``."""

    value: float
    parts: tuple[float, ...]

    @property
    def n(self) -> int:
        """Number of replications."""
        return len(self.parts)

    @property
    def constant(self) -> bool:
        """Whether two or more replications are all equal, up to rounding: they have no interval."""
        scale = max(1.0, *(abs(part) for part in self.parts)) if self.parts else 1.0
        return self.n > 1 and max(self.parts) - min(self.parts) <= ROUNDING * scale

    def half_width(self, level: float) -> float:
        """Half of Student's interval at a confidence level; infinite for fewer than two replications."""
        if self.n < 2:
            return math.inf
        spread = statistics.deviation(self.parts)
        return statistics.t_quantile(level, self.n - 1) * spread / math.sqrt(self.n)

    def __add__(self, other: Effect | float) -> Effect:
        return smooth(lambda a, b: a + b, self, _effect(other, self))

    def __sub__(self, other: Effect | float) -> Effect:
        return smooth(lambda a, b: a - b, self, _effect(other, self))

    def __mul__(self, other: Effect | float) -> Effect:
        return smooth(lambda a, b: a * b, self, _effect(other, self))

    def __truediv__(self, other: Effect | float) -> Effect:
        return smooth(lambda a, b: a / b, self, _effect(other, self))

    def __abs__(self) -> Effect:
        return self if self.value >= 0 else self * -1.0


def mean(values: Sequence[float]) -> Effect:
    """Returns the mean over replications.

    Args:
        values: One value for each replication.

    Returns:
        The effect.

    Example:
        >>> mean([1.0, 3.0]).value
        2.0
    """
    return Effect(statistics.mean(values), tuple(values))


def smooth(function: Callable[..., float], *effects: Effect) -> Effect:
    """Returns a smooth function of effects by the delta method: each replication changes it by its gradient.

    Replications beyond the fewest that an effect has are left out, so that each has all its parts.

    Args:
        function: The function of the effects' values.
        effects: The effects, by replications of the same seeds.

    Returns:
        The effect; NaN, which decides nothing, where the function has no value (a division by zero).

    Example:
        >>> smooth(lambda a, b: a - b, mean([2.0, 4.0]), mean([1.0, 1.0])).value
        2.0
    """
    n = min(one.n for one in effects)
    centre = [statistics.mean(one.parts[:n]) for one in effects]
    value = _value(function, centre)
    if math.isnan(value):
        return Effect(math.nan, (math.nan,) * n)
    slopes = [_slope(function, centre, index) for index in range(len(effects))]
    parts = tuple(
        value
        + math.fsum(
            slope * (one.parts[i] - middle)
            for slope, one, middle in zip(slopes, effects, centre, strict=True)
        )
        for i in range(n)
    )
    return Effect(value, parts)


def average(effects: Sequence[Effect]) -> Effect:
    """Returns the mean of several effects with equal weights.

    Args:
        effects: The effects, by replications of the same seeds.

    Returns:
        Their mean, with one part for each replication.

    Example:
        >>> average([mean([1.0, 3.0]), mean([3.0, 5.0])]).value
        3.0
    """
    return smooth(lambda *all_of_them: math.fsum(all_of_them) / len(all_of_them), *effects)


def gain(effect: Effect, over: Effect) -> Effect:
    """Returns the excess of one effect over another in per cent.

    Args:
        effect: The first effect.
        over: The second, by replications of the same seeds.

    Returns:
        The excess; NaN if the second is zero.

    Example:
        >>> round(gain(mean([2.0, 2.0]), mean([1.0, 1.0])).value)
        100
    """
    return smooth(lambda a, b: 100.0 * (a / b - 1.0), effect, over)


def _effect(other: Effect | float, like: Effect) -> Effect:
    return other if isinstance(other, Effect) else Effect(other, (other,) * like.n)


def _value(function: Callable[..., float], at: Sequence[float]) -> float:
    try:
        return float(function(*at))
    except (ZeroDivisionError, ValueError):
        return math.nan


def _slope(function: Callable[..., float], at: Sequence[float], index: int) -> float:
    """The central difference; exact enough for smooth functions such as a ratio or a root."""
    step = 1e-6 * (abs(at[index]) or 1.0)
    low, high = list(at), list(at)
    low[index] -= step
    high[index] += step
    return (_value(function, high) - _value(function, low)) / (2 * step)
