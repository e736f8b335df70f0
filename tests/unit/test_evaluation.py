"""The report card: its scenarios, its grades, and that it is repeatable."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve import metrics
from dropcurve.evaluation import CASES, Graded, ReportCard, cases, evaluate
from dropcurve.evaluation.cost import cost
from dropcurve.evaluation.instructions import INSTRUCTIONS
from dropcurve.evaluation.overview import overview

ROOT = Path(__file__).parents[2]
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


def test_every_section_with_a_guideline_is_tested_once() -> None:
    tested = [one.section for one in CASES]
    assert len(set(tested)) == len(tested)
    assert {"5.1", "5.2", "5.3", "5.4", "6", "7", "8.2.6", "9.1", "9.2", "10"} <= set(tested)


def test_the_cost_of_a_card_is_that_of_the_page_of_costs() -> None:
    page = (ROOT / "docs/disciplines/cost.md").read_text(encoding="utf-8")
    printed = {
        name: int(count) for name, count in re.findall(r"^\| \[`(\w+)`\]\S* \| (\d+) \|", page, re.MULTILINE)
    }
    assert printed == INSTRUCTIONS
    found = cost("codel:target=3 ms")
    assert (found.kind, found.instructions) == ("codel", printed["codel"])
    assert {"target", "interval"} <= set(found.numbers)
    assert str(found).startswith(f"{printed['codel']} instructions a packet, ")


def test_background_senders_yield_to_tcp_under_tail_drop() -> None:
    """Vegas holds a few packets in the queue that Reno fills: less than half of the share of its group."""
    (case,) = [one for one in CASES if one.section == "5.4"]
    result = dc.run(dc.Scenario.parse(LINK.scenario(case)).set("run.duration", "30 s"), replications=1)
    rates = [result.variants[0].values("goodput_bps", scope=one)[0] for one in ("tcp", "background")]
    assert None not in rates
    assert rates[1] < 0.5 * rates[0]


def test_all_cards_are_on_one_page() -> None:
    found = overview(["codel", "red:max_p=7"], seconds=12.0, replications=2, cases=FEW, command="again")
    page = found.markdown()
    assert [one.candidate for one in found.cards] == ["codel"]
    assert "max_p" in found.refused["red:max_p=7"]
    assert "| [`codel`](#codel) |" in page
    assert page.count("\n## ") == 1
    assert "\n    again\n" in page


def answer(verdict: str) -> ReportCard:
    return ReportCard("loss", (1.0, 0.1), (2.0, 0.1), (1.0, 0.1), 0.01, verdict)


@pytest.mark.parametrize(
    ("verdicts", "grade"),
    [
        (["better", "undecided"], "better"),
        (["worse", "differs"], "worse"),
        (["better", "worse"], "mixed"),
        (["undecided", "equal"], "undecided"),
        (["equal", "differs"], "equal"),
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
    assert card.decision is not None
    kinds = {one.criterion.key: one.kind for one in card.decision.changes}
    # Against the other one: whichever is recommended wins in one of both and loses in the other.
    assert {kinds["use"], kinds["delay"]} == {"gain", "cost"}
    again = evaluate(asked, seconds=20.0, replications=4, cases=FEW)
    assert again.data() == card.data()
    assert json.loads(json.dumps(card.data()))["tests"][0]["section"] == "5.1"
    (test,) = [one for one in card.graded if one.case.section == "5.1"]
    assert test.dimensions["delay"] == "better" and test.dimensions["use"] == "worse"
    assert test.balance in ("better", "worse")
    (line,) = [one for one in str(card).splitlines() if one.startswith("5.1 ")]
    assert f"{test.balance} on balance: " in line
    assert "delay better" in line and "use worse" in line
    assert "Assumed: the tests' own traffic" in str(card)


def test_a_discipline_does_not_differ_from_itself() -> None:
    card = evaluate("droptail", seconds=15.0, replications=3, cases=FEW)
    assert {one.grade for one in card.graded} == {"equal"}


def test_what_is_no_queue_is_refused() -> None:
    with pytest.raises(dc.ScenarioError, match="kind"):
        evaluate("toaster", cases=FEW)


def test_the_verdict_is_over_all_tests_and_counts_the_delay_of_thin_flows() -> None:
    """A queue of one round trip in front of a call, and CoDel: the card opens with what to choose."""
    card = evaluate("codel", seconds=20.0, replications=4, cases=FEW)
    assert card.decision is not None
    assert (card.decision.status, card.decision.recommended) == ("load", "codel")
    assert str(card).startswith("Choose codel instead of droptail: mean p95 delay where it is felt ")


def test_a_flood_is_judged_by_its_victims() -> None:
    (case,) = [one for one in CASES if one.section == "5.3"]
    assert all("[tcp]" in key for key in case.metrics)


def test_the_rate_falls_to_a_quarter_and_comes_back() -> None:
    """12 s in six parts of 2 s: at 10 Mbit/s 1666 packets in the first, a quarter of that in the second."""
    line = next(one for one in cases.changing(LINK).splitlines() if one.startswith("opportunities_ms"))
    times = json.loads(line.partition("=")[2])
    assert (sum(time <= 2000 for time in times), sum(time > 2000 for time in times)) == (1666, 416)
    assert times == sorted(times)


def test_queues_in_a_row_have_flows_through_both_and_through_each() -> None:
    (case,) = [one for one in CASES if one.section == "10"]
    run = (
        dc.run(dc.Scenario.parse(LINK.scenario(case)).set("run.duration", "3 s"), replications=1)
        .variants[0]
        .runs[0]
    )
    assert {"hop1", "hop2"} <= set(run["links"])
    assert set(metrics.classes(run)) == {"through", "hop1", "hop2"}
