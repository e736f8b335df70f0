"""The comparison with the recorded bits names each run that is missing, new or different."""

from __future__ import annotations

import bits


def test_equal_runs_are_no_difference() -> None:
    assert bits.differences(["chain: aa", "flood, codel: bb"], ["flood, codel: bb", "chain: aa"]) == []


def test_each_difference_is_a_line() -> None:
    recorded = ["chain: aa", "flood, codel: bb", "gone: cc"]
    current = ["chain: aa", "flood, codel: b0", "fresh: dd"]
    assert bits.differences(recorded, current) == [
        "gone: recorded, but not run",
        "fresh: run, but not recorded; tools/bits.py --write records it",
        "flood, codel: b0 instead of bb",
    ]
