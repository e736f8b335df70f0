//! The short way of most acknowledgements and segments: an acknowledgement that says no more than its number while nothing is lost
//! and nothing is held by the receiver; a new segment that follows others in flight. How far the latter may go is known after each
//! input, so that sending asks nothing of windows, options or losses. What both do is what the general code does then, bit for
//! bit; it takes over when anything else happens.

use super::{Sender, NONE};
use crate::cc::Cc;
use crate::params::Recovery;
use crate::segment::Segment;
use units::Time;

impl Sender {
    /// Whether its options ever allow the short way.
    pub(super) fn may_be_straight(&self) -> bool {
        let ordinary = !(self.watched || self.tracked || self.gated || self.ecn);
        self.recovery == Recovery::Sack
            && ordinary
            && self.cold.params.max_burst == 0
            && !self.cold.params.pipe_always
    }

    /// Finds out whether and how far the short way is open, after anything that may have changed it.
    #[inline]
    pub(super) fn look_for_quiet(&mut self) {
        self.quiet = self.straight
            && self.opened
            && !self.recovering
            && !self.loss
            && self.dupacks == 0
            && self.forced == NONE
            && self.quota > 0
            && self.nxt == self.max
            && self.cold.board.sacked_count == 0;
        self.look_ahead();
    }

    /// Finds out which new segments may leave until the next input, and whether anything else may. Cold, so that the short way, which
    /// needs it now and then, keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn look_ahead(&mut self) {
        (self.past, self.asks) = (0, true);
        let repairing = self.recovering || self.loss;
        if !repairing {
            self.whole = self.window.cwnd as u32;
        }
        if !self.straight || !self.opened || self.forced != NONE {
            return;
        }
        if self.quota == 0 {
            self.asks = false;
            return;
        }
        if self.nxt != self.max || self.una == self.max || self.rto_at == Time::NEVER {
            return;
        }
        let room = if repairing { self.room_beside_losses() } else { Some(self.room()) };
        self.open_until(room);
    }

    /// The same where losses are repaired, something is in flight, and this input may release as much as the window lets go.
    #[inline(always)]
    pub(crate) fn look_beside_losses(&mut self) {
        (self.past, self.asks) = (0, true);
        if self.forced == NONE && self.nxt == self.max && self.rto_at != Time::NEVER {
            let room = self.room_beside_losses();
            self.open_until(room);
        }
    }

    /// New segments below `past` may leave and nothing else; where it is none, something else may.
    #[inline(always)]
    fn open_until(&mut self, past: Option<u32>) {
        if let Some(past) = past.filter(|past| *past < self.limit) {
            (self.past, self.asks) = (past, false);
        }
    }

    /// One past the last new segment that the windows let go while nothing is repaired.
    fn room(&self) -> u32 {
        let more = if self.dupacks > 0 && self.cold.params.limited_transmit {
            self.cold.board.sacked_count
        } else {
            0
        };
        self.una.saturating_add(self.whole.saturating_add(more).min(self.rwnd))
    }

    /// The same while losses are repaired and all that are known are in flight again. `None` where there are others, or where
    /// the receiver's window ends before: then holes below may be next (rules 3 and 4 of RFC 6675).
    #[inline(always)]
    fn room_beside_losses(&self) -> Option<u32> {
        // A whole number less than a double leaves a remainder without rounding.
        let pipe = self.cold.board.pipe(self.una, self.max);
        let room = (self.window.cwnd - f64::from(pipe)) as u32;
        if room == 0 {
            return Some(self.max.min(self.limit.saturating_sub(1)));
        }
        if !self.cold.board.is_repaired() {
            return None;
        }
        let past = self.max.saturating_add(room);
        (past <= self.una.saturating_add(self.rwnd)).then_some(past)
    }

    /// An acknowledgement that says no more than its number arrives. False if it is to take the long way by
    /// [`Sender::on_ack`]; that of all that is in flight always does.
    #[inline(always)]
    pub fn on_bare_ack(&mut self, now: Time, ack: u32, echo: Time) -> bool {
        if !self.quiet || ack <= self.una || ack >= self.max {
            return false;
        }
        let (acked, flight) = (ack - self.una, self.max - self.una);
        if self.timed < ack || self.timestamps {
            self.move_una(now, ack, echo, false);
        } else {
            self.una = ack;
            self.rto_at = self.rto_after(now);
        }
        match &mut self.cc {
            Cc::Reno(reno) => {
                // As much in flight as the window has whole segments is the common case of its being used.
                if flight >= self.whole || self.window.is_used_by(flight) || self.cold.params.grow_unused {
                    reno.open_by(&mut self.window, acked);
                    self.whole = self.limit_window();
                }
            }
            _ => {
                self.grow_by(now, (echo, false), acked, acked, flight);
                self.whole = self.window.cwnd as u32;
            }
        }
        let past = u64::from(ack) + u64::from(self.whole.min(self.rwnd));
        if past < u64::from(self.limit) {
            self.past = past as u32;
        } else {
            self.look_ahead();
        }
        true
    }

    /// The next segment to send.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if let Some((seq, size)) = self.poll_next(now) {
            return Some(Segment::data(seq, size, now));
        }
        if self.asks {
            return self.poll_asking(now);
        }
        None
    }

    /// [`Sender::poll_transmit`] where the segment takes the short way, which leaves nothing to be said but its number and its
    /// bytes on the wire.
    #[inline(always)]
    pub fn poll_next(&mut self, now: Time) -> Option<(u32, u32)> {
        (self.nxt < self.past).then(|| (self.take_next(now), self.size))
    }

    /// When it is due if nothing may leave now that does not take the short way, or [`Time::NEVER`]; who is on the short way has
    /// but one timer. `None` where something may.
    #[inline(always)]
    pub fn due_unless_asking(&self) -> Option<Time> {
        if self.asks {
            return None;
        }
        Some(self.rto_at)
    }

    /// A new segment leaves, full, with others in flight and the timer running: its number.
    #[inline(always)]
    fn take_next(&mut self, now: Time) -> u32 {
        let seq = self.nxt;
        (self.nxt, self.max) = (seq + 1, seq + 1);
        if self.timed == NONE {
            (self.timed, self.timed_at) = (seq, now);
        }
        if self.recovering {
            self.cold.board.prr_out += 1;
        }
        seq
    }

    /// The next segment where the short way has ended.
    #[inline(never)]
    pub(super) fn poll_asking(&mut self, now: Time) -> Option<Segment> {
        if !self.straight {
            return self.poll_any(now);
        }
        let segment = self.poll_any(now);
        self.look_ahead();
        segment
    }
}

#[cfg(test)]
mod tests;
