"""Numbers of a summary that come from the samples of a run, because they cannot be counted packet by packet.

They are stored under the summary's key ``derived``, so that the series of every replication need not be stored.
"""

from __future__ import annotations

from typing import Any

import dropcurve._core as _core

from .. import metrics
from ..metrics.summary import DerivedSummary, RunSummary
from ..scenario import Scenario

#: Flows up to which every replication is sampled for this; beyond, only the first.
MOST_FLOWS = 64


def keep(scenario: Scenario, *, series: bool) -> _core.Keep:
    """Returns the parts to store of a run of a scenario, with or without its ``series``."""
    if series:
        return "series"
    return "derived" if scenario.flow_count <= MOST_FLOWS else "summary"


def summary(run: _core.Run) -> RunSummary:
    """The run's summary with ``derived``."""
    numbers_of_run = run.summary()
    return {**numbers_of_run, "derived": numbers(run, numbers_of_run)}


def numbers(run: _core.Run, summary: RunSummary) -> DerivedSummary:
    """``sync`` and ``transient_s`` of a run, each None without samples or without an answer.

    Args:
        run: The run.
        summary: Its summary, of which the links are enough.
    """
    samples = run.derived()
    if samples is None:
        return {"sync": None, "transient_s": None}
    return {"sync": samples["sync"], "transient_s": _transient_s(summary, samples)}


def without(summary: RunSummary) -> RunSummary:
    """A summary without the numbers derived from samples."""
    return {**summary, "derived": {"sync": None, "transient_s": None}}


def _transient_s(summary: RunSummary, samples: dict[str, Any]) -> float | None:
    """The end of the initial transient, the later of those of the main link's queue and of the throughput of all flows.

    None if neither series is long enough for an answer.
    """
    links = metrics.main_links(summary)
    ends = [samples["queue_s"].get(links[0]) if links else None, samples["throughput_s"]]
    return max((end for end in ends if end is not None), default=None)
