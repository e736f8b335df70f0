//! PURPLE: predicts how senders will answer a probability, and takes the one at which they offer what is wanted.
//!
//! Reference: PWM03.
//! Units: `q_ref` and `limit` count packets or bytes, both in the unit of `limit`; `interval` is a span, all else
//! plain. Deviations: of the paper the abstract was available (predicts the impact of its actions on reactive
//! protocols, without per-flow state; observes congestion elsewhere passively). The prediction here is that of MSMO97,
//! a rate in proportion to the inverse root of the signals; congestion elsewhere is the share of arrivals that are
//! marked already. Constants are assumed.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Ecn, Span, Time};

units::params! {
    /// A probability that a model of the senders predicts.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Queue at which the wanted load is the rate of the link.
        q_ref: Amount = Amount::Packets(20.0) => { range: Range::Positive, assumed: true },
        /// Share of the link that is wanted in addition while the queue is empty.
        gain: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Time over which the load is measured, and between two predictions.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// Share of the way to the predicted probability that each step goes.
        pace: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of an interval in the share of arrivals that were marked elsewhere.
        w_e: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Probability at the start.
        initial: f64 = 0.001 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Lowest probability; a prediction by factors cannot leave zero.
        bottom: f64 = 0.0001 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Highest probability.
        top: f64 = 0.5 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "PWM03" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q_ref", self.q_ref, self.limit, problems);
        let below = format!("must not exceed top ({})", self.top);
        require(problems, self.bottom <= self.top, "bottom", self.bottom, below.clone(), "");
        require(problems, self.initial <= self.top, "initial", self.initial, below, "");
    }
}

/// Least load that is ever wanted, as a share of the link.
const LEAST_WANTED: f64 = 0.1;

impl Params {
    /// The probability after one step, from the present one, the load, the queue and the share marked elsewhere.
    fn step(&self, p: f64, load: f64, q: f64, elsewhere: f64) -> f64 {
        let wanted = (1.0 + self.gain * (1.0 - q / self.q_ref.number())).max(LEAST_WANTED);
        // Senders answer all signals of their path; those of this queue fall on what others left unmarked.
        let total = p + elsewhere * (1.0 - p);
        let ratio = load / wanted;
        let predicted =
            if elsewhere < 1.0 { (total * ratio * ratio - elsewhere) / (1.0 - elsewhere) } else { 0.0 };
        (p + self.pace * (predicted - p)).clamp(self.bottom, self.top)
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "PURPLE";
    const ABOUT: &'static str = "Predicts instead of trying: TCP sends in proportion to one over the root of the signals it \
        gets, so the load and the signals now tell which probability brings the load that is wanted. Arrivals that are \
        marked already count as signals of other queues. Built from the abstract of its paper; constants are assumed.";
    const REFERENCE: &'static str = "PWM03, MSMO97";
    type Disc<P: Packet + Copy> = Purple<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Purple<P> {
        Purple::new(params, setting)
    }
}

/// State of a PURPLE queue.
#[derive(Clone, Debug)]
pub struct Purple<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Bytes that the link sends in an interval.
    c: f64,
    /// Bytes, packets and marked packets that arrived in this interval.
    bytes: f64,
    packets: f64,
    marked: f64,
    /// Load of the last interval.
    load: f64,
    /// Mean share of arrivals that were marked elsewhere.
    elsewhere: f64,
    p: f64,
    next: Time,
}

impl<P: Packet + Copy> Purple<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Purple<P> {
        let rate = if setting.rate.0 == 0 { f64::INFINITY } else { setting.rate.as_bps() / 8.0 };
        Purple {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            c: rate * params.interval.as_secs(),
            bytes: 0.0,
            packets: 0.0,
            marked: 0.0,
            load: 0.0,
            elsewhere: 0.0,
            p: params.initial,
            next: Time::ZERO + params.interval,
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Purple<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.bytes += pkt.size().0 as f64;
        self.packets += 1.0;
        if pkt.ecn() == Ecn::Ce {
            self.marked += 1.0;
        }
        let signal = cx.chance(self.p);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.load = self.bytes / self.c;
        if self.packets > 0.0 {
            self.elsewhere += self.params.w_e * (self.marked / self.packets - self.elsewhere);
        }
        (self.bytes, self.packets, self.marked) = (0.0, 0.0, 0.0);
        let q = self.queue.held_as(self.params.limit, cx);
        self.p = self.params.step(self.p, self.load, q, self.elsewhere);
        self.next += self.params.interval;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("p", self.p);
        out.note("load", self.load);
        out.note("elsewhere", self.elsewhere);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    const ROWS: &[(&str, &str)] =
        &[("q_ref", "10 pkts"), ("gain", "0.5"), ("pace", "1"), ("initial", "0.0625")];

    #[test]
    fn a_doubled_load_asks_for_four_times_the_signals() {
        let params: Valid<Params> = params(ROWS);
        // At the reference the wanted load is one; an empty queue wants 1.5, 20 packets want half.
        assert_eq!(params.step(0.0625, 2.0, 10.0, 0.0), 0.25);
        assert_eq!(params.step(0.0625, 1.5, 0.0, 0.0), 0.0625);
        assert_eq!(params.step(0.0625, 1.0, 20.0, 0.0), 0.25);
        assert_eq!([params.step(0.0625, 9.0, 10.0, 0.0), params.step(0.0625, 0.0, 10.0, 0.0)], [0.5, 0.0001]);
    }

    #[test]
    fn signals_of_other_queues_are_left_to_them() {
        let params: Valid<Params> = params(ROWS);
        // Half are marked elsewhere: 0.0625 of the rest makes 0.53125 in total. At a load of 1.25 it is to be
        // 0.830078125, of which 0.33 / 0.5 = 0.66 is ours: the top.
        assert_eq!(params.step(0.0625, 1.25, 10.0, 0.5), 0.5);
        // At a load of one nothing changes, and below it the others suffice.
        assert_eq!(
            [params.step(0.0625, 1.0, 10.0, 0.5), params.step(0.0625, 0.75, 10.0, 0.5)],
            [0.0625, 0.0001]
        );
    }

    #[test]
    fn load_and_marks_are_measured_once_an_interval() {
        let rows = [ROWS, &[("interval", "10 ms"), ("w_e", "0.5")]].concat();
        let mut bench = Bench::new(Purple::new(&params(&rows), &SETTING));
        // Ten packets fill ten milliseconds; two of them come marked.
        (0..8).for_each(|_| bench.arrive(0, Pkt::new(0)));
        (0..2).for_each(|_| bench.arrive(0, Pkt { ecn: Ecn::Ce, ..Pkt::new(0) }));
        bench.tick_until(10_000);
        assert!((bench.probe("elsewhere") - 0.1).abs() < 1e-12);
        assert_eq!((bench.probe("load"), bench.dropped()), (1.0, vec![]));
        assert!((bench.probe("p") - 0.0625).abs() < 1e-12, "ten wait, the load is one");
        assert!(refused::<Params>(&[("bottom", "0.6")])[0].contains("must not exceed top"));
    }
}
