//! Per-segment tracking: the ledger of segments in flight, delivery rate samples, and the congestion controls
//! that set window and pacing rate from them.

use super::{Sender, NONE};
use crate::cc::Control;
use crate::params::{BbrLosses, Recovery, ShownRtt, VegasRule};
use crate::segment::Ack;
use units::Time;

impl Sender {
    /// Records a transmission. Returns whether it restarts the timer of a connection with nothing
    /// outstanding.
    pub(super) fn record_transmission(&mut self, now: Time, seq: u32, again: bool) -> bool {
        let in_flight = self.in_flight().max(1);
        let by_time = self.cold.optional.rack.on;
        // With a scoreboard a retransmitted segment need not be lost (NextSeg rule 3).
        let lost = self.recovery != Recovery::Sack || seq < self.cold.board.lost_edge;
        if again && lost && self.model_based && !by_time {
            self.report_loss(now, seq);
        }
        let tracking = &mut *self.cold.optional;
        if in_flight == 1 && self.model_based && tracking.sampler.app_limited > 0 {
            self.cc.on_restart(now);
            tracking.pacer.set(self.cc.pace());
        }
        let entry = tracking.ledger.open(self.seq.una, seq, again);
        let (lost, arrived) = (entry.lost_now, entry.arrived);
        tracking.sampler.stamp(now, in_flight, entry);
        if by_time && !arrived {
            tracking.rack.sent(&mut tracking.ledger, seq, again, lost);
        }
        tracking.pacer.sent(now);
        if tracking.fine.note(now, seq) {
            self.cc.on_restart(now);
        }
        if let Some(undo) = self.cold.undo().filter(|_| by_time && again) {
            undo.record_retransmission(now, seq);
        }
        if by_time && !again {
            self.arm_probe(now);
        }
        self.recovery != Recovery::Vegas || self.cold.params.vegas_rule != VegasRule::Ns2
    }

    /// Segments in flight, as far as the recovery algorithm can tell.
    pub(crate) fn in_flight(&self) -> u32 {
        let outstanding = self.seq.outstanding();
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.pipe(),
            // Segments sent before a timeout count as lost; a partial ACK includes segments that duplicates
            // reported.
            _ if self.loss && self.model_based => self.seq.nxt.max(self.seq.una) - self.seq.una,
            _ if self.recovering && self.model_based => outstanding - self.inflation.min(outstanding),
            _ => outstanding - self.dupacks.min(outstanding),
        }
    }

    /// Segments marked lost, retransmitted or not.
    fn lost_segments(&self) -> u32 {
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.cold.board.lost_count,
            _ if self.loss => self.recover.saturating_sub(self.seq.una),
            _ => u32::from(self.recovering),
        }
    }

    /// Records which segments an ACK reports as arrived, before anything else is updated.
    pub(crate) fn record_arrivals(&mut self, now: Time, ack: &Ack) {
        let in_flight = self.in_flight();
        let (una, max) = (self.seq.una, self.seq.max);
        let lost = self.lost_segments();
        let cold = &mut *self.cold;
        cold.optional.sampler.begin(in_flight);
        cold.optional.lost_before = lost;
        for seq in una..ack.ack.min(max) {
            cold.optional.arrive(now, seq, ack.echo);
        }
        if !self.recovery.selective() {
            return;
        }
        for (start, end) in ack.sack.iter() {
            let (mut seq, end) = cold.board.possibly_new(start.max(ack.ack).max(una), end.min(max));
            while let Some(fresh) = cold.board.first_unsacked(seq, end, una, max) {
                cold.optional.arrive(now, fresh, ack.echo);
                seq = fresh + 1;
            }
        }
    }

    /// Completes an ACK: reports losses, the rate sample and the pacing rate.
    pub(super) fn finish_ack(&mut self, now: Time) {
        if self.cold.optional.rack.on {
            self.arm_probe(now);
        }
        if self.model_based {
            self.report_losses(now);
            self.update_model(now);
        } else if self.paced {
            let pace = self.window_pace();
            self.cold.optional.pacer.set(pace);
        }
    }

    /// Reports segments newly marked lost to the congestion control.
    fn report_losses(&mut self, now: Time) {
        if self.recovery != Recovery::Sack {
            if self.recovering && self.forced < self.seq.max {
                self.report_loss(now, self.forced);
            }
            return;
        }
        let mut seq = self.cold.optional.seen_edge.max(self.seq.una);
        let edge = self.cold.board.lost_edge;
        while let Some(lost) = self.cold.board.first_unsacked(seq, edge, self.seq.una, self.seq.max) {
            self.report_loss(now, lost);
            seq = lost + 1;
        }
        self.cold.optional.seen_edge = edge;
    }

    pub(crate) fn report_loss(&mut self, now: Time, seq: u32) {
        let tracking = &mut *self.cold.optional;
        if let Some(lost) = tracking.sampler.loss_event(seq, tracking.ledger.get_mut(seq)) {
            self.cc.on_lost(&self.window, &lost, now, &mut tracking.stream);
        }
    }

    fn update_model(&mut self, now: Time) {
        // A retransmission that is still to be sent is counted by the scoreboard, not by the model.
        let waiting = u32::from(self.forced != NONE && self.recovery == Recovery::Sack);
        let in_flight = self.in_flight() - waiting;
        let srtt = self.srtt();
        let smoothed = self.cold.params.shown_rtt == ShownRtt::Smoothed;
        let lost_now = self.lost_segments();
        let tracking = &mut *self.cold.optional;
        if let Some(mut sample) = tracking.sampler.finish(now) {
            if self.cold.params.bbr_losses == BbrLosses::Change {
                sample.newly_lost = lost_now.abs_diff(tracking.lost_before);
            }
            sample.in_flight = in_flight;
            sample.departs = now.max(tracking.pacer.next);
            sample.cwnd_limited = f64::from(sample.prior_in_flight) + 1.0 > self.window.cwnd;
            sample.srtt = srtt;
            if smoothed {
                sample.rtt = srtt;
            }
            sample.recovering = self.recovering;
            sample.timed_out = self.loss;
            sample.selective = self.recovery.selective();
            let slow_on_purpose = self.cc.on_sample(&mut self.window, &sample, &mut tracking.stream);
            if self.max_cwnd != NONE {
                self.window.cwnd = self.window.cwnd.min(f64::from(self.max_cwnd));
            }
            let ends = self.cold.params.rate_ends && self.seq.max >= self.seq.limit;
            let exhausted = ends && f64::from(in_flight) < self.window.cwnd;
            if slow_on_purpose || exhausted {
                tracking.sampler.limit_by_source(in_flight);
            }
        }
        if self.paced {
            if self.forced != NONE && !self.cold.params.pace_repairs {
                tracking.pacer.set_later(self.cc.pace());
            } else {
                tracking.pacer.set(self.cc.pace());
            }
            tracking.pacer.set_quantum(self.cc.quantum());
        }
    }
}
