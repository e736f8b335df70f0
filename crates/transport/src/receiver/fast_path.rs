//! Fast path of a receiver: the expected segment, or the one directly above all buffered ones, with no ECN
//! feedback due. Same result as the general code, bit for bit.

mod accecn;
mod linux;

pub use accecn::CountingAck;

use super::{AckRule, Receiver, NONE};
use crate::params::EcnRule;
use crate::segment::SackBlocks;
use units::Time;

/// ACK without SYN and without ECN feedback, as the fast path builds it; see [`crate::Ack`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastAck<'a> {
    /// The next segment expected.
    pub ack: u32,
    /// Send time of the segment that caused it.
    pub echo: Time,
    /// Bytes on the wire.
    pub size: u32,
    /// SACK blocks, if there are any.
    pub sack: Option<&'a SackBlocks>,
}

impl Receiver {
    /// Recomputes which segment may take the fast path, after any change of the state.
    #[inline]
    pub(super) fn update_fast_path(&mut self) {
        let blocks = if self.held == 0 { 0 } else { self.store.recent.len() as u32 };
        let p = &self.store.params;
        self.answer_size = p.ack_size.0 as u32 + p.sack_block_size.0 as u32 * blocks;
        let echoes = self.ecn && !self.echoes_nothing();
        let busy =
            echoes || self.early || self.pending_syn || self.quick_acks > 0 || self.rule == AckRule::Linux;
        self.fast_seq = if busy || self.rcv_nxt == 0 {
            NONE
        } else if self.held == 0 {
            self.rcv_nxt
        } else if self.store.recent.first_end() == self.highest {
            self.highest
        } else {
            NONE
        };
    }

    /// Whether classic ECN has nothing to echo, and will not by a segment without CE and CWR.
    #[inline]
    fn echoes_nothing(&self) -> bool {
        let classic = matches!(self.ecn_rule, EcnRule::Rfc3168 | EcnRule::Dctcp);
        classic && !self.ece && !self.echo_ece && !self.early
    }

    /// Whether ACKs may carry more than SACK blocks: a receive window, or the counters of accurate ECN.
    #[inline(always)]
    pub fn answers_with_extras(&self) -> bool {
        self.rule == AckRule::Linux || self.ecn_rule == EcnRule::AccEcn
    }

    /// Processes a data segment without SYN, CE and CWR on the fast path. Returns `None`, without effect, if it needs
    /// the slow path ([`Receiver::on_segment`]); else the ACK to send, if one is due. No other ACK follows it.
    #[inline(always)]
    pub fn on_segment_fast(
        &mut self,
        now: Time,
        seq: u32,
        size: u32,
        sent: Time,
    ) -> Option<Option<FastAck<'_>>> {
        if seq != self.fast_seq {
            return None;
        }
        if self.echo_newest {
            self.echo = sent;
        }
        if self.held > 0 {
            self.buffer_next(seq, size);
            return Some(Some(self.answer()));
        }
        self.bytes += u64::from(size);
        (self.rcv_nxt, self.fast_seq) = (seq + 1, seq + 1);
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
            // No segment awaits a delayed ACK.
            self.echo = sent;
        }
        Some(Some(FastAck { ack: self.rcv_nxt, echo: self.echo, size: self.answer_size, sack: None }))
    }

    /// Buffers the segment directly above all buffered ones: the first block grows by one.
    #[inline]
    fn buffer_next(&mut self, seq: u32, size: u32) {
        self.highest = seq + 1;
        self.fast_seq = seq + 1;
        self.held += 1;
        self.held_bytes += u64::from(size);
        if size > self.full_size {
            self.full_size = size;
        }
        self.store.marks.reserve(self.rcv_nxt, seq + 1);
        self.store.marks.insert(seq);
        self.store.recent.lengthen_first();
    }

    /// Builds the ACK of everything received, without SYN and ECN feedback.
    #[inline(always)]
    fn answer(&mut self) -> FastAck<'_> {
        self.unacked = 0;
        self.due = Time::NEVER;
        let reports = self.held > 0 && !self.store.recent.is_empty();
        let sack = reports.then_some(&self.store.recent);
        FastAck { ack: self.rcv_nxt, echo: self.echo, size: self.answer_size, sack }
    }

    /// Returns the next ACK if it has neither SYN nor ECN feedback; no other follows it. `None`: use
    /// [`Receiver::poll_transmit`].
    #[inline(always)]
    pub fn poll_ack_fast(&mut self) -> Option<FastAck<'_>> {
        if !self.pending || (self.ecn && !self.echoes_nothing()) || self.pending_syn || self.offers_window() {
            return None;
        }
        self.pending = false;
        self.count_quick_ack();
        self.update_fast_path();
        Some(self.answer())
    }
}
