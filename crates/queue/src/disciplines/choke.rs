//! CHOKe: an arrival that finds itself drawn from the queue ends there, together with its match.
//!
//! Reference: PPP00, section 2.
//! Units: as in RED.
//! Deviations: the paper compares above `min_th` and does not define equality; we compare from `min_th`
//! upward, where RED begins. The matched packets are dropped even if they are ECN-capable, and leave RED's
//! count alone. With an empty queue there is nothing to compare with.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;

units::choices! {
    /// The packet that an arrival is compared with.
    pub enum Candidate {
        /// One drawn from all that wait.
        Random = "random",
        /// The oldest: front-CHOKe.
        Front = "front",
        /// The newest: back-CHOKe.
        Back = "back",
    }
}

red_params! {
    /// RED that drops an arrival and a random packet of the same flow together.
    pub struct Params {
        /// Average queue from which arrivals are compared and marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// How many packets an arrival is compared with, one after the other.
        candidates: u64 = 1 => { range: Range::Within(1.0, 64.0), source: "PPP00" },
        /// The packet that an arrival is compared with.
        candidate: Candidate = Candidate::Random => { source: "PPP00" },
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
    const TITLE: &'static str = "CHOKe";
    const ABOUT: &'static str =
        "Before RED judges an arrival, a packet is drawn from the queue; if both are of one flow, both \
        go. A flow that fills much of the queue meets itself often, so greedy flows are held down without any \
        state for each flow.";
    const REFERENCE: &'static str = "PPP00, FJ93";
    type Disc<P: Packet + Copy> = Choke<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Choke<P> {
        Choke::new(params, setting)
    }

    red_setting!();
}

/// State of a CHOKe queue.
#[derive(Clone, Debug)]
pub struct Choke<P> {
    red: Red<P>,
    candidates: u64,
    candidate: Candidate,
    /// Pairs dropped so far.
    matches: u64,
}

impl<P: Packet + Copy> Choke<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Choke<P> {
        let red = params.red();
        Choke {
            red: Red::linear(&red, setting),
            candidates: params.candidates,
            candidate: params.candidate,
            matches: 0,
        }
    }

    /// Compares the arrival with packets of the queue; returns whether both were dropped.
    fn meets_itself(&mut self, pkt: &P, cx: &mut Cx<'_, P>) -> bool {
        for _ in 0..self.candidates {
            let waiting = self.red.store_mut().len();
            let i = match self.candidate {
                _ if waiting == 0 => return false,
                Candidate::Random => ((cx.uniform() * waiting as f64) as usize).min(waiting - 1),
                Candidate::Front => 0,
                Candidate::Back => waiting - 1,
            };
            if self.red.store_mut().peek(i).is_some_and(|other| other.flow() == pkt.flow()) {
                if let Some(other) = self.red.store_mut().pop_at(i) {
                    cx.drop(other, Reason::Forced);
                }
                cx.drop(*pkt, Reason::Forced);
                self.matches += 1;
                if self.red.store_mut().is_empty() {
                    self.red.rest(cx.now);
                }
                return true;
            }
        }
        false
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Choke<P> {
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

    fn filled(flows: &[u64], u: f64) -> Bench<Choke<Pkt>> {
        let rows = [("min_th", "2 pkts"), ("max_th", "50 pkts"), ("max_p", "0.0001"), ("w_q", "0.999999")];
        let mut bench = Bench::new(Choke::new(&params(&rows), &SETTING));
        flows.iter().for_each(|flow| bench.arrive(0, Pkt { flow: *flow, ..Pkt::new(0) }));
        bench.rng.0 = u;
        bench
    }

    #[test]
    fn an_arrival_that_meets_its_flow_takes_it_along() {
        // 0.5 of 4 waiting is the third, number 2.
        let mut bench = filled(&[1, 2, 3, 4], 0.5);
        bench.arrive(0, Pkt { flow: 3, ..Pkt::new(0) });
        assert_eq!((bench.dropped(), bench.disc.len()), (vec![2, 4], 3));
        assert_eq!(bench.probe("matches"), 1.0);
    }

    #[test]
    fn another_flow_passes_and_so_does_everyone_below_min_th() {
        let mut bench = filled(&[1, 2, 3, 4], 0.5);
        bench.arrive(0, Pkt { flow: 4, ..Pkt::new(0) });
        assert!(bench.dropped().is_empty());
        let mut below = filled(&[1, 1, 1], 0.0);
        below.arrive(0, Pkt { flow: 1, ..Pkt::new(0) });
        assert_eq!((below.dropped(), below.rng.1), (vec![0, 3], 1));
    }
}
