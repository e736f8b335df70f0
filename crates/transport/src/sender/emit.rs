//! Builds the segments that a sender sends.

use super::Sender;
use crate::connection::{Timer, NONE};
use crate::params::{Codepoint, EcnRule, Handshake, ReorderTimer};
use crate::segment::{Role, Segment};
use units::{Ecn, Time};

impl Sender {
    #[inline]
    pub(super) fn emit(&mut self, now: Time, seq: u32) -> Segment {
        let mut idle = self.ctx.seq.una == self.ctx.seq.max;
        let retransmit = seq < self.ctx.seq.max;
        if retransmit {
            self.retransmits += 1;
            self.record_retransmitted(now, seq);
        } else {
            self.ctx.seq.max = seq + 1;
            if self.ctx.timed == NONE {
                self.ctx.timed = seq;
                self.ctx.timed_at = now;
            }
        }
        if self.keeps_ledger {
            idle &= self.recovery.record_transmission(&mut self.ctx, now, seq, retransmit);
        }
        if idle || !self.ctx.timers.is_armed(Timer::Retransmission) {
            self.ctx.restart_timer(now, true);
        }
        let mut segment = Segment { retransmit, ..Segment::data(seq, self.size, now) };
        if self.ctx.ecn {
            self.mark_capable(&mut segment);
        }
        if self.ctx.offloads {
            segment.push = self.ctx.tracking.burst.take_push();
        }
        if seq == 0 {
            (segment.size, segment.role) = self.first();
        } else if seq + 1 == self.ctx.seq.limit {
            segment.size = self.last_size;
        }
        segment
    }

    /// Records a retransmission: ACKs that start with it give no RTT sample, where an option asks for that, and that of
    /// the first outstanding segment restarts the timer in Linux, unless the reordering timer runs.
    #[inline(never)]
    pub(super) fn record_retransmitted(&mut self, now: Time, seq: u32) {
        let (una, max) = (self.ctx.seq.una, self.ctx.seq.max);
        let by_ticks = self.ctx.params.reorder_timer == ReorderTimer::Ticks;
        if by_ticks && seq == una && !self.ctx.timers.is_armed(Timer::Reordering) {
            self.ctx.restart_timer(now, true);
        }
        if let Some(retransmitted) = self.ctx.retransmitted.get_mut() {
            retransmitted.note(seq, una, max);
        }
    }

    /// Size and role of the first segment, which may differ from the others. Returned by value, so that
    /// callers keep their locals in registers.
    #[cold]
    fn first(&self) -> (u32, Role) {
        let p = &self.ctx.params;
        if p.handshake == Handshake::Ns2Syn {
            (p.ack_size.0 as u32, Role::Syn)
        } else if p.bare_first {
            (self.size - p.header_bytes().0 as u32, Role::Data)
        } else if self.ctx.seq.limit == 1 {
            (self.last_size, Role::Data)
        } else {
            (self.size, Role::Data)
        }
    }

    /// Sets ECT on new data, not on retransmissions; sets CWR on the first new segment after a reduction (RFC
    /// 3168 section 6.1).
    #[inline]
    fn mark_capable(&mut self, segment: &mut Segment) {
        let ect = self.ctx.capable;
        if ect == Some(Codepoint::Ect1) {
            segment.ecn = Ecn::Ect1;
            return;
        }
        let ns2 = self.ctx.params.ecn_rule == EcnRule::Ns2;
        let capable = if ns2 { segment.seq > 0 } else { !segment.retransmit };
        if capable && ect.is_some() {
            segment.ecn = Ecn::Ect0;
        }
        // Accurate ECN has no CWR handshake (RFC 9768 section 3.1.5).
        if !self.ctx.feedback.is_present() && (ns2 || !segment.retransmit) {
            segment.cwr = std::mem::take(&mut self.ctx.cwr);
        }
    }
}
