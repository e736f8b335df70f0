"""Variants of a comparison: the problems of all queues are reported at once."""

import pytest

from dropcurve import Scenario
from dropcurve.errors import ScenarioError
from dropcurve.runs.variants import variants


def test_every_bad_queue_is_reported_once() -> None:
    queues = ["red:max_p=7", "droptail", "codel:target=1", "red:max_p=7"]
    with pytest.raises(ScenarioError) as caught:
        variants([Scenario.load("droptail_vs_red")], queues=queues, vary={})
    assert [(problem.path, problem.value) for problem in caught.value.problems] == [
        ("queue.max_p", "7"),
        ("queue.target", "1"),
    ]


def test_another_queue_than_a_cake_that_sizes_its_own_buffer_has_its_default() -> None:
    base = Scenario.load("droptail_vs_red").set("queue", {"kind": "cake"})
    assert base.get("queue.limit") == "auto"
    scenarios = variants([base], queues=["fq_codel", "droptail", "cake:isolate=flows"], vary={})
    assert [str(one.get("queue.limit")) for one in scenarios.values()] == ["10240 pkts", "1000 pkts", "auto"]
