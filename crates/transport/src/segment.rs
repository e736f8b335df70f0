//! What endpoints exchange. Sequence numbers count segments: every segment of a flow but the last of a
//! finite file carries the same payload, so a segment number stands for a byte range.

use units::param::{require, Problem};
use units::quantity::show_bytes;
use units::{Bytes, Ecn, Time};

/// What a segment is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Carries data.
    #[default]
    Data,
    /// Opens the connection.
    Syn,
}

/// A segment from the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// When it left the sender; the timestamp option.
    pub sent: Time,
    /// Data or SYN.
    pub role: Role,
    /// ECN field.
    pub ecn: Ecn,
    /// The sender has reduced its window (CWR flag).
    pub cwr: bool,
    /// It was sent before.
    pub retransmit: bool,
}

/// A packet is less than 1 GiB, so that its bytes and those of some of its kind fit 32 bits.
pub(crate) fn require_packet(mss: Bytes, headers: Bytes, problems: &mut Vec<Problem>) {
    let fits = mss.0.saturating_add(headers.0) <= 1 << 30;
    require(problems, fits, "mss", show_bytes(mss), "a packet must stay below 1 GiB", "");
}

/// The most SACK blocks an acknowledgement carries (three beside timestamps, four without).
pub const MAX_SACK_BLOCKS: usize = 4;

/// SACK blocks, each from the first segment held to one past the last (RFC 2018), most recent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); MAX_SACK_BLOCKS],
    len: u8,
}

impl SackBlocks {
    /// Adds a block if there is room.
    #[inline]
    pub fn push(&mut self, start: u32, end: u32) {
        if usize::from(self.len) < MAX_SACK_BLOCKS {
            self.blocks[usize::from(self.len)] = (start, end);
            self.len += 1;
        }
    }

    /// The blocks, most recent first.
    #[inline]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// An acknowledgement from the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// The next segment expected: everything below has arrived.
    pub ack: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Timestamp echo: when the segment that caused this acknowledgement was sent (RFC 7323 rules).
    pub echo: Time,
    /// What was received beyond `ack`.
    pub sack: SackBlocks,
    /// ECN echo.
    pub ece: bool,
    /// Acknowledges the SYN.
    pub syn: bool,
    /// Segments that arrived marked so far, plus 5, modulo 8 (accurate ECN, RFC 9768).
    pub ace: u8,
}
