//! Fast path of a sender.
//! Two steps skip the general code, with the same result bit for bit:
//! - a cumulative ACK without SACK, ECN echo or SYN, while nothing is lost and nothing is SACKed;
//! - a new full segment, while others are in flight and the retransmission timer runs.
//!
//! They are those of a sender that tracks no segment; `tracked` has those of RACK.
//!
//! `fast_end` and `needs_slow_path` are recomputed after each input, so that sending looks neither at windows
//! nor at options. `tests` compares both paths over random losses, reordering and duplicates.

mod tracked;

use super::Sender;
use crate::cc::Cc;
use crate::connection::{Timer, NONE};
use crate::params::{Recovery, Reduction};
use crate::segment::{SackBlocks, Segment};
use tracked::Tracked;
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
    /// One past the last new segment that may be sent on the fast path.
    end: u32,
    /// cwnd rounded down, cached outside recovery.
    cwnd: u32,
    /// The same for a sender that tracks its segments.
    tracked: Tracked,
}

impl FastPath {
    /// Returns the state of a connection that has not started.
    pub(super) fn new() -> FastPath {
        FastPath {
            eligible: false,
            acks: false,
            slow_pending: true,
            end: 0,
            cwnd: 0,
            tracked: Tracked::new(),
        }
    }
}

impl Sender {
    /// Decides which fast paths the options allow.
    pub(super) fn init_fast_path(&mut self) {
        self.fast.eligible = self.is_fast_path_eligible();
        self.fast.tracked.eligible = self.is_tracked_eligible();
    }

    /// Precondition of the fast path: whether the options ever allow it.
    fn is_fast_path_eligible(&self) -> bool {
        let ordinary = !(self.shows_acks || self.ctx.tracking.is_present() || self.ctx.ecn);
        self.recovery.algorithm == Recovery::Sack
            && ordinary
            && self.ctx.params.max_burst == 0
            && !self.ctx.params.pipe_always
    }

    /// Recomputes which ACKs and segments may take the fast path, after any change of the state.
    #[inline]
    pub(super) fn update_fast_path(&mut self) {
        self.fast.acks =
            self.fast.eligible && self.nothing_is_missing() && self.recovery.parts.board.sacked_count == 0;
        if self.fast.tracked.eligible {
            self.update_tracked_acks();
        }
        self.update_fast_send();
    }

    /// Whether the connection is open, outside recovery, and all that may be sent has been sent once.
    #[inline(always)]
    fn nothing_is_missing(&self) -> bool {
        self.opened
            && !self.recovery.recovering
            && !self.recovery.loss
            && self.recovery.dupacks == 0
            && self.recovery.forced == NONE
            && self.ctx.quota > 0
            && self.ctx.seq.nxt == self.ctx.seq.max
    }

    /// Recomputes which new segments may be sent on the fast path until the next input, and whether the slow
    /// path has anything to send. Cold, so that the fast path keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn update_fast_send(&mut self) {
        (self.fast.end, self.fast.slow_pending) = (0, true);
        let repairing = self.recovery.recovering || self.recovery.loss;
        if !repairing {
            self.fast.cwnd = self.ctx.window.cwnd as u32;
        }
        if !(self.fast.eligible || self.fast.tracked.eligible) || !self.opened || self.recovery.forced != NONE
        {
            return;
        }
        if self.ctx.quota == 0 {
            self.fast.slow_pending = false;
            return;
        }
        if self.ctx.seq.nxt != self.ctx.seq.max
            || self.ctx.seq.una == self.ctx.seq.max
            || !self.ctx.timers.is_armed(Timer::Retransmission)
        {
            return;
        }
        if self.fast.tracked.eligible {
            return self.update_tracked_send(repairing);
        }
        let room = if repairing { self.window_end_in_recovery() } else { Some(self.window_end()) };
        self.set_fast_end(room);
    }

    /// Same as [`Sender::update_fast_send`] in recovery with segments in flight, without a burst limit.
    #[inline(always)]
    pub(crate) fn update_fast_send_in_recovery(&mut self) {
        (self.fast.end, self.fast.slow_pending) = (0, true);
        if self.recovery.forced == NONE
            && self.ctx.seq.nxt == self.ctx.seq.max
            && self.ctx.timers.is_armed(Timer::Retransmission)
        {
            let room = self.window_end_in_recovery();
            self.set_fast_end(room);
        }
    }

    /// Lets new segments below `end` take the fast path, and nothing else leave; `None` leaves all to the
    /// slow path.
    #[inline(always)]
    fn set_fast_end(&mut self, past: Option<u32>) {
        if let Some(past) = past.filter(|past| *past < self.ctx.seq.limit) {
            (self.fast.end, self.fast.slow_pending) = (past, false);
        }
    }

    /// One past the last new segment that the windows allow outside recovery.
    fn window_end(&self) -> u32 {
        let known = self.recovery.dupacks > 0 || self.fast.tracked.eligible;
        let more = if known && self.ctx.params.limited_transmit {
            self.recovery.parts.board.sacked_count
        } else {
            0
        };
        self.ctx.seq.una.saturating_add(self.fast.cwnd.saturating_add(more).min(self.ctx.seq.rwnd))
    }

    /// One past the last new segment allowed in recovery, if all known losses have been retransmitted. `None`
    /// if not, or if the receiver's window ends before: then holes below may be next (rules 3 and 4 of RFC
    /// 6675).
    #[inline(always)]
    fn window_end_in_recovery(&self) -> Option<u32> {
        // An integer subtracted from a larger double needs no rounding here.
        let pipe = self.recovery.parts.board.pipe(self.ctx.seq.una, self.ctx.seq.max);
        let room = (self.ctx.window.cwnd - f64::from(pipe)) as u32;
        if room == 0 {
            return Some(self.ctx.seq.max.min(self.ctx.seq.limit.saturating_sub(1)));
        }
        if !self.recovery.parts.board.all_retransmitted() {
            return None;
        }
        let past = self.ctx.seq.max.saturating_add(room);
        (past <= self.ctx.seq.window_end()).then_some(past)
    }

    /// Processes a cumulative ACK on the fast path. Returns false, without effect, if it needs the slow path
    /// ([`Sender::on_ack`]); the ACK of everything in flight always does.
    #[inline(always)]
    pub fn on_ack_fast(&mut self, now: Time, ack: u32, echo: Time) -> bool {
        if !self.fast.acks || ack <= self.ctx.seq.una || ack >= self.ctx.seq.max {
            return self.fast.tracked.acks && self.on_ack_tracked(now, ack, echo);
        }
        let (acked, flight) = (ack - self.ctx.seq.una, self.ctx.seq.outstanding());
        if self.ctx.timed < ack || self.ctx.timestamps {
            self.ctx.move_una(now, ack, echo, false);
        } else {
            self.ctx.seq.una = ack;
            self.ctx.restart_timer(now, true);
        }
        match &mut self.ctx.cc {
            Cc::Reno(reno) => {
                // Usually the flight equals cwnd in whole segments.
                if flight >= self.fast.cwnd
                    || self.ctx.window.is_used_by(flight)
                    || self.ctx.params.grow_unused
                {
                    reno.open_by(&mut self.ctx.window, acked);
                    self.fast.cwnd = self.ctx.limit_window();
                }
            }
            _ => {
                self.ctx.grow(now, (echo, false), (acked, acked), flight, false);
                self.fast.cwnd = self.ctx.window.cwnd as u32;
            }
        }
        let past = u64::from(ack) + u64::from(self.fast.cwnd.min(self.ctx.seq.rwnd));
        if past < u64::from(self.ctx.seq.limit) {
            self.fast.end = past as u32;
        } else {
            self.update_fast_send();
        }
        debug_assert!(self.is_fast_path_fresh(), "cached window and end equal the recomputed ones");
        true
    }

    /// Fast path of a duplicate ACK that reports one more SACKed segment, above all others. Returns false, without
    /// effect, if it needs the slow path ([`Sender::on_ack`]). Calls `before` before a change of the window.
    #[inline(always)]
    pub fn on_sack_fast(
        &mut self,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        before: impl FnOnce(&Sender),
    ) -> bool {
        let may = self.fast.eligible && self.opened && ack == self.ctx.seq.una;
        if !may {
            return false;
        }
        let threshold = || self.ctx.threshold();
        let (parts, seq) = (&mut *self.recovery.parts, self.ctx.seq);
        if !parts.board.add_above_all(blocks, (seq.una, seq.max), threshold) {
            return false;
        }
        self.ctx.quota = NONE;
        if self.recovery.dupacks == 0 {
            self.fast.acks = false;
            parts.dup_max = seq.max;
        }
        self.recovery.dupacks += 1;
        let recovering = self.recovery.recovering;
        let reduces = recovering && self.ctx.params.reduction != Reduction::AtOnce;
        if reduces || !recovering && self.recovery.must_enter_sack(&self.ctx) {
            before(self);
            self.reduce_on_sack(now);
        } else if recovering {
            self.update_fast_send_in_recovery();
        } else {
            self.update_fast_send();
        }
        true
    }

    /// Reduces the window for one more SACKed segment.
    #[cold]
    #[inline(never)]
    fn reduce_on_sack(&mut self, now: Time) {
        self.recovery.reduce_on_sack(&mut self.ctx, now);
        self.update_fast_send();
    }

    /// Whether the cached window and end equal those that [`Sender::update_fast_send`] computes.
    fn is_fast_path_fresh(&self) -> bool {
        let end = self.window_end();
        let last_segments = self.fast.slow_pending && end >= self.ctx.seq.limit;
        self.fast.cwnd == self.ctx.window.cwnd as u32 && (self.fast.end == end || last_segments)
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
        if self.ctx.seq.nxt >= self.fast.end {
            return None;
        }
        let seq = if self.fast.tracked.eligible { self.poll_tracked(now)? } else { self.send_next(now) };
        Some((seq, self.size))
    }

    /// The next deadline, if nothing is ready for the slow path ([`Time::NEVER`]: no timer). `None` if something
    /// may be ready.
    #[inline(always)]
    pub fn due_on_fast_path(&self) -> Option<Time> {
        if self.fast.slow_pending {
            return None;
        }
        Some(self.ctx.timers.next())
    }

    /// Sends a new full segment with others in flight and the timer running; returns its number.
    #[inline(always)]
    fn send_next(&mut self, now: Time) -> u32 {
        let seq = self.ctx.seq.nxt;
        (self.ctx.seq.nxt, self.ctx.seq.max) = (seq + 1, seq + 1);
        if self.ctx.timed == NONE {
            (self.ctx.timed, self.ctx.timed_at) = (seq, now);
        }
        if self.recovery.recovering {
            self.recovery.parts.board.prr_out += 1;
        }
        seq
    }

    /// The next segment once the fast path has ended.
    #[inline(never)]
    pub(super) fn poll_slow(&mut self, now: Time) -> Option<Segment> {
        if !(self.fast.eligible || self.fast.tracked.eligible) {
            return self.poll_segment(now);
        }
        let segment = self.poll_segment(now);
        self.update_fast_send();
        segment
    }
}

#[cfg(test)]
mod tests;
