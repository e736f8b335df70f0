"""What a run's summary gains from its series: numbers that cannot be counted packet by packet.

They are kept under the summary's key ``derived``, so that the series of every replication need not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import metrics, statistics

if TYPE_CHECKING:
    from .series import Series

#: Flows up to which the series of every replication are recorded for this; beyond, only of the first.
MOST_FLOWS = 64


def add(summary: dict[str, Any], series: Series) -> dict[str, Any]:
    """The summary with ``derived``: ``sync``, ``transient_s`` (each None where it cannot be said)."""
    found = {"sync": sync(summary, series), "transient_s": transient_s(summary, series)}
    return {**summary, "derived": found}


def sync(summary: dict[str, Any], series: Series) -> float | None:
    """(Var(sum of cwnd) / sum of Var(cwnd) - 1) / (n - 1) over samples after the warm-up, of the n flows
    with a window.

    None for fewer than two flows, fewer than ten samples, or windows that never move.
    """
    import numpy as np

    curves = [series.select("cwnd", component) for component in series.components("cwnd")]
    if len(curves) < 2 or len({len(times) for times, _ in curves}) != 1:
        return None
    times = curves[0][0]
    windows = np.stack([values for _, values in curves])
    keep = (times >= summary["warmup_s"]) & np.isfinite(windows).all(axis=0)
    if int(keep.sum()) < 10:
        return None
    windows = windows[:, keep]
    apart = float(windows.var(axis=1).sum())
    return (float(windows.sum(axis=0).var()) / apart - 1.0) / (len(curves) - 1) if apart > 0 else None


def transient_s(summary: dict[str, Any], series: Series) -> float | None:
    """When the initial transient ends by MSER-5, the later of the main link's queue and the throughput
    of all flows.

    None if neither series is long enough to tell.
    """
    import numpy as np

    links = metrics.main_links(summary)
    curves = [series.select("queue_pkts", links[0])] if links else []
    rates = [series.select("throughput_bps", component) for component in series.components("throughput_bps")]
    if rates and len({len(times) for times, _ in rates}) == 1:
        curves.append((rates[0][0], np.sum([np.nan_to_num(values) for _, values in rates], axis=0)))
    ends = []
    for times, values in curves:
        found = statistics.mser5(values.tolist())
        if found.decided and len(times):
            ends.append(float(times[min(found.end, len(times) - 1)]) if found.end else 0.0)
    return max(ends) if ends else None
