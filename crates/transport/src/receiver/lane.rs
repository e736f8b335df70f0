//! The short way of most segments and acknowledgements: the one expected, or the one above all that are held, and nothing to be
//! said of ECN. What it does is what the general code does then.

use super::{Receiver, NONE};
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
        let busy = self.ecn || self.early || self.pending_syn || self.quick_acks > 0;
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

    /// A data segment arrives, in parts: the short way where it is the next one, none is held and nothing is to be said of
    /// ECN. False if it is to take the long way by [`Receiver::on_segment`].
    #[inline(always)]
    pub fn on_next(&mut self, now: Time, seq: u32, size: u32, sent: Time) -> bool {
        if seq != self.straight {
            return false;
        }
        self.received += 1;
        if self.held > 0 {
            self.hold_next(seq, size);
            return true;
        }
        self.bytes += u64::from(size);
        if self.unacked == 0 {
            self.echo = sent;
        }
        self.rcv_nxt = seq + 1;
        (self.straight, self.highest) = (self.rcv_nxt, self.rcv_nxt);
        self.unacked += 1;
        if self.unacked >= self.ack_every {
            self.pending = true;
            self.due = Time::NEVER;
        } else if self.due == Time::NEVER {
            self.due = now + self.ack_timeout;
        }
        true
    }

    /// The block reported last, above which nothing is held, grows by a segment; that is acknowledged at once.
    #[inline]
    fn hold_next(&mut self, seq: u32, size: u32) {
        self.hold(seq, size);
        self.store.recent.lengthen_first();
        self.straight = seq + 1;
        self.unacked += 1;
        self.pending = true;
        self.due = Time::NEVER;
    }

    /// The next acknowledgement to send, if it is one that says nothing of the connection's opening or of congestion. After it
    /// there is no other. `None`: ask [`Receiver::poll_transmit`].
    #[inline(always)]
    pub fn poll_plain(&mut self) -> Option<PlainAck<'_>> {
        if !self.pending || self.ecn || self.pending_syn {
            return None;
        }
        self.pending = false;
        self.unacked = 0;
        self.acks += 1;
        let (ack, echo, size) = (self.rcv_nxt, self.echo, self.ack_size);
        if self.held == 0 || self.store.recent.is_empty() {
            return Some(PlainAck { ack, echo, size, sack: None });
        }
        let sack = &self.store.recent;
        Some(PlainAck { ack, echo, size: size + self.block_size * sack.len() as u32, sack: Some(sack) })
    }
}
