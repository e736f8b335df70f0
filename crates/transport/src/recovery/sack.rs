//! Recovery with selective acknowledgements by RFC 6675.
//!
//! *Reference*: RFC 6675 sections 4 and 5 (IsLost, SetPipe, NextSeg rules 1 to 4), RFC 2018; RFC 6937 and
//! RFC 9937 for proportional rate reduction.
//! *Units*: segments.
//! *Deviations*: after a timeout everything not selectively acknowledged counts as lost and is retransmitted in
//! order under the pipe; selective acknowledgements are kept (RFC 6675 section 5.1 allows both).

use super::{LastReduction, LossRecovery};
use crate::cc::{Cause, Control};
use crate::connection::{Ctx, Timer, NONE};
use crate::params::{Counting, DupackRule, Recovery, Reduction};
use crate::segment::Ack;
use units::{math, Time};

impl LossRecovery {
    #[inline]
    pub(crate) fn on_ack_sack(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if ack.ack < ctx.seq.una {
            ctx.quota = 0;
            return;
        }
        let quiet = ack.sack.is_empty() && !self.recovering && !self.loss && !self.is_reducing_for_echo(ctx);
        if quiet && ack.ack > ctx.seq.una && self.parts.board.sacked_count == 0 {
            let (acked, flight) = (ack.ack - ctx.seq.una, ctx.seq.outstanding());
            self.advance(ctx, now, ack);
            self.grow(ctx, now, ack, acked, acked, flight);
            return;
        }
        self.on_ack_with_holes(ctx, now, ack);
    }

    fn on_ack_with_holes(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - ctx.seq.una, self.pipe(ctx));
        let (delivered, fresh) = self.update_board(ctx, ack);
        let due = ctx.timers.deadline(Timer::Retransmission);
        if acked > 0 {
            self.advance(ctx, now, ack);
        }
        let strict = ctx.params.dupack_rule == DupackRule::Rfc6675;
        let duplicate = if strict { fresh > 0 } else { acked == 0 && delivered > 0 };
        if duplicate {
            if self.dupacks == 0 {
                self.parts.dup_max = ctx.seq.max;
            }
            self.dupacks += 1;
        }
        if self.recovering {
            if acked > 0 && ctx.seq.una < self.recover && ctx.params.retransmit_at_partial {
                if self.partial_seen {
                    ctx.timers.arm(Timer::Retransmission, due);
                }
                self.partial_seen = true;
            }
            return self.continue_recovery(ctx, now, ack, acked, delivered, fresh);
        }
        let reducing =
            self.is_reducing_for_echo(ctx) && self.continue_echo_reduction(ctx, delivered, acked > 0);
        if reducing {
            // The reduction sets the window.
        } else if acked > 0 && strict && duplicate && !self.loss {
            ctx.timers.arm(Timer::Retransmission, due);
        } else if acked > 0 {
            self.grow_with_holes(ctx, now, ack, acked, delivered, flight);
        }
        self.enter_sack_if_lossy(ctx, now, delivered);
    }

    /// Enters recovery if something is lost.
    #[inline]
    fn enter_sack_if_lossy(&mut self, ctx: &mut Ctx, now: Time, delivered: u32) {
        if self.must_enter_sack(ctx) {
            self.enter_sack(ctx, now, delivered);
        }
    }

    /// Whether something is lost that no recovery covers yet.
    #[inline]
    pub(crate) fn must_enter_sack(&self, ctx: &Ctx) -> bool {
        // A reduction for an ECN echo leaves the losses of its window to fast recovery, not to the timer.
        let open = ctx.seq.una >= self.recover || self.last_reduction == LastReduction::Ecn;
        if self.loss || !open {
            return false;
        }
        // A segment retransmitted in the last recovery and marked lost again is no new loss; the segment
        // after it is.
        let first = ctx.seq.una + u32::from(ctx.params.keep_retransmissions);
        self.dupacks >= ctx.threshold() || self.parts.board.is_hole(first)
    }

    /// Reduces the window for one more SACKed segment.
    pub(crate) fn reduce_on_sack(&mut self, ctx: &mut Ctx, now: Time) {
        if self.recovering {
            self.update_prr(ctx, 1, false);
        } else {
            self.enter_sack(ctx, now, 1);
        }
    }

    /// Processes an ACK in recovery; `fresh` segments are newly SACKed.
    fn continue_recovery(
        &mut self,
        ctx: &mut Ctx,
        now: Time,
        ack: &Ack,
        acked: u32,
        delivered: u32,
        fresh: u32,
    ) {
        if ctx.seq.una >= self.recover {
            self.leave_sack(ctx);
            if ctx.params.grow_on_exit {
                self.grow(ctx, now, ack, acked, delivered, ctx.seq.outstanding());
            }
            return;
        }
        self.update_prr(ctx, delivered, acked > 0);
        if acked > 0 && ctx.params.retransmit_at_partial {
            if ctx.model_based {
                ctx.report_loss(now, ctx.seq.una);
            }
            if fresh > 0 {
                // ns-3 counts it both as a duplicate and as a partial ACK.
                self.update_prr(ctx, delivered, true);
            }
            if self.parts.board.high_rxt <= ctx.seq.una {
                self.release_first_hole(ctx);
            }
        }
    }

    /// Sends the first lost segment not yet retransmitted regardless of cwnd, or new data if there is none,
    /// or else the first outstanding segment, again if need be.
    fn release_first_hole(&mut self, ctx: &mut Ctx) {
        let new = ctx.seq.max < self.send_end(ctx);
        let board = &mut self.parts.board;
        self.forced = match board.next_lost(ctx.seq.una) {
            None if new => {
                ctx.seq.nxt = ctx.seq.max + 1;
                ctx.seq.max
            }
            lost => {
                let seq = lost.unwrap_or(ctx.seq.una);
                board.retransmitted(seq);
                seq
            }
        };
        board.prr_out += 1;
    }

    /// Segments of an ACK that the window grows by. Linux includes those newly SACKed.
    pub(super) fn counted(&self, ctx: &Ctx, acked: u32, delivered: u32) -> u32 {
        if ctx.params.counting == Counting::Whole {
            delivered
        } else {
            acked
        }
    }

    /// Grows the window for new data acknowledged with holes, or after a timeout.
    fn grow_with_holes(
        &mut self,
        ctx: &mut Ctx,
        now: Time,
        ack: &Ack,
        acked: u32,
        delivered: u32,
        flight: u32,
    ) {
        let beyond = self.acked_beyond_recover(ctx, ctx.seq.una);
        self.loss &= ctx.seq.una < self.recover;
        self.grow(ctx, now, ack, beyond.unwrap_or(acked), delivered, flight);
    }

    /// Updates the scoreboard. Returns the segments newly known to have arrived, and those newly SACKed.
    fn update_board(&mut self, ctx: &mut Ctx, ack: &Ack) -> (u32, u32) {
        let threshold = ctx.threshold();
        let board = &mut self.parts.board;
        let known = board.advance(ctx.seq.una, ack.ack);
        let fresh = board.add(&ack.sack, ack.ack, ctx.seq.max);
        if fresh > 0 {
            board.find_losses(ack.ack, threshold);
        }
        (ack.ack - ctx.seq.una - known + fresh, fresh)
    }

    /// Enters fast recovery: RFC 6675 section 5 step 4. A window already reduced for an ECN echo is not
    /// reduced again (RFC 3168 section 6.1.2).
    #[cold]
    fn enter_sack(&mut self, ctx: &mut Ctx, now: Time, delivered: u32) {
        self.dupacks = self.dupacks.max(1);
        self.partial_seen = false;
        self.parts.board.recover_fs = ctx.seq.outstanding().max(1);
        let already_reduced = ctx.seq.una < self.recover;
        self.recover = ctx.seq.max;
        if !already_reduced {
            self.reduce_window(ctx, now, Cause::Loss);
        }
        self.last_reduction = LastReduction::FastRetransmit;
        ctx.counters.fast_recoveries += 1;
        self.recovering = true;
        ctx.restart_timer_on_retransmit(now);
        let keep = ctx.params.keep_retransmissions;
        let board = &mut self.parts.board;
        if !keep {
            board.begin(ctx.seq.una);
        }
        board.mark_lost_below(ctx.seq.una, ctx.seq.una + 1);
        board.prr_delivered = 0;
        board.prr_out = 0;
        self.update_prr(ctx, delivered, false);
        self.release_first_hole(ctx);
    }

    pub(crate) fn leave_sack(&mut self, ctx: &mut Ctx) {
        self.recovering = false;
        self.last_reduction = LastReduction::Exited;
        if ctx.params.keep_retransmissions {
            self.parts.board.high_rxt = self.parts.board.high_rxt.max(ctx.seq.una);
        } else {
            self.parts.board.begin(ctx.seq.una);
        }
        if ctx.params.reduction != Reduction::AtOnce && !ctx.model_based {
            if let Some(target) = ctx.cc.window_after_recovery() {
                ctx.window.ssthresh = target;
            }
            ctx.window.cwnd = ctx.window.ssthresh;
        }
    }

    /// Proportional rate reduction: sends in proportion to deliveries until the pipe meets ssthresh, then no
    /// more than slow start would. `advanced`: the ACK moved `una`. The first call of a recovery releases at
    /// least the fast retransmission.
    #[inline]
    pub(crate) fn update_prr(&mut self, ctx: &mut Ctx, delivered: u32, advanced: bool) {
        if ctx.params.reduction != Reduction::AtOnce && !ctx.model_based {
            self.compute_prr(ctx, delivered, advanced);
        }
    }

    fn compute_prr(&mut self, ctx: &mut Ctx, delivered: u32, advanced: bool) {
        let pipe = f64::from(self.pipe(ctx));
        let (whole, reduction) = (ctx.params.arithmetic.is_whole(), ctx.params.reduction);
        let board = &mut self.parts.board;
        board.prr_delivered += delivered;
        let ssthresh = ctx.window.ssthresh;
        let (arrived, sent) = (f64::from(board.prr_delivered), f64::from(board.prr_out));
        let mut out = if pipe > ssthresh {
            let mut product = arrived * ssthresh;
            if reduction == Reduction::Ns3 {
                product = wrapped_in_bytes(arrived, ssthresh, ctx.params.mss.0 as f64);
            }
            let share = product / f64::from(board.recover_fs);
            (if whole { math::ceil(share) } else { share }) - sent
        } else {
            let banked = arrived - sent;
            let bound = match reduction {
                // ns-3 uses a negative balance as the bound, and a duplicate releases no more than it
                // delivered.
                Reduction::Ns3 if advanced && banked < 0.0 => banked,
                Reduction::Ns3 if !advanced => f64::from(delivered),
                _ => banked.max(f64::from(delivered)),
            };
            let slow_start = reduction == Reduction::Prr6937 || advanced;
            (bound + f64::from(u8::from(slow_start))).min(ssthresh - pipe)
        };
        if board.prr_out == 0 {
            out = out.max(1.0);
        }
        ctx.window.cwnd = pipe + out.max(0.0);
    }

    pub(crate) fn timeout_sack(&mut self, ctx: &mut Ctx) {
        ctx.seq.nxt = ctx.seq.max;
        let board = &mut self.parts.board;
        board.begin(ctx.seq.una);
        board.mark_lost_below(ctx.seq.una, ctx.seq.max);
    }

    /// Segments in flight by the scoreboard (SetPipe).
    #[inline]
    pub(crate) fn pipe(&self, ctx: &Ctx) -> u32 {
        if self.algorithm == Recovery::Rack {
            return ctx.seq.outstanding() - self.parts.board.sacked_count - self.parts.rack.lost.len();
        }
        self.parts.board.pipe(ctx.seq.una, ctx.seq.max)
    }

    /// Whether the window has room for another segment in flight.
    #[inline]
    pub(crate) fn has_room(&self, ctx: &Ctx) -> bool {
        ctx.window.cwnd - f64::from(self.pipe(ctx)) >= 1.0
    }

    /// NextSeg: the segment to send while the pipe has room.
    #[inline(always)]
    pub(crate) fn next_sack(&mut self, ctx: &mut Ctx) -> Option<u32> {
        let in_recovery = self.recovering || self.loss;
        if !in_recovery && !ctx.params.pipe_always {
            return self.next_new(ctx);
        }
        if !self.has_room(ctx) {
            return None;
        }
        let board = &self.parts.board;
        // Rule 1: the lowest lost segment not yet retransmitted.
        if let Some(seq) = board.next_lost(ctx.seq.una) {
            return Some(seq);
        }
        // Rule 2: new data.
        if ctx.seq.max < self.send_end(ctx) {
            return Some(ctx.seq.max);
        }
        if !self.recovering {
            return None;
        }
        // Rule 3: a segment below the highest one selectively acknowledged.
        let past = if ctx.params.retransmit_all { ctx.seq.max } else { board.highest };
        board.next_hole(ctx.seq.una, past).or_else(|| self.rescue(ctx))
    }

    /// One past the last segment that the source and the receiver's window allow.
    #[inline(always)]
    fn send_end(&self, ctx: &Ctx) -> u32 {
        ctx.seq.send_end()
    }

    /// Rule 4: the rescue retransmission, once per recovery: the highest outstanding segment.
    #[cold]
    fn rescue(&mut self, ctx: &mut Ctx) -> Option<u32> {
        let edge = self.parts.board.rescue;
        let allowed = ctx.params.rescue && (edge == NONE || ctx.seq.una > edge);
        if !allowed {
            return None;
        }
        let seq = self.parts.board.last_hole(ctx.seq.una, ctx.seq.max)?;
        self.parts.board.rescue = self.recover;
        Some(seq)
    }

    /// The next new segment outside recovery: the window limits the flight, SACKed segments excepted (RFC
    /// 6675 section 5 step 3, limited transmit; RACK needs no duplicate ACK for that).
    #[inline]
    pub(crate) fn next_new(&self, ctx: &Ctx) -> Option<u32> {
        let mut usable = ctx.window.cwnd as u32;
        let known = self.dupacks > 0 || self.algorithm == Recovery::Rack;
        if known && ctx.params.limited_transmit {
            usable = usable.saturating_add(self.parts.board.sacked_count);
        }
        let past = ctx.seq.una.saturating_add(usable.min(ctx.seq.rwnd)).min(ctx.seq.limit);
        (ctx.seq.nxt < past).then_some(ctx.seq.nxt)
    }

    /// Updates the scoreboard for a segment that [`Sender::next_sack`] chose.
    #[inline]
    pub(crate) fn sent_sack(&mut self, ctx: &mut Ctx, seq: u32) {
        if !self.recovering && !self.loss && !ctx.params.pipe_always {
            return;
        }
        let board = &mut self.parts.board;
        board.prr_out += 1;
        let below = if ctx.params.retransmit_all { ctx.seq.max } else { board.highest.max(board.lost_edge) };
        if seq < ctx.seq.max.min(below) {
            board.retransmitted(seq);
        }
    }
}

/// Product of two windows in bytes modulo 2^32, in segments: ns-3's overflow.
fn wrapped_in_bytes(a: f64, b: f64, mss: f64) -> f64 {
    let bytes = |segments: f64| (segments * mss).round() as u32;
    f64::from(bytes(a).wrapping_mul(bytes(b))) / (mss * mss)
}
