//! The handshake: SYN, SYN-ACK, ECN negotiation, and the moment at which data may be sent.
//!
//! *Reference*: RFC 9293 section 3.5, RFC 5681 section 3.1, RFC 9768 section 3.1 for ECN.
//! *Units*: segments.
//! *Deviations*: none.

use super::Sender;
use crate::accecn::{was_mangled, was_marked, Mode};
use crate::cc::Control;
use crate::connection::{Timer, NONE};
use crate::params::{Codepoint, EcnRule, Handshake, ReorderTimer};
use crate::segment::{Ack, Role, Segment};
use units::{Span, Time};

impl Sender {
    #[cold]
    pub(super) fn syn(&mut self, now: Time) -> Segment {
        if !self.ctx.timers.is_armed(Timer::Retransmission) {
            self.ctx.restart_timer(now, true);
        }
        let retransmit = self.ctx.rtt.backoff() > 1;
        let size = self.ctx.params.ack_size.0 as u32;
        let ecn_flags = self.syn_ecn_flags();
        Segment { role: Role::Syn, retransmit, ecn_flags, ..Segment::data(0, size, now) }
    }

    /// Processes the SYN-ACK; ignores anything before it.
    #[cold]
    pub(super) fn on_syn_ack(&mut self, now: Time, ack: &Ack) {
        if !ack.syn || self.awaits_open() {
            return;
        }
        self.recovery.forced = NONE;
        self.agree(ack);
        self.begin_data(now);
        self.ctx.timers.cancel(Timer::Retransmission);
        let again = self.ctx.rtt.backoff() > 1;
        self.ctx.rtt.end_backoff();
        // A retransmitted SYN gives no sample, and the initial window falls to 1 (RFC 5681 section 3.1).
        if !again {
            let (now, sent) = self.ctx.on_clock(now, ack.echo);
            self.ctx.rtt.sample(&self.ctx.params, now, sent, (0, 0));
        } else if self.ctx.params.opening_fix {
            self.ctx.window.cwnd = 1.0;
        }
        self.ctx.rto = self.ctx.rtt.rto(&self.ctx.params);
        self.ctx.cc.on_open_at(now);
        self.start_pacing();
    }

    /// ECN flags of the SYN: the first two SYNs ask for ECN, later ones do not, in case ECN prevents an
    /// answer (RFC 9768 section 3.1.4.1).
    fn syn_ecn_flags(&self) -> u8 {
        if self.negotiates() && self.ctx.rtt.backoff() <= 2 {
            Mode::of(&self.ctx.params).asks()
        } else {
            0
        }
    }

    fn negotiates(&self) -> bool {
        let p = &self.ctx.params;
        p.handshake == Handshake::ThreeWay && p.ecn_rule != EcnRule::Ns2
    }

    /// Takes the ECN mode of the connection from the SYN-ACK (RFC 9768 section 3.1).
    fn agree(&mut self, answer: &Ack) {
        if !self.ctx.ecn || !self.negotiates() {
            return;
        }
        match Mode::of(&self.ctx.params).for_answer(answer.ace) {
            Mode::Accurate => {
                if let Some(feedback) = self.ctx.feedback.get_mut() {
                    feedback.open(answer.bytes.as_ref());
                }
                if was_mangled(answer.ace) {
                    // The SYN was not ECN-capable: a path that changes it may clear CE marks as well.
                    self.ctx.capable = None;
                }
                if was_marked(answer.ace) {
                    self.ctx.window.cwnd = 1.0;
                }
            }
            Mode::Classic => {
                if self.ctx.feedback.remove() {
                    self.ctx.cc.fall_back_to_classic_ecn();
                }
                // ECT(1) promises a response to each mark (RFC 9331 section 4.2).
                self.ctx.capable = Some(Codepoint::Ect0);
            }
            Mode::NotEcn => {
                self.ctx.ecn = false;
                self.ctx.capable = None;
                self.ctx.feedback.remove();
            }
        }
    }

    /// The connection is open: allows data now, or after `open_wait`.
    fn begin_data(&mut self, now: Time) {
        let wait = self.ctx.params.open_wait;
        if wait == Span::ZERO {
            self.opened = true;
            self.ctx.quota = self.ctx.burst();
            return;
        }
        self.ctx.timers.arm(Timer::Pacing, now + wait);
        self.ctx.timers.refresh();
    }

    /// The handshake is done, but data waits (`open_wait`).
    fn awaits_open(&self) -> bool {
        self.ctx.params.open_wait > Span::ZERO && self.ctx.timers.is_armed(Timer::Pacing)
    }

    /// Sets the first pacing rate of an open connection, and in Linux the first minimum RTT.
    pub(super) fn start_pacing(&mut self) {
        if self.ctx.params.reorder_timer == ReorderTimer::Ticks && self.ctx.tracking.is_present() {
            let rtt = self.ctx.srtt().filter(|rtt| *rtt > Span::ZERO).unwrap_or(Span(u64::MAX));
            self.ctx.tracking.min_rtt = self.ctx.tracking.min_rtt.min(rtt);
        }
        self.ctx.cc.on_open(self.ctx.srtt());
        if let Some(window) = self.ctx.cc.first_window() {
            self.ctx.window.cwnd = window;
        }
        if self.ctx.paced && self.ctx.params.pace_start {
            self.ctx.tracking.pacer.set(self.ctx.cc.pace());
        }
        self.write_more();
    }
}
