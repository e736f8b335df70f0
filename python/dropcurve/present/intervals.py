"""Intervals as text, and the values that a measure can have."""

from __future__ import annotations

import math

#: In place of a half-width that says nothing.
UNDECIDED = "undecided"
#: In place of a half-width of values that do not differ: they have no scatter to take an interval from.
SAME = "all runs"

#: Smallest and largest value that a measure can have.
Range = tuple[float, float]
#: Ranges of differences: any value, or points of a percentage.
ANY, POINTS = (-math.inf, math.inf), (-100.0, 100.0)


def possible(unit: str) -> Range:
    """The values that a measure of a unit can have: 0 to 100 of a share, else from 0 on."""
    return (0.0, 100.0) if unit == "%" else (0.0, math.inf)


def plain(half: str) -> bool:
    """Whether the text after a mean is a half-width, and not the ends of an interval or a word."""
    return half not in (UNDECIDED, SAME) and " to " not in half


def interval(mean: str, half: str) -> str:
    """A mean and the text after it: ``3.5 ± 0.2``, ``76 (12 to 100)``, ``17 (undecided)``, ``100 (all runs)``."""
    if not half:
        return mean
    return f"{mean} ± {half}" if plain(half) else f"{mean} ({half})"
