"""The measures that a sentence names where a goal has many: those that stand for the rest."""

from __future__ import annotations

from dropcurve.tuning import goal
from dropcurve.tuning.decision import reported
from dropcurve.tuning.measures import MOST_NAMED, main_measures, measure

LONG = (
    "max utilisation - 0.2 * p95 one-way delay of call - 0.2 * p95 one-way delay of game "
    "- 0.1 * p95 one-way delay of download - 2 * loss of call - 10 * page load doublings of web - stalls of video"
)


def test_few_measures_are_all_named() -> None:
    some = [measure(one) for one in ("utilisation", "p95 delay", "loss", "goodput")]
    assert len(some) == MOST_NAMED and main_measures(some, lambda _: None) == some


def test_of_many_the_first_the_ends_of_the_delays_and_the_load_time_are_named() -> None:
    means = {"delay_ms_p95[call]": 21.0, "delay_ms_p95[game]": 20.0, "delay_ms_p95[download]": 80.0}
    named = main_measures(reported(goal.parse(LONG)), lambda one: means.get(one.key, 1.0))
    assert [one.key for one in named] == [
        "utilisation", "delay_ms_p95[game]", "delay_ms_p95[download]", "page_ms_mean[web]",
    ]  # fmt: skip


def test_people_read_the_load_time_of_pages_where_a_goal_weighs_its_logarithm() -> None:
    assert "page_ms_mean[web]" in [one.key for one in reported(goal.parse(LONG))]
    bounded = goal.parse("max utilisation, page load doublings < 11")
    assert "page_doublings" in [one.key for one in reported(bounded)], "a bound is read as it was written"
