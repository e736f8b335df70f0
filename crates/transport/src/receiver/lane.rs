//! The short way of most segments and acknowledgements: the one expected, or the one above all that are held, and nothing to be
//! said of ECN. What it does is what the general code does then.

use super::{AckRule, Receiver, NONE};
use crate::segment::SackBlocks;
use units::Time;

/// An acknowledgement that says nothing of the connection's opening or of congestion; see [`crate::Ack`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainAck<'a> {
    /// The next segment expected.
    pub ack: u32,
    /// When the segment that caused it was sent.
    pub echo: Time,
    /// Bytes on the wire.
    pub size: u32,
    /// What was received beyond, if anything was.
    pub sack: Option<&'a SackBlocks>,
}

impl Receiver {
    /// Finds out whether the short way is open, after anything that may have changed it.
    #[inline]
    pub(super) fn look_for_quiet(&mut self) {
        let blocks = if self.held == 0 { 0 } else { self.store.recent.len() as u32 };
        let p = &self.store.params;
        self.answer_size = p.ack_size.0 as u32 + p.sack_block_size.0 as u32 * blocks;
        let busy =
            self.ecn || self.early || self.pending_syn || self.quick_acks > 0 || self.rule == AckRule::Linux;
        self.straight = if busy || self.rcv_nxt == 0 {
            NONE
        } else if self.held == 0 {
            self.rcv_nxt
        } else if self.store.recent.first_end() == self.highest {
            self.highest
        } else {
            NONE
        };
    }

    /// A data segment arrives, in parts: the short way where it is the next one, or the one above all that are held, and nothing
    /// is to be said of ECN. `None` if it is to take the long way by [`Receiver::on_segment`]; else its answer, if one is due,
    /// after which there is no other.
    #[inline(always)]
    pub fn answer_next(
        &mut self,
        now: Time,
        seq: u32,
        size: u32,
        sent: Time,
    ) -> Option<Option<PlainAck<'_>>> {
        if seq != self.straight {
            return None;
        }
        if self.echo_newest {
            self.echo = sent;
        }
        if self.held > 0 {
            self.hold_next(seq, size);
            return Some(Some(self.answer()));
        }
        self.bytes += u64::from(size);
        (self.rcv_nxt, self.straight) = (seq + 1, seq + 1);
        if self.ack_every > 1 {
            if self.unacked == 0 {
                self.echo = sent;
            }
            if self.unacked + 1 < self.ack_every {
                self.unacked += 1;
                if self.due == Time::NEVER {
                    self.due = now + self.store.params.ack_timeout;
                }
                return Some(None);
            }
            (self.unacked, self.due) = (0, Time::NEVER);
        } else {
            // None waits for its acknowledgement.
            self.echo = sent;
        }
        Some(Some(PlainAck { ack: self.rcv_nxt, echo: self.echo, size: self.answer_size, sack: None }))
    }

    /// The block reported last, above which nothing is held, grows by a segment.
    #[inline]
    fn hold_next(&mut self, seq: u32, size: u32) {
        self.highest = seq + 1;
        self.straight = seq + 1;
        self.held += 1;
        self.held_bytes += u64::from(size);
        if size > self.full_size {
            self.full_size = size;
        }
        self.store.marks.reserve(self.rcv_nxt, seq + 1);
        self.store.marks.insert(seq);
        self.store.recent.lengthen_first();
    }

    /// Acknowledges all that arrived, where nothing is to be said of the connection's opening or of congestion.
    #[inline(always)]
    fn answer(&mut self) -> PlainAck<'_> {
        self.unacked = 0;
        self.due = Time::NEVER;
        let reports = self.held > 0 && !self.store.recent.is_empty();
        let sack = reports.then_some(&self.store.recent);
        PlainAck { ack: self.rcv_nxt, echo: self.echo, size: self.answer_size, sack }
    }

    /// The next acknowledgement to send, if it is one that says nothing of the connection's opening or of congestion. After it
    /// there is no other. `None`: ask [`Receiver::poll_transmit`].
    #[inline(always)]
    pub fn poll_plain(&mut self) -> Option<PlainAck<'_>> {
        if !self.pending || self.ecn || self.pending_syn {
            return None;
        }
        self.pending = false;
        self.count_quick();
        self.look_for_quiet();
        Some(self.answer())
    }
}
