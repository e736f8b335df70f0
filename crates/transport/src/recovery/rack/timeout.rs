//! A timeout with RACK: what it marks lost, and how Linux goes on.
//!
//! *Reference*: RFC 8985 section 6.3; Linux where `reorder_timer` asks for it, by its output: `docs/transports/tcp.md`.
//! *Units*: segments.

use crate::connection::{Ctx, Timer};
use crate::params::ReorderTimer;
use crate::recovery::LossRecovery;
use units::{Span, Time};

impl LossRecovery {
    /// Section 6.3: the first segment is lost, and so are those sent more than a round trip ago.
    pub(crate) fn timeout_rack(&mut self, ctx: &mut Ctx, now: Time) {
        ctx.seq.nxt = ctx.seq.max;
        let linux = ctx.params.reorder_timer == ReorderTimer::Ticks;
        let settling = if linux { Span::ZERO } else { self.reordering_window(ctx) };
        let limit = self.parts.rack.rtt + settling;
        let (una, ledger) = (ctx.seq.una, &ctx.tracking.ledger);
        let rack = &mut *self.parts.rack;
        let overdue = |seq: &u32| ledger.get(*seq).at + limit <= now;
        rack.overdue.extend(rack.order.iter(ledger).take_while(overdue));
        if !ledger.get(una).loss.is_lost_now() && !overdue(&una) {
            rack.overdue.push(una);
        }
        self.mark_overdue_lost(ctx, now);
        self.forced = ctx.seq.una;
        if linux {
            // What is not lost yet stays in flight in addition to the retransmission.
            ctx.window.cwnd = f64::from(self.pipe(ctx) + 1);
        }
        ctx.timers.cancel(Timer::Reordering);
        ctx.timers.cancel(Timer::Probe);
        self.parts.rack.tlp.forget();
    }

    /// Leaves the state of a timeout, for a recovery with its own reduction, if something is `lost` after it: in Linux a
    /// retransmission, or what the reordering timer finds.
    pub(super) fn end_loss_for_recovery(&mut self, ctx: &Ctx, lost: bool) {
        if lost && self.loss && ctx.params.reorder_timer == ReorderTimer::Ticks {
            (self.loss, self.recover) = (false, ctx.seq.una);
        }
    }

    /// Whether the ACK starts a recovery, which in Linux takes the place of growth.
    pub(super) fn recovers_instead_of_growing(&self, ctx: &Ctx) -> bool {
        ctx.params.reorder_timer == ReorderTimer::Ticks && self.parts.rack.evidence() > 0 && !self.loss
    }
}
