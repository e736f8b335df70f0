"""The trace of a run: every packet, in order, and as many as the summary counts."""

from __future__ import annotations

import numpy as np

import dropcurve as dc


def test_a_trace_holds_what_the_summary_counts() -> None:
    trace = dc.trace("fall_floyd")
    flow = trace.summary["flows"][0]
    assert len(trace.rows("send")) == flow["sent_pkts"]
    assert len(trace.rows("drop")) == 2
    assert bool(np.all(np.diff(trace.time_ns) >= 0))
    assert {trace.words[i] for i in set(trace.what.tolist())} == {
        "send",
        "receive",
        "acknowledge",
        "acked",
        "drop",
    }
    assert set(trace.back[trace.rows("acknowledge", "acked")].tolist()) == {1}
    assert trace.series.has("cwnd", "0")


def test_an_acknowledgement_names_the_next_segment() -> None:
    trace = dc.trace("fall_floyd")
    assert trace.seq[trace.rows("send")[0]] == 0
    assert trace.seq[trace.rows("acked")[0]] == 1
