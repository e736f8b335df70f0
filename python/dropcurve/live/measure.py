"""Metrics of a lab's run: those of a simulation of the same scenario, and those of a lab alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..metrics import statistics
from .addresses import INTERVAL_S
from .plan import LabPlan, bits

#: Metrics of both, as `dropcurve list metrics` names them, in the order of tables.
SHARED = (
    "goodput_bps", "utilisation", "sojourn_ms_mean", "sojourn_ms_p50", "sojourn_ms_p95", "sojourn_ms_p99",
    "queue_pkts_mean", "loss", "marks", "retransmits",
)  # fmt: skip
#: Number of equal parts of a run, whose standard deviation sets the intervals of a single run.
BATCHES = 10
#: The 99th percentile of lateness above which a run is not to be trusted, in milliseconds.
TOO_LATE_MS = 1.0
#: Titles and units of measures that only a lab has.
LAB_ONLY = {
    "received_bps": ("rate at the receiving device", "bit/s"),
    "ping_ms_p50": ("round trip of pings, median", "ms"),
    "ping_ms_p95": ("round trip of pings, p95", "ms"),
    "srtt_ms_mean": ("smoothed round trip of TCP, mean", "ms"),
    "datagram_ms_p50": ("one-way delay of UDP, median", "ms"),
    "datagram_ms_p95": ("one-way delay of UDP, p95", "ms"),
    "late_ms_p50": ("lateness, median", "ms"),
    "late_ms_p99": ("lateness, p99", "ms"),
    "late_ms_max": ("lateness, largest", "ms"),
}


@dataclass(frozen=True)
class Estimate:
    """A mean and the half-width of its 95 % interval; None if it cannot be computed."""

    mean: float | None
    half_width: float | None


def values(plan: LabPlan, raw: Mapping[str, Any]) -> dict[str, float | None]:
    """One number for each metric of one run."""
    forward = raw["stats"]["forward"]
    arrived, seconds = forward["arrived"]["pkts"], forward["seconds"]
    sojourn, late, pings = forward["sojourn_ms"], forward["late_ms"], sorted(raw["pings"])
    capacity = bits_carried(plan, plan.duration_s - seconds, plan.duration_s)
    delays = sorted(us / 1e3 for flow in raw["flows"] for us in flow["server"].get("delays_us", ()))
    measured = {
        "goodput_bps": _sum(_goodput(plan, flow) for flow in raw["flows"]),
        "utilisation": 100 * forward["sent"]["bytes"] * 8 / capacity if capacity else None,
        "queue_pkts_mean": forward["queue_pkts_mean"],
        "loss": 100 * sum(forward["dropped_pkts"].values()) / arrived if arrived else None,
        "marks": 100 * forward["marked_pkts"] / arrived if arrived else None,
        "retransmits": _sum(_retransmits(plan, flow) for flow in raw["flows"]),
        "received_bps": _received(plan, raw["received"]),
        "ping_ms_p50": _quantile(pings, 0.5),
        "ping_ms_p95": _quantile(pings, 0.95),
        "srtt_ms_mean": _srtt(plan, raw["flows"]),
        "datagram_ms_p50": _quantile(delays, 0.5),
        "datagram_ms_p95": _quantile(delays, 0.95),
    }
    for key in ("mean", "p50", "p95", "p99"):
        measured[f"sojourn_ms_{key}"] = sojourn[key]
    for key in ("p50", "p99", "max"):
        measured[f"late_ms_{key}"] = late[key]
    return measured


def bits_carried(plan: LabPlan, start_s: float, end_s: float) -> float:
    """Capacity of the link between two moments, in bits, at the rates it has then."""
    rate, total, at = plan.settings["links"][0]["rate"], 0.0, start_s
    for moment, edits in sorted(plan.changes, key=lambda change: change[0]):
        upto = min(max(moment, at), end_s)
        total += bits(rate) * (upto - at)
        at, rate = upto, edits.get("rate", rate)
    return total + bits(rate) * (end_s - at)


def batches(plan: LabPlan, raw: Mapping[str, Any]) -> dict[str, list[float]]:
    """The same of equal parts of one run, for metrics that have parts."""
    series = raw["stats"]["forward"]["series"]
    rows = [dict(zip(series["columns"], row, strict=True)) for row in series["rows"]]
    size = len(rows) // BATCHES
    if size == 0:
        return {}
    by_metric: dict[str, list[float]] = {
        name: [] for name in ("utilisation", "queue_pkts_mean", "sojourn_ms_mean", "loss")
    }
    step = rows[1]["time_s"] - rows[0]["time_s"] if len(rows) > 1 else 0.1
    for part in range(BATCHES):
        total = {
            key: sum(row[key] for row in rows[part * size : (part + 1) * size]) for key in series["columns"]
        }
        seconds = size * step
        by_metric["queue_pkts_mean"].append(total["queue_pkts_s"] / seconds)
        start = plan.warmup_s + part * seconds
        capacity = bits_carried(plan, start, start + seconds)
        by_metric["utilisation"].append(100 * total["sent_bytes"] * 8 / capacity if capacity else 0.0)
        by_metric["sojourn_ms_mean"].append(total["sojourn_ms_sum"] / max(1.0, total["sent_pkts"]))
        through = total["sent_pkts"] + total["drops"]
        by_metric["loss"].append(100 * total["drops"] / max(1.0, through))
    by_metric["goodput_bps"] = _goodput_batches(plan, raw["flows"])
    return by_metric


def estimates(plan: LabPlan, raws: list[dict[str, Any]]) -> dict[str, Estimate]:
    """Every metric over all runs: over replications, or for a single run over its parts."""
    runs = [values(plan, raw) for raw in raws]
    parts = batches(plan, raws[0]) if len(raws) == 1 else {}
    by_metric = {}
    for name in [*SHARED, *LAB_ONLY]:
        over = statistics.t_interval([run[name] for run in runs])
        half = statistics.t_interval(parts[name]).half_width if parts.get(name) else over.half_width
        by_metric[name] = Estimate(over.mean, half)
    return by_metric


def warnings(raws: list[dict[str, Any]]) -> list[str]:
    """Reasons to doubt the results of a lab, as sentences."""
    sentences: list[str] = []
    for raw in raws:
        sentences += too_late(raw["stats"]["forward"], real_time=raw["stats"]["real_time"])
        for host, dropped in raw["devices"].items():
            if dropped:
                sentences.append(
                    f"the device of the {host} host dropped {dropped} packets before the queue saw them"
                )
        for flow in raw["flows"]:
            sent_late = flow["client"].get("late_ms", {}).get("p99")
            if sent_late is not None and sent_late > TOO_LATE_MS:
                sentences.append(
                    f"flow {flow['number']}: 1 % of its datagrams were sent {sent_late:.1f} ms late or more "
                    f"({TOO_LATE_MS:g} ms is allowed)"
                )
        for why, count in raw["stats"]["forward"]["refused"].items():
            if count:
                sentences.append(f"the forwarder refused {count} frames ({why})")
        sentences.extend(raw["problems"])
    return list(dict.fromkeys(sentences))


def too_late(direction: Mapping[str, Any], *, real_time: bool) -> list[str]:
    """Warns if a direction's 99th percentile of lateness is too high, with the remedy."""
    late = direction["late_ms"]["p99"]
    if late is None or late <= TOO_LATE_MS:
        return []
    remedy = "" if real_time else "; as root the forwarder gets real-time priority"
    return [
        f"too late to trust: 1 % of the packets left {late:.1f} ms late or more (p99; {TOO_LATE_MS:g} ms is allowed)"
        f"{remedy}"
    ]


def _intervals(plan: LabPlan, flow: Mapping[str, Any], end: str) -> list[dict[str, Any]]:
    """Intervals of an end that lie between warm-up and end of the run."""
    began = flow["began_s"] or 0.0
    slack = INTERVAL_S / 2
    return [
        row
        for row in flow[end].get("intervals", [])
        if began + row["start"] >= plan.warmup_s - slack and began + row["end"] <= plan.duration_s + slack
    ]


def _goodput(plan: LabPlan, flow: Mapping[str, Any]) -> float | None:
    rows = _intervals(plan, flow, "server")
    seconds = sum(row["end"] - row["start"] for row in rows)
    return 8 * sum(row["bytes"] for row in rows) / seconds if seconds else None


def _goodput_batches(plan: LabPlan, flows: list[dict[str, Any]]) -> list[float]:
    rates = []
    length = (plan.duration_s - plan.warmup_s) / BATCHES
    for part in range(BATCHES):
        low = plan.warmup_s + part * length
        total = 0.0
        for flow in flows:
            began = flow["began_s"] or 0.0
            rows = [
                row
                for row in flow["server"].get("intervals", [])
                if low <= began + (row["start"] + row["end"]) / 2 < low + length
            ]
            seconds = sum(row["end"] - row["start"] for row in rows)
            total += 8 * sum(row["bytes"] for row in rows) / seconds if seconds else 0.0
        rates.append(total)
    return rates


def _retransmits(plan: LabPlan, flow: Mapping[str, Any]) -> float | None:
    if flow["transport"] != "tcp":
        return 0.0
    return float(sum(row.get("retransmits", 0) for row in _intervals(plan, flow, "client")))


def _received(plan: LabPlan, received: list[int]) -> float | None:
    """Rate received by the receiving host's device, by its own count and the wall clock, with the link's framing."""
    nanoseconds, size, pkts = received
    return 8e9 * (size + pkts * plan.settings["overhead"]) / nanoseconds if nanoseconds else None


def _srtt(plan: LabPlan, flows: list[dict[str, Any]]) -> float | None:
    samples = [
        row["rtt"] / 1000
        for flow in flows
        if flow["transport"] == "tcp"
        for row in _intervals(plan, flow, "client")
        if row.get("rtt")
    ]
    return sum(samples) / len(samples) if samples else None


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _quantile(ordered: list[float], p: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(p * len(ordered)))] if ordered else None
