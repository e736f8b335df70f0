"""The sentence that says whether an imported queue is any good."""

from __future__ import annotations

import pytest

import dropcurve as dc
from dropcurve.boxes import read
from dropcurve.boxes.judge import judgement


def test_a_queue_that_is_far_too_long_is_beaten_and_one_that_is_not_is_not() -> None:
    long = (
        read("tc qdisc add dev eth0 root pfifo limit 400\n")
        .scenario(rate_bps=5e6, flows=4)
        .set("run.duration", "20 s")
    )
    found = dc.compare(long, queues=["yours=droptail:limit=400 pkts", "codel", "pie"], replications=4)
    said = judgement(found)
    assert said.startswith("yours is beaten by codel (p95 queueing delay −")
    assert "pie (p95" in said
    back = judgement(dc.compare(long, queues=["codel", "droptail:limit=400 pkts"], replications=4))
    assert back.startswith("codel is beaten by none of these")


def test_an_import_without_a_rate_needs_one() -> None:
    found = read("tc qdisc add dev eth0 root pfifo limit 400\n")
    with pytest.raises(dc.UsageError, match="--rate: not given"):
        found.scenario()
