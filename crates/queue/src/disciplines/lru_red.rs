//! LRU-RED: a small cache of the flows seen last finds those that send much, and RED drops them more.
//!
//! Reference: SKR01.
//! Units: as in RED; `halve` is simulated time.
//! Deviations: of the papers on the cache only abstracts were available (a cache of limited size, least recently used
//! out, a flow admitted at random, flows with a large count are of high bandwidth). That RED's `max_p` grows with the
//! count, that counts are halved in time, and the constants are assumed.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Span, Time};

red_params! {
    /// RED with a `max_p` of its own for each flow that a cache holds.
    pub struct Params {
        /// Average queue from which marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`, for flows that are not of high bandwidth.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Flows in the cache.
        places: u64 = 16 => { range: Range::Within(1.0, 4096.0), assumed: true },
        /// Probability that a packet brings its flow into the cache.
        admit: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Count of packets beyond which a flow is of high bandwidth.
        threshold: u64 = 200 => { range: Range::Positive, assumed: true },
        /// Time after which all counts are halved.
        halve: Span = Span::from_secs(1.0) => { range: Range::Positive, assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        red::Params {
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            ..self.base()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "LRU-RED";
    const ABOUT: &'static str = "RED with a cache of the flows that sent last. A flow comes in at random and leaves when \
        others push it out, so only flows that send often stay. Those with many packets get a larger max_p, in proportion. \
        Built from abstracts; constants are assumed.";
    const REFERENCE: &'static str = "SKR01, FJ93";
    type Disc<P: Packet + Copy> = LruRed<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> LruRed<P> {
        LruRed::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        resolved_of::<Params>(&self.red(), setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of an LRU-RED queue.
#[derive(Clone, Debug)]
pub struct LruRed<P> {
    red: Red<P>,
    params: Valid<Params>,
    /// Flows and their packets, the one seen last at the end.
    cache: Vec<(u64, u64)>,
    next: Time,
}

impl<P: Packet + Copy> LruRed<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> LruRed<P> {
        LruRed {
            red: Red::linear(&params.red(), setting),
            cache: Vec::with_capacity(params.places as usize),
            next: Time::ZERO + params.halve,
            params: params.clone(),
        }
    }

    /// Counts a packet of a flow; returns the count, zero outside the cache.
    fn count(&mut self, flow: u64, cx: &mut Cx<'_, P>) -> u64 {
        let Some(i) = self.cache.iter().rposition(|row| row.0 == flow) else {
            if cx.chance(self.params.admit) {
                if self.cache.len() as u64 == self.params.places {
                    self.cache.remove(0);
                }
                self.cache.push((flow, 1));
            }
            return 0;
        };
        self.cache[i..].rotate_left(1);
        match self.cache.last_mut() {
            Some(row) => {
                row.1 += 1;
                row.1
            }
            None => 0,
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for LruRed<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        let count = self.count(pkt.flow(), cx);
        let excess = (count as f64 / self.params.threshold as f64).max(1.0);
        let max_p = (self.params.max_p * excess).min(1.0);
        self.red.curve_mut().set_max_p(max_p, false);
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        self.cache.iter_mut().for_each(|row| row.1 /= 2);
        self.next += self.params.halve;
    }

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("cached", self.cache.len() as f64);
        out.note("most", self.cache.iter().map(|row| row.1).max().unwrap_or(0) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn bench(more: &[(&str, &str)]) -> Bench<LruRed<Pkt>> {
        let rows = [("max_p", "0.125"), ("places", "2"), ("threshold", "4")];
        let mut bench = Bench::new(LruRed::new(&params(&[&rows, more].concat()), &SETTING));
        // Every draw is below `admit`.
        bench.rng.0 = 0.0;
        bench
    }

    fn arrive(bench: &mut Bench<LruRed<Pkt>>, flows: &[u64]) {
        flows.iter().for_each(|flow| bench.arrive(0, Pkt { flow: *flow, ..Pkt::new(0) }));
    }

    #[test]
    fn the_flow_that_was_not_seen_for_longest_goes() {
        let mut bench = bench(&[]);
        arrive(&mut bench, &[1, 2, 1, 3]);
        assert_eq!(bench.disc.cache, [(1, 2), (3, 1)]);
        arrive(&mut bench, &[1, 1, 2]);
        assert_eq!(bench.disc.cache, [(1, 4), (2, 1)]);
    }

    #[test]
    fn max_p_grows_with_the_count_and_falls_back_for_others() {
        let mut bench = bench(&[]);
        arrive(&mut bench, &[1, 1, 1, 1]);
        assert_eq!(bench.probe("max_p"), 0.125, "four are not beyond the threshold");
        arrive(&mut bench, &[1, 1]);
        assert_eq!(bench.probe("max_p"), 0.125 * 1.5);
        arrive(&mut bench, &[9]);
        assert_eq!(bench.probe("max_p"), 0.125);
        (0..60).for_each(|_| arrive(&mut bench, &[1]));
        assert_eq!(bench.probe("max_p"), 1.0);
    }

    #[test]
    fn counts_are_halved_and_admission_is_by_chance() {
        let mut bench = bench(&[("admit", "0.25")]);
        arrive(&mut bench, &[1, 1, 1, 1, 1]);
        bench.tick_until(2_000_000);
        assert_eq!(bench.disc.cache, [(1, 1)]);
        bench.rng.0 = 0.25;
        arrive(&mut bench, &[2]);
        assert_eq!(bench.probe("cached"), 1.0);
    }
}
