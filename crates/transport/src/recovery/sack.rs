//! Recovery with selective acknowledgements by RFC 6675.
//!
//! *Reference*: RFC 6675 sections 4 and 5 (IsLost, SetPipe, NextSeg rules 1 to 4), RFC 2018; RFC 6937 and
//! RFC 9937 for proportional rate reduction.
//! *Units*: segments.
//! *Deviations*: after a timeout everything not selectively acknowledged counts as lost and is retransmitted in
//! order under the pipe; selective acknowledgements are kept (RFC 6675 section 5.1 allows both).

use crate::cc::Cause;
use crate::params::{Counting, DupackRule, Recovery, Reduction};
use crate::segment::{Ack, SackBlocks};
use crate::sender::{Action, Cold, Sender, NONE};
use units::Time;

impl Sender {
    #[inline]
    pub(crate) fn on_ack_sack(&mut self, now: Time, ack: &Ack) {
        if ack.ack < self.una {
            self.quota = 0;
            return;
        }
        let quiet = ack.sack.is_empty() && !self.recovering && !self.loss;
        if quiet && ack.ack > self.una && self.cold.board.sacked_count == 0 {
            let (acked, flight) = (ack.ack - self.una, self.max - self.una);
            self.advance(now, ack);
            self.grow(now, ack, acked, acked, flight);
            return;
        }
        self.on_ack_with_holes(now, ack);
    }

    fn on_ack_with_holes(&mut self, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - self.una, self.pipe());
        let (delivered, fresh) = self.update_board(ack);
        let due = self.rto_at;
        if acked > 0 {
            self.advance(now, ack);
        }
        let strict = self.cold.params.dupack_rule == DupackRule::Rfc6675;
        let duplicate = if strict { fresh > 0 } else { acked == 0 && delivered > 0 };
        if duplicate {
            if self.dupacks == 0 {
                self.cold.dup_max = self.max;
            }
            self.dupacks += 1;
        }
        if self.recovering {
            if acked > 0 && self.una < self.recover && self.cold.params.repair_partial {
                if self.partial_seen {
                    self.rto_at = due;
                }
                self.partial_seen = true;
            }
            return self.go_on_repairing(now, ack, acked, delivered, fresh);
        }
        if acked > 0 && strict && duplicate && !self.loss {
            self.rto_at = due;
        } else if acked > 0 {
            self.grow_beside_holes(now, ack, acked, delivered, flight);
        }
        self.look_for_losses(now, delivered);
    }

    /// Begins a recovery if something is lost.
    #[inline]
    fn look_for_losses(&mut self, now: Time, delivered: u32) {
        if self.must_repair() {
            self.enter_sack(now, delivered);
        }
    }

    /// Whether something is lost for which no recovery has begun.
    #[inline]
    fn must_repair(&self) -> bool {
        // A cut for an ECN echo leaves the losses of its window to be repaired, not to the timer.
        let open = self.una >= self.recover || self.last_action == Action::Ecn;
        if self.loss || !open {
            return false;
        }
        // What a recovery repaired and a later one finds lost again says nothing of new losses, the segment after it does.
        let first = self.una + u32::from(self.cold.params.keep_repairs);
        self.dupacks >= self.threshold() || self.cold.board.is_hole(first)
    }

    /// The short way of an acknowledgement that says no more than that one more segment is held, above all others (see
    /// [`crate::sender`]'s `lane`). False if it is to take the long way by [`Sender::on_ack`]. `before` is called before the window
    /// changes, if it may.
    #[inline(always)]
    pub fn on_one_more_held(
        &mut self,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        before: impl FnOnce(&Sender),
    ) -> bool {
        let may = self.straight && self.opened && ack == self.una;
        if !may {
            return false;
        }
        let Cold { params, board, .. } = &mut *self.cold;
        let threshold = || params.dupack_threshold as u32;
        if !board.hold_one_more(blocks, (self.una, self.max), threshold) {
            return false;
        }
        self.quota = NONE;
        if self.dupacks == 0 {
            self.quiet = false;
            self.cold.dup_max = self.max;
        }
        self.dupacks += 1;
        let reduces = self.recovering && self.cold.params.reduction != Reduction::AtOnce;
        if reduces || !self.recovering && self.must_repair() {
            before(self);
            self.answer_one_more_held(now);
        } else if self.recovering {
            self.look_beside_losses();
        } else {
            self.look_ahead();
        }
        true
    }

    /// One more segment held changes the window.
    #[cold]
    #[inline(never)]
    fn answer_one_more_held(&mut self, now: Time) {
        if self.recovering {
            self.reduce_proportionally(1, false);
        } else {
            self.enter_sack(now, 1);
        }
        self.look_ahead();
    }

    /// An acknowledgement in recovery; `fresh` segments are newly reported as held.
    fn go_on_repairing(&mut self, now: Time, ack: &Ack, acked: u32, delivered: u32, fresh: u32) {
        if self.una >= self.recover {
            self.leave_sack();
            if self.cold.params.grow_on_exit {
                self.grow(now, ack, acked, delivered, self.max - self.una);
            }
            return;
        }
        self.reduce_proportionally(delivered, acked > 0);
        if acked > 0 && self.cold.params.repair_partial {
            if self.modelled {
                self.lose(now, self.una);
            }
            if fresh > 0 {
                // ns-3 takes it once for a duplicate and once for a partial acknowledgement.
                self.reduce_proportionally(delivered, true);
            }
            if self.cold.board.high_rxt <= self.una {
                self.release_first_hole();
            }
        }
    }

    /// The first lost segment not yet retransmitted leaves whatever the congestion window, or new data if there is none, or else
    /// the first segment outstanding, once more if need be.
    fn release_first_hole(&mut self) {
        let new = self.max < self.past_new();
        let board = &mut self.cold.board;
        self.forced = match board.next_lost(self.una) {
            None if new => {
                self.nxt = self.max + 1;
                self.max
            }
            lost => {
                let seq = lost.unwrap_or(self.una);
                board.retransmitted(seq);
                seq
            }
        };
        board.prr_out += 1;
    }

    /// What of an acknowledgement the window grows by. Linux counts what it reports to be held along with what it covers.
    pub(super) fn counted(&self, acked: u32, delivered: u32) -> u32 {
        if self.cold.params.counting == Counting::Whole {
            delivered
        } else {
            acked
        }
    }

    /// New data is acknowledged outside fast recovery, with holes or in the repair of a timeout.
    fn grow_beside_holes(&mut self, now: Time, ack: &Ack, acked: u32, delivered: u32, flight: u32) {
        let beyond = self.beyond_repair(self.una);
        self.loss &= self.una < self.recover;
        self.grow(now, ack, beyond.unwrap_or(acked), delivered, flight);
    }

    /// Takes in what an acknowledgement says: the number of segments newly known to have arrived, and of those newly reported
    /// as held.
    fn update_board(&mut self, ack: &Ack) -> (u32, u32) {
        let threshold = self.threshold();
        let board = &mut self.cold.board;
        let known = board.advance(self.una, ack.ack);
        let fresh = board.add(&ack.sack, ack.ack, self.max);
        if fresh > 0 {
            board.find_losses(ack.ack, threshold);
        }
        (ack.ack - self.una - known + fresh, fresh)
    }

    /// RFC 6675 section 5 step 4. A window that an ECN echo has cut is not cut again (RFC 3168 section 6.1.2).
    #[cold]
    fn enter_sack(&mut self, now: Time, delivered: u32) {
        self.dupacks = self.dupacks.max(1);
        self.partial_seen = false;
        self.cold.board.recover_fs = (self.max - self.una).max(1);
        let cut_already = self.una < self.recover;
        self.recover = self.max;
        if !cut_already {
            self.cut(now, Cause::Loss);
        }
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.recovering = true;
        self.restart_for_repair(now);
        let keep = self.cold.params.keep_repairs;
        let board = &mut self.cold.board;
        if !keep {
            board.begin(self.una);
        }
        board.lose_below(self.una, self.una + 1);
        board.prr_delivered = 0;
        board.prr_out = 0;
        self.reduce_proportionally(delivered, false);
        self.release_first_hole();
    }

    pub(crate) fn leave_sack(&mut self) {
        self.recovering = false;
        self.last_action = Action::Exited;
        if self.cold.params.keep_repairs {
            self.cold.board.high_rxt = self.cold.board.high_rxt.max(self.una);
        } else {
            self.cold.board.begin(self.una);
        }
        if self.cold.params.reduction != Reduction::AtOnce && !self.modelled {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    /// Proportional rate reduction: lets out in proportion to what was delivered until the flight meets ssthresh,
    /// then no more than slow start would. `advanced`: the acknowledgement moved `una`. The first call of a
    /// recovery lets at least the fast retransmission out.
    #[inline]
    pub(crate) fn reduce_proportionally(&mut self, delivered: u32, advanced: bool) {
        if self.cold.params.reduction != Reduction::AtOnce && !self.modelled {
            self.reduce_by_rate(delivered, advanced);
        }
    }

    fn reduce_by_rate(&mut self, delivered: u32, advanced: bool) {
        let pipe = f64::from(self.pipe());
        let (whole, reduction) = (self.cold.params.arithmetic.is_whole(), self.cold.params.reduction);
        let board = &mut self.cold.board;
        board.prr_delivered += delivered;
        let ssthresh = self.window.ssthresh;
        let (arrived, released) = (f64::from(board.prr_delivered), f64::from(board.prr_out));
        let mut out = if pipe > ssthresh {
            let mut product = arrived * ssthresh;
            if reduction == Reduction::Ns3 {
                product = wrapped_in_bytes(arrived, ssthresh, self.cold.params.mss.0 as f64);
            }
            let share = product / f64::from(board.recover_fs);
            (if whole { share.ceil() } else { share }) - released
        } else {
            let banked = arrived - released;
            let bound = match reduction {
                // ns-3 takes what was sent beyond what arrived for a bound, and a duplicate releases no more than it brought.
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
        self.window.cwnd = pipe + out.max(0.0);
    }

    pub(crate) fn timeout_sack(&mut self) {
        self.nxt = self.max;
        let board = &mut self.cold.board;
        board.begin(self.una);
        board.lose_below(self.una, self.max);
    }

    /// Segments in flight by the scoreboard.
    #[inline]
    pub(crate) fn pipe(&self) -> u32 {
        if self.recovery == Recovery::Rack {
            return (self.max - self.una) - self.cold.board.sacked_count - self.cold.extras.rack.lost_out;
        }
        self.cold.board.pipe(self.una, self.max)
    }

    /// NextSeg: what to send while the pipe has room.
    #[inline(always)]
    pub(crate) fn next_sack(&mut self) -> Option<u32> {
        let repairing = self.recovering || self.loss;
        if !repairing && !self.cold.params.pipe_always {
            return self.next_new();
        }
        if self.window.cwnd - f64::from(self.pipe()) < 1.0 {
            return None;
        }
        let board = &self.cold.board;
        // Rule 1: the lowest lost segment not yet retransmitted.
        if let Some(seq) = board.next_lost(self.una) {
            return Some(seq);
        }
        // Rule 2: new data.
        if self.max < self.past_new() {
            return Some(self.max);
        }
        if !self.recovering {
            return None;
        }
        // Rule 3: a segment below the highest one selectively acknowledged.
        let past = if self.cold.params.repair_all { self.max } else { board.highest };
        board.next_hole(self.una, past).or_else(|| self.rescue())
    }

    /// One past the last segment that the source and the receiver's window let be sent.
    #[inline(always)]
    fn past_new(&self) -> u32 {
        self.limit.min(self.una.saturating_add(self.rwnd))
    }

    /// Rule 4: once a recovery, the highest segment outstanding.
    #[cold]
    fn rescue(&mut self) -> Option<u32> {
        let edge = self.cold.board.rescue;
        let allowed = self.cold.params.rescue && (edge == NONE || self.una > edge);
        if !allowed {
            return None;
        }
        let seq = self.cold.board.last_hole(self.una, self.max)?;
        self.cold.board.rescue = self.recover;
        Some(seq)
    }

    /// Without losses the window limits what is in flight, segments selectively acknowledged excepted (RFC 6675 section 5 step 3,
    /// limited transmit; RACK needs no duplicate to know of them).
    #[inline]
    pub(crate) fn next_new(&self) -> Option<u32> {
        let mut usable = self.window.cwnd as u32;
        let known = self.dupacks > 0 || self.recovery == Recovery::Rack;
        if known && self.cold.params.limited_transmit {
            usable = usable.saturating_add(self.cold.board.sacked_count);
        }
        let past = self.una.saturating_add(usable.min(self.rwnd)).min(self.limit);
        (self.nxt < past).then_some(self.nxt)
    }

    /// Bookkeeping of a segment [`Sender::next_sack`] chose.
    #[inline]
    pub(crate) fn sent_sack(&mut self, seq: u32) {
        if !self.recovering && !self.loss && !self.cold.params.pipe_always {
            return;
        }
        let board = &mut self.cold.board;
        board.prr_out += 1;
        let below = if self.cold.params.repair_all { self.max } else { board.highest.max(board.lost_edge) };
        if seq < self.max.min(below) {
            board.retransmitted(seq);
        }
    }
}

/// The product of two windows in bytes modulo 2^32, back in segments.
fn wrapped_in_bytes(a: f64, b: f64, mss: f64) -> f64 {
    let bytes = |segments: f64| (segments * mss).round() as u32;
    f64::from(bytes(a).wrapping_mul(bytes(b))) / (mss * mss)
}
