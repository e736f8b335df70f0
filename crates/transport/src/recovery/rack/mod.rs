//! RACK-TLP: a segment is lost if one sent sufficiently later has arrived; a tail loss probe reveals losses
//! at the end of a flight.
//!
//! *Reference*: RFC 8985 sections 6 (RACK) and 7 (TLP); RFC 6937 and RFC 9937 for proportional rate reduction.
//! *Units*: segments.
//! *Deviations*: a spurious recovery counts as reordering, too. Without duplicate SACKs (`dsack`) the
//! reordering window stays a quarter of the minimum RTT. Undo is in [`super::undo`].

mod fast_path;
mod lost_set;
mod reordering;
mod send_order;
mod timeout;
mod tlp;

#[cfg(test)]
mod tests;

use super::{LastReduction, LossRecovery};
use crate::cc::Cause;
use crate::connection::{Ctx, Timer, Tracking};
use crate::ledger::Ledger;
use crate::params::{Params, Reduction, ReorderTimer};
use crate::segment::Ack;
use lost_set::LostSet;
use send_order::SendOrder;
use tlp::Tlp;
use units::{Span, Time};

/// State of RACK-TLP.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// Send time and number of the newest segment known to have arrived, and its RTT.
    newest: (Time, u32),
    rtt: Span,
    /// One past the highest segment known to have arrived; whether one below it arrived later though sent
    /// once.
    fack: u32,
    reordered: bool,
    /// Segments marked lost and not retransmitted since.
    pub(crate) lost: LostSet,
    /// Segments marked lost and not known to have arrived, retransmitted or not.
    pub(crate) holes: u32,
    /// Segments expected and not marked lost, by send time.
    order: SendOrder,
    /// Segments found lost by the present input; empty between inputs.
    overdue: Vec<u32>,
    /// Retransmissions are judged by their round trip alone, not by timestamps.
    by_rtt_alone: bool,
    /// A recovery with holes left is followed by another.
    chained: bool,
    /// When the window was last reduced for a loss; whether a retransmission sent since then was lost.
    reduced_at: Time,
    lost_again: bool,
    /// Retransmissions found lost so far.
    retransmissions_lost: u32,
    /// Tail loss probe.
    pub(crate) tlp: Tlp,
    /// Reordering window in quarters of the minimum RTT, and the recoveries it lasts.
    quarters: u64,
    persist: u32,
    /// DSACKs widen the window again once this segment is acknowledged.
    round_end: u32,
}

/// Arrivals that an ACK reports.
struct News {
    /// Segments that it acknowledges cumulatively.
    acked: u32,
    /// Segments newly known to have arrived.
    delivered: u32,
    /// Segments in flight before it.
    flight: u32,
    /// Losses counted before it.
    lost_before: u32,
}

impl Rack {
    pub(crate) fn new(p: &Params) -> Rack {
        Rack {
            newest: (Time::ZERO, 0),
            rtt: Span::ZERO,
            fack: 0,
            reordered: false,
            lost: LostSet::default(),
            holes: 0,
            order: SendOrder::default(),
            overdue: Vec::new(),
            by_rtt_alone: p.reorder_timer == ReorderTimer::Ticks,
            chained: p.chain_recoveries,
            reduced_at: Time::ZERO,
            lost_again: false,
            retransmissions_lost: 0,
            tlp: Tlp::new(p),
            quarters: 1,
            persist: reordering::PERSIST,
            round_end: 0,
        }
    }

    /// Records a transmission; `lost`: it retransmits a segment marked lost.
    #[inline]
    pub(crate) fn sent(&mut self, ledger: &mut Ledger, seq: u32, again: bool, lost: bool) {
        if lost {
            self.lost.remove(seq);
        } else if again {
            self.order.remove(ledger, seq);
        }
        self.order.append(ledger, seq);
    }

    /// Marks a segment that is in the send order as lost.
    fn mark_lost(&mut self, ledger: &mut Ledger, seq: u32, outstanding: (u32, u32)) {
        self.order.remove(ledger, seq);
        let sent = ledger.get(seq);
        self.lost_again |= sent.transmits > 1 && sent.at >= self.reduced_at;
        self.retransmissions_lost += u32::from(sent.transmits > 1);
        self.holes += u32::from(!ledger.get_mut(seq).loss.set_hole());
        self.lost.insert(seq, outstanding);
    }

    /// Clears all loss marks; `holes` are the segments not known to have arrived.
    pub(super) fn forget_losses(&mut self, ledger: &mut Ledger, holes: Vec<u32>) {
        for hole in &holes {
            let sent = ledger.get_mut(*hole);
            sent.loss.clear();
        }
        (self.lost, self.holes) = (LostSet::default(), 0);
        self.order.rebuild(ledger, holes);
    }

    /// Records an arrival; its ACK echoes the timestamp `echo` (section 6.2 steps 1 to 3). Returns whether it sampled
    /// the round trip.
    #[inline]
    pub(crate) fn arrived(&mut self, now: Time, seq: u32, tracking: &mut Tracking, echo: Time) -> bool {
        let Tracking { ledger, min_rtt, .. } = tracking;
        let sent = ledger.get(seq);
        if sent.arrived {
            return false;
        }
        let (at, again) = (sent.at, sent.transmits > 1);
        if sent.loss.any() {
            self.loss_arrived(ledger, seq);
        } else {
            self.order.remove(ledger, seq);
        }
        let rtt = now.since(at);
        // An ACK of the original is no sample of the retransmission.
        if again && (echo < at && !self.by_rtt_alone || rtt < *min_rtt) {
            return false;
        }
        *min_rtt = (*min_rtt).min(rtt);
        let newest = (at, seq) >= self.newest;
        if newest {
            self.newest = (at, seq);
        }
        if newest || self.by_rtt_alone {
            self.rtt = rtt;
        }
        if seq >= self.fack {
            self.fack = seq + 1;
        } else {
            self.reordered |= !again;
        }
        true
    }
}

impl Rack {
    /// A segment that was marked lost has arrived.
    #[cold]
    #[inline(never)]
    fn loss_arrived(&mut self, ledger: &mut Ledger, seq: u32) {
        let sent = *ledger.get(seq);
        if sent.loss.is_lost_now() {
            self.lost.remove(seq);
        } else {
            self.order.remove(ledger, seq);
        }
        self.holes -= u32::from(sent.loss.is_hole());
        let entry = ledger.get_mut(seq);
        entry.loss.clear();
    }

    /// Segments that cause a recovery.
    fn evidence(&self) -> u32 {
        if self.chained {
            self.holes
        } else {
            self.lost.len()
        }
    }
}

impl LossRecovery {
    pub(crate) fn on_ack_rack(&mut self, ctx: &mut Ctx, now: Time, ack: &Ack) {
        if ack.ack < ctx.seq.una {
            ctx.quota = 0;
            return;
        }
        let (acked, flight) = (ack.ack - ctx.seq.una, self.pipe(ctx));
        ctx.judge_usage(flight);
        let lost_before = ctx.tracking.sampler.lost;
        let duplicate = ack.dsack();
        if duplicate.is_some() {
            self.parts.rack.widen(ctx.seq.una, ctx.seq.max);
        }
        let board = &mut self.parts.board;
        let known = board.advance(ctx.seq.una, ack.ack);
        let delivered = acked - known + board.add(&ack.sack, ack.ack, ctx.seq.max);
        if acked > 0 {
            self.advance(ctx, now, ack);
        } else if delivered > 0 {
            if self.dupacks == 0 {
                self.parts.dup_max = ctx.seq.max;
            }
            self.dupacks += 1;
        }
        self.process_probe(ctx, now, ack, delivered, duplicate.is_some());
        self.undo_if_spurious(ctx, (ack.ack, ack.echo), duplicate);
        self.judge_arrivals(ctx, now, (ack.echo, ack.ece), &News { acked, delivered, flight, lost_before });
    }

    /// Looks for losses after an ACK, and sets the window for it: the steps of a recovery, or growth.
    fn judge_arrivals(&mut self, ctx: &mut Ctx, now: Time, echoes: (Time, bool), news: &News) {
        let News { acked, delivered, flight, lost_before } = *news;
        let retransmissions_lost = self.parts.rack.retransmissions_lost;
        self.find_losses_by_time(ctx, now);
        if self.recovering {
            if ctx.seq.una >= self.recover {
                self.leave_sack(ctx);
                self.parts.rack.end_recovery();
                // Losses during a recovery start the next one at once, as in Linux: a model sees no end in
                // between.
                if ctx.model_based || self.parts.rack.chained {
                    let safe = acked > 0 && ctx.tracking.sampler.lost == lost_before;
                    self.enter_rack_if_lossy(ctx, now, (delivered, safe));
                }
                if !self.recovering && ctx.params.grow_on_exit {
                    // SACKed segments were counted as they arrived.
                    let counted = self.counted(ctx, acked.min(delivered), delivered);
                    ctx.grow(now, echoes, (counted, delivered), flight, self.recovering);
                }
            } else if self.must_reduce_again(ctx) {
                self.reduce_again(ctx, now, delivered);
            } else {
                let safe = acked > 0 && ctx.tracking.sampler.lost == lost_before;
                let linux = ctx.params.reduction == Reduction::Linux;
                self.update_prr(ctx, delivered, if linux { safe } else { acked > 0 });
            }
            return;
        }
        if self.loss && ctx.seq.una >= self.recover {
            self.loss = false;
            self.parts.rack.end_recovery();
        }
        self.end_loss_for_recovery(ctx, self.parts.rack.retransmissions_lost > retransmissions_lost);
        let safe = acked > 0 && ctx.tracking.sampler.lost == lost_before;
        let reducing = self.is_reducing_for_echo(ctx) && self.continue_echo_reduction(ctx, delivered, safe);
        if acked > 0 && !reducing && !self.recovers_instead_of_growing(ctx) {
            let counted = self.counted(ctx, acked, delivered);
            ctx.grow(now, echoes, (counted, delivered), flight, self.recovering);
        }
        self.enter_rack_if_lossy(ctx, now, (delivered, false));
    }

    /// Enters recovery if something is lost. Of the ACK that shows it: segments `delivered`; whether it is `safe`, that
    /// is acknowledges new data and no loss was found by it, as one that ends the recovery before.
    fn enter_rack_if_lossy(&mut self, ctx: &mut Ctx, now: Time, (delivered, safe): (u32, bool)) {
        if self.parts.rack.evidence() == 0 || self.recovering || self.loss {
            return;
        }
        self.dupacks = self.dupacks.max(1);
        if !self.is_reducing_for_echo(ctx) {
            let linux = ctx.params.reduction == Reduction::Linux;
            let before = if linux { ctx.window.cwnd as u32 } else { ctx.seq.outstanding() };
            self.parts.board.recover_fs = before.max(1);
            (self.parts.board.prr_delivered, self.parts.board.prr_out) = (0, 0);
        }
        if ctx.seq.una >= self.recover {
            self.save_window(ctx);
            self.recover = ctx.seq.max;
            self.reduce_window(ctx, now, Cause::Loss);
            (self.parts.rack.reduced_at, self.parts.rack.lost_again) = (now, false);
        }
        self.recover = ctx.seq.max;
        self.last_reduction = LastReduction::FastRetransmit;
        ctx.counters.fast_recoveries += 1;
        self.recovering = true;
        ctx.restart_timer_on_retransmit(now);
        self.update_prr(ctx, delivered, safe && ctx.params.reduction == Reduction::Linux);
        if let Some(lost) = self.first_lost(ctx) {
            self.parts.board.prr_out += 1;
            self.forced = lost;
        }
    }

    /// Whether a retransmission was lost that left after the last reduction: one more indication of congestion (RFC
    /// 5681 section 4.3). Linux does not reduce for it, nor does a control with a model of the path.
    fn must_reduce_again(&self, ctx: &Ctx) -> bool {
        self.parts.rack.lost_again && ctx.params.reduction != Reduction::Linux && !ctx.model_based
    }

    /// Starts another recovery within one, with its own reduction. Without it a window that exceeds the capacity of the
    /// path would stay, as long as its losses keep the recovery from its end.
    fn reduce_again(&mut self, ctx: &mut Ctx, now: Time, delivered: u32) {
        (self.recovering, self.recover) = (false, ctx.seq.una);
        self.enter_rack_if_lossy(ctx, now, (delivered, false));
    }

    /// Section 6.2 steps 4 and 5: of the segments sent before the newest one delivered, those sent long enough ago
    /// are lost; the timer waits for the last of the others.
    fn find_losses_by_time(&mut self, ctx: &mut Ctx, now: Time) {
        if self.parts.rack.expects_only_newer(&ctx.tracking) {
            return ctx.timers.arm(Timer::Reordering, Time::NEVER);
        }
        let window = self.reordering_window(ctx);
        let (rack, ledger) = (&mut *self.parts.rack, &ctx.tracking.ledger);
        let (newest, rtt) = (rack.newest, rack.rtt);
        let Some(last) = rack.order.last_before(ledger, newest) else {
            return ctx.timers.arm(Timer::Reordering, Time::NEVER);
        };
        let due = |seq: u32| ledger.get(seq).at + rtt + window;
        let due_last = due(last);
        let overdue = |seq: &u32| (ledger.get(*seq).at, *seq) < newest && due(*seq) <= now;
        rack.overdue.extend(rack.order.iter(ledger).take_while(overdue));
        self.mark_overdue_lost(ctx, now);
        let again = if due_last > now { self.reorder_time(ctx, now, due_last) } else { Time::NEVER };
        ctx.timers.arm(Timer::Reordering, again);
    }

    /// Marks the segments found overdue as lost, the lowest first.
    #[inline]
    fn mark_overdue_lost(&mut self, ctx: &mut Ctx, now: Time) {
        if self.parts.rack.overdue.is_empty() {
            return;
        }
        let mut overdue = std::mem::take(&mut self.parts.rack.overdue);
        overdue.sort_unstable();
        for seq in overdue.drain(..) {
            self.parts.rack.mark_lost(&mut ctx.tracking.ledger, seq, (ctx.seq.una, ctx.seq.max));
            ctx.report_loss(now, seq);
        }
        self.parts.rack.overdue = overdue;
    }

    /// The first segment marked lost and not retransmitted.
    #[inline]
    pub(crate) fn first_lost(&mut self, ctx: &Ctx) -> Option<u32> {
        self.parts.rack.lost.first(ctx.seq.una, ctx.seq.max)
    }

    /// Segments not known to have arrived.
    pub(super) fn holes(&mut self, ctx: &mut Ctx) -> Vec<u32> {
        let (una, max) = (ctx.seq.una, ctx.seq.max);
        let board = &mut self.parts.board;
        let first = board.first_unsacked(una, max, una, max);
        let unsacked = std::iter::successors(first, |hole| board.first_unsacked(hole + 1, max, una, max));
        // The scoreboard may not include the ACK that is being processed.
        let ledger = &ctx.tracking.ledger;
        unsacked.filter(|hole| !ledger.get(*hole).arrived).collect()
    }

    /// The segment to send: lost ones, then new ones, while the window has room.
    pub(crate) fn next_rack(&mut self, ctx: &mut Ctx) -> Option<u32> {
        if !self.recovering && !self.loss {
            return self.next_new(ctx);
        }
        if !self.has_room(ctx) {
            return None;
        }
        let past = ctx.seq.send_end();
        self.first_lost(ctx).or_else(|| (ctx.seq.max < past).then_some(ctx.seq.max))
    }

    /// The reordering timer or the PTO has fired.
    pub(crate) fn on_rack_timer(&mut self, ctx: &mut Ctx, now: Time) {
        if ctx.timers.fire(Timer::Reordering, now) {
            ctx.quota = ctx.burst();
            let lost_before = self.parts.rack.lost.len();
            self.find_losses_by_time(ctx, now);
            self.end_loss_for_recovery(ctx, self.parts.rack.lost.len() > lost_before);
            if self.recovering && self.must_reduce_again(ctx) {
                self.reduce_again(ctx, now, 0);
            }
            // Linux treats the tick as a delivery.
            let linux = ctx.params.reduction == Reduction::Linux;
            self.enter_rack_if_lossy(ctx, now, (u32::from(linux), false));
        }
        if ctx.timers.fire(Timer::Probe, now) {
            self.probe(ctx, now);
        }
    }
}
