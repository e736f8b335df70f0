//! Recovery by counting duplicate ACKs: Tahoe, Reno, NewReno.
//!
//! *Reference*: RFC 5681 section 3.2, RFC 6582, RFC 3042; ns-2.35 where an option asks for it.
//! *Units*: segments.
//! *Deviations*: the inflation of fast recovery is separate from cwnd, so deflation is exact. After a timeout
//! limited transmit sends the next segment in order, which may be a retransmission (as in ns-2).

use super::{LastReduction, LossRecovery};
use crate::cc::Cause;
use crate::connection::{Ctx, NONE};
use crate::params::{ExitWindow, PartialAck, Recovery, Reduction};
use crate::segment::Ack;
use units::Time;

impl LossRecovery {
    #[inline]
    pub(crate) fn on_ack_dupacks(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if ack.ack > ctx.seq.una {
            let partial = self.last_reduction == LastReduction::FastRetransmit
                && self.algorithm == Recovery::NewReno
                && ack.ack < self.recover;
            if partial {
                self.partial_ack(ctx, now, ack.ack);
            } else {
                self.full_ack(ctx, now, ack);
            }
        } else if ack.ack == ctx.seq.una {
            self.duplicate(ctx, now);
        } else {
            ctx.quota = 0;
        }
    }

    #[inline]
    fn full_ack(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - ctx.seq.una, ctx.seq.nxt - ctx.seq.una);
        let leaving = self.recovering;
        let beyond = self.acked_beyond_recover(ctx, ack.ack);
        if leaving || self.loss || self.inflation > 0 {
            self.leave_recovery(ctx, ack.ack);
        }
        self.advance(ctx, now, ack);
        if !leaving || ctx.params.grow_on_exit {
            self.grow(ctx, now, ack, beyond.unwrap_or(acked), acked, flight);
        }
        if ctx.params.delay_growth && ack.ack == 1 {
            ctx.window.cwnd = ctx.initial_window();
        }
    }

    fn leave_recovery(&mut self, ctx: &mut Ctx, ack: u32) {
        if self.loss && ack >= self.recover {
            self.loss = false;
        }
        if self.inflation > 0 {
            if self.last_reduction == LastReduction::FastRetransmit {
                self.last_reduction = LastReduction::Exited;
            }
            let exit = ctx.params.exit_window;
            if self.algorithm == Recovery::NewReno && exit != ExitWindow::Ssthresh && !ctx.model_based {
                let least = u32::from(exit == ExitWindow::Flight);
                let flight = f64::from((ctx.seq.max - ack).max(least) + 1);
                ctx.window.cwnd = ctx.window.ssthresh.min(flight);
            }
        }
        if self.recovering && self.holds_flight(ctx) {
            ctx.window.cwnd = ctx.window.ssthresh;
        }
        self.inflation = 0;
        self.recovering = false;
        self.partial_seen = false;
    }

    /// Whether recovery sends one segment per duplicate ACK without a reduction: ns-3's proportional rate
    /// reduction sees no deliveries without SACK.
    fn holds_flight(&self, ctx: &Ctx) -> bool {
        let proportional = ctx.params.reduction == Reduction::Ns3 && !ctx.model_based;
        self.algorithm == Recovery::NewReno && proportional
    }

    /// Sets cwnd to the flight in such a recovery.
    fn hold_flight(&mut self, ctx: &mut Ctx) {
        if self.holds_flight(ctx) {
            ctx.window.cwnd = f64::from((ctx.seq.nxt - ctx.seq.una).saturating_sub(self.inflation).max(1));
        }
    }

    /// Partial ACK, RFC 6582 section 3.2 step 3: retransmits the next hole, deflates by the segments
    /// acknowledged less one.
    fn partial_ack(&mut self, ctx: &mut Ctx, now: Time, ack: u32) {
        let acked = ack - ctx.seq.una;
        let p = &ctx.params;
        if p.partial_deflation {
            if self.inflation > acked {
                self.inflation -= acked - 1;
            } else {
                if !ctx.model_based {
                    ctx.window.cwnd = (ctx.window.cwnd - f64::from(acked - self.inflation)).max(1.0);
                }
                self.inflation = 1;
            }
        } else {
            self.inflation = 0;
        }
        let restart = p.partial_ack == PartialAck::SlowButSteady || !self.partial_seen;
        ctx.seq.una = ack;
        if ctx.seq.nxt < ack {
            ctx.seq.nxt = ack;
        }
        if ctx.timed != NONE && ack > ctx.timed {
            ctx.timed = NONE;
            ctx.end_backoff();
        }
        if restart {
            self.partial_seen = true;
            ctx.restart_timer(now, true);
        }
        self.forced = ack;
        ctx.quota = self.recovery_quota(ctx);
        self.hold_flight(ctx);
    }

    fn duplicate(&mut self, ctx: &mut Ctx, now: Time) {
        let p = &ctx.params;
        if ctx.seq.una == ctx.seq.max && !p.idle_dupacks {
            ctx.quota = 0;
            return;
        }
        if self.loss && !ctx.params.dupacks_in_loss {
            ctx.quota = 0;
            return;
        }
        let (threshold, inflate_always) = (ctx.threshold(), p.inflate_always);
        if self.dupacks == 0 {
            self.parts.dup_max = ctx.seq.max;
        }
        self.dupacks += 1;
        let inflates = self.algorithm != Recovery::Tahoe;
        if self.dupacks == threshold {
            let entered = self.fast_retransmit(ctx, now);
            if inflates && (entered || inflate_always) {
                self.inflation = threshold;
            }
            if entered {
                self.hold_flight(ctx);
            }
        } else if self.dupacks > threshold {
            if inflates && (inflate_always || self.last_reduction == LastReduction::FastRetransmit) {
                self.inflation += 1;
            }
        } else if ctx.params.limited_transmit {
            self.limited_transmit(ctx);
        }
        if self.dupacks < threshold && inflates {
            ctx.quota = if self.inflation > 0 && ctx.model_based { ctx.burst() } else { 0 };
        } else if self.algorithm == Recovery::NewReno {
            ctx.quota = self.recovery_quota(ctx);
        }
    }

    fn recovery_quota(&self, ctx: &Ctx) -> u32 {
        match ctx.params.recovery_burst {
            0 => ctx.burst(),
            n => n as u32,
        }
    }

    /// Limited transmit (RFC 3042): sends a new segment if the receiver's window allows it and the flight
    /// stays within cwnd plus the duplicates.
    pub(crate) fn limited_transmit(&mut self, ctx: &mut Ctx) {
        let flight = ctx.seq.nxt - ctx.seq.una;
        let room = f64::from(flight + 1) <= ctx.window.cwnd + f64::from(self.dupacks);
        if !ctx.params.pace_retransmissions && ctx.model_based {
            // Pacing releases it when it is due.
            self.inflation += 1;
            ctx.quota = ctx.burst();
        } else if room && flight < ctx.seq.rwnd && ctx.seq.nxt < ctx.seq.limit {
            self.forced = ctx.seq.nxt;
            ctx.seq.nxt += 1;
        }
    }

    /// Whether fast retransmit is allowed now, or the loss belongs to a window that was reduced already.
    pub(crate) fn may_fast_retransmit(&self, ctx: &Ctx) -> bool {
        let p = &ctx.params;
        let opening = p.opening_fix && ctx.seq.una == p.first_segment();
        let least = self.recover.saturating_add(u32::from(!p.recover_exactly));
        ctx.seq.una >= least || !p.once_a_window || opening
    }

    fn fast_retransmit(&mut self, ctx: &mut Ctx, now: Time) -> bool {
        // After a reduction for an ECN echo the loss is retransmitted without a further reduction.
        if self.may_fast_retransmit(ctx) {
            self.recover = ctx.seq.max;
            self.reduce_window(ctx, now, Cause::Loss);
        } else if !ctx.ecn || self.last_reduction != LastReduction::Ecn {
            return false;
        }
        self.last_reduction = LastReduction::FastRetransmit;
        ctx.counters.fast_recoveries += 1;
        ctx.restart_timer_on_retransmit(now);
        if self.algorithm == Recovery::Tahoe {
            ctx.window.cwnd = 1.0;
            self.inflation = 0;
            ctx.cwr = true;
            ctx.seq.nxt = ctx.seq.una;
        } else {
            self.recovering = true;
            self.forced = ctx.seq.una;
        }
        true
    }
}
