"""Arithmetic on numbers that a run may lack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import statistics


def as_number(value: Any) -> float | None:
    """A float, or None for a gap."""
    return None if value is None else float(value)


def ratio(part: float | None, whole: float | None) -> float | None:
    """``part / whole``, or None if either is missing or the whole is zero."""
    return None if part is None or not whole else part / whole


def percent(part: float | None, whole: float | None) -> float | None:
    """``part`` in per cent of ``whole``, or None as for `ratio`."""
    share = ratio(part, whole)
    return None if share is None else 100.0 * share


def average(values: Sequence[float]) -> float | None:
    """The mean, or None of no values."""
    return statistics.mean(values) if values else None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value with at least ``share`` of the values at or below it."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None
