//! Dynamic RED: an integrator on the filtered distance of the queue from a target sets the probability.
//!
//! Reference: AOM01.
//! Units: `target`, `no_drop` and `limit` count packets or bytes, all in the unit of `limit`.
//! Deviations: the paper was not available; the law and its constants are as its descriptions print them. On
//! an unlimited link ten packet times are taken as a millisecond.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::params! {
    /// A queue held near a target by an integrator.
    pub struct Params {
        /// Limit of the queue, in packets or bytes: `B`.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target queue length: `T`. `auto`: half the limit.
        target: Option<Amount> = None => { range: Range::Positive, source: "AOM01" },
        /// Queue below which nothing is dropped: `L`. `auto`: 0.9 of the target.
        no_drop: Option<Amount> = None => { range: Range::Positive, source: "AOM01" },
        /// Time between two samples of the queue. `auto`: ten packet times.
        period: Option<Span> = None => { range: Range::Positive, source: "AOM01" },
        /// Control gain.
        alpha: f64 = 0.00005 => { unit: "1", range: Range::Above(0.0, 1.0), source: "AOM01" },
        /// Weight of a new sample in the filtered queue.
        beta: f64 = 0.002 => { unit: "1", range: Range::Above(0.0, 1.0), source: "AOM01" },
        /// Most that the probability may be: `theta`.
        theta: f64 = 1.0 => { unit: "1", range: Range::Above(0.0, 1.0), source: "AOM01" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("target", self.target(), self.limit, problems);
        below_limit("no_drop", self.no_drop(), self.limit, problems);
        let period = self.period.unwrap_or(Span::from_millis(1));
        let rule = "must be at least 1 us";
        require(problems, period >= Span::from_micros(1), "period", period.show(), rule, "");
    }
}

impl Params {
    fn target(&self) -> Amount {
        self.target.unwrap_or_else(|| scaled(self.limit, 0.5))
    }

    fn no_drop(&self) -> Amount {
        self.no_drop.unwrap_or_else(|| scaled(self.target(), 0.9))
    }

    fn period(&self, setting: &Setting) -> Span {
        let ten = if setting.rate.0 == 0 { 1e-3 } else { 10.0 / setting.packets_per_sec(setting.packet) };
        self.period.unwrap_or_else(|| Span::from_secs(ten.max(1e-6)))
    }
}

fn scaled(amount: Amount, by: f64) -> Amount {
    match amount {
        Amount::Packets(n) => Amount::Packets(n * by),
        Amount::Bytes(n) => Amount::Bytes(n * by),
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Dynamic RED (DRED)";
    const ABOUT: &'static str = "Samples the queue every ten packet times, filters the samples and moves the probability of \
        a drop in proportion to their distance from a target. It holds the queue there whatever the load, and drops \
        nothing while the queue is clearly below.";
    const REFERENCE: &'static str = "AOM01";
    type Disc<P: Packet + Copy> = Dred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Dred<P> {
        Dred::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let rows = [
            ("target", self.target.is_none(), self.target().show()),
            ("no_drop", self.no_drop.is_none(), self.no_drop().show()),
            ("period", self.period.is_none(), self.period(setting).show()),
        ];
        rows.into_iter().filter(|row| row.1).map(|(key, _, value)| (key.into(), value)).collect()
    }
}

/// State of a DRED queue.
#[derive(Clone, Debug)]
pub struct Dred<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    target: f64,
    no_drop: f64,
    period: Span,
    next: Time,
    /// The filtered queue.
    q_hat: f64,
    p: f64,
}

impl<P: Packet + Copy> Dred<P> {
    /// An empty queue, its first sample one period after the start of the run.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Dred<P> {
        let period = params.period(setting);
        Dred {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            target: params.target().number(),
            no_drop: params.no_drop().number(),
            period,
            next: Time::ZERO + period,
            q_hat: 0.0,
            p: 0.0,
            params: params.clone(),
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Dred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let judged = self.queue.held_as(self.params.limit, cx) >= self.no_drop;
        let signal = judged && cx.chance(self.p);
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let (params, q) = (&self.params, self.queue.held_as(self.params.limit, cx));
        self.q_hat = (1.0 - params.beta) * self.q_hat + params.beta * q;
        let step = params.alpha * (self.q_hat - self.target) / params.limit.number();
        self.p = (self.p + step).clamp(0.0, params.theta);
        self.next += self.period;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("drop_prob", self.p);
        out.note("q_hat", self.q_hat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    #[test]
    fn the_probability_integrates_the_filtered_error() {
        let rows = [("limit", "8 pkts"), ("alpha", "0.5"), ("beta", "0.5")];
        let mut bench = Bench::new(Dred::new(&params(&rows), &SETTING));
        (0..8).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // Target 4, a sample each 10 ms: filtered 4, 6, 7; the errors 0, 2, 3, each 0.5 / 8 of it.
        let mut p = |us| {
            bench.tick_until(us);
            bench.probe("drop_prob")
        };
        assert_eq!([p(9_999), p(10_000), p(20_000), p(30_000)], [0.0, 0.0, 0.125, 0.3125]);
    }

    #[test]
    fn nothing_is_dropped_below_the_threshold() {
        let rows = [("limit", "10 pkts"), ("alpha", "1"), ("beta", "1"), ("theta", "0.5")];
        let mut bench = Bench::new(Dred::new(&params(&rows), &SETTING));
        bench.disc.p = 0.5;
        bench.rng.0 = 0.4;
        // The threshold is 4.5.
        (0..6).for_each(|_| bench.arrive(0, Pkt::new(0)));
        assert_eq!((bench.dropped(), bench.rng.1), (vec![5], 1));
        bench.arrive(0, Pkt::new(0));
        bench.disc.p = 1.0;
        bench.tick_until(10_000);
        assert_eq!(bench.probe("drop_prob"), 0.5, "theta is the most it may be");
    }

    #[test]
    fn automatic_values_and_rules() {
        let resolved = params::<Params>(&[]).resolved(&SETTING);
        assert_eq!(
            resolved.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
            ["target", "no_drop", "period"]
        );
        assert_eq!(params::<Params>(&[]).period(&SETTING), Span::from_millis(10));
        assert!(refused::<Params>(&[("target", "100 pkts")])[0].contains("must lie below limit"));
    }
}
