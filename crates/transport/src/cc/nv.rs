//! TCP-NV: Vegas for data centres, which predicts the window for the present rate and moves towards it.
//!
//! *Reference*: Brakmo10, and Linux's `tcp_nv` by its description and its output.
//! *Units*: windows in segments, rates in segments per nanosecond.
//! *Deviations*: windows are real numbers unless `counting = "whole"`; ACKs that find the window unused are not judged.
//!
//! Once per round trip, with enough samples: the greatest rate of the samples times the minimum RTT is the window that
//! needs no queue. Above it by more than `nv_pad` segments the window loses `nv_decrease` of the excess; below, by
//! `nv_margin`, it may grow as Reno's.

use super::avoidance::{reduced, Avoidance};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{NvParams, Params};
use std::collections::VecDeque;
use units::{Rng, Span, Stream, Time};

/// Least window after a reduction by delay.
const MIN_CWND: f64 = 2.0;
/// Round trips before a reduction.
const ROUNDS_BEFORE: u32 = 2;
/// Round trips above the prediction, with too few samples to reduce, after which the window no longer grows.
const ROUNDS_OF_GROWTH: u32 = 10;
/// Slowest growth: a segment in 2^8 round trips.
const SLOWEST: i32 = -8;
/// Share of the configured RTT that bounds the minimum RTT from below.
const LOWER_BOUND: f64 = 205.0 / 256.0;
/// Time before the first change of the minimum RTT.
const FIRST_PERIOD: Span = Span::from_millis(2_000);
/// Not measured yet.
const UNKNOWN: f64 = f64::INFINITY;

/// The samples since the last decision.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    count: u64,
    rounds: u32,
    greatest_rate: f64,
}

/// TCP-NV.
#[derive(Clone, Debug)]
pub struct Nv {
    growth: Avoidance,
    options: NvParams,
    may_grow: bool,
    /// Growth is `2^power` of Reno's.
    power: i32,
    /// Decisions to grow in a row.
    increases: u64,
    /// No reduction has ended the first slow start.
    opening: bool,
    /// A loss discards the samples.
    discards: bool,
    mean_rtt: Option<f64>,
    /// Minimum RTT in use, and the one that replaces it.
    least: f64,
    next_least: f64,
    replaces_at: Option<Time>,
    samples: Samples,
    round_end: u32,
    /// ACKs of the last round trip, and what was acknowledged before.
    acked: VecDeque<(Time, u32)>,
    acked_then: Option<u32>,
    rng: Stream,
}

impl Nv {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Nv {
        Nv {
            growth: Avoidance::new(params),
            options: params.nv.clone(),
            may_grow: true,
            power: 0,
            increases: 0,
            opening: true,
            discards: false,
            mean_rtt: None,
            least: UNKNOWN,
            next_least: UNKNOWN,
            replaces_at: None,
            samples: Samples::default(),
            round_end: 0,
            acked: VecDeque::new(),
            acked_then: None,
            rng: Stream::new(0, "nv"),
        }
    }

    fn discard(&mut self, event: &AckEvent) {
        self.discards = false;
        self.increases = 0;
        self.mean_rtt = None;
        self.samples = Samples::default();
        self.round_end = event.una;
        self.acked.clear();
        self.acked_then = None;
    }

    /// Segments in flight when the newest acknowledged one was sent, itself included: those acknowledged since.
    fn flight_when_sent(&mut self, event: &AckEvent, rtt: Span) -> u32 {
        let sent = Time(event.now.0.saturating_sub(rtt.0));
        while let Some((_, una)) = self.acked.front().filter(|(at, _)| *at <= sent) {
            self.acked_then = Some(*una);
            self.acked.pop_front();
        }
        let flight = self.acked_then.map_or(event.flight, |una| event.una - una);
        self.acked.push_back((event.now, event.una));
        flight
    }

    /// Takes the RTT of an ACK.
    fn measure(&mut self, event: &AckEvent, rtt: Span) {
        let flight = self.flight_when_sent(event, rtt);
        let (sample, weight) = (rtt.0 as f64, self.options.nv_rtt_weight);
        let mean = match self.mean_rtt {
            Some(mean) => weight * sample + (1.0 - weight) * mean,
            None => {
                self.least = 2.0 * sample;
                sample
            }
        };
        self.mean_rtt = Some(mean);
        self.samples.greatest_rate = self.samples.greatest_rate.max(f64::from(flight) / mean);
        self.samples.count += 1;
        let known = self.options.nv_base_rtt.map(|base| base.0 as f64);
        let bounded = known.map_or(mean, |base| mean.clamp(LOWER_BOUND * base, base));
        self.least = self.least.min(bounded);
        self.next_least = self.next_least.min(bounded);
        let due = *self.replaces_at.get_or_insert(event.now + FIRST_PERIOD);
        if event.now >= due {
            self.least = std::mem::replace(&mut self.next_least, UNKNOWN);
            let share = 0.75 + 0.5 * self.rng.uniform();
            self.replaces_at = Some(event.now + Span::from_secs(share * self.options.nv_reset.as_secs()));
        }
    }

    /// A round trip has ended: compares the window with the one that the rate needs.
    fn judge(&mut self, window: &mut Window) {
        self.samples.rounds += 1;
        let needed = (self.samples.greatest_rate * self.least).floor();
        let most = needed + self.options.nv_pad;
        let decided = if window.cwnd > most {
            self.shrink(window, most)
        } else if window.cwnd <= most - self.options.nv_margin {
            self.speed_up()
        } else {
            false
        };
        if decided {
            self.samples = Samples::default();
        }
    }

    fn shrink(&mut self, window: &mut Window, most: f64) -> bool {
        let Samples { count, rounds, .. } = self.samples;
        let enough = if self.opening { self.options.nv_start_samples } else { self.options.nv_dec_samples };
        if rounds < ROUNDS_BEFORE {
            return false;
        }
        if count < enough {
            self.may_grow &= self.opening || rounds <= ROUNDS_OF_GROWTH;
            return false;
        }
        let excess = window.cwnd - most;
        let cut = if excess > 2.0 { (self.options.nv_decrease * excess).max(2.0) } else { excess };
        let left = if self.growth.is_whole() { (window.cwnd - cut).ceil() } else { window.cwnd - cut };
        *window = Window { cwnd: left.max(MIN_CWND), ssthresh: most };
        (self.may_grow, self.opening, self.increases) = (false, false, 0);
        self.power = self.power.min(0);
        true
    }

    fn speed_up(&mut self) -> bool {
        if self.samples.count < self.options.nv_inc_samples {
            return false;
        }
        self.may_grow = true;
        self.increases += 1;
        if self.power < 0 && self.increases > self.options.nv_recovery {
            (self.power, self.increases) = (self.power + 1, 0);
        }
        true
    }
}

impl Control for Nv {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if self.discards {
            self.discard(event);
        }
        if let Some(rtt) = event.delay_sample().filter(|_| !event.recovering) {
            self.measure(event, rtt);
            if event.una > self.round_end {
                self.round_end = event.next;
                self.judge(window);
            }
        }
        if self.may_grow {
            let left = self.growth.start(window, event);
            let slow = 1.0 / f64::from(1u32 << self.power.unsigned_abs());
            self.growth.grow(window, left, slow * (window.cwnd / 4.0).min(1.0));
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        (self.discards, self.may_grow, self.opening) = (true, false, false);
        if event.cause == Cause::Timeout {
            self.power = (self.power - 1).clamp(SLOWEST, 0);
        }
        reduced(window, event, self.options.nv_beta).max(MIN_CWND).min(window.cwnd)
    }

    fn take_rng(&mut self, rng: Stream) {
        self.rng = rng;
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;

    /// A control that has `count` samples of this rate (segments per 100 ms) and a minimum RTT of 100 ms, in a round
    /// that the next ACK ends.
    fn with_samples(count: u64, rate: f64, rounds: u32) -> Nv {
        let mut cc = Nv::new(&Params::default());
        (cc.opening, cc.may_grow) = (false, false);
        (cc.least, cc.next_least, cc.mean_rtt) = (1e8, 1e8, Some(1e8));
        cc.samples = Samples { count, rounds, greatest_rate: rate / 1e8 };
        cc
    }

    fn judged(mut cc: Nv, cwnd: f64) -> (Window, bool) {
        let mut window = Window { cwnd, ssthresh: 10.0 };
        cc.judge(&mut window);
        (window, cc.may_grow)
    }

    /// The rate needs 40 segments, ten more may queue. 60 is ten above: it loses 30 % of the excess and stops. 52 falls
    /// to 50. Between 48 and 50 nothing changes; at 48 it may grow.
    #[test]
    fn the_window_follows_the_rate() {
        let cases = [(60.0, 57.0, false), (52.0, 50.0, false), (49.0, 49.0, false), (48.0, 48.0, true)];
        for (cwnd, left, may_grow) in cases {
            let (window, grows) = judged(with_samples(60, 40.0, 1), cwnd);
            assert_eq!((window.cwnd, grows), (left, may_grow), "{cwnd}");
        }
        assert_eq!(judged(with_samples(60, 40.0, 1), 60.0).0.ssthresh, 50.0);
    }

    /// Fewer than 60 samples or two round trips: no reduction. Fewer than 20: no leave to grow.
    #[test]
    fn decisions_need_samples() {
        assert_eq!(judged(with_samples(59, 40.0, 1), 60.0).0.cwnd, 60.0);
        assert_eq!(judged(with_samples(60, 40.0, 0), 60.0).0.cwnd, 60.0);
        assert!(!judged(with_samples(19, 40.0, 1), 30.0).1);
        let mut opening = with_samples(30, 40.0, 1);
        opening.opening = true;
        assert_eq!(judged(opening, 60.0).0.cwnd, 57.0);
    }

    /// Segments 0 to 9 leave at once; each is acknowledged after 100 ms, when the next one leaves. Segment 10 leaves
    /// with the ACK of segment 0, while ten are in flight with it.
    #[test]
    fn the_flight_is_that_at_the_time_of_sending() {
        let mut cc = Nv::new(&Params::default());
        for number in 0..10u32 {
            let at = 100 + 10 * u64::from(number);
            cc.flight_when_sent(&ack(at, 1, number + 1, number + 11, 100), Span::from_millis(100));
        }
        let flight = cc.flight_when_sent(&ack(200, 1, 11, 21, 100), Span::from_millis(100));
        assert_eq!(flight, 10);
    }

    /// A mean of equal parts; its least value holds for two seconds, and the least since then after that.
    #[test]
    fn the_minimum_rtt_is_replaced() {
        let mut cc = Nv::new(&Params::default());
        for (at, rtt, least) in [(0, 100, 100.0), (10, 140, 100.0), (20, 120, 100.0)] {
            cc.measure(&ack(at, 1, 1, 11, rtt), Span::from_millis(rtt));
            assert_eq!(cc.least, least * 1e6);
        }
        assert_eq!(cc.mean_rtt, Some(120e6));
        cc.next_least = UNKNOWN;
        cc.measure(&ack(2000, 1, 2, 12, 160), Span::from_millis(160));
        assert_eq!(cc.least, 140e6);
    }

    /// A loss leaves 0.8; a timeout also halves the growth, to a 256th at least. After nine decisions to grow it doubles.
    #[test]
    fn losses_slow_the_growth_down() {
        let mut cc = Nv::new(&Params::default());
        let window = Window { cwnd: 20.0, ssthresh: 20.0 };
        let event = |cause| CongestionEvent { now: Time(1), cause, load: 20.0, flight: 20, ecn_factor: None };
        assert_eq!((cc.on_congestion(&window, &event(Cause::Loss)), cc.power), (16.0, 0));
        for _ in 0..9 {
            cc.on_congestion(&window, &event(Cause::Timeout));
        }
        assert_eq!(cc.power, -8);
        for _ in 0..9 {
            cc.samples.count = 20;
            assert!(cc.speed_up());
        }
        assert_eq!(cc.power, -7);
    }
}
