"""The time left in a line of progress."""

from __future__ import annotations

import pytest

from dropcurve.cli import console


@pytest.mark.parametrize(
    ("most_s", "share", "expected"),
    [
        (None, 0.2, ", 20 % done, about 40 s left"),
        (None, 0.04, ", 4 % done, about 4 min left"),
        (30.0, 0.1, ", 33 % done, about 20 s left"),
        (30.0, 0.8, ", 80 % done, about 2 s left"),
        (5.0, 0.5, ", 99 % done, about 0 s left"),
        (30.0, None, ""),
    ],
)
def test_the_time_left_is_never_more_than_the_limit_leaves(
    monkeypatch: pytest.MonkeyPatch, most_s: float | None, share: float | None, expected: str
) -> None:
    now = [100.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    bar = console.Bar(most_s)
    now[0] += 10.0
    assert bar.left(share) == expected


def test_the_pace_is_that_of_the_present_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    bar = console.Bar()
    # Two minutes of other work come first; then each tenth of the batch takes a second.
    now[0] = 120.0
    bar.update(0.1, "runs")
    now[0] = 122.0
    bar.update(0.3, "runs")
    assert bar.left(0.3) == ", 30 % done, about 7 s left"
    # Another batch, half of which is stored already.
    bar.update(0.05, "runs")
    assert bar.left(0.05) == ", 5 % done", "its pace is not known yet"
    now[0] = 126.0
    bar.update(0.45, "runs")
    assert bar.left(0.45) == ", 45 % done, about 6 s left"


def test_a_first_sample_does_not_promise_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    bar = console.Bar()
    now[0] = 5.0
    assert bar.left(0.001) == ", 0 % done"


def test_of_a_limited_time_the_share_is_at_least_that_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of 40 s is over, and hardly any run of the plan is made."""
    clock = [100.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    bar = console.Bar(40.0)
    clock[0] += 10.0
    assert bar.left(0.01) == ", 25 % done, about 30 s left"
    assert bar.left(0.5).startswith(", 50 % done")
