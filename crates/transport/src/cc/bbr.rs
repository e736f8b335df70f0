//! BBR, version 1: paces at the largest delivery rate of recent rounds and keeps two bandwidth-delay products
//! in flight.
//!
//! *Reference*: CCHJ17 sections 4.1 to 4.3; for the additions of `bbr_rule = "linux"`, CSB25 (aggregation, margin,
//! quantum, budget) and Linux by its output (see `docs/transports/bbr.md`).
//! *Units*: windows in segments, rates in segments per second.
//! *Deviations*: the windowed maximum of the bandwidth is exact; no undo. An ECN echo changes nothing, as in
//! Linux.

mod min_rtt;
mod options;
mod policed;
mod recovery;

use options::{BbrOptions, Filter};
use policed::LongTerm;

use super::aggregation::Aggregation;
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{BbrFilter, BbrRule, Params};
use crate::rate::Sample;
use units::{math, Rng, Span, Stream, Time};

/// Pacing gains of a cycle: up, down, six rounds of cruising.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Length of the bandwidth filter in rounds.
const BANDWIDTH_ROUNDS: u32 = 10;
/// Lifetime of a minimum RTT.
const MIN_RTT_WINDOW: Span = Span::from_millis(10_000);
/// Duration of ProbeRTT.
const PROBE_RTT: Span = Span::from_millis(200);
/// Window in ProbeRTT, and minimum window.
const MIN_WINDOW: f64 = 4.0;
/// Share of the model's rate at which `linux` paces.
const MARGIN: f64 = 0.99;
/// Largest burst of Linux: 64 KiB.
const MOST_AT_ONCE: f64 = 45.0;
/// ACK aggregation widens the window by at most the data that arrive in this many seconds.
const AGGREGATION_S: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BbrState {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Kind of recovery in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BbrRecovery {
    None,
    Fast,
    Timeout,
}

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr {
    state: BbrState,
    pacing_gain: f64,
    cwnd_gain: f64,
    bandwidth: Filter,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    /// RTT of the handshake, which counts with the first sample (`linux`).
    opened: Option<Span>,
    round_count: u32,
    round_start: bool,
    /// End of the round: an ACK of a segment sent after this many deliveries.
    next_round_delivered: u32,
    full_bw: f64,
    full_bw_count: u32,
    filled: bool,
    cycle: u8,
    cycle_at: Time,
    probe_done_at: Option<Time>,
    probe_round_done: bool,
    prior_cwnd: f64,
    recovery: BbrRecovery,
    /// Packet conservation: in the first round of a recovery one segment leaves per delivery.
    conserving: bool,
    idle_restart: bool,
    initial_window: f64,
    segment_bits: f64,
    margin: f64,
    bandwidth_rounds: u32,
    pace: Option<f64>,
    /// Send quantum at that pace.
    quantum: f64,
    aggregation: Option<Aggregation>,
    /// Detector of policers (`bbr_policer`).
    long_term: Option<LongTerm>,
    options: BbrOptions,
}

impl Bbr {
    /// Returns BBR without samples.
    pub fn new(params: &Params) -> Bbr {
        let linux = params.bbr_rule == BbrRule::Linux;
        let mut bbr = Bbr {
            state: BbrState::Startup,
            pacing_gain: params.bbr_gain,
            cwnd_gain: params.bbr_gain,
            bandwidth: Filter::new(params),
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            opened: None,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            full_bw: 0.0,
            full_bw_count: 0,
            filled: false,
            cycle: 0,
            cycle_at: Time::ZERO,
            probe_done_at: None,
            probe_round_done: false,
            prior_cwnd: 0.0,
            recovery: BbrRecovery::None,
            conserving: false,
            idle_restart: false,
            initial_window: params.initial_window as f64,
            segment_bits: params.wire_bits(),
            margin: if linux { MARGIN } else { 1.0 },
            // Linux expires values older than ten rounds, not values ten rounds old.
            bandwidth_rounds: BANDWIDTH_ROUNDS + u32::from(linux && params.bbr_filter == BbrFilter::Exact),
            pace: None,
            quantum: 0.0,
            aggregation: match params.bbr_acked_in_row {
                Some(most) => Some(Aggregation::in_row(most.0 as f64 / params.mss.0 as f64)),
                None => linux.then(Aggregation::default),
            },
            long_term: params.bbr_policer.then(LongTerm::default),
            options: BbrOptions::new(params),
        };
        bbr.quantum = bbr.quantum_at(0.0);
        bbr
    }

    fn update_round(&mut self, sample: &Sample) {
        self.round_start = sample.newly_acked > 0 && sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = sample.total_delivered;
            self.round_count += 1;
            self.conserving = false;
        }
    }

    fn update_bandwidth(&mut self, sample: &Sample) {
        if let Some(rate) = sample.rate.map(|rate| self.cut_to_bits(rate)) {
            if rate >= self.bandwidth.get() || !sample.app_limited {
                self.bandwidth.update(self.round_count, rate, self.bandwidth_rounds);
            }
        }
    }

    /// CCHJ17 section 4.2.3: bandwidth-delay product times `gain`, plus three quanta. Linux rounds up to an
    /// even number and adds two in the up phase, so that small flows probe at all.
    fn inflight(&self, gain: f64) -> f64 {
        self.inflight_of(self.bandwidth.get(), gain)
    }

    fn inflight_of(&self, bandwidth: f64, gain: f64) -> f64 {
        let Some(min_rtt) = self.min_rtt else {
            return self.initial_window;
        };
        let flight = gain * bandwidth * min_rtt.as_secs() + 3.0 * self.quantum;
        let flight = if self.options.linux { math::ceil(flight / 2.0) * 2.0 } else { flight };
        let up = self.state == BbrState::ProbeBw && self.cycle == 0;
        flight + if up { self.options.probe } else { 0.0 }
    }

    /// Allowance for ACK aggregation.
    fn allowance(&self) -> f64 {
        let most = math::floor(self.followed() * AGGREGATION_S);
        self.aggregation
            .as_ref()
            .filter(|_| self.filled)
            .map_or(0.0, |seen| math::smaller(seen.extra(), most))
    }

    /// Paces at this rate from now on.
    fn pace_at(&mut self, pace: f64) {
        (self.pace, self.quantum) = (Some(pace), self.quantum_at(pace));
    }

    /// Send quantum: one segment below 1.2 Mbit/s, two below 24 Mbit/s, else 1 ms up to 64 KiB.
    fn quantum_at(&self, pace: f64) -> f64 {
        let rate = pace * self.segment_bits;
        if self.options.linux {
            let least = if rate < 1.2e6 { 1.0 } else { 2.0 };
            math::floor(pace / 1024.0).clamp(least, MOST_AT_ONCE)
        } else if self.options.single || rate < 1.2e6 {
            1.0
        } else if rate < 24e6 {
            2.0
        } else {
            (rate * 1e-3).min(65_536.0 * 8.0) / self.segment_bits
        }
    }

    /// Segments of `flight` still in flight at the next departure, and in the up phase plus the burst. CCHJ17
    /// uses `flight`.
    fn at_departure(&self, flight: u32, sample: &Sample) -> f64 {
        if !self.options.linux {
            return f64::from(flight);
        }
        let up = if self.pacing_gain > 1.0 { self.quantum } else { 0.0 };
        let arriving = math::floor(self.followed() * sample.departs.since(sample.now).as_secs());
        math::larger(f64::from(flight) + up - arriving, 0.0)
    }

    fn check_cycle(&mut self, sample: &Sample) {
        if self.state != BbrState::ProbeBw {
            return;
        }
        let full_length = sample.now.since(self.cycle_at) > self.min_rtt.unwrap_or(Span::ZERO);
        let flight = || self.at_departure(sample.prior_in_flight, sample);
        let next = if self.pacing_gain == 1.0 {
            full_length
        } else if self.pacing_gain > 1.0 {
            full_length && (sample.newly_lost > 0 || flight() >= self.inflight(self.pacing_gain))
        } else {
            full_length || flight() <= self.inflight(1.0)
        };
        if next {
            self.advance_cycle(sample.now);
        }
    }

    fn advance_cycle(&mut self, now: Time) {
        self.cycle_at = now;
        self.cycle = (self.cycle + 1) % CYCLE.len() as u8;
        self.pacing_gain = if self.policed() { 1.0 } else { CYCLE[usize::from(self.cycle)] };
    }

    fn check_full_pipe(&mut self, sample: &Sample) {
        if self.filled || !self.round_start || sample.app_limited {
            return;
        }
        if self.bandwidth.get() >= self.full_bw * 1.25 {
            self.full_bw = self.bandwidth.get();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.filled = self.full_bw_count >= 3;
    }

    fn check_drain(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) {
        if self.state == BbrState::Startup && self.filled {
            self.state = BbrState::Drain;
            if self.options.exits_at_ssthresh {
                window.ssthresh = self.inflight(1.0);
            }
            self.pacing_gain = 1.0 / self.options.high_gain;
            self.cwnd_gain = self.options.high_gain;
        }
        if self.state == BbrState::Drain && self.at_departure(sample.in_flight, sample) <= self.inflight(1.0)
        {
            self.enter_probe_bw(sample.now, rng);
        }
    }

    /// Starts a cycle in any phase but the one of 3/4.
    fn enter_probe_bw(&mut self, now: Time, rng: &mut Stream) {
        self.state = BbrState::ProbeBw;
        self.cwnd_gain = 2.0;
        self.cycle = match self.options.phase {
            Some(phase) => phase + CYCLE.len() as u8 - 1,
            None => CYCLE.len() as u8 - 1 - (rng.uniform() * 7.0) as u8,
        };
        self.advance_cycle(now);
    }

    fn enter_startup(&mut self) {
        self.state = BbrState::Startup;
        self.pacing_gain = self.options.high_gain;
        self.cwnd_gain = self.options.high_gain;
    }

    fn set_pace(&mut self, gain: f64, sample: &Sample) {
        if self.pace.is_none() || self.bandwidth.get() == 0.0 {
            return self.open(sample.srtt);
        }
        let rate = self.cut_to_bits(gain * self.followed() * self.margin);
        let pace = self.pace.unwrap_or(0.0);
        if rate != pace && (self.filled || rate > pace) {
            self.pace_at(rate);
        }
    }

    fn open(&mut self, srtt: Option<Span>) {
        let rtt = srtt.unwrap_or(Span::from_millis(1)).max(Span(1));
        self.pace_at(
            self.cut_to_bits(self.options.high_gain * self.initial_window / rtt.as_secs() * self.margin),
        );
    }

    /// Truncates a rate to whole bits per second if `rate_whole`. A value a rounding error below a whole
    /// number is that number.
    fn cut_to_bits(&self, rate: f64) -> f64 {
        self.options.whole.map_or(rate, |bits| math::floor(rate * bits * (1.0 + 1e-15)) / bits)
    }
}

impl Control for Bbr {
    fn on_ack(&mut self, _window: &mut Window, _event: &AckEvent) {}

    /// The window follows the model; the window before the recovery is saved.
    fn on_congestion(&mut self, window: &Window, _event: &CongestionEvent) -> f64 {
        self.save(window);
        window.cwnd
    }

    fn on_sample(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) -> bool {
        self.begin_recovery(window, sample);
        self.update_round(sample);
        self.detect_policer(sample, rng);
        self.update_bandwidth(sample);
        let followed = self.followed();
        if let Some(seen) = &mut self.aggregation {
            seen.update(followed, window.cwnd, self.round_start, sample);
        }
        self.check_cycle(sample);
        self.check_full_pipe(sample);
        self.check_drain(window, sample, rng);
        let limited = self.update_min_rtt(window, sample, rng);
        self.set_pace(self.pacing_gain, sample);
        self.set_window(window, sample);
        limited
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        self.opened = srtt.filter(|_| self.options.counts_handshake);
        self.open(srtt);
    }

    fn on_restart(&mut self, _now: Time) {
        self.idle_restart = true;
        if self.state == BbrState::ProbeBw && self.bandwidth.get() > 0.0 {
            self.pace_at(self.followed() * self.margin);
        }
    }

    fn models(&self) -> bool {
        true
    }

    fn pace(&self) -> Option<f64> {
        self.pace
    }

    fn quantum(&self) -> u32 {
        if self.options.linux {
            self.quantum as u32
        } else {
            1
        }
    }
}

#[cfg(test)]
mod law_tests;

#[cfg(test)]
pub(super) mod tests;
