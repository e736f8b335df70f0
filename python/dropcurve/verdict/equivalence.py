"""The rules that all verdicts share: which bounds hold, and how a difference compares with the equivalence margin.

A is better than B if its advantage exceeds both the margin and the half-width of its interval; they are equal if the
whole interval lies within the margin (two one-sided tests, Schuirmann 1987).
"""

from __future__ import annotations

import bisect
import math
from typing import Literal

from ..metrics import statistics

#: How a design compares with the recommended one.
Relation = Literal["better", "equal", "undecided", "infeasible"]
#: Equivalence margin in points of utilisation, unless another one is stated; and that of a score, a sum of several
#: measures, in which less is not noticed in any of them.
MARGIN_POINTS, MARGIN_SCORE = 0.2, 1.0
#: Share of runs in which a bound must hold.
HELD_SHARE = 0.95
#: Disciplines with a queue for each flow.
FAIR = ("fq_codel", "fq_pie", "fq_cobalt", "cake", "sfq", "drr")
#: Deficit up to which a design that is not shown to be worse is only slightly behind, or to which one in use may be
#: behind for functions that the runs do not show: in margins. Of the former the most in points where the margin is not
#: larger.
TIED, TIED_POINTS = 5.0, 1.0
#: Most replications that a verdict asks for.
MOST_REPLICATIONS = 1000


def margin_of(terms: int) -> float:
    """The equivalence margin in points of an objective that weighs ``terms`` measures."""
    return MARGIN_SCORE if terms > 1 else MARGIN_POINTS


def slightly(margin: float) -> float:
    """The deficit in points up to which a design that is not shown to be worse is only slightly behind."""
    return max(margin, min(TIED * margin, TIED_POINTS))


def holds(held: int, runs: int) -> bool:
    """Whether a bound holds: in nineteen runs of twenty; never without a run."""
    return runs > 0 and held >= HELD_SHARE * runs - 1e-9


def relation(
    ahead: float, half_width: float | None, margin: float, *, narrow: float | None = None
) -> Relation:
    """Better, equal or undecided, for an advantage with an interval; ``narrow`` is the half-width of the interval that
    decides equality, if it is another one (of 90 % for tests at 5 %)."""
    if half_width is None:
        return "undecided"
    if abs(ahead) + (half_width if narrow is None else narrow) <= margin:
        return "equal"
    return "better" if ahead > margin and ahead > half_width else "undecided"


def replications_to_decide(
    ahead: float, half_width: float | None, *, margin: float, runs: int, confidence: float
) -> int | None:
    """Further replications that would decide the difference if its mean and standard deviation stay the same.

    The half-width must fall below the difference if that exceeds the margin, else below what the difference leaves of
    the margin. It falls as Student's t over the square root of the replications, with the degrees of freedom of their
    number: the t of the first ones, 4.3 for three, would ask for several times too many.

    Args:
        ahead: The mean difference.
        half_width: That of its interval; None for one run.
        margin: Margin of equivalence.
        runs: Replications of the interval.
        confidence: Confidence level of the interval.

    Returns:
        At least 1; None if more than `MOST_REPLICATIONS` in all would be needed, or if one run has no half-width.
    """
    if half_width is None:
        return None
    size = abs(ahead)
    needed = size if size > margin else margin - size
    deviation = half_width * math.sqrt(runs) / statistics.t_quantile(confidence, runs - 1)

    def decides(count: int) -> bool:
        return statistics.t_quantile(confidence, count - 1) * deviation <= needed * math.sqrt(count)

    if needed <= 0 or runs >= MOST_REPLICATIONS or not decides(MOST_REPLICATIONS):
        return None
    # Both factors of the half-width fall with the count, so that the smallest one that decides is found by halving.
    return bisect.bisect_left(range(runs + 1, MOST_REPLICATIONS), True, key=decides) + 1


def manages(kind: str) -> Literal["fair", "none", ""]:
    """How a discipline manages its queue: see `SampledDesign.manages`.

    Args:
        kind: Kind of the queue.

    Returns:
        "fair", "none" or "".

    Example:
        >>> manages("fq_codel"), manages("droptail"), manages("red")
        ('fair', 'none', '')
    """
    return "fair" if kind in FAIR else "none" if kind == "droptail" else ""
