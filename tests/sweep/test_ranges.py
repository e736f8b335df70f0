"""Ranges as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve.errors import UsageError
from dropcurve.quantities import ranges


@pytest.mark.parametrize(
    ("text", "low", "high", "unit", "scale", "whole"),
    [
        ("20-200ms", 20, 200, "ms", "log", False),
        ("20ms-80ms", 20, 80, "ms", "linear", False),
        ("10 Mbit/s to 1000 Mbit/s", 10, 1000, "Mbit/s", "log", False),
        ("5-100", 5, 100, "", "log", True),
        ("0.01..0.5 linear", 0.01, 0.5, "", "linear", False),
        ("0.01..0.02 log", 0.01, 0.02, "", "log", False),
        ("1e-3-1e-2", 0.001, 0.01, "", "log", False),
        ("0-30%", 0, 30, "%", "linear", False),
        ("100Mbit", 100, 100, "Mbit", "linear", False),
        ("-2..2", -2, 2, "", "linear", True),
    ],
)
def test_a_range_is_read(text: str, low: float, high: float, unit: str, scale: str, whole: bool) -> None:
    parsed = ranges.parse(text, name="x")
    assert (parsed.low, parsed.high, parsed.unit, parsed.scale, parsed.whole) == (
        low,
        high,
        unit,
        scale,
        whole,
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("abc", "must be a value or a range"),
        ("200-20ms", "the smaller value comes first; write 20-200ms"),
        ("20ms-1s", "same unit"),
        ("0..5 log", "above 0"),
        ("", "must be a value or a range"),
    ],
)
def test_a_bad_range_is_refused_in_one_line(text: str, rule: str) -> None:
    with pytest.raises(UsageError, match=rule) as error:
        ranges.parse(text, name="rtt")
    assert str(error.value).startswith("rtt = " if text else "rtt: ")


@given(st.floats(0, 1), st.sampled_from(["1..1000", "3-7ms", "0.001..0.7 log", "-5..5"]))
def test_values_stay_inside_and_shares_come_back(share: float, text: str) -> None:
    axis = ranges.parse(text, name="x")
    value = axis.at(share)
    assert axis.low <= value <= axis.high
    # Rounded to three digits, or to a whole number.
    assert axis.share(value) == pytest.approx(share, abs=0.1 if axis.whole else 0.01)
