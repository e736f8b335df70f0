//! Path model: bandwidth, volume, and the response to losses (CSB25 section 5.5).

use super::{Bbr3, Bbr3State, BETA, HEADROOM, LOSS_THRESH, MIN_WINDOW};
use crate::cc::Window;
use crate::rate::{Lost, Sample};
use units::{math, Stream, Time};

/// Length of the bandwidth filter in probing cycles.
const BANDWIDTH_CYCLES: u32 = 2;
/// Length of the aggregation filter in rounds.
const AGGREGATION_ROUNDS: u32 = 10;

impl Bbr3 {
    /// Section 5.5.10.3, at the start of an ACK.
    pub(super) fn update_latest(&mut self, sample: &Sample) {
        self.loss_round_start = false;
        self.bw_latest = math::larger(self.bw_latest, sample.rate.unwrap_or(0.0));
        self.inflight_latest = math::larger(self.inflight_latest, f64::from(sample.delivered));
        if sample.newly_acked > 0 && sample.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = sample.total_delivered;
            self.loss_round_start = true;
        }
    }

    /// Section 5.5.10.3, at its end.
    pub(super) fn advance_latest(&mut self, sample: &Sample) {
        if self.loss_round_start {
            self.bw_latest = sample.rate.unwrap_or(0.0);
            self.inflight_latest = f64::from(sample.delivered);
        }
    }

    pub(super) fn reset_congestion(&mut self) {
        self.loss_in_round = false;
        self.loss_events = 0;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
        if let Some(marks) = &mut self.marks {
            marks.restart_cycle();
        }
    }

    pub(super) fn start_round(&mut self, delivered: u32) {
        self.next_round_delivered = delivered;
    }

    /// Sections 5.5.1, 5.5.5 and 5.5.10.3.
    pub(super) fn update_congestion(&mut self, window: &Window, sample: &Sample) {
        self.round_start = sample.newly_acked > 0 && sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round(sample.total_delivered);
            self.round_count += 1;
            self.rounds_since_probe += 1;
        }
        self.update_marks(sample);
        if let Some(rate) = sample.rate {
            if rate >= self.max_bw.get() || !sample.app_limited {
                self.max_bw.update(self.cycle_count, rate, BANDWIDTH_CYCLES);
            }
        }
        if !self.loss_round_start {
            return;
        }
        let left = self.marks.as_mut().and_then(|marks| marks.take_left());
        if !self.state.accelerates() {
            self.lower_bounds(window, left);
        }
        self.loss_in_round = false;
        self.loss_events = 0;
    }

    /// Once per round with losses: lowers the short-term bounds to the deliveries, by at most 30 %. With marks: lowers
    /// that of the volume to the share `left`.
    fn lower_bounds(&mut self, window: &Window, left: Option<f64>) {
        let volume = if self.inflight_shortterm.is_finite() { self.inflight_shortterm } else { window.cwnd };
        if self.loss_in_round {
            self.lower_by_losses(window);
        }
        if let Some(left) = left {
            self.inflight_shortterm = self.inflight_shortterm.min(left * volume);
        }
    }

    fn lower_by_losses(&mut self, window: &Window) {
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.max_bw.get();
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = window.cwnd;
        }
        self.bw_shortterm = self.bw_latest.max(BETA * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(BETA * self.inflight_shortterm);
    }

    pub(super) fn reset_shortterm(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// Section 5.5.9.
    pub(super) fn update_aggregation(&mut self, window: &Window, sample: &Sample) {
        let mut expected = self.bw * sample.now.since(self.extra_acked_at).as_secs();
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_at = sample.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += f64::from(sample.newly_acked);
        let extra = math::smaller(self.extra_acked_delivered - expected, window.cwnd);
        let rounds = if self.full_bw_reached { AGGREGATION_ROUNDS } else { 1 };
        self.extra_acked.update(self.round_count, extra, rounds);
    }

    /// Section 5.6.4.2.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_window, |rtt| gain * bw * rtt.as_secs())
    }

    /// Sections 5.6.3 and 5.6.4.2: adds room for send quantum and ACK aggregation.
    pub(super) fn with_budget(&self, inflight: f64) -> f64 {
        let millisecond = self.pace.unwrap_or(0.0) * 1e-3;
        let quantum = math::larger(math::smaller(millisecond, self.most_at_once), 2.0);
        let up = if self.state == Bbr3State::Up { 2.0 } else { 0.0 };
        math::larger(math::larger(inflight, 3.0 * quantum), MIN_WINDOW) + up
    }

    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.with_budget(self.bdp(bw, gain))
    }

    /// Section 5.3.3.6: leaves headroom for other flows.
    pub(super) fn with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (HEADROOM * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(MIN_WINDOW)
    }

    pub(super) fn target_inflight(&self, window: &Window) -> f64 {
        math::smaller(self.bdp(self.bw, 1.0), window.cwnd)
    }

    /// Section 5.5.10.2.
    pub(super) fn is_too_high(&self, sample: &Sample) -> bool {
        let lost = f64::from(sample.lost);
        lost > f64::from(sample.tx_in_flight) * LOSS_THRESH || (lost > 0.0 && !sample.selective)
    }

    /// Section 5.5.10.2: a segment was lost; if it was sent while probing, finds the flight at which the loss rate
    /// became too high.
    pub(super) fn handle_lost(&mut self, window: &Window, lost: &Lost, now: Time, rng: &mut Stream) {
        if !self.loss_in_round {
            self.loss_round_delivered = lost.total_delivered;
        }
        self.loss_in_round = true;
        self.loss_events += u32::from(lost.seq != self.last_lost.wrapping_add(1));
        self.last_lost = lost.seq;
        let (share, flight) = (f64::from(lost.lost), f64::from(lost.tx_in_flight));
        if !self.bw_probe_samples || share <= flight * LOSS_THRESH {
            return;
        }
        let (flight_before, lost_before) = (flight - 1.0, share - 1.0);
        let prefix = (LOSS_THRESH * flight_before - lost_before) / (1.0 - LOSS_THRESH);
        self.bw_probe_samples = false;
        if !lost.app_limited {
            let safe = flight_before + prefix.max(0.0);
            self.inflight_longterm = safe.max(self.target_inflight(window) * BETA);
        }
        if self.state == Bbr3State::Up {
            self.enter_down(now, lost.total_delivered, rng);
        }
    }
}
