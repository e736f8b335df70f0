//! Fast path of a sender with RACK, paced or not: its segments are tracked one by one.
//!
//! Five steps skip the general code, with the same result bit for bit:
//! - an ACK of new data without SACK and ECN echo, while nothing is SACKed, lost or probed for;
//! - a duplicate ACK that SACKs one more segment above all others, without a timeout or a probe before;
//! - a new full segment, while others are in flight, nothing is to be retransmitted and the retransmission timer runs;
//! - a retransmission in fast recovery (`retransmission`);
//! - a pacing timer that fires alone.

use super::{Pending, Sender, Sends, Steps, NONE};
use crate::connection::Timer;
use crate::params::{Handshake, Recovery};
use crate::segment::SackBlocks;
use units::{Span, Time};

/// A segment of [`Sender::poll_tracked`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// New.
    New,
    /// New, the last of a burst of segmentation offload (PSH).
    Pushed,
    /// Sent again.
    Retransmission,
}

impl Sender {
    /// Precondition: RACK without ECN and random delays, with a congestion control that does not watch every ACK.
    pub(in crate::sender) fn is_tracked_eligible(&self) -> bool {
        let (p, ctx) = (&self.ctx.params, &self.ctx);
        let ordinary = p.max_burst == 0
            && p.overhead == Span::ZERO
            && p.open_wait == Span::ZERO
            && p.handshake != Handshake::Ns2Syn
            && !(p.pace_first || p.pipe_always);
        self.recovery.algorithm == Recovery::Rack && ordinary && !(ctx.watches_acks() || ctx.ecn)
    }

    /// Recomputes which ACKs may take the fast path, after any change of the state.
    pub(super) fn update_tracked_acks(&mut self) {
        self.recovery.parts.rack.tlp.armed_at = Time::NEVER;
        let plain = self.nothing_is_missing() && self.recovery.is_rack_eligible();
        self.fast.acks = if plain { Steps::Tracked } else { Steps::Slow };
    }

    /// Recomputes which segments may be sent on the fast path; [`Sender::update_fast_send`] calls it.
    #[inline(never)]
    pub(super) fn update_tracked_send(&mut self, in_recovery: bool) {
        let mut retransmits = false;
        let sends = self.sends(in_recovery, |sender| {
            let room = sender.room_in_recovery();
            retransmits = room > 0 && sender.recovery.parts.rack.lost.len() > 0;
            if retransmits {
                None
            } else {
                sender.tracked_end_in_recovery(room)
            }
        });
        self.set_tracked_sends(sends);
        if retransmits && !self.recovery.loss {
            self.fast.pending = Pending::Retransmission;
        }
    }

    /// Sets the segments of [`Sender::poll_tracked`].
    #[inline(always)]
    pub(super) fn set_tracked_sends(&mut self, sends: Sends) {
        self.fast.tracked_end = sends.end;
        self.fast.pending = if sends.slow_pending { Pending::Any } else { Pending::Tracked };
    }

    /// Segments that the window allows in recovery besides those in flight.
    #[inline(always)]
    fn room_in_recovery(&self) -> u32 {
        // An integer subtracted from a larger double needs no rounding here.
        (self.ctx.window.cwnd - f64::from(self.recovery.pipe(&self.ctx))) as u32
    }

    /// One past the last new segment allowed in fast recovery if nothing is to be retransmitted and there is this much
    /// room. `None` leaves all to the slow path: after a timeout, and at the end of the receiver's window.
    #[inline(always)]
    fn tracked_end_in_recovery(&self, room: u32) -> Option<u32> {
        if self.recovery.loss {
            return None;
        }
        if room == 0 {
            return Some(self.ctx.seq.max.min(self.ctx.seq.limit.saturating_sub(1)));
        }
        let past = self.ctx.seq.max.saturating_add(room);
        (past <= self.ctx.seq.window_end()).then_some(past)
    }

    /// Processes a cumulative ACK on the fast path; see [`Sender::on_ack_fast`].
    #[inline(never)]
    pub(super) fn on_ack_tracked(&mut self, now: Time, ack: u32, echo: Time) -> bool {
        if ack <= self.ctx.seq.una || ack >= self.ctx.seq.max {
            return false;
        }
        self.ctx.quota = NONE;
        let plain = self.recovery.on_ack_rack_fast(&mut self.ctx, now, ack, echo);
        self.write_more();
        if !plain {
            self.update_fast_path();
            return true;
        }
        let cwnd = self.ctx.window.cwnd as u32;
        self.fast.cwnd = cwnd;
        // A lone segment waits longer for its probe.
        self.recovery.parts.rack.tlp.armed_at =
            if self.ctx.seq.outstanding() > 1 { now } else { Time::NEVER };
        let past = ack.saturating_add(cwnd.min(self.ctx.seq.rwnd));
        if past < self.ctx.seq.limit {
            (self.fast.tracked_end, self.fast.pending) = (past, Pending::Tracked);
        } else {
            self.update_fast_send();
        }
        true
    }

    /// Processes a duplicate ACK with SACK blocks on the fast path; see [`Sender::on_sack_fast`].
    #[inline(never)]
    pub(in crate::sender) fn on_sack_tracked(
        &mut self,
        now: Time,
        (ack, echo): (u32, Time),
        blocks: &SackBlocks,
        before: impl FnOnce(&Sender),
    ) -> bool {
        let one_more =
            self.opened && ack == self.ctx.seq.una && self.recovery.reports_one_more(&self.ctx, blocks);
        if !one_more {
            return false;
        }
        before(self);
        self.ctx.quota = NONE;
        self.recovery.on_sack_rack_fast(&mut self.ctx, now, echo, blocks);
        self.write_more();
        self.update_fast_path();
        true
    }

    /// Whether segments are sent by [`Sender::poll_tracked`].
    #[inline]
    pub fn is_tracked(&self) -> bool {
        matches!(self.fast.steps, Steps::Tracked | Steps::Paced)
    }

    /// Whether the steps are those of RACK.
    #[inline]
    pub(in crate::sender) fn has_rack_steps(&self) -> bool {
        self.fast.steps == Steps::Tracked
    }

    /// Same as [`Sender::poll_fast`] for a tracked sender, with the kind of the segment. If pacing delays it, arms its
    /// timer and returns `None`; also if it waits for the rest of a burst.
    #[inline(always)]
    pub fn poll_tracked(&mut self, now: Time) -> Option<(u32, u32, SegmentKind)> {
        if self.ctx.seq.nxt >= self.fast.tracked_end {
            if self.fast.pending == Pending::Retransmission {
                return self.poll_retransmission(now);
            }
            return None;
        }
        if self.fast.steps == Steps::Paced {
            return self.poll_paced(now);
        }
        let (seq, parts) = (self.ctx.seq.nxt, &self.recovery.parts);
        let missing = parts.board.sacked_count + parts.rack.lost.len();
        let in_flight = seq + 1 - self.ctx.seq.una - missing;
        if in_flight <= 1 {
            // The first segment of a flight resets the rate sample.
            self.set_tracked_sends(Sends::SLOW);
            return None;
        }
        if self.waits_for_pacing(now) {
            return None;
        }
        if self.ctx.offloads && !self.may_join_burst(now) {
            return None;
        }
        (self.ctx.seq.nxt, self.ctx.seq.max) = (seq + 1, seq + 1);
        if self.ctx.timed == NONE {
            (self.ctx.timed, self.ctx.timed_at) = (seq, now);
        }
        if self.recovery.recovering {
            self.recovery.parts.board.prr_out += 1;
        }
        self.recovery.record_new_segment(&mut self.ctx, now, seq, in_flight);
        if self.recovery.parts.rack.tlp.armed_at != now {
            self.recovery.arm_probe(&mut self.ctx, now);
        }
        let pushed = self.ctx.offloads && self.ctx.tracking.burst.take_push();
        Some((seq, self.size, if pushed { SegmentKind::Pushed } else { SegmentKind::New }))
    }

    /// Same as [`Sender::due_on_fast_path`] once [`Sender::poll_tracked`] has no segment to send.
    #[inline]
    pub fn due_on_tracked_path(&self) -> Option<Time> {
        (self.fast.pending != Pending::Any).then(|| self.ctx.timers.next())
    }

    /// Fires the pacing timer on the fast path: nothing but the permission to send changes. Returns false, without
    /// effect, if it is not due or not alone ([`Sender::on_timer`]).
    #[inline]
    pub fn on_pacing_timer_fast(&mut self, now: Time) -> bool {
        if !self.is_tracked() || self.ctx.quota == 0 || !self.ctx.timers.fire_alone(Timer::Pacing, now) {
            return false;
        }
        self.ctx.quota = NONE;
        if let Some(rack) = self.recovery.parts.rack.get_mut() {
            rack.tlp.armed_at = Time::NEVER;
        }
        true
    }
}
