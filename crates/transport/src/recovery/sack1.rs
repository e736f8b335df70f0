//! Recovery with SACK by the rules of Fall and Floyd (1996), as ns-2's `sack1` implements them.
//!
//! *Reference*: Fall and Floyd, "Simulation-based comparisons of Tahoe, Reno, and SACK TCP" (CCR 1996); behaviour of
//! ns-2.35 by its output.
//! *Units*: segments.
//! *Deviations*: none known; see `docs/transports/tcp.md`.

use crate::cc::Cause;
use crate::segment::Ack;
use crate::sender::{Action, Sender};
use units::Time;

impl Sender {
    #[inline]
    pub(crate) fn on_ack_sack1(&mut self, now: Time, ack: &Ack) {
        if self.recovering {
            self.on_ack_in_recovery(now, ack);
        } else if ack.ack > self.seq.una {
            self.forget_board();
            self.new_ack_sack1(now, ack);
        } else if ack.ack == self.seq.una && !self.loss {
            self.duplicate_sack1(now, ack);
        }
    }

    fn forget_board(&mut self) {
        self.loss = false;
        self.partial_seen = false;
        if self.cold.board.highest > 0 {
            self.cold.board.clear(self.seq.una);
        }
    }

    fn new_ack_sack1(&mut self, now: Time, ack: &Ack) {
        let (acked, flight) = (ack.ack - self.seq.una, self.seq.nxt - self.seq.una);
        self.advance(now, ack);
        self.grow(now, ack, acked, acked, flight);
        if self.cold.params.delay_growth && ack.ack == 1 {
            self.window.cwnd = self.cold.initial_window();
        }
    }

    /// A duplicate ACK counts only if it SACKs something new. The pipe is updated by the next ACK.
    fn duplicate_sack1(&mut self, now: Time, ack: &Ack) {
        self.quota = 0;
        let fresh = self.cold.board.add(&ack.sack, self.seq.una, self.seq.max);
        if fresh == 0 {
            return;
        }
        let threshold = self.threshold();
        if self.dupacks == 0 {
            self.cold.dup_max = self.seq.max;
        }
        self.dupacks += 1;
        if self.dupacks == threshold {
            self.enter_sack1(now);
        } else if self.dupacks < threshold && self.cold.params.limited_transmit {
            self.limited_transmit();
        }
    }

    fn enter_sack1(&mut self, now: Time) {
        let mut pipe = self.seq.outstanding() as i32;
        if self.may_fast_retransmit() {
            if !self.cold.params.pipe_from_flight {
                pipe = self.window.cwnd as i32;
            }
            self.recover = self.seq.max;
            self.reduce_window(now, Cause::Loss);
        } else if !self.ecn || self.last_action != Action::Ecn {
            return;
        }
        self.last_action = Action::FastRetransmit;
        self.cold.counters.fast_recoveries += 1;
        self.recovering = true;
        self.restart_timer_on_retransmit(now);
        let board = &mut self.cold.board;
        board.pipe = pipe - self.dupacks as i32;
        board.begin(self.seq.una);
        board.retransmitted(self.seq.una);
        self.forced = self.seq.una;
    }

    fn on_ack_in_recovery(&mut self, now: Time, ack: &Ack) {
        self.cold.board.pipe -= 1;
        if ack.ack >= self.recover {
            // A new recovery may start at once.
            self.recovering = false;
            self.recover = 1;
            self.forget_board();
            self.advance(now, ack);
        } else if ack.ack > self.seq.una {
            // A partial ACK ends the backoff but gives no RTT sample.
            let board = &mut self.cold.board;
            board.pipe -= 1;
            board.advance(self.seq.una, ack.ack);
            board.add(&ack.sack, ack.ack, self.seq.max);
            self.cold.rtt.end_backoff();
            self.rto = self.cold.rto();
            self.seq.una = ack.ack;
            self.seq.nxt = self.seq.nxt.max(ack.ack);
            self.rto_at = self.rto_after(now);
        } else {
            let fresh = self.cold.board.add(&ack.sack, self.seq.una, self.seq.max);
            self.dupacks += u32::from(fresh > 0);
        }
    }

    /// While the pipe has room: the lowest hole below the highest SACKed segment, each once, else new data.
    pub(crate) fn next_sack1(&self) -> Option<u32> {
        let board = &self.cold.board;
        if board.pipe >= self.window.cwnd as i32 {
            return None;
        }
        if let Some(seq) = board.next_hole(self.seq.una, board.highest) {
            return Some(seq);
        }
        let past = self.seq.send_end();
        (self.seq.nxt < past).then_some(self.seq.nxt)
    }

    pub(crate) fn sent_sack1(&mut self, seq: u32) {
        let board = &mut self.cold.board;
        board.pipe += 1;
        if self.recovering && seq < board.highest {
            board.retransmitted(seq);
        }
    }

    pub(crate) fn timeout_sack1(&mut self) {
        let una = self.seq.una;
        self.cold.board.clear(una);
    }
}
