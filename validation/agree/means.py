"""Means over seeds of two sets of runs that should have the same distribution.

Two means agree if they differ by no more than the 95 % interval of their difference, or 3 % of the reference,
whichever is larger. The interval is Student's with a pooled variance: if both run the same model they have
one variance, and pooling does not reward a reference of two seeds. A reference of one seed lends no variance; then ours
stands for both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import lru_cache

from .cases import Figure

#: Distance that always counts as agreement, as a share of the reference.
MARGIN = 0.03


@lru_cache
def student(degrees: int) -> float:
    """The 97.5 % quantile."""
    from scipy import stats

    return float(stats.t.ppf(0.975, degrees)) if degrees > 0 else math.inf


def allowed(theirs: float, sd: float | None, n: int, ours: Sequence[float], *, floor: float = 0.0) -> float:
    """Greatest distance of the means that counts as agreement."""
    m = len(ours)
    spread = statistics.stdev(ours) if m > 1 else 0.0
    if sd is None or n < 2:
        degrees, pooled = m - 1, spread
    else:
        degrees = n + m - 2
        pooled = math.sqrt(((n - 1) * sd**2 + (m - 1) * spread**2) / degrees)
    interval = student(degrees) * pooled * math.sqrt(1 / n + 1 / m) if pooled else 0.0
    return max(interval, MARGIN * abs(theirs), floor)


def row_of(runs: Sequence[Mapping[str, float]]) -> dict[str, str]:
    """Runs of another program as a row of a table: mean and deviation of each column, and how many they were."""
    row = {"seeds": str(len(runs))}
    for column in runs[0]:
        values = [run[column] for run in runs]
        row[column] = f"{statistics.fmean(values):.6g}"
        row[f"{column}_sd"] = f"{statistics.stdev(values):.4g}" if len(values) > 1 else ""
    return row


def figure(
    name: str, row: Mapping[str, str], column: str, runs: Sequence[Mapping[str, float]], *, floor: float = 0.0
) -> Figure:
    """A recorded mean with its deviation (``column``, ``column_sd``, ``seeds``) against our runs' ``column``."""
    theirs = float(row[column])
    text = row.get(f"{column}_sd", "")
    ours = [run[column] for run in runs]
    limit = allowed(theirs, float(text) if text else None, int(row["seeds"]), ours, floor=floor)
    return Figure(name, theirs, statistics.fmean(ours), limit)
