"""Promises of `docs/results.md` about a run, checked from outside the engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(folder: Path) -> dict[str, Any]:
    (summary,) = dc.run("short.toml", replications=1).baseline.runs
    return summary


def _keys(value: Any) -> set[str]:
    """The keys of a summary at all depths; names of links, groups and the like are not keys."""
    if isinstance(value, list):
        return set().union(*map(_keys, value))
    if not isinstance(value, dict):
        return set()
    own = set() if set(value) & {"bottleneck", "tcp"} else set(value)
    return own.union(*map(_keys, value.values()))


def test_every_key_of_a_result_is_documented(folder: Path) -> None:
    words = set(re.findall(r"\w+", (ROOT / "docs" / "results.md").read_text(encoding="utf-8")))
    queues = ["red", "red:unit=bytes"]
    dc.compare("short.toml", queues=queues, replications=2).save("kept")
    runs = json.loads(Path("kept/runs.json").read_text(encoding="utf-8"))
    record = json.loads(Path("kept/result.json").read_text(encoding="utf-8"))
    for variant in record["variants"]:
        assert variant.pop("scenario") and variant.pop("automatic")
    for row in record["table"]:
        assert list(row["variants"]) == queues
        row["variants"] = list(row["variants"].values())
    assert _keys(runs) | _keys(record) | {"scenario", "automatic"} <= words
    units = {run["variant"]: run["summary"]["links"]["bottleneck"]["avg_unit"] for run in runs["runs"]}
    assert units == {"red": "pkts", "red:unit=bytes": "bytes"}


def test_a_link_is_never_busy_for_longer_than_there_was_time(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    for edits in (
        {"run.warmup": "0 s", "dumbbell.rate": "1 Mbit/s"},
        {"run.warmup": "1.2345678 s", "dumbbell.rate": "333.333 kbit/s", "queue.kind": "droptail"},
        {"run.max_events": 30_000, "dumbbell.rate": "700 kbit/s", "queue.kind": "droptail"},
    ):
        run = dc.run(base.edit(edits.items()), replications=1).baseline.runs[0]
        counted = run["simulated_s"] - run["warmup_s"]
        assert 0.5 * counted < run["links"]["bottleneck"]["busy_s"] <= counted + 1e-9


def test_goodput_is_payload(folder: Path) -> None:
    (run,) = dc.run(dc.Scenario.load("short.toml").set("run.warmup", "0 s"), replications=1).baseline.runs
    # Of 1500 bytes on the wire 1460 are payload under TCP, of 500 bytes 472 under UDP; a little is still out of order.
    shares = {"tcp": 1460 / 1500, "udp": 472 / 500}
    for flow in run["flows"]:
        assert flow["goodput_bytes"] / flow["received_bytes"] == pytest.approx(
            shares[flow["transport"]], rel=0.02
        )


def test_red_tells_its_average_and_its_drop_curve(run: dict[str, Any]) -> None:
    link = run["links"]["bottleneck"]
    assert 0 < link["avg_mean"] < link["queue_pkts_max"]
    assert sum(link["drop_curve"]["arrived"]) == link["arrived_pkts"]
    assert (
        sum(link["drop_curve"]["dropped"]) == link["early_pkts"] + link["forced_pkts"] + link["marked_pkts"]
    )


def test_tail_drop_has_no_average(folder: Path) -> None:
    (run,) = dc.run(dc.Scenario.load("short.toml").queue("droptail"), replications=1).baseline.runs
    link = run["links"]["bottleneck"]
    assert (link["avg_mean"], link["avg_unit"], link["drop_curve"]["avg"]) == (None, None, [])
    assert link["early_pkts"] == link["forced_pkts"] == 0


def test_percentiles_rise_and_count_what_was_delivered(run: dict[str, Any]) -> None:
    order = ("p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "p999")
    for flow in run["flows"]:
        delays = [flow["delay_ms"][part] for part in order]
        assert delays == sorted(delays)
        # 10 ms of propagation is the least there can be.
        assert delays[0] >= 10.0 * 0.98
        assert flow["delay_ms"]["count"] == flow["received_pkts"]


def test_counters_agree_between_links_and_flows(run: dict[str, Any]) -> None:
    link = run["links"]["bottleneck"]
    dropped = sum(flow["dropped_pkts"] for flow in run["flows"])
    assert dropped == link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
    received = sum(flow["received_pkts"] for flow in run["flows"])
    assert received == pytest.approx(link["departed_pkts"], rel=0.05)


def test_series_are_sampled_at_the_given_interval(folder: Path) -> None:
    scenario = dc.Scenario.load("short.toml").set("run.sample", "10 ms")
    series = dc.run(scenario, replications=1).baseline.series
    times, values = series.select("queue_pkts", "bottleneck")
    assert times[0] == 0.0
    assert (times[1:] - times[:-1]).tolist() == pytest.approx([0.01] * (len(times) - 1))
    assert len(times) == pytest.approx(400, abs=1)
    assert values.max() <= 50
    assert set(series.components("cwnd")) == {"0", "1", "2"}
    assert set(series.components("throughput_bps")) == {"0", "1", "2", "3"}
    assert "avg" in series.names
