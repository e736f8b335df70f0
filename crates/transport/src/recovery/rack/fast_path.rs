//! Fast path of RACK: an ACK of new data while nothing is missing, and a new segment while others are in flight.
//! Same result as the general code, bit for bit; the sender's part is in [`crate::sender`].
//!
//! *Units*: segments.

use super::Rack;
use crate::connection::{Ctx, Tracking, NONE};
use crate::recovery::LossRecovery;
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
        self.parts.board.advance_without_blocks(una, ack);
        ctx.move_una(now, ack, echo, false);
        self.find_losses_by_time(ctx, now);
        ctx.grow(now, (echo, false), (acked, acked), flight, false);
        if self.parts.rack.evidence() > 0 {
            self.enter_rack_if_lossy(ctx, now, acked);
        }
        self.finish_ack(ctx, now);
        !self.recovering && self.parts.rack.holes == 0
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
