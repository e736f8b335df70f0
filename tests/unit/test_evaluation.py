"""The report card: its scenarios, its grades and its reproducibility."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import evaluation, metrics
from dropcurve.evaluation import CASES, GradedMeasure, GradedTest, cases, evaluate
from dropcurve.evaluation.cost import cost
from dropcurve.evaluation.instructions import INSTRUCTIONS
from dropcurve.evaluation.overview import overview
from dropcurve.metrics import statistics
from dropcurve.verdict.equivalence import MARGIN_SCORE

ROOT = Path(__file__).parents[2]
LINK = cases.setup(rate_bps=10e6, rtt_s=0.1, buffer=None, seconds=12.0, ecn=False)
FEW = [one for one in CASES if one.section in ("8.2.3", "9.1")]


def test_the_buffer_is_one_bandwidth_delay_product() -> None:
    assert LINK.buffer == 84  # 10 Mbit/s for 100 ms are 83.3 packets of 1500 bytes


def test_levels_of_congestion_are_the_numbers_of_flows_of_section_8_2() -> None:
    """By hand: S is 83.3 packets of the link and 84 of the buffer; 0.036 S, 0.081 S and 0.114 S, as the RFC rounds."""
    assert [LINK.flows(name) for name in ("mild", "medium", "heavy")] == [6, 14, 19]
    wide = cases.setup(rate_bps=1e9, rtt_s=0.1, buffer=1667.0, seconds=1.0, ecn=False)
    shared = 1e9 * 0.1 / 12_000.0 + 1667
    for name, factor in (("mild", 0.036), ("medium", 0.081), ("heavy", 0.114)):
        assert wide.flows(name) == pytest.approx(factor * shared, rel=0.01)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.section)
def test_every_test_is_a_scenario_with_the_classes_it_measures(case: cases.Case) -> None:
    scenario = dc.Scenario.parse(LINK.scenario(case))
    links = (
        {"bottleneck.back"} if case.section == "9.2" else {"hop1", "hop2"} if case.section == "10" else set()
    )
    for key in case.metrics:
        name, scope = metrics.split(key)
        assert metrics.find(name).better
        places = links if metrics.find(name).per == "link" else set(scenario.resolved["flows"])
        assert not scope or scope in places


def test_every_section_with_a_guideline_is_tested_once() -> None:
    assert len({one.section for one in CASES}) == len(CASES)
    tested = [one.section for one in CASES if one.phase is None]
    assert tested == [
        "5.1.1", "5.1.2", "5.2", "5.3a", "5.3b", "5.4", "6", "7-I", "7-II", "7-III", "7-IV", "8.2.2", "8.2.3", "8.2.4",
        "8.2.5", "8.2.6a", "8.2.6b", "9.1", "9.2", "10",
    ]  # fmt: skip
    phases = [one.section for one in CASES if one.phase is not None]
    assert phases == ["8.2.5-I", "8.2.5-II", "8.2.5-III", "8.2.6a-I", "8.2.6a-II"]


def resolved(section: str) -> dict[str, Any]:
    (case,) = [one for one in CASES if one.section == section]
    flows: dict[str, Any] = dc.Scenario.parse(LINK.scenario(case)).resolved["flows"]
    return flows


def test_the_senders_are_those_that_section_5_asks_for() -> None:
    assert (resolved("5.1.1")["tcp"]["count"], resolved("5.1.1")["tcp"]["initial_window"]) == (1, 3)
    short = {name: flow for name, flow in resolved("5.1.2").items() if name != "bulk"}
    assert sorted(flow["initial_window"] for flow in short.values()) == [3, 10]
    # More than 10 and fewer than 100 packets of 1448 bytes, once the long flow is steady.
    assert all(flow["size"] == "72400 B" and 10 * 1448 < 72400 < 100 * 1448 for flow in short.values())
    assert all(flow["start"] != "0 s" for flow in short.values())
    assert resolved("5.2")["tcp"]["cc"] == "cubic"
    # Beyond the link's rate; then more than half of it and less than all.
    assert resolved("5.3a")["udp"]["rate"] == "12 Mbit/s"
    assert resolved("5.3b")["udp"]["rate"] == "6 Mbit/s"
    assert (resolved("5.4")["tcp"]["cc"], resolved("5.4")["background"]["cc"]) == ("reno", "ledbat")
    # The target and the gain that section 5.4 recommends.
    background = resolved("5.4")["background"]
    assert (background["ledbat_target"], background["ledbat_gain"]) == ("5 ms", 10)


def test_bursts_and_mixes_have_the_traffic_of_figure_2_and_section_9() -> None:
    parts = {numeral: set(resolved(f"7-{numeral}")) for numeral in ("I", "II", "III", "IV")}
    assert parts == {
        "I": {"web", "cbr"}, "II": {"web", "cbr", "bulk"}, "III": {"web", "cbr", "video"},
        "IV": {"web", "cbr", "video", "bulk"},
    }  # fmt: skip
    web = resolved("7-I")["web"]
    assert (int(web["embedded"]) + 1, web["connections"], web["initial_window"]) == (50, 6, 10)
    mix = resolved("9.1")
    assert {name: flow["count"] for name, flow in mix.items()} == {
        "voice": 1, "answer": 1, "web": 6, "cbr": 1, "video": 1, "bulk": 5,
    }  # fmt: skip
    assert (mix["voice"]["reverse"], mix["answer"]["reverse"]) == (False, True)
    both = resolved("9.2")
    assert both["down"]["count"] == both["up"]["count"] == LINK.flows("mild")


def test_levels_rise_over_the_run_and_hops_share_the_flows() -> None:
    flows = resolved("8.2.5")
    assert [flow["count"] for flow in flows.values()] == [6, 14 - 6, 19 - 14]
    assert [flows[name]["start"] for name in ("second", "third")] == ["4 s", "8 s"]
    row = resolved("10")
    assert row["first"]["count"] == row["second"]["count"] == 3
    assert (row["second"]["from"], row["second"]["to"]) == (2, 3)


def test_the_cost_of_a_card_is_that_of_the_page_of_costs() -> None:
    page = (ROOT / "docs/disciplines/cost.md").read_text(encoding="utf-8")
    printed = {
        name: int(count) for name, count in re.findall(r"^\| \[`(\w+)`\]\S* \| (\d+) \|", page, re.MULTILINE)
    }
    assert printed == INSTRUCTIONS
    codel = cost("codel:target=3 ms")
    assert (codel.kind, codel.instructions) == ("codel", printed["codel"])
    assert {"target", "interval"} <= set(codel.numbers)
    assert str(codel).startswith(f"{printed['codel']} instructions a packet, ")


def shared(queue: dict[str, Any]) -> tuple[float, float]:
    """Goodput of Reno and of the background sender in the test of section 5.4, 30 s behind a queue."""
    (case,) = [one for one in CASES if one.section == "5.4"]
    base = dc.Scenario.parse(LINK.scenario(case)).set("run.duration", "30 s").set("queue", queue)
    result = dc.run(base, replications=1)
    rates = [result.variants[0].values("goodput_bps", scope=one)[0] for one in ("tcp", "background")]
    assert rates[0] is not None and rates[1] is not None
    return rates[0], rates[1]


def test_background_senders_yield_to_tcp_under_tail_drop_and_behind_pie() -> None:
    """Both queues exceed the target of 5 ms: LEDBAT gets less than half as much as Reno."""
    for kind in ("droptail", "pie"):
        tcp, background = shared({"kind": kind, "limit": "84 pkts"})
        assert background < 0.5 * tcp, kind


def test_a_queue_below_its_target_makes_a_background_sender_compete() -> None:
    """CoDel holds the queue below the 5 ms of LEDBAT for most of the time, so that it yields to nobody."""
    tcp, background = shared({"kind": "codel", "limit": "84 pkts"})
    assert background > tcp


def test_the_phases_of_a_test_make_up_the_whole() -> None:
    """Bytes that depart in the phases of 8.2.5, each measured alone, are those of the whole run after its warm-up;
    in each phase of 8.2.6a the link carries no more than its rate."""

    def departed(section: str) -> int:
        (case,) = [one for one in CASES if one.section == section]
        run = dc.run(dc.Scenario.parse(LINK.scenario(case)), replications=1).variants[0].runs[0]
        return int(run["links"]["bottleneck"]["departed_bytes"])

    assert sum(departed(f"8.2.5-{one}") for one in ("I", "II", "III")) == departed("8.2.5")
    # 2 s at 10 Mbit/s and at a tenth of it; the slow phase begins with a full queue.
    assert departed("8.2.6a-I") <= 1667 * 1500
    assert departed("8.2.6a-II") == pytest.approx(166 * 1500, rel=0.02)


def test_phases_are_on_the_card_and_not_in_the_verdict() -> None:
    parts = [one for one in CASES if one.section.startswith("8.2.5")]
    card = evaluate("codel", seconds=12.0, replications=2, cases=parts)
    alone = evaluate("codel", seconds=12.0, replications=2, cases=parts[:1])
    assert card.decision == alone.decision
    assert [one.case.section for one in card.graded] == [one.section for one in parts]
    assert "Of 1 tests " in str(card)


def test_the_reference_of_pi_is_a_quarter_of_a_buffer_that_its_default_exceeds() -> None:
    card = evaluate("pi", seconds=12.0, replications=2, cases=FEW)
    assert "pi with q_ref 21 pkts" in " ".join(str(card).split())
    assert card.data()["fitted"]
    stated = evaluate("pi:q_ref=10 pkts", seconds=12.0, replications=2, cases=FEW[:1])
    assert not stated.fitted
    wide = evaluate("pi", buffer=400.0, seconds=12.0, replications=2, cases=FEW[:1])
    assert not wide.fitted, "the default lies below the buffer"


def test_all_cards_are_on_one_page() -> None:
    cards_page = overview(["codel", "red:max_p=7"], seconds=12.0, replications=2, cases=FEW, command="again")
    page = cards_page.markdown()
    assert [one.candidate for one in cards_page.cards] == ["codel"]
    assert "max_p" in cards_page.refused["red:max_p=7"]
    assert "| [`codel`](#codel) |" in page
    assert page.count("\n## ") == 1
    assert "\n    again\n" in page


def answer(verdict: str) -> GradedMeasure:
    return GradedMeasure("loss", (1.0, 0.1), (2.0, 0.1), (1.0, 0.1), 0.01, verdict)


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
    assert GradedTest(CASES[0], tuple(map(answer, verdicts))).grade == grade


@pytest.mark.parametrize(
    ("key", "pair", "baseline", "real", "grade"),
    [
        ("utilisation", (0.3, 0.05), 90.0, True, "better"),
        ("utilisation", (-0.3, 0.05), 90.0, True, "worse"),
        ("utilisation", (0.19, 0.05), 90.0, True, "undecided"),  # the interval exceeds the margin
        ("utilisation", (-0.19, 0.005), 90.0, True, "equal"),
        ("utilisation", (0.3, 0.05), 90.0, False, "undecided"),
        ("sojourn_ms_p95", (-2.5, 0.1), 100.0, True, "better"),
        ("sojourn_ms_p95", (-1.9, 0.5), 100.0, True, "undecided"),  # the margin is 2 % of the baseline
        ("sojourn_ms_p95", (1.5, 0.4), 100.0, True, "equal"),
    ],
)
def test_a_measure_is_better_or_worse_only_beyond_the_margin(
    key: str, pair: tuple[float, float], baseline: float, real: bool, grade: str
) -> None:
    difference = statistics.PairedDifference(*pair, n=5, p=0.001)
    assert evaluation._verdict(key, difference, baseline, real=real) == grade


def test_the_score_of_a_card_has_the_margin_of_every_score() -> None:
    card = evaluate("codel", seconds=12.0, replications=2, cases=FEW[:1])
    assert card.decision is not None and card.decision.margin == MARGIN_SCORE


def test_a_short_card_is_right_and_repeatable() -> None:
    """RED that drops most packets early: less delay and less goodput than tail drop, in any test."""
    asked = "red:min_th=2 pkts,max_th=8 pkts,max_p=0.5"
    card = evaluate(asked, seconds=20.0, replications=4, cases=FEW)
    grades = {one.metric: one.verdict for one in card.graded[0].answers}
    assert (grades["sojourn_ms_p95"], grades["utilisation"]) == ("better", "worse")
    assert card.decision is not None
    kinds = {one.criterion.key: one.kind for one in card.decision.changes}
    # RED has less delay and less use of the link than tail drop, so either choice has one gain and one cost.
    assert {kinds["use"], kinds["delay"]} == {"gain", "cost"}
    again = evaluate(asked, seconds=20.0, replications=4, cases=FEW)
    assert again.data() == card.data()
    assert json.loads(json.dumps(card.data()))["tests"][0]["section"] == "8.2.3"
    (test,) = [one for one in card.graded if one.case.section == "8.2.3"]
    assert test.dimensions["delay"] == "better" and test.dimensions["use"] == "worse"
    assert test.balance in ("better", "worse")
    (line,) = [one for one in str(card).splitlines() if one.startswith("8.2.3 ")]
    assert f"{test.balance} on balance: " in line
    assert "delay better" in line and "use worse" in line
    assert "Assumed: the tests' own traffic" in str(card)


def test_a_discipline_does_not_differ_from_itself() -> None:
    card = evaluate("droptail", seconds=15.0, replications=3, cases=FEW)
    assert {one.grade for one in card.graded} == {"equal"}


def test_an_unknown_discipline_is_refused() -> None:
    with pytest.raises(dc.UsageError, match="discipline = toaster: no such discipline"):
        evaluate("toaster", cases=FEW)


def test_the_verdict_is_over_all_tests_and_counts_the_delay_of_thin_flows() -> None:
    """A queue of one round trip in front of a call, compared with CoDel: the card opens with a recommendation."""
    card = evaluate("codel", seconds=20.0, replications=4, cases=FEW)
    assert card.decision is not None
    assert (card.decision.status, card.decision.recommended) == ("load", "codel")
    assert str(card).startswith(
        "Choose codel instead of droptail: mean p95 delay of delay-sensitive traffic "
    )


def test_a_discipline_that_serves_nothing_of_a_test_is_worse_and_a_sure_difference_needs_no_test() -> None:
    """GKVQ lets no packet of the flood through: 0 instead of 100 % of the link, in every replication."""
    cases_of = [one for one in CASES if one.section in ("5.3a", "5.2")]
    card = evaluate("gkvq", seconds=8.0, replications=5, cases=cases_of)
    assert card.decision is not None and card.decision.recommended == "droptail"
    assert "gkvq has no value of mean p95 delay" in str(card).replace("\n", " ")
    (flood,) = [one for one in card.graded if one.case.section == "5.3a"]
    assert flood.grade == "worse"


def test_a_flood_is_judged_by_its_victims() -> None:
    (case,) = [one for one in CASES if one.section == "5.3b"]
    assert all("[tcp]" in key for key in case.metrics)


def test_the_rate_falls_to_a_tenth_and_comes_back() -> None:
    """12 s in six parts of 2 s: at 10 Mbit/s 1666 packets in the first, a tenth of that in the second; every 100 ms 83
    packets and 8."""

    def counts(text: str, phase_ms: float) -> tuple[int, int]:
        line = next(one for one in text.splitlines() if one.startswith("opportunities_ms"))
        times = json.loads(line.partition("=")[2])
        assert times == sorted(times)
        return sum(time <= phase_ms for time in times), sum(time > phase_ms for time in times)

    assert counts(cases.changing(LINK), 2000) == (1666, 166)
    assert counts(cases.fast_changing(LINK), 100) == (83, 8)
    slow = cases.setup(rate_bps=200e3, rtt_s=0.1, buffer=None, seconds=12.0, ecn=False)
    fast, low = counts(cases.fast_changing(slow), 1200)
    assert (fast, low) == (20, 2), "a phase is long enough for two packets of the low rate"


def test_queues_in_a_row_have_flows_through_both_and_through_the_second() -> None:
    (case,) = [one for one in CASES if one.section == "10"]
    run = (
        dc.run(dc.Scenario.parse(LINK.scenario(case)).set("run.duration", "3 s"), replications=1)
        .variants[0]
        .runs[0]
    )
    assert {"hop1", "hop2"} <= set(run["links"])
    assert set(metrics.classes(run)) == {"first", "second"}
    passed = {name: run["links"][name]["departed_pkts"] for name in ("hop1", "hop2")}
    assert passed["hop2"] > passed["hop1"]
