//! GREEN of Wydrowski and Zukerman: a probability that steps up while the arrival rate exceeds a target, and
//! down below.
//!
//! Reference: WZ02.
//! Units: rates are bytes per second inside, `delta_t` and `k` spans.
//! Deviations: the paper was not available: sizes of the steps and the constant of the filter are assumed. On
//! an unlimited link the probability stays at zero.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{math, Span, Time};

units::choices! {
    /// The estimate of the rate while nothing arrives.
    pub enum RateInSilence {
        /// It decays with the time constant of the filter.
        Decays = "decays",
        /// It stays as the last arrival left it.
        Frozen = "frozen",
    }
}

units::params! {
    /// A probability that steps with the sign of the excess of arrivals.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target arrival rate, as a share of the link's.
        target: f64 = 0.97 => { unit: "1", range: Range::Above(0.0, 1.0), source: "WZ02" },
        /// Step of the probability.
        delta_p: f64 = 0.0001 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Time between two steps.
        delta_t: Span = Span::from_millis(1) => { range: Range::Positive, assumed: true },
        /// Time constant of the estimate of the arrival rate.
        k: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// The estimate of the rate while nothing arrives.
        silence: RateInSilence = RateInSilence::Decays => { assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "WZ02" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "GREEN (Wydrowski and Zukerman)";
    const ABOUT: &'static str = "Estimates the arrival rate and moves the probability of a mark by a fixed step at a fixed \
        time: up while the estimate is at or above 97 % of the link, down while it is below. It looks at no queue, which \
        therefore stays short.";
    const REFERENCE: &'static str = "WZ02";
    type Disc<P: Packet + Copy> = Green<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Green<P> {
        Green::new(params, setting)
    }
}

/// State of a GREEN queue.
#[derive(Clone, Debug)]
pub struct Green<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Target, bytes per second.
    target: f64,
    /// Seconds of the filter.
    k: f64,
    p: f64,
    /// Estimate of the arrival rate, bytes per second.
    x_est: f64,
    last: Time,
    next: Time,
}

impl<P: Packet + Copy> Green<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Green<P> {
        let c = if setting.rate.0 == 0 { f64::INFINITY } else { setting.rate.as_bps() / 8.0 };
        Green {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            target: params.target * c,
            k: params.k.as_secs(),
            p: 0.0,
            x_est: 0.0,
            last: Time::ZERO,
            next: Time::ZERO + params.delta_t,
            params: params.clone(),
        }
    }

    /// Takes an arrival into the estimate. Two arrivals at one instant: the limit of the filter for a gap of
    /// zero.
    fn estimate(&mut self, size: f64, now: Time) {
        let gap = now.since(self.last).as_secs();
        let old = math::exp(-gap / self.k);
        let sample = if gap > 0.0 { (1.0 - old) * size / gap } else { size / self.k };
        self.x_est = sample + old * self.x_est;
        self.last = now;
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Green<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.estimate(pkt.size().0 as f64, cx.now);
        let signal = cx.chance(self.p);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        let x = match self.params.silence {
            RateInSilence::Decays => self.x_est * math::exp(-self.next.since(self.last).as_secs() / self.k),
            RateInSilence::Frozen => self.x_est,
        };
        let step = if x >= self.target { self.params.delta_p } else { -self.params.delta_p };
        self.p = (self.p + step).clamp(0.0, 1.0);
        self.next += self.params.delta_t;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p", self.p);
        out.note("x_est_bps", 8.0 * self.x_est);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn the_estimate_and_the_steps_by_hand() {
        let rows = [("delta_p", "0.25"), ("delta_t", "10 ms"), ("k", "10 ms")];
        let mut bench = Bench::new(Green::new(&params(&rows), &SETTING));
        // A packet of 1000 bytes each 0.5 ms is 2 MB/s; after 10 ms the filter has 1 - 1/e of it.
        (1..=20).for_each(|i| bench.arrive(500 * i, Pkt::new(0)));
        assert!((bench.probe("x_est_bps") / (16e6 * (1.0 - math::exp(-1.0))) - 1.0).abs() < 1e-9);
        bench.tick_until(10_000);
        assert_eq!(bench.probe("p"), 0.25, "1.26 MB/s are more than 0.97");
        // 10 ms of silence: 0.47 MB/s; the probability falls, and not below zero.
        bench.tick_until(40_000);
        assert_eq!(bench.probe("p"), 0.0);
    }

    #[test]
    fn a_frozen_estimate_goes_on_raising_the_probability() {
        let rows = [("delta_p", "0.25"), ("delta_t", "10 ms"), ("k", "10 ms"), ("silence", "frozen")];
        let mut bench = Bench::new(Green::new(&params(&rows), &SETTING));
        (0..20).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // Twenty packets at one instant: 1000 / 10 ms each.
        assert!((bench.probe("x_est_bps") - 16e6).abs() < 1e-3);
        bench.tick_until(50_000);
        assert_eq!(bench.probe("p"), 1.0);
        bench.arrive(50_000, Pkt::new(0));
        assert_eq!((bench.dropped(), bench.rng.1), (vec![20], 0));
    }
}
