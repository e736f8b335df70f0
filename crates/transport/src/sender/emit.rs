//! Builds the segments that a sender sends.

use super::{Sender, NONE};
use crate::params::{Codepoint, EcnRule, Handshake};
use crate::segment::{Role, Segment};
use units::{Ecn, Time};

impl Sender {
    #[cold]
    pub(super) fn syn(&mut self, now: Time) -> Segment {
        if self.rto_at == Time::NEVER {
            self.rto_at = self.rto_after(now);
        }
        let retransmit = self.cold.rtt.backoff() > 1;
        let size = self.cold.params.ack_size.0 as u32;
        let ecn_flags = self.syn_ecn_flags();
        Segment { role: Role::Syn, retransmit, ecn_flags, ..Segment::data(0, size, now) }
    }

    #[inline]
    pub(super) fn emit(&mut self, now: Time, seq: u32) -> Segment {
        let mut idle = self.seq.una == self.seq.max;
        let retransmit = seq < self.seq.max;
        if retransmit {
            self.retransmits += 1;
            self.record_retransmitted(seq);
        } else {
            self.seq.max = seq + 1;
            if self.timed == NONE {
                self.timed = seq;
                self.timed_at = now;
            }
        }
        if self.keeps_ledger {
            idle &= self.record_transmission(now, seq, retransmit);
        }
        if idle || self.rto_at == Time::NEVER {
            self.rto_at = self.rto_after(now);
        }
        let mut segment = Segment { retransmit, ..Segment::data(seq, self.size, now) };
        if self.ecn {
            self.mark_capable(&mut segment);
        }
        if self.offloads {
            segment.push = self.cold.optional.bunch.take_push();
        }
        if seq == 0 {
            (segment.size, segment.role) = self.first();
        } else if seq + 1 == self.seq.limit {
            segment.size = self.cold.last_size;
        }
        segment
    }

    /// Records a retransmission: ACKs that start with it give no RTT sample, where an option asks for that.
    #[inline(never)]
    fn record_retransmitted(&mut self, seq: u32) {
        let (una, max) = (self.seq.una, self.seq.max);
        if let Some(retransmitted_set) = self.cold.retransmitted_set() {
            retransmitted_set.note(seq, una, max);
        }
    }

    /// Size and role of the first segment, which may differ from the others. Returned by value, so that
    /// callers keep their locals in registers.
    #[cold]
    fn first(&self) -> (u32, Role) {
        let p = &self.cold.params;
        if p.handshake == Handshake::Ns2Syn {
            (p.ack_size.0 as u32, Role::Syn)
        } else if p.bare_first {
            (self.size - p.header_bytes().0 as u32, Role::Data)
        } else if self.seq.limit == 1 {
            (self.cold.last_size, Role::Data)
        } else {
            (self.size, Role::Data)
        }
    }

    /// Sets ECT on new data, not on retransmissions; sets CWR on the first new segment after a reduction (RFC
    /// 3168 section 6.1).
    #[inline]
    fn mark_capable(&mut self, segment: &mut Segment) {
        let ect = self.cold.capable;
        if ect == Some(Codepoint::Ect1) {
            segment.ecn = Ecn::Ect1;
            return;
        }
        let ns2 = self.cold.params.ecn_rule == EcnRule::Ns2;
        let capable = if ns2 { segment.seq > 0 } else { !segment.retransmit };
        if capable && ect.is_some() {
            segment.ecn = Ecn::Ect0;
        }
        // Accurate ECN has no CWR handshake (RFC 9768 section 3.1.5).
        if self.cold.optional.parts().feedback.is_none() && (ns2 || !segment.retransmit) {
            segment.cwr = std::mem::take(&mut self.cwr);
        }
    }
}
