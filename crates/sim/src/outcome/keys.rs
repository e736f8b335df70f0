//! The declaration of a run's summary: every key of `docs/results.md` with its type and unit.
//!
//! `tests/summary_keys.rs` compares it with the summaries of runs, and generates from it the types that Python has of a
//! summary (`python/dropcurve/metrics/summary.py`).

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A whole number.
    Whole,
    /// A number.
    Real,
    /// Text.
    Text,
    /// A list of whole numbers.
    Wholes,
    /// A list of numbers.
    Reals,
    /// A table, by the name of its declaration in [`TABLES`].
    Table(&'static str),
    /// A list of such tables.
    List(&'static str),
    /// Such tables by name.
    Named(&'static str),
}

/// When a key is present, and whether its value may be `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always present, with a value.
    Always,
    /// Always present; `null` is a gap.
    Gap,
    /// Present for some kinds of flows or groups, with a value.
    Some,
    /// Present for some kinds; `null` is a gap.
    SomeGap,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct SummaryKey {
    /// Its name, which ends in its unit.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// When it is present.
    pub presence: Presence,
    /// Its meaning.
    pub doc: &'static str,
}

/// A table: its name in Python, its description, and its keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyTable {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Its keys, in the order of `docs/results.md`.
    pub keys: &'static [SummaryKey],
}

macro_rules! keys {
    ($($name:literal: $kind:expr, $presence:ident, $doc:literal;)*) => {
        &[$(SummaryKey { name: $name, kind: $kind, presence: Presence::$presence, doc: $doc }),*]
    };
}

use ValueKind::{List, Named, Real, Reals, Text, Whole, Wholes};

/// A table's kind under a shorter name than that of the struct.
const fn table(name: &'static str) -> ValueKind {
    ValueKind::Table(name)
}

/// Every table; the first is the whole summary.
pub const TABLES: &[KeyTable] = &[
    KeyTable {
        name: "RunSummary",
        doc: "The summary of one run. All but `conservation` counts from the warm-up on.",
        keys: RUN,
    },
    KeyTable {
        name: "LinkSummary",
        doc: "One direction of a link, and the queue in front of it.",
        keys: LINK,
    },
    KeyTable { name: "FlowSummary", doc: "One flow.", keys: FLOW },
    KeyTable { name: "GroupSummary", doc: "The packets of all flows of a group together.", keys: GROUP },
    KeyTable { name: "SpreadSummary", doc: "The distribution of a time in ms.", keys: SPREAD },
    KeyTable {
        name: "HistogramRows",
        doc: "A histogram: upper ends of its bins and what they count.",
        keys: HISTOGRAM,
    },
    KeyTable {
        name: "DropCurveRows",
        doc: "Drops and marks against the average of the discipline.",
        keys: DROP_CURVE,
    },
    KeyTable {
        name: "ObjectsSummary",
        doc: "Objects of an application, such as those of web pages.",
        keys: OBJECTS,
    },
    KeyTable { name: "VideoSummary", doc: "Video as a viewer saw it in the whole run.", keys: VIDEO },
    KeyTable {
        name: "ShapedVideoSummary",
        doc: "Fate of the video of a source that shapes it.",
        keys: SHAPED,
    },
    KeyTable {
        name: "ConservedFlow",
        doc: "The packets of a flow in the whole run, both directions.",
        keys: CONSERVED,
    },
    KeyTable { name: "DerivedSummary", doc: "Numbers derived from the samples of a run.", keys: DERIVED },
    KeyTable { name: "TallySummary", doc: "Packets and their bytes.", keys: TALLY },
];

const RUN: &[SummaryKey] = keys! {
    "format": Whole, Always, "version of the summary's format";
    "version": Text, Always, "version of dropcurve";
    "scenario": Text, Always, "hash of the resolved scenario, 16 hex digits";
    "seed": Whole, Always, "seed of the run";
    "stopped_by": Text, Always, "\"duration\", \"events\" or \"memory\"";
    "simulated_s": Real, Always, "simulated time at the end of the run";
    "warmup_s": Real, Always, "length of the warm-up, after which counting starts";
    "events": Whole, Always, "events executed in the whole run";
    "links": Named("LinkSummary"), Always, "links by name";
    "flows": List("FlowSummary"), Always, "flows in order of their number";
    "groups": Named("GroupSummary"), Always, "groups by name";
    "conservation": List("ConservedFlow"), Always, "packets of each flow in the whole run";
    "derived": table("DerivedSummary"), Some, "numbers derived from the samples; Python adds them";
};

const LINK: &[SummaryKey] = keys! {
    "rate_bps": Whole, Always, "rate of the link";
    "delay_ms": Real, Always, "propagation delay";
    "kind": Text, Always, "kind of the discipline";
    "arrived_pkts": Whole, Always, "packets offered to the queue";
    "arrived_bytes": Whole, Always, "bytes of these packets";
    "departed_pkts": Whole, Always, "packets whose transmission started";
    "departed_bytes": Whole, Always, "bytes of these packets";
    "early_pkts": Whole, Always, "packets dropped early, at random";
    "forced_pkts": Whole, Always, "packets dropped because the average was too high";
    "overflow_pkts": Whole, Always, "packets dropped because the buffer was full";
    "marked_pkts": Whole, Always, "packets whose CE bit was set";
    "lost_pkts": Whole, Always, "packets destroyed on the wire by the loss model";
    "busy_s": Real, Always, "time in which the transmitter was sending";
    "queue_pkts_mean": Real, Always, "time average of the queue length";
    "queue_pkts_sd": Real, Always, "standard deviation of the same";
    "queue_pkts_max": Real, Always, "maximum of the queue length";
    "queue_bytes_mean": Real, Always, "time average of the backlog";
    "little_pkts": Real, Gap, "difference between the mean queue and Little's law of the sojourn times, in packets: 0";
    "avg_mean": Real, Gap, "mean of the discipline's own average, sampled";
    "avg_sd": Real, Gap, "standard deviation of the same";
    "avg_unit": Text, Gap, "unit of the average, \"pkts\" or \"bytes\"";
    "sojourn_ms": table("SpreadSummary"), Always, "sojourn time of departed packets";
    "sojourn_ms_histogram": table("HistogramRows"), Always, "histogram of the same";
    "dropped_ms": table("SpreadSummary"), Always, "sojourn time of packets that were queued and dropped later";
    "left_ms": table("SpreadSummary"), Always, "sojourn time of all packets that left the queue";
    "drop_curve": table("DropCurveRows"), Always, "early and forced drops and marks against the average";
};

const FLOW: &[SummaryKey] = keys! {
    "id": Whole, Always, "number of the flow";
    "group": Text, Always, "group of the flow";
    "class": Text, Always, "class of the flow, by default its group";
    "transport": Text, Always, "transport of the flow";
    "start_s": Real, Always, "start of the flow";
    "finish_s": Real, Gap, "end of a flow with a finite amount to send";
    "size_bytes": Whole, Gap, "amount that the flow has to send";
    "sent_pkts": Whole, Always, "data packets sent by the source, retransmissions included";
    "sent_bytes": Whole, Always, "bytes of these packets";
    "received_pkts": Whole, Always, "data packets that reached the destination, duplicates included";
    "received_bytes": Whole, Always, "bytes of these packets";
    "goodput_bytes": Whole, Always, "payload received in order and for the first time";
    "dropped_pkts": Whole, Always, "data packets dropped at any link of the route";
    "marked_pkts": Whole, Always, "data packets marked at any link of the route";
    "delay_ms": table("SpreadSummary"), Always, "one-way delay of delivered packets";
    "jitter_ms": Real, Gap, "interarrival jitter (RFC 3550) at the end of the run";
    "ipdv_ms_mean": Real, Gap, "mean absolute difference of successive delays (RFC 3393)";
    "objects": table("ObjectsSummary"), Some, "objects of the flow's application";
    "video": table("VideoSummary"), Some, "video as the viewer saw it";
    "retransmits": Whole, Some, "segments sent again (TCP)";
    "timeouts": Whole, Some, "expiries of the retransmission timer (TCP)";
    "fast_recoveries": Whole, Some, "fast recoveries (TCP)";
    "window_cuts": Whole, Some, "window reductions (TCP)";
    "undone": Whole, Some, "window reductions undone (TCP)";
    "cwnd_mean": Real, SomeGap, "time average of the congestion window in segments (TCP)";
    "srtt_ms": Real, SomeGap, "smoothed round-trip time at the end of the run";
    "rate_bps": Real, Some, "allowed rate at the end of the run, payload (rate-based)";
    "rate_bps_mean": Real, Some, "time average of the allowed rate (rate-based)";
    "loss_event_rate": Real, SomeGap, "loss event rate that was last reported to the sender (TFRC)";
    "loss_intervals_pkts": Reals, Some, "closed loss intervals, newest first, at most 8 (TFRC)";
    "losses_seen": Real, SomeGap, "packets taken for lost in the whole run (RAP, QUIC, SCReAM, GCC)";
    "delay_target_ms": Real, Some, "target of the queueing delay at the end of the run (SCReAM)";
    "rate_cuts": Real, SomeGap, "cuts of the rate in the whole run (RAP, SCReAM, GCC)";
    "resent_pkts": Real, SomeGap, "packets with data sent before, in the whole run (QUIC)";
    "spurious_losses": Real, SomeGap, "packets taken for lost that arrived, in the whole run (QUIC)";
    "probe_timeouts": Real, SomeGap, "probe timeouts in the whole run (QUIC)";
    "reductions": Real, SomeGap, "window reductions in the whole run (QUIC)";
    "persistent_congestions": Real, SomeGap, "times that congestion was persistent in the whole run (QUIC)";
    "emulated_timeouts": Real, SomeGap, "timeouts of the emulated sender in the whole run (TEAR)";
    "shaped_video": table("ShapedVideoSummary"), Some, "fate of the flow's video";
};

const GROUP: &[SummaryKey] = keys! {
    "delay_ms": table("SpreadSummary"), Always, "one-way delay of delivered packets";
    "delay_ms_histogram": table("HistogramRows"), Always, "histogram of the same";
    "objects": table("ObjectsSummary"), Some, "objects of the applications";
};

const SPREAD: &[SummaryKey] = keys! {
    "mean": Real, Gap, "mean";
    "sd": Real, Gap, "standard deviation";
    "p1": Real, Gap, "1st percentile";
    "p5": Real, Gap, "5th percentile";
    "p25": Real, Gap, "25th percentile";
    "p50": Real, Gap, "median";
    "p75": Real, Gap, "75th percentile";
    "p90": Real, Gap, "90th percentile";
    "p95": Real, Gap, "95th percentile";
    "p99": Real, Gap, "99th percentile";
    "p999": Real, Gap, "99.9th percentile";
    "max": Real, Gap, "maximum";
    "count": Whole, Always, "number of values";
};

const HISTOGRAM: &[SummaryKey] = keys! {
    "upper_ms": Reals, Always, "upper end of each bin";
    "count": Wholes, Always, "number of values in each bin";
};

const DROP_CURVE: &[SummaryKey] = keys! {
    "unit": Text, Gap, "unit of the average";
    "avg": Reals, Always, "centre of each bin";
    "arrived": Wholes, Always, "packets that arrived";
    "dropped": Wholes, Always, "packets dropped or marked";
};

const OBJECTS: &[SummaryKey] = keys! {
    "begun": Whole, Always, "objects begun";
    "completed": Whole, Always, "objects completed";
    "payload_bytes": Whole, Always, "payload of the completed objects";
    "fct_ms_all": table("SpreadSummary"), Always, "completion time of all objects";
    "fct_ms_short": table("SpreadSummary"), Always, "completion time of objects up to 10 kB";
    "fct_ms_medium": table("SpreadSummary"), Always, "completion time of objects up to 100 kB";
    "fct_ms_long": table("SpreadSummary"), Always, "completion time of objects up to 1 MB";
    "fct_ms_huge": table("SpreadSummary"), Always, "completion time of larger objects";
    "fct_ms_all_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
    "fct_ms_short_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
    "fct_ms_medium_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
    "fct_ms_long_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
    "fct_ms_huge_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
    "page_ms": table("SpreadSummary"), Some, "load time of web pages of several objects";
    "page_ms_histogram": table("HistogramRows"), Some, "histogram of these times, for groups alone";
};

const VIDEO: &[SummaryKey] = keys! {
    "chunks": Whole, Always, "chunks received";
    "bps_mean": Real, Gap, "mean rate of the received chunks";
    "stalls": Whole, Always, "number of stalls of the picture";
    "stalled_s": Real, Always, "duration of all stalls";
    "switches": Whole, Always, "changes of quality";
};

const SHAPED: &[SummaryKey] = keys! {
    "frames": Whole, Always, "frames made";
    "skipped": Whole, Always, "frames skipped";
    "bps_mean": Real, Gap, "mean rate of the frames made";
    "coded_share": Real, Gap, "mean rate as a share of the coded rate";
};

const CONSERVED: &[SummaryKey] = keys! {
    "sent": table("TallySummary"), Always, "sent";
    "delivered": table("TallySummary"), Always, "delivered";
    "dropped": table("TallySummary"), Always, "dropped";
    "in_flight": table("TallySummary"), Always, "in flight at the end";
    "queued": table("TallySummary"), Always, "queued at the end";
};

const DERIVED: &[SummaryKey] = keys! {
    "sync": Real, Gap, "the metric `sync`: whether all windows move as one";
    "transient_s": Real, Gap, "end of the initial transient, by MSER-5";
};

const TALLY: &[SummaryKey] = keys! {
    "pkts": Whole, Always, "packets";
    "bytes": Whole, Always, "bytes";
};
