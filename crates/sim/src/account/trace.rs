//! The packet trace: one row for each event of a packet, recorded on request.

use crate::packet::Pkt;
use units::Time;

/// An event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceEvent {
    /// An acknowledgement reached the source.
    Acked,
    /// A data packet left its source.
    Send,
    /// A data packet reached its destination.
    Receive,
    /// An acknowledgement left the destination.
    Acknowledge,
    /// A queue dropped a packet, or a link destroyed it.
    Drop,
    /// A queue marked a packet.
    Mark,
}

impl TraceEvent {
    /// All events, in order.
    pub const ALL: [TraceEvent; 6] = [
        TraceEvent::Acked,
        TraceEvent::Send,
        TraceEvent::Receive,
        TraceEvent::Acknowledge,
        TraceEvent::Drop,
        TraceEvent::Mark,
    ];

    /// Its name in a trace.
    pub fn name(self) -> &'static str {
        match self {
            TraceEvent::Send => "send",
            TraceEvent::Receive => "receive",
            TraceEvent::Acknowledge => "acknowledge",
            TraceEvent::Acked => "acked",
            TraceEvent::Drop => "drop",
            TraceEvent::Mark => "mark",
        }
    }
}

/// One row of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRow {
    /// When it happened.
    pub time: Time,
    /// The event.
    pub what: TraceEvent,
    /// The packet's flow.
    pub flow: u32,
    /// Segment number; for an acknowledgement, the next segment expected.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether the packet travels from destination to source.
    pub back: bool,
}

/// A trace, recorded or not.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    kept: bool,
    rows: Vec<TraceRow>,
}

impl Trace {
    /// An empty trace.
    pub fn new(kept: bool) -> Trace {
        Trace { kept, rows: Vec::new() }
    }

    /// Whether rows are recorded.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Records an event of a packet.
    #[inline(always)]
    pub fn note(&mut self, time: Time, what: TraceEvent, pkt: &Pkt) {
        if self.kept {
            // By value: a packet whose address is taken no longer fits into registers.
            self.keep(time, what, pkt.flow, pkt.seq, pkt.size, pkt.is_back());
        }
    }

    #[cold]
    #[inline(never)]
    fn keep(&mut self, time: Time, what: TraceEvent, flow: u32, seq: u32, size: u32, back: bool) {
        self.rows.push(TraceRow { time, what, flow, seq, size, back });
    }

    /// All rows by time, flow and event; equal ones stay in the order they happened.
    pub fn rows(&self) -> Vec<TraceRow> {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| (row.time, row.flow, row.what));
        rows
    }
}
