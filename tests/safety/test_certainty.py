"""Replications that are equal or too few are stated in words, and never make a difference that counts as certain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dropcurve as dc
from dropcurve.metrics import statistics
from dropcurve.results import findings, health

STEADY = """
[run]
duration = "4 s"
[dumbbell]
rate = "1 Mbit/s"
[queue]
kind = "droptail"
limit = "{limit} pkts"
[flows.cbr]
transport = "udp"
rate = "1.5 Mbit/s"
packet = "500 B"
"""


def test_equal_differences_are_no_proof() -> None:
    difference = statistics.paired([5.0, 5.0, 5.0], [4.0, 4.0, 4.0])
    assert difference is not None
    assert (difference.mean, difference.half_width, difference.p) == (1.0, 0.0, 1.0)


def test_a_comparison_without_chance_says_so(folder: Path, dropcurve: Callable[..., Any]) -> None:
    for name, limit in (("short_queue", 10), ("long_queue", 40)):
        (folder / f"{name}.toml").write_text(STEADY.format(limit=limit), encoding="utf-8")
    result = dc.compare(["short_queue.toml", "long_queue.toml"], replications=5)
    assert not any(one.real for one in result.differences())
    text = "\n".join(findings.sentences(result))
    assert "equally in every replication, so its significance is unknown" in text
    assert " raises " not in text and " lowers " not in text
    assert any("are identical, because nothing in the scenario is random" in line for line in result.warnings)


def test_a_sweep_says_that_replications_are_few_or_equal(folder: Path, dropcurve: Callable[..., Any]) -> None:
    (folder / "steady.toml").write_text(STEADY.format(limit=20), encoding="utf-8")
    words = ["--vary", "queue.limit=10 pkts,20 pkts", "--metric", "loss"]
    answer = dropcurve("sweep", "steady.toml", *words, "--replications", "2", "--out", "kept")
    assert answer.code == 0, answer.err
    assert "Warning: 2 replications: intervals are wide or absent; take 5 or more" in answer.out
    assert (
        "Warning: all replications of 2 points are identical, because nothing there is random" in answer.out
    )


def test_one_replication_is_no_verdict(folder: Path, dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve(
        "compare", "short.toml", "--queue", "red", "--queue", "droptail", "--replications", "1"
    )
    assert answer.code == 0, answer.err
    assert "1 replication: intervals are wide or absent; take 5 or more" in answer.out
    assert "✓" not in answer.out and "✗" not in answer.out


def test_a_goodput_above_the_rate_of_the_link_has_its_reason(folder: Path) -> None:
    (variant,) = dc.run("short.toml", replications=5).variants
    for run in variant.runs:
        for flow in run["flows"]:
            flow["goodput_bytes"] //= 4
    assert not any("above the link's rate" in line for line in health.check([variant], [], 5)[1])
    for run in variant.runs[:2]:
        for flow in run["flows"]:
            flow["goodput_bytes"] *= 8
    warnings = health.check([variant], [], 5)[1]
    assert any("the goodput of 2 replications is above the link's rate" in line for line in warnings), (
        warnings
    )
    for run in variant.runs:
        run["links"]["bottleneck"]["departed_bytes"] //= 2
    assert not any("above the link's rate" in line for line in health.check([variant], [], 5)[1]), (
        "flows that do not pass the link are not measured against its rate"
    )
