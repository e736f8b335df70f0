"""The report card: its scenarios, its grades, and that it is repeatable."""

from __future__ import annotations

import json

import pytest

import dropcurve as dc
from dropcurve import metrics
from dropcurve.evaluation import CASES, LEFT_OUT, Answer, Graded, cases, evaluate
from dropcurve.evaluation.text import data, text

LINK = cases.setup(rate_bps=10e6, rtt_s=0.1, buffer=None, seconds=12.0, ecn=False)
FEW = [one for one in CASES if one.section in ("5.1", "9.1")]


def test_the_buffer_is_one_bandwidth_delay_product() -> None:
    assert LINK.buffer == 84  # 10 Mbit/s for 100 ms are 83.3 packets of 1500 bytes


def test_levels_of_congestion_need_more_and_more_flows() -> None:
    """By hand: W = sqrt(1.5/(2 p)) packets, and 83.3 + 42 packets to share: 27.4, 12.2 and 8.66 for each flow."""
    assert [LINK.flows(name) for name in ("mild", "medium", "heavy")] == [5, 10, 14]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.section)
def test_every_test_is_a_scenario_with_the_classes_it_measures(case: cases.Case) -> None:
    scenario = dc.Scenario.parse(LINK.scenario(case))
    groups = set(scenario.resolved["flows"])
    for key in case.metrics:
        name, scope = metrics.split(key)
        assert metrics.find(name).better
        assert not scope or scope in groups


def test_sections_are_tested_or_left_out_with_a_reason() -> None:
    tested = {one.section for one in CASES}
    assert len(tested) == len(CASES)
    assert not tested & set(LEFT_OUT)


def answer(verdict: str) -> Answer:
    return Answer("loss", (1.0, 0.1), (2.0, 0.1), (1.0, 0.1), 0.01, verdict)


@pytest.mark.parametrize(
    ("verdicts", "grade"),
    [
        (["better", ""], "better"),
        (["worse", "differs"], "worse"),
        (["better", "worse"], "mixed"),
        (["", "differs"], "no difference"),
    ],
)
def test_grades(verdicts: list[str], grade: str) -> None:
    assert Graded(CASES[0], tuple(map(answer, verdicts))).grade == grade


def test_a_short_card_is_right_and_repeatable() -> None:
    """RED that drops most packets early: less delay and less goodput than tail drop, in any test."""
    asked = "red:min_th=2 pkts,max_th=8 pkts,max_p=0.5"
    card = evaluate(asked, seconds=20.0, replications=4, cases=FEW)
    found = {one.metric: one.verdict for one in card.graded[0].answers}
    assert (found["sojourn_ms_p95"], found["goodput_bps"]) == ("better", "worse")
    delay, goodput = card.change("sojourn_ms_p95"), card.change("goodput_bps")
    assert delay is not None and goodput is not None and delay < -0.5 < goodput < 0.0
    again = evaluate(asked, seconds=20.0, replications=4, cases=FEW)
    assert data(again) == data(card)
    assert json.loads(json.dumps(data(card)))["tests"][0]["section"] == "5.1"
    assert "5.1    TCP-friendly senders             mixed" in text(card)


def test_a_discipline_does_not_differ_from_itself() -> None:
    card = evaluate("droptail", seconds=15.0, replications=3, cases=FEW)
    assert {one.grade for one in card.graded} == {"no difference"}


def test_what_is_no_queue_is_refused() -> None:
    with pytest.raises(dc.ScenarioError, match="kind"):
        evaluate("toaster", cases=FEW)
