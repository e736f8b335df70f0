//! The short way of most acknowledgements and segments: nothing is lost, nothing is held by the receiver, and no option asks for
//! more than a window that opens. What it does is what the general code does then, bit for bit; the latter takes over when
//! anything else happens.

use super::{Sender, NONE};
use crate::cc::Cc;
use crate::params::Recovery;
use crate::segment::Segment;
use units::Time;

impl Sender {
    /// Whether its options ever allow the short way.
    pub(super) fn may_be_straight(&self) -> bool {
        let ordinary = !(self.watched || self.tracked || self.gated || self.ecn);
        self.recovery == Recovery::Sack && ordinary && self.burst == NONE
    }

    /// Finds out whether the short way is open, after anything that may have changed it.
    #[inline]
    pub(super) fn look_for_quiet(&mut self) {
        self.quiet = self.straight
            && self.opened
            && !self.recovering
            && !self.loss
            && self.dupacks == 0
            && self.forced == NONE
            && self.quota > 0
            && self.cold.board.sacked_count == 0;
    }

    /// An acknowledgement that says no more than its number arrives. False if it is to take the long way by
    /// [`Sender::on_ack`].
    #[inline(always)]
    pub fn on_bare_ack(&mut self, now: Time, ack: u32, echo: Time) -> bool {
        if !self.quiet || ack <= self.una || ack > self.max {
            return false;
        }
        let (acked, flight) = (ack - self.una, self.max - self.una);
        self.move_una(now, ack, echo, false);
        match &mut self.cc {
            Cc::Reno(reno) => {
                if self.grow_unused || self.window.is_used_by(flight) {
                    reno.open(&mut self.window, acked);
                    if self.window.cwnd >= self.max_cwnd + 1.0 {
                        self.window.cwnd = self.max_cwnd;
                    }
                }
            }
            _ => self.grow_by(now, (echo, false), acked, acked, flight),
        }
        true
    }

    /// The next segment on the short way.
    #[inline(always)]
    pub(super) fn poll_quiet(&mut self, now: Time) -> Option<Segment> {
        let usable = (self.window.cwnd as u32).min(self.rwnd);
        let past = self.una.saturating_add(usable).min(self.limit);
        let seq = self.nxt;
        if seq >= past {
            return None;
        }
        self.nxt = seq + 1;
        Some(self.emit(now, seq))
    }

    /// The next segment of an open connection whose options allow the short way, though it is not quiet.
    pub(super) fn poll_straight(&mut self, now: Time) -> Option<Segment> {
        if self.forced != NONE {
            let seq = std::mem::replace(&mut self.forced, NONE);
            return Some(self.emit(now, seq));
        }
        if self.quota == 0 {
            return None;
        }
        let seq = self.next_sack()?;
        self.quota -= 1;
        self.nxt = self.nxt.max(seq + 1);
        self.sent_sack(seq);
        Some(self.emit(now, seq))
    }
}
