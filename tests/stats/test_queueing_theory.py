"""Queues whose theory is known: M/M/1, M/D/1 and M/M/1/10.

Each quantity must lie in its 99.9 % interval over the stated replications; seeds are fixed, so that the outcome never
changes. Percentiles come from bins about 1 % wide and are allowed that much.
"""

from __future__ import annotations

import math
from functools import cache

import pytest

import dropcurve as dc
from dropcurve.metrics import statistics

#: Packets per second served and offered, and the load.
MU, LAMBDA = 250.0, 200.0
RHO = LAMBDA / MU

#: Replications and simulated seconds of each: in `make test`, and in the thorough form of `make test-slow`.
SHORT = (10, 600)
LONG = (20, 2000)

#: Width of the bins that percentiles come from.
BIN = 0.011


def mm1_wait_ms(share: float) -> float:
    """Percentile of the wait in M/M/1: P(W > t) = rho exp(-(mu - lambda) t)."""
    return 1000.0 * math.log(RHO / (1.0 - share)) / (MU - LAMBDA)


def mm1k(k: int) -> tuple[float, float]:
    """(loss, utilisation) of M/M/1/k."""
    empty = (1.0 - RHO) / (1.0 - RHO ** (k + 1))
    return empty * RHO**k, 1.0 - empty


THEORY = [
    ("mm1", "sojourn_ms_mean", 1000.0 * RHO / (MU - LAMBDA), 0.0),
    ("mm1", "queue_pkts_mean", RHO**2 / (1.0 - RHO), 0.0),
    ("mm1", "utilisation", 100.0 * RHO, 0.0),
    ("mm1", "sojourn_ms_p50", mm1_wait_ms(0.50), BIN),
    ("mm1", "sojourn_ms_p95", mm1_wait_ms(0.95), BIN),
    ("mm1", "sojourn_ms_p99", mm1_wait_ms(0.99), BIN),
    ("md1", "sojourn_ms_mean", 1000.0 * RHO / (2.0 * (MU - LAMBDA)), 0.0),
    ("md1", "queue_pkts_mean", RHO**2 / (2.0 * (1.0 - RHO)), 0.0),
    ("md1", "utilisation", 100.0 * RHO, 0.0),
    ("mm1k", "loss", 100.0 * mm1k(10)[0], 0.0),
    ("mm1k", "overflow_loss", 100.0 * mm1k(10)[0], 0.0),
    ("mm1k", "utilisation", 100.0 * mm1k(10)[1], 0.0),
]


@cache
def result(name: str, replications: int, seconds: int) -> dc.Result:
    scenario = dc.Scenario.load(name).with_(run__duration=f"{seconds} s", run__warmup="50 s")
    return dc.run(scenario, seed=1, replications=replications)


def check(name: str, metric: str, expected: float, bins: float, form: tuple[int, int]) -> None:
    values = result(name, *form).baseline.values(metric)
    interval = statistics.t_interval(values, confidence=0.999)
    assert interval.mean is not None and interval.half_width is not None
    room = interval.half_width + bins * expected
    replay = f"dropcurve run {name} --duration '{form[1]} s' --set run.warmup='50 s' --replications {form[0]}"
    assert abs(interval.mean - expected) <= room, f"{interval} against {expected:.6g}; {replay}"
    assert interval.half_width <= 0.15 * expected, f"{interval} is too wide to tell; {replay}"


@pytest.mark.parametrize(("name", "metric", "expected", "bins"), THEORY)
def test_theory(name: str, metric: str, expected: float, bins: float) -> None:
    check(name, metric, expected, bins, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metric", "expected", "bins"), THEORY)
def test_theory_at_length(name: str, metric: str, expected: float, bins: float) -> None:
    check(name, metric, expected, bins, LONG)
