//! Stabilized RED: a list of flows seen before counts how often an arrival meets its own flow, and so how
//! many there are.
//!
//! Reference: OLW99, its sections 2 to 4.
//! Units: `limit` counts packets or bytes, the queue in the same unit; all else is plain.
//! Deviations: the paper was available only as published slides, which print the list and the estimate.
//! Nothing is compared until the list is full; until the first hit the number of flows counts as unbounded.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::{as_fifo, Fifo, Limit, LimitTest};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;

units::choices! {
    /// The probability of a drop.
    pub enum SredLaw {
        /// `p_sred` times `min(1, 1 / (256 P)^2)` times `1 + hit / P`: more flows, more drops, and more for a
        /// flow that meets itself.
        Full = "full",
        /// `p_sred` alone: the estimate is not used.
        Simple = "simple",
    }
}

units::params! {
    /// A queue that drops by its length and an estimate of the number of flows.
    pub struct Params {
        /// Limit of the queue, in packets or bytes: `B`.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The probability of a drop.
        law: SredLaw = SredLaw::Full => { source: "OLW99" },
        /// Flows in the list: `M`.
        zombies: u64 = 1000 => { unit: "1", range: Range::Within(1.0, 1e6), source: "OLW99" },
        /// Probability that an arrival takes the place of a listed flow that it does not match.
        overwrite: f64 = 0.25 => { unit: "1", range: Range::Above(0.0, 1.0), source: "OLW99" },
        /// Probability `p_sred` from a third of the buffer on; a quarter of it from a sixth on.
        p_max: f64 = 0.15 => { unit: "1", range: Range::Above(0.0, 1.0), source: "OLW99" },
        /// Number of flows from which `p_sred` applies in full.
        flows_full: f64 = 256.0 => { unit: "1", range: Range::Positive, source: "OLW99" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Stabilized RED (SRED)";
    const ABOUT: &'static str = "Compares each arrival with a flow drawn from a long list of flows seen before. The share of \
        hits estimates the number of flows without any state for each; the probability of a drop grows with its square, so \
        that the queue settles at the same length whatever the load, and a flow that meets itself often is dropped more.";
    const REFERENCE: &'static str = "OLW99";
    type Disc<P: Packet + Copy> = Sred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, _setting: &Setting) -> Sred<P> {
        Sred::new(params)
    }
}

/// A listed flow, and the hits on it since it was listed.
#[derive(Clone, Copy, Debug)]
struct Zombie {
    flow: u64,
    count: u64,
}

/// State of an SRED queue.
#[derive(Clone, Debug)]
pub struct Sred<P> {
    queue: Fifo<P>,
    params: Valid<Params>,
    zombies: Vec<Zombie>,
    /// Estimate of the frequency of hits: `P`.
    hits: f64,
}

impl<P: Packet + Copy> Sred<P> {
    /// An empty queue with an empty list.
    pub fn new(params: &Valid<Params>) -> Sred<P> {
        Sred {
            queue: Fifo::new(Limit::new(params.limit, params.limit_test)),
            zombies: Vec::with_capacity(params.zombies as usize),
            hits: 0.0,
            params: params.clone(),
        }
    }

    /// Compares an arrival with the list; returns whether it was a hit.
    fn compare(&mut self, flow: u64, cx: &mut Cx<'_, P>) -> bool {
        let full = self.params.zombies as usize;
        if self.zombies.len() < full {
            self.zombies.push(Zombie { flow, count: 0 });
            return false;
        }
        let drawn = ((cx.uniform() * full as f64) as usize).min(full - 1);
        let zombie = &mut self.zombies[drawn];
        let hit = zombie.flow == flow;
        if hit {
            zombie.count += 1;
        } else if cx.chance(self.params.overwrite) {
            *zombie = Zombie { flow, count: 0 };
        }
        let alpha = self.params.overwrite / full as f64;
        self.hits = (1.0 - alpha) * self.hits + alpha * f64::from(u8::from(hit));
        hit
    }

    /// The probability of a drop at a queue of `q`.
    fn probability(&self, q: f64, hit: bool) -> f64 {
        let (limit, p_max) = (self.params.limit.number(), self.params.p_max);
        let p_sred = if q >= limit / 3.0 {
            p_max
        } else if q >= limit / 6.0 {
            p_max / 4.0
        } else {
            0.0
        };
        if self.params.law == SredLaw::Simple || self.hits == 0.0 {
            return p_sred;
        }
        let few = 1.0 / (self.params.flows_full * self.hits);
        let own = if hit { 1.0 + 1.0 / self.hits } else { 1.0 };
        (p_sred * (few * few).min(1.0) * own).min(1.0)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Sred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let hit = self.compare(pkt.flow(), cx);
        let q = self.queue.held_as(self.params.limit, cx);
        let signal = cx.chance(self.probability(q, hit));
        self.queue.admit(pkt, signal, self.params.ecn, cx);
    }

    as_fifo!();

    fn probe(&self, out: &mut Probe) {
        out.note("hit_frequency", self.hits);
        let most = self.zombies.iter().map(|zombie| zombie.count).max().unwrap_or(0);
        out.note("most_hits", most as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt};

    fn bench(rows: &[(&str, &str)]) -> Bench<Sred<Pkt>> {
        let mut all = vec![("limit", "12 pkts"), ("zombies", "2"), ("overwrite", "0.5")];
        all.extend(rows);
        Bench::new(Sred::new(&params(&all)))
    }

    #[test]
    fn hits_are_averaged_once_the_list_is_full() {
        let mut sred = bench(&[]);
        (0..2).for_each(|flow| sred.arrive(0, Pkt { flow, ..Pkt::new(0) }));
        assert_eq!((sred.probe("hit_frequency"), sred.rng.1), (0.0, 0));
        // 0.999999 of two is the second, flow 1: a hit, weight 0.5 / 2.
        sred.arrive(0, Pkt { flow: 1, ..Pkt::new(0) });
        assert_eq!((sred.probe("hit_frequency"), sred.probe("most_hits")), (0.25, 1.0));
        // A miss that does not overwrite, since 0.999999 is above 0.5.
        sred.arrive(0, Pkt { flow: 0, ..Pkt::new(0) });
        assert_eq!((sred.probe("hit_frequency"), sred.probe("most_hits")), (0.1875, 1.0));
        // One that does: the list is flow 0 twice.
        sred.rng.0 = 0.499_999;
        sred.arrive(0, Pkt { flow: 5, ..Pkt::new(0) });
        assert_eq!(sred.disc.zombies.iter().map(|zombie| zombie.flow).collect::<Vec<_>>(), [5, 1]);
    }

    #[test]
    fn the_probability_by_hand() {
        let mut sred = bench(&[("p_max", "0.2"), ("flows_full", "4")]);
        let p = |of: &Bench<Sred<Pkt>>, q: f64, hit: bool| of.disc.probability(q, hit);
        // A sixth of twelve is two, a third four.
        assert_eq!([p(&sred, 1.0, false), p(&sred, 2.0, false), p(&sred, 4.0, false)], [0.0, 0.05, 0.2]);
        sred.disc.hits = 0.5;
        // Two flows where four count in full: a quarter; and three times that for a hit.
        assert!((p(&sred, 4.0, false) - 0.05).abs() < 1e-12);
        assert!((p(&sred, 4.0, true) - 0.15).abs() < 1e-12);
        sred.disc.hits = 0.1;
        assert_eq!((p(&sred, 4.0, false), p(&sred, 4.0, true)), (0.2, 1.0));
        let mut simple = bench(&[("p_max", "0.2"), ("law", "simple")]);
        simple.disc.hits = 0.5;
        assert_eq!(p(&simple, 4.0, true), 0.2);
    }
}
