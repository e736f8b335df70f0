"""Numbers derived from samples: the core's results, compared with a transcription over the series themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import dropcurve as dc
from dropcurve import _core
from dropcurve.results.series import Series
from dropcurve.runs import derived

SHORT = "droptail_vs_red"


def run_of(keep: _core.Keep, **edits: Any) -> _core.Run:
    core = dc.Scenario.load(SHORT).with_(run__duration="20 s", run__warmup="3 s", **edits).core
    (run,) = _core.run_many([(core, 1, keep)], 1)
    return run


def sync(windows: np.ndarray) -> float:
    """Synchronisation of windows, given by flow and sample."""
    apart = windows.var(axis=1).sum()
    return float((windows.sum(axis=0).var() / apart - 1.0) / (len(windows) - 1))


def mser5(values: np.ndarray) -> int | None:
    """Samples to leave out, as in the definition; None if the best cut lies in the second half."""
    means = values[: len(values) // 5 * 5].reshape(-1, 5).mean(axis=1)
    n = len(means)
    statistic = [((means[d:] - means[d:].mean()) ** 2).sum() / (n - d) ** 2 for d in range(n - 5)]
    cut = int(np.argmin(statistic))
    return 5 * cut if cut <= n // 2 else None


def test_the_core_agrees_with_the_series() -> None:
    run = run_of("series")
    series, derived = Series.from_curves(run.series()), run.derived()
    assert derived is not None
    curves = [series.select("cwnd", component) for component in series.components("cwnd")]
    windows = np.stack([values for _, values in curves])
    known = (curves[0][0] >= 3.0) & np.isfinite(windows).all(axis=0)
    assert derived["sync"] == pytest.approx(sync(windows[:, known]), rel=1e-12)
    times, queue = series.select("queue_pkts", "bottleneck")
    rates = [series.select("throughput_bps", one)[1] for one in series.components("throughput_bps")]
    for proposed, cut in (
        (derived["queue_s"]["bottleneck"], mser5(queue)),
        (derived["throughput_s"], mser5(np.sum(rates, axis=0))),
    ):
        assert proposed == (None if cut is None else pytest.approx(times[cut]))


def test_results_are_the_same_with_and_without_series() -> None:
    assert run_of("derived").derived() == run_of("series").derived()
    assert run_of("summary").derived() is None


def test_a_run_without_samples_has_gaps() -> None:
    assert derived.summary(run_of("summary"))["derived"] == {"sync": None, "transient_s": None}


@dataclass
class RecordedRun:
    """A run whose queue settles at 2 s."""

    throughput_s: float | None

    def summary(self) -> dict[str, Any]:
        return {"links": {"bottleneck.back": {}, "bottleneck": {}}}

    def derived(self) -> dict[str, Any]:
        queues = {"bottleneck.back": 9.0, "bottleneck": 2.0}
        return {"sync": 0.5, "queue_s": queues, "throughput_s": self.throughput_s}


@pytest.mark.parametrize(("throughput_s", "end"), [(4.0, 4.0), (1.0, 2.0), (None, 2.0)])
def test_the_transient_is_the_later_of_queue_and_throughput(throughput_s: float | None, end: float) -> None:
    numbers = derived.summary(RecordedRun(throughput_s))  # type: ignore[arg-type]
    assert numbers["derived"] == {"sync": 0.5, "transient_s": end}


def test_many_flows_are_sampled_only_where_series_are_wanted() -> None:
    few, many = (dc.Scenario.load(SHORT).with_(flows__tcp__count=count) for count in (63, 64))
    assert [derived.keep(few, series=wanted) for wanted in (False, True)] == ["derived", "series"]
    assert [derived.keep(many, series=wanted) for wanted in (False, True)] == ["summary", "series"]
