//! RACK-TLP: a segment is lost if one sent sufficiently later has arrived; a probe makes the tail of a flight show its losses.
//!
//! *Reference*: RFC 8985 sections 6 (RACK) and 7 (TLP); RFC 6937 and RFC 9937 for proportional rate reduction.
//! *Units*: segments.
//! *Deviations*: a recovery that was for nothing shows reordering, too. Without duplicate SACKs (`dsack`) the reordering window
//! stays a quarter of the least round trip. What is undone is in [`super::undo`].

use crate::cc::Cause;
use crate::ledger::Sent;
use crate::params::{Params, Recovery, Reduction, ReorderTimer};
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::{Span, Time};

/// What RACK-TLP remembers.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// It is the recovery in use.
    pub(crate) on: bool,
    /// When the newest segment known to have arrived was sent, its number and its round trip.
    newest: (Time, u32),
    rtt: Span,
    pub(crate) min_rtt: Span,
    /// One past the highest segment known to have arrived, and whether one arrived below it though sent once.
    fack: u32,
    reordered: bool,
    /// Segments that count as lost and have not been sent again.
    pub(crate) lost_out: u32,
    /// Segments that have counted as lost and are not known to have arrived, sent again or not.
    pub(crate) holes: u32,
    /// A recovery is followed by another while there are any.
    chained: bool,
    /// Losses are looked for again then.
    pub(crate) reorder_at: Time,
    /// The tail is probed then.
    pub(crate) probe_at: Time,
    /// What was the next segment when the tail was probed, and whether the probe was a retransmission.
    probe_end: Option<u32>,
    probe_again: bool,
    ack_timeout: Span,
    /// Quarters of the least round trip in the reordering window, and the recoveries for which there are so many.
    quarters: u64,
    persist: u32,
    /// Duplicate SACKs widen the window again once this segment is acknowledged.
    round_end: u32,
}

/// Recoveries through which a widened reordering window lasts (section 6.2.4).
const PERSIST: u32 = 16;
/// The clock of Linux's timers, and the least that one waits for losses.
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
            lost_out: 0,
            holes: 0,
            chained: p.chain_repairs,
            reorder_at: Time::NEVER,
            probe_at: Time::NEVER,
            probe_end: None,
            probe_again: false,
            ack_timeout: p.ack_timeout,
            quarters: 1,
            persist: PERSIST,
            round_end: 0,
        }
    }

    /// A duplicate SACK came: the window is too narrow, which it says once a round trip (section 6.2.4).
    fn widen(&mut self, una: u32, nxt: u32) {
        if una >= self.round_end {
            self.quarters += 1;
            self.persist = PERSIST;
            self.round_end = nxt;
        }
    }

    /// A recovery has ended: after sixteen without a duplicate SACK the window is what it was.
    pub(crate) fn end_recovery(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// A recovery was for nothing: what it took for lost came late.
    pub(crate) fn saw_reordering(&mut self) {
        self.reordered = true;
    }

    /// A segment arrived; its acknowledgement echoes the time `echo` (section 6.2 steps 1 to 3).
    pub(crate) fn arrived(&mut self, now: Time, seq: u32, sent: &mut Sent, echo: Time) {
        if std::mem::take(&mut sent.lost_now) {
            self.lost_out -= 1;
        }
        if std::mem::take(&mut sent.hole) {
            self.holes -= 1;
        }
        let rtt = now.since(sent.at);
        let again = sent.transmits > 1;
        // An acknowledgement of the original says nothing of the retransmission.
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
    /// Segments that begin a recovery.
    fn evidence(&self) -> u32 {
        if self.chained {
            self.holes
        } else {
            self.lost_out
        }
    }
}

impl Sender {
    pub(crate) fn on_ack_rack(&mut self, now: Time, ack: &Ack) {
        if ack.ack < self.una {
            self.quota = 0;
            return;
        }
        let (acked, flight) = (ack.ack - self.una, self.pipe());
        let lost_before = self.cold.extras.sampler.lost;
        let twice = ack.twice();
        if twice.is_some() {
            self.cold.extras.rack.widen(self.una, self.max);
        }
        let board = &mut self.cold.board;
        let known = board.advance(self.una, ack.ack);
        let delivered = acked - known + board.add(&ack.sack, ack.ack, self.max);
        if acked > 0 {
            self.advance(now, ack);
        } else if delivered > 0 {
            if self.dupacks == 0 {
                self.cold.dup_max = self.max;
            }
            self.dupacks += 1;
        }
        self.process_probe(now, ack, delivered, twice.is_some());
        self.undo_if_for_nothing(ack, twice);
        self.find_losses_by_time(now);
        if self.recovering {
            if self.una >= self.recover {
                self.leave_sack();
                self.cold.extras.rack.end_recovery();
                // What was lost meanwhile begins the next repair at once, as in Linux: a model is not shown an end in between.
                if self.modelled || self.cold.extras.rack.chained {
                    self.enter_rack_if_lossy(now, delivered);
                }
                if !self.recovering && self.cold.params.grow_on_exit {
                    // What was held before counted as it arrived.
                    self.grow(now, ack, self.counted(acked.min(delivered), delivered), delivered, flight);
                }
            } else {
                let safe = acked > 0 && self.cold.extras.sampler.lost == lost_before;
                let linux = self.cold.params.reduction == Reduction::Linux;
                self.reduce_proportionally(delivered, if linux { safe } else { acked > 0 });
            }
            return;
        }
        if self.loss && self.una >= self.recover {
            self.loss = false;
            self.cold.extras.rack.end_recovery();
        }
        if acked > 0 {
            self.grow(now, ack, self.counted(acked, delivered), delivered, flight);
        }
        self.enter_rack_if_lossy(now, delivered);
    }

    fn enter_rack_if_lossy(&mut self, now: Time, delivered: u32) {
        if self.cold.extras.rack.evidence() == 0 || self.recovering || self.loss {
            return;
        }
        self.dupacks = self.dupacks.max(1);
        let linux = self.cold.params.reduction == Reduction::Linux;
        let before = if linux { self.window.cwnd as u32 } else { self.max - self.una };
        self.cold.board.recover_fs = before.max(1);
        if self.una >= self.recover {
            self.remember_window();
            self.recover = self.max;
            self.cut(now, Cause::Loss);
        }
        self.recover = self.max;
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.recovering = true;
        self.restart_for_repair(now);
        self.cold.board.prr_delivered = 0;
        self.cold.board.prr_out = 0;
        self.reduce_proportionally(delivered, false);
        if let Some(lost) = self.first_lost() {
            self.cold.board.prr_out = 1;
            self.forced = lost;
        }
    }

    /// Section 6.2 steps 4 and 5. Segments sent once are in the order of their times, so that the search ends early.
    fn find_losses_by_time(&mut self, now: Time) {
        let window = self.reordering_window();
        let deadline = |rack: &Rack, at: Time| at + rack.rtt + window;
        let (newest, mut next) = (self.cold.extras.rack.newest, Time::ZERO);
        let mut seq = self.una;
        while let Some(hole) = self.cold.board.first_unknown(seq, self.max, self.una, self.max) {
            seq = hole + 1;
            let sent = *self.cold.extras.ledger.get(hole);
            if sent.lost_now {
                continue;
            }
            if newest <= (sent.at, hole) {
                if sent.transmits == 1 && hole >= self.cold.extras.rack.fack {
                    break;
                }
                continue;
            }
            let due = deadline(&self.cold.extras.rack, sent.at);
            if due <= now {
                self.lose_by_time(now, hole);
            } else {
                next = next.max(due);
            }
        }
        let again = if next > Time::ZERO { self.reorder_time(now, next) } else { Time::NEVER };
        self.cold.extras.rack.reorder_at = again;
        self.cold.extras.wake_by(again);
    }

    /// When losses are looked for again that are due then. Linux counts what is left in ticks, from the last one.
    fn reorder_time(&self, now: Time, due: Time) -> Time {
        if self.cold.params.reorder_timer == ReorderTimer::Exact {
            return due;
        }
        let left = due.since(now) + REORDER_LEAST;
        Time((now.0 / TICK.0 + left.0.div_ceil(TICK.0)) * TICK.0)
    }

    fn lose_by_time(&mut self, now: Time, seq: u32) {
        let gauges = &mut *self.cold.extras;
        gauges.rack.lost_out += 1;
        gauges.rack.holes += u32::from(!std::mem::replace(&mut gauges.ledger.get_mut(seq).hole, true));
        self.lose(now, seq);
    }

    /// Zero while nothing was ever reordered and losses are being repaired or enough was selectively acknowledged (section 6.2 step 4).
    fn reordering_window(&self) -> Span {
        let rack = &self.cold.extras.rack;
        let repairing = self.recovering || self.loss;
        let enough = self.cold.board.sacked_count >= self.threshold();
        if rack.min_rtt == Span(u64::MAX) || (!rack.reordered && (repairing || enough)) {
            return Span::ZERO;
        }
        Span(rack.min_rtt.0.saturating_mul(rack.quarters) / 4).min(self.srtt().unwrap_or(Span::ZERO))
    }

    /// The first segment that counts as lost.
    fn first_lost(&mut self) -> Option<u32> {
        if self.cold.extras.rack.lost_out == 0 {
            return None;
        }
        let mut seq = self.una;
        while let Some(hole) = self.cold.board.first_unknown(seq, self.max, self.una, self.max) {
            if self.cold.extras.ledger.get(hole).lost_now {
                return Some(hole);
            }
            seq = hole + 1;
        }
        None
    }

    /// What to send: lost segments, then new ones, while the window has room for them.
    pub(crate) fn next_rack(&mut self) -> Option<u32> {
        if !self.recovering && !self.loss {
            return self.next_new();
        }
        if self.window.cwnd - f64::from(self.pipe()) < 1.0 {
            return None;
        }
        let past = self.limit.min(self.una.saturating_add(self.rwnd));
        self.first_lost().or_else(|| (self.max < past).then_some(self.max))
    }

    /// Section 6.3: the first segment is lost, and so are those a round trip older than the present.
    pub(crate) fn timeout_rack(&mut self, now: Time) {
        self.nxt = self.max;
        let limit = self.cold.extras.rack.rtt + self.reordering_window();
        let mut seq = self.una;
        while let Some(hole) = self.cold.board.first_unknown(seq, self.max, self.una, self.max) {
            seq = hole + 1;
            let sent = *self.cold.extras.ledger.get(hole);
            if !sent.lost_now && (hole == self.una || sent.at + limit <= now) {
                self.lose_by_time(now, hole);
            }
        }
        self.forced = self.una;
        let rack = &mut self.cold.extras.rack;
        (rack.reorder_at, rack.probe_at, rack.probe_end) = (Time::NEVER, Time::NEVER, None);
    }

    /// Section 7.2: two round trips after the last news, and longer where a delayed acknowledgement may be on its way.
    pub(crate) fn arm_probe(&mut self, now: Time) {
        let outstanding = self.max - self.una;
        let quiet = !self.recovering && !self.loss && self.cold.board.sacked_count == 0;
        if !quiet || outstanding == 0 || self.cold.extras.rack.probe_end.is_some() {
            self.cold.extras.rack.probe_at = Time::NEVER;
            return;
        }
        let mut wait = self.srtt().map_or(Span::from_millis(1000), |srtt| srtt * 2);
        if outstanding == 1 {
            wait = wait + self.cold.extras.rack.ack_timeout;
        }
        let probe_at = (now + wait).min(self.rto_at);
        self.cold.extras.rack.probe_at = probe_at;
        self.cold.extras.wake_by(probe_at);
    }

    /// A deadline of RACK or of the probe has come.
    pub(crate) fn on_rack_timer(&mut self, now: Time) {
        if now >= self.cold.extras.rack.reorder_at {
            self.cold.extras.rack.reorder_at = Time::NEVER;
            self.quota = self.burst();
            self.find_losses_by_time(now);
            // Linux takes the tick for an arrival.
            let linux = self.cold.params.reduction == Reduction::Linux;
            self.enter_rack_if_lossy(now, u32::from(linux));
        }
        if now >= self.cold.extras.rack.probe_at {
            self.cold.extras.rack.probe_at = Time::NEVER;
            self.probe(now);
        }
    }

    /// Section 7.3: a new segment, or the last one again; the retransmission timer starts anew.
    fn probe(&mut self, now: Time) {
        if self.una == self.max || self.recovering || self.loss {
            return;
        }
        let past = self.limit.min(self.una.saturating_add(self.rwnd));
        let fresh = self.max < past;
        let Some(last) = self.cold.board.last_hole(self.una, self.max) else {
            return;
        };
        self.forced = if fresh { self.max } else { last };
        if fresh {
            self.nxt = self.max + 1;
        }
        self.timed = crate::sender::NONE;
        self.cold.extras.rack.probe_again = !fresh;
        self.cold.extras.rack.probe_end = Some(self.max + u32::from(fresh));
        self.rto_at = self.rto_after(now);
    }

    /// Section 7.4: the probe is answered. If it repaired a loss, the window is cut as for one.
    fn process_probe(&mut self, now: Time, ack: &Ack, delivered: u32, twice: bool) {
        let Some(end) = self.cold.extras.rack.probe_end else {
            return;
        };
        let both_arrived = ack.ack == self.una && delivered == 0 && (twice || ack.sack.is_empty());
        if ack.ack < end && !both_arrived {
            return;
        }
        self.cold.extras.rack.probe_end = None;
        let repaired = self.cold.extras.rack.probe_again && !both_arrived && ack.echo_of_probe(self);
        if repaired && !self.recovering && !self.loss && self.una >= self.recover {
            self.recover = self.max;
            self.keep_cut();
            self.cut(now, Cause::Loss);
        }
    }
}

impl Ack {
    /// Whether it answers a segment sent again last: the timestamp tells the original from the probe.
    fn echo_of_probe(&self, sender: &Sender) -> bool {
        let last = sender.cold.extras.ledger.get(sender.una.saturating_sub(1));
        last.transmits > 1 && self.echo >= last.at
    }
}
