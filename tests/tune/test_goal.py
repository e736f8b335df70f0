"""Goals as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve.errors import UsageError
from dropcurve.tuning import goal


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
    found = goal.parse("p95 delay < 15ms, max goodput of short, min one-way delay, fct < 2s, oscillation < 4")
    keys = ["goodput_bps[short]", "delay_ms_mean", "sojourn_ms_p95", "fct_ms_mean", "queue_pkts_sd"]
    assert [one.key for one in found.measures] == keys


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("p95 dely < 3ms", "'p95 dely' is no measure; did you mean 'p95 delay'?"),
        ("max loss", "asks for the worst; say min loss"),
        ("p95 delay < 15 parsecs", "must end in a unit of time"),
        ("utilisation > many", "must be a number with its unit"),
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
def test_what_cannot_be_read_is_told_with_a_remedy(text: str, message: str) -> None:
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
    # A margin on a share of at least 90 % tightens what is missing, not what is there.
    assert lower.excess(90, margin=0.05) == pytest.approx(0.5 / 90)


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
def test_a_preset_is_the_goal_it_stands_for(name: str) -> None:
    assert goal.parse(f" {name.upper()} ") == goal.parse(goal.PRESETS[name])


def test_outcomes_of_applications_are_measures() -> None:
    found = goal.parse("max mos, stalls < 1%, max video bit rate of video, min page load time of web")
    keys = ["mos", "video_bps[video]", "fct_ms_p95[web]", "video_stalled"]
    assert [one.key for one in found.measures] == keys
