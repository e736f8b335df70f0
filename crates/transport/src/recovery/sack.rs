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
        if ack.ack < self.seq.una {
            self.quota = 0;
            return;
        }
        let quiet = ack.sack.is_empty() && !self.recovering && !self.loss;
        if quiet && ack.ack > self.seq.una && self.cold.board.sacked_count == 0 {
            let (acked, flight) = (ack.ack - self.seq.una, self.seq.outstanding());
            self.advance(now, ack);
            self.grow(now, ack, acked, acked, flight);
            return;
        }
        self.on_ack_with_holes(now, ack);
    }

    fn on_ack_with_holes(&mut self, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - self.seq.una, self.pipe());
        let (delivered, fresh) = self.update_board(ack);
        let due = self.rto_at;
        if acked > 0 {
            self.advance(now, ack);
        }
        let strict = self.cold.params.dupack_rule == DupackRule::Rfc6675;
        let duplicate = if strict { fresh > 0 } else { acked == 0 && delivered > 0 };
        if duplicate {
            if self.dupacks == 0 {
                self.cold.dup_max = self.seq.max;
            }
            self.dupacks += 1;
        }
        if self.recovering {
            if acked > 0 && self.seq.una < self.recover && self.cold.params.repair_partial {
                if self.partial_seen {
                    self.rto_at = due;
                }
                self.partial_seen = true;
            }
            return self.continue_recovery(now, ack, acked, delivered, fresh);
        }
        if acked > 0 && strict && duplicate && !self.loss {
            self.rto_at = due;
        } else if acked > 0 {
            self.grow_with_holes(now, ack, acked, delivered, flight);
        }
        self.enter_sack_if_lossy(now, delivered);
    }

    /// Enters recovery if something is lost.
    #[inline]
    fn enter_sack_if_lossy(&mut self, now: Time, delivered: u32) {
        if self.must_enter_sack() {
            self.enter_sack(now, delivered);
        }
    }

    /// Whether something is lost that no recovery covers yet.
    #[inline]
    fn must_enter_sack(&self) -> bool {
        // A reduction for an ECN echo leaves the losses of its window to fast recovery, not to the timer.
        let open = self.seq.una >= self.recover || self.last_action == Action::Ecn;
        if self.loss || !open {
            return false;
        }
        // A segment retransmitted in the last recovery and marked lost again is no new loss; the segment
        // after it is.
        let first = self.seq.una + u32::from(self.cold.params.keep_repairs);
        self.dupacks >= self.threshold() || self.cold.board.is_hole(first)
    }

    /// Fast path of a duplicate ACK that reports one more SACKed segment, above all others (see
    /// [`crate::sender`]'s `fast_path`). Returns false, without effect, if it needs the slow path
    /// ([`Sender::on_ack`]). Calls `before` before a change of the window.
    #[inline(always)]
    pub fn on_sack_fast(
        &mut self,
        now: Time,
        ack: u32,
        blocks: &SackBlocks,
        before: impl FnOnce(&Sender),
    ) -> bool {
        let may = self.fast.eligible && self.opened && ack == self.seq.una;
        if !may {
            return false;
        }
        let Cold { params, board, .. } = &mut *self.cold;
        let threshold = || params.dupack_threshold as u32;
        if !board.add_above_all(blocks, (self.seq.una, self.seq.max), threshold) {
            return false;
        }
        self.quota = NONE;
        if self.dupacks == 0 {
            self.fast.acks = false;
            self.cold.dup_max = self.seq.max;
        }
        self.dupacks += 1;
        let reduces = self.recovering && self.cold.params.reduction != Reduction::AtOnce;
        if reduces || !self.recovering && self.must_enter_sack() {
            before(self);
            self.reduce_on_sack(now);
        } else if self.recovering {
            self.update_fast_send_in_recovery();
        } else {
            self.update_fast_send();
        }
        true
    }

    /// Reduces the window for one more SACKed segment.
    #[cold]
    #[inline(never)]
    fn reduce_on_sack(&mut self, now: Time) {
        if self.recovering {
            self.update_prr(1, false);
        } else {
            self.enter_sack(now, 1);
        }
        self.update_fast_send();
    }

    /// Processes an ACK in recovery; `fresh` segments are newly SACKed.
    fn continue_recovery(&mut self, now: Time, ack: &Ack, acked: u32, delivered: u32, fresh: u32) {
        if self.seq.una >= self.recover {
            self.leave_sack();
            if self.cold.params.grow_on_exit {
                self.grow(now, ack, acked, delivered, self.seq.outstanding());
            }
            return;
        }
        self.update_prr(delivered, acked > 0);
        if acked > 0 && self.cold.params.repair_partial {
            if self.model_based {
                self.report_loss(now, self.seq.una);
            }
            if fresh > 0 {
                // ns-3 counts it both as a duplicate and as a partial ACK.
                self.update_prr(delivered, true);
            }
            if self.cold.board.high_rxt <= self.seq.una {
                self.release_first_hole();
            }
        }
    }

    /// Sends the first lost segment not yet retransmitted regardless of cwnd, or new data if there is none,
    /// or else the first outstanding segment, again if need be.
    fn release_first_hole(&mut self) {
        let new = self.seq.max < self.send_end();
        let board = &mut self.cold.board;
        self.forced = match board.next_lost(self.seq.una) {
            None if new => {
                self.seq.nxt = self.seq.max + 1;
                self.seq.max
            }
            lost => {
                let seq = lost.unwrap_or(self.seq.una);
                board.retransmitted(seq);
                seq
            }
        };
        board.prr_out += 1;
    }

    /// Segments of an ACK that the window grows by. Linux includes those newly SACKed.
    pub(super) fn counted(&self, acked: u32, delivered: u32) -> u32 {
        if self.cold.params.counting == Counting::Whole {
            delivered
        } else {
            acked
        }
    }

    /// Grows the window for new data acknowledged with holes, or after a timeout.
    fn grow_with_holes(&mut self, now: Time, ack: &Ack, acked: u32, delivered: u32, flight: u32) {
        let beyond = self.acked_beyond_recover(self.seq.una);
        self.loss &= self.seq.una < self.recover;
        self.grow(now, ack, beyond.unwrap_or(acked), delivered, flight);
    }

    /// Updates the scoreboard. Returns the segments newly known to have arrived, and those newly SACKed.
    fn update_board(&mut self, ack: &Ack) -> (u32, u32) {
        let threshold = self.threshold();
        let board = &mut self.cold.board;
        let known = board.advance(self.seq.una, ack.ack);
        let fresh = board.add(&ack.sack, ack.ack, self.seq.max);
        if fresh > 0 {
            board.find_losses(ack.ack, threshold);
        }
        (ack.ack - self.seq.una - known + fresh, fresh)
    }

    /// Enters fast recovery: RFC 6675 section 5 step 4. A window already reduced for an ECN echo is not
    /// reduced again (RFC 3168 section 6.1.2).
    #[cold]
    fn enter_sack(&mut self, now: Time, delivered: u32) {
        self.dupacks = self.dupacks.max(1);
        self.partial_seen = false;
        self.cold.board.recover_fs = self.seq.outstanding().max(1);
        let already_reduced = self.seq.una < self.recover;
        self.recover = self.seq.max;
        if !already_reduced {
            self.reduce_window(now, Cause::Loss);
        }
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.recovering = true;
        self.restart_timer_on_retransmit(now);
        let keep = self.cold.params.keep_repairs;
        let board = &mut self.cold.board;
        if !keep {
            board.begin(self.seq.una);
        }
        board.mark_lost_below(self.seq.una, self.seq.una + 1);
        board.prr_delivered = 0;
        board.prr_out = 0;
        self.update_prr(delivered, false);
        self.release_first_hole();
    }

    pub(crate) fn leave_sack(&mut self) {
        self.recovering = false;
        self.last_action = Action::Exited;
        if self.cold.params.keep_repairs {
            self.cold.board.high_rxt = self.cold.board.high_rxt.max(self.seq.una);
        } else {
            self.cold.board.begin(self.seq.una);
        }
        if self.cold.params.reduction != Reduction::AtOnce && !self.model_based {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    /// Proportional rate reduction: sends in proportion to deliveries until the pipe meets ssthresh, then no
    /// more than slow start would. `advanced`: the ACK moved `una`. The first call of a recovery releases at
    /// least the fast retransmission.
    #[inline]
    pub(crate) fn update_prr(&mut self, delivered: u32, advanced: bool) {
        if self.cold.params.reduction != Reduction::AtOnce && !self.model_based {
            self.compute_prr(delivered, advanced);
        }
    }

    fn compute_prr(&mut self, delivered: u32, advanced: bool) {
        let pipe = f64::from(self.pipe());
        let (whole, reduction) = (self.cold.params.arithmetic.is_whole(), self.cold.params.reduction);
        let board = &mut self.cold.board;
        board.prr_delivered += delivered;
        let ssthresh = self.window.ssthresh;
        let (arrived, jitter_elapsed) = (f64::from(board.prr_delivered), f64::from(board.prr_out));
        let mut out = if pipe > ssthresh {
            let mut product = arrived * ssthresh;
            if reduction == Reduction::Ns3 {
                product = wrapped_in_bytes(arrived, ssthresh, self.cold.params.mss.0 as f64);
            }
            let share = product / f64::from(board.recover_fs);
            (if whole { share.ceil() } else { share }) - jitter_elapsed
        } else {
            let banked = arrived - jitter_elapsed;
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
        self.window.cwnd = pipe + out.max(0.0);
    }

    pub(crate) fn timeout_sack(&mut self) {
        self.seq.nxt = self.seq.max;
        let board = &mut self.cold.board;
        board.begin(self.seq.una);
        board.mark_lost_below(self.seq.una, self.seq.max);
    }

    /// Segments in flight by the scoreboard (SetPipe).
    #[inline]
    pub(crate) fn pipe(&self) -> u32 {
        if self.recovery == Recovery::Rack {
            return self.seq.outstanding() - self.cold.board.sacked_count - self.cold.optional.rack.lost.len();
        }
        self.cold.board.pipe(self.seq.una, self.seq.max)
    }

    /// NextSeg: the segment to send while the pipe has room.
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
        if let Some(seq) = board.next_lost(self.seq.una) {
            return Some(seq);
        }
        // Rule 2: new data.
        if self.seq.max < self.send_end() {
            return Some(self.seq.max);
        }
        if !self.recovering {
            return None;
        }
        // Rule 3: a segment below the highest one selectively acknowledged.
        let past = if self.cold.params.repair_all { self.seq.max } else { board.highest };
        board.next_hole(self.seq.una, past).or_else(|| self.rescue())
    }

    /// One past the last segment that the source and the receiver's window allow.
    #[inline(always)]
    fn send_end(&self) -> u32 {
        self.seq.send_end()
    }

    /// Rule 4: the rescue retransmission, once per recovery: the highest outstanding segment.
    #[cold]
    fn rescue(&mut self) -> Option<u32> {
        let edge = self.cold.board.rescue;
        let allowed = self.cold.params.rescue && (edge == NONE || self.seq.una > edge);
        if !allowed {
            return None;
        }
        let seq = self.cold.board.last_hole(self.seq.una, self.seq.max)?;
        self.cold.board.rescue = self.recover;
        Some(seq)
    }

    /// The next new segment outside recovery: the window limits the flight, SACKed segments excepted (RFC
    /// 6675 section 5 step 3, limited transmit; RACK needs no duplicate ACK for that).
    #[inline]
    pub(crate) fn next_new(&self) -> Option<u32> {
        let mut usable = self.window.cwnd as u32;
        let known = self.dupacks > 0 || self.recovery == Recovery::Rack;
        if known && self.cold.params.limited_transmit {
            usable = usable.saturating_add(self.cold.board.sacked_count);
        }
        let past = self.seq.una.saturating_add(usable.min(self.seq.rwnd)).min(self.seq.limit);
        (self.seq.nxt < past).then_some(self.seq.nxt)
    }

    /// Updates the scoreboard for a segment that [`Sender::next_sack`] chose.
    #[inline]
    pub(crate) fn sent_sack(&mut self, seq: u32) {
        if !self.recovering && !self.loss && !self.cold.params.pipe_always {
            return;
        }
        let board = &mut self.cold.board;
        board.prr_out += 1;
        let below =
            if self.cold.params.repair_all { self.seq.max } else { board.highest.max(board.lost_edge) };
        if seq < self.seq.max.min(below) {
            board.retransmitted(seq);
        }
    }
}

/// Product of two windows in bytes modulo 2^32, in segments: ns-3's overflow.
fn wrapped_in_bytes(a: f64, b: f64, mss: f64) -> f64 {
    let bytes = |segments: f64| (segments * mss).round() as u32;
    f64::from(bytes(a).wrapping_mul(bytes(b))) / (mss * mss)
}
