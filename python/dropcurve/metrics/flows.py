"""Metrics of a set of flows: all of them, one class, or a single flow."""

from __future__ import annotations

import math

from .optional_numbers import as_number, average, percent
from .registry import metric
from .run_parts import Flows, Run, active_s, derived, known, main_links, measured_s, total, weighted


def _rate(run: Run, flows: Flows, key: str) -> float | None:
    """Sum over the flows. A single flow's rate is over its own active time, that of a set over the
    measurement window."""
    seconds = active_s(run, flows[0]) if len(flows) == 1 else measured_s(run)
    count = total(flows, key)
    return None if count is None or seconds <= 0 else 8.0 * count / seconds


@metric("throughput_bps", title="throughput", unit="bit/s", better="higher",
        source="RFC 5166 section 2.1.1", per="flow", shown=True)  # fmt: skip
def throughput_bps(run: Run, flows: Flows) -> float | None:
    """Bits received at the destinations per second, headers and duplicates included."""
    return _rate(run, flows, "received_bytes")


@metric("goodput_bps", title="goodput", unit="bit/s", better="higher",
        source="RFC 5166 section 2.1.1", per="flow", shown=True)  # fmt: skip
def goodput_bps(run: Run, flows: Flows) -> float | None:
    """Payload bits received in order and for the first time, per second."""
    return _rate(run, flows, "goodput_bytes")


@metric("link_share", title="share of the link", unit="%", better="higher",
        source="RFC 5166 section 2.1.1", per="flow")  # fmt: skip
def link_share(run: Run, flows: Flows) -> float | None:
    """Goodput in per cent of the rate of the first main link."""
    names = main_links(run)
    rate = float(run["links"][names[0]]["rate_bps"]) if names else 0.0
    return percent(_rate(run, flows, "goodput_bytes"), rate)


@metric("flow_loss", title="packets lost on the path", unit="%", better="lower",
        source="RFC 5166 section 2.1.3", per="flow")  # fmt: skip
def flow_loss(run: Run, flows: Flows) -> float | None:
    """Data packets dropped anywhere on the path, of those sent, retransmissions included."""
    return percent(total(flows, "dropped_pkts"), total(flows, "sent_pkts"))


@metric("flow_marks", title="packets marked on the path", unit="%", better="none",
        source="RFC 3168 section 5", per="flow")  # fmt: skip
def flow_marks(run: Run, flows: Flows) -> float | None:
    """Data packets marked anywhere on the path, of those sent."""
    return percent(total(flows, "marked_pkts"), total(flows, "sent_pkts"))


@metric("delay_ms_mean", title="one-way delay, mean", unit="ms", better="lower",
        source="RFC 7679; RFC 5166 section 2.1.2", per="flow", shown=True)  # fmt: skip
def delay_ms_mean(run: Run, flows: Flows) -> float | None:
    """Mean over delivered packets of the time from leaving the source to reaching the destination."""
    return weighted(flows, "delay_ms", "mean")


def delay_percentile(flows: Flows, part: str) -> float | None:
    """Percentile from the histograms of groups if the flows are whole groups; their bins are about 1 % wide."""
    if not flows.groups:
        return weighted(flows, "delay_ms", part)
    if len(flows.groups) == 1:
        return as_number(flows.groups[0]["delay_ms"].get(part))
    return flows.delays.percentile(part)


def _delay(part: str) -> None:
    rank = part[1:]

    def function(run: Run, flows: Flows) -> float | None:
        return delay_percentile(flows, part)

    function.__doc__ = (
        f"{rank}th percentile of the one-way delay of delivered packets; for whole groups of flows that "
        "of their packets together, else the mean of the flows' own percentiles by delivered packets."
    )
    metric(f"delay_ms_{part}", title=f"one-way delay, {part}", unit="ms", better="lower",
           source="RFC 7679; RFC 5166 section 2.1.2", per="flow", shown=part == "p95")(function)  # fmt: skip


for _part in ("p50", "p95", "p99"):
    _delay(_part)


@metric("jitter_ms", title="jitter (RFC 3550)", unit="ms", better="lower",
        source="RFC 3550 section 6.4.1", per="flow", shown=True)  # fmt: skip
def jitter_ms(run: Run, flows: Flows) -> float | None:
    """Interarrival jitter as RTP computes it (gain 1/16), at the end of the run, averaged over flows by delivered
    packets."""
    return weighted(flows, "jitter_ms")


@metric("ipdv_ms_mean", title="delay variation (IPDV)", unit="ms", better="lower",
        source="RFC 3393 section 4.5", per="flow")  # fmt: skip
def ipdv_ms_mean(run: Run, flows: Flows) -> float | None:
    """Mean absolute difference of the one-way delays of successive delivered packets of a flow."""
    return weighted(flows, "ipdv_ms_mean")


@metric("pdv_ms", title="delay variation (PDV)", unit="ms", better="lower",
        source="RFC 5481 section 4.2", per="flow")  # fmt: skip
def pdv_ms(run: Run, flows: Flows) -> float | None:
    """99th less 1st percentile of a flow's one-way delay. RFC 5481 takes the minimum as reference; the
    first percentile replaces it, so that one exceptional packet does not change the result."""
    low, high = delay_percentile(flows, "p1"), delay_percentile(flows, "p99")
    return None if low is None or high is None else high - low


@metric("retransmits", title="retransmissions", unit="", better="lower",
        source="RFC 9293 section 3.8", per="flow", shown=True)  # fmt: skip
def retransmits(run: Run, flows: Flows) -> float | None:
    """Segments TCP sent again in the measurement window, summed over flows."""
    return total(flows, "retransmits")


@metric("timeouts", title="timeouts", unit="", better="lower",
        source="RFC 6298 section 5", per="flow", shown=True)  # fmt: skip
def timeouts(run: Run, flows: Flows) -> float | None:
    """Expiries of TCP's retransmission timer in the measurement window, summed over flows."""
    return total(flows, "timeouts")


@metric("window_cuts", title="window reductions", unit="", better="none",
        source="RFC 5681 section 3", per="flow")  # fmt: skip
def window_cuts(run: Run, flows: Flows) -> float | None:
    """Times TCP reduced its window, on loss or on marks, summed over flows."""
    return total(flows, "window_cuts")


@metric("undone", title="window reductions undone", unit="", better="none",
        source="RFC 3522; RFC 5682", per="flow", rare=True)  # fmt: skip
def undone(run: Run, flows: Flows) -> float | None:
    """Window reductions that TCP found unnecessary and undid (`undo`, `frto`), summed over flows."""
    return total(flows, "undone")


@metric("cwnd_mean", title="congestion window, mean", unit="segments", better="none",
        source="RFC 5681 section 2", per="flow")  # fmt: skip
def cwnd_mean(run: Run, flows: Flows) -> float | None:
    """Time average of the congestion window, averaged over the TCP flows."""
    return average(known(flows, "cwnd_mean"))


@metric("unfinished", title="flows not done at the end", unit="", better="lower",
        source="RFC 7928 section 2.1", per="flow", of="finite")  # fmt: skip
def unfinished(run: Run, flows: Flows) -> float | None:
    """Flows with a finite amount to send that were still busy when the run ended."""
    return float(sum(flow.get("finish_s") is None for flow in flows.finite)) if flows.finite else None


@metric("jain", title="Jain's fairness index", unit="", better="higher",
        source="Jain, Chiu and Hawe 1984; RFC 5166 section 2.3.1", per="flow", shown=True)  # fmt: skip
def jain(run: Run, flows: Flows) -> float | None:
    """(sum x)^2 / (n sum x^2) of the flows' throughputs, each over its active time: 1 if all are equal,
    1/n if one has everything. Missing for fewer than two flows."""
    shares = flows.rates
    squares = math.fsum(share * share for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if len(shares) > 1 and squares > 0 else None


@metric("sync", title="global synchronisation", unit="", better="lower",
        source="after Floyd and Jacobson 1993, section I", per="flow", shown=True)  # fmt: skip
def sync(run: Run, flows: Flows) -> float | None:
    """(Var(sum of cwnd) / sum of Var(cwnd) - 1) / (n - 1) of the TCP flows, from the sampled windows
    after the warm-up: 1 if all windows move as one, 0 if they are independent, below 0 if they
    alternate. Only for all flows together."""
    return as_number(derived(run, "sync")) if len(flows) == len(run["flows"]) else None
