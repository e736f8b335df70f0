"""Statistics against numbers worked by hand or taken from printed tables."""

from __future__ import annotations

import math

import pytest

from dropcurve.metrics import statistics as st


def test_t_quantiles_are_those_of_the_printed_table() -> None:
    assert st.t_quantile(0.95, 4) == pytest.approx(2.776, abs=5e-4)
    assert st.t_quantile(0.95, 9) == pytest.approx(2.262, abs=5e-4)
    assert st.t_quantile(0.99, 4) == pytest.approx(4.604, abs=5e-4)


def test_t_interval_by_hand() -> None:
    # 1 … 5: mean 3, s^2 = 10/4, half-width 2.776 sqrt(2.5/5) = 1.963.
    interval = st.t_interval([1, 2, 3, 4, 5])
    assert (interval.mean, interval.n) == (3.0, 5)
    assert interval.half_width == pytest.approx(2.776445 * math.sqrt(0.5), rel=1e-6)


def test_gaps_are_left_out_and_counted() -> None:
    interval = st.t_interval([1.0, None, 3.0, math.nan])
    assert (interval.mean, interval.n) == (2.0, 2)
    # s = sqrt(2), so the half-width is 12.706 sqrt(2)/sqrt(2).
    assert interval.half_width == pytest.approx(12.706, abs=5e-4)


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert st.t_interval([7.0]) == st.Interval(7.0, None, 1)
    assert st.t_interval([]) == st.Interval(None, None, 0)


def test_pairs_are_sharper_than_their_parts() -> None:
    # Differences 1, 2, 3: mean 2, s = 1, half-width 4.303/sqrt(3); t = 2 sqrt(3) = 3.464, p = 0.0742.
    difference = st.paired([11.0, 52.0, 103.0], [10.0, 50.0, 100.0])
    assert difference is not None
    assert difference.mean == 2.0
    assert difference.half_width == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert difference.p == pytest.approx(0.0742, abs=5e-5)


def test_pairs_without_scatter() -> None:
    same = st.paired([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert same == st.PairedDifference(0.0, 0.0, 3, 1.0)
    shifted = st.paired([1.5, 2.5, 3.5], [1.0, 2.0, 3.0])
    assert shifted == st.PairedDifference(0.5, 0.0, 3, 1.0), "equal replications are no evidence"


def test_pairs_have_two_values() -> None:
    with pytest.raises(ValueError, match="shorter"):
        st.paired([1.0, 2.0], [1.0])


def test_incomplete_pairs_are_left_out() -> None:
    assert st.paired([1.0, None, 4.0], [0.0, 5.0, None]) == st.PairedDifference(1.0, None, 1, 1.0)
    assert st.paired([None], [1.0]) is None


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.03, 0.04: times 3, 2, 1 is 0.03, 0.06, 0.04; the last may not be below the one before.
    assert st.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert st.holm([0.9, 0.8]) == [1.0, 1.0]
    assert st.holm([]) == []
    assert st.holm([math.nan, 0.01]) == pytest.approx([1.0, 0.02])


def test_the_level_is_raised_when_data_decide_when_to_stop() -> None:
    assert st.level_when_stopping(0.95) == pytest.approx(0.97)


def test_precision_is_relative_to_the_true_mean() -> None:
    # Five values around 100 with s = 2: half-width at 97 % is 3.298 x 2/sqrt(5) = 2.950, that is 2.95 %.
    values = [98.0, 98.0, 100.0, 102.0, 102.0]
    assert st.deviation(values) == 2.0
    # Asked for 3 %, the half-width must be within 0.03/1.03 = 2.913 %: not yet. For 3.1 %: 3.007 %, reached.
    assert not st.tight(values, precision=0.03)
    assert st.tight(values, precision=0.031)


def test_tight_bounds_without_an_interval() -> None:
    assert st.tight([None, None], precision=0.05)
    assert st.tight([0.0, 0.0, 0.0], precision=0.05)
    assert not st.tight([1.0], precision=0.05)


def test_looks_come_after_half_as_many_again() -> None:
    sizes = [st.MINIMUM]
    while sizes[-1] < 100:
        sizes.append(st.next_size(sizes[-1]))
    assert sizes == [5, 8, 12, 18, 27, 41, 62, 93, 100]
    assert st.next_size(0) == 1
