//! Loss Ratio based RED: the measured loss ratio itself is the probability, corrected by the distance of the
//! queue.
//!
//! Reference: WLLSH07, WLHSL04.
//! Units: `q0` and `limit` count packets or bytes, both in the unit of `limit`; `period` is a span.
//! Deviations: marks count as losses. The periods of the papers were not available. As long as nothing has
//! been lost the probability is zero, so it begins with the first overflow.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{math, Span, Time};

units::choices! {
    /// When the probability follows the queue.
    pub enum LredCompute {
        /// At every arrival.
        Arrival = "arrival",
        /// At the end of each period.
        Period = "period",
    }
}

units::params! {
    /// A queue that drops by the loss ratio it measures.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Target queue length.
        q0: Amount = Amount::Packets(50.0) => { range: Range::Positive, assumed: true },
        /// Time over which arrivals and losses are counted.
        period: Span = Span::from_millis(500) => { range: Range::Positive, assumed: true },
        /// Periods whose counts make the loss ratio: `M`.
        periods: u64 = 4 => { unit: "1", range: Range::Within(1.0, 1000.0), source: "WLHSL04" },
        /// Weight of the old average in the loss ratio.
        weight: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), source: "WLHSL04" },
        /// Weight of the distance from `q0`, per packet or byte.
        beta: f64 = 0.001 => { unit: "1", range: Range::Above(0.0, 1.0), source: "WLHSL04" },
        /// When the probability follows the queue.
        compute: LredCompute = LredCompute::Arrival => { assumed: true },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        below_limit("q0", self.q0, self.limit, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Loss Ratio based RED (LRED)";
    const ABOUT: &'static str = "Measures the share of arrivals lost over the last periods and drops with just that \
        probability, plus its square root times the distance of the queue from a reference. The loss ratio grows with \
        the number of flows, so the probability is right at once after the load has changed.";
    const REFERENCE: &'static str = "WLLSH07, WLHSL04";
    type Disc<P: Packet + Copy> = Lred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Lred<P> {
        Lred::new(params)
    }
}

/// State of an LRED queue.
#[derive(Clone, Debug)]
pub struct Lred<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    /// Arrivals and losses of each of the last periods, oldest first.
    past: VecDeque<(u64, u64)>,
    arrived: u64,
    lost: u64,
    /// The averaged loss ratio.
    ratio: f64,
    p: f64,
    next: Time,
}

impl<P: Packet + Copy> Lred<P> {
    /// An empty queue that has lost nothing.
    pub fn new(params: &Valid<Params>) -> Lred<P> {
        Lred {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            past: (0..params.periods).map(|_| (0, 0)).collect(),
            arrived: 0,
            lost: 0,
            ratio: 0.0,
            p: 0.0,
            next: Time::ZERO + params.period,
            params: params.clone(),
        }
    }

    fn probability(&self, cx: &Cx<'_, P>) -> f64 {
        let distance = self.queue.held_as(self.params.limit, cx) - self.params.q0.number();
        (self.ratio + self.params.beta * math::sqrt(self.ratio) * distance).clamp(0.0, 1.0)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Lred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        self.arrived += 1;
        if self.params.compute == LredCompute::Arrival {
            self.p = self.probability(cx);
        }
        let signal = cx.chance(self.p);
        let stays = !signal || (self.params.ecn && pkt.ecn().capable());
        self.lost += u64::from(signal) + u64::from(stays && !self.queue.has_room(&pkt, cx));
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        self.past.pop_front();
        self.past.push_back((self.arrived, self.lost));
        (self.arrived, self.lost) = (0, 0);
        let (arrived, lost) = self.past.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        let ratio = if arrived > 0 { lost as f64 / arrived as f64 } else { 0.0 };
        self.ratio = self.params.weight * self.ratio + (1.0 - self.params.weight) * ratio;
        self.p = self.probability(cx);
        self.next += self.params.period;
    }

    fn probe(&self, out: &mut Probe) {
        out.note("loss_ratio", self.ratio);
        out.note("drop_prob", self.p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    #[test]
    fn losses_of_the_last_periods_are_the_probability() {
        let rows =
            [("limit", "4 pkts"), ("q0", "3 pkts"), ("periods", "2"), ("weight", "0.5"), ("period", "10 ms")];
        let mut bench = Bench::new(Lred::new(&params(&rows)));
        // Eight arrive, four are lost: half, averaged with zero a quarter. One more than q0 waits.
        (0..8).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.tick_until(10_000);
        assert_eq!(bench.probe("loss_ratio"), 0.25);
        assert!((bench.probe("drop_prob") - (0.25 + 0.001 * 0.5)).abs() < 1e-12);
        // Nothing in the second period; the third forgets the first.
        bench.tick_until(20_000);
        assert_eq!(bench.probe("loss_ratio"), 0.375);
        bench.tick_until(30_000);
        assert_eq!(bench.probe("loss_ratio"), 0.1875);
    }

    #[test]
    fn the_probability_follows_the_queue_at_arrivals_or_periods() {
        for (compute, p) in [("arrival", 0.25 + 0.1 * 0.5 * -2.0), ("period", 0.5)] {
            let rows = [("limit", "4 pkts"), ("q0", "2 pkts"), ("beta", "0.1"), ("compute", compute)];
            let mut bench = Bench::new(Lred::new(&params(&rows)));
            (bench.disc.ratio, bench.disc.p) = (0.25, 0.5);
            bench.arrive(0, Pkt::new(0));
            assert!((bench.probe("drop_prob") - p).abs() < 1e-12);
        }
    }
}
