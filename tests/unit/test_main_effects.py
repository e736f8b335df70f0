"""Main effects on tables small enough to work out by hand."""

from __future__ import annotations

from dropcurve.metrics.main_effects import MOST_LEVELS, RunValue, effect, effects, levels
from dropcurve.runs.sweeping.effects import sentences


def table() -> list[RunValue]:
    """Two settings, two seeds: 10 for the large limit, 1 for the other queue, 0.5 for the second seed."""
    return [
        RunValue(
            {"limit": limit, "queue": queue}, seed, 10 * (limit == 40.0) + (queue == "codel") + 0.5 * seed
        )
        for limit in (20.0, 40.0)
        for queue in ("red", "codel")
        for seed in (1, 2)
    ]


def test_an_effect_is_the_mean_over_all_levels_of_the_others() -> None:
    limit = effect(levels("limit", table()), table())
    # Seed 1: (0.5 + 1.5) / 2 = 1.0 at 20 packets; seed 2: 1.5. Ten more at 40.
    assert [one.mean for one in limit.means] == [1.25, 11.25]
    assert limit.size == 10.0
    # Half-width of two values 1.0 and 1.5: t(0.975, 1) = 12.706 times 0.3536 / sqrt(2).
    assert limit.means[0].half_width is not None
    assert abs(limit.means[0].half_width - 12.7062 * 0.25) < 1e-3


def test_the_largest_effect_comes_first() -> None:
    assert [one.levels.setting for one in effects(["queue", "limit"], table())] == ["limit", "queue"]


def test_a_sampled_range_is_cut_into_groups_of_equal_count() -> None:
    runs = [RunValue({"p": 0.01 * 1.1**i}, 1, float(i)) for i in range(36)]
    groups = levels("p", runs)
    assert len(groups.values) == 6
    assert groups.logarithmic
    assert len({run.settings["p"] for run in runs}) > MOST_LEVELS
    counts = [sum(groups.index(run.settings["p"]) == group for run in runs) for group in range(6)]
    assert counts == [6] * 6
    assert [one.mean for one in effect(groups, runs).means] == [2.5, 8.5, 14.5, 20.5, 26.5, 32.5]


def test_runs_without_a_value_are_left_out() -> None:
    runs = [
        RunValue({"limit": 1.0}, 1, None),
        RunValue({"limit": 2.0}, 1, 3.0),
        RunValue({"limit": 2.0}, 2, float("nan")),
    ]
    assert [one.mean for one in effect(levels("limit", runs), runs).means] == [None, 3.0]


def test_the_sentence_names_setting_ends_and_unit() -> None:
    runs = [
        RunValue({"dumbbell_rate_bps": rate}, seed, value + 1e4 * seed)
        for rate, value in ((5e6, 4e6), (10e6, 9e6))
        for seed in (1, 2, 3)
    ]
    (line,) = sentences(["dumbbell_rate_bps"], {"goodput_bps": runs})
    assert line.startswith("Goodput: the dumbbell rate changes it most, from 4")
    assert line.endswith("Mbit/s at 10 Mbit/s.")


def test_overlapping_intervals_are_called_chance() -> None:
    noisy = [
        RunValue({"limit": limit}, seed, 90.0 + 3.0 * seed + limit)
        for limit in (0.1, 0.2)
        for seed in (1, 2, 3)
    ]
    (line,) = sentences(["limit"], {"utilisation": noisy})
    assert line == "Link utilisation: no difference between settings found."
    assert sentences(["limit"], {"utilisation": noisy[:3]}) == []
