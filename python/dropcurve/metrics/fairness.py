"""Metrics between classes of flows: TCP-friendliness."""

from __future__ import annotations

import math

from .optional_numbers import average
from .registry import metric
from .run_parts import ClassPair, Run

#: Hassan's scale of F_r rounded to two decimals: upper bound of each class, from rate-based flows starved
#: to TCP starved. The approximate share of TCP is that of two flows.
SCALE: tuple[tuple[float, str, str], ...] = (
    (0.24, "very poor", "more than 80 %"),
    (0.43, "poor", "70-79 %"),
    (0.68, "unsatisfactory", "60-69 %"),
    (0.96, "satisfactory", "51-59 %"),
    (1.03, "excellent", "about 50 %"),
    (1.50, "satisfactory", "40-49 %"),
    (2.33, "unsatisfactory", "30-39 %"),
    (4.00, "poor", "20-29 %"),
    (math.inf, "very poor", "less than 20 %"),
)


@metric("friendliness", title="friendliness ratio F_r", unit="", better="none",
        source="Hassan, equation 3 and table 1", per="class", shown=True)  # fmt: skip
def friendliness(run: Run, classes: ClassPair) -> float | None:
    """Mean throughput of the flows of a class over that of the TCP flows: 1 is friendly, above 1 takes
    more than TCP. The reference is the class ``tcp``, or else the first class of TCP flows."""
    own, theirs = average(classes.own.rates), average(classes.reference.rates)
    return None if own is None or not theirs else own / theirs


def friendliness_class(ratio: float) -> str:
    """Returns the word of Hassan's table 1 for a friendliness ratio.

    There are nine classes: five words, four of them on both sides of 1. The ratio is rounded to two decimals,
    as in the table.

    Args:
        ratio: The friendliness ratio.

    Returns:
        The word, such as "excellent" for 1.0.

    Example:
        >>> friendliness_class(1.0)
        'excellent'
    """
    rounded = round(ratio, 2)
    return next(word for bound, word, _ in SCALE if rounded <= bound)
