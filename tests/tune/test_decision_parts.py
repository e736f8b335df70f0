"""The parts of the rules of a recommendation, on numbers that can be checked by hand."""

from __future__ import annotations

import math

import pytest

from dropcurve.metrics.statistics import PairedDifference
from dropcurve.tuning import decision
from dropcurve.tuning import goal as goals
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.decision import DecisionRow
from dropcurve.verdict import equivalence


def row(
    kind: str, *losses: float, broken: float = 0.0, drifted: int | None = None, **params: object
) -> DecisionRow:
    return DecisionRow(
        Candidate(kind, kind, params or {"limit": kind}, "search"), losses, broken, 0.0, drifted
    )


def test_a_rival_is_behind_where_its_interval_excludes_a_gain_of_the_margin() -> None:
    best = row("pie", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    # A mean of 0.1 with a standard deviation of 0.11: undecided between equal and worse, and surely no better by 0.2.
    behind = row("red", -0.1, 0.2, 0.0, 0.2, 0.2, 0.1)
    stands, pair = decision.standing(behind, best, 0.15)
    assert (stands, round(pair.mean, 3)) == ("no better", 0.1) if pair else False
    assert decision.is_behind(behind, best, 0.15)
    # A rival that is ahead or equal is never called behind, nor one of a single replication, nor a clearly worse one.
    ahead = row("red", *(-loss for loss in behind.losses))
    assert not decision.is_behind(ahead, best, 0.15)
    assert not decision.is_behind(row("red", 0.1), row("pie", 0.0), 0.15)
    assert decision.standing(row("red", *(loss + 2.0 for loss in behind.losses)), best, 0.15)[0] == "worse"
    assert not decision.is_behind(row("red", *(loss + 2.0 for loss in behind.losses)), best, 0.15)
    # Wider runs leave a gain of the margin possible.
    assert not decision.is_behind(row("red", -0.9, 1.1, -0.8, 1.0, 0.3, 0.1), best, 0.15)


def test_the_test_of_a_rival_that_is_behind_has_an_error_of_one_in_fifty() -> None:
    # Six pairs, mean 0.1, standard deviation 0.1265: Student's 98 % quantile with 5 degrees is 2.7565.
    losses = (-0.1, 0.2, 0.0, 0.2, 0.2, 0.1)
    reach = 2.7565 * math.sqrt(0.08 / 5 / 6) - 0.1
    behind, best = row("red", *losses), row("pie", *(0.0,) * 6)
    half = reach + 0.1
    assert decision.is_behind(behind, best, reach + 0.003 * half)
    assert not decision.is_behind(behind, best, reach - 0.003 * half)


def test_rivals_with_fewer_replications_get_the_mean_of_those_with_most() -> None:
    # The seeds of the first two replications are 10 points worse than the others: the rival is 1 point behind.
    most, fewer = row("pie", 10.0, 10.0, 0.0, 0.0), row("red", 11.0, 11.0)
    means = decision.common_means([most, fewer])
    assert (means[id(most)], means[id(fewer)]) == (5.0, 6.0)
    unknown = row("codel", math.inf, 1.0)
    assert decision.common_means([most, unknown])[id(unknown)] == math.inf
    assert decision.common_means([row("pie")]) and math.isinf(
        next(iter(decision.common_means([row("pie")]).values()))
    )


def test_the_distance_from_the_defaults_counts_numbers_with_a_default_alone() -> None:
    def distance(**params: object) -> float:
        return decision.default_distance(Candidate("codel", "codel", params, "search"))

    assert distance(target="5 ms", interval="100 ms") == 0.0
    assert distance(target="10 ms", interval="100 ms") == pytest.approx(math.log(2.0))
    assert distance(target="2.5 ms", interval="200 ms") == pytest.approx(2.0 * math.log(2.0))
    # A parameter without a default, words and values that are no positive number count for nothing.
    assert distance(target="5 ms", other="7 ms", interval="often", limit=0) == 0.0
    assert distance(target="0 s") == 0.0 and distance(target=-0.005) == 0.0


def test_fair_queues_are_alike_only_if_both_are() -> None:
    fair, other, plain = (row(kind, 0.0).candidate for kind in ("fq_codel", "fq_pie", "pie"))
    assert decision.are_fair_queues(fair, other) and decision.are_fair_queues(fair, fair)
    everything = [row(kind, 0.0).candidate for kind in equivalence.FAIR]
    assert all(decision.are_fair_queues(one, two) for one in everything for two in everything)
    assert not decision.are_fair_queues(fair, plain) and not decision.are_fair_queues(plain, plain)


def test_only_a_known_drift_decides_between_equals() -> None:
    losses = (0.0, 0.1, -0.1, 0.0)
    narrow, wide = (row("red", *losses, drifted=drifted, limit="9 pkts") for drifted in (3, 1))
    assert decision.recommended([narrow, wide], 0.2) is wide
    # The drift of a design with more parameters need not be known.
    longer = row("red", *losses, limit="9 pkts", min_th="3 pkts", max_th="5 pkts", max_p=0.3, w_q=0.25)
    assert decision.recommended([longer, narrow, wide], 0.2) is wide
    unknown = row("red", *losses, limit="9 pkts")
    # Where it is not known for all, the share of runs that break a bound decides before it.
    broken = row("red", *losses, broken=0.02, drifted=0, limit="9 pkts")
    assert decision.recommended([broken, unknown], 0.2) is unknown


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        # The delay is added where a single objective leaves it open, and only there.
        ("max utilisation", ["utilisation", "p95 delay"]),
        ("min p95 delay", ["p95 delay"]),
        ("max utilisation, p95 delay < 10 ms", ["utilisation", "p95 delay"]),
        ("max utilisation, min loss", ["utilisation", "loss"]),
        # The load time of pages stands for its logarithm, except in a bound.
        ("min page load doublings", ["mean page load time", "p95 delay"]),
        ("max utilisation, page load doublings of web < 9", ["utilisation", "page load doublings of web", "p95 delay"]),
    ],
)  # fmt: skip
def test_the_measures_of_an_answer(goal: str, names: list[str]) -> None:
    assert [one.text for one in decision.reported(goals.parse(goal))] == names


def test_the_logarithm_of_a_load_time_is_shown_as_a_time() -> None:
    for text in ("page load doublings", "page load doublings of web"):
        (weighed,) = goals.parse(f"min {text}").measures
        shown = decision.readable(weighed)
        assert shown.text == text.replace("page load doublings", "mean page load time") and shown.unit == "ms"
        assert decision.readable(shown) is shown


@pytest.mark.parametrize(
    ("goal", "least"),
    [
        ("max utilisation", -100.0),
        ("min loss", 0.0),
        ("max goodput", None),
        ("min p95 delay", None),
        ("max utilisation - 0.5 * p95 delay", None),
    ],
)
def test_the_least_loss_there_can_be(goal: str, least: float | None) -> None:
    assert decision.ideal(goals.parse(goal)) == least


def test_no_number_of_replications_without_an_interval_or_beyond_the_most() -> None:
    def needed(mean: float, half: float | None, n: int = 10) -> int | None:
        return decision.replications_needed(PairedDifference(mean, half, n, 1.0), 1.0)

    assert needed(0.0, None) is None
    # Ten pairs, half-width 4 at 95 % and 3.24 at 90 %, a distance of 1: (1.25 x 3.24)^2 x 10 is 164.3.
    assert needed(0.0, 4.0) == 165
    # A mean that is ahead by the margin or more is decided by the interval of 95 %: (1.25 x 4 / 2)^2 x 10 is 62.5.
    assert needed(-2.0, 4.0) == 63 and needed(-1.0, 4.0) == 250
    assert needed(0.0, 0.1) == 11, "one more, even where fewer would do"
    assert needed(0.0, 12.0) is None, "(1.25 x 9.72)^2 x 10 is 1477"


def test_the_deficit_that_no_finer_scale_makes_up() -> None:
    assert decision.slack(goals.parse("max utilisation"), 0.1) == 0.5
    assert decision.slack(goals.parse("max goodput"), 1.0) == 15.0
    assert decision.slack(goals.parse("max goodput"), 4.0) == 20.0


def test_chances_of_missed_bounds() -> None:
    # Of one run: fewer than one misses in 19 of 20; fewer than two always; fewer than none never.
    assert [decision.chance_of_fewer(missed, 1) for missed in (0, 1, 2)] == [
        0,
        pytest.approx(0.95),
        pytest.approx(1.0),
    ]
    # Of 20 runs one may miss: with two misses none is left, whatever follows.
    assert decision.doubtful(1, 4, 20) and not decision.doubtful(2, 4, 20)
    # At the last run the binomial test alone counts: two of 20 are no proof (26 %).
    assert decision.doubtful(2, 20, 20) and decision.doubtful(2, 20)
