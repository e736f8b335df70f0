"""The time left in a line of progress."""

from __future__ import annotations

import pytest

from dropcurve.cli import console
from dropcurve.cli.tuned import Watch


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


def test_no_time_left_is_shown_once_more_runs_are_made_than_were_planned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])

    def lines_of(seconds: float | None) -> list[str]:
        clock[0] = 0.0
        watch = Watch(quiet=False, seconds=seconds)
        watch.on_plan(100)
        for done in (10, 50, 90, 150):
            clock[0] += 10.0
            watch.on_batch(done, 400)
            watch.on_stage("validation", None)
        return capsys.readouterr().err.splitlines()

    lines = lines_of(None)
    assert any(one.endswith("90 % done, about 2 s left") for one in lines)
    assert lines[-1].endswith("99 % done, more runs than planned")
    # A limited time is left whatever was planned.
    assert lines_of(60.0)[-1].endswith("99 % done, about 0 s left")


def test_a_further_round_has_a_plan_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    watch = Watch(quiet=False, seconds=None)
    watch.on_plan(100)
    clock[0] = 20.0
    watch.on_batch(100, 100)
    watch.on_plan(100)
    # Half of all is done, and each further tenth takes two seconds.
    for done in (20, 40):
        clock[0] += 4.0
        watch.on_batch(done, 100)
        watch.on_stage("validation", None)
    assert capsys.readouterr().err.splitlines()[-1].endswith("70 % done, about 12 s left")
