//! A record of what happened to each packet, for those who ask for it.

use crate::packet::Pkt;
use units::Time;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
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

impl What {
    /// All of them, in their order.
    pub const ALL: [What; 6] =
        [What::Acked, What::Send, What::Receive, What::Acknowledge, What::Drop, What::Mark];

    /// The word in a trace.
    pub fn name(self) -> &'static str {
        match self {
            What::Send => "send",
            What::Receive => "receive",
            What::Acknowledge => "acknowledge",
            What::Acked => "acked",
            What::Drop => "drop",
            What::Mark => "mark",
        }
    }
}

/// One line of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// When.
    pub time: Time,
    /// What.
    pub what: What,
    /// The packet's flow.
    pub flow: u32,
    /// Segment number; for an acknowledgement, the next segment expected.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether the packet travels from destination to source.
    pub back: bool,
}

/// A trace that is kept or not.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    kept: bool,
    rows: Vec<Row>,
}

impl Trace {
    /// A trace that keeps its rows if asked to.
    pub fn new(kept: bool) -> Trace {
        Trace { kept, rows: Vec::new() }
    }

    /// Whether it is kept.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Notes what happened to a packet.
    #[inline(always)]
    pub fn note(&mut self, time: Time, what: What, pkt: &Pkt) {
        if self.kept {
            // In parts: a packet whose address is given away no longer fits registers.
            self.keep(time, what, pkt.flow, pkt.seq, pkt.size, pkt.is_back());
        }
    }

    #[cold]
    #[inline(never)]
    fn keep(&mut self, time: Time, what: What, flow: u32, seq: u32, size: u32, back: bool) {
        self.rows.push(Row { time, what, flow, seq, size, back });
    }

    /// All rows by time, flow and kind; several of one kind at one time stay in the order they happened.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| (row.time, row.flow, row.what));
        rows
    }
}
