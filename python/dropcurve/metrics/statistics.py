"""Intervals, paired differences, multiplicity, and when to stop replicating.

The rules and the reasons for them are in ``docs/statistics.md``. All inputs are one number per
replication; replications are independent (own seed each), so Student's t applies to their mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import student

#: Fewest replications a sequential rule may stop at.
MINIMUM = 5
#: Default largest number of replications of a sequential rule.
MAXIMUM = 100
#: Share of the error probability used when stopping depends on the data; see `level_when_stopping`.
STOPPING_SHARE = 0.6


@dataclass(frozen=True)
class Interval:
    """``mean`` ± ``half_width`` from ``n`` values; ``half_width`` is None for n = 1, ``mean`` is None
    for n = 0."""

    mean: float | None
    half_width: float | None
    n: int


@dataclass(frozen=True)
class PairedDifference:
    """A difference of means of pairs under common random numbers, with its two-sided p value against zero."""

    mean: float
    half_width: float | None
    n: int
    p: float


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean, summed without rounding error, so that the order of the values does not matter."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation (divisor n - 1)."""
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def t_quantile(confidence: float, degrees: int) -> float:
    """Two-sided Student quantile: 2.776 for 0.95 and 4 degrees of freedom."""
    return student.quantile(confidence, degrees)


def t_interval(values: Iterable[float | None], *, confidence: float = 0.95) -> Interval:
    """Student's interval of the mean. Missing values (None, NaN) are left out and show in ``n``."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    n = len(known)
    if n == 0:
        return Interval(None, None, 0)
    if n == 1:
        return Interval(known[0], None, 1)
    return Interval(mean(known), t_quantile(confidence, n - 1) * deviation(known) / math.sqrt(n), n)


def paired(
    values: Sequence[float | None], baseline: Sequence[float | None], *, confidence: float = 0.95
) -> PairedDifference | None:
    """Student's interval of ``values - baseline``, pair by pair; None if no pair is complete.

    Pairs must share their random numbers (same seed); that is what makes the interval narrow. Equal
    differences have no variance to test against: the half-width is 0 and p is 1, zero or not.
    """
    pairs = [
        after - before
        for after, before in zip(values, baseline, strict=True)
        if after is not None and before is not None and math.isfinite(after) and math.isfinite(before)
    ]
    n = len(pairs)
    if n == 0:
        return None
    centre = mean(pairs)
    if n == 1:
        return PairedDifference(centre, None, 1, 1.0)
    error = deviation(pairs) / math.sqrt(n)
    scale = max(abs(pair) for pair in pairs)
    if error <= 1e-12 * scale:
        return PairedDifference(centre, 0.0, n, 1.0)
    p = student.two_sided(abs(centre) / error, n - 1)
    return PairedDifference(centre, t_quantile(confidence, n - 1) * error, n, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (Holm 1979): rejecting where the result is below alpha keeps the
    chance of any false rejection in the whole list below alpha, whatever the dependence. NaN counts as
    1."""
    clean = [1.0 if math.isnan(p) else p for p in p_values]
    order = sorted(range(len(clean)), key=clean.__getitem__)
    adjusted = [1.0] * len(clean)
    so_far = 0.0
    for rank, index in enumerate(order):
        so_far = max(so_far, min(1.0, (len(clean) - rank) * clean[index]))
        adjusted[index] = so_far
    return adjusted


def level_when_stopping(confidence: float) -> float:
    """The level to compute intervals at when the number of replications depends on them.

    Stopping when an interval looks narrow favours the samples in which it is narrow by chance, so that a nominal 95 %
    interval covers as little as 92.5 %. Computed at 1 - 0.6 (1 - confidence), here 97 %, and tested only when the
    number has grown by half, it covers at least 95 % (``tests/stats/test_coverage.py`` measures it).
    """
    return 1.0 - STOPPING_SHARE * (1.0 - confidence)


def tight(values: Iterable[float | None], *, precision: float, confidence: float = 0.95) -> bool:
    """Whether the half-width is at most ``precision`` times the mean (Law, Simulation Modeling, section
    9.4.1).

    ``precision`` is first divided by 1 + precision, so that it also holds relative to the true mean. A metric without a
    value in any run, or with zero variance, is precise enough.
    """
    interval = t_interval(values, confidence=level_when_stopping(confidence))
    if interval.mean is None:
        return True
    if interval.half_width is None:
        return False
    return interval.half_width <= precision / (1.0 + precision) * abs(interval.mean)


def next_size(n: int, *, maximum: int = MAXIMUM) -> int:
    """Number of replications at the next test: half as many again."""
    return min(maximum, max(n + 1, math.ceil(1.5 * n)))
