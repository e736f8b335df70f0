//! RACK-TLP: a segment is lost if one sent sufficiently later has arrived; a tail loss probe reveals losses
//! at the end of a flight.
//!
//! *Reference*: RFC 8985 sections 6 (RACK) and 7 (TLP); RFC 6937 and RFC 9937 for proportional rate reduction.
//! *Units*: segments.
//! *Deviations*: a spurious recovery counts as reordering, too. Without duplicate SACKs (`dsack`) the
//! reordering window stays a quarter of the minimum RTT. Undo is in [`super::undo`].

use super::lost_set::LostSet;
use super::send_order::SendOrder;
use super::tlp::Tlp;
use crate::cc::Cause;
use crate::ledger::Ledger;
use crate::params::{Params, Recovery, Reduction, ReorderTimer};
use crate::segment::Ack;
use crate::sender::{Action, Sender, Timer};
use units::{Span, Time};

/// State of RACK-TLP.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// Whether RACK is the recovery in use.
    pub(crate) on: bool,
    /// Send time and number of the newest segment known to have arrived, and its RTT.
    newest: (Time, u32),
    rtt: Span,
    pub(crate) min_rtt: Span,
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
    /// A recovery with holes left is followed by another.
    chained: bool,
    /// Tail loss probe.
    pub(crate) tlp: Tlp,
    /// Reordering window in quarters of the minimum RTT, and the recoveries it lasts.
    quarters: u64,
    persist: u32,
    /// DSACKs widen the window again once this segment is acknowledged.
    round_end: u32,
}

/// Recoveries for which a widened reordering window lasts (section 6.2.4).
const PERSIST: u32 = 16;
/// Tick of Linux's timers, and the minimum of its reordering timer.
const TICK: Span = Span::from_millis(1);
const REORDER_LEAST: Span = Span::from_millis(2);

impl Rack {
    pub(crate) fn new(p: &Params) -> Rack {
        Rack {
            on: p.recovery == Recovery::Rack,
            newest: (Time::ZERO, 0),
            rtt: Span::ZERO,
            min_rtt: Span(u64::MAX),
            fack: 0,
            reordered: false,
            lost: LostSet::default(),
            holes: 0,
            order: SendOrder::default(),
            overdue: Vec::new(),
            chained: p.chain_repairs,
            tlp: Tlp::new(p),
            quarters: 1,
            persist: PERSIST,
            round_end: 0,
        }
    }

    /// Widens the reordering window for a DSACK, once per round trip (section 6.2.4).
    fn widen(&mut self, una: u32, nxt: u32) {
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

    /// Records reordering: a recovery was spurious, its segments were late.
    pub(crate) fn record_reordering(&mut self) {
        self.reordered = true;
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
        self.holes += u32::from(!std::mem::replace(&mut ledger.get_mut(seq).hole, true));
        self.lost.insert(seq, outstanding);
    }

    /// Clears all loss marks; `holes` are the segments not known to have arrived.
    pub(super) fn forget_losses(&mut self, ledger: &mut Ledger, holes: Vec<u32>) {
        for hole in &holes {
            let sent = ledger.get_mut(*hole);
            (sent.lost_now, sent.hole) = (false, false);
        }
        (self.lost, self.holes) = (LostSet::default(), 0);
        self.order.rebuild(ledger, holes);
    }

    /// Records an arrival; its ACK echoes the timestamp `echo` (section 6.2 steps 1 to 3).
    pub(crate) fn arrived(&mut self, now: Time, seq: u32, ledger: &mut Ledger, echo: Time) {
        let sent = *ledger.get(seq);
        if sent.arrived {
            return;
        }
        if sent.lost_now {
            self.lost.remove(seq);
        } else {
            self.order.remove(ledger, seq);
        }
        if sent.hole {
            self.holes -= 1;
        }
        let entry = ledger.get_mut(seq);
        (entry.lost_now, entry.hole) = (false, false);
        let rtt = now.since(sent.at);
        let again = sent.transmits > 1;
        // An ACK of the original tells nothing about the retransmission.
        if again && (echo < sent.at || rtt < self.min_rtt) {
            return;
        }
        self.min_rtt = self.min_rtt.min(rtt);
        if (sent.at, seq) >= self.newest {
            self.newest = (sent.at, seq);
            self.rtt = rtt;
        }
        if seq >= self.fack {
            self.fack = seq + 1;
        } else {
            self.reordered |= !again;
        }
    }
}

impl Rack {
    /// Segments that cause a recovery.
    fn evidence(&self) -> u32 {
        if self.chained {
            self.holes
        } else {
            self.lost.len()
        }
    }
}

impl Sender {
    pub(crate) fn on_ack_rack(&mut self, now: Time, ack: &Ack) {
        if ack.ack < self.seq.una {
            self.quota = 0;
            return;
        }
        let (acked, flight) = (ack.ack - self.seq.una, self.pipe());
        let lost_before = self.cold.optional.sampler.lost;
        let duplicate = ack.dsack();
        if duplicate.is_some() {
            self.cold.optional.rack.widen(self.seq.una, self.seq.max);
        }
        let board = &mut self.cold.board;
        let known = board.advance(self.seq.una, ack.ack);
        let delivered = acked - known + board.add(&ack.sack, ack.ack, self.seq.max);
        if acked > 0 {
            self.advance(now, ack);
        } else if delivered > 0 {
            if self.dupacks == 0 {
                self.cold.dup_max = self.seq.max;
            }
            self.dupacks += 1;
        }
        self.process_probe(now, ack, delivered, duplicate.is_some());
        self.undo_if_spurious(ack, duplicate);
        self.find_losses_by_time(now);
        if self.recovering {
            if self.seq.una >= self.recover {
                self.leave_sack();
                self.cold.optional.rack.end_recovery();
                // Losses during a recovery start the next one at once, as in Linux: a model sees no end in
                // between.
                if self.model_based || self.cold.optional.rack.chained {
                    self.enter_rack_if_lossy(now, delivered);
                }
                if !self.recovering && self.cold.params.grow_on_exit {
                    // SACKed segments were counted as they arrived.
                    self.grow(now, ack, self.counted(acked.min(delivered), delivered), delivered, flight);
                }
            } else {
                let safe = acked > 0 && self.cold.optional.sampler.lost == lost_before;
                let linux = self.cold.params.reduction == Reduction::Linux;
                self.update_prr(delivered, if linux { safe } else { acked > 0 });
            }
            return;
        }
        if self.loss && self.seq.una >= self.recover {
            self.loss = false;
            self.cold.optional.rack.end_recovery();
        }
        if acked > 0 {
            self.grow(now, ack, self.counted(acked, delivered), delivered, flight);
        }
        self.enter_rack_if_lossy(now, delivered);
    }

    fn enter_rack_if_lossy(&mut self, now: Time, delivered: u32) {
        if self.cold.optional.rack.evidence() == 0 || self.recovering || self.loss {
            return;
        }
        self.dupacks = self.dupacks.max(1);
        let linux = self.cold.params.reduction == Reduction::Linux;
        let before = if linux { self.window.cwnd as u32 } else { self.seq.outstanding() };
        self.cold.board.recover_fs = before.max(1);
        if self.seq.una >= self.recover {
            self.save_window();
            self.recover = self.seq.max;
            self.reduce_window(now, Cause::Loss);
        }
        self.recover = self.seq.max;
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.recovering = true;
        self.restart_timer_on_retransmit(now);
        self.cold.board.prr_delivered = 0;
        self.cold.board.prr_out = 0;
        self.update_prr(delivered, false);
        if let Some(lost) = self.first_lost() {
            self.cold.board.prr_out = 1;
            self.forced = lost;
        }
    }

    /// Section 6.2 steps 4 and 5: of the segments sent before the newest one delivered, those sent long enough ago
    /// are lost; the timer waits for the last of the others.
    fn find_losses_by_time(&mut self, now: Time) {
        let window = self.reordering_window();
        let tracking = &mut *self.cold.optional;
        let (rack, ledger) = (&mut tracking.rack, &tracking.ledger);
        let (newest, rtt) = (rack.newest, rack.rtt);
        let Some(last) = rack.order.last_before(ledger, newest) else {
            return tracking.timers.arm(Timer::Reordering, Time::NEVER);
        };
        let due = |seq: u32| ledger.get(seq).at + rtt + window;
        let due_last = due(last);
        let overdue = |seq: &u32| (ledger.get(*seq).at, *seq) < newest && due(*seq) <= now;
        rack.overdue.extend(rack.order.iter(ledger).take_while(overdue));
        self.mark_overdue_lost(now);
        let again = if due_last > now { self.reorder_time(now, due_last) } else { Time::NEVER };
        self.cold.optional.timers.arm(Timer::Reordering, again);
    }

    /// Expiry of the reordering timer. Linux counts the remaining time in ticks, from the last one.
    fn reorder_time(&self, now: Time, due: Time) -> Time {
        if self.cold.params.reorder_timer == ReorderTimer::Exact {
            return due;
        }
        let left = due.since(now) + REORDER_LEAST;
        Time((now.0 / TICK.0 + left.0.div_ceil(TICK.0)) * TICK.0)
    }

    /// Marks the segments found overdue as lost, the lowest first.
    #[inline]
    fn mark_overdue_lost(&mut self, now: Time) {
        if self.cold.optional.rack.overdue.is_empty() {
            return;
        }
        let mut overdue = std::mem::take(&mut self.cold.optional.rack.overdue);
        overdue.sort_unstable();
        for seq in overdue.drain(..) {
            let tracking = &mut *self.cold.optional;
            tracking.rack.mark_lost(&mut tracking.ledger, seq, (self.seq.una, self.seq.max));
            self.report_loss(now, seq);
        }
        self.cold.optional.rack.overdue = overdue;
    }

    /// Reordering window: zero while no reordering was seen and either a recovery is in progress or enough is
    /// SACKed (section 6.2 step 4).
    fn reordering_window(&self) -> Span {
        let rack = &self.cold.optional.rack;
        let repairing = self.recovering || self.loss;
        let enough = self.cold.board.sacked_count >= self.threshold();
        if rack.min_rtt == Span(u64::MAX) || (!rack.reordered && (repairing || enough)) {
            return Span::ZERO;
        }
        Span(rack.min_rtt.0.saturating_mul(rack.quarters) / 4).min(self.srtt().unwrap_or(Span::ZERO))
    }

    /// The first segment marked lost and not retransmitted.
    fn first_lost(&mut self) -> Option<u32> {
        self.cold.optional.rack.lost.first(self.seq.una, self.seq.max)
    }

    /// Segments not known to have arrived.
    pub(super) fn holes(&mut self) -> Vec<u32> {
        let (una, max) = (self.seq.una, self.seq.max);
        let board = &mut self.cold.board;
        let first = board.first_unsacked(una, max, una, max);
        let unsacked = std::iter::successors(first, |hole| board.first_unsacked(hole + 1, max, una, max));
        // The scoreboard may not include the ACK that is being processed.
        let ledger = &self.cold.optional.ledger;
        unsacked.filter(|hole| !ledger.get(*hole).arrived).collect()
    }

    /// The segment to send: lost ones, then new ones, while the window has room.
    pub(crate) fn next_rack(&mut self) -> Option<u32> {
        if !self.recovering && !self.loss {
            return self.next_new();
        }
        if self.window.cwnd - f64::from(self.pipe()) < 1.0 {
            return None;
        }
        let past = self.seq.send_end();
        self.first_lost().or_else(|| (self.seq.max < past).then_some(self.seq.max))
    }

    /// Section 6.3: the first segment is lost, and so are those sent more than a round trip ago.
    pub(crate) fn timeout_rack(&mut self, now: Time) {
        self.seq.nxt = self.seq.max;
        let limit = self.cold.optional.rack.rtt + self.reordering_window();
        let (una, tracking) = (self.seq.una, &mut *self.cold.optional);
        let (rack, ledger) = (&mut tracking.rack, &tracking.ledger);
        let overdue = |seq: &u32| ledger.get(*seq).at + limit <= now;
        rack.overdue.extend(rack.order.iter(ledger).take_while(overdue));
        if !ledger.get(una).lost_now && !overdue(&una) {
            rack.overdue.push(una);
        }
        self.mark_overdue_lost(now);
        self.forced = self.seq.una;
        let tracking = &mut *self.cold.optional;
        tracking.timers.cancel(Timer::Reordering);
        tracking.timers.cancel(Timer::Probe);
        tracking.rack.tlp.forget();
    }

    /// The reordering timer or the PTO has fired.
    pub(crate) fn on_rack_timer(&mut self, now: Time) {
        if self.cold.optional.timers.fire(Timer::Reordering, now) {
            self.quota = self.burst();
            self.find_losses_by_time(now);
            // Linux treats the tick as a delivery.
            let linux = self.cold.params.reduction == Reduction::Linux;
            self.enter_rack_if_lossy(now, u32::from(linux));
        }
        if self.cold.optional.timers.fire(Timer::Probe, now) {
            self.probe(now);
        }
    }
}
