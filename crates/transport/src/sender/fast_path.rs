//! Fast path of a sender.
//! Three steps skip the general code, with the same result bit for bit:
//! - a cumulative ACK without SACK, ECN echo or SYN, while nothing is lost and nothing is SACKed;
//! - a duplicate ACK that SACKs one more segment above all others, by RFC 6675 and without ECN;
//! - a new full segment, while others are in flight, the retransmission timer runs, and no CWR is due.
//!
//! They are those of a sender that tracks no segment, with SACK or counted duplicates, with classic ECN or without;
//! `untracked` has their preconditions, `tracked` the steps of RACK, `paced` those of a paced sender with SACK.
//!
//! [`FastPath`] is recomputed after each input, so that sending looks neither at windows nor at options. `tests`
//! compares both paths over random losses, reordering and duplicates.

mod paced;
mod retransmission;
mod sends;
mod tracked;
mod untracked;

pub use tracked::SegmentKind;

use super::Sender;
use crate::cc::Cc;
use crate::connection::{Timer, NONE};
use crate::params::Reduction;
use crate::segment::{SackBlocks, Segment};
use sends::{Pending, Sends};
use units::Time;

/// State of the fast path: which ACKs and segments may take it, recomputed after each input. Small, since every flow
/// has one.
#[derive(Clone, Debug)]
pub(crate) struct FastPath {
    /// The steps that the options allow.
    steps: Steps,
    /// Those of them that skip the general code for the next ACK.
    acks: Steps,
    /// A sender with SACK, without ECN and with a congestion control that does not watch ACKs: nothing more to check.
    is_plain_sack: bool,
    /// Segments that may be ready once [`Sender::poll_fast`] has none.
    pending: Pending,
    /// One past the last new segment that [`Sender::poll_fast`] may send; 0 for a tracked sender.
    end: u32,
    /// One past the last new segment that [`Sender::poll_tracked`] may send; 0 for an untracked sender.
    tracked_end: u32,
    /// cwnd rounded down, cached outside recovery.
    cwnd: u32,
}

/// The steps of a sender that skip the general code, by its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// None.
    Slow,
    /// Those of a sender that tracks no segment.
    Untracked,
    /// Those of a sender with RACK.
    Tracked,
    /// Those of a paced sender with SACK: its ACKs take the slow path.
    Paced,
}

impl FastPath {
    /// Returns the state of a connection that has not started.
    pub(super) fn new() -> FastPath {
        let slow = Steps::Slow;
        let (is_plain_sack, pending) = (false, Pending::Any);
        FastPath { steps: slow, acks: slow, is_plain_sack, pending, end: 0, tracked_end: 0, cwnd: 0 }
    }
}

impl Sender {
    /// Decides which fast paths the options allow.
    pub(super) fn init_fast_path(&mut self) {
        self.fast.steps = if self.is_untracked_eligible() {
            Steps::Untracked
        } else if self.is_tracked_eligible() {
            Steps::Tracked
        } else if self.is_paced_eligible() {
            Steps::Paced
        } else {
            Steps::Slow
        };
        self.fast.is_plain_sack = self.is_sack_without_ecn() && !self.shows_acks;
    }

    /// Recomputes which ACKs and segments may take the fast path, after any change of the state.
    #[inline]
    pub(super) fn update_fast_path(&mut self) {
        match self.fast.steps {
            Steps::Untracked => {
                let plain = self.nothing_is_missing()
                    && self.recovery.parts.board.sacked_count == 0
                    && (self.fast.is_plain_sack || self.is_plain_untracked());
                self.fast.acks = if plain { Steps::Untracked } else { Steps::Slow };
            }
            Steps::Tracked => self.update_tracked_acks(),
            Steps::Paced | Steps::Slow => {}
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

    /// Recomputes which new segments may be sent on the fast path. Cold, so that the fast path keeps its registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn update_fast_send(&mut self) {
        let in_recovery = self.recovery.recovering || self.recovery.loss;
        if !in_recovery {
            self.fast.cwnd = self.ctx.window.cwnd as u32;
        }
        match self.fast.steps {
            Steps::Untracked => {
                let sends = if !self.fast.is_plain_sack && self.leaves_sends_to_slow_path() {
                    Sends::SLOW
                } else {
                    self.sends(in_recovery, Sender::window_end_in_recovery)
                };
                self.set_fast_sends(sends);
            }
            Steps::Tracked => self.update_tracked_send(in_recovery),
            Steps::Paced => self.update_paced_send(),
            Steps::Slow => {}
        }
    }

    /// The new segments that may be sent on the fast path until the next input; in recovery all before
    /// `end_in_recovery`.
    #[inline(always)]
    fn sends(&self, in_recovery: bool, end_in_recovery: impl FnOnce(&Sender) -> Option<u32>) -> Sends {
        if !self.opened || self.recovery.forced != NONE {
            return Sends::SLOW;
        }
        if self.ctx.quota == 0 {
            return Sends::NOTHING;
        }
        if self.ctx.seq.nxt != self.ctx.seq.max
            || self.ctx.seq.una == self.ctx.seq.max
            || !self.ctx.timers.is_armed(Timer::Retransmission)
        {
            return Sends::SLOW;
        }
        let past = if in_recovery { end_in_recovery(self) } else { Some(self.window_end()) };
        Sends::until(past, self.ctx.seq.limit)
    }

    /// Same as [`Sender::update_fast_send`] in recovery with segments in flight, for an untracked sender.
    #[inline(always)]
    pub(crate) fn update_fast_send_in_recovery(&mut self) {
        let plain = self.recovery.forced == NONE
            && self.ctx.seq.nxt == self.ctx.seq.max
            && self.ctx.timers.is_armed(Timer::Retransmission)
            && !self.announces_reduction();
        let past = if plain { self.window_end_in_recovery() } else { None };
        self.set_fast_sends(Sends::until(past, self.ctx.seq.limit));
    }

    /// Sets the segments of [`Sender::poll_fast`].
    #[inline(always)]
    fn set_fast_sends(&mut self, sends: Sends) {
        self.fast.end = sends.end;
        self.fast.pending = if sends.slow_pending { Pending::Any } else { Pending::Nothing };
    }

    /// One past the last new segment that the windows allow outside recovery.
    fn window_end(&self) -> u32 {
        let known = self.recovery.dupacks > 0 || self.fast.steps == Steps::Tracked;
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
        if self.fast.acks != Steps::Untracked || ack <= self.ctx.seq.una || ack >= self.ctx.seq.max {
            return self.fast.acks == Steps::Tracked && self.on_ack_tracked(now, ack, echo);
        }
        if self.shows_acks {
            self.show_sack(now, (ack, echo), &SackBlocks::default());
        }
        let (acked, flight) = (ack - self.ctx.seq.una, self.ctx.seq.outstanding());
        if self.ctx.timed < ack || self.ctx.timestamps {
            self.ctx.move_una(now, ack, echo, false);
        } else {
            self.ctx.seq.una = ack;
            self.ctx.restart_exact_timer(now);
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
        (ack, echo): (u32, Time),
        blocks: &SackBlocks,
        before: impl FnOnce(&Sender),
    ) -> bool {
        let may = self.fast.steps == Steps::Untracked && self.opened && ack == self.ctx.seq.una;
        if !may || !self.is_sack_without_ecn() {
            return self.has_rack_steps() && self.on_sack_tracked(now, (ack, echo), blocks, before);
        }
        let threshold = || self.ctx.threshold();
        let (parts, seq) = (&mut *self.recovery.parts, self.ctx.seq);
        if !parts.board.add_above_all(blocks, (seq.una, seq.max), threshold) {
            return false;
        }
        self.ctx.quota = NONE;
        if self.recovery.dupacks == 0 {
            self.fast.acks = Steps::Slow;
            parts.dup_max = seq.max;
        }
        if self.shows_acks {
            self.show_sack(now, (ack, echo), blocks);
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
        let last_segments = self.fast.pending == Pending::Any && end >= self.ctx.seq.limit;
        self.fast.cwnd == self.ctx.window.cwnd as u32 && (self.fast.end == end || last_segments)
    }

    /// Returns the next segment to send.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if let Some((seq, size)) = self.poll_fast(now) {
            return Some(Segment { ecn: self.codepoint(), ..Segment::data(seq, size, now) });
        }
        if self.fast.pending == Pending::Nothing {
            return None;
        }
        self.poll_slow(now)
    }

    /// Same as [`Sender::poll_transmit`] on the fast path of an untracked sender: sequence number and wire size, which
    /// is all there is to such a segment.
    #[inline(always)]
    pub fn poll_fast(&mut self, now: Time) -> Option<(u32, u32)> {
        (self.ctx.seq.nxt < self.fast.end).then(|| (self.send_next(now), self.size))
    }

    /// The next deadline, if nothing but [`Sender::poll_fast`] has a segment to send ([`Time::NEVER`]: no timer); an
    /// untracked sender on the fast path has one timer only. `None` if something may be ready.
    #[inline(always)]
    pub fn due_on_fast_path(&self) -> Option<Time> {
        (self.fast.pending == Pending::Nothing).then(|| self.ctx.timers.deadline(Timer::Retransmission))
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

    /// The next segment that [`Sender::poll_fast`] does not send.
    #[inline(never)]
    pub(super) fn poll_slow(&mut self, now: Time) -> Option<Segment> {
        match self.fast.steps {
            Steps::Slow => return self.poll_segment(now),
            Steps::Untracked => {}
            Steps::Tracked | Steps::Paced => {
                if let Some((seq, size, kind)) = self.poll_tracked(now) {
                    let (push, retransmit) =
                        (kind == SegmentKind::Pushed, kind == SegmentKind::Retransmission);
                    let ecn = self.codepoint();
                    return Some(Segment { push, retransmit, ecn, ..Segment::data(seq, size, now) });
                }
                if self.fast.pending != Pending::Any {
                    return None;
                }
            }
        }
        let segment = self.poll_segment(now);
        if segment.is_some() {
            self.update_fast_send();
        }
        segment
    }
}

#[cfg(test)]
mod tests;
