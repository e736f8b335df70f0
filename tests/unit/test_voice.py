"""The E-model against the values that ITU-T G.107 states for itself."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dropcurve import metrics
from dropcurve.metrics.voice import Call, opinion


def test_default_values_give_the_rating_that_the_recommendation_states() -> None:
    """G.107 section 7.7: 93.2; the reference implementation of its Appendix III prints 93.206208."""
    assert Call().rating == pytest.approx(93.206208, abs=5e-7)


@pytest.mark.parametrize(("rating", "score"), [(90, 4.34), (80, 4.03), (70, 3.60), (60, 3.10), (50, 2.58)])
def test_scores_are_those_of_annex_b(rating: float, score: float) -> None:
    """Table B.1 of G.107."""
    # The table prints 4.03 for 80, where its own formula has 4.024.
    assert opinion(rating) == pytest.approx(score, abs=0.007)


def test_scores_end_at_1_and_4_and_a_half() -> None:
    assert [opinion(rating) for rating in (-5.0, 0.0, 3.0, 100.0, 120.0)] == [1.0, 1.0, 1.0, 4.5, 4.5]


def test_absolute_delay_costs_nothing_up_to_100_ms() -> None:
    """Section 7.4: at 200 ms X is 1, so Idd = 25 (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2)."""
    assert Call(ta=100.0).rating == Call().rating
    idd = 25.0 * (2.0 ** (1 / 6) - 3.0 * (1.0 + 3.0**-6) ** (1 / 6) + 2.0)
    assert Call().rating - Call(ta=200.0).rating == pytest.approx(idd)
    assert idd == pytest.approx(3.04, abs=0.01)


def test_loss_costs_what_section_7_5_says() -> None:
    """2 % random loss with Bpl 25.1: 95 * 2 / (2 + 25.1)."""
    assert Call().rating - Call(ppl=2.0, bpl=25.1).rating == pytest.approx(95.0 * 2.0 / 27.1)


def test_a_call_gets_worse_with_delay_and_with_loss() -> None:
    delays = [Call.of(ms, 0.0).rating for ms in (20, 50, 100, 150, 200, 300, 400, 600)]
    assert delays == sorted(delays, reverse=True)
    losses = [Call.of(50.0, share).rating for share in (0, 1, 2, 5, 10, 30, 100)]
    assert losses == sorted(losses, reverse=True)
    assert all(math.isfinite(one) for one in [*delays, *losses])


def udp(name: str, size: int, p99: float, *, dropped: int = 0, received: int = 100) -> dict[str, Any]:
    """Returns a flow that sent 100 packets of a size in bytes."""
    delay = {"count": received, "p99": p99}
    return {"id": 0, "group": name, "class": name, "transport": "udp", "sent_pkts": 100, "sent_bytes": 100 * size,
            "dropped_pkts": dropped, "received_pkts": received, "delay_ms": delay}  # fmt: skip


def run(*flows: dict[str, Any]) -> dict[str, Any]:
    groups = {one["group"]: {"delay_ms": one["delay_ms"], "delay_ms_histogram": {}} for one in flows}
    return {"links": {}, "flows": list(flows), "groups": groups, "warmup_s": 0.0, "simulated_s": 2.0}


def test_the_score_of_a_run_is_that_of_its_calls() -> None:
    """80 ms of network and 20 ms of frame; 1 % is late: R at 100 ms less 95 * 1 / 26.1. The flood is no call."""
    score = metrics.value(run(udp("call", 200, 80.0), udp("flood", 1200, 900.0)), "mos")
    assert score == pytest.approx(opinion(Call.of(100.0, 1.0).rating))
    assert score == pytest.approx(4.26, abs=0.05)


def test_drops_count_as_loss_and_a_starved_call_is_worth_1() -> None:
    """10 dropped of 100, and 1 % of the other 90 late."""
    score = metrics.value(run(udp("call", 200, 30.0, dropped=10, received=90)), "mos")
    assert score == pytest.approx(opinion(Call.of(50.0, 10.9).rating))
    assert metrics.value(run(udp("call", 200, 0.0, dropped=100, received=0)), "mos") == 1.0


def test_without_calls_there_is_no_score() -> None:
    assert metrics.value(run(udp("flood", 1200, 9.0)), "mos") is None
