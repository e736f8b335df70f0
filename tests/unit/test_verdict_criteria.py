"""Criteria of a verdict: thin flows apart from bulk, victims apart from a flood; each worked by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import UsageError
from dropcurve.results.recommendation import conditions, reverse_of, verdict_on
from dropcurve.scenario import links
from dropcurve.tuning import goal
from dropcurve.tuning.decision import margin_of
from dropcurve.tuning.goal_weights import weights
from dropcurve.verdict import Criterion, Exchange, SampledDesign, balanced, decide, headline
from dropcurve.verdict.traffic import roles

#: A dumbbell with a queue and flows of every kind.
SCENARIO = """
[run]
duration = "5 s"
warmup = "1 s"

[dumbbell]
rate = "5 Mbit/s"
delay = "10 ms"

[queue]
kind = "droptail"
limit = "100 pkts"

[flows.tcp]
count = 2
cc = "cubic"

[flows.voice]
transport = "udp"
source = "cbr"
rate = "87.2 kbit/s"
packet = "218 B"
"""
FLOOD = """
[flows.flood]
transport = "udp"
source = "cbr"
rate = "6 Mbit/s"
packet = "1200 B"
"""


def flow(number: int, name: str, transport: str, bps: float, **more: Any) -> dict[str, Any]:
    """Returns a flow that sent and delivered at a rate (bit/s) for ten seconds."""
    sent = int(bps * 10 / 8)
    return {"id": number, "group": name, "class": name, "transport": transport, "start_s": 0.0, "finish_s": None,
            "size_bytes": None, "sent_bytes": sent, "goodput_bytes": sent, "sent_pkts": 100, "dropped_pkts": 10,
            "delay_ms": {"count": 90, "p95": float(number)}} | more  # fmt: skip


def run(*flows: dict[str, Any], rate: float = 10e6) -> dict[str, Any]:
    """Ten seconds of a link that was busy for nine of them."""
    link = {"rate_bps": rate, "busy_s": 9.0, "sojourn_ms": {"p95": 77.0}}
    groups = {one["group"]: {"delay_ms": one["delay_ms"], "delay_ms_histogram": {}} for one in flows}
    return {
        "links": {"bottleneck": link},
        "flows": list(flows),
        "groups": groups,
        "warmup_s": 0.0,
        "simulated_s": 10.0,
    }


def test_roles_follow_from_what_flows_send() -> None:
    """Of 10 Mbit/s among five, a fair share is 2 Mbit/s, an attack 2.5 Mbit/s in all."""
    by_class = roles(run(
        flow(0, "bulk", "tcp", 4e6), flow(1, "web", "tcp", 1e6, objects={"completed": 3}), flow(2, "call", "udp", 87e3),
        flow(3, "camera", "udp", 2.2e6), flow(4, "flood", "udp", 2.5e6),
    ))  # fmt: skip
    assert by_class == {
        "bulk": "bulk",
        "web": "short",
        "call": "thin",
        "camera": "media",
        "flood": "unresponsive",
    }


def test_a_call_is_thin_on_the_slowest_link() -> None:
    """87 kbit/s are 44 % of 200 kbit/s, and more than a fair share of it."""
    by_class = roles(
        run(flow(0, "call", "udp", 87e3), *(flow(n, "bulk", "tcp", 2e4) for n in range(1, 5)), rate=2e5)
    )
    assert by_class["call"] == "thin"


def test_the_delay_that_counts_is_that_of_thin_flows_and_a_quarter_of_that_of_bulk() -> None:
    criteria, (values,) = balanced(
        [[run(flow(0, "bulk", "tcp", 9e6), flow(7, "call", "udp", 87e3))]], Exchange(0.5)
    )
    weights = {one.key: one.worth for one in criteria}
    assert weights == {
        "utilisation": 1.0,
        "delay_ms_p95[call]": -0.5,
        "delay_ms_p95[bulk]": -0.125,
        "flow_loss[call]": -5.0,
    }
    assert values["delay_ms_p95[call]"] == [7.0]
    assert (values["utilisation"], values["flow_loss[call]"]) == ([90.0], [10.0])


def test_two_thin_classes_share_the_weight_of_delay() -> None:
    some = run(flow(0, "bulk", "tcp", 9e6), flow(1, "call", "udp", 87e3), flow(2, "game", "udp", 50e3))
    criteria, _ = balanced([[some]], Exchange(0.5))
    assert [one.worth for one in criteria if one.unit == "ms"] == [-0.25, -0.25, -0.125]


def test_without_thin_flows_the_delay_of_the_queue_counts() -> None:
    criteria, (values,) = balanced([[run(flow(0, "bulk", "tcp", 9e6))]], Exchange(0.5))
    assert [one.key for one in criteria] == ["utilisation", "sojourn_ms_p95"]
    assert values["sojourn_ms_p95"] == [77.0]


def test_in_an_attack_the_share_and_the_delay_of_the_victims_count() -> None:
    """The victims get 4 of 10 Mbit/s; the link is busy with the flood, and the flood's delay (9 ms) is its own."""
    criteria, (values,) = balanced(
        [[run(flow(3, "bulk", "tcp", 4e6), flow(9, "flood", "udp", 6e6))]], Exchange(0.5)
    )
    assert values == {"share": [pytest.approx(40.0)], "delay_ms_p95[bulk]": [3.0]}
    assert criteria[0].title == "share of the link for bulk"


def test_a_flow_queue_that_isolates_a_flood_is_not_worse() -> None:
    base = dc.Scenario.parse(SCENARIO + FLOOD, name="flood")
    result = dc.compare(base, queues=["droptail", "fq_codel"], replications=3)
    verdict = verdict_on(result)
    assert verdict is not None
    assert (verdict.status, verdict.recommended) == ("load", "fq_codel")
    opening = str(result).splitlines()[0]
    assert opening.startswith("Load fq_codel instead of droptail: loss of voice 0 %, not ")


def test_the_exchange_rate_follows_from_the_round_trip_unless_it_is_stated() -> None:
    """10 ms of the link, an access link and an exit of no delay: 20 ms round trip, so 1 point for 1 ms."""
    base = dc.Scenario.parse(SCENARIO, name="steady").edit(
        [("dumbbell.access_delay", "0 s"), ("dumbbell.exit_delay", "0 s")]
    )
    result = dc.compare(base, queues=["droptail", "codel"], replications=2)
    derived, stated = verdict_on(result), verdict_on(result, exchange=Exchange(0.25))
    assert derived is not None
    assert stated is not None
    assert derived.exchange == (
        "1 ms of delay counts as 1 point of utilisation, that of long transfers as a quarter of it and 1 % of loss as "
        "5 points"
    )
    assert stated.exchange.startswith(
        "1 ms of delay counts as 0.25 points of utilisation, that of long transfers"
    )


def test_a_queue_in_use_stays_unless_another_is_better() -> None:
    """The same queue twice: equal to the last bit, so the one in use is kept."""
    base = dc.Scenario.parse(SCENARIO, name="steady")
    result = dc.compare(base, queues=["mine=codel", "other=codel"], replications=2)
    verdict = verdict_on(result, current="mine")
    assert verdict is not None
    assert (verdict.status, verdict.recommended) == ("keep", "mine")
    assert "As good within 1 point: other." in headline(verdict).details


def test_scenarios_that_differ_in_their_traffic_have_no_verdict() -> None:
    base = dc.Scenario.parse(SCENARIO, name="steady")
    assert verdict_on(dc.compare(base, vary={"flows.tcp.count": [1, 2]}, replications=2)) is None


def test_the_same_queues_at_several_conditions_have_one_verdict() -> None:
    bases = links.scenarios("2/1:up,uploads=1-2,web=0,videos=0", duration="3 s")
    result = dc.compare(bases, queues=["droptail", "fq_codel"], replications=2)
    places = conditions(result.variants)
    assert [list(one) for one in places] == [["droptail", "fq_codel"]] * len(bases)
    verdict = verdict_on(result)
    assert verdict is not None
    assert (verdict.conditions, verdict.replications) == (len(bases), 2 * len(bases))
    assert {verdict.recommended, *verdict.others} == {"droptail", "fq_codel"}
    text = str(result).replace("\n  ", " ")
    assert f"2 paired replications at each of {len(bases)} conditions" in text


def test_scenarios_that_share_no_queues_have_no_verdict() -> None:
    (first,) = links.scenarios("2/1:up", duration="2 s")
    (second,) = links.scenarios("4/1:up", duration="2 s")
    result = dc.compare([first, second.queue("pie", limit="20 pkts")], replications=2)
    assert verdict_on(result) is None


def test_a_goal_is_what_is_weighed_and_the_rest_is_its_price() -> None:
    (base,) = links.scenarios("2/1:up", duration="4 s")
    result = dc.compare(base, queues=["droptail", "fq_codel"], replications=3)
    weighed = weights(goal.of_scenario("min p95 one-way delay of call", base))
    verdict = verdict_on(result, weights=weighed)
    assert verdict is not None and verdict.points == "per cent" and verdict.margin == 1.0
    own = {one.criterion.key: one.criterion for one in verdict.changes}
    assert own["delay_ms_p95[call]"].worth < 0
    assert own["utilisation"].worth == 0 and own["utilisation"].higher
    # One per cent of the baseline's value is a point.
    values = result.variants[0].values("delay_ms_p95", scope="call")
    mean = sum(value or 0.0 for value in values) / len(values)
    assert own["delay_ms_p95[call]"].worth == pytest.approx(-100.0 / mean)


@pytest.mark.parametrize(
    ("text", "margin"),
    [
        ("balanced", 1.0),
        ("max utilisation - 0.5 * p95 delay", 1.0),
        ("gaming", 4.0),
        ("voip", 4.0),
        ("max utilisation", 0.2),
        ("p95 delay < 20ms, max utilisation", 0.2),
        ("max goodput", 1.0),
    ],
)
def test_a_comparison_decides_a_goal_with_the_margin_of_tune(text: str, margin: float) -> None:
    parsed = goal.parse(text)
    assert weights(parsed).margin == margin_of(parsed) == margin


def test_a_score_is_equal_within_a_point_and_its_measures_change_by_less() -> None:
    """0.6 points of use for 1 ms: behind by 0.1, and both changes are named."""
    use, delay = (
        Criterion("use", "utilisation", "%", worth=1.0),
        Criterion("d", "p95 delay", "ms", worth=-0.5),
    )
    some = [
        SampledDesign("a", {"use": [90.0] * 4, "d": [5.0] * 4}),
        SampledDesign("b", {"use": [90.6] * 4, "d": [6.0] * 4}, simplicity=1),
    ]
    verdict = decide(some, [use, delay], baseline="b")
    assert verdict.margin == 1.0 and verdict.recommended == "a" and list(verdict.equals) == ["b"]
    assert {one.criterion.key: one.kind for one in verdict.changes} == {"use": "cost", "d": "gain"}
    assert decide([replace(one, samples={"use": one.samples["use"]}) for one in some], [use]).margin == 0.2


def test_a_bound_of_a_goal_is_met_before_anything_is_weighed() -> None:
    (base,) = links.scenarios("2/1:up", duration="4 s")
    result = dc.compare(base, queues=["droptail:limit=200 pkts", "fq_codel"], replications=3)
    parsed = goal.of_scenario("max utilisation, p95 one-way delay of call < 60ms", base)
    verdict = verdict_on(result, weights=weights(parsed))
    assert verdict is not None and verdict.recommended == "fq_codel"
    (rival,) = verdict.rivals
    assert rival.relation == "infeasible" and rival.missed[0].criterion.bound is not None


def test_a_goal_with_two_objectives_is_no_verdict() -> None:
    with pytest.raises(dc.UsageError, match="write a sum"):
        weights(goal.parse("max utilisation, min p95 delay"))


def test_flows_of_the_other_direction_have_another_queue_and_no_share_of_this_link() -> None:
    flows = [flow(0, "upload", "tcp", 4e6), flow(1, "download", "tcp", 19e6), flow(2, "call", "udp", 87e3)]
    criteria, _ = balanced([[run(*flows)]], Exchange(0.5), reverse={"download"})
    worth = {one.key: one.worth for one in criteria}
    assert worth["delay_ms_p95[upload]"] == pytest.approx(-0.125)
    assert "delay_ms_p95[download]" not in worth
    assert worth["goodput_bps[download]"] == 0.0, "it is reported"
    flows.append(flow(3, "flood", "udp", 6e6))
    criteria, samples = balanced([[run(*flows)]], Exchange(0.5), reverse={"download"})
    assert criteria[0].title == "share of the link for upload and call"
    assert samples[0]["share"] == [pytest.approx(40.87)], "never beyond the link"


def test_the_share_of_a_class_that_goes_the_other_way_is_refused() -> None:
    base = links.load("link:20/2:up")
    with pytest.raises(UsageError, match="write reverse_utilisation"):
        goal.of_scenario("max link share of download", base)
    assert "download" not in str(goal.of_scenario("balanced", base))


def surfing(name: str, loads: int, *, mean: float = 1200.0) -> dict[str, Any]:
    """Returns a flow that loaded pages."""
    page = {"count": loads, "mean": mean, "p50": mean, "p95": mean}
    return flow(5, name, "tcp", 1e6, objects={"completed": loads, "page_ms": page})


def viewing(name: str, bps: float, stalled: float) -> dict[str, Any]:
    """Returns a flow of a viewer."""
    seen = {"chunks": 3, "bps_mean": bps, "stalls": 1, "stalled_s": stalled, "switches": 0}
    return flow(6, name, "tcp", 2e6, objects={"completed": 3}, video=seen)


def test_pages_and_video_through_the_queue_count() -> None:
    """A page half as long is 10 points, 1 Mbit/s of video 5, a per cent of stalled time 1."""
    call = flow(7, "call", "udp", 87e3)
    some = run(call, surfing("web", 6), viewing("video", 2e6, 0.5))
    criteria, (values,) = balanced([[some]], Exchange(0.5))
    worth = {one.key: (one.worth, one.log) for one in criteria}
    assert worth["page_ms_mean[web]"] == (-10.0, True)
    assert worth["video_bps[video]"] == (pytest.approx(5e-6), False)
    assert worth["video_stalled[video]"] == (-1.0, False)
    assert (values["page_ms_mean[web]"], values["video_bps[video]"]) == ([1200.0], [2e6])
    assert values["video_stalled[video]"] == [pytest.approx(5.0)]


def test_pages_and_video_of_the_other_direction_are_reported_alone() -> None:
    some = run(flow(7, "call", "udp", 87e3), surfing("web", 6), viewing("video", 2e6, 0.5))
    criteria, _ = balanced([[some]], Exchange(0.5), reverse={"web", "video"})
    worth = {one.key: one.worth for one in criteria}
    assert [worth[key] for key in ("page_ms_mean[web]", "video_bps[video]", "video_stalled[video]")] == [
        0.0
    ] * 3


def test_the_load_time_of_fewer_than_five_pages_a_run_decides_nothing() -> None:
    for loads, weight in ((4, 0.0), (5, -10.0)):
        criteria, _ = balanced([[run(flow(7, "call", "udp", 87e3), surfing("web", loads))]], Exchange(0.5))
        assert next(one.worth for one in criteria if one.key.startswith("page")) == weight


def test_classes_of_pages_share_their_weight_and_a_rate_of_zero_leaves_them_out() -> None:
    some = run(flow(7, "call", "udp", 87e3), surfing("web", 6), surfing("mail", 9))
    criteria, _ = balanced([[some]], Exchange(0.5))
    assert [one.worth for one in criteria if one.key.startswith("page")] == [-5.0, -5.0]
    criteria, _ = balanced([[some]], Exchange(0.5, page=0.0))
    assert [one.worth for one in criteria if one.key.startswith("page")] == [0.0, 0.0]


def test_the_named_goal_balanced_weighs_what_the_verdict_weighs() -> None:
    """On a cable a run has tens of pages: the sum of the preset is that of the verdict, term by term."""
    (base,) = links.scenarios("cable", duration="12 s")
    weighed = weights(goal.of_scenario("balanced", base))
    result = dc.compare(base, queues=["droptail", "fq_codel"], replications=2)
    others = reverse_of(result.baseline)
    criteria, _ = balanced([one.runs for one in result.variants], Exchange.default(0.03), reverse=others)
    mine = {one.key: (one.log, one.worth > 0) for one in criteria if one.worth}
    assert {one.key: (one.log, one.worth > 0) for one in weighed.criteria} == mine
    assert {one.key: one.worth for one in weighed.criteria if one.log} == {"page_ms_mean[web]": -10.0}
