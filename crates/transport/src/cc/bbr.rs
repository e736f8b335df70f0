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
        let flight = if self.options.linux { math::ceil(math::ceil(flight) / 2.0) * 2.0 } else { flight };
        let up = self.state == BbrState::ProbeBw && self.cycle == 0;
        flight + if up { self.options.probe } else { 0.0 }
    }

    /// Allowance for ACK aggregation.
    fn allowance(&self) -> f64 {
        let most = math::floor(self.followed() * AGGREGATION_S);
        self.aggregation.as_ref().filter(|_| self.filled).map_or(0.0, |seen| seen.extra().min(most))
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
        (f64::from(flight) + up - arriving).max(0.0)
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
mod tests {
    use super::*;
    use crate::params::{BbrExit, BbrQuantum};
    use units::Bytes;

    pub(super) fn sample(ms: u64, acked: u32, delivered: u32, prior: u32, rate: f64) -> Sample {
        Sample {
            now: Time(ms * 1_000_000),
            newly_acked: acked,
            newly_lost: 0,
            rate: Some(rate),
            delivered: acked,
            prior_delivered: prior,
            tx_in_flight: 10,
            lost: 0,
            app_limited: false,
            rtt: Some(Span::from_millis(100)),
            total_delivered: delivered,
            total_lost: 0,
            prior_in_flight: 10,
            in_flight: 10,
            departs: Time(ms * 1_000_000),
            cwnd_limited: true,
            srtt: Some(Span::from_millis(100)),
            recovering: false,
            timed_out: false,
            selective: true,
        }
    }

    /// A flow that delivered 100 segments/s for four rounds of 100 ms: the pipe is full, then drained.
    fn steady() -> (Bbr, Window, Stream) {
        let mut cc = Bbr::new(&Params::default());
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        let mut rng = Stream::new(1, "bbr");
        cc.on_open(Some(Span::from_millis(100)));
        for round in 0..5u32 {
            let delivered = 10 * (round + 1);
            cc.on_sample(
                &mut window,
                &sample(100 * u64::from(round + 1), 10, delivered, 10 * round, 100.0),
                &mut rng,
            );
        }
        (cc, window, rng)
    }

    /// 10 segments in 100 ms, times 2.885.
    #[test]
    fn the_first_pace_is_that_of_the_initial_window() {
        let mut cc = Bbr::new(&Params::default());
        cc.on_open(Some(Span::from_millis(100)));
        assert_eq!(cc.pace().map(|pace| (pace * 1e6).round()), Some(288.5e6));
    }

    /// 100/s in the first round, and no growth by a quarter in three more: startup ends. 10 are in flight, no
    /// more than 1 x 10 plus three quanta: drain ends at once.
    #[test]
    fn three_rounds_without_growth_end_startup() {
        let (cc, window, _) = steady();
        assert!(cc.filled);
        assert_eq!(cc.state, BbrState::ProbeBw);
        // Bandwidth 100/s times 100 ms is 10; 20 plus three quanta of one segment (1.2 Mbit/s), or two above.
        let quantum = cc.quantum;
        assert!(window.cwnd <= 2.0 * 10.0 + 3.0 * quantum);
        assert_eq!(cc.bandwidth.get(), 100.0);
    }

    #[test]
    fn the_cycle_goes_up_then_down() {
        let (mut cc, mut window, mut rng) = steady();
        let mut gains = Vec::new();
        for step in 0..40u64 {
            let at = 600 + 101 * step;
            cc.on_sample(&mut window, &sample(at, 1, 51 + step as u32, 50 + step as u32, 100.0), &mut rng);
            if gains.last() != Some(&cc.pacing_gain) {
                gains.push(cc.pacing_gain);
            }
        }
        let up = gains.iter().position(|gain| *gain == 1.25).expect("a cycle has a phase up");
        // With no more in flight than before, the up phase continues; it ends at 1.25 windows.
        assert_eq!(gains.len(), up + 1);
        let flying = Sample { prior_in_flight: 40, ..sample(9_000, 1, 95, 94, 100.0) };
        cc.on_sample(&mut window, &flying, &mut rng);
        assert_eq!(cc.pacing_gain, 0.75);
    }

    /// The first loss leaves the flight plus deliveries; the window is restored after the recovery.
    #[test]
    fn losses_do_not_change_the_model() {
        let (mut cc, mut window, mut rng) = steady();
        let before = window.cwnd;
        let event = CongestionEvent {
            now: Time(600_000_000),
            cause: crate::cc::Cause::Loss,
            load: before,
            flight: 10,
            ecn_factor: None,
        };
        cc.on_congestion(&window, &event);
        let lossy = Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(600, 1, 51, 49, 100.0) };
        cc.on_sample(&mut window, &lossy, &mut rng);
        assert_eq!(window.cwnd, 10.0);
        cc.on_sample(&mut window, &sample(620, 1, 52, 49, 100.0), &mut rng);
        assert!(window.cwnd >= before);
        assert_eq!(cc.bandwidth.get(), 100.0);
    }

    /// No lower RTT for 10 s: four segments for 200 ms and a round, then the old window.
    #[test]
    fn probe_rtt_refreshes_the_minimum_rtt() {
        let (mut cc, mut window, mut rng) = steady();
        let before = window.cwnd;
        let slow = |ms, delivered: u32, in_flight| Sample {
            rtt: Some(Span::from_millis(150)),
            in_flight,
            ..sample(ms, 1, delivered, delivered - 1, 100.0)
        };
        assert!(cc.on_sample(&mut window, &slow(10_600, 60, 10), &mut rng));
        assert_eq!((window.cwnd, cc.min_rtt), (4.0, Some(Span::from_millis(150))));
        assert!(cc.on_sample(&mut window, &slow(10_700, 64, 4), &mut rng));
        assert!(cc.on_sample(&mut window, &slow(10_850, 68, 4), &mut rng));
        cc.on_sample(&mut window, &slow(10_901, 69, 4), &mut rng);
        assert_eq!(cc.state, BbrState::ProbeBw);
        assert!(window.cwnd >= before);
    }

    fn linux() -> Bbr {
        Bbr::new(&Params { bbr_rule: BbrRule::Linux, ..Params::default() })
    }

    /// The rate of the test above less 1 %; two segments leave together between 1.2 and 24 Mbit/s.
    #[test]
    fn linux_paces_below_the_model_and_by_quanta() {
        let mut cc = linux();
        cc.on_open(Some(Span::from_millis(100)));
        assert_eq!(cc.pace().map(|pace| (pace * 1e6).round()), Some(285.615e6));
        assert_eq!(cc.quantum(), 2);
        assert_eq!(Bbr::new(&Params::default()).quantum(), 1);
    }

    /// Aggregation adds at most the deliveries of 100 ms, 10 at 100/s, and only once the pipe is full.
    #[test]
    fn linux_allows_for_aggregated_acknowledgements() {
        let mut cc = linux();
        cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
        let mut seen = Aggregation::default();
        seen.update(100.0, 50.0, false, &sample(1000, 6, 6, 0, 100.0));
        cc.aggregation = Some(seen.clone());
        assert_eq!(cc.allowance(), 0.0);
        cc.filled = true;
        assert_eq!(cc.allowance(), 6.0);
        // After 10 ms one segment is explained.
        seen.update(100.0, 50.0, false, &sample(1010, 15, 21, 6, 100.0));
        assert_eq!(seen.extra(), 20.0);
        cc.aggregation = Some(seen);
        assert_eq!(cc.allowance(), 10.0);
    }

    /// 14 in flight at 100/s, next departure in 25 ms: two will have been delivered by then; in the up phase
    /// two leave with it.
    #[test]
    fn linux_judges_a_phase_by_the_flight_at_the_next_departure() {
        let mut cc = linux();
        cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
        cc.pace_at(120.0);
        cc.pacing_gain = 1.0;
        let paced = Sample { departs: Time(1_025_000_000), ..sample(1000, 1, 1, 0, 100.0) };
        assert_eq!(cc.at_departure(14, &paced), 12.0);
        cc.pacing_gain = 1.25;
        assert_eq!(cc.at_departure(14, &paced), 14.0);
        assert_eq!(cc.at_departure(1, &paced), 1.0);
        cc.aggregation = None;
        assert_eq!(cc.at_departure(14, &paced), 14.0);
    }

    /// A bin has 5 rounds: the excess of the first bin counts until the end of the second.
    #[test]
    fn linux_forgets_a_surplus_with_its_bin() {
        let mut seen = Aggregation::default();
        seen.update(100.0, 50.0, true, &sample(1000, 8, 8, 0, 100.0));
        let surplus: Vec<f64> = (0..10)
            .map(|round| {
                seen.update(100.0, 50.0, true, &sample(2000 + 1000 * round, 1, 9, 8, 100.0));
                seen.extra()
            })
            .collect();
        assert_eq!(surplus, [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 1.0, 1.0]);
    }

    /// 100/s and 100 ms: 10 segments plus three quanta of one are 13, rounded up to 14, and two more in the
    /// up phase.
    #[test]
    fn linux_rounds_the_window_up_to_even_and_probes_with_two_more() {
        let mut cc = linux();
        cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
        cc.min_rtt = Some(Span::from_millis(100));
        cc.pace_at(10.0);
        assert_eq!(cc.inflight(1.0), 14.0);
        cc.state = BbrState::ProbeBw;
        cc.cycle = 0;
        assert_eq!(cc.inflight(1.0), 16.0);
        cc.options.linux = false;
        cc.options.probe = 0.0;
        assert_eq!(cc.inflight(1.0), 13.0);
    }

    fn ns3() -> Bbr {
        Bbr::new(&Params {
            bbr_gain: 2.89,
            bbr_quantum: BbrQuantum::Segment,
            bbr_probe: 2,
            bbr_acked_in_row: Some(Bytes(4096)),
            bbr_phase: Some(0),
            bbr_exit: BbrExit::Ssthresh,
            bbr_recovery_round: false,
            bbr_lost_at_once: false,
            mss: Bytes(1000),
            ..Params::default()
        })
    }

    /// 10 segments plus three quanta of one; two more in the up phase, which starts a cycle. Four segments of
    /// 1000 bytes in a row fit below 4096 bytes, the fifth restarts the count.
    #[test]
    fn ns3_counts_quanta_of_one_and_what_came_in_a_row() {
        let mut cc = ns3();
        cc.bandwidth.update(1, 100.0, BANDWIDTH_ROUNDS);
        cc.min_rtt = Some(Span::from_millis(100));
        cc.pace_at(1e4);
        assert_eq!(cc.inflight(1.0), 13.0);
        cc.enter_probe_bw(Time(1_000_000_000), &mut Stream::new(1, "bbr"));
        assert_eq!((cc.pacing_gain, cc.inflight(1.0)), (1.25, 15.0));
        let mut seen = Aggregation::in_row(4.096);
        for ms in 1..20 {
            seen.update(100.0, 50.0, false, &sample(ms, 1, ms as u32, 0, 100.0));
        }
        assert_eq!(seen.extra(), 4.0);
    }

    /// The first recovery leaves no bound, and with a full pipe its sum with the deliveries overflows: four
    /// segments. After drain has started it leaves the model's window, 10 plus three quanta.
    #[test]
    fn ns3_leaves_a_recovery_at_the_slow_start_threshold() {
        let (mut cc, mut rng) = (ns3(), Stream::new(1, "bbr"));
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        let lossy = Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(100, 1, 1, 0, 100.0) };
        cc.on_sample(&mut window, &lossy, &mut rng);
        assert_eq!(window.cwnd, 10.0);
        cc.on_sample(&mut window, &sample(120, 1, 2, 0, 100.0), &mut rng);
        assert_eq!(window.cwnd, f64::INFINITY);
        for round in 1..4u32 {
            let at = 200 + 100 * u64::from(round);
            cc.on_sample(&mut window, &sample(at, 10, 10 * round, 10 * round - 8, 100.0), &mut rng);
        }
        assert_eq!((cc.filled, window.cwnd, window.ssthresh), (true, 4.0, 13.0));
    }

    /// Conservation lasts a full round if the recovery starts a round, else until the present round ends.
    #[test]
    fn a_recovery_begins_a_round_or_not() {
        for begins in [true, false] {
            let (mut cc, mut window, mut rng) = steady();
            cc.options.recovery_round = begins;
            let lossy =
                Sample { newly_lost: 1, recovering: true, in_flight: 9, ..sample(600, 1, 51, 49, 100.0) };
            cc.on_sample(&mut window, &lossy, &mut rng);
            let next = Sample { recovering: true, in_flight: 9, ..sample(610, 1, 52, 50, 100.0) };
            cc.on_sample(&mut window, &next, &mut rng);
            assert_eq!(cc.conserving, begins);
        }
    }

    /// The recovery starts with the first ACK of a round: no conservation, and losses are subtracted with
    /// deliveries.
    #[test]
    fn ns3_ends_conservation_with_the_round_that_begins_a_recovery() {
        let (mut cc, mut window, mut rng) = steady();
        cc.options = ns3().options;
        window.cwnd = 11.0;
        let lossy = |acked, prior| Sample {
            newly_acked: acked,
            newly_lost: 1,
            recovering: true,
            in_flight: 8,
            ..sample(600, 1, 51, prior, 100.0)
        };
        cc.on_sample(&mut window, &lossy(1, 50), &mut rng);
        // 8 in flight and 1 arrived, 1 is lost, 1 arrived.
        assert_eq!((cc.conserving, window.cwnd), (false, 9.0));
        cc.on_sample(&mut window, &lossy(0, 50), &mut rng);
        assert_eq!(window.cwnd, 9.0);
        let reordered = Sample { recovering: false, ..lossy(0, 50) };
        cc.recovery = BbrRecovery::None;
        cc.on_sample(&mut window, &reordered, &mut rng);
        assert_eq!(window.cwnd, 9.0);
    }

    /// 100.07 segments of 8000 bits are 800 560 bits; 1/3 of a segment is 2666.67.
    #[test]
    fn whole_rates_lose_what_is_below_a_bit() {
        let mut cc = ns3();
        assert_eq!(cc.cut_to_bits(1.0 / 3.0), 1.0 / 3.0);
        cc.options.whole = Some(8000.0);
        assert_eq!(cc.cut_to_bits(1.0 / 3.0) * 8000.0, 2666.0);
        assert_eq!(cc.cut_to_bits(100.07) * 8000.0, 800_560.0);
    }
}
