"""The closed forms against published numbers and numbers computed by hand; the advice against its promises."""

from __future__ import annotations

import math
import time

import pytest

import dropcurve as dc
from dropcurve.advise import advise, equilibrium, fluid, rules, tcp, trajectory
from dropcurve.advise.designs import Design
from dropcurve.advise.link_conditions import Point, allowed_delay, conditions
from dropcurve.advise.of_link import of_link
from dropcurve.advise.scenario import conditions_of

#: The example of HMTG01 and HMTG01a: 60 flows, 246 ms, 15 Mbit/s in packets of 500 bytes.
HOLLOT = {"flows": 60, "rtt_s": 0.246, "capacity": 3750.0}


@pytest.mark.parametrize(
    ("p", "pftk", "mathis"),
    [(1e-4, 1786519.6, 1788127.5), (1e-3, 560411.7, 565455.6), (0.01, 164005.1, 178812.8), (0.05, 53813.9, 79967.5),
     (0.1, 25843.5, 56545.6), (0.2, 7833.8, 39983.7)],
)  # fmt: skip
def test_throughput_of_the_equations(p: float, pftk: float, mathis: float) -> None:
    """Segments of 1460 bytes, 100 ms, a timeout of 400 ms, an acknowledgement for each."""
    sender = tcp.Sender(0.1, 0.4, b=1)
    assert tcp.pftk_approx(p, sender) / 0.1 * 1460 == pytest.approx(pftk, rel=2e-5)
    assert tcp.mathis(p, sender) / 0.1 * 1460 == pytest.approx(mathis, rel=2e-6)


def test_the_full_model_at_one_point_by_hand() -> None:
    """p = 0.1, b = 1: E[W] = 1 + sqrt(8 0.9/0.3 + 1) = 6, Q = 0.271 (1 + 0.729 0.271)/(1 - 0.9^6) = 0.6924, f =
    1.125152; W = (9 + 6 + 0.7693)/(4 + 4 0.7693 1.125152)."""
    chance = 0.271 * (1 + 0.729 * (1 - 0.9**3)) / (1 - 0.9**6)
    backoff = 1.1 + 0.02 + 0.004 + 0.0008 + 0.00016 + 0.000032
    hand = (9 + 6 + chance / 0.9) / (3 + 1 + 4 * chance * backoff / 0.9)
    assert tcp.pftk_full(0.1, tcp.Sender(0.1, 0.4, b=1)) == pytest.approx(hand, rel=1e-12)


def test_the_full_model_where_the_receiver_limits() -> None:
    """With hardly any loss a flow sends its window once a round trip."""
    assert tcp.pftk_full(1e-7, tcp.Sender(0.1, 1.0, b=2, most=20)) == pytest.approx(20.0, rel=0.01)


def test_newreno_by_hand_and_where_pftk_waits_for_timeouts() -> None:
    """At p = 0.02 without delayed acknowledgements: 12.475 packets at the first loss."""
    window = 1.0 + math.sqrt(8.0 * 0.98 / 0.06 + 1.0)
    lost = 1.0 + 0.02 * (window - 1.0)
    chance = 1.0 - (1.0 - 0.02 ** (window - 1.0)) * 0.98**3
    backoff = (1.0 + 0.02 + 2 * 0.02**2 + 4 * 0.02**3 + 8 * 0.02**4 + 16 * 0.02**5 + 32 * 0.02**6) / 0.98
    hand = (49.0 + window + lost * window / 2.0) / (window / 2.0 + 1.0 + lost + 10.0 * chance * backoff)
    assert tcp.newreno(0.02, tcp.Sender(0.1, 1.0, b=1)) == pytest.approx(hand, rel=1e-12)
    assert tcp.newreno(1e-7, tcp.Sender(0.1, 1.0, b=2, most=20)) == pytest.approx(20.0, rel=0.01)
    # PIE at 10 Mbit/s, 20 ms and 20 flows, simulated: 13.2 packets wait, 6.75 % are dropped.
    sender = tcp.Sender(0.02 + 13.2 / 833.3, 1.0)
    window = (0.02 * 833.3 + 13.2) / 20
    assert tcp.loss_for(window, sender, law="newreno") == pytest.approx(0.0675, rel=0.1)
    assert tcp.loss_for(window, sender, law="pftk") < 0.6 * 0.0675


@pytest.mark.parametrize("law", tcp.LAWS)
@pytest.mark.parametrize("window", [2.5, 8.0, 40.0, 400.0])
def test_the_loss_for_a_window_gives_that_window(law: str, window: float) -> None:
    sender = tcp.Sender(0.08, 1.0, b=2)
    assert tcp.LAWS[law](tcp.loss_for(window, sender, law=law), sender) == pytest.approx(window, rel=1e-6)


def test_hollots_rule_for_red() -> None:
    """L = 1.86e-4 and K = 0.005 give 10.140 against 10.623 (HMTG01a section III)."""
    rule = fluid.red_rule(slope=1.86e-4, w_q=-math.expm1(-0.005 / 3750), **HOLLOT)
    assert (rule.left, rule.right) == (pytest.approx(10.140, abs=5e-4), pytest.approx(10.623, abs=5e-4))
    assert rule.holds
    most = fluid.red_weight(slope=1.86e-4, **HOLLOT)
    assert 1.3333e-6 < most < 1.5e-6
    edge = fluid.red_rule(slope=1.86e-4, w_q=most, **HOLLOT)
    assert edge.left == pytest.approx(edge.right, rel=1e-9)


def test_hollots_pi_controller() -> None:
    """K = 9.64e-6 and z = 0.53 in print, whose round trip is rounded to 246 ms (HMTG01 section IV)."""
    gain, zero = fluid.pi_design(**HOLLOT)
    assert zero == pytest.approx(0.52879, abs=1e-5)
    assert gain == pytest.approx(9.64e-6, rel=0.02)
    point = Point(60, 0.246, 3750.0)
    margins = fluid.margins(fluid.plant(point, 0.0), fluid.pi(gain, zero), rtt_s=0.246)
    # By hand: the zero takes the windows' pole away, so the phase left is 90° - wR - atan(wR) at w = 0.529.
    turned = math.degrees(0.52879 * 0.246 + math.atan(0.52879 * 0.246))
    assert (margins.crossover, margins.phase_deg) == (
        pytest.approx(0.52879, rel=1e-3),
        pytest.approx(90.0 - turned, abs=0.1),
    )


def test_delayed_acknowledgements_halve_the_corner_and_double_the_gain() -> None:
    """W0^2 p0 = 2/b: corner 2N/(b R^2 C), P(0) = b (R C)^3/(2N)^2, so the design's loop crosses over at its zero."""
    once, twice = fluid.pi_design(**HOLLOT), fluid.pi_design(**HOLLOT, b=2)
    assert twice[1] == pytest.approx(once[1] / 2)
    assert fluid.loop_gain(60, 0.246, 3750.0, 2) == pytest.approx(2 * (0.246 * 3750.0) ** 3 / 120.0**2)
    point = Point(60, 0.246, 3750.0)
    plant = fluid.plant(point, 0.0, b=2)
    assert abs(plant(0j)) == pytest.approx(fluid.loop_gain(60, 0.246, 3750.0, 2))
    margins = fluid.margins(plant, fluid.pi(*twice), rtt_s=0.246)
    assert margins.crossover == pytest.approx(twice[1], rel=1e-3)


def test_a_goal_with_a_bound_gets_a_limit_of_bound_times_rate() -> None:
    """15 ms of 10 Mbit/s are 12.5 packets of 1500 bytes: twelve."""
    advice = advise(rate="10Mbit", rtt="40ms", flows=8, goal="p95 delay < 15ms")
    design = next(one for one in advice.designs if one.name == "Tail drop by the delay bound")
    assert design.params == {"limit": "12 pkts"}
    assert design.expected[0].at.queue == 12
    assert all(one.name != design.name for one in advise(rate="10Mbit", rtt="40ms", flows=8).designs)


def test_margins_of_an_integrator_with_delay() -> None:
    """k e^(-sT)/s: crosses over at k with a phase of 90° - kT left, and may grow by pi/(2 k T)."""
    import cmath

    margins = fluid.margins(lambda s: cmath.exp(-s * 0.1) / s, lambda s: 4.0 + 0j, rtt_s=0.1)
    assert margins.crossover == pytest.approx(4.0, rel=1e-3)
    assert margins.phase_deg == pytest.approx(90.0 - math.degrees(0.4), abs=0.1)
    assert margins.gain == pytest.approx(math.pi / 0.8, rel=1e-3)


@pytest.mark.parametrize(("w_q", "comes_to_rest"), [(1.3333e-6, True), (1e-5, True), (2e-4, False)])
def test_the_margins_say_what_the_equations_do_under_red(w_q: float, comes_to_rest: bool) -> None:
    """HMTG01a's network: its own setting rests, and a quick average swings."""
    curve, point = equilibrium.Curve(150, 700, 0.1, spacing="geometric"), Point(60, 0.2, 3750.0)
    at = equilibrium.on_curve(curve, point, law="fluid", b=1)
    loop = fluid.red(curve.slope(at.queue), w_q, 3750.0)
    assert fluid.margins(fluid.plant(point, at.queue), loop, rtt_s=at.rtt_s).stable == comes_to_rest
    start = (1.02 * at.window, 0.98 * at.queue)
    mean, swing = trajectory.under_red(curve, point, w_q=w_q, seconds=150, start=start).range_at_end(10)
    assert (swing < 0.01 * at.queue) == comes_to_rest
    assert mean == pytest.approx(at.queue, rel=0.05 if comes_to_rest else 0.3)


@pytest.mark.parametrize(("factor", "comes_to_rest"), [(1.0, True), (8.0, True), (10.0, False)])
def test_the_margins_say_what_the_equations_do_under_pi(factor: float, comes_to_rest: bool) -> None:
    """HMTG01's design may be raised 8.6 times, no more."""
    point = Point(60, 0.2, 3750.0)
    gain, zero = fluid.pi_design(**HOLLOT)
    at = equilibrium.held(175.0, point, law="fluid", b=1)
    loop = fluid.pi(factor * gain, zero)
    assert fluid.margins(fluid.plant(point, at.queue), loop, rtt_s=at.rtt_s).stable == comes_to_rest
    path = trajectory.under_pi(factor * gain, zero, 175.0, point, seconds=150, start=(at.window, 180.0))
    assert (path.range_at_end(10)[1] < 1.0) == comes_to_rest


def test_floyds_weight_for_a_burst_of_fifty() -> None:
    """0.004195 for a burst of 50 below min_th 5 (FJ93 section 6 has 0.0042)."""
    assert rules.most_weight(5.0, 50) == pytest.approx(0.004195, abs=5e-6)


@pytest.mark.parametrize(
    ("rate", "size", "weight", "low"),
    [
        (1.5e6, 500, 0.0026631, 5.0),
        (1e7, 1000, 0.00079968, 5.0),
        (1e8, 1500, 0.00011999, 20.83),
        (1e9, 1500, 1.19999e-5, 208.3),
    ],
)
def test_adaptive_reds_automatic_values(rate: float, size: int, weight: float, low: float) -> None:
    capacity = rate / 8 / size
    thresholds = rules.thresholds(capacity, 0.005)
    assert thresholds == (pytest.approx(low, rel=2e-4), pytest.approx(3 * low, rel=2e-4))
    assert rules.weight_for_second(capacity) == pytest.approx(weight, rel=1e-4)


def test_the_average_forgets_in_the_interval() -> None:
    w_q = rules.weight_for_interval(1000.0, 0.2)
    assert (1 - w_q) ** 200 == pytest.approx(0.1, rel=1e-9)


def test_buffer_rules() -> None:
    assert rules.bandwidth_delay(8333.0, 0.1) == pytest.approx(833.3)
    assert rules.many_flows(10000.0, 0.1, 100) == pytest.approx(100.0)


def test_at_the_crossing_both_laws_agree() -> None:
    curve = equilibrium.Curve(20, 60, 0.05)
    point = Point(20, 0.08, 833.0)
    at = equilibrium.on_curve(curve, point)
    assert at.regime == "curve"
    assert curve.taken(at.queue) == pytest.approx(equilibrium.needed(at.queue, point), rel=1e-6)
    assert at.window == pytest.approx((0.08 * 833 + at.queue) / 20)


def test_a_curve_too_low_for_its_load_is_held_at_its_edge() -> None:
    at = equilibrium.on_curve(equilibrium.Curve(5, 15, 0.001), Point(60, 0.02, 833.0))
    assert (at.regime, at.queue) == ("edge", pytest.approx(15, rel=1e-6))


def test_more_flows_mean_more_queue_and_more_loss() -> None:
    curve = equilibrium.Curve(20, 60, 0.1, above="gentle")
    points = [equilibrium.on_curve(curve, Point(n, 0.08, 833.0)) for n in (2, 8, 32, 64)]
    assert [one.queue for one in points] == sorted(one.queue for one in points)
    assert [one.loss for one in points] == sorted(one.loss for one in points)


def test_every_design_is_a_queue_the_simulator_takes() -> None:
    scenario = dc.Scenario.load("droptail_vs_red")
    for advice in (
        advise(scenario),
        advise(rate="1Gbit", rtt="1-400ms", flows="1-2000"),
        advise(rate="1Mbit", rtt="5ms", flows=1, buffer=10, ecn=True),
    ):
        for design in advice.designs:
            assert scenario.queue(design.discipline, **design.params).get("queue.kind") == design.discipline


def test_a_scenario_and_its_numbers_get_the_same_advice() -> None:
    link = advise("droptail_vs_red").conditions
    assert link.rtt_s == (pytest.approx(0.044), pytest.approx(0.052))
    assert (link.flows, link.buffer, link.packet_bytes, link.rate_bps) == ((8, 8), 100.0, 1500, 9e6)
    assert link.udp_bps == 1e6


def test_the_goal_sets_the_delay() -> None:
    assert allowed_delay("p95 delay < 15ms, max utilisation") == 0.015
    assert allowed_delay("p99 sojourn under 2 ms; delay <= 30 ms") == 0.002
    assert allowed_delay("max utilisation") is None
    advice = advise(rate="100Mbit", rtt="40ms", flows=20, goal="p95 delay < 20ms")
    assert advice.design("pie").params["target"] == "10 ms"


def test_contradictions_are_refused() -> None:
    with pytest.raises(dc.UsageError, match="--rate: not given"):
        advise(flows=5)
    with pytest.raises(dc.UsageError, match="cannot go together"):
        advise("droptail_vs_red", rate="100Mbit")
    with pytest.raises(dc.UsageError, match="no long TCP flows"):
        advise("mm1")
    with pytest.raises(dc.UsageError, match="the smaller value comes first; write 5-100"):
        conditions(rate="100Mbit", rtt="40ms", flows="100-5")
    with pytest.raises(dc.UsageError, match="between 40 and 65535"):
        conditions(rate="100Mbit", rtt="40ms", flows="5", packet="10B")


def test_advice_is_instant_and_says_where_each_design_comes_from() -> None:
    began = time.process_time()
    advice = advise(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts")
    shown = advice.text()
    assert time.process_time() - began < 1.0
    for design in advice.designs:
        assert design.formula and design.source and design.why and design.fails
        assert design.queue in shown
    assert advice.data()["designs"][1]["expected"][0]["loss"] > 0


def test_no_design_expects_a_queue_longer_than_the_buffer() -> None:
    for advice in (advise(link="datacentre"), advise(rate="10Gbit", rtt="100us", flows=8, buffer=100)):
        assert advice.conditions.buffer is not None
        for design in advice.designs:
            assert all(one.at.queue <= advice.conditions.buffer for one in design.expected), design.name
    # CoDel's target of 10 us is 8.3 packets, which a buffer of ten cannot hold twice.
    small = advise(rate="10Gbit", rtt="200us", flows=8, buffer=10)
    assert "target lowered to half of it" in small.design("codel").notes[0]


def test_one_flow_has_no_plural() -> None:
    assert ", 1 TCP flow, packets" in advise(rate="1Mbit", rtt="5ms", flows=1).text()


@pytest.mark.parametrize(
    ("given", "name", "reason"),
    [
        ({"rate": "10Mbit", "rtt": "40ms", "flows": 8, "buffer": "100pkts", "goal": "p95 delay < 20ms"}, "PI",
         "within the 10 ms aimed at, and a stable loop"),
        ({"rate": "100Mbit", "rtt": "20-200ms", "flows": "5-100", "buffer": "1000pkts"}, "CoDel",
         "beyond the 5 ms aimed at; of the designs with a model of the loop none keeps that delay, is stable"),
        ({"rate": "1Mbit", "rtt": "500ms", "flows": 1}, "PIE",
         "at 1 flow, 500 ms no design is expected to stay within the 5 ms aimed at; this one comes closest"),
    ],
)  # fmt: skip
def test_advice_opens_with_a_design_and_a_reason_that_its_own_figures_bear_out(
    given: dict[str, object], name: str, reason: str
) -> None:
    advice = advise(**given)  # type: ignore[arg-type]
    opening = " ".join(advice.text(width=10_000).partition("\n\n")[0].split())
    chosen = advice.design(name)
    assert opening.startswith(f"Start with {name} (number {advice.designs.index(chosen) + 1} below)")
    assert reason in opening
    assert advice.data()["answer"]["design"] == name
    aim = advice.conditions.aim_s * 1.02
    acting = [
        one for one in advice.designs
        if one.expected and all(row.at.regime in ("curve", "held") for row in one.expected)
    ]  # fmt: skip
    delays = {one.name: max(row.at.rtt_s - row.point.rtt_s for row in one.expected) for one in acting}
    keeping = [one for one in acting if delays[one.name] <= aim]

    def seconds(one: Design) -> float:
        rows = [row.margins for row in one.expected]
        if any(row is None or row.gain < 2.0 or not row.crossover > 0.0 for row in rows):
            return math.inf
        return max(1.0 / row.crossover for row in rows if row is not None)

    fast = [one.name for one in sorted(keeping, key=seconds) if seconds(one) <= 10.0]
    if fast:
        assert name == fast[0]
    elif keeping:
        assert name == "CoDel"
    else:
        assert delays[name] == min(delays.values())


def test_the_delay_aimed_at_in_a_data_centre_is_a_part_of_its_round_trip() -> None:
    local = advise(link="datacentre,cc=cubic")
    assert local.conditions.rtt_s == (50e-6, 200e-6) and local.conditions.aim_s == 50e-6
    assert "within the 50 us aimed at" in local.text() and "5 ms" not in local.text().split("1. Tail drop")[0]
    # CoDel's interval is the longest round trip, not the 100 ms of the Internet.
    codel = local.design("CoDel").params
    assert (codel["interval"], codel["target"]) == ("200 us", "10 us")
    # A delay that exceeds the one aimed at is not called within it.
    pi = local.design("PI")
    assert max(row.at.rtt_s - row.point.rtt_s for row in pi.expected) <= 50e-6
    # A goal has precedence, and other links keep the 5 ms of FGS01.
    assert advise(link="datacentre", goal="p95 delay < 1ms").conditions.aim_s == 0.5e-3
    assert advise(link="cable").conditions.aim_s == 0.005


def test_senders_of_dctcp_start_with_a_step() -> None:
    advice = advise(link="datacentre")
    step = advice.design("Step marking")
    # A seventh of the 166.7 packets of the longest round trip.
    assert step.params["threshold"] == "24 pkts"
    assert advice.data()["answer"]["design"] == "Step marking"
    # The same step for boxes that have RED or WRED alone: neighbouring thresholds, marks beyond, no average.
    red = advice.design("RED as a step by DCTCP's rule").params
    assert [red[key] for key in ("min_th", "max_th", "ecn_forced")] == ["24 pkts", "25 pkts", "mark"]
    assert "step_marking" not in {one.discipline for one in advise(link="datacentre,cc=cubic").designs}


def test_the_framing_of_a_line_leaves_less_to_the_formulas() -> None:
    """20 Mbit/s in ATM cells with 40 bytes: 1500 of 1749 bytes. The buffer is that of the link."""
    plain, framed = (of_link(text) for text in ("20/2:down", "20/2:down,framing=pppoe-llcsnap"))
    assert framed.rate_bps == pytest.approx(20e6 * 1500 / 1749)
    assert (framed.line_bps, plain.line_bps) == (20e6, 0.0)
    assert framed.buffer == plain.buffer
    shown = str(advise(link="20/2:down,framing=pppoe-llcsnap"))
    assert "17.15 Mbit/s (left to full packets by the framing of a line of 20 Mbit/s)" in " ".join(
        shown.split()
    )
    # 1 Mbit/s in packets of 500 bytes takes 1.3 Mbit/s of the line.
    wire = dc.Scenario.load("droptail_vs_red").set("dumbbell.overhead", "150 B")
    assert conditions_of(wire).rate_bps == pytest.approx((10e6 - 1.3e6) * 1500 / 1650)
