//! Yellow: a probability that follows the load factor of a virtual capacity, which shrinks as the queue
//! grows.
//!
//! Reference: LZGY05.
//! Units: `q_ref` and `limit` count packets or bytes, both in the unit of `limit`; `period` is a span, all
//! else plain.
//! Deviations: only the abstract of the paper was available (load factor first, a queue control function
//! second); the function is the pair of hyperbolas with a floor that rate-based ATM switches use, and every
//! constant is assumed. On an unlimited link the probability stays at zero.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::params! {
    /// A probability from the load, corrected by the queue.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target queue length.
        q_ref: Amount = Amount::Packets(20.0) => { range: Range::Positive, assumed: true },
        /// Time over which the load is measured, and between two steps.
        period: Span = Span::from_millis(10) => { range: Range::Positive, assumed: true },
        /// Step of the probability at a load factor of one.
        step: f64 = 0.0002 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Share of the link that is offered while the queue is at `q_ref`.
        gamma: f64 = 0.98 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Steepness of the queue control function above `q_ref`.
        alpha: f64 = 1.05 => { unit: "1", range: Range::Above(1.0, 10.0), assumed: true },
        /// Steepness of the queue control function below `q_ref`.
        beta: f64 = 1.02 => { unit: "1", range: Range::Above(1.0, 10.0), assumed: true },
        /// Least share of the link that is offered, however long the queue: `QDLF`.
        floor: f64 = 0.15 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Load beyond one at which the probability rises.
        delta: f64 = 0.05 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "LZGY05" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q_ref", self.q_ref, self.limit, problems);
    }
}

impl Params {
    /// The queue control function: the share of the link that is offered at a queue of `q`.
    fn offered(&self, q: f64) -> f64 {
        let q_ref = self.q_ref.number();
        let hyperbola = |steepness: f64| self.gamma * steepness * q_ref / ((steepness - 1.0) * q + q_ref);
        if q > q_ref {
            hyperbola(self.alpha).max(self.floor)
        } else {
            hyperbola(self.beta)
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Yellow";
    const ABOUT: &'static str = "Measures the load against a virtual capacity that is a little more than the link while \
        the queue is short and less while it is long. The probability of a mark rises while the load exceeds that \
        capacity and falls while it is below. Built from the abstract of its paper; constants are assumed.";
    const REFERENCE: &'static str = "LZGY05";
    type Disc<P: Packet + Copy> = Yellow<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Yellow<P> {
        Yellow::new(params, setting)
    }
}

/// State of a Yellow queue.
#[derive(Clone, Debug)]
pub struct Yellow<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Bytes that the link sends in a period.
    c: f64,
    /// Bytes that arrived in this period.
    arrived: f64,
    /// Load factor of the last period.
    z: f64,
    p: f64,
    next: Time,
}

impl<P: Packet + Copy> Yellow<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Yellow<P> {
        let rate = if setting.rate.0 == 0 { f64::INFINITY } else { setting.rate.as_bps() / 8.0 };
        Yellow {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            c: rate * params.period.as_secs(),
            arrived: 0.0,
            z: 0.0,
            p: 0.0,
            next: Time::ZERO + params.period,
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Yellow<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.arrived += pkt.size().0 as f64;
        let signal = cx.chance(self.p);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let q = self.queue.held_as(self.params.limit, cx);
        self.z = self.arrived / (self.params.offered(q) * self.c);
        self.arrived = 0.0;
        let step = self.params.step;
        if self.z >= 1.0 + self.params.delta {
            self.p = (self.p + self.z * step).min(1.0);
        } else if self.z < 1.0 {
            // With no arrival at all the step is without bound.
            self.p = if self.z > 0.0 { (self.p - step / self.z).max(0.0) } else { 0.0 };
        }
        self.next += self.params.period;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p", self.p);
        out.note("load", self.z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn the_queue_control_function_by_hand() {
        let params: Valid<Params> = params(&[("alpha", "2"), ("beta", "2"), ("gamma", "0.5")]);
        // Below and at 20: 0.5 * 2 * 20 / (q + 20). Above: the same, but not below 0.15.
        let at = |q: f64| params.offered(q);
        assert_eq!([at(0.0), at(20.0), at(60.0), at(1000.0)], [1.0, 0.5, 0.25, 0.15]);
    }

    #[test]
    fn the_probability_follows_the_load() {
        let rows = [("alpha", "2"), ("beta", "2"), ("gamma", "0.5"), ("step", "0.25")];
        let mut bench = Bench::new(Yellow::new(&params(&rows), &SETTING));
        // Twenty packets in 10 ms, 20 wait: 20000 / (0.5 * 10000) = 4.
        (0..20).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.tick_until(10_000);
        assert_eq!((bench.probe("load"), bench.probe("p")), (4.0, 1.0));
        // Four more are dropped: 4000 / 5000 = 0.8, so p falls by 0.25 / 0.8.
        (0..4).for_each(|_| bench.arrive(11_000, Pkt::new(0)));
        bench.tick_until(20_000);
        assert_eq!((bench.probe("load"), bench.probe("p")), (0.8, 1.0 - 0.3125));
        bench.tick_until(30_000);
        assert_eq!((bench.probe("load"), bench.probe("p")), (0.0, 0.0));
    }

    #[test]
    fn a_reference_in_another_unit_is_refused() {
        assert!(refused::<Params>(&[("q_ref", "20000 B")])[0].contains("in the same unit"));
    }
}
