"""Statements of `docs/statistics.md` about intervals, measured on samples whose mean is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dropcurve.metrics import statistics as st


def stopped(values: list[float], *, precision: float, maximum: int) -> int:
    """Where the rule of `--precision` stops in a sequence."""
    n = st.MINIMUM
    while n < maximum and not st.tight(values[:n], precision=precision):
        n = st.next_size(n, maximum=maximum)
    return n


@pytest.mark.parametrize("spread", [0.03, 0.07, 0.13])
def test_intervals_of_stopped_sequences_cover_the_mean(spread: float) -> None:
    rng = np.random.default_rng(20)
    sequences = 1500
    covered = 0
    for row in 1.0 + spread * rng.standard_normal((sequences, 60)):
        values = row.tolist()
        n = stopped(values, precision=0.05, maximum=60)
        interval = st.t_interval(values[:n], confidence=st.level_when_stopping(0.95))
        assert interval.mean is not None and interval.half_width is not None
        covered += abs(interval.mean - 1.0) <= interval.half_width
    # 99.9 % one-sided room for the number of sequences.
    assert covered / sequences >= 0.95 - 3.09 * math.sqrt(0.95 * 0.05 / sequences)


def test_holm_rarely_calls_equals_different() -> None:
    rng = np.random.default_rng(21)
    lists, false = 1000, 0
    for _ in range(lists):
        samples = rng.standard_normal((12, 2, 8))
        pairs = [st.paired(one.tolist(), other.tolist()) for one, other in samples]
        adjusted = st.holm([pair.p for pair in pairs if pair is not None])
        false += min(adjusted) < 0.05
    assert false / lists <= 0.05 + 3.09 * math.sqrt(0.05 * 0.95 / lists)
