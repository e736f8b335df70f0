//! The reordering window of RACK, and the timer that waits for its end.
//!
//! *Reference*: RFC 8985 sections 6.2 (steps 4 and 5) and 6.2.4; Linux where `reorder_timer` asks for it.

use super::Rack;
use crate::connection::{wheel, Ctx};
use crate::params::ReorderTimer;
use crate::recovery::LossRecovery;
use units::{Span, Time};

/// Recoveries for which a widened reordering window lasts (section 6.2.4).
pub(super) const PERSIST: u32 = 16;
/// Addition of Linux to the time until a loss or a probe.
pub(super) const TIMEOUT_LEAST: Span = Span::from_millis(2);

impl Rack {
    /// Widens the reordering window for a DSACK, once per round trip (section 6.2.4).
    pub(super) fn widen(&mut self, una: u32, nxt: u32) {
        if una >= self.round_end {
            self.quarters += 1;
            self.persist = PERSIST;
            self.round_end = nxt;
        }
    }

    /// Counts a completed recovery: after sixteen without a DSACK the reordering window is reset.
    pub(crate) fn end_recovery(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// The round trip by which losses are judged.
    pub(crate) fn rtt(&self) -> Span {
        self.rtt
    }

    /// Judges losses by the round trip of the last segment acknowledged in sequence, as Linux does, although SACK
    /// blocks of the same ACK report segments sent later.
    pub(crate) fn prefer_rtt(&mut self, rtt: Span) {
        if self.by_rtt_alone {
            self.rtt = rtt;
        }
    }

    /// Records reordering: a recovery was spurious, its segments were late.
    pub(crate) fn record_reordering(&mut self) {
        self.reordered = true;
    }
}

impl LossRecovery {
    /// Expiry of the reordering timer.
    pub(super) fn reorder_time(&self, ctx: &Ctx, now: Time, due: Time) -> Time {
        if ctx.params.reorder_timer == ReorderTimer::Exact {
            return due;
        }
        wheel::expiry(now, due.since(now) + TIMEOUT_LEAST)
    }

    /// Reordering window: zero while no reordering was seen and either a recovery is in progress or enough is
    /// SACKed (section 6.2 step 4).
    pub(super) fn reordering_window(&self, ctx: &Ctx) -> Span {
        let rack = &self.parts.rack;
        // Linux has left the recovery when it judges the ACK that ends it.
        let ends = ctx.params.reorder_timer == ReorderTimer::Ticks && ctx.seq.una >= self.recover;
        let in_recovery = (self.recovering || self.loss) && !ends;
        let enough = self.parts.board.sacked_count >= ctx.threshold();
        let min_rtt = ctx.tracking.min_rtt;
        if min_rtt == Span(u64::MAX) || (!rack.reordered && (in_recovery || enough)) {
            return Span::ZERO;
        }
        Span(min_rtt.0.saturating_mul(rack.quarters) / 4).min(ctx.srtt().unwrap_or(Span::ZERO))
    }
}
