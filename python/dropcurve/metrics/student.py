"""Student's t distribution: its tails and its quantiles, in double precision.

Reference: DLMF 8.17.1, 8.17.22 (incomplete beta function), 26.7.1 of Abramowitz and Stegun (the tails by it).
"""

from __future__ import annotations

import math
from functools import lru_cache

#: Terms of the continued fraction after which it is given up; it needs about sqrt(max(a, b)).
TERMS = 10_000
#: Relative change at which it has converged.
CONVERGED = 1e-16
#: In place of a denominator of zero (the method of Lentz, modified).
TINY = 1e-300
#: Halvings and Newton steps of a quantile.
STEPS = 200


def two_sided(t: float, degrees: int) -> float:
    """Probability that \\|T\\| exceeds ``t`` (0 or more) for a number of degrees of freedom; accurate in the far tail.

    Example:
        >>> round(two_sided(2.776445, 4), 6)
        0.05
    """
    square = t * t
    return regularised_beta(degrees / (degrees + square), square / (degrees + square), degrees / 2.0, 0.5)


@lru_cache(maxsize=4096)
def quantile(confidence: float, degrees: int) -> float:
    """The ``t`` that \\|T\\| exceeds with probability ``1 - confidence``.

    Example:
        >>> round(quantile(0.95, 4), 6)
        2.776445
    """
    tail = 1.0 - confidence
    if tail >= 1.0:
        return 0.0
    if tail <= 0.0:
        return math.inf
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > tail:
        low, high = high, high * 2.0
    t = (low + high) / 2.0
    for _ in range(STEPS):
        over = two_sided(t, degrees) - tail
        low, high = (t, high) if over > 0.0 else (low, t)
        step = t + over / (2.0 * density(t, degrees))
        following = step if low < step < high else (low + high) / 2.0
        if abs(following - t) <= 1e-15 * t:
            return following
        t = following
    return t


def density(t: float, degrees: int) -> float:
    """Probability density at ``t``."""
    half = degrees / 2.0
    scale = math.lgamma(half + 0.5) - math.lgamma(half) - 0.5 * math.log(degrees * math.pi)
    return math.exp(scale - (half + 0.5) * math.log1p(t * t / degrees))


def regularised_beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function at ``x``, whose complement ``rest`` is known without rounding."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - regularised_beta(rest, x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(front) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of DLMF 8.17.22, from its front."""
    upper, lower = 1.0, _nonzero(1.0 - (a + b) * x / (a + 1.0))
    lower = 1.0 / lower
    value = lower
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            lower = 1.0 / _nonzero(1.0 + term * lower)
            upper = _nonzero(1.0 + term / upper)
            value *= lower * upper
        if abs(lower * upper - 1.0) <= CONVERGED:
            break
    return value


def _nonzero(value: float) -> float:
    return TINY if abs(value) < TINY else value
