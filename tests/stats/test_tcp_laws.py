"""TCP against the square root law: throughput = k s / (R sqrt(p)), k = sqrt(3/2) without delayed acknowledgements.

Mathis, Semke, Mahdavi and Ott 1997. The law has no timeouts and no recovery time, so the tolerance is 20 % where losses
are rare; the ratio between two loss rates is compared as well.
"""

from __future__ import annotations

import math
from functools import cache

import pytest

import dropcurve as dc
from dropcurve.advise import models
from dropcurve.metrics import statistics

TOML = """\
title = "One TCP flow over a link that loses packets at random"

[run]
duration = "{seconds} s"
warmup = "20 s"

[dumbbell]
rate = "1 Gbit/s"
delay = "50 ms"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"
loss = {p}

[queue]
kind = "droptail"
limit = "10000 pkts"

[flows.tcp]
transport = "tcp"
recovery = "{recovery}"
ack_every = {ack_every}
"""

RTT_S = 0.1
SEGMENT_BITS = 8 * 1460


@cache
def goodput(p: float, recovery: str, *, ack_every: int = 1) -> statistics.Interval:
    """Mean goodput in bit/s over eight replications, with its 99.9 % interval."""
    text = TOML.format(seconds=220, p=p, recovery=recovery, ack_every=ack_every)
    values = dc.run(dc.Scenario.parse(text), replications=8).baseline.values("goodput_bps")
    return statistics.t_interval(values, confidence=0.999)


def mathis_bps(p: float, k: float = math.sqrt(1.5)) -> float:
    return k * SEGMENT_BITS / (RTT_S * math.sqrt(p))


@pytest.mark.parametrize("recovery", ["newreno", "sack"])
@pytest.mark.parametrize("p", [0.001, 0.004])
def test_the_square_root_law(p: float, recovery: str) -> None:
    measured = goodput(p, recovery)
    assert measured.mean is not None and measured.half_width is not None
    assert abs(measured.mean / mathis_bps(p) - 1.0) <= 0.2 + measured.half_width / measured.mean


def test_four_times_the_loss_is_half_the_rate() -> None:
    rare, often = goodput(0.001, "sack"), goodput(0.004, "sack")
    assert rare.mean and often.mean and rare.half_width and often.half_width
    room = rare.half_width / rare.mean + often.half_width / often.mean
    assert rare.mean / often.mean == pytest.approx(2.0, rel=0.1 + room)


def test_delayed_acknowledgements_slow_growth() -> None:
    plain, delayed = goodput(0.004, "sack"), goodput(0.004, "sack", ack_every=2)
    assert plain.mean and delayed.mean
    # By the law it is 1/sqrt(2) if every second segment is acknowledged.
    assert 0.6 < delayed.mean / plain.mean < 0.95


@pytest.mark.parametrize(
    ("p", "ack_every", "room"), [(0.001, 1, 0.08), (0.004, 1, 0.08), (0.004, 2, 0.08), (0.02, 1, 0.2)]
)
def test_newreno_in_closed_form(p: float, ack_every: int, room: float) -> None:
    """`dropcurve.advise.models.newreno`, slow but steady: single losses at random, so that both variants agree."""
    measured = goodput(p, "newreno", ack_every=ack_every)
    path = models.Path(rtt_s=RTT_S, rto_s=1.0, b=ack_every)
    expected = models.throughput("newreno-steady", loss=p, path=path)
    assert measured.mean is not None and measured.half_width is not None
    assert abs(measured.mean / expected - 1.0) <= room + measured.half_width / measured.mean


def test_a_lone_flow_times_out_only_as_it_overshoots() -> None:
    """Slow start loses its fast retransmission in the full queue; later losses come one at a time."""
    text = (
        '[run]\nduration = "30 s"\n[dumbbell]\nrate = "10 Mbit/s"\ndelay = "20 ms"\naccess_rate = "100 Mbit/s"\n'
        '[queue]\nkind = "droptail"\nlimit = "100 pkts"\n[flows.tcp]\n'
    )
    for recovery, most in [("reno", 1), ("newreno", 1), ("sack", 1), ("rack", 0)]:
        scenario = dc.Scenario.parse(text).set("flows.tcp.recovery", recovery)
        variant = dc.run(scenario.set("run.warmup", "2 s"), replications=2).baseline
        assert max(variant.values("timeouts")) <= most, recovery
        assert min(variant.values("utilisation")) > 0.95, recovery
