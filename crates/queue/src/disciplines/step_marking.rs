//! Step marking: every packet that meets more than a threshold is marked.
//!
//! Reference: RFC8257 section 3.1 (a queue length at arrival); RFC9332 section 2.5.1 and its figure 10 (a sojourn at
//! departure).
//! Units: `threshold` counts packets or bytes, each in the unit it is written in; `delay` is a span.
//! Deviations: RFC8257 leaves packets that are not ECN-capable to the operator; see `others`.

use crate::disc::{Cx, Decides, Packet, QueueDisc, Reason};
use crate::fifo::{counts_of_fifo, Fifo, Limit, LimitTest};
use crate::limit::below_limit;
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Valid};
use units::quantity::Amount;
use units::Span;

units::choices! {
    /// The measure that is compared with the threshold.
    pub enum StepBy {
        /// The queue that an arrival finds, against `threshold`.
        Queue = "queue",
        /// The time that a leaving packet has waited, against `delay`.
        Sojourn = "sojourn",
    }
}

units::choices! {
    /// Effect of the step on packets that are not ECN-capable.
    pub enum Others {
        /// They are dropped.
        Drop = "drop",
        /// They pass.
        Pass = "pass",
    }
}

units::params! {
    /// A queue that marks everything beyond a threshold.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The measure that is compared with the threshold.
        by: StepBy = StepBy::Queue => { source: "RFC8257" },
        /// Queue beyond which every arrival is marked: `K`.
        threshold: Amount = Amount::Packets(20.0) => { range: Range::Within(0.0, f64::INFINITY), source: "DCTCP10" },
        /// Sojourn time beyond which every departure is marked.
        delay: Span = Span::from_millis(1) => { source: "RFC9332" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = true => { source: "RFC8257" },
        /// Effect of the step on packets that are not ECN-capable.
        others: Others = Others::Drop => { assumed: true },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        if self.by == StepBy::Queue && self.threshold.is_bytes() == self.limit.is_bytes() {
            below_limit("threshold", self.threshold, self.limit, problems);
        }
        let signals = self.ecn || self.others == Others::Drop;
        require(problems, signals, "others", self.others.show(), "must be drop where ecn is off", "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Step marking";
    const ABOUT: &'static str = "Marks every arrival that finds more than a threshold, or every packet that waited longer \
        than one. The signal says all there is to say at once, so it suits senders that answer to the share of marks, as \
        DCTCP and Prague do. Draws no random number.";
    const REFERENCE: &'static str = "RFC8257, DCTCP10, RFC9332";
    type Disc<P: Packet + Copy> = StepMarking<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> StepMarking<P> {
        StepMarking::new(params)
    }
}

/// State of a step-marking queue.
#[derive(Clone, Debug)]
pub struct StepMarking<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
}

impl<P: Packet + Copy> StepMarking<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>) -> StepMarking<P> {
        StepMarking { queue: Fifo::new(Limit::new(params.limit, params.limit_test)), params: params.clone() }
    }

    /// Signals congestion on a packet; returns it unless it is dropped.
    fn signal(&self, pkt: P, cx: &mut Cx<'_, P>) -> Option<P> {
        let capable = self.params.ecn && pkt.ecn().capable();
        if !capable && self.params.others == Others::Pass {
            return Some(pkt);
        }
        cx.mark_or_drop(pkt, self.params.ecn, Reason::Early)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for StepMarking<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.queue.has_room(&pkt, cx) {
            return cx.drop(pkt, Reason::Overflow);
        }
        let beyond = self.params.by == StepBy::Queue
            && self.queue.held_as(self.params.threshold, cx) > self.params.threshold.number();
        let kept = if beyond { self.signal(pkt, cx) } else { Some(pkt) };
        if let Some(kept) = kept {
            self.queue.push(kept, cx);
        }
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        loop {
            let pkt = self.queue.pop_front()?;
            let beyond =
                self.params.by == StepBy::Sojourn && cx.now.since(pkt.enqueued()) > self.params.delay;
            let sent = if beyond { self.signal(pkt, cx) } else { Some(pkt) };
            if sent.is_some() {
                return sent;
            }
        }
    }

    counts_of_fifo!();

    #[inline]
    fn decides(&self) -> Decides {
        match self.params.by {
            StepBy::Queue => Decides::AtArrival,
            StepBy::Sojourn => Decides::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt};
    use units::Ecn;

    fn bench(rows: &[(&str, &str)]) -> Bench<StepMarking<Pkt>> {
        Bench::new(StepMarking::new(&params(rows)))
    }

    #[test]
    fn the_threshold_itself_is_not_beyond_it() {
        let mut queue = bench(&[("limit", "5 pkts"), ("threshold", "2 pkts")]);
        (0..6).for_each(|i| queue.arrive(i, Pkt { ecn: Ecn::Ect0, ..Pkt::new(0) }));
        // Packets 0, 1 and 2 find at most two; 3 and 4 are marked; 5 finds the buffer full.
        assert_eq!(queue.fates, [(3, 3, 'm'), (4, 4, 'm'), (5, 5, 'x')]);
        assert_eq!(queue.rng.1, 0);
    }

    #[test]
    fn others_are_dropped_or_pass() {
        for (others, dropped) in [("drop", vec![1]), ("pass", vec![])] {
            let mut queue = bench(&[("threshold", "500 B"), ("others", others)]);
            (0..2).for_each(|_| queue.arrive(0, Pkt::new(0)));
            assert_eq!(queue.dropped(), dropped);
        }
        assert!(refused::<Params>(&[("ecn", "false"), ("others", "pass")])[0].contains("must be drop"));
        assert!(refused::<Params>(&[("threshold", "100 pkts")])[0].contains("must lie below limit"));
    }

    #[test]
    fn by_sojourn_a_packet_is_judged_as_it_leaves() {
        let mut queue = bench(&[("by", "sojourn"), ("delay", "2 ms")]);
        queue.arrive(0, Pkt { ecn: Ecn::Ect1, ..Pkt::new(0) });
        queue.arrive(0, Pkt::new(0));
        queue.arrive(500, Pkt::new(0));
        assert_eq!(queue.depart(2000).map(|pkt| pkt.id), Some(0));
        assert!(queue.fates.is_empty(), "2 ms are not more than 2 ms");
        // Packet 1 has waited 2.1 ms and cannot be marked: it is dropped, and packet 2 leaves after 1.6 ms.
        assert_eq!(queue.depart(2100).map(|pkt| pkt.id), Some(2));
        assert_eq!(queue.dropped(), [1]);
    }
}
