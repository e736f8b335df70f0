//! When to probe for bandwidth and for a lower RTT (CSB25 sections 5.3.3 and 5.3.4).

use super::{AckPhase, Bbr3, Bbr3State, MIN_WINDOW};
use crate::cc::Window;
use crate::rate::Sample;
use units::{Rng, Span, Stream, Time};

/// The flow probes at least as often as Reno would fill the same window.
const RENO_ROUNDS: f64 = 63.0;
const PROBE_RTT_INTERVAL: Span = Span::from_millis(5_000);
const PROBE_RTT_DURATION: Span = Span::from_millis(200);
const MIN_RTT_WINDOW: Span = Span::from_millis(10_000);

impl Bbr3 {
    pub(super) fn start_down(&mut self, sample: &Sample, rng: &mut Stream) {
        self.enter_down(sample.now, sample.total_delivered, rng);
    }

    pub(super) fn enter_down(&mut self, now: Time, delivered: u32, rng: &mut Stream) {
        self.reset_congestion();
        self.probe_up_count = f64::INFINITY;
        self.rounds_since_probe = u32::from(rng.uniform() < 0.5);
        self.bw_probe_wait = Span::from_secs(2.0 + rng.uniform());
        self.cycle_at = now;
        self.ack_phase = AckPhase::Stopping;
        self.start_round(delivered);
        self.state = Bbr3State::Down;
    }

    fn start_refill(&mut self, sample: &Sample, up_rounds: u32) {
        self.reset_shortterm();
        self.probe_up_rounds = up_rounds.min(30);
        self.probe_up_acks = 0.0;
        self.ack_phase = AckPhase::Refilling;
        self.start_round(sample.total_delivered);
        self.state = Bbr3State::Refill;
    }

    fn start_up(&mut self, window: &Window, sample: &Sample) {
        self.ack_phase = AckPhase::Starting;
        self.start_round(sample.total_delivered);
        self.reset_full_bw();
        self.full_bw = sample.rate.unwrap_or(0.0);
        self.state = Bbr3State::Up;
        self.raise_slope(window);
    }

    /// Section 5.3.3.6.
    pub(super) fn update_cycle(&mut self, window: &Window, sample: &Sample, rng: &mut Stream) {
        if !self.full_bw_reached {
            return;
        }
        self.adapt_longterm(window, sample, rng);
        if matches!(self.state, Bbr3State::Down | Bbr3State::Cruise) {
            if let Some(rounds) = self.first_growth(window, sample) {
                return self.start_refill(sample, rounds);
            }
        }
        match self.state {
            Bbr3State::Down if self.is_time_to_cruise(sample) => self.state = Bbr3State::Cruise,
            Bbr3State::Refill if self.round_start => {
                self.bw_probe_samples = true;
                self.start_up(window, sample);
            }
            Bbr3State::Up => self.leave_up(window, sample, rng),
            _ => {}
        }
    }

    fn leave_up(&mut self, window: &Window, sample: &Sample, rng: &mut Stream) {
        if self.is_time_to_go_down(window, sample) {
            self.start_down(sample, rng);
        }
    }

    /// Rounds of doubling with which a probe starts; `None`: it is not time to probe.
    fn first_growth(&self, window: &Window, sample: &Sample) -> Option<u32> {
        self.reprobe(sample).or_else(|| self.is_time_to_probe(window, sample).then_some(0))
    }

    pub(super) fn is_time_to_probe(&self, window: &Window, sample: &Sample) -> bool {
        let rounds = self.target_inflight(window).min(RENO_ROUNDS);
        sample.now > self.cycle_at + self.bw_probe_wait || f64::from(self.rounds_since_probe) >= rounds
    }

    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        let flight = f64::from(sample.in_flight);
        flight <= self.with_headroom() && flight <= self.inflight(self.max_bw.get(), 1.0)
    }

    fn is_time_to_go_down(&mut self, window: &Window, sample: &Sample) -> bool {
        if sample.cwnd_limited && window.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = sample.rate.unwrap_or(0.0);
            return false;
        }
        self.full_bw_now
    }

    fn adapt_longterm(&mut self, window: &Window, sample: &Sample, rng: &mut Stream) {
        if self.ack_phase == AckPhase::Starting && self.round_start {
            self.ack_phase = AckPhase::Feedback;
        }
        if self.ack_phase == AckPhase::Stopping && self.round_start {
            self.ack_phase = AckPhase::Done;
            self.bw_probe_samples = false;
            if self.state.in_probe_bw() && !sample.app_limited {
                self.cycle_count += 1;
            }
        }
        let marked = self.end_marked_probe(window, sample, rng);
        if marked || self.is_too_high(sample) || self.inflight_longterm.is_infinite() {
            return;
        }
        self.inflight_longterm = self.inflight_longterm.max(f64::from(sample.tx_in_flight));
        if self.state == Bbr3State::Up {
            self.probe_longterm(window, sample);
        }
    }

    fn probe_longterm(&mut self, window: &Window, sample: &Sample) {
        if !sample.cwnd_limited || window.cwnd < self.inflight_longterm {
            return;
        }
        self.probe_up_acks += f64::from(sample.newly_acked);
        if self.probe_up_acks >= self.probe_up_count {
            let delta = (self.probe_up_acks / self.probe_up_count).floor();
            self.probe_up_acks -= delta * self.probe_up_count;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_slope(window);
        }
    }

    /// Raises the upper bound by 1, 2, 4 ... segments per round.
    fn raise_slope(&mut self, window: &Window) {
        let growth = f64::from(1u32 << self.probe_up_rounds);
        self.probe_up_rounds = (self.probe_up_rounds + 1).min(30);
        self.probe_up_count = (window.cwnd / growth).max(1.0);
    }

    /// Section 5.3.4.3.
    pub(super) fn update_min_rtt(&mut self, sample: &Sample) {
        let now = sample.now;
        self.probe_rtt_expired =
            self.probe_rtt_min.is_some() && now > self.probe_rtt_min_at + PROBE_RTT_INTERVAL;
        if let Some(rtt) = sample.rtt {
            if self.probe_rtt_expired || self.probe_rtt_min.is_none_or(|least| rtt < least) {
                self.probe_rtt_min = Some(rtt);
                self.probe_rtt_min_at = now;
            }
        }
        let Some(candidate) = self.probe_rtt_min else {
            return;
        };
        let expired = now > self.min_rtt_at + MIN_RTT_WINDOW;
        if expired || self.min_rtt.is_none_or(|least| candidate < least) {
            self.min_rtt = Some(candidate);
            self.min_rtt_at = self.probe_rtt_min_at;
        }
    }

    /// Returns true while samples should count as application-limited: the rate is low on purpose.
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) -> bool {
        if self.state != Bbr3State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save(window);
            self.state = Bbr3State::ProbeRtt;
            self.probe_rtt_done_at = None;
            self.ack_phase = AckPhase::Stopping;
            self.start_round(sample.total_delivered);
        }
        let probing = self.state == Bbr3State::ProbeRtt;
        if probing {
            self.handle_probe_rtt(window, sample, rng);
        }
        self.idle_restart &= sample.newly_acked == 0;
        probing
    }

    fn handle_probe_rtt(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) {
        let Some(done) = self.probe_rtt_done_at else {
            if f64::from(sample.in_flight) <= self.probe_rtt_window() {
                self.probe_rtt_done_at = Some(sample.now + PROBE_RTT_DURATION);
                self.probe_rtt_round_done = false;
                self.start_round(sample.total_delivered);
            }
            return;
        };
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done && sample.now > done {
            self.probe_rtt_min_at = sample.now;
            self.restore(window);
            self.reset_shortterm();
            if self.full_bw_reached {
                self.start_down(sample, rng);
                self.state = Bbr3State::Cruise;
            } else {
                self.state = Bbr3State::Startup;
            }
        }
    }

    pub(super) fn probe_rtt_window(&self) -> f64 {
        self.bdp(self.bw, Bbr3State::ProbeRtt.cwnd_gain()).max(MIN_WINDOW)
    }
}
