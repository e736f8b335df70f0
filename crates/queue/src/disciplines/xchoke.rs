//! xCHOKe: a match of CHOKe is remembered, and arrivals of flows with matches are dropped in proportion to them.
//!
//! Reference: CCGJKSS02; PPP00 is CHOKe.
//! Units: as in RED; `forget` is simulated time.
//! Deviations: of the paper the abstract was available; that flows with CHOKe hits are listed, and that their drop
//! probability grows with the hits, is as later papers describe it. How it grows, how hits are forgotten and whether
//! the list is used without congestion are options.

use crate::disc::{Cx, Packet, Probe, QueueDisc, Reason};
use crate::red::shared_params::{red_params, resolved_of};
use crate::red::wrapped::as_red;
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::math::powi;
use units::param::{Check, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::choices! {
    /// How the probability of a listed flow grows with its hits.
    pub enum Growth {
        /// `p_hit` for each.
        Linear = "linear",
        /// Twice for each after the first, a shift in integers.
        Doubling = "doubling",
    }
}

units::choices! {
    /// When arrivals of listed flows are dropped.
    pub enum Filtered {
        /// At any average.
        Always = "always",
        /// While the average is at least `min_th`.
        Congested = "congested",
    }
}

red_params! {
    /// CHOKe with a memory.
    pub struct Params {
        /// Average queue from which arrivals are compared and marking begins.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Most flows in the list.
        places: u64 = 64 => { range: Range::Within(1.0, 65536.0), assumed: true },
        /// Drop probability of a flow with one hit.
        p_hit: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// How the probability of a listed flow grows with its hits.
        growth: Growth = Growth::Linear => { assumed: true },
        /// When arrivals of listed flows are dropped.
        filtered: Filtered = Filtered::Always => { assumed: true },
        /// Time after which each listed flow has a hit less; one without a hit leaves the list.
        forget: Span = Span::from_millis(200) => { range: Range::Positive, assumed: true },
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

    /// The drop probability of a flow with a number of hits.
    fn probability(&self, hits: u64) -> f64 {
        let factor = match self.growth {
            Growth::Linear => hits as f64,
            Growth::Doubling if hits > 0 => powi(2.0, (hits - 1).min(1000)),
            Growth::Doubling => 0.0,
        };
        (self.p_hit * factor).min(1.0)
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "xCHOKe";
    const ABOUT: &'static str = "CHOKe with a memory: a flow whose arrival draws a packet of its own gets a hit, and its \
        arrivals are dropped with a probability that grows with its hits until they are forgotten. So a flood stays known \
        between its matches. Only descriptions of its paper were available; constants are assumed.";
    const REFERENCE: &'static str = "CCGJKSS02, PPP00, FJ93";
    type Disc<P: Packet + Copy> = Xchoke<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Xchoke<P> {
        Xchoke::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        resolved_of::<Params>(&self.red(), setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.red().check_in(setting, problems);
    }
}

/// State of an xCHOKe queue.
#[derive(Clone, Debug)]
pub struct Xchoke<P> {
    red: Red<P>,
    params: Valid<Params>,
    /// Hits of the listed flows.
    hits: FlowTable<u64>,
    next: Time,
}

impl<P: Packet + Copy> Xchoke<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Xchoke<P> {
        Xchoke {
            red: Red::linear(&params.red(), setting),
            hits: FlowTable::new(),
            next: Time::ZERO + params.forget,
            params: params.clone(),
        }
    }

    /// Whether the arrival is dropped for the hits of its flow.
    fn filters(&mut self, pkt: &P, cx: &mut Cx<'_, P>) -> bool {
        let hits = self.hits.find(pkt.flow()).map_or(0, |hits| *hits);
        let filtered = cx.chance(self.params.probability(hits));
        if filtered {
            cx.drop(*pkt, Reason::Forced);
            self.rest_if_empty(cx.now);
        }
        filtered
    }

    /// Idle time starts now if no packet is queued: the average has counted it until this arrival.
    fn rest_if_empty(&mut self, now: Time) {
        if self.red.store_mut().is_empty() {
            self.red.rest(now);
        }
    }

    /// Compares the arrival with a drawn packet; a match drops both and is a hit. Returns whether the arrival is gone.
    fn meets_itself(&mut self, pkt: &P, cx: &mut Cx<'_, P>) -> bool {
        let store = self.red.store_mut();
        let waiting = store.len();
        if waiting == 0 {
            return false;
        }
        let drawn = ((cx.uniform() * waiting as f64) as usize).min(waiting - 1);
        if store.peek(drawn).is_none_or(|other| other.flow() != pkt.flow()) {
            return false;
        }
        if let Some(other) = store.pop_at(drawn) {
            cx.drop(other, Reason::Forced);
        }
        cx.drop(*pkt, Reason::Forced);
        self.rest_if_empty(cx.now);
        if let Some(hits) = self.hits.find(pkt.flow()) {
            *hits += 1;
        } else if (self.hits.len() as u64) < self.params.places {
            *self.hits.entry(pkt.flow()) = 1;
        }
        true
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Xchoke<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        let congested = self.red.average() >= self.red.curve().min_th();
        if (congested || self.params.filtered == Filtered::Always) && self.filters(&pkt, cx) {
            return;
        }
        if congested && self.meets_itself(&pkt, cx) {
            return;
        }
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!(later);

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        self.hits.iter_mut().for_each(|(_, hits)| *hits -= 1);
        self.hits.retain(|hits| *hits > 0);
        self.next += self.params.forget;
    }

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("listed", self.hits.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    fn of_flow(flow: u64) -> Pkt {
        Pkt { flow, ..Pkt::new(0) }
    }

    /// Four packets of flows 7, 7, 7 and 8 that wait, and draws that pick the head.
    fn filled(more: &[(&str, &str)]) -> Bench<Xchoke<Pkt>> {
        let rows = [("min_th", "2 pkts"), ("max_th", "50 pkts"), ("max_p", "0.0001"), ("w_q", "0.999999")];
        let mut bench = Bench::new(Xchoke::new(&params(&[&rows, more].concat()), &SETTING));
        [7, 7, 7, 8].iter().for_each(|flow| bench.arrive(0, of_flow(*flow)));
        bench.rng.0 = 0.0;
        bench
    }

    #[test]
    fn a_match_lists_the_flow_and_its_next_arrival_is_dropped_by_it() {
        let mut bench = filled(&[("p_hit", "0.5")]);
        bench.arrive(0, of_flow(7));
        assert_eq!((bench.dropped(), bench.probe("listed")), (vec![0, 4], 1.0));
        // 0 is below 0.5, so one draw ends it; a draw of 0.75 spares it, and picks the last, which is no match.
        bench.arrive(0, of_flow(7));
        assert_eq!(bench.dropped(), vec![0, 4, 5]);
        bench.rng.0 = 0.75;
        bench.arrive(0, of_flow(7));
        assert_eq!((bench.dropped(), bench.disc.len()), (vec![0, 4, 5], 4));
    }

    #[test]
    fn hits_grow_by_addition_or_by_doubling() {
        let at = |rows: &[(&str, &str)], hits| params::<Params>(rows).probability(hits);
        let linear = [("p_hit", "0.125")];
        assert_eq!([at(&linear, 0), at(&linear, 3), at(&linear, 9)], [0.0, 0.375, 1.0]);
        let doubling = [("p_hit", "0.125"), ("growth", "doubling")];
        assert_eq!([0, 1, 3, 4, 5000].map(|hits| at(&doubling, hits)), [0.0, 0.125, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn hits_are_forgotten_and_the_list_is_bounded() {
        let mut bench = filled(&[("places", "1"), ("p_hit", "1")]);
        bench.arrive(0, of_flow(7));
        bench.tick_until(200_000);
        assert_eq!(bench.probe("listed"), 0.0);
        // Flow 7 is at the head again and gets the place. Two more wait, so that the queue stays above the threshold.
        bench.arrive(200_000, of_flow(7));
        bench.rng.0 = 0.9;
        [9, 10].iter().for_each(|flow| bench.arrive(200_000, of_flow(*flow)));
        bench.rng.0 = 0.0;
        bench.depart(200_000);
        // Flow 8 is at the head: a match, but no place.
        bench.arrive(200_000, of_flow(8));
        assert_eq!((bench.dropped(), bench.probe("listed")), (vec![0, 4, 1, 5, 3, 8], 1.0));
    }

    #[test]
    fn the_list_may_rest_without_congestion() {
        for (filtered, gone) in [("always", 2), ("congested", 0)] {
            let mut bench = filled(&[("p_hit", "1"), ("filtered", filtered)]);
            bench.arrive(0, of_flow(7));
            while bench.depart(1000).is_some() {}
            let before = bench.dropped().len();
            // The average is still above the threshold at the first arrival, so time has to pass first.
            (0..2).for_each(|_| bench.arrive(100_000, of_flow(7)));
            assert_eq!(bench.dropped().len() - before, gone, "{filtered}");
        }
    }
}
