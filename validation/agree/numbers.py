"""The columns of the recorded tables, computed from a run's summary."""

from __future__ import annotations

from typing import Any

Summary = dict[str, Any]
Numbers = dict[str, float]


def link(run: Summary, name: str = "bottleneck") -> Numbers:
    """Numbers that all tables have of a bottleneck."""
    counters = run["links"][name]
    seconds = run["simulated_s"] - run["warmup_s"]
    drops = counters["early_pkts"] + counters["forced_pkts"] + counters["overflow_pkts"]
    return {
        "drops": drops,
        "loss": drops / max(1, counters["arrived_pkts"]),
        "early_frac": counters["early_pkts"] / drops if drops else 0.0,
        "util": counters["departed_bytes"] * 8 / seconds / counters["rate_bps"],
        "qmean": counters["queue_pkts_mean"],
        "qmean_bytes": counters["queue_bytes_mean"],
        "ave_mean": counters["avg_mean"] or 0.0,
        "qdelay_ms": counters["sojourn_ms"]["mean"],
        "qdelay_sd_ms": counters["sojourn_ms"]["sd"],
    }


def tcp(run: Summary, *, headers: int, mss: int, flows: list[dict[str, Any]] | None = None) -> Numbers:
    """Goodput in bit/s of a set of flows (headers counted), its Jain index, timeouts, loss."""
    chosen = run["flows"] if flows is None else flows
    seconds = run["simulated_s"] - run["warmup_s"]
    rates = [flow["goodput_bytes"] * 8 * (mss + headers) / mss / seconds for flow in chosen]
    squares = sum(rate**2 for rate in rates)
    return {
        "goodput_bps": sum(rates),
        "jain": sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0,
        "timeouts": sum(flow["timeouts"] for flow in chosen),
        "retransmits": sum(flow["retransmits"] for flow in chosen),
        "loss": sum(flow["dropped_pkts"] for flow in chosen)
        / max(1, sum(flow["sent_pkts"] for flow in chosen)),
    }
