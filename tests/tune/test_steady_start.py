"""Long flows that start near their share: the conditions that were measured along a run, and the steady state."""

from __future__ import annotations

import pytest

import dropcurve
from dropcurve.tuning import cold_start, of_file, of_link
from dropcurve.tuning.link_question import of_mix
from dropcurve.tuning.text import steady_start


@pytest.mark.parametrize(
    ("rate", "rtt", "flows", "bound", "settled"),
    [
        # Steady from the warm-up on, by windows along a run.
        ("100Mbit", "100ms", "4", 20, None),
        ("71Mbit", "100ms", "2", 28, None),
        ("10Gbit", "5ms", "50", 2, None),
        ("100Mbit", "40ms", "10", 10, None),
        # Not steady.
        ("1Gbit", "40ms", "20", 2, 12),
        ("1Gbit", "40ms", "12", 2, 14),
        ("10Gbit", "40ms", "50", 2, 18),
    ],
)
def test_flows_that_would_settle_late_start_near_their_share(
    rate: str, rtt: str, flows: str, bound: int, settled: int | None
) -> None:
    goal = f"p95 delay < {bound}ms, max utilisation"
    question = of_link(rate=rate, rtt=rtt, flows=flows, buffer="20000pkts", goal=goal)
    sentence, scenario = steady_start(question), question.scenario(question.middle())
    assert (sentence == "") == (settled is None) == (scenario.get("flows.long.pacing") == "auto")
    assert settled is None or f"about {settled} s to fill it" in sentence


def test_the_condition_that_settles_last_is_named() -> None:
    goal = "p95 delay < 2ms, max utilisation"
    link = {"rate": "10Gbit", "rtt": "5-40ms", "flows": "50-200", "buffer": "20000pkts"}
    sentence = steady_start(of_link(**link, goal=goal))  # type: ignore[arg-type]
    assert "share of the link (round trip 40 ms, 50 flows): behind" in sentence
    # Without a bound the length of the queue is unknown.
    assert not steady_start(of_link(**link, goal="max utilisation"))  # type: ignore[arg-type]


def test_slow_start_ends_at_the_share_that_short_flows_and_udp_leave() -> None:
    question = of_link(
        rate="1Gbit", rtt="40ms", flows="20", buffer="20000pkts", short="10%", udp="10%",
        goal="p95 delay < 2ms, max utilisation",
    )  # fmt: skip
    scenario = question.scenario(question.middle())
    assert scenario.get("flows.long.initial_ssthresh") == round(0.85 * 0.8 * 1e9 * 0.04 / 12_000 / 20)


@pytest.mark.parametrize(
    ("tcp", "queue", "params"),
    [
        ("cubic", "pie", {"target": "2.7 ms"}),
        ("reno", "pie", {"target": "2.7 ms"}),
        ("cubic", "droptail", {"limit": "142 kB"}),
    ],
)
def test_the_start_is_as_steady_as_a_later_window(tcp: str, queue: str, params: dict[str, str]) -> None:
    """Eight flows of CUBIC that start from nothing use 90 % behind this PIE after seven seconds, and 100 % after 20."""
    question = of_link(
        rate="200Mbit",
        rtt="60ms",
        flows="8",
        buffer="2000pkts",
        tcp=tcp,
        goal="p95 delay < 6ms, max utilisation",
    )
    base = question.scenario(question.middle()).queue(queue, **params)
    used = []
    for warmup in (7, 20):
        scenario = base.edit([("run.warmup", f"{warmup} s"), ("run.duration", f"{warmup + 5} s")])
        used.append(
            sum(dropcurve.run(scenario, seed=n).baseline.values("utilisation")[0] for n in (1, 2)) / 2
        )
    assert used[0] > used[1] - 3.0, used


SCENARIO = """
[run]
duration = "15 s"
warmup = "5 s"
[dumbbell]
rate = "1 Gbit/s"
delay = "20 ms"
[queue]
kind = "droptail"
limit = "20000 pkts"
[flows.long]
count = 12
transport = "tcp"
profile = "linux"
cc = "cubic"
"""


@pytest.mark.parametrize(
    ("edit", "goal", "late"),
    [
        ({}, "p95 delay < 2ms, max utilisation", "about 14 s"),
        ({"flows.long.cc": "vegas"}, "p95 delay < 2ms, max utilisation", "about 15 s"),
        # A bound of half a round trip, a late window, a start near the share, a sender whose growth is unknown.
        ({}, "p95 delay < 20ms, max utilisation", ""),
        ({"run.warmup": "20 s", "run.duration": "30 s"}, "p95 delay < 2ms, max utilisation", ""),
        ({"flows.long.initial_ssthresh": 200}, "p95 delay < 2ms, max utilisation", ""),
        ({"flows.long.cc": "bbr"}, "p95 delay < 2ms, max utilisation", ""),
    ],
)
def test_the_start_of_a_scenario_that_the_figures_include_is_stated(
    edit: dict[str, object], goal: str, late: str
) -> None:
    scenario = dropcurve.Scenario.parse(SCENARIO, name="cold").edit(list(edit.items()))
    sentence = cold_start.sentence(of_file(scenario, goal=goal))
    assert late in sentence and (sentence == "") == (late == "")
    assert not late or ("begin at 5 s" in sentence and "run.warmup" in sentence)


def test_the_start_of_the_usual_traffic_is_stated() -> None:
    goal = "p95 delay < {bound}ms, max utilisation"
    sentence = cold_start.sentence(of_mix("satellite", goal=goal.format(bound=80)))
    assert "start from nothing: behind" in sentence and "run.warmup" not in sentence
    assert not cold_start.sentence(of_mix("satellite", goal=goal.format(bound=300)))
    # Its flows start near their share.
    link = {"rate": "1Gbit", "rtt": "40ms", "flows": "12", "buffer": "20000pkts"}
    assert not cold_start.sentence(of_link(**link, goal=goal.format(bound=2)))  # type: ignore[arg-type]
