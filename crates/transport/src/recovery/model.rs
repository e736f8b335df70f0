//! The end of an ACK: congestion controls that set window and pacing rate from a model of the path get its losses and
//! its rate sample, others the pacing rate of their window.
//!
//! *Units*: segments; rates in segments per second.

use super::LossRecovery;
use crate::cc::Control;
use crate::connection::{Ctx, NONE};
use crate::params::{BbrLosses, Pacing, Recovery, ShownRtt};
use units::Time;

impl LossRecovery {
    /// Completes an ACK: reports losses, the rate sample and the pacing rate.
    #[inline]
    pub(super) fn finish_ack(&mut self, ctx: &mut Ctx, now: Time) {
        if self.parts.rack.is_present() {
            self.arm_probe(ctx, now);
        }
        if ctx.model_based {
            self.report_losses(ctx, now);
            self.update_model(ctx, now);
        } else if ctx.paced {
            let pace = ctx.window_pace();
            ctx.tracking.pacer.set(pace);
            let starting = ctx.window.cwnd < ctx.window.ssthresh;
            ctx.paced = starting || ctx.params.pacing != Pacing::Start;
        }
    }

    /// Reports segments newly marked lost to the congestion control.
    fn report_losses(&mut self, ctx: &mut Ctx, now: Time) {
        if self.algorithm != Recovery::Sack {
            if self.recovering && self.forced < ctx.seq.max {
                ctx.report_loss(now, self.forced);
            }
            return;
        }
        let mut seq = ctx.tracking.seen_edge.max(ctx.seq.una);
        let edge = self.parts.board.lost_edge;
        while let Some(lost) = self.parts.board.first_unsacked(seq, edge, ctx.seq.una, ctx.seq.max) {
            ctx.report_loss(now, lost);
            seq = lost + 1;
        }
        ctx.tracking.seen_edge = edge;
    }

    fn update_model(&mut self, ctx: &mut Ctx, now: Time) {
        // A retransmission that is still to be sent is counted by the scoreboard, not by the model.
        let waiting = u32::from(self.forced != NONE && self.algorithm == Recovery::Sack);
        let in_flight = self.in_flight(ctx) - waiting;
        let srtt = ctx.srtt();
        let smoothed = ctx.params.shown_rtt == ShownRtt::Smoothed;
        let lost_now = self.lost_segments(ctx);
        if let Some(mut sample) = ctx.tracking.sampler.finish(now) {
            let tracking = &mut *ctx.tracking;
            if ctx.params.bbr_losses == BbrLosses::Change {
                sample.newly_lost = lost_now.abs_diff(tracking.lost_before);
            }
            sample.in_flight = in_flight;
            sample.departs = now.max(tracking.pacer.next);
            sample.cwnd_limited = f64::from(sample.prior_in_flight) + 1.0 > ctx.window.cwnd;
            sample.srtt = srtt;
            if smoothed {
                sample.rtt = srtt;
            }
            sample.recovering = self.recovering;
            sample.timed_out = self.loss;
            sample.selective = self.algorithm.selective();
            let slow_on_purpose = ctx.cc.on_sample(&mut ctx.window, &sample, &mut tracking.stream);
            ctx.bound_window();
            let ends = ctx.params.rate_ends && ctx.seq.max >= ctx.seq.limit;
            let exhausted = ends && f64::from(in_flight) < ctx.window.cwnd;
            if slow_on_purpose || exhausted {
                ctx.tracking.sampler.limit_by_source(in_flight);
            }
        }
        if ctx.paced {
            let tracking = &mut *ctx.tracking;
            if self.forced != NONE && !ctx.params.pace_retransmissions {
                tracking.pacer.set_later(ctx.cc.pace());
            } else {
                tracking.pacer.set(ctx.cc.pace());
            }
            tracking.pacer.set_quantum(ctx.cc.quantum());
        }
    }
}
