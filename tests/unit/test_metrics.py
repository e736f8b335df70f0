"""Metrics against summaries worked by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve import metrics
from dropcurve.errors import UsageError
from validation.pages import metric_tables as page


def delay(mean: float, count: int, **parts: float) -> dict[str, Any]:
    return {
        "mean": mean,
        "sd": 1.0,
        "p50": mean,
        "p95": 2 * mean,
        "p99": 3 * mean,
        "p1": mean / 2,
        **parts,
        "count": count,
    }


def flow(number: int, kind: str, **values: Any) -> dict[str, Any]:
    transport = "tcp" if kind == "tcp" else "udp"
    usual = {
        "id": number, "group": kind, "class": kind, "transport": transport, "start_s": 0.0, "finish_s": None,
        "size_bytes": None, "sent_pkts": 100, "sent_bytes": 100_000, "received_pkts": 90, "received_bytes": 100_000,
        "goodput_bytes": 80_000, "dropped_pkts": 10, "marked_pkts": 5, "delay_ms": delay(20.0, 90), "jitter_ms": 1.0,
        "ipdv_ms_mean": 0.5,
    }  # fmt: skip
    tcp = {
        "retransmits": 4,
        "timeouts": 1,
        "window_cuts": 3,
        "cwnd_mean": 10.0,
        "fast_recoveries": 2,
        "srtt_ms": 50.0,
    }
    return {**usual, **(tcp if transport == "tcp" else {}), **values}


@pytest.fixture
def run() -> dict[str, Any]:
    """Ten seconds counted, two TCP flows and one TFRC-like flow over a link at 1 Mbit/s."""
    link = {
        "rate_bps": 1e6, "delay_ms": 10.0, "kind": "red", "arrived_pkts": 1000, "departed_pkts": 930, "early_pkts": 40,
        "forced_pkts": 20, "overflow_pkts": 10, "marked_pkts": 50, "lost_pkts": 93, "busy_s": 9.0,
        "queue_pkts_mean": 12.5, "queue_pkts_sd": 4.0, "queue_pkts_max": 31, "avg_mean": 11.0, "avg_sd": 2.0,
        "avg_unit": "pkts",
        "sojourn_ms": {"mean": 5.0, "p50": 4.0, "p95": 9.0, "p99": 11.0},
    }  # fmt: skip
    return {
        "simulated_s": 12.0, "warmup_s": 2.0, "links": {"bottleneck": link, "bottleneck.back": {**link, "busy_s": 1.0}},
        "flows": [
            flow(0, "tcp", received_bytes=300_000),
            flow(1, "tcp", received_bytes=100_000, delay_ms=delay(40.0, 30)),
            flow(2, "rate", received_bytes=300_000),
        ],
        "derived": {"sync": 0.25, "transient_s": 1.0},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("utilisation", 90.0),
        ("loss", 7.0),
        ("early_loss", 4.0),
        ("forced_loss", 2.0),
        ("overflow_loss", 1.0),
        ("marks", 5.0),
        ("wire_loss", 10.0),
        ("sojourn_ms_mean", 5.0),
        ("sojourn_ms_p50", 4.0),
        ("sojourn_ms_p95", 9.0),
        ("sojourn_ms_p99", 11.0),
        ("queue_pkts_mean", 12.5),
        ("queue_pkts_sd", 4.0),
        ("queue_pkts_max", 31.0),
        ("avg_pkts_mean", 11.0),
        ("avg_pkts_sd", 2.0),
        # 700 kB in 10 s.
        ("throughput_bps", 560_000.0),
        ("goodput_bps", 192_000.0),
        ("flow_loss", 10.0),
        ("flow_marks", 5.0),
        # (20 x 90 + 40 x 30 + 20 x 90) / 210.
        ("delay_ms_mean", 4800 / 210),
        ("delay_ms_p95", 9600 / 210),
        ("pdv_ms", 2.5 * 4800 / 210),
        ("jitter_ms", 1.0),
        ("ipdv_ms_mean", 0.5),
        ("retransmits", 8.0),
        ("timeouts", 2.0),
        ("window_cuts", 6.0),
        ("cwnd_mean", 10.0),
        ("fct_ms_mean", None),
        ("unfinished", None),
        # Shares 3, 1, 3: 49 / (3 x 19).
        ("jain", 49 / 57),
        ("sync", 0.25),
        # 300 kB against a mean of 200 kB.
        ("friendliness", 1.5),
    ],
)
def test_totals_by_hand(run: dict[str, Any], name: str, expected: float | None) -> None:
    assert metrics.value(run, name) == (None if expected is None else pytest.approx(expected))


def test_scopes_pick_links_classes_and_flows(run: dict[str, Any]) -> None:
    assert metrics.value(run, "utilisation", scope="bottleneck.back") == 10.0
    assert metrics.value(run, "throughput_bps", scope="tcp") == 320_000.0
    assert metrics.value(run, "throughput_bps", scope="1") == 80_000.0
    assert metrics.value(run, "jain", scope="tcp") == pytest.approx(16 / 20)
    assert metrics.value(run, "jain", scope="rate") is None
    assert metrics.value(run, "utilisation", scope="elsewhere") is None
    assert metrics.value(run, "friendliness", scope="tcp") is None


def test_a_flow_is_rated_over_its_own_time(run: dict[str, Any]) -> None:
    # From 4 s to 9 s: 100 kB in 5 s.
    run["flows"][1] |= {"start_s": 4.0, "finish_s": 9.0, "size_bytes": 100_000}
    assert metrics.value(run, "throughput_bps", scope="1") == 160_000.0
    assert metrics.value(run, "fct_ms_mean") == 5000.0
    assert metrics.value(run, "fct_ms_p95") == 5000.0
    assert metrics.value(run, "fct_medium_ms_p50") == 5000.0
    assert metrics.value(run, "fct_short_ms_mean") is None
    assert metrics.value(run, "unfinished") == 0.0


def test_completion_times_of_finite_flows_and_objects_are_one(run: dict[str, Any]) -> None:
    # A transfer of 100 kB takes 5 s; a session has three objects, two of 100 ms and one of 400 ms.
    run["flows"][1] |= {"start_s": 4.0, "finish_s": 9.0, "size_bytes": 100_000}
    run["flows"][2]["objects"] = {
        "fct_ms_all": {"count": 3, "mean": 200.0, "p50": 100.0, "p95": 400.0},
        "fct_ms_medium": {"count": 0},
    }
    histogram = {"upper_ms": [100.0, 400.0], "count": [2, 1]}
    empty = {"upper_ms": [100.0, 400.0], "count": [0, 0]}
    objects = {"fct_ms_all_histogram": histogram, "fct_ms_medium_histogram": empty}
    run["groups"] = {run["flows"][2]["group"]: {"objects": objects}}
    assert metrics.value(run, "fct_ms_mean") == (5000 + 3 * 200) / 4
    assert metrics.value(run, "fct_ms_p50") == 100.0
    assert metrics.value(run, "fct_ms_p95") == 5000.0
    assert metrics.value(run, "fct_ms_p95", scope="2") == 400.0
    assert metrics.value(run, "fct_medium_ms_mean") == 5000.0
    assert metrics.value(run, "fct_medium_ms_p95") == 5000.0


def test_percentiles_of_whole_groups_come_from_their_packets(run: dict[str, Any]) -> None:
    run["groups"] = {
        "tcp": {
            "delay_ms": {"p95": 77.0},
            "delay_ms_histogram": {"upper_ms": [10.0, 20.0], "count": [50, 44]},
        },
        "rate": {"delay_ms": {"p95": 5.0}, "delay_ms_histogram": {"upper_ms": [10.0, 30.0], "count": [1, 5]}},
    }
    assert metrics.value(run, "delay_ms_p95", scope="tcp") == 77.0
    # 51 up to 10 ms, 95 up to 20 ms, 100 up to 30 ms: the 95th of 100 lies at 20 ms.
    assert metrics.value(run, "delay_ms_p95") == 20.0
    # One flow of a group of two has only its own percentile.
    assert metrics.value(run, "delay_ms_p95", scope="0") == 40.0


def test_an_average_in_bytes_is_counted_in_packets_that_waited(run: dict[str, Any]) -> None:
    """Waiting packets of 1000 B: 12.5 of them in 12 500 B."""
    run["links"]["bottleneck"] |= {"avg_mean": 11_000.0, "avg_unit": "bytes", "queue_bytes_mean": 12_500.0}
    assert metrics.value(run, "avg_pkts_mean") == 11.0
    run["links"]["bottleneck"] |= {"queue_bytes_mean": 0.0}
    assert metrics.value(run, "avg_pkts_mean") is None


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_a_link_that_is_always_busy_is_used_by_100_percent(warmup_ns: int, counted_ns: int) -> None:
    run = {
        "warmup_s": warmup_ns * 1e-9, "simulated_s": (warmup_ns + counted_ns) * 1e-9,
        "links": {"bottleneck": {"busy_s": counted_ns * 1e-9}},
    }  # fmt: skip
    utilisation = metrics.value(run, "utilisation")
    assert utilisation is None or 99.0 < utilisation <= 100.0


def test_a_gap_stays_a_gap(run: dict[str, Any]) -> None:
    run["links"]["bottleneck"] |= {"avg_mean": None, "avg_unit": None, "arrived_pkts": 0}
    assert metrics.value(run, "avg_pkts_mean") is None
    assert metrics.value(run, "loss") is None
    run["simulated_s"] = run["warmup_s"]
    assert metrics.value(run, "utilisation") is None
    assert metrics.value(run, "throughput_bps") is None
    assert metrics.value(run, "jain") is None


def test_the_nine_classes_of_friendliness() -> None:
    words = [(0.20, "very poor"), (0.25, "poor"), (0.43, "poor"), (0.44, "unsatisfactory"), (0.68, "unsatisfactory"),
             (0.69, "satisfactory"), (0.96, "satisfactory"), (0.97, "excellent"), (1.0, "excellent"),
             (1.03, "excellent"), (1.04, "satisfactory"),
             (1.5, "satisfactory"), (1.51, "unsatisfactory"), (2.33, "unsatisfactory"),
             (2.34, "poor"), (4.0, "poor"), (4.01, "very poor")]  # fmt: skip
    assert [metrics.friendliness_class(ratio) for ratio, _ in words] == [word for _, word in words]


def test_an_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no metric is called 'goodput'; did you mean 'goodput_bps'\?"):
        metrics.find("goodput")


def test_every_metric_has_a_description() -> None:
    for metric in metrics.ordered():
        assert metric.doc.endswith("."), metric.name
        assert metric.source and metric.title, metric.name
        assert re.fullmatch(r"[a-z0-9_]+", metric.name)


def test_the_docs_page_is_the_code() -> None:
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert page.page().strip() in text, (
        "run: python -m validation.pages.metric_tables, and paste it into docs/metrics.md"
    )
