//! The short way of most acknowledgements and segments: nothing is lost, nothing is held by the receiver, and no option asks for
//! more than a window that opens. What it does is what the general code does then, bit for bit; the latter takes over when
//! anything else happens.

use super::{Sender, NONE};
use crate::cc::Cc;
use crate::params::Recovery;
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
        self.look_ahead();
    }

    /// How far it may send while it is quiet: until the next acknowledgement that holds.
    #[inline(always)]
    fn look_ahead(&mut self) {
        let usable = (self.window.cwnd as u32).min(self.rwnd);
        self.past = self.una.saturating_add(usable).min(self.limit);
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
                    reno.open_by(&mut self.window, acked);
                    if self.window.cwnd >= self.max_cwnd + 1.0 {
                        self.window.cwnd = self.max_cwnd;
                    }
                }
            }
            _ => self.grow_by(now, (echo, false), acked, acked, flight),
        }
        self.look_ahead();
        true
    }

    /// The next segment to send on the short way, or [`NONE`].
    #[inline(always)]
    pub(super) fn next_quiet(&mut self) -> u32 {
        let seq = self.nxt;
        if seq >= self.past {
            return NONE;
        }
        self.nxt = seq + 1;
        seq
    }

    /// The next segment to send, or [`NONE`], of an open connection whose options allow the short way, though it is not
    /// quiet.
    #[inline(never)]
    pub(super) fn next_straight(&mut self) -> u32 {
        if self.forced != NONE {
            return std::mem::replace(&mut self.forced, NONE);
        }
        if self.quota == 0 {
            return NONE;
        }
        let Some(seq) = self.next_sack() else { return NONE };
        self.quota -= 1;
        self.nxt = self.nxt.max(seq + 1);
        self.sent_sack(seq);
        seq
    }
}
