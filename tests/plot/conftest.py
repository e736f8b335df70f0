"""Synthetic results: every key of `docs/results.md`, in the shapes of real runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from dropcurve import report
from dropcurve.results import Result, Variant
from dropcurve.results.series import Series

DURATION_S, WARMUP_S, RATE_BPS, PACKET_BYTES = 60.0, 10.0, 10e6, 1000
MakeResult = Callable[..., Result]


def spread(values: Any) -> dict[str, float | int]:
    """The contract's summary of a distribution."""
    values = np.asarray(values, dtype=float)
    cuts = {"p1": 1, "p5": 5, "p25": 25, "p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9}
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()),
        "max": float(values.max()),
        "count": len(values),
        **{name: float(np.percentile(values, cut)) for name, cut in cuts.items()},
    }


def link(rng: np.random.Generator, *, level: float, kind: str, empty: bool) -> dict[str, Any]:
    """A bottleneck whose queue holds about `level` packets."""
    arrived = 0 if empty else 60_000
    waits = np.sort(rng.gamma(4.0, level / 4.0, 4000)) * PACKET_BYTES * 8 / RATE_BPS * 1000
    edges = np.unique(np.round(np.geomspace(0.05, waits[-1] * 1.01, 90), 4))
    counts = np.diff(np.concatenate([[0], np.searchsorted(waits, edges)])) * 15
    bins = np.arange(0.25, 22, 0.5)
    came = (3000 * np.exp(-(((bins - level * 0.8) / 4) ** 2))).astype(int)
    share = np.clip((bins - 5) / 10, 0, 1) * 0.1 * 2 / 3
    went = rng.binomial(came, np.where(bins >= 15, 1.0, share)) if kind == "red" else came * 0
    return {
        "rate_bps": RATE_BPS,
        "delay_ms": 20.0,
        "kind": kind,
        "arrived_pkts": arrived,
        "arrived_bytes": arrived * 1000,
        "departed_pkts": int(arrived * 0.98),
        "departed_bytes": int(arrived * 980),
        "early_pkts": int(arrived * 0.012),
        "forced_pkts": int(arrived * 0.002),
        "overflow_pkts": int(arrived * 0.001),
        "marked_pkts": 0,
        "lost_pkts": 0,
        "busy_s": 0.0 if empty else 50.0 * (0.99 - 0.3 / (1 + level) + rng.normal(0, 0.002)),
        "queue_pkts_mean": level * (1 + rng.normal(0, 0.03)),
        "queue_pkts_sd": level / 2,
        "queue_bytes_mean": level * 1000,
        "queue_pkts_max": level * 4,
        "avg_mean": level if kind == "red" else None,
        "avg_sd": level / 4 if kind == "red" else None,
        "avg_unit": "pkts" if kind == "red" else None,
        "sojourn_ms": None if empty else spread(waits * (1 + rng.normal(0, 0.03))),
        "sojourn_ms_histogram": {"upper_ms": [], "count": []}
        if empty
        else {"upper_ms": edges.tolist(), "count": counts.tolist()},
        "drop_curve": {
            "unit": "pkts",
            "avg": bins.tolist(),
            "arrived": came.tolist(),
            "dropped": went.tolist(),
        }
        if kind == "red" and not empty
        else None,
    }


def flow(rng: np.random.Generator, number: int, *, group: str, share_bps: float, tcp: bool) -> dict[str, Any]:
    """A flow that gets about `share_bps`."""
    size = int(share_bps * 50 / 8 * math.exp(rng.normal(0, 0.12)))
    return {
        "id": number,
        "group": group,
        "class": group,
        "transport": "tcp" if tcp else "udp",
        "start_s": 0.1 * number,
        "finish_s": None,
        "size_bytes": None,
        "sent_pkts": size // 980,
        "sent_bytes": size,
        "received_pkts": size // 1000,
        "received_bytes": size,
        "goodput_bytes": int(size * 0.96),
        "dropped_pkts": size // 60_000,
        "marked_pkts": 0,
        "delay_ms": spread(30 + rng.gamma(2, 3, 500)),
        "jitter_ms": 0.8,
        "ipdv_ms_mean": 0.7,
        "retransmits": 30 if tcp else None,
        "timeouts": 1 if tcp else None,
        "fast_recoveries": 20 if tcp else None,
        "window_cuts": 22 if tcp else None,
        "cwnd_mean": 9.0 if tcp else None,
        "srtt_ms": 61.0 if tcp else None,
    }


def series(
    rng: np.random.Generator,
    *,
    level: float,
    flows: Sequence[dict[str, Any]],
    red: bool,
    samples: int,
    constant: bool,
) -> Series:
    """Series of the first replication: an autoregressive queue, its average, saw-teeth, throughput."""
    if samples == 0:
        return Series()
    time_s = np.linspace(DURATION_S / samples, DURATION_S, samples)
    queue = np.full(samples, level)
    if not constant:
        noise = rng.normal(0, level * 0.25, samples)
        for i in range(1, samples):
            queue[i] = max(0.0, level + 0.8 * (queue[i - 1] - level) + noise[i])
    avg = np.full(samples, level)
    for i in range(1, samples):
        avg[i] = avg[i - 1] + 0.05 * (queue[i] - avg[i - 1])
    curves = {("queue_pkts", "bottleneck"): (time_s, np.round(queue))}
    if red:
        curves["avg", "bottleneck"] = (time_s, avg)
    for one in flows:
        period = 4.0 + 2.0 * rng.random()
        teeth = 8 + 8 * ((time_s / period + rng.random()) % 1.0)
        rate = 8.0 * one["received_bytes"] / 50 * (1 + 0.3 * rng.normal(0, 1, samples))
        curves["throughput_bps", str(one["id"])] = (time_s, np.maximum(0, np.full(samples, rate)))
        if one["transport"] == "tcp":
            curves["cwnd", str(one["id"])] = (time_s, np.full(samples, 10.0) if constant else np.round(teeth))
    return Series(curves)


def scenario(name: str, *, red: bool, tcp: int, udp: int) -> dict[str, Any]:
    """A resolved dumbbell."""
    plain = {"kind": "droptail", "limit": "100 pkts"}
    full = {
        "kind": "red",
        "dialect": "ns2",
        "limit": "100 pkts",
        "min_th": "5 pkts",
        "max_th": "15 pkts",
        "max_p": 0.1,
        "w_q": 0.002,
        "spacing": "wait",
        "above_max": "gentle",
        "ecn": False,
        "idle_packet": "1000 B",
    }
    flows: dict[str, Any] = {
        "tcp": {
            "count": tcp,
            "transport": "tcp",
            "profile": "rfc",
            "recovery": "sack",
            "source": "ftp",
            "mss": "960 B",
            "start": "uniform 0 s to 1 s",
            "initial_window": 10,
            "min_rto": "1 s",
            "tick": "1 ms",
        }
    }
    if udp:
        flows["voice"] = {
            "count": udp,
            "transport": "udp",
            "source": "cbr",
            "rate": "1 Mbit/s",
            "packet": "500 B",
        }
    return {
        "title": name,
        "run": {"duration": "60 s", "warmup": "10 s", "sample": "60 ms"},
        "dumbbell": {
            "rate": "10 Mbit/s",
            "delay": "20 ms",
            "access_rate": "100 Mbit/s",
            "access_delay": "even 1 ms to 5 ms",
        },
        "queue": full if red else plain,
        "back_queue": {"kind": "droptail", "limit": "1000 pkts"},
        "flows": flows,
    }


def make(
    *,
    names: Sequence[str] = ("tail drop", "RED (ns-2)"),
    levels: Sequence[float] | None = None,
    tcp: int = 8,
    udp: int = 1,
    seeds: int = 5,
    samples: int = 400,
    constant: bool = False,
    empty: bool = False,
    title: str = "Tail drop or RED at a congested access link",
) -> Result:
    """A result with one variant for each name; all but the first are RED."""
    levels = levels or [40.0, *[10.0 + 2.5 * i for i in range(len(names) - 1)]]
    variants = []
    for i, (name, level) in enumerate(zip(names, levels, strict=True)):
        red = i > 0
        runs = []
        for seed in range(seeds):
            rng = np.random.default_rng([seed, i])
            share = RATE_BPS / max(1, tcp + udp)
            flows = [flow(rng, n, group="tcp", share_bps=share, tcp=True) for n in range(tcp)]
            flows += [flow(rng, tcp + n, group="voice", share_bps=1e6, tcp=False) for n in range(udp)]
            counts = {"pkts": 60_000, "bytes": 60_000_000}
            none = {"pkts": 0, "bytes": 0}
            runs.append(
                {
                    "format": 1,
                    "version": "0.1.0",
                    "scenario": "0123456789abcdef",
                    "seed": seed + 1,
                    "stopped_by": "duration",
                    "simulated_s": DURATION_S,
                    "warmup_s": WARMUP_S,
                    "events": 1_234_567,
                    "links": {
                        "bottleneck": link(rng, level=level, kind="red" if red else "droptail", empty=empty)
                    },
                    "flows": flows,
                    "conservation": [
                        {
                            "sent": counts,
                            "delivered": counts,
                            "dropped": none,
                            "in_flight": none,
                            "queued": none,
                        }
                        for _ in flows
                    ],
                }
            )
        rng = np.random.default_rng([99, i])
        curves = series(rng, level=level, flows=runs[0]["flows"], red=red, samples=samples, constant=constant)
        variants.append(
            Variant(name, scenario(title, red=red, tcp=tcp, udp=udp), runs, curves, hash=f"{i:016x}")
        )
    return Result(
        name="demo",
        variants=variants,
        seeds=list(range(1, seeds + 1)),
        version="0.1.0",
        title=title,
        command="dropcurve compare access-link --variant queue.kind=red --seeds 1..5",
    )


@pytest.fixture
def make_result() -> MakeResult:
    """The maker of results."""
    return make


#: Ordinary and extreme results, each of which every figure and the page must survive.
CASES: dict[str, dict[str, Any]] = {
    "usual": {},
    "alone": {"names": ["RED"], "levels": [9.0], "tcp": 1, "udp": 0, "seeds": 1},
    "crowd": {"tcp": 100, "udp": 0},
    "six": {"names": ["tail drop", "RED", "gentle RED", "adaptive RED", "CoDel", "PIE"]},
    "silent": {"samples": 0, "empty": True},
    "constant": {"constant": True},
    "long": {
        "names": [
            "a name of a variant that somebody pasted from a file: queue.kind=droptail",
            "another <b>very</b> long $name$ with_underscores, markup & mathematics",
            "queue.min_th=5 pkts, queue.max_th=15 pkts, queue.max_p=0.1, queue.w_q=0.002",
        ],
        "title": 'A title with <script>alert(1)</script> & "quotes" that runs on over more than one line of '
        "any page because nobody stopped its author in time",
    },
}


@cache
def result_of(name: str) -> Result:
    """One of the cases, made once; for tests that do not change it."""
    return make(**CASES[name])


#: Many variants: a figure to inspect by eye.
SIX = pytest.param("six", marks=pytest.mark.slow)


@pytest.fixture(scope="session")
def usual_page() -> str:
    """The page of the usual result."""
    return report.render(result_of("usual"))


@pytest.fixture(params=["usual", "alone", "silent", "long", SIX])
def page_case(request: pytest.FixtureRequest) -> tuple[Result, str]:
    """Each unusual result, with its page."""
    page = request.getfixturevalue("usual_page") if request.param == "usual" else ""
    result = result_of(request.param)
    return result, page or report.render(result)


@pytest.fixture(params=[SIX if name == "six" else name for name in CASES])
def case(request: pytest.FixtureRequest) -> Result:
    """Each of the results in turn."""
    return result_of(request.param)
