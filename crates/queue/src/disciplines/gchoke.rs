//! Geometric CHOKe: each packet of its own flow that an arrival draws earns it one more draw.
//!
//! Reference: EJ12; PPP00 is CHOKe.
//! Units: as in RED.
//! Deviations: only the abstract of the paper was available (an extra trial upon each successful match); that
//! every matched packet goes, and the arrival with them, is as in CHOKe.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;

red_params! {
    /// RED that drops an arrival with all packets of its flow that it draws in a row.
    pub struct Params {
        /// Average queue from which arrivals are compared and marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Most matches of one arrival.
        max_matches: u64 = 4 => { range: Range::Within(1.0, 64.0), assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        self.base().with_law(self.min_th, self.max_th, self.max_p, self.w_q)
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Geometric CHOKe (gCHOKe)";
    const ABOUT: &'static str = "CHOKe that repeats its comparison: an arrival is compared with a packet drawn from the queue, and after \
        each match with one more, until one is of another flow. All matches go with the arrival, so a flow that fills the \
        queue pays far more than one that has a packet in it by chance.";
    const REFERENCE: &'static str = "EJ12, PPP00, FJ93";
    type Disc<P: Packet + Copy> = Gchoke<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Gchoke<P> {
        Gchoke::new(params, setting)
    }

    red_setting!();
}

/// State of a geometric CHOKe queue.
#[derive(Clone, Debug)]
pub struct Gchoke<P> {
    red: Red<P>,
    max_matches: u64,
    /// Waiting packets dropped with an arrival so far.
    matches: u64,
}

impl<P: Packet + Copy> Gchoke<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Gchoke<P> {
        let red = params.red();
        let red = Red::linear(&red, setting);
        Gchoke { red, max_matches: params.max_matches, matches: 0 }
    }

    /// Draws packets until one is of another flow; returns whether the arrival is gone.
    fn meets_itself(&mut self, pkt: &P, cx: &mut Cx<'_, P>) -> bool {
        let before = self.matches;
        for _ in 0..self.max_matches {
            let store = self.red.store_mut();
            let waiting = store.len();
            if waiting == 0 {
                break;
            }
            let i = ((cx.uniform() * waiting as f64) as usize).min(waiting - 1);
            if store.peek(i).is_none_or(|other| other.flow() != pkt.flow()) {
                break;
            }
            if let Some(other) = store.pop_at(i) {
                cx.drop(other, Reason::Forced);
            }
            self.matches += 1;
        }
        if self.matches == before {
            return false;
        }
        cx.drop(*pkt, Reason::Forced);
        if self.red.store_mut().is_empty() {
            self.red.rest(cx.now);
        }
        true
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Gchoke<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        if self.red.average() >= self.red.curve().min_th() && self.meets_itself(&pkt, cx) {
            return;
        }
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!(later);

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("matches", self.matches as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn filled(flows: &[u64], most: &str) -> Bench<Gchoke<Pkt>> {
        let rows = [
            ("min_th", "2 pkts"),
            ("max_th", "50 pkts"),
            ("max_p", "0.0001"),
            ("w_q", "0.999999"),
            ("max_matches", most),
        ];
        let mut bench = Bench::new(Gchoke::new(&params(&rows), &SETTING));
        flows.iter().for_each(|flow| bench.arrive(0, Pkt { flow: *flow, ..Pkt::new(0) }));
        bench.rng.0 = 0.0;
        bench
    }

    #[test]
    fn a_row_of_matches_goes_with_the_arrival() {
        // The draw always picks the head: 0, 1 and 2 match, 3 is of another flow.
        let mut bench = filled(&[7, 7, 7, 8], "9");
        let before = bench.rng.1;
        bench.arrive(0, Pkt { flow: 7, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.disc.len(), bench.rng.1 - before), (vec![0, 1, 2, 4], 1, 4));
        assert_eq!(bench.probe("matches"), 3.0);
    }

    #[test]
    fn matches_are_bounded_and_a_first_miss_spares() {
        let mut bench = filled(&[7, 7, 7, 8], "2");
        bench.arrive(0, Pkt { flow: 7, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.disc.len()), (vec![0, 1, 4], 2));
        let mut other = filled(&[7, 7, 7, 8], "2");
        other.arrive(0, Pkt { flow: 8, ..Pkt::new(0) });
        assert_eq!((other.probe("matches"), other.dropped()), (0.0, vec![4]), "RED draws zero too");
    }
}
