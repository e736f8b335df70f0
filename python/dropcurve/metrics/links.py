"""Metrics of one link and the queue in front of it."""

from __future__ import annotations

from .optional_numbers import as_number, percent, ratio
from .registry import metric
from .run_parts import Link, Run, dropped_pkts, measured_s


@metric("utilisation", title="link utilisation", unit="%", better="higher",
        source="RFC 5166 section 2.1.1", per="link", shown=True)  # fmt: skip
def utilisation(run: Run, link: Link) -> float | None:
    """Share of the measurement window in which the transmitter was sending."""
    share = percent(link["busy_s"], measured_s(run))
    # Nanoseconds are counted exactly; only their conversion to seconds can exceed the whole, in the last digit.
    return None if share is None else min(100.0, share)


@metric("reverse_utilisation", title="utilisation of the reverse direction", unit="%", better="higher",
        source="RFC 5166 section 2.1.1", per="link")  # fmt: skip
def reverse_utilisation(run: Run, link: Link) -> float | None:
    """Utilisation of the link in the reverse direction: an upload queue that drops acknowledgements or is long starves
    the downloads there. None where the link has no reverse direction of its own."""
    name = next((name for name, one in run["links"].items() if one is link), "")
    back = run["links"].get(f"{name}.back")
    return None if back is None else utilisation(run, back)


@metric("loss", title="drops by the queue", unit="%", better="lower",
        source="RFC 5166 section 2.1.3", per="link", shown=True)  # fmt: skip
def loss(run: Run, link: Link) -> float | None:
    """Packets that the discipline dropped, for any reason, as a share of those offered to it."""
    return percent(dropped_pkts(link), link["arrived_pkts"])


@metric("early_loss", title="early drops", unit="%", better="none",
        source="Floyd and Jacobson 1993, section IV", per="link", shown=True)  # fmt: skip
def early_loss(run: Run, link: Link) -> float | None:
    """Packets dropped at random before the queue was full, as a share of those offered."""
    return percent(link["early_pkts"], link["arrived_pkts"])


@metric("forced_loss", title="forced drops", unit="%", better="none",
        source="Floyd and Jacobson 1993, section IV", per="link", shown=True)  # fmt: skip
def forced_loss(run: Run, link: Link) -> float | None:
    """Packets dropped with certainty because the discipline's average was too high, as a share of those offered."""
    return percent(link["forced_pkts"], link["arrived_pkts"])


@metric("overflow_loss", title="overflow drops", unit="%", better="none",
        source="RFC 2309 section 2", per="link", shown=True)  # fmt: skip
def overflow_loss(run: Run, link: Link) -> float | None:
    """Packets dropped because the buffer was full, as a share of those offered."""
    return percent(link["overflow_pkts"], link["arrived_pkts"])


@metric("marks", title="packets marked", unit="%", better="none",
        source="RFC 3168 section 5", per="link", shown=True)  # fmt: skip
def marks(run: Run, link: Link) -> float | None:
    """Packets in which the discipline set Congestion Experienced, as a share of those offered."""
    return percent(link["marked_pkts"], link["arrived_pkts"])


@metric("wire_loss", title="lost on the wire", unit="%", better="lower",
        source="RFC 5166 section 2.4", per="link", rare=True)  # fmt: skip
def wire_loss(run: Run, link: Link) -> float | None:
    """Packets that the link's loss model discarded behind the queue, as a share of those sent."""
    return percent(link["lost_pkts"], link["departed_pkts"])


def _sojourn(part: str) -> None:
    about = {"mean": "mean", "p50": "median", "p95": "p95", "p99": "p99"}[part]
    doc = {"mean": "Mean", "p50": "Median", "p95": "95th percentile", "p99": "99th percentile"}[part]

    def function(run: Run, link: Link) -> float | None:
        return as_number((link.get("sojourn_ms") or {}).get(part))

    function.__doc__ = (
        f"{doc} of the queueing delay of packets that left the queue, without their transmission time."
    )
    metric(f"sojourn_ms_{part}", title=f"queueing delay, {about}", unit="ms", better="lower",
           source="RFC 7928 section 2.6; RFC 8289 section 3", per="link", shown=True)(function)  # fmt: skip


for _part in ("mean", "p50", "p95", "p99"):
    _sojourn(_part)


@metric("queue_pkts_mean", title="queue, time average", unit="pkts", better="lower",
        source="RFC 5166 section 2.1.2", per="link", shown=True)  # fmt: skip
def queue_pkts_mean(run: Run, link: Link) -> float | None:
    """Packets in the queue, averaged over time."""
    return as_number(link["queue_pkts_mean"])


@metric("queue_pkts_sd", title="queue, oscillation (sd)", unit="pkts", better="lower",
        source="RFC 5166 section 2.2.2", per="link", shown=True)  # fmt: skip
def queue_pkts_sd(run: Run, link: Link) -> float | None:
    """Standard deviation over time of the packets in the queue."""
    return as_number(link["queue_pkts_sd"])


@metric("queue_pkts_max", title="queue, maximum", unit="pkts", better="lower",
        source="RFC 5166 section 2.1.2", per="link")  # fmt: skip
def queue_pkts_max(run: Run, link: Link) -> float | None:
    """Most packets in the queue at once."""
    return as_number(link["queue_pkts_max"])


@metric("avg_pkts_mean", title="average queue (avg), mean", unit="pkts", better="none",
        source="Floyd and Jacobson 1993, section IV", per="link", shown=True)  # fmt: skip
def avg_pkts_mean(run: Run, link: Link) -> float | None:
    """Mean of the discipline's own average of the queue; missing for a discipline without an average. An average in
    bytes is converted to packets of the mean size in the queue."""
    return _avg_pkts(link, "avg_mean")


@metric("avg_pkts_sd", title="average queue (avg), sd", unit="pkts", better="lower",
        source="RFC 5166 section 2.2.2", per="link", shown=True)  # fmt: skip
def avg_pkts_sd(run: Run, link: Link) -> float | None:
    """Standard deviation of the discipline's own average of the queue, in packets: its oscillation."""
    return _avg_pkts(link, "avg_sd")


def _avg_pkts(link: Link, key: str) -> float | None:
    value = as_number(link[key])
    if link["avg_unit"] != "bytes" or value is None:
        return value
    return ratio(value, ratio(link["queue_bytes_mean"], link["queue_pkts_mean"]))
