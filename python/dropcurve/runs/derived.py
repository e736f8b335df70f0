"""Numbers of a summary that come from the samples of a run, because they cannot be counted packet by packet.

They are kept under the summary's key ``derived``, so that the series of every replication need not be.
"""

from __future__ import annotations

from typing import Any

import dropcurve._core as _core

from .. import metrics
from ..metrics.summary import RunSummary
from ..scenario import Scenario

#: Flows up to which every replication is sampled for this; beyond, only the first.
MOST_FLOWS = 64


def keep(scenario: Scenario, *, series: bool) -> _core.Keep:
    """Returns what to store of a run of a scenario, with its ``series`` or without."""
    if series:
        return "series"
    return "derived" if scenario.flow_count <= MOST_FLOWS else "summary"


def summary(run: _core.Run) -> RunSummary:
    """The run's summary with ``derived``: ``sync``, ``transient_s`` (each None where it cannot be said)."""
    found, told = run.summary(), run.derived()
    sync, transient_s = (told["sync"], _transient_s(found, told)) if told else (None, None)
    return {**found, "derived": {"sync": sync, "transient_s": transient_s}}


def without(found: RunSummary) -> RunSummary:
    """A summary as it is of a run that was not sampled."""
    return {**found, "derived": {"sync": None, "transient_s": None}}


def _transient_s(found: RunSummary, told: dict[str, Any]) -> float | None:
    """When the initial transient ends, the later of the main link's queue and the throughput of all flows.

    None if neither series is long enough to tell.
    """
    links = metrics.main_links(found)
    ends = [told["queue_s"].get(links[0]) if links else None, told["throughput_s"]]
    return max((end for end in ends if end is not None), default=None)
