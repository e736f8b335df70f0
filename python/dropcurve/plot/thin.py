"""Long series thinned without losing their peaks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Points that a panel of a page-wide figure can show; more only makes files larger.
PANEL_POINTS = 1200


def decimate(time_s: Floats, value: Floats, *, points: int = PANEL_POINTS) -> tuple[Floats, Floats]:
    """At most `points` points of a series: the smallest and the largest of each stretch, in order of time.

    The first and the last point stay. Gaps (NaN) survive as one NaN for each stretch that is all gap.
    """
    time_s = np.asarray(time_s, dtype=np.float64)
    value = np.asarray(value, dtype=np.float64)
    count = len(value)
    if count <= points:
        return time_s, value
    stretches = max(1, (points - 2) // 2)
    edges = np.linspace(0, count, stretches + 1).astype(np.int64)
    keep = {0, count - 1}
    for start, stop in itertools.pairwise(edges):
        part = value[start:stop]
        if np.all(np.isnan(part)):
            keep.add(int(start))
            continue
        keep.add(int(start + np.nanargmin(part)))
        keep.add(int(start + np.nanargmax(part)))
    order = np.array(sorted(keep))
    return time_s[order], value[order]


def bin_mean(time_s: Floats, value: Floats, *, bins: int) -> tuple[Floats, Floats]:
    """Means of `value` over `bins` equal stretches of samples; the time is the stretch's middle."""
    time_s = np.asarray(time_s, dtype=np.float64)
    value = np.asarray(value, dtype=np.float64)
    if len(value) <= bins:
        return time_s, value
    edges = np.linspace(0, len(value), bins + 1).astype(np.int64)
    parts = list(itertools.pairwise(edges))
    times = np.array([(time_s[a] + time_s[b - 1]) / 2 for a, b in parts])
    means = np.array([np.mean(value[a:b]) for a, b in parts])
    return times, means
