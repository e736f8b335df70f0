//! When a segment that the window allows may leave: pacing, random delay, forced retransmissions.
//!
//! *Reference*: CSB25 section 5.6.2; ns-2's `overhead_` for the random delay.
//! *Units*: times.

use super::Sender;
use crate::connection::Timer;
use crate::segment::Segment;
use units::{Rng, Span, Time};

impl Sender {
    /// Whether pacing delays the next segment; if it does, arms its timer.
    #[inline(always)]
    pub(super) fn waits_for_pacing(&mut self, now: Time) -> bool {
        let waits = self.ctx.paced && self.ctx.tracking.pacer.must_wait(now);
        if waits {
            self.ctx.timers.arm(Timer::Pacing, self.ctx.tracking.pacer.next);
        }
        waits
    }

    /// Whether a segment that the window allows may leave now; if not, arms a timer.
    pub(super) fn may_send_now(&mut self, now: Time) -> bool {
        if self.waits_for_pacing(now) {
            return false;
        }
        if !self.jitter_elapsed && self.ctx.params.overhead > Span::ZERO {
            self.arm_jitter(now);
            return false;
        }
        true
    }

    /// Sends a segment that is due at the arrival of an ACK before the ACK is processed (`pace_first`).
    pub(super) fn send_due_first(&mut self, now: Time) {
        if self.ctx.paced && self.ctx.params.pace_first && self.ctx.timers.is_due(Timer::Pacing, now) {
            self.on_other_timers(now);
            self.ctx.tracking.early = self.poll_segment(now);
        }
    }

    /// Sends a segment regardless of the window.
    pub(super) fn emit_forced(&mut self, now: Time, seq: u32) -> Segment {
        if !self.ctx.paced || self.ctx.params.pace_retransmissions {
            return self.emit(now, seq);
        }
        let before = self.ctx.tracking.pacer.clone();
        let segment = self.emit(now, seq);
        self.ctx.tracking.pacer.retransmitted(now, before);
        segment
    }

    /// Arms the random sending delay (`overhead`).
    fn arm_jitter(&mut self, now: Time) {
        self.ctx.quota = 0;
        if !self.ctx.timers.is_armed(Timer::Jitter) {
            let u = self.ctx.tracking.stream.uniform();
            let until = now + self.ctx.params.overhead.scale(u);
            self.ctx.timers.arm(Timer::Jitter, until);
        }
    }

    /// Fires the timers other than the retransmission timer.
    #[cold]
    pub(super) fn on_other_timers(&mut self, now: Time) {
        let burst = self.ctx.burst();
        if self.ctx.timers.fire(Timer::Jitter, now) {
            self.ctx.quota = burst;
            self.jitter_elapsed = true;
        }
        if self.ctx.timers.fire(Timer::Pacing, now) {
            self.opened = true;
            self.ctx.quota = burst;
        }
        if self.recovery.parts.rack.is_present() {
            self.recovery.on_rack_timer(&mut self.ctx, now);
        }
        self.ctx.timers.refresh();
    }
}
