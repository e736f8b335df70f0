//! Explicit congestion notification at the sender: feedback from ACKs, and the response of the window.
//!
//! *Reference*: RFC 3168 section 6.1, RFC 9768 for accurate ECN; ns-2.35 where an option asks for it.
//! *Units*: segments.
//! *Deviations*: none.

use crate::accecn::{was_mangled, was_marked, Mode};
use crate::cc::{Cause, Control};
use crate::params::{Codepoint, EcnRule, Handshake};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

impl Sender {
    /// ECN flags of the SYN: the first two SYNs ask for ECN, later ones do not, in case ECN is why no answer
    /// arrives (RFC 9768 section 3.1.4.1).
    pub(crate) fn syn_ecn_flags(&self) -> u8 {
        if self.negotiates() && self.cold.rtt.backoff() <= 2 {
            Mode::of(&self.cold.params).asks()
        } else {
            0
        }
    }

    fn negotiates(&self) -> bool {
        let p = &self.cold.params;
        p.handshake == Handshake::ThreeWay && p.ecn_rule != EcnRule::Ns2
    }

    /// Takes the ECN mode of the connection from the SYN-ACK (RFC 9768 section 3.1).
    pub(crate) fn agree(&mut self, answer: &Ack) {
        if !self.ecn || !self.negotiates() {
            return;
        }
        match Mode::of(&self.cold.params).for_answer(answer.ace) {
            Mode::Accurate => {
                if let Some(feedback) = self.cold.feedback() {
                    feedback.open(answer.bytes.as_ref());
                }
                if was_mangled(answer.ace) {
                    // The SYN was not ECN-capable: a path that changes it may clear CE marks as well.
                    self.cold.capable = None;
                }
                if was_marked(answer.ace) {
                    self.window.cwnd = 1.0;
                }
            }
            Mode::Classic => {
                if self.cold.disable_feedback() {
                    self.cc.fall_back_to_classic_ecn();
                }
                // ECT(1) promises a response to each mark (RFC 9331 section 4.2).
                self.cold.capable = Some(Codepoint::Ect0);
            }
            Mode::NotEcn => {
                self.ecn = false;
                self.cold.capable = None;
                self.cold.disable_feedback();
            }
        }
    }

    /// Returns the ACK with the ECN echo that its counters imply.
    pub(crate) fn decode_accecn(&mut self, ack: &Ack) -> Ack {
        let acked = ack.ack.saturating_sub(self.seq.una);
        let news = if ack.ack < self.seq.una { 0 } else { acked + self.newly_sacked(ack) };
        let mss = self.cold.params.mss.0 as u32;
        let Some(feedback) = self.cold.feedback() else { return *ack };
        feedback.newly_marked = 0;
        // An ACK of nothing new may be reordered, and so may its counters (RFC 9768 appendix A.1).
        if news > 0 {
            feedback.read(ack.ace, ack.bytes.as_ref(), news, mss);
        }
        let (contradicted, ece) = (feedback.contradicted, feedback.newly_marked > 0);
        if contradicted {
            self.cold.capable = None;
        }
        Ack { ece, ..*ack }
    }

    /// Segments that an ACK SACKs for the first time.
    fn newly_sacked(&mut self, ack: &Ack) -> u32 {
        if !self.recovery.selective() {
            // A duplicate ACK reports one more arrival.
            return u32::from(ack.ack == self.seq.una && self.seq.una < self.seq.max);
        }
        self.cold.board.newly_sacked(&ack.sack, ack.ack, self.seq.max)
    }

    /// Segments newly reported as marked by an ACK.
    pub(super) fn newly_marked(&self, ece: bool, acked: u32) -> u32 {
        match &self.cold.optional.parts().feedback {
            Some(feedback) => feedback.newly_marked,
            None if ece => acked,
            None => 0,
        }
    }

    /// Whether the ECN echo of this ACK lets the window grow.
    pub(super) fn may_grow_on(&mut self, ece: bool) -> bool {
        if self.cold.params.ecn_rule != EcnRule::Ns2 {
            return !ece || self.cc.grows_on_echo();
        }
        let may = !self.cold.ecn_agreed || !ece;
        self.cold.ecn_agreed |= ece;
        may
    }

    /// Reduces the window for an ECN echo, at most once per window.
    #[inline]
    pub(crate) fn on_ecn_echo(&mut self, now: Time, ack: &Ack) {
        if ack.ece {
            self.reduce_for_echo(now, ack);
        }
    }

    #[cold]
    fn reduce_for_echo(&mut self, now: Time, ack: &Ack) {
        // A timeout has reduced the window, too, and covers all that was outstanding (RFC 3168 section
        // 6.1.2); not in ns-2.
        let anew = self.last_action == Action::Timeout && self.cold.params.ecn_rule == EcnRule::Ns2;
        if ack.ack <= self.recover && !anew || !self.cc.may_reduce_on_echo(now) {
            return;
        }
        self.recover = self.seq.max;
        self.keep_reduction();
        self.last_action = Action::Ecn;
        if self.window.cwnd > 1.0 {
            self.cold.ecn_backoff = false;
        } else if self.cold.ecn_backoff {
            self.cold.back_off();
            self.rto = self.cold.rto();
        } else {
            self.cold.ecn_backoff = true;
        }
        self.reduce_window(now, Cause::Ecn);
        self.cold.counters.ecn_cuts += 1;
    }
}
