//! Sender: computes a rate from reports, and departure times from the rate.
//!
//! *Reference*: RFC 5348 section 4; Floyd et al. 2000 for the response in steps.
//! *Units*: rates in bytes of payload per second.

mod steps;

use super::clock::TfrcTiming;
use super::equation::{self, Path};
use super::params::{Response, Silence, TfrcParams};
use super::{TfrcData, TfrcFeedback};
use crate::rate_based::common::{earlier, ENDLESS};
use std::sync::Arc;
use units::param::Valid;
use units::{Rng, Span, Stream, Time};

/// Counters of a sender since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TfrcCounters {
    /// Packets sent.
    pub sent: u64,
    /// Reports processed.
    pub reports: u64,
    /// Expiries of the no-feedback timer.
    pub timeouts: u64,
}

/// Sender of a TFRC flow.
#[derive(Clone, Debug)]
pub struct TfrcSender {
    params: Arc<Valid<TfrcParams>>,
    s: f64,
    clock: TfrcTiming,
    counters: TfrcCounters,
    /// Reports and no-feedback expiries so far.
    round: u32,
    urgent: bool,
    /// Allowed rate.
    x: f64,
    /// While below `x`: the rate of a slow increase, and the increase per packet.
    x_rising: f64,
    rise: f64,
    slow_start: bool,
    x_calc: f64,
    p: f64,
    /// Recent receive rates with the times of their reports.
    x_recv_set: Vec<(Time, f64)>,
    /// When the rate last changed, or last doubled.
    changed: Option<Time>,
    heavy: u64,
    /// Limit of the rate relative to the receive rate (`response = "steps"`).
    bound: f64,
    seq: u32,
    last_departure: Time,
    departure: Option<Time>,
    silence: Option<Time>,
    /// Packets to send now.
    due: u32,
    ceased: bool,
    started: bool,
    /// Packets supplied by the source.
    limit: u32,
    /// A packet left at its scheduled time since the last report: the rate was used.
    used: bool,
    /// Random numbers for packet gaps (`overhead`).
    rng: Stream,
}

/// No-feedback timer before the first report.
const FIRST_SILENCE: Span = Span::from_millis(2000);

/// Rates this close are equal: a full link gives the same rate in each report except for whole nanoseconds.
const TIE: f64 = 1e-7;

/// Upper bound on rates; keeps arithmetic finite.
const MOST: f64 = 1e15;

impl TfrcSender {
    /// Returns a sender that has not started.
    pub fn new(params: &Valid<TfrcParams>) -> TfrcSender {
        TfrcSender::sharing(&Arc::new(params.clone()))
    }

    /// Same as [`TfrcSender::new`], with options shared between connections.
    pub fn sharing(params: &Arc<Valid<TfrcParams>>) -> TfrcSender {
        let s = params.mss.0 as f64;
        let x = params.first_rate.map_or(s, |rate| rate.as_bps() / 8.0);
        TfrcSender {
            clock: TfrcTiming::new(params),
            s,
            counters: TfrcCounters::default(),
            round: 0,
            urgent: true,
            x,
            x_rising: x,
            rise: 0.0,
            slow_start: true,
            x_calc: f64::INFINITY,
            p: 0.0,
            x_recv_set: vec![(Time::ZERO, MOST)],
            changed: None,
            heavy: 0,
            bound: 2.0,
            seq: 0,
            last_departure: Time::ZERO,
            departure: None,
            silence: None,
            due: 0,
            ceased: false,
            started: false,
            limit: ENDLESS,
            used: false,
            rng: Stream::new(0, "tfrc"),
            params: params.clone(),
        }
    }

    /// Takes its random number generator; without one, all senders draw the same.
    pub fn take_rng(&mut self, rng: Stream) {
        self.rng = rng;
    }

    /// Starts sending.
    pub fn start(&mut self, now: Time) {
        self.started = true;
        self.x_recv_set[0].0 = now;
        self.release(now);
        if self.params.first_silence {
            self.silence = Some(now + FIRST_SILENCE);
        }
    }

    /// Stops sending.
    pub fn cease(&mut self) {
        self.ceased = true;
        self.due = 0;
        self.departure = None;
        self.silence = None;
    }

    /// Processes a report.
    pub fn on_feedback(&mut self, now: Time, feedback: &TfrcFeedback) {
        if self.departure.is_some_and(|departure| departure <= now) {
            // A departure at the same time comes first.
            self.release(now);
        }
        self.counters.reports += 1;
        self.round = self.round.wrapping_add(1);
        self.urgent = false;
        self.clock.take(feedback.round_trip(now));
        let worse = feedback.p > self.p;
        self.bound = match (self.params.cautious, worse) {
            (false, _) => 2.0,
            (true, false) => 1.5,
            (true, true) => 1.0,
        };
        self.p = feedback.p;
        self.x_calc = equation::throughput(self.p, &self.path()).min(MOST);
        if self.params.silence == Silence::Halve {
            self.restart_silence(now);
        }
        match self.params.response {
            Response::Rfc5348 => self.follow(now, feedback.x_recv, worse),
            Response::Steps => self.step(now, feedback.x_recv),
        }
        self.x = self.x.clamp(self.least(), MOST);
        if self.ceased {
            self.silence = None;
            return;
        }
        if self.params.silence == Silence::Rfc5348 {
            self.restart_silence(now);
        }
        if self.params.report_releases && self.slow_start {
            self.release(now);
        } else if self.params.respace && self.departure.is_some() {
            let departure = self.last_departure.plus_secs(self.gap()).max(now);
            self.departure = Some(departure);
        }
    }

    /// Fires the timer of [`TfrcSender::poll_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if self.departure.is_some_and(|departure| departure <= now) {
            self.release(now);
            self.used |= self.due > 0;
        }
        if self.silence.is_some_and(|silence| silence <= now) {
            self.on_silence(now);
        }
    }

    /// Returns the packet to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<TfrcData> {
        if self.due == 0 {
            return None;
        }
        self.due -= 1;
        let data = TfrcData {
            seq: self.seq,
            size: (self.params.mss.0 + self.params.headers.0) as u32,
            sent: now,
            rtt: self.clock.rtt(),
            t_rto: Span::from_secs(self.clock.t_rto()),
            round: self.round,
            urgent: self.urgent,
        };
        self.seq = self.seq.wrapping_add(1);
        self.counters.sent += 1;
        Some(data)
    }

    /// When to call [`TfrcSender::on_timer`].
    pub fn poll_timeout(&self) -> Option<Time> {
        earlier(self.departure, self.silence)
    }

    /// Allowed rate, in bytes of payload per second.
    pub fn rate(&self) -> f64 {
        self.x
    }

    /// The last reported loss event rate.
    pub fn loss_event_rate(&self) -> f64 {
        self.p
    }

    /// RTT estimate.
    pub fn srtt(&self) -> Option<Span> {
        self.clock.rtt().map(Span::from_secs)
    }

    /// Whether no loss has been reported.
    pub fn in_slow_start(&self) -> bool {
        self.slow_start
    }

    /// Counters since the start.
    pub fn counters(&self) -> TfrcCounters {
        self.counters
    }

    /// RFC 5348 section 4.3, step 4. `worse`: the loss event rate has risen.
    fn follow(&mut self, now: Time, x_recv: f64, worse: bool) {
        let data_limited = !std::mem::take(&mut self.used) && self.limit != ENDLESS;
        if !data_limited {
            let recent = Span::from_secs(2.0 * self.r());
            self.x_recv_set.push((now, x_recv));
            self.x_recv_set.retain(|(at, _)| now.since(*at) <= recent);
            return self.limit(now, 2.0);
        }
        // A source-limited sender cannot raise the receive rate: old values stay in the set.
        let (old, new) = if worse { (0.5, 0.85) } else { (1.0, 1.0) };
        let known = self.x_recv_set.iter().filter(|(_, x)| *x < MOST);
        let most = known.fold(new * x_recv, |most, (_, x)| most.max(old * x));
        self.x_recv_set = vec![(now, most)];
        self.limit(now, if worse { 1.0 } else { 2.0 });
    }

    /// Limits the rate to the equation and to `factor` times the receive rate.
    fn limit(&mut self, now: Time, factor: f64) {
        let received = self.x_recv_set.iter().fold(0.0, |most: f64, (_, x)| x.max(most)) * factor;
        if self.p > 0.0 {
            self.slow_start = false;
            self.x = self.x_calc.min(received);
        } else if self.changed.is_none_or(|at| now.since(at) >= Span::from_secs(self.r())) {
            let doubled = if self.changed.is_some() { 2.0 * self.x } else { 0.0 };
            self.x = doubled.min(received).max(self.initial());
            self.changed = Some(now);
        }
    }

    /// The no-feedback timer has expired.
    fn on_silence(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.round = self.round.wrapping_add(1);
        let received = self.x_recv_set.iter().fold(0.0, |most, (_, x)| x.max(most));
        match self.params.silence {
            Silence::Halve => {
                self.urgent = true;
                self.x *= 0.5;
                self.x_rising = self.x_rising.min(self.x);
                self.release(now);
            }
            Silence::Rfc5348 if self.p > 0.0 => {
                let bound = if self.x_calc > 2.0 * received { received } else { self.x_calc / 2.0 };
                self.x_recv_set = vec![(now, bound.max(self.least()) / 2.0)];
                self.limit(now, 2.0);
            }
            Silence::Rfc5348 => self.x *= 0.5,
        }
        self.x = self.x.max(self.least());
        self.restart_silence(now);
    }

    fn restart_silence(&mut self, now: Time) {
        let rounds = self.params.silence_rtts * self.clock.rtt().unwrap_or(0.0);
        self.silence = Some(now.plus_secs(rounds.max(2.0 * self.s / self.x)));
    }

    /// Releases a packet, if the source has one.
    fn release(&mut self, now: Time) {
        if self.seq.saturating_add(self.due) < self.limit {
            self.due += 1;
            self.depart(now);
        } else {
            self.departure = None;
        }
    }

    /// Supplies data: `packets` in total; a waiting packet leaves as soon as the rate allows.
    pub fn provide(&mut self, now: Time, packets: u32) {
        self.limit = packets;
        let waits = self.departure.is_none() && self.started && !self.ceased;
        if waits && self.seq + self.due < packets {
            let gap = if self.counters.sent > 0 { self.gap() } else { 0.0 };
            self.departure = Some(self.last_departure.plus_secs(gap).max(now));
        }
    }

    /// Sends a packet and schedules the next at the present rate.
    fn depart(&mut self, now: Time) {
        self.last_departure = now;
        if self.ceased {
            self.departure = None;
            return;
        }
        let rising = self.params.slow_increase
            && self.slow_start
            && self.round > 2
            && self.x_rising * (1.0 + TIE) < self.x;
        let gap = if rising {
            self.x_rising += self.rise;
            self.s / self.x_rising
        } else {
            self.drawn_gap()
        };
        self.departure = Some(now.plus_secs(gap));
    }

    /// Packet gap at the present rate, in seconds.
    fn gap(&self) -> f64 {
        let stretch = if self.params.damping { self.clock.stretch() } else { 1.0 };
        (self.s / self.x * stretch).min(self.params.t_mbi.as_secs())
    }

    /// The gap with random variation.
    fn drawn_gap(&mut self) -> f64 {
        let gap = self.gap();
        if self.params.overhead > 0.0 && self.counters.sent > 0 {
            return gap * (1.0 + self.params.overhead * (2.0 * self.rng.uniform() - 1.0));
        }
        gap
    }

    /// Rate after the first report.
    fn initial(&self) -> f64 {
        self.params.initial_rate.packets(self.s) * self.s / self.r()
    }

    /// Minimum rate: one packet per `t_mbi`.
    fn least(&self) -> f64 {
        self.s / self.params.t_mbi.as_secs()
    }

    /// RTT in seconds; requires a sample.
    fn r(&self) -> f64 {
        self.clock.rtt().unwrap_or(1.0)
    }

    fn path(&self) -> Path {
        Path {
            s: self.s,
            r: self.r(),
            t_rto: self.clock.t_rto(),
            b: self.params.b,
            bounded: self.params.bounded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_based::tfrc::conformance::params;

    const MS: u64 = 1_000_000;

    fn report(now: Time, rtt_ms: u64, p: f64, x_recv: f64) -> TfrcFeedback {
        let echo = Time(now.0 - rtt_ms * MS);
        TfrcFeedback { number: 0, size: 40, echo, held: 0.0, p, x_recv }
    }

    #[test]
    fn rfc_slow_start_by_hand() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.start(Time(0));
        assert!(sender.poll_transmit(Time(0)).is_some());
        assert_eq!(sender.poll_timeout(), Some(Time(1_000 * MS)), "a packet a second");
        // Round trip 100 ms: three segments of 1460 bytes (4380) a round trip.
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        assert!((sender.rate() - 43_800.0).abs() < 1e-6);
        // Doubles once a round trip, and at most to twice the rate received.
        sender.on_feedback(Time(200 * MS), &report(Time(200 * MS), 100, 0.0, 40_000.0));
        assert!((sender.rate() - 87_600.0).abs() < 1e-6, "{}", sender.rate());
        sender.on_feedback(Time(420 * MS), &report(Time(420 * MS), 100, 0.0, 80_000.0));
        assert!((sender.rate() - 160_000.0).abs() < 1e-6, "{}", sender.rate());
    }

    #[test]
    fn rfc_rate_is_that_of_the_equation() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.start(Time(0));
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        sender.on_feedback(Time(200 * MS), &report(Time(200 * MS), 100, 0.01, 1e6));
        assert!((sender.rate() - 164_005.1).abs() < 0.1, "{}", sender.rate());
        assert!(!sender.in_slow_start());
        // No report for four round trips: the limit becomes half the rate of the equation.
        sender.on_timer(Time(600 * MS));
        assert!((sender.rate() - 164_005.1 / 2.0).abs() < 0.1, "{}", sender.rate());
    }

    #[test]
    fn steps_by_hand() {
        let mut sender = TfrcSender::new(&params("ns2-2.35"));
        sender.start(Time(0));
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        assert_eq!(sender.rate(), 40_000.0);
        sender.on_feedback(Time(300 * MS), &report(Time(300 * MS), 100, 0.02, 1e6));
        let x = sender.rate();
        assert_eq!(x, equation::throughput(0.02, &sender.path()));
        // Less loss: first a change to be counted from, then up by a packet (10 000 B/s) a round trip.
        sender.on_feedback(Time(400 * MS), &report(Time(400 * MS), 100, 0.02, 1e6));
        sender.on_feedback(Time(500 * MS), &report(Time(500 * MS), 100, 0.001, 1e6));
        assert!((sender.rate() - x - 10_000.0).abs() < 1e-6);
        sender.on_feedback(Time(900 * MS), &report(Time(900 * MS), 100, 0.001, 1e6));
        assert!((sender.rate() - x - 30_000.0).abs() < 1e-6, "two round trips' worth at most");
    }

    /// 1.5 times the receive rate, and the receive rate itself when the loss rate has risen.
    #[test]
    fn a_cautious_sender_stays_near_the_receive_rate() {
        let params = params("ns2-2.35").into_inner();
        let mut sender = TfrcSender::new(&Valid::new(TfrcParams { cautious: true, ..params }).unwrap());
        sender.start(Time(0));
        let mut at = 0;
        let mut rate_after = |p: f64, x_recv: f64| {
            at += 100;
            sender.on_feedback(Time(at * MS), &report(Time(at * MS), 100, p, x_recv));
            sender.rate()
        };
        rate_after(0.0, 0.0);
        rate_after(0.0001, 1e6);
        assert_eq!(rate_after(0.0001, 20_000.0), 30_000.0);
        assert_eq!(rate_after(0.00011, 20_000.0), 20_000.0);
    }

    #[test]
    fn distances_are_drawn_within_their_share() {
        let params = params("ns2-2.35").into_inner();
        let mut sender = TfrcSender::new(&Valid::new(TfrcParams { overhead: 0.5, ..params }).unwrap());
        sender.take_rng(Stream::new(7, "test"));
        sender.counters.sent = 1;
        let gaps: Vec<f64> = (0..1000).map(|_| sender.drawn_gap() / sender.gap()).collect();
        let mean = gaps.iter().sum::<f64>() / 1000.0;
        assert!(gaps.iter().all(|gap| (0.5..=1.5).contains(gap)));
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn a_slow_increase_rises_packet_by_packet() {
        let mut sender = TfrcSender::new(&params("ns2-2000"));
        sender.start(Time(0));
        for ms in [100, 201, 302] {
            sender.on_feedback(Time(ms * MS), &report(Time(ms * MS), 100, 0.0, 20_000.0));
        }
        // From 20 000 to 40 000 B/s: 4 packets a round trip, so each adds 5000.
        assert!((sender.rate() - 40_000.0).abs() < 1e-6, "{}", sender.rate());
        assert!((sender.x_rising - 25_000.0).abs() < 1e-6, "{}", sender.x_rising);
        assert_eq!(sender.poll_timeout(), Some(Time(342 * MS)));
    }

    /// Two packets are supplied: the third leaves when there is one, not before its time. Nothing was there
    /// at the start: the first packet leaves as it is supplied.
    #[test]
    fn a_source_may_begin_with_nothing() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.provide(Time(0), 0);
        sender.start(Time(0));
        assert_eq!(sender.poll_transmit(Time(0)), None);
        sender.provide(Time(120 * MS), 1);
        assert_eq!(sender.poll_timeout(), Some(Time(120 * MS)));
        sender.on_timer(Time(120 * MS));
        assert!(sender.poll_transmit(Time(120 * MS)).is_some_and(|data| data.seq == 0));
    }

    #[test]
    fn a_source_that_runs_dry_waits() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.provide(Time(0), 2);
        sender.start(Time(0));
        sender.poll_transmit(Time(0));
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        // 43 800 B/s: a packet of 1460 bytes each 33.3 ms, counted from the first.
        sender.on_timer(Time(100 * MS));
        assert!(sender.poll_transmit(Time(100 * MS)).is_some_and(|data| data.seq == 1));
        sender.on_timer(Time(140 * MS));
        assert_eq!((sender.poll_transmit(Time(140 * MS)), sender.departure), (None, None));
        sender.provide(Time(150 * MS), 3);
        assert_eq!(sender.departure, Some(Time(150 * MS)));
    }

    /// Nothing waited for its time: a receive rate of 20 000 B/s does not limit the rate, the values before
    /// do.
    #[test]
    fn a_source_limited_sender_keeps_its_allowed_rate() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.start(Time(0));
        sender.poll_transmit(Time(0));
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        sender.on_feedback(Time(200 * MS), &report(Time(200 * MS), 100, 0.001, 200_000.0));
        sender.provide(Time(200 * MS), 1);
        sender.used = false;
        sender.on_feedback(Time(900 * MS), &report(Time(900 * MS), 100, 0.001, 20_000.0));
        assert!((sender.rate() - 400_000.0).abs() < 1e-6, "{}", sender.rate());
        // A new loss: half of the old values, and that is the limit itself.
        sender.on_feedback(Time(990 * MS), &report(Time(990 * MS), 100, 0.0011, 20_000.0));
        assert!((sender.rate() - 100_000.0).abs() < 1e-6, "{}", sender.rate());
    }

    #[test]
    fn a_ceased_sender_is_silent() {
        let mut sender = TfrcSender::new(&params("rfc"));
        sender.start(Time(0));
        sender.cease();
        sender.on_feedback(Time(100 * MS), &report(Time(100 * MS), 100, 0.0, 0.0));
        assert_eq!((sender.poll_timeout(), sender.poll_transmit(Time(100 * MS))), (None, None));
    }
}
