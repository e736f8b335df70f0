//! The fuzzy proportional-integral controller: rules over the error of the queue and its change move the probability.
//!
//! Reference: DHLU03.
//! Units: `q_ref` and `limit` count packets or bytes, both in the unit of `limit`; `k_e` and `k_d` are per packet (or
//! byte), `k_u` is a probability.
//! Deviations: of the paper the abstract was available (a fuzzy controller in analogy with PI, tuned by a genetic
//! algorithm). Five sets of each input and the sum of their places as the rule are those of textbooks; gains are
//! assumed, and `shape` takes the place of the genetic algorithm's sets.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use crate::store::fuzzy::{conclude, degrees};
use alloc::vec::Vec;
use units::math::pow;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::params! {
    /// A probability moved by rules over the error and its change.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target queue length.
        q_ref: Amount = Amount::Packets(30.0) => { range: Range::Positive, assumed: true },
        /// Time between two samples.
        period: Span = Span::from_millis(10) => { range: Range::Positive, assumed: true },
        /// Error of one packet, as a share of the largest.
        k_e: f64 = 0.02 => { unit: "1", range: Range::Positive, assumed: true },
        /// Change of one packet in a period, as a share of the largest.
        k_d: f64 = 0.2 => { unit: "1", range: Range::Positive, assumed: true },
        /// Most that the probability moves in a period.
        k_u: f64 = 0.0005 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Power that places the inner sets: 1 in the middle, which is a PI controller; above 1 nearer to zero, which
        /// reacts more to small errors.
        shape: f64 = 1.0 => { unit: "1", range: Range::Within(0.25, 4.0), assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q_ref", self.q_ref, self.limit, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Fuzzy proportional-integral controller (FPI)";
    const ABOUT: &'static str = "A PI controller in words: 25 rules over the distance of the queue from its reference and \
        over its change say how far the probability moves. With even sets it is a PI controller with bounds; with uneven \
        ones it answers small and large errors unlike. Built from the abstract of its paper; gains are assumed.";
    const REFERENCE: &'static str = "DHLU03, HMTG01";
    type Disc<P: Packet + Copy> = Fpi<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Fpi<P> {
        Fpi::new(params)
    }
}

/// State of a queue under a fuzzy PI controller.
#[derive(Clone, Debug)]
pub struct Fpi<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    peaks: [f64; 5],
    rules: [[f64; 5]; 5],
    p: f64,
    /// The queue at the last sample.
    old: f64,
    next: Time,
}

impl<P: Packet + Copy> Fpi<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> Fpi<P> {
        let half = pow(0.5, params.shape);
        let places = [-1.0, -0.5, 0.0, 0.5, 1.0_f64];
        Fpi {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            peaks: [-1.0, -half, 0.0, half, 1.0],
            rules: places.map(|error| places.map(|change| (error + change).clamp(-1.0, 1.0))),
            p: 0.0,
            old: 0.0,
            next: Time::ZERO + params.period,
            params: params.clone(),
        }
    }

    /// How far the rules move the probability, from -1 to 1.
    fn step(&self, q: f64) -> f64 {
        let Params { k_e, k_d, q_ref, .. } = *self.params;
        let error = (k_e * (q - q_ref.number())).clamp(-1.0, 1.0);
        let change = (k_d * (q - self.old)).clamp(-1.0, 1.0);
        let sets = [error, change].map(|x| degrees(x, &self.peaks));
        conclude(&sets[0], &sets[1], &self.rules, |a, b| a * b)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Fpi<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let signal = cx.chance(self.p);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let q = self.queue.held_as(self.params.limit, cx);
        self.p = (self.p + self.params.k_u * self.step(q)).clamp(0.0, 1.0);
        self.old = q;
        self.next += self.params.period;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p", self.p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};

    const ROWS: &[(&str, &str)] =
        &[("q_ref", "8 pkts"), ("k_e", "0.0625"), ("k_d", "0.125"), ("k_u", "0.25")];

    #[test]
    fn with_even_sets_it_is_a_pi_controller_with_bounds() {
        let mut queue: Fpi<Pkt> = Fpi::new(&params(ROWS));
        queue.old = 8.0;
        // Twelve packets: error 4/16, change 4/8. Nine: 1/16 and 1/8.
        assert_eq!([queue.step(12.0), queue.step(9.0)], [0.25 + 0.5, 0.0625 + 0.125]);
        // Both beyond their range: one rule holds alone.
        assert_eq!([queue.step(90.0), queue.step(0.0)], [1.0, -1.0]);
    }

    #[test]
    fn sets_nearer_to_zero_answer_small_errors_more() {
        let mut queue: Fpi<Pkt> = Fpi::new(&params(&[ROWS, &[("shape", "2")]].concat()));
        queue.old = 10.0;
        // Peaks at a quarter: an error of 2/16 is half of the way to 0.5.
        assert_eq!(queue.step(10.0), 0.25);
        queue.old = 12.0;
        assert_eq!(queue.step(12.0), 0.5);
    }

    #[test]
    fn the_probability_adds_up_and_stays_within_its_bounds() {
        let mut bench = Bench::new(Fpi::<Pkt>::new(&params(ROWS)));
        (0..12).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.tick_until(10_000);
        // Error 0.25, change 12/8: both rules of a change of 1, conclusions 1 and 1.
        assert_eq!(bench.probe("p"), 0.25);
        bench.tick_until(20_000);
        assert_eq!(bench.probe("p"), 0.25 + 0.25 * 0.25);
        bench.tick_until(400_000);
        assert_eq!(bench.probe("p"), 1.0);
        assert!(refused::<Params>(&[("q_ref", "9000 B")])[0].contains("in the same unit"));
    }
}
