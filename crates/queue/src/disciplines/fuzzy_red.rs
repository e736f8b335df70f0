//! Fuzzy RED: rules in words set the probability from the queue and its change.
//!
//! Reference: CPRS03.
//! Units: `q_moderate`, `q_full`, `dq` and `limit` count packets or bytes, all in the unit of `limit`.
//! Deviations: of the paper the abstract was available (nonlinear discard functions from linguistic knowledge). That
//! the inputs are the queue and its change is as later papers describe it; sets, rules and levels are assumed, with
//! singletons as conclusions instead of areas. The classes of DiffServ are left out.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use crate::store::fuzzy::{conclude, degrees, And};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::{show_amount, Amount};
use units::{Span, Time};

units::choices! {
    /// How far a rule holds whose two conditions hold in part.
    pub enum Conjunction {
        /// The product of both, which makes the probability bilinear between the peaks.
        Product = "product",
        /// The smaller of both.
        Min = "min",
    }
}

units::params! {
    /// A probability by rules over the queue and its change.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Queue that is wholly "moderate"; an empty one is wholly "empty".
        q_moderate: Amount = Amount::Packets(15.0) => { range: Range::Positive, assumed: true },
        /// Queue from which it is wholly "full".
        q_full: Amount = Amount::Packets(60.0) => { range: Range::Positive, assumed: true },
        /// Change in an interval that is wholly "rising" or, downward, "falling".
        dq: Amount = Amount::Packets(10.0) => { range: Range::Positive, assumed: true },
        /// Time between two evaluations of the rules.
        interval: Span = Span::from_millis(10) => { range: Range::Positive, assumed: true },
        /// Probability of the conclusion "low".
        p_low: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Probability of the conclusion "medium".
        p_medium: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Probability of the conclusion "high".
        p_high: f64 = 0.5 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// How far a rule holds whose two conditions hold in part.
        conjunction: Conjunction = Conjunction::Product => { assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q_full", self.q_full, self.limit, problems);
        below_limit("q_moderate", self.q_moderate, self.limit, problems);
        let above_moderate = format!("must exceed q_moderate ({})", show_amount(self.q_moderate));
        let rises = self.q_full.number() > self.q_moderate.number();
        require(problems, rises, "q_full", show_amount(self.q_full), above_moderate, "");
        let alike = self.dq.is_bytes() == self.limit.is_bytes();
        require(problems, alike, "dq", show_amount(self.dq), "must be in the unit of limit", "");
        let ordered = self.p_low <= self.p_medium && self.p_medium <= self.p_high;
        let between = format!("must lie between p_low ({}) and p_high ({})", self.p_low, self.p_high);
        require(problems, ordered, "p_medium", self.p_medium, between, "");
    }
}

impl Params {
    /// Conclusions by queue (empty, moderate, full) and its change (falling, steady, rising).
    fn rules(&self) -> [[f64; 3]; 3] {
        let Params { p_low, p_medium, p_high, .. } = *self;
        [[0.0, 0.0, p_low], [0.0, p_low, p_medium], [p_medium, p_high, p_high]]
    }

    /// The probability at a queue of `q` that was `old` an interval ago.
    fn probability(&self, q: f64, old: f64) -> f64 {
        let dq = self.dq.number();
        let queue = degrees(q, &[0.0, self.q_moderate.number(), self.q_full.number()]);
        let change = degrees(q - old, &[-dq, 0.0, dq]);
        let and: And = match self.conjunction {
            Conjunction::Product => |a, b| a * b,
            Conjunction::Min => f64::min,
        };
        conclude(&queue, &change, &self.rules(), and)
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Fuzzy RED";
    const ABOUT: &'static str = "Sets the probability of a drop by nine rules in words, such as \"if the queue is moderate \
        and rising, the probability is medium\". Between the words it goes over smoothly. It looks at the queue and its \
        change, not at an average. Only descriptions of its paper were available; sets and levels are assumed.";
    const REFERENCE: &'static str = "CPRS03";
    type Disc<P: Packet + Copy> = FuzzyRed<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> FuzzyRed<P> {
        FuzzyRed::new(params)
    }
}

/// State of a Fuzzy RED queue.
#[derive(Clone, Debug)]
pub struct FuzzyRed<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    p: f64,
    /// The queue at the last evaluation.
    old: f64,
    next: Time,
}

impl<P: Packet + Copy> FuzzyRed<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> FuzzyRed<P> {
        FuzzyRed {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            p: 0.0,
            old: 0.0,
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for FuzzyRed<P> {
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
        self.p = self.params.probability(q, self.old);
        self.old = q;
        self.next += self.params.interval;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p", self.p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};

    const ROWS: &[(&str, &str)] = &[
        ("q_moderate", "10 pkts"),
        ("q_full", "30 pkts"),
        ("dq", "4 pkts"),
        ("p_low", "0.125"),
        ("p_medium", "0.25"),
        ("p_high", "0.5"),
    ];

    #[test]
    fn the_rules_by_hand() {
        let params: Valid<Params> = params(ROWS);
        let at = |q: f64, change: f64| params.probability(q, q - change);
        // At the peaks a rule holds alone.
        assert_eq!([at(0.0, 0.0), at(10.0, -9.0), at(10.0, 0.0), at(10.0, 4.0)], [0.0, 0.0, 0.125, 0.25]);
        assert_eq!([at(40.0, -4.0), at(30.0, 0.0), at(30.0, 9.0)], [0.25, 0.5, 0.5]);
        // Halfway to full and to rising: a quarter each of 0.125, 0.25, 0.5 and 0.5.
        assert_eq!(at(20.0, 2.0), 0.34375);
    }

    #[test]
    fn the_smaller_degree_instead_of_the_product() {
        let rows = [ROWS, &[("conjunction", "min")]].concat();
        let params: Valid<Params> = params(&rows);
        // Moderate 3/4, full 1/4; steady and rising 1/2: weights 1/2, 1/2, 1/4, 1/4.
        let right = (0.5 * 0.125 + 0.5 * 0.25 + 0.25 * 0.5 + 0.25 * 0.5) / 1.5;
        assert_eq!(params.probability(15.0, 13.0), right);
    }

    #[test]
    fn a_full_queue_is_dropped_at_the_next_evaluation() {
        let mut bench = Bench::new(FuzzyRed::<Pkt>::new(&params(&[ROWS, &[("p_high", "1")]].concat())));
        (0..30).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!(bench.dropped(), vec![]);
        bench.tick_until(10_000);
        bench.arrive(10_000, Pkt::new(0));
        assert_eq!((bench.probe("p"), bench.dropped()), (1.0, vec![30]));
    }

    #[test]
    fn what_is_refused() {
        let of = |key, value| refused::<Params>(&[(key, value)]).join("; ");
        assert!(of("q_full", "10 pkts").contains("must exceed q_moderate"));
        assert!(of("dq", "1000 B").contains("in the unit of limit"));
        assert!(of("p_medium", "0.6").contains("between p_low"));
    }
}
