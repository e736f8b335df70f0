"""The sentence on runs that measure the start of their flows: the conditions that were measured along a run."""

from __future__ import annotations

import pytest

from dropcurve.tuning import of_link, short_runs


@pytest.mark.parametrize(
    ("rate", "rtt", "flows", "bound", "settled"),
    [
        # Steady from the warm-up on, by windows along a run.
        ("100Mbit", "100ms", "4", 20, None),
        ("71Mbit", "100ms", "2", 28, None),
        ("10Gbit", "5ms", "50", 2, None),
        ("100Mbit", "40ms", "10", 10, None),
        # Not steady.
        ("1Gbit", "40ms", "20", 2, 12),
        ("1Gbit", "40ms", "12", 2, 14),
        ("10Gbit", "40ms", "50", 2, 18),
    ],
)
def test_a_run_that_measures_the_start_is_named(
    rate: str, rtt: str, flows: str, bound: int, settled: int | None
) -> None:
    goal = f"p95 delay < {bound}ms, max utilisation"
    found = short_runs.warning(of_link(rate=rate, rtt=rtt, flows=flows, buffer="20000pkts", goal=goal))
    assert (found == "") == (settled is None)
    assert settled is None or f"fill the link after about {settled} s;" in found


def test_the_condition_that_settles_last_is_named() -> None:
    goal = "p95 delay < 2ms, max utilisation"
    link = {"rate": "10Gbit", "rtt": "5-40ms", "flows": "50-200", "buffer": "20000pkts"}
    found = short_runs.warning(of_link(**link, goal=goal))  # type: ignore[arg-type]
    assert "(round trip 40 ms, 50 flows): runs measure from 5 s on" in found
    # Without a bound the length of the queue is unknown, and Reno was not measured.
    assert not short_runs.warning(of_link(**link, goal="max utilisation"))  # type: ignore[arg-type]
    assert not short_runs.warning(of_link(**link, goal=goal, tcp="reno"))  # type: ignore[arg-type]
