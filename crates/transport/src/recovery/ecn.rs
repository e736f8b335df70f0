//! Explicit congestion notification as a sender hears it: what echoes say, and what they do to the window.
//!
//! *Reference*: RFC 3168 section 6.1, RFC 9768 for accurate ECN; ns-2.35 where an option says so.
//! *Units*: segments.
//! *Deviations*: none.

use crate::cc::{Cause, Control};
use crate::params::EcnRule;
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

impl Sender {
    /// The acknowledgement with the echo its counter stands for (RFC 9768 section 3.2.2.5 and appendix A.2): the least increase
    /// that fits, or, where more segments are acknowledged than three bits can tell apart, the greatest.
    pub(crate) fn read_counter(&mut self, ack: &Ack) -> Ack {
        let acked = ack.ack.saturating_sub(self.una);
        let least = u32::from(ack.ace.wrapping_sub(self.cold.ace) & 7);
        let marked = if acked < 8 { least } else { acked - ((acked - least) & 7) };
        self.cold.ace = ack.ace;
        self.cold.newly_marked = marked;
        Ack { ece: marked > 0, ..*ack }
    }

    /// Segments an acknowledgement newly reports as marked.
    pub(super) fn newly_marked(&self, ece: bool, acked: u32) -> u32 {
        if self.accurate {
            self.cold.newly_marked
        } else if ece {
            acked
        } else {
            0
        }
    }

    /// Whether this acknowledgement's ECN echo lets the window grow.
    pub(super) fn may_grow_on(&mut self, ece: bool) -> bool {
        if self.cold.params.ecn_rule != EcnRule::Ns2 {
            return !ece || self.cc.grows_beside_marks();
        }
        let may = !self.cold.ecn_agreed || !ece;
        self.cold.ecn_agreed |= ece;
        may
    }

    /// The receiver may echo congestion: at most one cut a window.
    #[inline]
    pub(crate) fn on_ecn_echo(&mut self, now: Time, ack: &Ack) {
        if ack.ece {
            self.cut_for_echo(now, ack);
        }
    }

    #[cold]
    fn cut_for_echo(&mut self, now: Time, ack: &Ack) {
        // A timeout has reduced the window, too, and answers all that was outstanding (RFC 3168 section 6.1.2); not in ns-2.
        let anew = self.last_action == Action::Timeout && self.cold.params.ecn_rule == EcnRule::Ns2;
        if ack.ack <= self.recover && !anew || !self.cc.may_cut_for_marks(now) {
            return;
        }
        self.recover = self.max;
        self.keep_cut();
        self.last_action = Action::Ecn;
        if self.window.cwnd > 1.0 {
            self.cold.ecn_backoff = false;
        } else if self.cold.ecn_backoff {
            self.cold.rtt.back_off();
            self.rto = self.cold.rtt.rto();
        } else {
            self.cold.ecn_backoff = true;
        }
        self.cut(now, Cause::Ecn);
        self.cold.counters.ecn_cuts += 1;
    }
}
