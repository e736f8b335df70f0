"""Numbers and names as text."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve.present import intervals
from dropcurve.quantities import wording


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    [
        (41.234, 1.29, ("41.2", "1.3")),
        (124.256256, 0.0, ("124.3", "all runs")),
        (124.256256, 3e-14, ("124.3", "all runs")),
        (100.0, None, ("100.0", "")),
        (4.0, 0.0, ("4", "all runs")),
        (9.999992, 0.000042, ("10.000", "0.00004")),
        (99.09, 0.004, ("99.090", "0.004")),
        (123456.0, 7.0, ("123460", "7")),
        (0.0, 0.0, ("0", "all runs")),
        (-0.0402, 0.0066, ("−0.0402", "0.0066")),
        (None, None, ("–", "")),
    ],
)
def test_cells(mean: float | None, half: float | None, shown: tuple[str, str]) -> None:
    assert wording.value(mean, half) == shown


@pytest.mark.parametrize(
    ("mean", "half", "unit", "shown"),
    [
        (76.0, 64.0, "%", "76 % (undecided)"),
        (99.0, 3.0, "%", "99.0 % (96.0 to 100.0)"),
        (0.1, 1.2, "%", "0.1 % (0.0 to 1.3)"),
        (0.0, 0.0, "%", "0 % (all runs)"),
        (99.997, 0.011, "%", "99.997 ± 0.011 %"),
        (17.0, 4724.0, "ms", "17 ms (undecided)"),
        (1309.0, 1773.0, "ms", "1309 ms (0 to 3082)"),
        (20.3, 1.2, "ms", "20.3 ± 1.2 ms"),
        (2.0e6, 4.3e6, "bit/s", "2.0 Mbit/s (undecided)"),
    ],
)
def test_intervals_do_not_reach_beyond_what_is_possible(
    mean: float, half: float, unit: str, shown: str
) -> None:
    assert wording.amount(mean, half, unit, within=intervals.possible(unit)) == shown


@given(st.floats(0, 100), st.floats(0, 1e4))
def test_no_end_of_an_interval_of_a_share_lies_beyond_0_or_100(mean: float, half: float) -> None:
    _, text = wording.value(mean, half, within=intervals.possible("%"))
    if intervals.plain(text):
        assert mean - float(text) >= -1.0 and mean + float(text) <= 101.0
    elif text not in (intervals.UNDECIDED, intervals.SAME):
        assert all(0.0 <= float(end) <= 100.0 for end in text.split(" to "))


@given(
    st.floats(1e-3, 1e12) | st.floats(-1e12, -1e-3),
    st.none() | st.floats(0, 1e6),
)
def test_five_digits_at_most(mean: float, half: float | None) -> None:
    text, _ = wording.value(mean, half)
    digits = re.sub(r"[^0-9.]", "", text).replace(".", "").lstrip("0")
    assert len(digits.rstrip("0") if "." not in text else digits) <= 5


def test_long_names_get_numbers() -> None:
    long = "red:dialect=ns2_explicit,min_th=5 pkts,max_th=15 pkts"
    other = f"{long},max_p=0.1"
    assert wording.labels(["droptail", long, other]) == {
        "droptail": "droptail",
        long: "red:ns2_explicit… [2]",
        other: "red:ns2_explicit… [3]",
    }
    assert len(wording.labels(["a" * 99])["a" * 99]) <= wording.LONGEST


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("dumbbell_rate_bps", ("dumbbell rate", "bit/s")),
        ("queue_max_p", ("max_p of the queue", "")),
        ("queue_limit_pkts", ("limit of the queue", "packets")),
        ("flows_tcp_count", ("number of tcp flows", "")),
        ("queue", ("queue", "")),
    ],
)
def test_a_parameter_of_the_queue_keeps_its_name(column: str, shown: tuple[str, str]) -> None:
    assert wording.setting(column) == shown


def test_a_value_outside_its_range_keeps_its_half_width() -> None:
    assert wording.value(-0.0964, 0.005, within=(0.0, math.inf)) == ("-0.0964".replace("-", "−"), "0.0050")


def test_a_unit_in_words_is_singular_after_a_plain_one() -> None:
    shown = [wording.with_unit(one, "points") for one in ("1", "−1", "0.2", "4", "1.0", "11")]
    assert shown == ["1 point", "−1 point", "0.2 points", "4 points", "1.0 points", "11 points"]
    assert wording.with_unit("1", "percentage points") == "1 percentage point"
    assert [wording.with_unit("1", unit) for unit in ("ms", "%", "")] == ["1 ms", "1 %", "1"]


def test_values_read_alike_only_where_no_shown_digit_tells_them_apart() -> None:
    pairs = [(99.996, 99.9999), (4.3021, 4.3023), (0.0, 0.0), (0.0, 0.3), (100.0, 99.94), (7.657, 244.3)]
    assert [wording.reads_alike(*one) for one in pairs] == [True, True, True, False, False, False]
