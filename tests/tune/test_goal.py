"""Goals as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve import metrics
from dropcurve.advise.planned import classes, refuse_missing
from dropcurve.errors import UsageError
from dropcurve.scenario import links
from dropcurve.tuning import goal
from dropcurve.verdict import Exchange

#: Metrics of senders or of all flows, which some classes lack for reasons that a run alone shows.
SAMPLED = ("sync", "cwnd_mean", "retransmits", "timeouts", "window_cuts", "undone")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("p95 delay < 15ms, max utilisation", "max utilisation, p95 delay < 15 ms"),
        ("max utilization at p95 sojourn below 20 ms", "max utilization, p95 sojourn < 20 ms"),
        ("utilisation at p95 sojourn below 20 ms", "max utilisation, p95 sojourn < 20 ms"),
        ("loss at most 2% and max goodput", "max goodput, loss < 2 %"),
        ("min p99 delay; utilisation at least 95 %", "min p99 delay, utilisation > 95 %"),
        ("p95 delay < 0.015 s", "max utilisation, p95 delay < 15 ms"),
        ("goodput of short > 2Mbit, min loss", "min loss, goodput of short > 2e+06 bit/s"),
        ("max utilisation - 0.2 * p95 delay + 3 jain", "max utilisation − 0.2 × p95 delay + 3 × jain"),
        ("max utilisation, min p95 delay", "max utilisation, min p95 delay"),
        ("min fct_ms_p95[short]", "min fct_ms_p95[short]"),
    ],
)
def test_a_goal_is_read(text: str, read: str) -> None:
    assert str(goal.parse(text)) == read


def test_names_lead_to_metrics() -> None:
    parsed = goal.parse(
        "p95 delay < 15ms, max goodput of short, min one-way delay, fct < 2s, oscillation < 4"
    )
    keys = ["goodput_bps[short]", "delay_ms_mean", "sojourn_ms_p95", "fct_ms_mean", "queue_pkts_sd"]
    assert [one.key for one in parsed.measures] == keys


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("p95 dely < 3ms", "no measure is called 'p95 dely'; did you mean 'p95 delay'?"),
        ("max loss", "asks for the worst value; write min loss"),
        ("p95 delay < 15 parsecs", "must end in a unit of time"),
        ("utilisation > many", "must be a number in %; write one such as 95%"),
        ("utilisation > 90ms", "must be a number in %"),
        ("fairness > 90%x", "must be a number without a unit"),
        ("max utilisation < 90%", "both a bound and something to optimise"),
        ("delay < 5ms, delay > 10ms", "contradict each other"),
        ("make it fast", "cannot be read"),
        ("utilisation > 120%", "the bound of a share must lie between 0 and 100"),
        ("loss < -1%", "must lie between 0 and 100"),
        ("fairness > 2", "must lie between 0 and 1"),
        ("marks", "say max or min before it"),
        ("goodput < 5 apples", "must end in a unit of rate"),
    ],
)
def test_unreadable_goals_are_reported_with_a_remedy(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        goal.parse(text)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_excess_is_a_share_of_the_bound() -> None:
    (upper,) = goal.parse("p95 delay < 20ms").constraints
    assert (
        upper.excess(20) == 0
        and upper.excess(25) == 0.25
        and upper.excess(20, margin=0.05) == pytest.approx(0.05)
    )
    (lower,) = goal.parse("utilisation > 90%, min delay").constraints
    assert lower.excess(90) == 0 and lower.excess(81) == pytest.approx(0.1)
    # A margin on a share of at least 90 % tightens the distance from 100 %, not the share.
    assert lower.excess(90, margin=0.05) == pytest.approx(0.5 / 90)
    # No other unit has a largest value.
    rate = goal.parse("goodput > 200 kbit/s, min p95 delay").constraints[0]
    assert rate.excess(200_000, margin=0.05) == pytest.approx(0.05)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        goal.parse(text)
    except UsageError as error:
        assert str(error)


def test_a_sum_is_called_by_its_weights_but_for_ones() -> None:
    (objective,) = goal.parse("min mean delay - 2 * utilisation").objectives
    assert objective.label == "mean delay − 2 × utilisation"


@pytest.mark.parametrize("name", list(goal.PRESETS))
def test_a_preset_is_one_objective_in_points_for_every_link_that_has_its_application(name: str) -> None:
    for text in ("cable", "cable:up", "office", "satellite:up"):
        (scenario,) = links.scenarios(text)
        preset = goal.parse(f" {name.upper()} ", classes=classes(scenario).values(), round_trip_s=0.04)
        (objective,) = preset.objectives
        assert objective.in_points and not preset.constraints
        refuse_missing([one.key for one in preset.measures], scenario)


def test_a_preset_names_the_classes_that_it_weighs() -> None:
    (scenario,) = links.scenarios("cable:up")
    keys = {
        name: [one.key for one in goal.parse(name, classes=classes(scenario).values()).measures]
        for name in goal.PRESETS
    }
    thin = ["delay_ms_p95[call]", "delay_ms_p95[game]"]
    own = "delay_ms_p95[upload]"
    assert keys["balanced"] == ["utilisation", *thin, own, "flow_loss[call]", "flow_loss[game]"]
    assert keys["voip"] == ["utilisation", "mos[call]", own]
    assert keys["gaming"] == ["utilisation", "delay_ms_p99[game]", own, "flow_loss[game]"]
    assert keys["web"] == ["utilisation", "page_ms_p95[web]", own]
    assert keys["bulk"] == ["link_share[upload]", "reverse_utilisation", "sojourn_ms_p95"]


def test_bulk_counts_both_directions_and_the_delay_of_the_queue_a_quarter() -> None:
    (scenario,) = links.scenarios("20/2:up,rtt=40ms")
    preset = goal.of_scenario("bulk", scenario)
    assert str(preset) == "max link share of upload + reverse utilisation − 0.125 × p95 delay"


@pytest.mark.parametrize(
    ("name", "link", "message"), [("voip", "datacentre", "no call"), ("web", "cable,web=0", "no web pages")]
)
def test_a_preset_without_its_application_is_refused(name: str, link: str, message: str) -> None:
    (scenario,) = links.scenarios(link)
    with pytest.raises(UsageError, match=message):
        goal.parse(name, classes=classes(scenario).values())


def test_the_exchange_rate_is_that_of_the_round_trip_or_the_one_stated() -> None:
    assert str(goal.parse("balanced", round_trip_s=0.1)) == "max utilisation − 0.2 × p95 delay"
    assert str(goal.parse("balanced", exchange=Exchange(2.0))) == "max utilisation − 2 × p95 delay"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("fct_ms_p95[download]", "completion times; write fct_ms_p95[web]"),
        ("mos[web]", "write mos[call]"),
        ("video_bps[call]", "write video_bps[video]"),
        ("jain[upload]", "needs two flows"),
        ("delay_ms_p95[game2]", "no class 'game2'; it has download, upload, web, video, call and game"),
        ("shaped_share", "only shaped video"),
    ],
)
def test_a_measure_without_a_value_is_refused_with_the_classes_that_have_one(key: str, message: str) -> None:
    (scenario,) = links.scenarios("dsl")
    with pytest.raises(UsageError) as error:
        refuse_missing([key], scenario)
    assert message in str(error.value)


def test_every_measure_that_is_not_refused_has_a_value_in_a_run() -> None:
    (scenario,) = links.scenarios("20/2,downloads=2,games=2", duration="12 s")
    run = dc.run(scenario, replications=1).variants[0].runs[0]
    for name, metric in metrics.METRICS.items():
        for scope in classes(scenario) if metric.per == "flow" else ():
            try:
                refuse_missing([f"{name}[{scope}]"], scenario)
            except UsageError:
                # The share of a reversed class has a value, of the wrong link.
                assert metrics.value(run, name, scope=scope) is None or name == "link_share", (name, scope)
            else:
                known = metrics.value(run, name, scope=scope) is not None
                # A class has no transfer of some sizes, a reversed or short-lived flow no sampled window.
                assert known or name.startswith("fct_") or name in SAMPLED, (name, scope)


def test_outcomes_of_applications_are_measures() -> None:
    parsed = goal.parse("max mos, stalls < 1%, max video bit rate of video, min page load time of web")
    keys = ["mos", "video_bps[video]", "page_ms_p95[web]", "video_stalled"]
    assert [one.key for one in parsed.measures] == keys


def test_a_sum_lacks_a_value_where_a_measure_does_except_for_pages() -> None:
    (both,) = goal.parse("min p95 delay + 2 * p95 page load time").objectives
    pages = both.terms[1][1].key
    assert both.value({"sojourn_ms_p95": 3.0, pages: 10.0}) == 23.0
    assert both.value({"sojourn_ms_p95": 3.0}) == 3.0
    assert both.value({pages: 10.0}) is None
    (alone,) = goal.parse("min p95 page load time").objectives
    assert alone.value({"sojourn_ms_p95": 3.0}) is None


def test_the_score_is_the_name_of_a_sum_alone() -> None:
    assert goal.parse("min p95 delay + 2 * p95 page load time").names == ("score",)
    assert goal.parse("min p95 delay").names != ("score",)
    several = goal.parse("min p95 delay + 2 * p95 page load time, max utilisation").names
    assert len(several) == 2 and "score" not in several


def test_a_share_may_be_bounded_by_its_ends() -> None:
    for text in (
        "loss < 0%, max utilisation",
        "utilisation > 100%, min p95 delay",
        "fairness > 0, min p95 delay",
    ):
        assert len(goal.parse(text).constraints) == 1


def test_units_labels_and_signs_of_objectives() -> None:
    (delay,) = goal.parse("min p95 delay").objectives
    assert (delay.unit, delay.label, delay.sign, delay.in_points) == ("ms", "p95 delay", 1.0, False)
    (share,) = goal.parse("max utilisation").objectives
    assert (share.unit, share.label, share.sign, share.in_points) == ("%", "utilisation", -1.0, True)
    (points,) = goal.parse("max utilisation - 0.2 * p95 delay").objectives
    assert points.unit == "points" and points.in_points
    (half,) = goal.parse("min p95 delay + 0.5 * loss").objectives
    assert half.label == "p95 delay + 0.5 × loss"
    # Neither a share of another weight nor another unit of weight 1 is a percentage point.
    (other,) = goal.parse("max 2 * utilisation - p95 delay").objectives
    assert other.unit == "" and not other.in_points
    assert other.value({"utilisation": 3.0, "sojourn_ms_p95": 4.0}) == 2.0


def test_a_goal_without_a_preset_has_the_usual_margin() -> None:
    assert goal.parse("max utilisation").margin == 0.0 == goal.Goal("", (), ()).margin


def test_the_excess_over_a_bound_of_nothing_is_the_value() -> None:
    assert goal.parse("loss < 0%, max utilisation").constraints[0].excess(1.5) == 1.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max utilisation + + loss", "must be WEIGHT * MEASURE"),
        ("min", "write constraints and objectives such as"),
        ("balancd", "did you mean 'balanced'?"),
        ("min utilisation", "asks for the worst value; write max utilisation"),
        ("delay < 5ms, delay > 5ms", "contradict each other"),
    ],
)
def test_the_other_refusals_have_a_remedy_too(text: str, message: str) -> None:
    with pytest.raises(UsageError, match="goal") as error:
        goal.parse(text)
    assert message in str(error.value)
