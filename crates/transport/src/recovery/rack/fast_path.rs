//! Fast path of RACK: an ACK of new data while nothing is missing, a duplicate ACK that SACKs one more segment above all
//! others, and a new segment while others are in flight.
//! Same result as the general code, bit for bit; the sender's part is in [`crate::sender`].
//!
//! *Units*: segments.

use super::{News, Rack};
use crate::connection::{Ctx, Tracking, NONE};
use crate::params::ReorderTimer;
use crate::recovery::LossRecovery;
use crate::segment::SackBlocks;
use units::Time;

impl LossRecovery {
    /// Precondition of the fast path of an ACK: no segment is SACKed, lost or probed for.
    #[inline]
    pub(crate) fn is_rack_eligible(&self) -> bool {
        let rack = &self.parts.rack;
        self.parts.board.sacked_count == 0 && rack.holes == 0 && rack.tlp.is_idle()
    }

    /// Processes an ACK of `[una, ack)`, fewer segments than are in flight, without SACK blocks and ECN echo. Returns
    /// whether the next such ACK may take the fast path, too.
    #[inline]
    pub(crate) fn on_ack_rack_fast(&mut self, ctx: &mut Ctx, now: Time, ack: u32, echo: Time) -> bool {
        let (una, flight) = (ctx.seq.una, ctx.seq.outstanding());
        let acked = ack - una;
        self.parts.rack.arrived_in_order(now, (una, ack), &mut ctx.tracking, echo, flight);
        ctx.judge_usage(flight);
        self.parts.board.advance_without_blocks(una, ack);
        ctx.move_una(now, ack, echo, false);
        self.find_losses_by_time(ctx, now);
        if !self.recovers_instead_of_growing(ctx) {
            ctx.grow(now, (echo, false), (acked, acked), flight, false);
        }
        if self.parts.rack.evidence() > 0 {
            self.enter_rack_if_lossy(ctx, now, (acked, false));
        }
        self.finish_ack(ctx, now);
        !self.recovering && self.parts.rack.holes == 0
    }

    /// Precondition of the fast path of a duplicate ACK: its blocks report one segment above all SACKed ones and nothing
    /// else that is new, hence no duplicate, after no timeout and no probe.
    #[inline(always)]
    pub(crate) fn reports_one_more(&self, ctx: &Ctx, blocks: &SackBlocks) -> bool {
        let parts = &*self.parts;
        !self.loss
            && parts.rack.tlp.is_idle()
            && parts.board.is_one_above_all(blocks, (ctx.seq.una, ctx.seq.max))
    }

    /// Processes a duplicate ACK of [`LossRecovery::reports_one_more`].
    #[inline]
    pub(crate) fn on_sack_rack_fast(&mut self, ctx: &mut Ctx, now: Time, echo: Time, blocks: &SackBlocks) {
        let seq = blocks.first_end() - 1;
        let in_flight = self.pipe(ctx);
        ctx.tracking.sampler.begin(in_flight);
        ctx.tracking.lost_before = self.parts.board.lost_count;
        let sent = ctx.tracking.ledger.get(seq);
        let once = (sent.transmits == 1).then_some(sent.at);
        self.record_arrival(ctx, now, seq, echo);
        if ctx.params.reorder_timer == ReorderTimer::Ticks {
            self.time_sacked(ctx, now, once);
        }
        // What was marked lost and has arrived counts as in flight until it is SACKed.
        let (flight, lost_before) = (self.pipe(ctx), ctx.tracking.sampler.lost);
        ctx.judge_usage(flight);
        self.parts.board.add_one_above_all(blocks);
        if self.dupacks == 0 {
            self.parts.dup_max = ctx.seq.max;
        }
        self.dupacks += 1;
        self.undo_if_spurious(ctx, (ctx.seq.una, echo), None);
        let news = News { acked: 0, delivered: 1, flight, lost_before };
        self.judge_arrivals(ctx, now, (echo, false), &news);
        self.keep_timer(ctx, now);
        self.finish_ack(ctx, now);
    }

    /// Records the first transmission of `seq`, which is the newest segment now; `in_flight` includes it.
    #[inline(always)]
    pub(crate) fn record_new_segment(&mut self, ctx: &mut Ctx, now: Time, seq: u32, in_flight: u32) {
        let tracking = &mut *ctx.tracking;
        let entry = tracking.ledger.open_new(ctx.seq.una, seq);
        tracking.sampler.stamp(now, in_flight, entry);
        self.parts.rack.order.append_newest(&mut tracking.ledger, seq);
        if ctx.paced {
            tracking.pacer.sent(now);
        }
    }
}

impl Rack {
    /// Records the arrival of the segments `[una, ack)`, before which nothing was known to have arrived; `flight`
    /// segments were in flight.
    #[inline]
    fn arrived_in_order(
        &mut self,
        now: Time,
        (una, ack): (u32, u32),
        tracking: &mut Tracking,
        echo: Time,
        flight: u32,
    ) {
        tracking.sampler.begin(flight);
        tracking.lost_before = 0;
        for seq in una..ack {
            self.arrived(now, seq, tracking, echo);
            tracking.sampler.arrive(now, seq, tracking.ledger.get_mut(seq));
        }
    }

    /// Whether every segment expected was sent after the newest one delivered: none can be overdue.
    #[inline]
    pub(super) fn expects_only_newer(&self, tracking: &Tracking) -> bool {
        let oldest = self.order.oldest();
        oldest == NONE || (tracking.ledger.get(oldest).at, oldest) >= self.newest
    }
}
