//! Tail loss probe: a new segment, or the last one again, makes the end of a flight show its losses.
//!
//! *Reference*: RFC 8985 section 7.
//! *Units*: segments.
//! *Deviations*: those of [`super::rack`].

use super::reordering::TIMEOUT_LEAST;
use crate::cc::{Cause, Control};
use crate::connection::{wheel, Ctx, Timer, NONE};
use crate::params::{Params, ReorderTimer};
use crate::recovery::LossRecovery;
use crate::segment::Ack;
use units::{Span, Time};

/// State of the tail loss probe.
#[derive(Clone, Debug)]
pub(crate) struct Tlp {
    /// SND.NXT when the probe was sent, and whether it was a retransmission.
    end: Option<u32>,
    retransmitted: bool,
    /// The ACK processed at this time armed the timer as a segment sent then would.
    pub(crate) armed_at: Time,
    ack_timeout: Span,
}

impl Tlp {
    pub(super) fn new(p: &Params) -> Tlp {
        Tlp { end: None, retransmitted: false, armed_at: Time::NEVER, ack_timeout: p.ack_timeout }
    }

    /// Whether no probe is in flight.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.end.is_none()
    }

    /// Forgets a probe that was sent.
    pub(super) fn forget(&mut self) {
        self.end = None;
    }
}

impl LossRecovery {
    /// Arms the PTO (section 7.2): two round trips after the last ACK, longer if a delayed ACK may be
    /// pending.
    pub(crate) fn arm_probe(&mut self, ctx: &mut Ctx, now: Time) {
        let outstanding = ctx.seq.outstanding();
        let quiet = !self.recovering && !self.loss && self.parts.board.sacked_count == 0;
        if !quiet || outstanding == 0 || self.parts.rack.tlp.end.is_some() {
            ctx.timers.cancel(Timer::Probe);
            return;
        }
        let wait = ctx.srtt().map_or(Span::from_millis(1000), |srtt| srtt * 2);
        let expected_at = if ctx.params.reorder_timer == ReorderTimer::Ticks {
            wheel::expiry(now, wait + if outstanding == 1 { ctx.params.min_rto } else { TIMEOUT_LEAST })
        } else if outstanding == 1 {
            now + wait + self.parts.rack.tlp.ack_timeout
        } else {
            now + wait
        };
        let probe_at = expected_at.min(ctx.timers.deadline(Timer::Retransmission));
        ctx.timers.arm(Timer::Probe, probe_at);
    }

    /// Sends the probe (section 7.3): a new segment, or the last one again; restarts the retransmission
    /// timer.
    pub(crate) fn probe(&mut self, ctx: &mut Ctx, now: Time) {
        if ctx.seq.una == ctx.seq.max || self.recovering || self.loss {
            return;
        }
        let past = ctx.seq.send_end();
        let fresh = ctx.seq.max < past;
        let Some(last) = self.parts.board.last_hole(ctx.seq.una, ctx.seq.max) else {
            return;
        };
        self.forced = if fresh { ctx.seq.max } else { last };
        if fresh {
            ctx.seq.nxt = ctx.seq.max + 1;
        }
        ctx.timed = NONE;
        self.parts.rack.tlp.retransmitted = !fresh;
        self.parts.rack.tlp.end = Some(ctx.seq.max + u32::from(fresh));
        ctx.restart_timer(now, true);
    }

    /// Processes the answer to the probe (section 7.4): if it repaired a loss, the window is reduced.
    pub(super) fn process_probe(
        &mut self,
        ctx: &mut Ctx,
        now: Time,
        ack: &Ack,
        delivered: u32,
        duplicate: bool,
    ) {
        let Some(end) = self.parts.rack.tlp.end else {
            return;
        };
        let both_arrived = ack.ack == ctx.seq.una && delivered == 0 && (duplicate || ack.sack.is_empty());
        if ack.ack < end && !both_arrived {
            return;
        }
        self.parts.rack.tlp.end = None;
        let repaired = self.parts.rack.tlp.retransmitted && !both_arrived && answers_probe(ctx, ack);
        if repaired && !self.recovering && !self.loss && ctx.seq.una >= self.recover {
            self.recover = ctx.seq.max;
            self.keep_reduction();
            self.reduce_window(ctx, now, Cause::Loss);
            if let Some(target) = ctx.cc.window_after_recovery() {
                (ctx.window.cwnd, ctx.window.ssthresh) = (target, target);
            }
        }
    }
}

/// Whether an ACK acknowledges the retransmission and not the original, by its timestamp echo.
fn answers_probe(ctx: &Ctx, ack: &Ack) -> bool {
    let last = ctx.tracking.ledger.get(ctx.seq.una.saturating_sub(1));
    last.transmits > 1 && ack.echo >= last.at
}
