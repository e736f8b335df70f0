"""Numbers drawn from series, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dropcurve import derived
from dropcurve.series import Series

SUMMARY = {"warmup_s": 0.0, "links": {}, "flows": []}


def series(*windows: list[float]) -> Series:
    times = np.arange(len(windows[0]), dtype=float)
    return Series({("cwnd", str(i)): (times, np.array(values)) for i, values in enumerate(windows)})


def test_windows_in_step_are_at_one() -> None:
    saw = [1.0, 2.0, 3.0, 4.0] * 5
    assert derived.sync(SUMMARY, series(saw, saw, saw)) == pytest.approx(1.0)


def test_windows_that_take_turns_are_at_minus_one() -> None:
    saw = [1.0, 2.0, 3.0, 4.0] * 5
    assert derived.sync(SUMMARY, series(saw, [5.0 - x for x in saw])) == pytest.approx(-1.0)


def test_unrelated_windows_are_at_zero() -> None:
    slow, fast = [1.0, 1.0, 2.0, 2.0] * 5, [1.0, 2.0, 1.0, 2.0] * 5
    assert derived.sync(SUMMARY, series(slow, fast)) == pytest.approx(0.0)


def test_only_samples_after_the_warm_up_count() -> None:
    saw = [1.0, 2.0, 3.0, 4.0] * 5
    late = series([9.0] * 20 + saw, [1.0] * 20 + saw)
    assert derived.sync({**SUMMARY, "warmup_s": 20.0}, late) == pytest.approx(1.0)


def test_no_answer_without_two_moving_windows() -> None:
    assert derived.sync(SUMMARY, series([1.0, 2.0] * 10)) is None
    assert derived.sync(SUMMARY, series([1.0] * 20, [2.0] * 20)) is None
    assert derived.sync(SUMMARY, series([1.0, 2.0], [2.0, 1.0])) is None


def test_the_transient_is_the_later_of_queue_and_throughput() -> None:
    summary = {"warmup_s": 0.0, "links": {"bottleneck": {}}, "flows": []}
    times = np.arange(200) * 0.1
    steady = np.tile([1.0, -1.0], 100)
    step = np.where(np.arange(200) < 40, 10.0, steady)
    one = Series({("queue_pkts", "bottleneck"): (times, steady), ("throughput_bps", "0"): (times, step)})
    assert derived.transient_s(summary, one) == pytest.approx(4.0)
