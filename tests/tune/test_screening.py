"""Elementary effects: the form of the trajectories, and functions whose effects are known."""

from __future__ import annotations

from statistics import fmean

import pytest

from dropcurve.tuning.screening import LEVELS, STEP, elementary, trajectories


def test_a_trajectory_moves_each_axis_once_over_the_grid() -> None:
    designs = trajectories(5, 20, seed=3)
    levels = [level / (LEVELS - 1) for level in range(LEVELS)]
    for one in designs:
        assert sorted(one.order) == list(range(5))
        for axis, step, before, after in zip(one.order, one.steps, one.points, one.points[1:], strict=False):
            assert [b - a for a, b in zip(before, after, strict=True)] == pytest.approx(
                [step if other == axis else 0.0 for other in range(5)]
            )
        assert all(min(abs(x - level) for level in levels) < 1e-12 for point in one.points for x in point)
    assert {abs(step) for one in designs for step in one.steps} == {STEP}
    assert trajectories(5, 20, seed=3) == designs != trajectories(5, 20, seed=4)


def test_effects_of_a_plane_are_its_slopes_and_those_of_a_product_scatter() -> None:
    designs = trajectories(3, 8, seed=1)
    plane = elementary(designs, [3.0 * x - 2.0 * y for one in designs for x, y, _ in one.points])
    assert [fmean(one) for one in plane] == pytest.approx([3.0, -2.0, 0.0])
    assert all(max(one) - min(one) < 1e-9 for one in plane)
    product = elementary(designs, [x * y for one in designs for x, y, _ in one.points])
    assert max(product[0]) - min(product[0]) > 0.1
    assert product[2] == [0.0] * 8
