//! Fast path of a sender.
//! Two steps skip the general code, with the same result bit for bit:
//! - a cumulative ACK without SACK, ECN echo or SYN, while nothing is lost and nothing is SACKed;
//! - a new full segment, while others are in flight and the retransmission timer runs.
//!
//! `fast_end` and `needs_slow_path` are recomputed after each input, so that sending looks neither at windows
//! nor at options. `tests` compares both paths over random losses, reordering and duplicates.

use super::{Sender, NONE};
use crate::cc::Cc;
use crate::params::{Params, Recovery, Samples};
use crate::segment::Segment;
use units::Time;

/// State of the fast path: which ACKs and segments may take it, recomputed after each input.
#[derive(Clone, Debug)]
pub(crate) struct FastPath {
    /// The options allow the fast path: [`Sender::is_fast_path_eligible`].
    pub(crate) eligible: bool,
    /// ACKs take the fast path now.
    pub(crate) acks: bool,
    /// A segment that needs the slow path may be ready to send.
    slow_pending: bool,
    /// Every ACK gives an RTT sample (the `samples` option, cached).
    pub(crate) timestamps: bool,
    /// One past the last new segment that may be sent on the fast path.
    end: u32,
    /// cwnd rounded down, cached outside recovery.
    cwnd: u32,
}

impl FastPath {
    /// Returns the state of a connection that has not started.
    pub(super) fn new(p: &Params) -> FastPath {
        let timestamps = p.samples != Samples::PerWindow;
        FastPath { eligible: false, acks: false, slow_pending: true, timestamps, end: 0, cwnd: 0 }
    }
}

impl Sender {
    /// Precondition of the fast path: whether the options ever allow it.
    pub(super) fn is_fast_path_eligible(&self) -> bool {
        let ordinary = !(self.shows_acks || self.keeps_ledger || self.may_delay || self.ecn);
        self.recovery == Recovery::Sack
            && ordinary
            && self.cold.params.max_burst == 0
            && !self.cold.params.pipe_always
    }

    /// Recomputes which ACKs and segments may take the fast path, after any change of the state.
    #[inline]
    pub(super) fn update_fast_path(&mut self) {
        self.fast.acks = self.fast.eligible
            && self.opened
            && !self.recovering
            && !self.loss
            && self.dupacks == 0
            && self.forced == NONE
            && self.quota > 0
            && self.seq.nxt == self.seq.max
            && self.cold.board.sacked_count == 0;
        self.update_fast_send();
    }

    /// Recomputes which new segments may be sent on the fast path until the next input, and whether the slow
    /// path has anything to send. Cold, so that the fast path keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn update_fast_send(&mut self) {
        (self.fast.end, self.fast.slow_pending) = (0, true);
        let repairing = self.recovering || self.loss;
        if !repairing {
            self.fast.cwnd = self.window.cwnd as u32;
        }
        if !self.fast.eligible || !self.opened || self.forced != NONE {
            return;
        }
        if self.quota == 0 {
            self.fast.slow_pending = false;
            return;
        }
        if self.seq.nxt != self.seq.max || self.seq.una == self.seq.max || self.rto_at == Time::NEVER {
            return;
        }
        let room = if repairing { self.window_end_in_recovery() } else { Some(self.window_end()) };
        self.set_fast_end(room);
    }

    /// Same as [`Sender::update_fast_send`] in recovery with segments in flight, without a burst limit.
    #[inline(always)]
    pub(crate) fn update_fast_send_in_recovery(&mut self) {
        (self.fast.end, self.fast.slow_pending) = (0, true);
        if self.forced == NONE && self.seq.nxt == self.seq.max && self.rto_at != Time::NEVER {
            let room = self.window_end_in_recovery();
            self.set_fast_end(room);
        }
    }

    /// Lets new segments below `end` take the fast path, and nothing else leave; `None` leaves all to the
    /// slow path.
    #[inline(always)]
    fn set_fast_end(&mut self, past: Option<u32>) {
        if let Some(past) = past.filter(|past| *past < self.seq.limit) {
            (self.fast.end, self.fast.slow_pending) = (past, false);
        }
    }

    /// One past the last new segment that the windows allow outside recovery.
    fn window_end(&self) -> u32 {
        let more = if self.dupacks > 0 && self.cold.params.limited_transmit {
            self.cold.board.sacked_count
        } else {
            0
        };
        self.seq.una.saturating_add(self.fast.cwnd.saturating_add(more).min(self.seq.rwnd))
    }

    /// One past the last new segment allowed in recovery, if all known losses have been retransmitted. `None`
    /// if not, or if the receiver's window ends before: then holes below may be next (rules 3 and 4 of RFC
    /// 6675).
    #[inline(always)]
    fn window_end_in_recovery(&self) -> Option<u32> {
        // An integer subtracted from a larger double needs no rounding here.
        let pipe = self.cold.board.pipe(self.seq.una, self.seq.max);
        let room = (self.window.cwnd - f64::from(pipe)) as u32;
        if room == 0 {
            return Some(self.seq.max.min(self.seq.limit.saturating_sub(1)));
        }
        if !self.cold.board.all_retransmitted() {
            return None;
        }
        let past = self.seq.max.saturating_add(room);
        (past <= self.seq.window_end()).then_some(past)
    }

    /// Processes a cumulative ACK on the fast path. Returns false, without effect, if it needs the slow path
    /// ([`Sender::on_ack`]); the ACK of everything in flight always does.
    #[inline(always)]
    pub fn on_ack_fast(&mut self, now: Time, ack: u32, echo: Time) -> bool {
        if !self.fast.acks || ack <= self.seq.una || ack >= self.seq.max {
            return false;
        }
        let (acked, flight) = (ack - self.seq.una, self.seq.outstanding());
        if self.timed < ack || self.fast.timestamps {
            self.move_una(now, ack, echo, false);
        } else {
            self.seq.una = ack;
            self.rto_at = self.rto_after(now);
        }
        match &mut self.cc {
            Cc::Reno(reno) => {
                // Usually the flight equals cwnd in whole segments.
                if flight >= self.fast.cwnd || self.window.is_used_by(flight) || self.cold.params.grow_unused
                {
                    reno.open_by(&mut self.window, acked);
                    self.fast.cwnd = self.limit_window();
                }
            }
            _ => {
                self.grow_by(now, (echo, false), acked, acked, flight);
                self.fast.cwnd = self.window.cwnd as u32;
            }
        }
        let past = u64::from(ack) + u64::from(self.fast.cwnd.min(self.seq.rwnd));
        if past < u64::from(self.seq.limit) {
            self.fast.end = past as u32;
        } else {
            self.update_fast_send();
        }
        debug_assert!(self.is_fast_path_fresh(), "cached window and end equal the recomputed ones");
        true
    }

    /// Whether the cached window and end equal those that [`Sender::update_fast_send`] computes.
    fn is_fast_path_fresh(&self) -> bool {
        let end = self.window_end();
        let last_segments = self.fast.slow_pending && end >= self.seq.limit;
        self.fast.cwnd == self.window.cwnd as u32 && (self.fast.end == end || last_segments)
    }

    /// Returns the next segment to send.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if let Some((seq, size)) = self.poll_fast(now) {
            return Some(Segment::data(seq, size, now));
        }
        if self.fast.slow_pending {
            return self.poll_slow(now);
        }
        None
    }

    /// Same as [`Sender::poll_transmit`] on the fast path: sequence number and wire size, which is all there
    /// is to such a segment.
    #[inline(always)]
    pub fn poll_fast(&mut self, now: Time) -> Option<(u32, u32)> {
        (self.seq.nxt < self.fast.end).then(|| (self.send_next(now), self.size))
    }

    /// The timeout, if nothing is ready for the slow path ([`Time::NEVER`]: no timer); a sender on the fast
    /// path has one timer only. `None` if something may be ready.
    #[inline(always)]
    pub fn due_on_fast_path(&self) -> Option<Time> {
        if self.fast.slow_pending {
            return None;
        }
        Some(self.rto_at)
    }

    /// Sends a new full segment with others in flight and the timer running; returns its number.
    #[inline(always)]
    fn send_next(&mut self, now: Time) -> u32 {
        let seq = self.seq.nxt;
        (self.seq.nxt, self.seq.max) = (seq + 1, seq + 1);
        if self.timed == NONE {
            (self.timed, self.timed_at) = (seq, now);
        }
        if self.recovering {
            self.cold.board.prr_out += 1;
        }
        seq
    }

    /// The next segment once the fast path has ended.
    #[inline(never)]
    pub(super) fn poll_slow(&mut self, now: Time) -> Option<Segment> {
        if !self.fast.eligible {
            return self.poll_segment(now);
        }
        let segment = self.poll_segment(now);
        self.update_fast_send();
        segment
    }
}

#[cfg(test)]
mod tests;
