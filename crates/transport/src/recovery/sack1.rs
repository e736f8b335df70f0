//! Recovery with SACK by the rules of Fall and Floyd (1996), as ns-2's `sack1` implements them.
//!
//! *Reference*: Fall and Floyd, "Simulation-based comparisons of Tahoe, Reno, and SACK TCP" (CCR 1996); behaviour of
//! ns-2.35 by its output.
//! *Units*: segments.
//! *Deviations*: none known; see `docs/transports/tcp.md`.

use super::{LastReduction, LossRecovery};
use crate::cc::Cause;
use crate::connection::Ctx;
use crate::segment::Ack;
use units::Time;

impl LossRecovery {
    #[inline]
    pub(crate) fn on_ack_sack1(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if self.recovering {
            self.on_ack_in_recovery(ctx, now, ack);
        } else if ack.ack > ctx.seq.una {
            self.forget_board(ctx);
            self.new_ack_sack1(ctx, now, ack);
        } else if ack.ack == ctx.seq.una && !self.loss {
            self.duplicate_sack1(ctx, now, ack);
        }
    }

    /// Forgets the scoreboard, a timeout and what limited transmit released: new data are acknowledged.
    fn forget_board(&mut self, ctx: &mut Ctx) {
        self.loss = false;
        self.partial_seen = false;
        self.inflation = 0;
        if self.parts.board.highest > 0 {
            self.parts.board.clear(ctx.seq.una);
        }
    }

    fn new_ack_sack1(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - ctx.seq.una, ctx.seq.nxt - ctx.seq.una);
        self.advance(ctx, now, ack);
        self.grow(ctx, now, ack, acked, acked, flight);
        if ctx.params.delay_growth && ack.ack == 1 {
            ctx.window.cwnd = ctx.initial_window();
        }
    }

    /// A duplicate ACK counts only if it SACKs something new. The pipe is updated by the next ACK.
    fn duplicate_sack1(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        ctx.quota = 0;
        let fresh = self.parts.board.add(&ack.sack, ctx.seq.una, ctx.seq.max);
        if fresh == 0 {
            return;
        }
        let threshold = ctx.threshold();
        if self.dupacks == 0 {
            self.parts.dup_max = ctx.seq.max;
        }
        self.dupacks += 1;
        if self.dupacks == threshold {
            self.enter_sack1(ctx, now);
        } else if self.dupacks < threshold && ctx.params.limited_transmit {
            self.limited_transmit(ctx);
        }
    }

    fn enter_sack1(&mut self, ctx: &mut Ctx, now: Time) {
        let mut pipe = ctx.seq.outstanding() as i32;
        if self.may_fast_retransmit(ctx) {
            if !ctx.params.pipe_from_flight {
                pipe = ctx.window.cwnd as i32;
            }
            self.recover = ctx.seq.max;
            self.reduce_window(ctx, now, Cause::Loss);
        } else if !ctx.ecn || self.last_reduction != LastReduction::Ecn {
            return;
        }
        self.last_reduction = LastReduction::FastRetransmit;
        ctx.counters.fast_recoveries += 1;
        self.recovering = true;
        self.inflation = 0;
        ctx.restart_timer_on_retransmit(now);
        let board = &mut self.parts.board;
        board.pipe = pipe - self.dupacks as i32;
        board.begin(ctx.seq.una);
        board.retransmitted(ctx.seq.una);
        self.forced = ctx.seq.una;
    }

    fn on_ack_in_recovery(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        self.parts.board.pipe -= 1;
        if ack.ack >= self.recover {
            // A new recovery may start at once.
            self.recovering = false;
            self.recover = 1;
            self.forget_board(ctx);
            self.advance(ctx, now, ack);
        } else if ack.ack > ctx.seq.una {
            // A partial ACK ends the backoff but gives no RTT sample.
            let board = &mut self.parts.board;
            board.pipe -= 1;
            board.advance(ctx.seq.una, ack.ack);
            board.add(&ack.sack, ack.ack, ctx.seq.max);
            ctx.end_backoff();
            ctx.seq.una = ack.ack;
            ctx.seq.nxt = ctx.seq.nxt.max(ack.ack);
            ctx.restart_timer(now, true);
        } else {
            let fresh = self.parts.board.add(&ack.sack, ctx.seq.una, ctx.seq.max);
            self.dupacks += u32::from(fresh > 0);
        }
    }

    /// While the pipe has room: the lowest hole below the highest SACKed segment, each once, else new data.
    pub(crate) fn next_sack1(&self, ctx: &Ctx) -> Option<u32> {
        let board = &self.parts.board;
        if board.pipe >= ctx.window.cwnd as i32 {
            return None;
        }
        if let Some(seq) = board.next_hole(ctx.seq.una, board.highest) {
            return Some(seq);
        }
        let past = ctx.seq.send_end();
        (ctx.seq.nxt < past).then_some(ctx.seq.nxt)
    }

    pub(crate) fn sent_sack1(&mut self, seq: u32) {
        let board = &mut self.parts.board;
        board.pipe += 1;
        if self.recovering && seq < board.highest {
            board.retransmitted(seq);
        }
    }

    pub(crate) fn timeout_sack1(&mut self, ctx: &mut Ctx) {
        let una = ctx.seq.una;
        self.parts.board.clear(una);
    }
}
