"""Properties that BBR and Prague are known for: bounds compared with 99 % intervals over replications with fixed seeds.

BBR keeps two bandwidth-delay products in flight however large the buffer, and random loss does not slow it down
(CCHJ17); version 3 yields above 2 % (CSB25). Prague keeps the low-latency queue of DualPI2 below a millisecond
(RFC 9331, RFC 9332).
"""

from __future__ import annotations

from typing import NamedTuple

import dropcurve as dc
from dropcurve.metrics import statistics

TOML = """\
title = "Modern congestion controls"

[run]
duration = "{seconds} s"
warmup = "8 s"

[dumbbell]
rate = "{rate} Mbit/s"
delay = "20 ms"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"
loss = {loss}

[queue]
{queue}

[flows.one]
transport = "tcp"
start = "uniform 0 s to 0.5 s"
{one}

{others}
"""

DEEP = 'kind = "droptail"\nlimit = "400 pkts"'
CODEL = 'kind = "codel"\nlimit = "400 pkts"'


class Bounds(NamedTuple):
    low: float
    high: float


def intervals(
    *names: str,
    one: str,
    queue: str = DEEP,
    others: str = "",
    loss: float = 0.0,
    rate: int = 10,
    seconds: int = 24,
) -> list[Bounds]:
    """The ends of 99 % intervals over five replications."""
    text = TOML.format(one=one, queue=queue, others=others, loss=loss, rate=rate, seconds=seconds)
    result = dc.run(dc.Scenario.parse(text), replications=5).baseline
    return [bounds(result.values(name)) for name in names]


def bounds(values: list[float | None]) -> Bounds:
    interval = statistics.t_interval(values, confidence=0.99)
    assert interval.mean is not None and interval.half_width is not None
    return Bounds(interval.mean - interval.half_width, interval.mean + interval.half_width)


def test_bbr_keeps_two_products_in_flight_where_cubic_fills_the_buffer() -> None:
    """A product is 33 packets: BBR alone queues less than that, mostly hardly any; CUBIC most of 400."""
    for cc in ("bbr", "bbr3"):
        queue, busy = intervals("queue_pkts_mean", "utilisation", one=f'cc = "{cc}"')
        assert queue.high < 33, cc
        assert busy.low > 95, cc
    (cubic,) = intervals("queue_pkts_mean", one='cc = "cubic"')
    assert cubic.low > 250


def test_codel_finds_little_to_do_for_bbr() -> None:
    """BBR's own queue is near CoDel's target: no more than a few drops, and the link stays as full as without."""
    for cc in ("bbr", "bbr3"):
        delay, lost, busy = intervals(
            "sojourn_ms_mean", "loss", "utilisation", one=f'cc = "{cc}"', queue=CODEL
        )
        assert delay.high < 10, cc
        assert lost.high < 1, cc
        assert busy.low > 93, cc


def test_random_loss_does_not_slow_bbr_down() -> None:
    """One segment in a hundred leaves CUBIC a third of the link; 5 % are congestion to version 3, not to version 1."""
    (one,) = intervals("utilisation", one='cc = "bbr"', loss=0.05)
    (three,) = intervals("utilisation", one='cc = "bbr3"', loss=0.05)
    (cubic,) = intervals("utilisation", one='cc = "cubic"', loss=0.01)
    assert one.low > 90
    assert three.high < 40
    assert cubic.high < 40


def test_the_buffer_decides_between_bbr_and_cubic() -> None:
    """With less than a product of buffer version 1 leaves CUBIC almost nothing, version 3 several times that; with
    twelve products CUBIC fills the buffer and leaves version 1 what its two products give it."""
    shallow = {cc: cubic_share(cc, "20 pkts") for cc in ("bbr", "bbr3")}
    assert shallow["bbr"].high < 0.1
    assert shallow["bbr3"].low > 2 * shallow["bbr"].high
    assert cubic_share("bbr", "400 pkts").low > 0.5


def cubic_share(cc: str, limit: str) -> Bounds:
    """Share of one CUBIC flow that competes with one BBR flow."""
    others = '[flows.two]\ntransport = "tcp"\ncc = "cubic"\nstart = "uniform 0 s to 0.5 s"\n'
    text = TOML.format(
        one=f'cc = "{cc}"',
        queue=f'kind = "droptail"\nlimit = "{limit}"',
        others=others,
        loss=0.0,
        rate=10,
        seconds=48,
    )
    result = dc.run(dc.Scenario.parse(text), replications=5).baseline
    bbr, cubic = (result.values("throughput_bps", scope=group) for group in ("one", "two"))
    return bounds(
        [theirs / (ours + theirs) for ours, theirs in zip(bbr, cubic, strict=True) if ours and theirs]
    )


def test_prague_keeps_the_low_latency_queue_below_a_millisecond() -> None:
    """RFC 9332: marks from 0.8 ms on; the link stays full."""
    delay, busy = intervals(
        "sojourn_ms_mean", "utilisation", one='profile = "l4s"', queue='kind = "dualpi2"', rate=40, seconds=16
    )
    assert delay.low > 0.1
    assert delay.high < 1.0
    assert busy.low > 98


def test_dctcp_is_scalable_enough_for_dualpi2() -> None:
    one = 'cc = "dctcp"\necn = true\necn_rule = "accecn"\nect = "ect1"'
    delay, busy = intervals(
        "sojourn_ms_mean", "utilisation", one=one, queue='kind = "dualpi2"', rate=40, seconds=16
    )
    assert delay.high < 1.0
    assert busy.low > 92


CLASSIC = (
    'kind = "red"\nmin_th = "30 pkts"\nmax_th = "90 pkts"\nmax_p = 0.1\nw_q = 0.002\necn = true\n'
    'limit = "300 pkts"'
)


def prague_over_reno(queue: str, *, fallback: str) -> float:
    """Ratio of Prague's goodput to that of a Reno flow with ECN, the mean of three runs."""
    one = f'profile = "l4s"\nprague_fallback = {fallback}'
    reno = "[flows.reno]\necn = true\ninitial_ssthresh = 60"
    text = TOML.format(one=one, queue=queue, others=reno, loss=0.0, rate=20, seconds=40)
    runs = dc.run(dc.Scenario.parse(text), replications=3).baseline.runs
    got = {name: sum(flow["goodput_bytes"] for run in runs for flow in run["flows"] if flow["group"] == name)
           for name in ("one", "reno")}  # fmt: skip
    return float(got["one"] / got["reno"])


def test_prague_shares_a_classic_queue_where_it_is_set_to_look_for_one() -> None:
    assert prague_over_reno(CLASSIC, fallback="false") > 5
    assert 0.5 < prague_over_reno(CLASSIC, fallback="true") < 2
    # A queue of L4S is not taken for one.
    l4s = 'kind = "dualpi2"'
    assert prague_over_reno(l4s, fallback="true") == prague_over_reno(l4s, fallback="false")
