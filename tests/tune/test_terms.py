"""Numbers of a validation in sentences."""

from __future__ import annotations

import pytest

from dropcurve.tuning import goal as goals
from dropcurve.tuning.terms import beyond

SCORE = goals.parse("max utilisation - 0.5 * p95 delay").objectives[0]


@pytest.mark.parametrize(
    ("size", "half", "text"),
    [
        (454.0, 207.0, "more than 100 points"),
        (656.0, 27.0, "more than 100 points"),
        (120.0, 60.0, "at least 60 points"),
        (25.0, 14.2, "at least 10 points"),
        (22.1, 4.0, "22.1 ± 4.0 points"),
        (3.0, 5.0, "3.0 ± 5.0 points"),
    ],
)
def test_a_score_far_apart_is_stated_by_what_is_sure(size: float, half: float, text: str) -> None:
    assert beyond(size, half, SCORE) == text


def test_a_difference_of_one_measure_keeps_its_interval() -> None:
    assert beyond(12.0, 8.0, goals.parse("max utilisation").objectives[0]) == "12.0 ± 8.0 percentage points"
