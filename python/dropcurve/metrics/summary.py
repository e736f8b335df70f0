"""Types of a run's summary. Generated from `crates/sim/src/outcome/keys.rs`: do not edit.

`DROPCURVE_BLESS=1 cargo test -p dropcurve-sim --test summary_keys` writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class RunSummary(TypedDict):
    """The summary of one run. All but `conservation` counts from the warm-up on."""

    #: Version of the summary's format.
    format: int
    #: Version of dropcurve.
    version: str
    #: Hash of the resolved scenario, 16 hex digits.
    scenario: str
    #: Seed of the run.
    seed: int
    #: "duration", "events" or "memory".
    stopped_by: str
    #: Simulated time at the end of the run.
    simulated_s: float
    #: Length of the warm-up, after which counting starts.
    warmup_s: float
    #: Events executed in the whole run.
    events: int
    #: Links by name.
    links: dict[str, LinkSummary]
    #: Flows in order of their number.
    flows: Sequence[FlowSummary]
    #: Groups by name.
    groups: dict[str, GroupSummary]
    #: Packets of each flow in the whole run.
    conservation: Sequence[ConservedFlow]
    #: Numbers derived from the samples; Python adds them.
    derived: NotRequired[DerivedSummary]


class LinkSummary(TypedDict):
    """One direction of a link, and the queue in front of it."""

    #: Rate of the link.
    rate_bps: int
    #: Propagation delay.
    delay_ms: float
    #: Kind of the discipline.
    kind: str
    #: Packets offered to the queue.
    arrived_pkts: int
    #: Bytes of these packets.
    arrived_bytes: int
    #: Packets whose transmission started.
    departed_pkts: int
    #: Bytes of these packets.
    departed_bytes: int
    #: Packets dropped early, at random.
    early_pkts: int
    #: Packets dropped because the average was too high.
    forced_pkts: int
    #: Packets dropped because the buffer was full.
    overflow_pkts: int
    #: Packets whose CE bit was set.
    marked_pkts: int
    #: Packets destroyed on the wire by the loss model.
    lost_pkts: int
    #: Time in which the transmitter was sending.
    busy_s: float
    #: Time average of the queue length.
    queue_pkts_mean: float
    #: Standard deviation of the same.
    queue_pkts_sd: float
    #: Maximum of the queue length.
    queue_pkts_max: float
    #: Time average of the backlog.
    queue_bytes_mean: float
    #: Difference between the mean queue and Little's law of the sojourn times, in packets: 0.
    little_pkts: float | None
    #: Mean of the discipline's own average, sampled.
    avg_mean: float | None
    #: Standard deviation of the same.
    avg_sd: float | None
    #: Unit of the average, "pkts" or "bytes".
    avg_unit: str | None
    #: Sojourn time of departed packets.
    sojourn_ms: SpreadSummary
    #: Histogram of the same.
    sojourn_ms_histogram: HistogramRows
    #: Sojourn time of packets that were queued and dropped later.
    dropped_ms: SpreadSummary
    #: Sojourn time of all packets that left the queue.
    left_ms: SpreadSummary
    #: Early and forced drops and marks against the average.
    drop_curve: DropCurveRows


#: Class of the flow, by default its group.
_FlowSummary = TypedDict("_FlowSummary", {"class": str})


class FlowSummary(_FlowSummary):
    """One flow."""

    #: Number of the flow.
    id: int
    #: Group of the flow.
    group: str
    #: Transport of the flow.
    transport: str
    #: Start of the flow.
    start_s: float
    #: End of a flow with a finite amount to send.
    finish_s: float | None
    #: Amount that the flow has to send.
    size_bytes: int | None
    #: Data packets sent by the source, retransmissions included.
    sent_pkts: int
    #: Bytes of these packets.
    sent_bytes: int
    #: Data packets that reached the destination, duplicates included.
    received_pkts: int
    #: Bytes of these packets.
    received_bytes: int
    #: Payload received in order and for the first time.
    goodput_bytes: int
    #: Data packets dropped at any link of the route.
    dropped_pkts: int
    #: Data packets marked at any link of the route.
    marked_pkts: int
    #: One-way delay of delivered packets.
    delay_ms: SpreadSummary
    #: Interarrival jitter (RFC 3550) at the end of the run.
    jitter_ms: float | None
    #: Mean absolute difference of successive delays (RFC 3393).
    ipdv_ms_mean: float | None
    #: Objects of the flow's application.
    objects: NotRequired[ObjectsSummary]
    #: Video as the viewer saw it.
    video: NotRequired[VideoSummary]
    #: Segments sent again (TCP).
    retransmits: NotRequired[int]
    #: Expiries of the retransmission timer (TCP).
    timeouts: NotRequired[int]
    #: Fast recoveries (TCP).
    fast_recoveries: NotRequired[int]
    #: Window reductions (TCP).
    window_cuts: NotRequired[int]
    #: Window reductions undone (TCP).
    undone: NotRequired[int]
    #: Time average of the congestion window in segments (TCP).
    cwnd_mean: NotRequired[float | None]
    #: Smoothed round-trip time at the end of the run.
    srtt_ms: NotRequired[float | None]
    #: Allowed rate at the end of the run, payload (rate-based).
    rate_bps: NotRequired[float]
    #: Time average of the allowed rate (rate-based).
    rate_bps_mean: NotRequired[float]
    #: Loss event rate that was last reported to the sender (TFRC).
    loss_event_rate: NotRequired[float | None]
    #: Closed loss intervals, newest first, at most 8 (TFRC).
    loss_intervals_pkts: NotRequired[list[float]]
    #: Packets taken for lost in the whole run (RAP, QUIC, SCReAM, GCC).
    losses_seen: NotRequired[float | None]
    #: Target of the queueing delay at the end of the run (SCReAM).
    delay_target_ms: NotRequired[float]
    #: Cuts of the rate in the whole run (RAP, SCReAM, GCC).
    rate_cuts: NotRequired[float | None]
    #: Packets with data sent before, in the whole run (QUIC).
    resent_pkts: NotRequired[float | None]
    #: Packets taken for lost that arrived, in the whole run (QUIC).
    spurious_losses: NotRequired[float | None]
    #: Probe timeouts in the whole run (QUIC).
    probe_timeouts: NotRequired[float | None]
    #: Window reductions in the whole run (QUIC).
    reductions: NotRequired[float | None]
    #: Times that congestion was persistent in the whole run (QUIC).
    persistent_congestions: NotRequired[float | None]
    #: Timeouts of the emulated sender in the whole run (TEAR).
    emulated_timeouts: NotRequired[float | None]
    #: Fate of the flow's video.
    shaped_video: NotRequired[ShapedVideoSummary]


class GroupSummary(TypedDict):
    """The packets of all flows of a group together."""

    #: One-way delay of delivered packets.
    delay_ms: SpreadSummary
    #: Histogram of the same.
    delay_ms_histogram: HistogramRows
    #: Objects of the applications.
    objects: NotRequired[ObjectsSummary]


class SpreadSummary(TypedDict):
    """The distribution of a time in ms."""

    #: Mean.
    mean: float | None
    #: Standard deviation.
    sd: float | None
    #: 1st percentile.
    p1: float | None
    #: 5th percentile.
    p5: float | None
    #: 25th percentile.
    p25: float | None
    #: Median.
    p50: float | None
    #: 75th percentile.
    p75: float | None
    #: 90th percentile.
    p90: float | None
    #: 95th percentile.
    p95: float | None
    #: 99th percentile.
    p99: float | None
    #: 99.9th percentile.
    p999: float | None
    #: Maximum.
    max: float | None
    #: Number of values.
    count: int


class HistogramRows(TypedDict):
    """A histogram: upper ends of its bins and what they count."""

    #: Upper end of each bin.
    upper_ms: list[float]
    #: Number of values in each bin.
    count: list[int]


class DropCurveRows(TypedDict):
    """Drops and marks against the average of the discipline."""

    #: Unit of the average.
    unit: str | None
    #: Centre of each bin.
    avg: list[float]
    #: Packets that arrived.
    arrived: list[int]
    #: Packets dropped or marked.
    dropped: list[int]


class ObjectsSummary(TypedDict):
    """Objects of an application, such as those of web pages."""

    #: Objects begun.
    begun: int
    #: Objects completed.
    completed: int
    #: Payload of the completed objects.
    payload_bytes: int
    #: Completion time of all objects.
    fct_ms_all: SpreadSummary
    #: Completion time of objects up to 10 kB.
    fct_ms_short: SpreadSummary
    #: Completion time of objects up to 100 kB.
    fct_ms_medium: SpreadSummary
    #: Completion time of objects up to 1 MB.
    fct_ms_long: SpreadSummary
    #: Completion time of larger objects.
    fct_ms_huge: SpreadSummary
    #: Histogram of these times, for groups alone.
    fct_ms_all_histogram: NotRequired[HistogramRows]
    #: Histogram of these times, for groups alone.
    fct_ms_short_histogram: NotRequired[HistogramRows]
    #: Histogram of these times, for groups alone.
    fct_ms_medium_histogram: NotRequired[HistogramRows]
    #: Histogram of these times, for groups alone.
    fct_ms_long_histogram: NotRequired[HistogramRows]
    #: Histogram of these times, for groups alone.
    fct_ms_huge_histogram: NotRequired[HistogramRows]
    #: Load time of web pages of several objects.
    page_ms: NotRequired[SpreadSummary]
    #: Histogram of these times, for groups alone.
    page_ms_histogram: NotRequired[HistogramRows]


class VideoSummary(TypedDict):
    """Video as a viewer saw it in the whole run."""

    #: Chunks received.
    chunks: int
    #: Mean rate of the received chunks.
    bps_mean: float | None
    #: Number of stalls of the picture.
    stalls: int
    #: Duration of all stalls.
    stalled_s: float
    #: Changes of quality.
    switches: int


class ShapedVideoSummary(TypedDict):
    """Fate of the video of a source that shapes it."""

    #: Frames made.
    frames: int
    #: Frames skipped.
    skipped: int
    #: Mean rate of the frames made.
    bps_mean: float | None
    #: Mean rate as a share of the coded rate.
    coded_share: float | None


class ConservedFlow(TypedDict):
    """The packets of a flow in the whole run, both directions."""

    #: Sent.
    sent: TallySummary
    #: Delivered.
    delivered: TallySummary
    #: Dropped.
    dropped: TallySummary
    #: In flight at the end.
    in_flight: TallySummary
    #: Queued at the end.
    queued: TallySummary


class DerivedSummary(TypedDict):
    """Numbers derived from the samples of a run."""

    #: The metric `sync`: whether all windows move as one.
    sync: float | None
    #: End of the initial transient, by MSER-5.
    transient_s: float | None


class TallySummary(TypedDict):
    """Packets and their bytes."""

    #: Packets.
    pkts: int
    #: Bytes.
    bytes: int
