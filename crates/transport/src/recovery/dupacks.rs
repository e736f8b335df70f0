//! Recovery by counting duplicate ACKs: Tahoe, Reno, NewReno.
//!
//! *Reference*: RFC 5681 section 3.2, RFC 6582, RFC 3042; ns-2.35 where an option asks for it.
//! *Units*: segments.
//! *Deviations*: the inflation of fast recovery is separate from cwnd, so deflation is exact. After a timeout
//! limited transmit sends the next segment in order, which may be a retransmission (as in ns-2).

use crate::cc::Cause;
use crate::params::{ExitWindow, PartialAck, Recovery, Reduction};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

impl Sender {
    #[inline]
    pub(crate) fn on_ack_dupacks(&mut self, now: Time, ack: &Ack) {
        if ack.ack > self.seq.una {
            let partial = self.last_action == Action::FastRetransmit
                && self.recovery == Recovery::NewReno
                && ack.ack < self.recover;
            if partial {
                self.partial_ack(now, ack.ack);
            } else {
                self.full_ack(now, ack);
            }
        } else if ack.ack == self.seq.una {
            self.duplicate(now);
        } else {
            self.quota = 0;
        }
    }

    #[inline]
    fn full_ack(&mut self, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - self.seq.una, self.seq.nxt - self.seq.una);
        let leaving = self.recovering;
        let beyond = self.acked_beyond_recover(ack.ack);
        if leaving || self.loss || self.inflation > 0 {
            self.leave_recovery(ack.ack);
        }
        self.advance(now, ack);
        if !leaving || self.cold.params.grow_on_exit {
            self.grow(now, ack, beyond.unwrap_or(acked), acked, flight);
        }
        if self.cold.params.delay_growth && ack.ack == 1 {
            self.window.cwnd = self.cold.initial_window();
        }
    }

    fn leave_recovery(&mut self, ack: u32) {
        if self.loss && ack >= self.recover {
            self.loss = false;
        }
        if self.inflation > 0 {
            if self.last_action == Action::FastRetransmit {
                self.last_action = Action::Exited;
            }
            let exit = self.cold.params.exit_window;
            if self.recovery == Recovery::NewReno && exit != ExitWindow::Ssthresh && !self.model_based {
                let least = u32::from(exit == ExitWindow::Flight);
                let flight = f64::from((self.seq.max - ack).max(least) + 1);
                self.window.cwnd = self.window.ssthresh.min(flight);
            }
        }
        if self.recovering && self.holds_flight() {
            self.window.cwnd = self.window.ssthresh;
        }
        self.inflation = 0;
        self.recovering = false;
        self.partial_seen = false;
    }

    /// Whether recovery sends one segment per duplicate ACK without a reduction: ns-3's proportional rate
    /// reduction sees no deliveries without SACK.
    fn holds_flight(&self) -> bool {
        let proportional = self.cold.params.reduction == Reduction::Ns3 && !self.model_based;
        self.recovery == Recovery::NewReno && proportional
    }

    /// Sets cwnd to the flight in such a recovery.
    fn hold_flight(&mut self) {
        if self.holds_flight() {
            self.window.cwnd = f64::from((self.seq.nxt - self.seq.una).saturating_sub(self.inflation).max(1));
        }
    }

    /// Partial ACK, RFC 6582 section 3.2 step 3: retransmits the next hole, deflates by the segments
    /// acknowledged less one.
    fn partial_ack(&mut self, now: Time, ack: u32) {
        let acked = ack - self.seq.una;
        let p = &self.cold.params;
        if p.partial_deflation {
            if self.inflation > acked {
                self.inflation -= acked - 1;
            } else {
                if !self.model_based {
                    self.window.cwnd = (self.window.cwnd - f64::from(acked - self.inflation)).max(1.0);
                }
                self.inflation = 1;
            }
        } else {
            self.inflation = 0;
        }
        let restart = p.partial_ack == PartialAck::SlowButSteady || !self.partial_seen;
        self.seq.una = ack;
        if self.seq.nxt < ack {
            self.seq.nxt = ack;
        }
        if self.timed != crate::sender::NONE && ack > self.timed {
            self.timed = crate::sender::NONE;
            self.cold.rtt.end_backoff();
            self.rto = self.cold.rto();
        }
        if restart {
            self.partial_seen = true;
            self.rto_at = self.rto_after(now);
        }
        self.forced = ack;
        self.quota = self.recovery_quota();
        self.hold_flight();
    }

    fn duplicate(&mut self, now: Time) {
        let p = &self.cold.params;
        if self.seq.una == self.seq.max && !p.idle_dupacks {
            self.quota = 0;
            return;
        }
        if self.loss && !self.cold.params.dupacks_in_loss {
            self.quota = 0;
            return;
        }
        let (threshold, inflate_always) = (self.threshold(), p.inflate_always);
        if self.dupacks == 0 {
            self.cold.dup_max = self.seq.max;
        }
        self.dupacks += 1;
        let inflates = self.recovery != Recovery::Tahoe;
        if self.dupacks == threshold {
            let entered = self.fast_retransmit(now);
            if inflates && (entered || inflate_always) {
                self.inflation = threshold;
            }
            if entered {
                self.hold_flight();
            }
        } else if self.dupacks > threshold {
            if inflates && (inflate_always || self.last_action == Action::FastRetransmit) {
                self.inflation += 1;
            }
        } else if self.cold.params.limited_transmit {
            self.limited_transmit();
        }
        if self.dupacks < threshold && inflates {
            self.quota = if self.inflation > 0 && self.model_based { self.burst() } else { 0 };
        } else if self.recovery == Recovery::NewReno {
            self.quota = self.recovery_quota();
        }
    }

    fn recovery_quota(&self) -> u32 {
        match self.cold.params.recovery_burst {
            0 => self.burst(),
            n => n as u32,
        }
    }

    /// Limited transmit (RFC 3042): sends a new segment if the receiver's window allows it and the flight
    /// stays within cwnd plus the duplicates.
    pub(crate) fn limited_transmit(&mut self) {
        let flight = self.seq.nxt - self.seq.una;
        let room = f64::from(flight + 1) <= self.window.cwnd + f64::from(self.dupacks);
        if !self.cold.params.pace_repairs && self.model_based {
            // Pacing releases it when it is due.
            self.inflation += 1;
        } else if room && flight < self.seq.rwnd && self.seq.nxt < self.seq.limit {
            self.forced = self.seq.nxt;
            self.seq.nxt += 1;
        }
    }

    /// Whether fast retransmit is allowed now, or the loss belongs to a window that was reduced already.
    pub(crate) fn may_fast_retransmit(&self) -> bool {
        let p = &self.cold.params;
        let opening = p.opening_fix && self.seq.una == p.first_segment();
        let least = self.recover.saturating_add(u32::from(!p.recover_exactly));
        self.seq.una >= least || !p.once_a_window || opening
    }

    fn fast_retransmit(&mut self, now: Time) -> bool {
        // After a reduction for an ECN echo the loss is retransmitted without a further reduction.
        if self.may_fast_retransmit() {
            self.recover = self.seq.max;
            self.reduce_window(now, Cause::Loss);
        } else if !self.ecn || self.last_action != Action::Ecn {
            return false;
        }
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.restart_timer_on_retransmit(now);
        if self.recovery == Recovery::Tahoe {
            self.window.cwnd = 1.0;
            self.cwr = true;
            self.seq.nxt = self.seq.una;
        } else {
            self.recovering = true;
            self.forced = self.seq.una;
        }
        true
    }
}
