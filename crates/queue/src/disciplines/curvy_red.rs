//! Curvy RED in a coupled dual queue: drops by the square of the classic queue's averaged delay, marks by the
//! delay itself.
//!
//! Reference: RFC9332 appendix B, its figures 9 and 10.
//! Units: `range`, `min_th`, `threshold` and `shift` are spans; `limit` counts packets or bytes of both
//! queues together.
//! Deviations: figure 9 prints a `minTh` of 500 ms, twice its whole buffer; it is zero here, and `as_printed`
//! in the dialect `rfc`. The scheduler never picks an empty queue, as the printed one would. As in the
//! figures, there is no protection against overload.

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Bytes, Ecn, Span, Time};

units::choices! {
    /// The delay of a queue from which a packet was just taken.
    pub enum MeasuredDelay {
        /// Delay of the packet taken.
        Leaving = "leaving",
        /// Delay of the packet that is oldest then; zero if there is none.
        Left = "left",
    }
}

units::params! {
    /// Two coupled queues with curved probabilities.
    pub struct Params {
        /// Limit of both queues together, in packets or bytes.
        limit: Amount = Amount::Packets(10000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// Averaged classic delay beyond `min_th` at which every classic packet is dropped: `range_C`.
        range: Span = Span::from_millis(500) => { range: Range::Positive, source: "RFC9332" },
        /// Averaged classic delay up to which nothing is dropped, or marked by coupling: `minTh`.
        min_th: Span = Span::ZERO => { assumed: true },
        /// Weight of a new delay in the average: `gamma`.
        weight: f64 = 0.03125 => { unit: "1", range: Range::Above(0.0, 1.0), source: "RFC9332" },
        /// Coupling factor: marks reach one at `range` divided by it.
        coupling: f64 = 2.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC9332" },
        /// Delay above which the low-latency queue marks independently of the coupling: `T`.
        threshold: Span = Span::from_millis(1) => { source: "RFC9332" },
        /// Head start of the low-latency queue in the scheduler: `tshift`.
        shift: Span = Span::from_millis(50) => { source: "RFC9332" },
        /// Random numbers of which the largest is taken for a mark, twice as many for a drop: `U`.
        curviness: u64 = 1 => { unit: "1", range: Range::Within(1.0, 8.0), source: "RFC9332" },
        /// The delay of a queue from which a packet was just taken.
        measured: MeasuredDelay = MeasuredDelay::Leaving => { source: "RFC9332" },
        /// Whether capable packets of the classic queue are marked instead of dropped.
        ecn: bool = true => { source: "RFC9332" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

const DIALECTS: &[Preset] = &[Preset {
    name: "rfc",
    doc: "The constants of figure 9 as printed: no classic drop below an averaged delay of 500 ms.",
    options: &[("min_th", "500 ms")],
}];

impl Discipline for Params {
    const TITLE: &'static str = "Curvy RED";
    const ABOUT: &'static str = "Two queues as in DualPI2, without a controller: the classic one drops with the square of its \
        averaged delay over a range, the low-latency one is marked with twice the delay over that range, or by a step of \
        its own. Delay grows a little with load, so that loss need not.";
    const REFERENCE: &'static str = "RFC9332";
    type Disc<P: Packet + Copy> = CurvyRed<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> CurvyRed<P> {
        CurvyRed::new(params)
    }
}

/// State of a Curvy RED queue.
#[derive(Clone, Debug)]
pub struct CurvyRed<P> {
    low_latency: Fifo<P>,
    classic: Fifo<P>,
    /// The bound of both together.
    limit: Limit,
    params: Valid<Params>,
    /// Seconds of the ranges of both queues.
    range_c: f64,
    range_l: f64,
    min_th: f64,
    /// Averaged delay of the classic queue, seconds.
    q_c: f64,
}

impl<P: Packet + Copy> CurvyRed<P> {
    /// Empty queues.
    pub fn new(params: &Valid<Params>) -> CurvyRed<P> {
        let unbounded = Limit::Packets(u64::MAX);
        CurvyRed {
            low_latency: Fifo::new(unbounded),
            classic: Fifo::new(unbounded),
            limit: Limit::new(params.limit, params.limit_test),
            range_c: params.range.as_secs(),
            range_l: params.range.as_secs() / params.coupling,
            min_th: params.min_th.as_secs(),
            q_c: 0.0,
            params: params.clone(),
        }
    }

    /// Whether the low-latency queue is to send: time-shifted first in, first out.
    fn is_low_latency_next(&self, now: Time) -> bool {
        match (self.low_latency.head(), self.classic.head()) {
            (Some(l), Some(c)) => now.since(l.enqueued()) + self.params.shift >= now.since(c.enqueued()),
            (l, _) => l.is_some(),
        }
    }

    /// Whether `p` exceeds the largest of `count` random numbers. Draws only where the outcome depends on
    /// them.
    fn exceeds(p: f64, count: u64, cx: &mut Cx<'_, P>) -> bool {
        if p <= 0.0 || p >= 1.0 {
            return p >= 1.0;
        }
        let largest = (0..count).fold(0.0, |largest: f64, _| largest.max(cx.uniform()));
        p > largest
    }

    fn delay(&self, leaving: &P, queue: &Fifo<P>, now: Time) -> Span {
        match self.params.measured {
            MeasuredDelay::Leaving => now.since(leaving.enqueued()),
            MeasuredDelay::Left => queue.head().map_or(Span::ZERO, |pkt| now.since(pkt.enqueued())),
        }
    }

    /// Sends a packet of the low-latency queue, marked or not.
    fn judge_low_latency(&self, pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
        let delay = self.delay(&pkt, &self.low_latency, cx.now);
        let coupled = (self.q_c - self.min_th) / self.range_l;
        let marks = delay > self.params.threshold || Self::exceeds(coupled, self.params.curviness, cx);
        if marks && pkt.ecn() != Ecn::Ce {
            return cx.mark_or_drop(pkt, true, Reason::Early);
        }
        Some(pkt)
    }

    /// Sends, marks or drops a packet of the classic queue.
    fn judge_classic(&mut self, pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
        let delay = self.delay(&pkt, &self.classic, cx.now).as_secs();
        self.q_c = self.params.weight * delay + (1.0 - self.params.weight) * self.q_c;
        let root = (self.q_c - self.min_th) / self.range_c;
        if Self::exceeds(root, 2 * self.params.curviness, cx) {
            return cx.mark_or_drop(pkt, self.params.ecn, Reason::Early);
        }
        Some(pkt)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for CurvyRed<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let packets = self.low_latency.packets_held(cx) + self.classic.len() as u64;
        let bytes = self.low_latency.bytes_held(cx) + self.classic.backlog().0;
        if !self.limit.admits(packets, bytes, pkt.size().0) {
            return cx.drop(pkt, Reason::Overflow);
        }
        match pkt.ecn() {
            Ecn::Ect1 | Ecn::Ce => self.low_latency.push(pkt, cx),
            Ecn::NotEct | Ecn::Ect0 => self.classic.push(pkt, cx),
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let sent = if self.is_low_latency_next(cx.now) {
                let pkt = self.low_latency.pop_front()?;
                self.judge_low_latency(pkt, cx)
            } else {
                let pkt = self.classic.pop_front()?;
                self.judge_classic(pkt, cx)
            };
            if sent.is_some() {
                return sent;
            }
        }
    }

    fn len(&self) -> usize {
        self.low_latency.len() + self.classic.len()
    }

    fn backlog(&self) -> Bytes {
        self.low_latency.backlog() + self.classic.backlog()
    }

    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn probe(&self, out: &mut Probe) {
        out.note("q_c_ms", 1e3 * self.q_c);
        out.note("low_latency_pkts", self.low_latency.len() as f64);
        out.note("classic_pkts", self.classic.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    fn bench(rows: &[(&str, &str)]) -> Bench<CurvyRed<Pkt>> {
        Bench::new(CurvyRed::new(&params(rows)))
    }

    fn with_ecn(ecn: Ecn) -> Pkt {
        Pkt { ecn, ..Pkt::new(0) }
    }

    #[test]
    fn the_classic_drop_is_the_square_of_the_average() {
        // Weight one: 200 ms of 500 are 0.4, so two numbers must both be below it.
        let mut queue = bench(&[("weight", "1")]);
        queue.rng.0 = 0.399;
        (0..2).for_each(|_| queue.arrive(0, with_ecn(Ecn::NotEct)));
        assert!(queue.depart(200_000).is_none());
        assert_eq!((queue.dropped(), queue.rng.1), (vec![0, 1], 4));
        queue.arrive(200_000, with_ecn(Ecn::Ect0));
        assert!(queue.depart(400_000).is_some_and(|pkt| pkt.ecn == Ecn::Ce));
        queue.rng.0 = 0.401;
        queue.arrive(400_000, with_ecn(Ecn::NotEct));
        assert!(queue.depart(600_000).is_some());
    }

    #[test]
    fn marks_are_coupled_to_the_classic_delay_or_by_the_step() {
        let mut queue = bench(&[("min_th", "100 ms")]);
        queue.disc.q_c = 0.2;
        queue.rng.0 = 0.399;
        // (200 - 100) ms of 250 are 0.4.
        queue.arrive(0, with_ecn(Ecn::Ect1));
        assert!(queue.depart(0).is_some_and(|pkt| pkt.ecn == Ecn::Ce));
        queue.rng.0 = 0.401;
        queue.arrive(0, with_ecn(Ecn::Ect1));
        assert!(queue.depart(1000).is_some_and(|pkt| pkt.ecn == Ecn::Ect1), "1 ms is not above 1 ms");
        queue.arrive(2000, with_ecn(Ecn::Ect1));
        assert!(queue.depart(3001).is_some_and(|pkt| pkt.ecn == Ecn::Ce));
    }

    #[test]
    fn the_low_latency_queue_has_a_head_start() {
        let mut queue = bench(&[]);
        queue.arrive(0, with_ecn(Ecn::NotEct));
        queue.arrive(50_000, with_ecn(Ecn::Ect1));
        queue.arrive(50_001, with_ecn(Ecn::Ect1));
        let order: Vec<u64> = core::iter::from_fn(|| queue.depart(50_001).map(|pkt| pkt.id)).collect();
        // Number 1 has 50 ms on number 0; number 2 is a microsecond too late.
        assert_eq!(order, [1, 0, 2]);
    }

    #[test]
    fn the_delay_may_be_that_of_the_packet_left() {
        let mut queue = bench(&[("measured", "left"), ("weight", "1")]);
        queue.arrive(0, with_ecn(Ecn::NotEct));
        queue.arrive(90_000, with_ecn(Ecn::NotEct));
        assert!(queue.depart(100_000).is_some());
        assert!((queue.probe("q_c_ms") - 10.0).abs() < 1e-9);
        assert!(queue.depart(100_000).is_some());
        assert_eq!(queue.probe("q_c_ms"), 0.0);
    }
}
