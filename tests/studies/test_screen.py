"""Screening: points that spread, shares of variance and boxes against functions of which they are known."""

from __future__ import annotations

import math

import pytest

from dropcurve import studies as st

AXES = (st.Axis("a", 1, 100), st.Axis("b", 0, 1, log=False, unit="s"), st.Axis("c", 0.01, 1))


def screen(function: object, count: int = 240) -> st.Screen:
    points = st.spread(AXES, count)
    assert callable(function)
    return st.Screen(AXES, points, [function(one) for one in points], "y")


def test_points_are_those_of_halton() -> None:
    points = st.spread((st.Axis("a", 0, 1, log=False), st.Axis("b", 0, 1, log=False)), 5)
    assert [one["a"] for one in points] == [0.5, 0.25, 0.75, 0.125, 0.625]
    assert [one["b"] for one in points] == [0.333, 0.667, 0.111, 0.444, 0.778]
    assert st.Axis("a", 1, 100).at(0.5) == 10
    shares = [math.log10(one["a"]) / 2 for one in st.spread(AXES, 240)]
    for i in range(6):
        assert sum(i / 6 <= share < (i + 1) / 6 for share in shares) == pytest.approx(40, abs=2)


def test_parameters_that_explain_a_number() -> None:
    alone = screen(lambda one: math.log(one["a"]))
    assert alone.explained(["a"]) > 0.95
    assert alone.explained(["b"]) < 0.05
    # A pure interaction: neither parameter alone explains anything, both together explain all of it except for the
    # differences inside a bin.
    both = screen(lambda one: (math.log10(one["a"]) - 1) * (one["b"] - 0.5))
    assert max(both.explained([name]) for name in "abc") < 0.1
    assert both.explained(["a", "b"], bins=4) > 0.7
    assert both.explained(["b", "c"], bins=4) < 0.2
    rows = {row[0]: row[2:] for row in both.table().rows}
    assert rows["a"][1].endswith("with b")
    assert rows["b (s)"][1].endswith("with a")
    assert screen(lambda one: 3.0).explained(["a"]) == 0


def test_boxes_are_where_the_number_changes() -> None:
    regions = screen(lambda one: 5.0 if one["b"] >= 0.5 and one["a"] >= 10 else 1.0).regions(depth=2)
    high = regions[-1]
    assert (high.mean, high.deviation) == (5.0, 0.0)
    assert set(high.rule.split(", ")) == {"a ≥ 10", "b ≥ 0.51"}, "the least b among those points"
    assert sum(one.count for one in regions) == 240
    assert [one.mean for one in regions] == sorted(one.mean for one in regions)
    (all_of_it,) = screen(lambda one: one["b"]).regions(depth=0)
    assert (all_of_it.rule, all_of_it.count) == ("anywhere", 240)


def test_blocks_tell_and_draw() -> None:
    blocks = screen(lambda one: 2.0 * one["b"]).blocks(lambda y: "low" if y < 1 else "high", without=["c"])
    figures = [block for block in blocks if isinstance(block, st.FigureBlock)]
    assert [figure.name for figure in figures] == ["profiles", "map"]
    assert [len(figure.draw(7.0).axes) for figure in figures] == [3, 1]
    (text,) = [block.text for block in blocks if isinstance(block, st.Text)]
    assert "y is low at 50 %, high at 50 % of the points, and below 1 at 50 %" in text
