"""The designs: a discipline with its parameters, their formula, the expected result and where it does not hold."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..quantities import units
from . import equilibrium, fluid, rules
from .equilibrium import Curve, Equilibrium
from .fluid import Margins
from .link_conditions import Conditions, Point
from .targets import codel_times, room, short, within_buffer

#: Longest useful time constant of the average: loads change within seconds.
SLOWEST_S = 10.0


@dataclass(frozen=True)
class Expectation:
    """Equilibrium and stability margins of a design at one condition; `margins` is None without a linear model."""

    point: Point
    at: Equilibrium
    margins: Margins | None = None


@dataclass(frozen=True)
class Design:
    """A starting point: `params` are values as a scenario has them, `source` names keys of docs/references.toml."""

    name: str
    discipline: str
    params: dict[str, str]
    formula: str
    source: str
    why: str
    fails: str
    expected: tuple[Expectation, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def queue(self) -> str:
        """The queue as an argument of `dropcurve compare --queue`."""
        return f"{self.discipline}:{','.join(f'{key}={value}' for key, value in self.params.items())}"


def thresholds(conditions: Conditions) -> tuple[float, float, tuple[str, ...]]:
    """FGS01's thresholds in whole packets, lowered where the buffer is too small for them."""
    low, high = (float(round(value)) for value in rules.thresholds(conditions.capacity, conditions.aim_s))
    if conditions.buffer is None or 2.0 * high <= conditions.buffer:
        return low, high, ()
    high = max(2.0, math.floor(conditions.buffer / 2.0))
    low = max(1.0, math.floor(high / 3.0))
    return (
        low,
        high,
        (f"the buffer is too small for the wanted delay: max_th lowered to half of it, {high:g} packets",),
    )


def expect_curve(
    conditions: Conditions, curve: Curve, w_q: float, points: Iterable[Point] = ()
) -> tuple[Expectation, ...]:
    """Equilibrium and margins of RED at each condition, or at some."""
    expected = []
    for point in points or conditions.points():
        at = equilibrium.on_curve(curve, point, b=conditions.b, rto_s=conditions.rto_s)
        loop = fluid.red(curve.slope(at.queue), w_q, conditions.capacity) if at.regime == "curve" else None
        expected.append(Expectation(point, at, _margins(conditions, point, at, loop)))
    return tuple(expected)


def expect_held(
    conditions: Conditions,
    queue: float,
    loop: Callable[[Equilibrium], fluid.Transfer] | None,
    regime: str = "held",
) -> tuple[Expectation, ...]:
    """Equilibrium of a discipline that keeps its queue at `queue` packets, at each condition."""
    expected = []
    for point in conditions.points():
        at = equilibrium.held(queue, point, regime=regime, b=conditions.b, rto_s=conditions.rto_s)
        expected.append(Expectation(point, at, _margins(conditions, point, at, loop(at) if loop else None)))
    return tuple(expected)


def _margins(
    conditions: Conditions, point: Point, at: Equilibrium, loop: fluid.Transfer | None
) -> Margins | None:
    if loop is None:
        return None
    return fluid.margins(fluid.plant(point, at.queue, b=conditions.b), loop, rtt_s=at.rtt_s)


def tail_drop(conditions: Conditions) -> Design:
    """Tail drop with the buffer of the rules."""
    alone = rules.bandwidth_delay(conditions.capacity, conditions.rtt_s[1])
    shared = rules.many_flows(conditions.capacity, conditions.rtt_s[1], conditions.flows[0])
    limit = conditions.buffer or max(4.0, math.ceil(shared))
    return Design(
        "Tail drop with a buffer by rule", "droptail", {"limit": units.show_packets(limit)},
        f"R C = {alone:.0f} packets for one flow; R C/sqrt(N) = {shared:.0f} for {conditions.flows[0]} that are not "
        "synchronised",
        "VS94, AKM04",
        "The simplest queue: without early signals the buffer alone sets delay and utilisation.",
        "Synchronised flows, few flows, short flows and flows of different round trips need more than R C/sqrt(N); "
        "with R C the delay is a round trip at full load.",
        expect_held(conditions, limit, None, "buffer"),
        (() if conditions.buffer else (f"no buffer was given: {limit:g} packets taken",)),
    )  # fmt: skip


def tail_drop_by_bound(conditions: Conditions) -> Design:
    """Tail drop with a limit that bounds the queueing delay as the goal requires."""
    assert conditions.target_delay_s is not None, "only asked for where the goal has a bound"
    limit = rules.bounded(conditions.capacity, conditions.target_delay_s)
    notes = (
        ()
        if conditions.buffer is None
        else (f"the buffer given, {conditions.buffer:g} packets, is not used",)
    )
    return Design(
        "Tail drop by the delay bound", "droptail", {"limit": units.show_packets(limit)},
        f"limit = bound x rate = {units.show_span(conditions.target_delay_s)} x {conditions.capacity:.4g} packets/s",
        "arithmetic",
        "No packet waits longer than the bound, whatever is sent.",
        "Below R C/sqrt(N) packets the link idles after losses; losses come in bursts, and marks are not possible.",
        expect_held(conditions, limit, None, "buffer"), notes,
    )  # fmt: skip


def red_by_floyd(conditions: Conditions) -> Design:
    """RED by Floyd's recommendations."""
    low, high, notes = thresholds(conditions)
    w_q = short(rules.weight_for_second(conditions.capacity))
    limit = room(conditions, high)
    curve = Curve(low, high, 0.1, above="gentle", limit=limit)
    return Design(
        "RED by Floyd's rules", "red",
        _red(limit, low, high, "0.1", w_q, conditions, above_max="gentle"),
        f"min_th = max(5, C d/2) for a delay d of {units.show_span(conditions.aim_s)}, max_th = 3 min_th, "
        "max_p = 0.1, w_q = 1 - exp(-1/C), gentle",
        "Floyd97, Floyd00, FGS01",
        "The author's final recommendation, eight years after the first paper, sized for this link.",
        "max_p is fixed: with more flows the average climbs through max_th, with fewer it sinks and the "
        "link may idle. The weight does not depend on the round trip, so the queue may oscillate.",
        expect_curve(conditions, curve, w_q), notes,
    )  # fmt: skip


def adaptive_red(conditions: Conditions) -> Design:
    """Adaptive RED, its automatic values written out."""
    low, high, notes = thresholds(conditions)
    w_q, limit = short(rules.weight_for_second(conditions.capacity)), room(conditions, high)
    middle = (low + high) / 2.0
    bottom = min(0.01, 80_000.0 / conditions.rate_bps)
    expected: list[Expectation] = []
    for point in conditions.points():
        wanted = 2.0 * _for_share(equilibrium.needed(middle, point, b=conditions.b, rto_s=conditions.rto_s))
        max_p = min(0.5, max(bottom, wanted))
        curve = Curve(low, high, max_p, above="gentle", limit=limit)
        expected += expect_curve(conditions, curve, w_q, (point,))
    return Design(
        "Adaptive RED", "ared",
        {"limit": units.show_packets(limit), "min_th": units.show_packets(low),
         "max_th": units.show_packets(high), "w_q": units.plain(w_q),
         "bottom": "auto", "ecn": _switch(conditions.ecn)},
        f"thresholds and weight as above; max_p moves between {bottom:.2g} and 0.5 to keep the average at "
        f"(min_th + max_th)/2 = {middle:g} packets",
        "FGS01",
        "One setting for every load: the drop rate follows the number of flows.",
        "It moves slowly (from 0.01 to 0.5 takes ten seconds and more), and max_p has a floor and a "
        "ceiling. It does not stop an average that oscillates.",
        tuple(expected), notes,
    )  # fmt: skip


def red_by_queue_law(conditions: Conditions) -> Design:
    """RED whose curve crosses TCP's queue law between the thresholds for every load."""
    low, high, notes = thresholds(conditions)
    limit = room(conditions, high)
    # Nine tenths of the way up, so that the most flows still meet the slope and not the jump.
    aim = low + 0.9 * (high - low)
    wanted = equilibrium.needed(aim, conditions.most_demanding, b=conditions.b, rto_s=conditions.rto_s)
    max_p = short(min(1.0, max(0.005, _for_share(wanted) / 0.9)))
    interval = max(conditions.most_demanding.round_trip(high), conditions.least_demanding.round_trip(high))
    w_q = short(min(0.5, rules.weight_for_interval(conditions.capacity, interval)))
    return Design(
        "RED by the queue law", "red",
        _red(limit, low, high, units.plain(max_p), w_q, conditions, above_max="gentle"),
        f"max_p such that {conditions.most_demanding.label()}, which need {100 * wanted:.2g} % of drops, meet "
        f"the curve nine tenths of the way up; w_q = 1 - 0.1^(1/(C I)), I = {units.show_span(short(interval))}, "
        "the longest round trip",
        "FB00, PFTK98, RFC6582",
        "The average stays between the thresholds over the whole range of loads, and its memory is no longer "
        "than a round trip.",
        "A steep curve for many flows is too steep for few: see the margins. Where the loss needed exceeds "
        "about 10 %, timeouts dominate and the law is a rough estimate.",
        expect_curve(conditions, Curve(low, high, max_p, above="gentle", limit=limit), w_q), notes,
    )  # fmt: skip


def red_by_stability(conditions: Conditions) -> Design:
    """RED with the curve of `red_by_queue_law` and an average slow enough to be stable at the fewest flows and the
    longest round trip."""
    base = red_by_queue_law(conditions)
    low, high, _ = thresholds(conditions)
    max_p = float(base.params["max_p"])
    slope = Curve(low, high, max_p).slope((low + high) / 2.0)
    worst = conditions.least_demanding
    rtt_s = worst.round_trip(high)
    flows, rate = worst.flows, conditions.capacity
    allowed = fluid.red_weight(slope=slope, flows=flows, rtt_s=rtt_s, capacity=rate, b=conditions.b)
    w_q = short(min(float(base.params["w_q"]), allowed))
    rule = fluid.red_rule(slope=slope, w_q=w_q, flows=flows, rtt_s=rtt_s, capacity=rate, b=conditions.b)
    limit = room(conditions, high)
    wanted = 1.0 / (-conditions.capacity * math.log1p(-w_q))
    late: tuple[str, ...] = ()
    if wanted > SLOWEST_S:
        w_q = short(-math.expm1(-1.0 / (conditions.capacity * SLOWEST_S)))
        late = (
            f"the rule asks for an average with a time constant of {_seconds(wanted)}, which is of no use: w_q "
            f"is that of {SLOWEST_S:g} s, with the margins shown. No RED with this curve is both stable "
            "and responsive over the whole range",
        )
    return Design(
        "RED by the stability condition", "red",
        _red(limit, low, high, units.plain(max_p), w_q, conditions, above_max="gentle"),
        f"L b (R C)^3/(2N)^2 = {rule.left:.3g} <= sqrt(wg^2/K^2 + 1) = {rule.right:.3g} at {worst.label()}; "
        "wg = 0.1 min(2N/(b R^2 C), 1/R), w_q = 1 - exp(-K/C), L the slope with the spacing of marks, "
        f"b = {conditions.b} packets an acknowledgement",
        "HMTG01a, MGT00",
        "The loop is stable for this many flows or more and this round trip or less, at the price of a "
        "slow average.",
        "A bound for long flows and small swings: an average this slow lets bursts fill the buffer and "
        "follows a new load late. Windows of few packets, timeouts and short flows are not in the model.",
        expect_curve(conditions, Curve(low, high, max_p, above="gentle", limit=limit), w_q), (*base.notes, *late),
    )  # fmt: skip


def pi(conditions: Conditions) -> Design:
    """Hollot's PI controller."""
    # Half a packet is a per cent of a queue in a data centre, and would exceed the delay aimed at.
    aimed = conditions.capacity * conditions.aim_s
    q_ref = max(5.0, math.floor(aimed + 1e-9) if conditions.is_local else round(aimed))
    limit = room(conditions)
    q_ref = min(q_ref, max(1.0, math.floor(limit / 2.0)))
    worst = conditions.least_demanding
    gain, zero = fluid.pi_design(
        flows=worst.flows, rtt_s=worst.round_trip(q_ref), capacity=conditions.capacity, b=conditions.b
    )
    gain, zero = short(gain), short(zero)
    # HMTG01 samples some hundred times faster than the loop crosses over.
    period = short(min(0.02, 1.0 / (50.0 * max(zero, 1.0))))
    return Design(
        "PI", "pi",
        {"limit": units.show_packets(limit), "q_ref": units.show_packets(q_ref),
         "period": units.show_span(period),
         "gain": units.plain(gain), "zero": units.plain(zero), "ecn": _switch(conditions.ecn)},
        "zero z = 2N/(b R^2 C); gain K = wg sqrt(wg^2 R^2 + 1)/(b (R C)^3/(2N)^2), wg = min(z, 0.5/R), at "
        f"{worst.label()}, b = {conditions.b} packets an acknowledgement",
        "HMTG01",
        "An integrator keeps the queue at one reference for every load, with margins by design.",
        "Designed for the fewest flows and the longest round trip, so with many flows and short round trips "
        "it is slow: minutes, where z is small. Short flows and unresponsive traffic are not in the model.",
        expect_held(conditions, q_ref, lambda _: fluid.pi(gain, zero)),
    )  # fmt: skip


def pie(conditions: Conditions) -> Design:
    """PIE with the target the goal allows."""
    usual = conditions.target_delay_s is None and not conditions.is_local
    target, note = within_buffer(0.015 if usual else conditions.aim_s, conditions)
    limit, queue = room(conditions), target * conditions.capacity
    return Design(
        "PIE", "pie",
        {"limit": units.show_packets(limit), "target": units.show_span(target), "ecn": _switch(conditions.ecn)},
        "p += s (alpha (d - target) + beta (d - d_old)) every 15 ms, alpha = 0.125, beta = 1.25 a second, s a table "
        "of p",
        "RFC8033",
        "A PI controller on delay whose steps grow with p, so that one setting serves every rate and load.",
        "Steps are small at low loads: a new flow on an idle fast link overshoots. At targets of a few "
        "milliseconds its tick of 15 ms is coarse.",
        expect_held(conditions, queue, lambda at: _pie_loop(at, conditions.capacity)), note,
    )  # fmt: skip


def _pie_loop(at: Equilibrium, capacity: float, *, tick: float = 0.015) -> fluid.Transfer:
    """PIE as a PI controller on the queue at the step its table has for p0, with the half tick that sampling
    costs.
    """
    bounds = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2))
    step = 1.0 / next((divisor for bound, divisor in bounds if at.loss < bound), 1)
    whole, change = step * 0.125 / tick / capacity, step * 1.25 / capacity
    return lambda s: (whole / s + change) * cmath.exp(-s * tick / 2.0)


def codel(conditions: Conditions) -> Design:
    """CoDel with the interval of the longest round trip."""
    target, interval, note = codel_times(conditions)
    limit = room(conditions)
    at = equilibrium.needed(
        target * conditions.capacity, conditions.most_demanding, b=conditions.b, rto_s=conditions.rto_s
    )
    rate = at * conditions.capacity
    return Design(
        "CoDel", "codel",
        {"limit": units.show_packets(limit), "target": units.show_span(target),
         "interval": units.show_span(interval), "ecn": _switch(conditions.ecn)},
        f"interval: the longest round trip{'' if conditions.is_local else ', at least 100 ms'}; target: a twentieth of "
        "it, at least 1.5 packet times",
        "RFC8289",
        "Needs no tuning to the rate: it acts on a standing delay, not on bursts.",
        f"Drops grow as sqrt(count)/interval: the {rate:.3g} drops a second that {conditions.most_demanding.label()} "
        f"need take {_seconds(2.0 * interval * interval * rate)} to build up, and until then the queue is longer.",
        expect_held(conditions, target * conditions.capacity, None, "held"), note,
    )  # fmt: skip


def fq_codel(conditions: Conditions) -> Design:
    """FQ-CoDel with the interval of the longest round trip."""
    target, interval, note = codel_times(conditions)
    params = {
        "target": units.show_span(target),
        "interval": units.show_span(interval),
        "ecn": _switch(conditions.ecn),
    }
    if conditions.buffer is not None:
        params = {"limit": units.show_packets(conditions.buffer), **params}
    if conditions.rate_bps < 100e6:
        params["quantum"] = "300 B"
    return Design(
        "FQ-CoDel", "fq_codel", params,
        "CoDel's times for each of 1024 queues; quantum 300 B below 100 Mbit/s",
        "RFC8290, RFC8289",
        "Sparse flows overtake bulk flows, and each bulk flow is dropped for its own queue: the safest default at the "
        "edge.",
        "Shares are by flow, not by user; where flows must not be distinguished (tunnels, encryption to one peer) it "
        "is CoDel.",
        (), note,
    )  # fmt: skip


def _red(
    limit: float, low: float, high: float, max_p: str, w_q: float, conditions: Conditions, **others: str
) -> dict[str, str]:
    return {
        "limit": units.show_packets(limit),
        "min_th": units.show_packets(low),
        "max_th": units.show_packets(high),
        "max_p": max_p, "w_q": units.plain(w_q), **others, "ecn": _switch(conditions.ecn),
    }  # fmt: skip


def _for_share(taken: float) -> float:
    """The `p_b` at which RED with the spacing of FJ93's pseudocode drops or marks a share of packets."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if Curve(0.0, 1.0, 1.0).taken(middle) < taken else (low, middle)
    return (low + high) / 2.0


def _seconds(value: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "s")):
        if value >= 2.0 * size or (unit == "s" and value >= 1.0):
            return f"{value / size:.3g} {unit}" if value < 1e6 * size else f"more than a million {unit}"
    return f"{1000 * value:.0f} ms"


def _switch(on: bool) -> str:
    return "true" if on else "false"
