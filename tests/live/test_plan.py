"""A scenario as a lab."""

from __future__ import annotations

from itertools import pairwise

import pytest

import dropcurve as dc
from dropcurve import Scenario, ScenarioError
from dropcurve.live import plan

SMALL = """
[run]
duration = "3 s"
warmup = "1 s"
[dumbbell]
rate = "4 Mbit/s"
delay = "10 ms"
access_delay = "even 1 ms to 3 ms"
[queue]
kind = "codel"
limit = "100 pkts"
[flows.tcp]
count = 3
profile = "linux"
cc = "cubic"
[flows.voice]
transport = "udp"
source = "cbr"
rate = "200 kbit/s"
packet = "250 B"
reverse = true
"""


def test_links_paths_and_flows_are_those_of_the_scenario() -> None:
    planned = plan.make(Scenario.parse(SMALL), seed=3)
    assert (planned.duration_s, planned.warmup_s, planned.mtu, planned.timestamps) == (3, 1, 1500, True)
    forward, back = planned.settings["links"]
    assert (forward["queue"]["kind"], forward["rate"], back["queue"]["kind"]) == (
        "codel",
        "4 Mbit/s",
        "droptail",
    )
    delays = [path["access_delay"] for path in planned.settings["paths"]]
    assert delays == ["1000000 ns", "2000000 ns", "3000000 ns", "1000000 ns"]
    assert [flow.cc for flow in planned.flows] == ["cubic", "cubic", "cubic", ""]
    voice = planned.flows[3]
    assert voice.reverse
    # 250 bytes at 200 kbit/s: one every 10 ms, of which IP and UDP take 28 bytes.
    assert voice.due_ns[:3] == (0, 10_000_000, 20_000_000)
    assert set(voice.payload_bytes) == {222}


@pytest.mark.parametrize("source", ["poisson", "onoff"])
def test_datagrams_are_those_the_simulation_sends(source: str) -> None:
    drawn = Scenario.parse(SMALL).set("flows.voice.source", source)
    flow = plan.make(drawn, seed=5).flows[3]
    run = dc.run(drawn, seed=5, replications=1).variants[0].runs[0]
    gaps = {late - early for early, late in pairwise(flow.due_ns)}
    assert len(gaps) > 2
    # The measurement window begins at the end of the warm-up.
    assert sum(due >= 1_000_000_000 for due in flow.due_ns) == run["flows"][3]["sent_pkts"]
    assert plan.make(drawn, seed=6).flows[3] != flow


def test_flows_of_several_kinds_keep_what_is_theirs() -> None:
    mixed = SMALL + '[flows.new]\nprofile = "linux"\ncc = "bbr"\necn = true\n'
    flows = plan.make(Scenario.parse(mixed)).flows
    assert [(flow.cc, flow.ecn) for flow in flows] == [("cubic", False)] * 3 + [("", False), ("bbr", True)]


def test_starts_are_those_the_simulation_draws() -> None:
    drawn = Scenario.parse(SMALL).set("flows.tcp.start", "uniform 1 s to 2 s")
    run = dc.run(drawn, seed=5, replications=1).variants[0].runs[0]
    assert [flow.start_s for flow in plan.make(drawn, seed=5).flows] == [
        flow["start_s"] for flow in run["flows"]
    ]


def test_ethernet_in_the_headers_is_counted_on_every_packet() -> None:
    framed = plan.make(Scenario.parse(SMALL).set("flows.tcp.headers", "66 B"))
    assert (framed.mtu, framed.settings["overhead"]) == (1500, 14)


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        ("flows.tcp.cc", "gaimd", "the kernel has reno"),
        ("flows.tcp.headers", "44 B", "40 B, or 52 B with timestamps"),
        ("flows.tcp.source", "telnet", "TCP of a lab sends ftp"),
        ("dumbbell.loss", 0.1, "loses nothing"),
        ("flows.tcp.count", 100, "at most 64"),
    ],
)
def test_scenarios_that_a_lab_cannot_run_are_reported(path: str, value: object, word: str) -> None:
    with pytest.raises(ScenarioError, match=word):
        plan.make(Scenario.parse(SMALL).set(path, value))


def test_a_network_other_than_a_dumbbell_is_refused() -> None:
    with pytest.raises(ScenarioError, match="one bottleneck"):
        plan.make(Scenario.load("chain"))


def test_a_lab_refuses_the_framing_of_a_line_with_the_rate_that_full_packets_get() -> None:
    """4 Mbit/s in ATM cells with 40 bytes: 1500 of 1749 bytes; in the other direction alone 1500 of 1518."""
    line = Scenario.parse(SMALL).set("dumbbell.overhead", "40 B").set("dumbbell.framing", "atm")
    with pytest.raises(ScenarioError) as refused:
        plan.make(line)
    (problem,) = refused.value.problems
    assert problem.path == "dumbbell.overhead"
    assert problem.value == "ATM cells with 40 bytes of overhead a packet"
    assert "lower its rate to 3.431 Mbit/s" in problem.remedy
    with pytest.raises(ScenarioError, match=r"dumbbell.back.overhead.*3.953 Mbit/s"):
        plan.make(Scenario.parse(SMALL).set("dumbbell.back.overhead", "18 B"))
