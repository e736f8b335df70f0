//! What a sender keeps for those who want to know more than the window: the ledger of what is in flight, samples of the delivery
//! rate, and the congestion controls that set window and pace from them.

use super::{Sender, NONE};
use crate::cc::Control;
use crate::params::{BbrLosses, Recovery, ShownRtt, VegasRule};
use crate::segment::Ack;
use units::Time;

impl Sender {
    /// Notes a transmission; whether it restarts the timer of a connection that had nothing outstanding.
    pub(super) fn enter_ledger(&mut self, now: Time, seq: u32, again: bool) -> bool {
        let in_flight = self.in_flight().max(1);
        let by_time = self.cold.extras.rack.on;
        // With a scoreboard a segment that is sent again need not count as lost (NextSeg's third rule).
        let lost = self.recovery != Recovery::Sack || seq < self.cold.board.lost_edge;
        if again && lost && self.modelled && !by_time {
            self.lose(now, seq);
        }
        let gauges = &mut *self.cold.extras;
        if in_flight == 1 && self.modelled && gauges.sampler.app_limited > 0 {
            self.cc.on_restart(now);
            gauges.pacer.set(self.cc.pace());
        }
        let entry = gauges.ledger.open(self.una, seq, again);
        if by_time && entry.lost_now {
            gauges.rack.lost_out -= 1;
        }
        gauges.sampler.stamp(now, in_flight, entry);
        gauges.pacer.sent(now);
        if gauges.fine.note(now, seq) {
            self.cc.on_restart(now);
        }
        if let Some(undo) = self.cold.undo().filter(|_| by_time && again) {
            undo.sent_again(now, seq);
        }
        if by_time && !again {
            self.arm_probe(now);
        }
        self.recovery != Recovery::Vegas || self.cold.params.vegas_rule != VegasRule::Ns2
    }

    /// Segments in flight as far as the recovery in use can tell.
    pub(crate) fn in_flight(&self) -> u32 {
        let outstanding = self.max - self.una;
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.pipe(),
            // What was sent before a timeout counts as lost; a partial acknowledgement takes with it what duplicates told of.
            _ if self.loss && self.modelled => self.nxt.max(self.una) - self.una,
            _ if self.recovering && self.modelled => outstanding - self.inflation.min(outstanding),
            _ => outstanding - self.dupacks.min(outstanding),
        }
    }

    /// Segments that count as lost, sent again or not.
    fn lost_in_all(&self) -> u32 {
        match self.recovery {
            Recovery::Sack | Recovery::Rack => self.cold.board.lost_count,
            _ if self.loss => self.recover.saturating_sub(self.una),
            _ => u32::from(self.recovering),
        }
    }

    /// Takes note of what an acknowledgement says has arrived, before anything else sees it.
    pub(crate) fn note_arrivals(&mut self, now: Time, ack: &Ack) {
        let in_flight = self.in_flight();
        let (una, max) = (self.una, self.max);
        let lost = self.lost_in_all();
        let cold = &mut *self.cold;
        cold.extras.sampler.begin(in_flight);
        cold.extras.lost_before = lost;
        for seq in una..ack.ack.min(max) {
            cold.extras.arrive(now, seq, ack.echo);
        }
        if !self.recovery.selective() {
            return;
        }
        for (start, end) in ack.sack.iter() {
            let (mut seq, end) = (start.max(ack.ack).max(una), end.min(max));
            while let Some(fresh) = cold.board.first_unknown(seq, end, una, max) {
                cold.extras.arrive(now, fresh, ack.echo);
                seq = fresh + 1;
            }
        }
    }

    /// After an acknowledgement: losses, the sample, and the pace.
    pub(super) fn settle(&mut self, now: Time) {
        if self.cold.extras.rack.on {
            self.arm_probe(now);
        }
        if self.modelled {
            self.note_losses(now);
            self.model(now);
        } else if self.paced {
            let pace = self.window_pace();
            self.cold.extras.pacer.set(pace);
        }
    }

    /// What the scoreboard newly takes for lost.
    fn note_losses(&mut self, now: Time) {
        if self.recovery != Recovery::Sack {
            if self.recovering && self.forced < self.max {
                self.lose(now, self.forced);
            }
            return;
        }
        let mut seq = self.cold.extras.seen_edge.max(self.una);
        let edge = self.cold.board.lost_edge;
        while let Some(lost) = self.cold.board.first_unknown(seq, edge, self.una, self.max) {
            self.lose(now, lost);
            seq = lost + 1;
        }
        self.cold.extras.seen_edge = edge;
    }

    pub(crate) fn lose(&mut self, now: Time, seq: u32) {
        let gauges = &mut *self.cold.extras;
        if let Some(lost) = gauges.sampler.lose(seq, gauges.ledger.get_mut(seq)) {
            self.cc.on_lost(&self.window, &lost, now, &mut gauges.stream);
        }
    }

    fn model(&mut self, now: Time) {
        // A repair that has yet to leave is counted by the scoreboard, not by the model.
        let waiting = u32::from(self.forced != NONE && self.recovery == Recovery::Sack);
        let in_flight = self.in_flight() - waiting;
        let srtt = self.srtt();
        let smoothed = self.cold.params.shown_rtt == ShownRtt::Smoothed;
        let lost_now = self.lost_in_all();
        let gauges = &mut *self.cold.extras;
        if let Some(mut sample) = gauges.sampler.finish(now) {
            if self.cold.params.bbr_losses == BbrLosses::Change {
                sample.newly_lost = lost_now.abs_diff(gauges.lost_before);
            }
            sample.in_flight = in_flight;
            sample.departs = now.max(gauges.pacer.next);
            sample.cwnd_limited = f64::from(sample.prior_in_flight) + 1.0 > self.window.cwnd;
            sample.srtt = srtt;
            if smoothed {
                sample.rtt = srtt;
            }
            sample.recovering = self.recovering;
            sample.timed_out = self.loss;
            sample.selective = self.recovery.selective();
            let slow_on_purpose = self.cc.on_sample(&mut self.window, &sample, &mut gauges.stream);
            if self.max_cwnd != NONE {
                self.window.cwnd = self.window.cwnd.min(f64::from(self.max_cwnd));
            }
            let ends = self.cold.params.rate_ends && self.max >= self.limit;
            let exhausted = ends && f64::from(in_flight) < self.window.cwnd;
            if slow_on_purpose || exhausted {
                gauges.sampler.limit_by_source(in_flight);
            }
        }
        if self.paced {
            if self.forced != NONE && !self.cold.params.pace_repairs {
                gauges.pacer.set_later(self.cc.pace());
            } else {
                gauges.pacer.set(self.cc.pace());
            }
            gauges.pacer.set_quantum(self.cc.quantum());
        }
    }
}
