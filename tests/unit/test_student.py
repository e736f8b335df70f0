"""Student's distribution against SciPy, closed forms and printed tables."""

from __future__ import annotations

import math

import pytest
from scipy.special import stdtr, stdtrit

from dropcurve.metrics import student


def test_one_and_two_degrees_have_closed_forms() -> None:
    for t in (1e-9, 0.3, 1.0, 4.0, 1e5):
        assert student.two_sided(t, 1) == pytest.approx(2.0 / math.pi * math.atan2(1.0, t), rel=1e-13)
        # 1 - t / sqrt(2 + t²), without cancellation.
        root = math.sqrt(2.0 + t * t)
        assert student.two_sided(t, 2) == pytest.approx(2.0 / (root * (root + t)), rel=1e-13)
    assert student.two_sided(0.0, 5) == 1.0


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 29, 99, 1000])
def test_tails_and_quantiles_are_those_of_scipy(degrees: int) -> None:
    for t in (0.01, 0.5, 1.0, 2.0, 5.0, 20.0):
        expected = 2.0 * float(stdtr(degrees, -t))
        if expected > 1e-290:
            assert student.two_sided(t, degrees) == pytest.approx(expected, rel=1e-11)
    for confidence in (0.5, 0.9, 0.95, 0.97, 0.999):
        expected = float(stdtrit(degrees, 0.5 + confidence / 2.0))
        assert student.quantile(confidence, degrees) == pytest.approx(expected, rel=1e-12)


def test_the_ends_of_the_quantile() -> None:
    assert (student.quantile(0.0, 3), student.quantile(1.0, 3)) == (0.0, math.inf)
