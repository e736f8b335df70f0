"""Questions: a link and a goal, files with a section, conditions, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import boxes
from dropcurve.errors import DropcurveError, ScenarioError, UsageError
from dropcurve.quantities import units
from dropcurve.scenario import links
from dropcurve.scenario.links.parse import BASE
from dropcurve.tuning import ask, families, of_file, of_link, of_mix
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.customary import short_memory
from dropcurve.tuning.initial_designs import designs_known
from dropcurve.tuning.link import short_bytes, times
from dropcurve.tuning.search_space import Sizing

LINK: dict[str, Any] = {
    "rate": "10Mbit", "rtt": "20-80ms", "flows": "2-16", "buffer": "200pkts",
    "goal": "p95 delay < 20ms, max utilisation",
}  # fmt: skip

SECTION = """
[tune]
goal = "max goodput - 0.1 * p95 delay"
candidates = ["red"]

[tune.ranges]
"flows.tcp.count" = "2-6"
"dumbbell.delay" = "5-20ms"

[tune.space.red]
max_p = "0.01..0.5"
"""


def test_a_link_and_a_goal_make_the_traffic_that_was_asked_for() -> None:
    question = of_link(**LINK, short="10%", udp="20%")
    scenario = question.scenario({"rate": 1e7, "rtt": 0.05, "flows": 7, "short": 10.0, "udp": 20.0})
    flows = scenario.resolved["flows"]
    assert flows["long"]["count"] == 7 and flows["long"]["cc"] == "cubic"
    web = flows["short"]
    assert (web["source"], web["sessions"], web["cc"]) == ("http", "open", "cubic")
    gap = float(web["arrival"].removeprefix("exponential ").removesuffix(" ms")) / 1e3
    assert web["count"] * 8 * short_bytes() / gap == pytest.approx(1e6, rel=1e-4)
    rng = random.Random(1)
    sizes = [min(1e6, 2e3 * (1 - rng.random()) ** (-1 / 1.2)) for _ in range(200_000)]
    assert short_bytes() == pytest.approx(sum(sizes) / len(sizes), rel=0.02)
    run = dc.run(scenario, replications=1).baseline.runs[0]
    udp = dc.metrics.value(run, "throughput_bps", scope="udp")
    assert udp == pytest.approx(2e6, rel=0.15)
    # Twice 10 + 10 to 15 + 2.5 ms: within a tenth of 50 ms.
    path = [scenario.get(f"dumbbell.{key}") for key in ("delay", "access_delay", "exit_delay")]
    assert path == ["10 ms", "uniform 10 ms to 15 ms", "2.5 ms"]


def test_conditions_are_corners_and_points_inside() -> None:
    question = of_link(**LINK)
    conditions = question.conditions()
    corners = {(rtt, flows) for rtt in (0.02, 0.08) for flows in (2.0, 16.0)}
    assert corners < {(one["rtt"], one["flows"]) for one in conditions} and len(conditions) == 8
    half = conditions[:4]
    assert {one["rtt"] for one in half} >= {0.02, 0.08} and {one["flows"] for one in half} >= {2.0, 16.0}
    fresh = question.fresh(6, seed=5)
    assert not {tuple(one.items()) for one in fresh} & {tuple(one.items()) for one in conditions}
    assert question.fresh(6, seed=5) == fresh
    single = of_link(**{**LINK, "rtt": "40ms", "flows": "8"})
    assert len(single.conditions()) == 1 and single.describe(single.conditions()[0]) == "as given"


def test_a_scenario_brings_its_question(folder: Path) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8")
    (folder / "asked.toml").write_text(text + SECTION, encoding="utf-8")
    question = of_file("asked.toml")
    assert [axis.name for axis in question.varying] == ["flows.tcp.count", "dumbbell.delay"]
    scenario = question.scenario({"flows.tcp.count": 5, "dumbbell.delay": 12.0})
    assert scenario.get("flows.tcp.count") == 5 and scenario.get("dumbbell.delay") == "12 ms"
    assert dict(question.space["red"]) == {"max_p": "0.01..0.5"} and question.candidates == ("red",)
    # The section is no part of the simulated scenario.
    assert dc.Scenario.load("asked.toml").hash == dc.Scenario.load("short.toml").hash


@pytest.mark.parametrize("kind", families.FAMILIES)
def test_every_setting_of_a_family_is_a_scenario_and_comes_back(kind: str, folder: Path) -> None:
    base = dc.Scenario.load("short.toml").queue("droptail")
    for sizing in (Sizing(417.0, 50.0, 0.1), Sizing(83_000.0, 5000.0, 0.3, ecn=True)):
        family = families.family(kind, sizing)
        for share in (0.0, 0.3, 0.7, 1.0):
            coordinates = {name: axis.at(share) for name, axis in family.axes.items()}
            params = family.params(coordinates)
            assert base.queue(kind, **params).get("queue.kind") == kind
            back = family.coordinates_of(params)
            assert back is not None and set(back) == set(coordinates)
            if 0.0 < share < 1.0:
                assert family.params(back) == params


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goal": "p95 delay"}, None),
        ({"rate": "100"}, "must end in a unit of rate"),
        ({"rtt": "200-20ms"}, "200-20ms: the smaller value comes first; write 20-200ms$"),
        ({"rtt": "200ms to 2s to 3s"}, "one value or two"),
        ({"rtt": "2s-20ms"}, "the smaller value comes first; write 20ms-2s"),
        ({"rtt": "90s"}, "at most 60 s"),
        ({"rate": "1bit"}, "between 10kbit and 10Tbit"),
        ({"short": "10-60%", "udp": "50%"}, "up to 110 % of the link"),
        ({"flows": "many"}, "whole number"),
        ({"buffer": "2pkts"}, "at least 4 packets"),
        ({"short": "120%"}, "share of the link in per cent"),
        ({"tcp": "vegas"}, "must be cubic or reno"),
        ({"candidates": ["rad"]}, "did you mean 'red'?"),
        ({"candidates": ["rde"]}, "did you mean 'red'?"),
        ({"buffer": "1000"}, "must end in a unit: pkts, kB, MB, ms or bdp"),
        ({"rate": "100", "flows": "0", "box": "dos"}, "(?s)^rate = 100:.*\nflows = 0:.*\nfor = dos:[^\n]*$"),
        ({"robust": "best"}, "must be one of mean, worst, cvar, stress"),
        ({"box": "windows"}, "must be one of linux"),
        (
            {"box": "ios", "candidates": ["red", "codel"]},
            "codel: ios has no such queue; it has red, wred, gred, droptail",
        ),
    ],
)
def test_invalid_values_are_reported_at_once(change: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert of_link(**{**LINK, **change}).goal.objectives[0].higher is False
        return
    with pytest.raises(UsageError, match=message):
        of_link(**{**LINK, **change})


def test_a_setting_that_the_box_would_run_otherwise_is_compared_and_not_recommended() -> None:
    # IOS writes RED as WRED, which drops by another spacing: the rule of 1993 is simulated as it was published.
    question = of_link(**{**LINK, "box": "ios"})
    known = {one.name: one for one in designs_known(question)}
    published = known["RED as published in 1993"]
    assert question.target.takes(published) and question.target.written(published)[1]
    assert not question.may_recommend(published)
    assert question.may_recommend(known["RED by Floyd's rules"])
    assert of_link(**LINK).may_recommend(published)


def test_of_the_usual_disciplines_those_of_the_box_are_searched() -> None:
    assert "fq_codel" in of_link(**{**LINK, "box": "linux"}).candidates
    assert of_link(**{**LINK, "box": "sonic"}).candidates == ("red",)
    assert set(of_link(**{**LINK, "box": "ios"}).candidates) == {"red", "droptail"}


def test_a_bad_section_is_reported_with_its_file(folder: Path, dropcurve: Callable[..., Any]) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8")
    (folder / "bad.toml").write_text(text + '\n[tune]\ngole = "x"\nranges = 3\n', encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        of_file("bad.toml")
    line = text.count("\n") + 3
    assert error.value.lines() == [
        f"bad.toml:{line}: tune.gole = x: no such key here; did you mean 'goal'?",
        f"bad.toml:{line + 1}: tune.ranges = 3: must be a table; write [tune.ranges]",
    ]
    for arguments, message in (
        (("tune",), "--rate, --flows: not given"),
        (("tune", "--rtt", "40ms", "--flows", "5"), "--rate: not given"),
        (("tune", "short.toml", "--goal", "min fct of x"), "no class 'x'; it has"),
        (("tune", "short.toml", "--goal", "min loss", "--range", "flows.tpc.count=2-4"), "flows.tpc"),
        (("tune", "short.toml", "--goal", "min loss", "--rate", "10Mbit"), "give one or the other"),
        (("tune", "chain", "--goal", "min loss"), "has no [dumbbell], which tune needs"),
        (("tune", "short.toml", "--goal", "min loss", "--runs", "5"), "runs = 5: must be 60 or more"),
    ):
        failed = dropcurve(*arguments)
        assert failed.code == 2 and message in failed.err and len(failed.errors) == 1
    with pytest.raises(DropcurveError):
        of_file("nowhere.toml", goal="min loss")


def test_a_link_by_name_varies_what_has_a_range() -> None:
    question = of_mix("cable:up,uploads=1-4,up=5-20Mbit", candidates=["fq_codel"])
    assert [axis.name for axis in question.varying] == ["uploads", "up"]
    scenario = question.scenario({"uploads": 3.0, "up": 8e6})
    assert scenario.get("flows.upload.count") == 3 and scenario.get("dumbbell.rate") == "8 Mbit/s"
    # 250 ms of 8 Mbit/s in full packets, and of the largest rate.
    assert scenario.get("queue.limit") == "167 pkts" and question.sizing.buffer_pkts == 417
    assert "2 downloads" in question.link.assumed() and "uploads 1 to 4" in question.link.assumed()
    assert str(question.goal).startswith("max utilisation − 0.28")


def test_dualpi2_is_searched_with_both_kinds_of_sender() -> None:
    both = of_mix("dsl", candidates=["dualpi2", "fq_codel"]).scenario({})
    assert both.get("flows.l4s.count") == 1 and both.get("flows.download.count") == 2
    assert "l4s" not in of_mix("dsl", candidates=["fq_codel"]).scenario({}).resolved["flows"]


def test_a_buffer_by_time_follows_the_rate_and_bounds_every_limit() -> None:
    question = of_link(**{**LINK, "rate": "10-20Mbit", "buffer": "60ms"})
    slow, fast = (question.scenario({"rate": rate, "rtt": 0.04, "flows": 4.0}) for rate in (1e7, 2e7))
    assert [one.get("queue.limit") for one in (slow, fast)] == ["50 pkts", "100 pkts"]
    assert question.sizing.buffer_pkts == 100
    candidate = Candidate("", "codel", {"limit": "100 pkts"})
    assert candidate.on(slow, most="50 pkts").get("queue.limit") == "50 pkts"
    assert candidate.on(fast, most="100 pkts").get("queue.limit") == "100 pkts"


def test_a_range_of_buffers_is_a_condition() -> None:
    question = of_link(**{**LINK, "buffer": "50-300ms"})
    assert [axis.name for axis in question.varying] == ["rtt", "flows", "buffer"]
    scenario = question.scenario({"rate": 1e7, "rtt": 0.04, "flows": 4.0, "buffer": 120.0})
    assert scenario.get("queue.limit") == "100 pkts"


def test_without_a_goal_it_is_balanced_and_a_measure_without_a_value_is_refused_at_once() -> None:
    link = {key: value for key, value in LINK.items() if key != "goal"}
    # The geometric mean of both round trips is 40 ms.
    assert str(of_link(**link).goal) == "max utilisation − 0.4 × p95 delay"
    with pytest.raises(UsageError, match="completion times; add web pages"):
        of_link(**link, goal="min p95 fct")
    assert of_link(**link, goal="min p95 fct", short="5-10%").goal.objectives


def test_numbers_override_those_of_a_link_and_ranges_belong_to_scenarios() -> None:
    shared: dict[str, Any] = {
        "goal": None, "ranges": None, "robust": None, "box": None, "candidates": (), "space": None,
    }  # fmt: skip
    question = ask(None, link="cable:up", rate="50/5", flows="1-4", **shared)
    assert [axis.name for axis in question.varying] == ["uploads"]
    assert question.scenario({"uploads": 2.0}).get("dumbbell.rate") == "5 Mbit/s"
    assert ask("link:dsl:up", **shared).scenario({}).get("dumbbell.rate") == "1 Mbit/s"
    with pytest.raises(UsageError, match="--link: describes a link, and a scenario was named"):
        ask("droptail_vs_red", link="cable", **shared)
    with pytest.raises(UsageError, match="a goal is given as --goal"):
        ask("p95 delay < 9ms, max utilisation", link="cable", **shared)
    with pytest.raises(UsageError, match="the options of a link take ranges themselves"):
        ask(None, link="cable", **{**shared, "ranges": {"flows.tcp.count": "1-4"}})


def test_a_rate_without_flows_has_the_usual_traffic() -> None:
    shared: dict[str, Any] = {
        "goal": None,
        "ranges": None,
        "robust": None,
        "box": None,
        "candidates": (),
        "space": None,
    }
    stated = ask(None, rate="50Mbit", rtt="20-60ms", flows="5", buffer="300pkts", **shared)
    usual = ask(None, rate="50Mbit", rtt="20-60ms", **shared)
    classes = [set(one.scenario(one.middle()).resolved["flows"]) for one in (stated, usual)]
    assert classes[0] == {"long"}
    assert {"download", "upload", "web", "video", "call", "game"} == classes[1]
    assert usual.scenario(usual.middle()).get("dumbbell.rate") == "50 Mbit/s"


def test_scripts_of_a_home_shape_both_directions_with_limits_of_their_own() -> None:
    question = of_mix("80/20", box="sqm")
    known = {one.name: one for one in designs_known(question)}
    assert known["tail drop, whole buffer"].params["limit"] == "1667 pkts", "the modem's"
    assert known["FQ-CoDel, defaults"].params["limit"] == "1001 pkts", "the script's"
    assert known["CAKE, defaults"].params_as_loaded["bandwidth"] == "80 Mbit/s"
    assert question.scenario({}).get("back_queue.kind") == "fq_codel"
    export, changed = question.target.written(known["FQ-CoDel, defaults"])
    assert export is not None
    assert not changed, "it reads back"
    assert "option download '80000'" in export.text
    assert "option upload '20000'" in export.text
    up = of_mix("20/2:up,buffer=50pkts,back=codel", box="sqm")
    (first, fair, *_) = designs_known(up)
    assert first.params["limit"] == fair.params["limit"] == "50 pkts", "as stated"
    assert fair.params["target"] == "6996 us", "a packet in ATM cells at 2 Mbit/s"
    assert up.scenario({}).get("back_queue.kind") == "codel"


def test_runs_have_whole_seconds_and_tenths_where_a_million_packets_end_them() -> None:
    assert times(10e6, 0.02) == (4.0, 14.0)
    assert times(1e6, 0.6) == (33.0, 101.0)
    assert times(1e9, 0.02) == (4.0, 14.0)
    assert times(10e9, 0.01) == (3.5, 5.7)
    assert times(10e9, 0.04) == (5.0, 7.8)


def test_families_that_average_the_queue_have_a_second_start_with_a_short_memory() -> None:
    sizing = Sizing(10e6 / 12000.0, 200.0, 0.05)
    at = short_memory(families.family("choke", sizing), sizing, 0.02)
    assert at is not None
    # Half of the bound is 8.3 packets; five packets take 6 ms.
    assert at["min_th"] == pytest.approx(0.01 * 10e6 / 12000.0) and at["memory_s"] == pytest.approx(0.006)
    assert (at["ratio"], at["max_p"]) == (1.5, 0.05)
    assert short_memory(families.family("pie", sizing), sizing, 0.02) is None
    # A bound of a packet's time stays inside the ranges.
    small = short_memory(families.family("red", sizing), sizing, 1e-3)
    assert small is not None and small["min_th"] == 1.0


@pytest.mark.parametrize("box", ["ios", "cisco", "junos"])
def test_a_priority_queue_without_bands_is_refused_for_boxes_that_need_them(box: str) -> None:
    base = dc.Scenario.load("droptail_vs_red")
    with pytest.raises(UsageError, match="has a priority queue only above another one"):
        of_file(base, goal="balanced", box=box, candidates=("prio",))
    assert of_file(base, goal="balanced", box="linux", candidates=("prio",)).candidates == ("prio",)


def test_round_trip_and_buffer_that_nobody_states_are_those_of_a_home() -> None:
    shared = {"goal": "min loss", "ranges": {}, "robust": "mean", "box": "", "candidates": (), "space": {}}
    stated = ask(
        None, rate="10Mbit", rtt=links.USUAL["rtt"], flows="4", buffer=links.USUAL["buffer"], **shared
    )
    assumed = ask(None, rate="10Mbit", flows="4", **shared)
    assert assumed.link is not None and assumed.link.assumed().startswith(
        "round trip 20-80ms, buffer 250ms, long"
    )
    assert stated.link is not None and stated.link.assumed().startswith("long transfers")
    assert assumed.conditions() == stated.conditions()
    trips = units.between(links.USUAL["rtt"], lambda text: units.span(text, what="rtt"), what="rtt")
    assert trips == BASE.rtt_s


LLQ = """
run.duration = "5 s"
dumbbell = {rate = "10 Mbit/s", delay = "5 ms"}
queue = {kind = "prio", limit = "10000 pkts", bands = [{kind = "droptail", limit = "64 pkts"}, "plain"],
  class_by = "precedence", band_of = [1, 1, 1, 1, 1, 0]}
flows.tcp.count = 1
"""


@pytest.mark.parametrize("box", ["ios", "junos", "linux"])
def test_the_configuration_of_a_queue_below_a_priority_has_both(box: str) -> None:
    asked = of_file(dc.Scenario.parse(LLQ, name="llq"), goal="balanced", box=box, candidates=("red",))
    red = {"min_th": "20 pkts", "max_th": "60 pkts", "limit": "200 pkts", "max_p": 0.1}
    design = asked.target.candidate("red", "red", red)
    assert design is not None
    export, changed = asked.target.written(design)
    assert export is not None and not changed
    # The queue below reads back as what is simulated, with one queue above it.
    back = boxes.read(export.text, box=box, rate_bps=10e6)
    assert back.discipline == design.kind_as_loaded and back.params == design.params_as_loaded
    assert len(back.above) == 1 and not back.urgent


def test_a_box_without_a_priority_queue_says_what_to_add_above() -> None:
    asked = of_file(dc.Scenario.parse(LLQ, name="llq"), goal="balanced", box="sonic", candidates=("red",))
    red = {"min_th": "20 pkts", "max_th": "60 pkts", "limit": "200 pkts", "max_p": 0.1}
    design = asked.target.candidate("red", "red", red)
    assert design is not None
    export, _ = asked.target.written(design)
    assert export is not None
    (note,) = [note for note in export.notes if note.key == "priority"]
    assert "droptail of 64 pkts with strict priority above it for IP precedence 5 and above" in note.text


def test_a_queue_without_a_scheduler_is_written_alone() -> None:
    plain = dc.Scenario.parse(LLQ, name="llq").set("queue", {"kind": "droptail", "limit": "200 pkts"})
    asked = of_file(plain, goal="balanced", box="ios", candidates=("red",))
    design = asked.target.candidate(
        "red", "red", {"min_th": "20 pkts", "max_th": "60 pkts", "limit": "200 pkts"}
    )
    assert design is not None
    export, _ = asked.target.written(design)
    assert export is not None and "class-map" not in export.text
