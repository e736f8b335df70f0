//! BBR, version 3: paces at the bandwidth of a model that also bounds the volume the path holds without loss.
//!
//! *Reference*: CSB25 section 5 (each step names its section).
//! *Units*: windows in segments, rates in segments per second.
//! *Deviations*: the ACK phase ends once its bandwidth sample is taken (the draft never leaves it, which
//! would advance the bandwidth filter every round). No undo of spurious losses. ECN changes nothing unless
//! `bbr3_ecn` asks for it.

mod marks;
mod model;
mod probe;

use marks::EcnMarks;

use super::windowed::WindowedMax;
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::Params;
use crate::rate::{Lost, Sample};
use units::{math, Span, Stream, Time};

/// Loss rate per round that is too high.
const LOSS_THRESH: f64 = 0.02;
/// Minimum share left by a loss.
const BETA: f64 = 0.7;
/// Share of the safe volume left free.
const HEADROOM: f64 = 0.15;
/// Ratio of pacing rate to bandwidth.
const PACING_MARGIN: f64 = 0.99;
/// Minimum window that keeps a pipe full.
const MIN_WINDOW: f64 = 4.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bbr3State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl Bbr3State {
    fn in_probe_bw(self) -> bool {
        matches!(self, Bbr3State::Down | Bbr3State::Cruise | Bbr3State::Refill | Bbr3State::Up)
    }

    /// Whether the state probes for bandwidth.
    fn accelerates(self) -> bool {
        matches!(self, Bbr3State::Startup | Bbr3State::Refill | Bbr3State::Up)
    }

    fn pacing_gain(self) -> f64 {
        match self {
            Bbr3State::Startup => 2.77,
            Bbr3State::Drain => 0.5,
            Bbr3State::Down => 0.9,
            Bbr3State::Cruise | Bbr3State::Refill | Bbr3State::ProbeRtt => 1.0,
            Bbr3State::Up => 1.25,
        }
    }

    fn cwnd_gain(self) -> f64 {
        match self {
            Bbr3State::Up => 2.25,
            Bbr3State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }
}

/// Information that present ACKs carry about the last probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Done,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    state: Bbr3State,
    bw: f64,
    max_bw: WindowedMax,
    bw_shortterm: f64,
    bw_latest: f64,
    cycle_count: u32,
    inflight_latest: f64,
    inflight_longterm: f64,
    inflight_shortterm: f64,
    round_count: u32,
    round_start: bool,
    next_round_delivered: u32,
    loss_round_delivered: u32,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Loss events (runs of lost segments) in this round, and the last segment of the latest.
    loss_events: u32,
    last_lost: u32,
    /// The round in which fast recovery began.
    recovery_round: u32,
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_round: u32,
    ack_phase: AckPhase,
    bw_probe_samples: bool,
    cycle_at: Time,
    bw_probe_wait: Span,
    rounds_since_probe: u32,
    probe_up_rounds: u32,
    probe_up_acks: f64,
    probe_up_count: f64,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    probe_rtt_min: Option<Span>,
    probe_rtt_min_at: Time,
    probe_rtt_expired: bool,
    probe_rtt_done_at: Option<Time>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    extra_acked: WindowedMax,
    extra_acked_delivered: f64,
    extra_acked_at: Time,
    prior_cwnd: f64,
    in_recovery: bool,
    initial_window: f64,
    /// Segments in the largest burst, 64 KiB.
    most_at_once: f64,
    pace: Option<f64>,
    marks: Option<Box<EcnMarks>>,
}

impl Bbr3 {
    /// Returns BBR without samples (section 5.2.1).
    pub fn new(params: &Params) -> Bbr3 {
        Bbr3 {
            state: Bbr3State::Startup,
            bw: 0.0,
            max_bw: WindowedMax::default(),
            bw_shortterm: f64::INFINITY,
            bw_latest: 0.0,
            cycle_count: 0,
            inflight_latest: 0.0,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_events: 0,
            last_lost: u32::MAX,
            recovery_round: 0,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_round: 0,
            ack_phase: AckPhase::Done,
            bw_probe_samples: false,
            cycle_at: Time::ZERO,
            bw_probe_wait: Span::ZERO,
            rounds_since_probe: 0,
            probe_up_rounds: 0,
            probe_up_acks: 0.0,
            probe_up_count: f64::INFINITY,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            probe_rtt_min: None,
            probe_rtt_min_at: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_at: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            extra_acked: WindowedMax::default(),
            extra_acked_delivered: 0.0,
            extra_acked_at: Time::ZERO,
            prior_cwnd: 0.0,
            in_recovery: false,
            initial_window: params.initial_window as f64,
            most_at_once: 65_536.0 * 8.0 / params.wire_bits(),
            pace: None,
            marks: params.bbr3.bbr3_ecn.then(|| Box::new(EcnMarks::new(&params.bbr3))),
        }
    }

    /// Section 5.3.1: three rounds with less than 25 % growth each.
    fn check_full_bw(&mut self, sample: &Sample) {
        if self.full_bw_now || !self.round_start || sample.app_limited {
            return;
        }
        let rate = sample.rate.unwrap_or(0.0);
        if rate >= self.full_bw * 1.25 {
            self.reset_full_bw();
            self.full_bw = rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    fn reset_full_bw(&mut self) {
        self.full_bw = 0.0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// Sections 5.3.1.3 and 5.3.2.
    fn check_startup_and_drain(&mut self, sample: &Sample, rng: &mut Stream) {
        self.check_startup_losses(sample);
        if self.state == Bbr3State::Startup && self.full_bw_reached {
            self.state = Bbr3State::Drain;
            self.drain_round = self.round_count;
        }
        let drained = f64::from(sample.in_flight) <= self.inflight(self.bw, 1.0);
        if self.state == Bbr3State::Drain && (drained || self.round_count > self.drain_round + 3) {
            self.start_down(sample, rng);
        }
    }

    fn check_startup_losses(&mut self, sample: &Sample) {
        if self.full_bw_reached || self.state != Bbr3State::Startup || !sample.recovering {
            return;
        }
        let bad = if sample.selective {
            self.round_count > self.recovery_round && self.loss_events >= 6 && self.is_too_high(sample)
        } else {
            true
        };
        if bad {
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp(self.bw, 1.0).max(self.inflight_latest);
        }
    }

    /// Section 5.6.2.
    fn set_pace(&mut self, gain: f64, srtt: Option<Span>) {
        if self.bw == 0.0 {
            return self.open(srtt);
        }
        let rate = gain * self.bw * PACING_MARGIN;
        if self.full_bw_reached || self.pace.is_none_or(|pace| rate > pace) {
            self.pace = Some(rate);
        }
    }

    fn open(&mut self, srtt: Option<Span>) {
        let rtt = srtt.unwrap_or(Span::from_millis(1)).max(Span(1));
        self.pace = Some(Bbr3State::Startup.pacing_gain() * self.initial_window / rtt.as_secs());
    }

    /// Section 5.6.4.6.
    fn set_window(&mut self, window: &mut Window, sample: &Sample) {
        let acked = f64::from(sample.newly_acked);
        let max_inflight =
            self.with_budget(self.bdp(self.bw, self.state.cwnd_gain()) + self.extra_acked.get());
        if self.full_bw_reached {
            window.cwnd = math::smaller(window.cwnd + acked, max_inflight);
        } else if window.cwnd < max_inflight || f64::from(sample.total_delivered) < self.initial_window {
            window.cwnd += acked;
        }
        window.cwnd = math::larger(window.cwnd, MIN_WINDOW);
        if self.state == Bbr3State::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_window());
        }
        self.bound_by_model(window);
    }

    /// Section 5.6.4.7.
    fn bound_by_model(&self, window: &mut Window) {
        let cap = match self.state {
            Bbr3State::Down | Bbr3State::Refill | Bbr3State::Up => self.inflight_longterm,
            Bbr3State::ProbeRtt | Bbr3State::Cruise => self.with_headroom(),
            Bbr3State::Startup | Bbr3State::Drain => f64::INFINITY,
        };
        let bound = math::larger(math::smaller(cap, self.inflight_shortterm), MIN_WINDOW);
        window.cwnd = math::smaller(window.cwnd, bound);
    }

    /// Section 5.6.4.4: saves the last good window.
    fn save(&mut self, window: &Window) {
        let modulated = self.in_recovery || self.state == Bbr3State::ProbeRtt;
        self.prior_cwnd = if modulated { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }

    fn restore(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }

    fn track_recovery(&mut self, window: &mut Window, sample: &Sample) {
        let now = sample.recovering || sample.timed_out;
        if now && !self.in_recovery {
            self.recovery_round = self.round_count;
        } else if !now && self.in_recovery {
            self.restore(window);
        }
        self.in_recovery = now;
    }
}

impl Control for Bbr3 {
    fn on_ack(&mut self, _window: &mut Window, _event: &AckEvent) {}

    fn on_congestion(&mut self, window: &Window, _event: &CongestionEvent) -> f64 {
        self.save(window);
        window.cwnd
    }

    /// Sections 5.2.3 and 5.6.
    fn on_sample(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) -> bool {
        self.track_recovery(window, sample);
        self.update_latest(sample);
        self.update_congestion(window, sample);
        self.update_aggregation(window, sample);
        self.check_full_bw(sample);
        self.check_startup_and_drain(sample, rng);
        self.update_cycle(window, sample, rng);
        self.update_min_rtt(sample);
        let limited = self.check_probe_rtt(window, sample, rng);
        self.advance_latest(sample);
        self.bw = math::smaller(self.max_bw.get(), self.bw_shortterm);
        self.set_pace(self.state.pacing_gain(), sample.srtt);
        self.set_window(window, sample);
        limited
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        if let Some(marks) = &mut self.marks {
            marks.see(event.marked);
        }
    }

    fn watches(&self) -> bool {
        self.marks.is_some()
    }

    fn on_lost(&mut self, window: &Window, lost: &Lost, now: Time, rng: &mut Stream) {
        self.handle_lost(window, lost, now, rng);
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        self.open(srtt);
    }

    /// Section 5.4.1.
    fn on_restart(&mut self, now: Time) {
        self.idle_restart = true;
        self.extra_acked_at = now;
        if self.state.in_probe_bw() {
            self.set_pace(1.0, None);
        }
    }

    fn models(&self) -> bool {
        true
    }

    fn pace(&self) -> Option<f64> {
        self.pace
    }
}

#[cfg(test)]
mod tests;
