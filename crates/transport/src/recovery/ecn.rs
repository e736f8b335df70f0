//! Explicit congestion notification at the sender: feedback from ACKs, and the response of the window.
//!
//! *Reference*: RFC 3168 section 6.1, RFC 9768 for accurate ECN; ns-2.35 where an option asks for it.
//! *Units*: segments.
//! *Deviations*: none.

use super::{LastReduction, LossRecovery};
use crate::cc::{Cause, Control};
use crate::connection::Ctx;
use crate::params::{EcnRule, Recovery, Reduce, Reduction};
use crate::segment::Ack;
use units::Time;

impl LossRecovery {
    /// Returns the ACK with the ECN echo that its counters imply.
    pub(crate) fn decode_accecn(&mut self, ctx: &mut Ctx, ack: &Ack) -> Ack {
        let acked = ack.ack.saturating_sub(ctx.seq.una);
        let news = if ack.ack < ctx.seq.una { 0 } else { acked + self.newly_sacked(ctx, ack) };
        let mss = ctx.params.mss.0 as u32;
        let Some(feedback) = ctx.feedback.get_mut() else { return *ack };
        feedback.newly_marked = 0;
        // An ACK of nothing new may be reordered, and so may its counters (RFC 9768 appendix A.1).
        if news > 0 {
            feedback.read(ack.ace, ack.bytes.as_ref(), news, mss);
        }
        let (contradicted, ece) = (feedback.contradicted, feedback.newly_marked > 0);
        if contradicted {
            ctx.capable = None;
        }
        Ack { ece, ..*ack }
    }

    /// Segments that an ACK SACKs for the first time.
    fn newly_sacked(&mut self, ctx: &mut Ctx, ack: &Ack) -> u32 {
        if !self.algorithm.selective() {
            // A duplicate ACK reports one more arrival.
            return u32::from(ack.ack == ctx.seq.una && ctx.seq.una < ctx.seq.max);
        }
        self.parts.board.newly_sacked(&ack.sack, ack.ack, ctx.seq.max)
    }

    /// Reduces the window for an ECN echo, at most once per window.
    #[inline]
    pub(crate) fn on_ecn_echo(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if ack.ece {
            self.reduce_for_echo(ctx, now, ack);
        }
    }

    #[cold]
    fn reduce_for_echo(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        // A timeout has reduced the window, too, and covers all that was outstanding (RFC 3168 section
        // 6.1.2); not in ns-2.
        let repeated = self.last_reduction == LastReduction::Timeout && ctx.params.ecn_rule == EcnRule::Ns2;
        if ack.ack <= self.recover && !repeated || !ctx.cc.may_reduce_on_echo(now) {
            return;
        }
        self.finish_echo_reduction(ctx);
        let before = ctx.window.cwnd;
        self.recover = ctx.seq.max;
        self.keep_reduction();
        self.last_reduction = LastReduction::Ecn;
        if ctx.window.cwnd > 1.0 {
            ctx.ecn_backoff = false;
        } else if ctx.ecn_backoff {
            ctx.double_rto();
        } else {
            ctx.ecn_backoff = true;
        }
        let mut load = self.load(ctx);
        if ctx.params.reduce == Reduce::Pipe {
            // In ns-3 what the echo acknowledges is in flight no more.
            load = (load - f64::from(ack.ack.saturating_sub(ctx.seq.una))).max(0.0);
        }
        ctx.reduce_window(now, Cause::Ecn, load);
        ctx.counters.ecn_cuts += 1;
        if self.is_reducing_for_echo(ctx) {
            // The window falls with the ACKs of this round trip.
            ctx.window.cwnd = before.max(ctx.window.ssthresh);
            let flight = if self.algorithm == Recovery::Rack { before as u32 } else { ctx.seq.outstanding() };
            self.parts.board.recover_fs = flight.max(1);
            (self.parts.board.prr_delivered, self.parts.board.prr_out) = (0, 0);
        }
    }

    /// Whether an ECN echo is reducing the window in proportion to deliveries (`reduction = "linux"` or `"ns3"`): until
    /// everything sent before the echo is acknowledged, and nothing else grows the window.
    #[inline]
    pub(super) fn is_reducing_for_echo(&self, ctx: &Ctx) -> bool {
        self.last_reduction == LastReduction::Ecn && self.reduces_in_steps(ctx)
    }

    fn reduces_in_steps(&self, ctx: &Ctx) -> bool {
        let stepwise = match self.algorithm {
            Recovery::Rack => ctx.params.reduction == Reduction::Linux,
            Recovery::Sack => ctx.params.reduction == Reduction::Ns3,
            _ => false,
        };
        stepwise && !ctx.model_based
    }

    /// Continues the reduction for an ECN echo with an ACK; `safe`: it advances and shows no loss. Returns whether the
    /// reduction continues.
    pub(super) fn continue_echo_reduction(&mut self, ctx: &mut Ctx, delivered: u32, safe: bool) -> bool {
        if ctx.seq.una > self.recover {
            self.finish_echo_reduction(ctx);
            return false;
        }
        if delivered > 0 {
            self.update_prr(ctx, delivered, safe);
        }
        true
    }

    /// Ends the reduction for an ECN echo at ssthresh.
    fn finish_echo_reduction(&mut self, ctx: &mut Ctx) {
        if self.is_reducing_for_echo(ctx) {
            if let Some(target) = ctx.cc.window_after_recovery() {
                ctx.window.ssthresh = target;
            }
            ctx.window.cwnd = ctx.window.ssthresh;
            self.last_reduction = LastReduction::Exited;
        }
    }
}
