//! Strict priority: bands served in order, each a plain queue or a discipline of its own.
//!
//! Reference: RFC3246, expedited forwarding, of which strict priority is the simplest form; the count of bands,
//! and a discipline in each, as in Linux prio.
//! Units: `limit` counts packets or bytes over all bands.
//! Deviations: Linux reads the band from the TOS field and gives each plain band the limit of the device;
//! here the class of a packet says it, and one limit holds for all bands together.

use crate::child::Child;
use crate::classes::{entry_of, ClassBy};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use alloc::vec::Vec;
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Time};

units::choices! {
    /// The packet that is dropped when there is no room.
    pub enum PrioVictim {
        /// The next packet of the least urgent backlogged band, if that band is less urgent than the arriving
        /// packet's; else the arriving packet.
        LeastUrgent = "least_urgent",
        /// The arriving packet.
        Arriving = "arriving",
    }
}

units::params! {
    /// Bands served in order of urgency.
    pub struct Params {
        /// Limit of all bands together, in packets or bytes.
        limit: Amount = Amount::Packets(300.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The discipline of each band, the most urgent first: 1 to 16 of them.
        bands: Vec<Child> = vec![Child::PLAIN; 3] => { source: "Linux prio" },
        /// The part of a packet's class that counts.
        class_by: ClassBy = ClassBy::Number => { assumed: true },
        /// The band of each class; the last applies to all classes that follow.
        band_of: Vec<u64> = vec![2, 1, 0] => { range: Range::Within(0.0, 15.0), assumed: true },
        /// The packet that is dropped when there is no room.
        victim: PrioVictim = PrioVictim::LeastUrgent => { assumed: true },
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let bands = self.bands.len();
        let shown = format!("{bands} bands");
        require(problems, (1..=16).contains(&bands), "bands", shown, "must have 1 to 16 entries", "");
        let known = !self.band_of.is_empty() && self.band_of.iter().all(|band| (*band as usize) < bands);
        let rule = format!("must name at least one band, and only bands 0 to {}", bands.saturating_sub(1));
        require(problems, known, "band_of", self.band_of.show(), rule, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Strict priority";
    const ABOUT: &'static str =
        "Serves a band only while every more urgent one is empty. The class of a packet says its band. A band is a \
        plain queue, or holds any other discipline.";
    const REFERENCE: &'static str = "RFC3246";
    type Disc<P: Packet + Copy> = Prio<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Prio<P> {
        Prio::new(params, setting)
    }

    fn reads_headers(&self) -> bool {
        self.bands.iter().any(Child::reads_headers)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let bands = self.bands.iter().enumerate();
        bands.flat_map(|(i, child)| child.resolved(&format!("bands.{i}"), setting)).collect()
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        for (i, child) in self.bands.iter().enumerate() {
            child.fits(&format!("bands.{i}"), setting, problems);
        }
    }
}

/// State of a priority scheduler.
#[derive(Clone, Debug)]
pub struct Prio<P: Packet + Copy> {
    /// One queue each, the most urgent first.
    bands: Vec<Buckets<P>>,
    limit: Limit,
    class_by: ClassBy,
    band_of: Vec<u64>,
    victim: PrioVictim,
    len: usize,
    bytes: u64,
}

impl<P: Packet + Copy> Prio<P> {
    /// Empty bands.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Prio<P> {
        Prio {
            bands: params.bands.iter().map(|child| Buckets::new(1, FlowKey::Flow, child, setting)).collect(),
            limit: Limit::new(params.limit, params.limit_test),
            class_by: params.class_by,
            band_of: params.band_of.clone(),
            victim: params.victim,
            len: 0,
            bytes: 0,
        }
    }

    /// Runs `act` on a band and updates the totals.
    #[inline]
    fn on_band<R>(&mut self, i: usize, act: impl FnOnce(&mut Buckets<P>) -> R) -> R {
        let band = &mut self.bands[i];
        let (len, bytes) = (band.len(), band.bytes());
        let result = act(band);
        self.len = self.len - len + band.len();
        self.bytes = self.bytes - bytes + band.bytes();
        result
    }

    #[inline]
    fn has_room(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        self.limit.has_room(self.len, self.bytes, pkt, cx)
    }

    /// The least urgent band below `band` that holds packets.
    fn below(&self, band: usize) -> Option<usize> {
        (band + 1..self.bands.len()).rev().find(|&i| self.bands[i].len() > 0)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Prio<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let band = entry_of(&self.band_of, self.class_by.place(pkt.class())).map_or(0, |band| band as usize);
        while !self.has_room(&pkt, cx) {
            let loser = if self.victim == PrioVictim::LeastUrgent { self.below(band) } else { None };
            let Some(i) = loser else {
                return cx.drop(pkt, Reason::Overflow);
            };
            if let Some(victim) = self.on_band(i, |queue| queue.pop(0, false, cx)) {
                cx.drop(victim, Reason::Overflow);
            }
        }
        self.on_band(band, |queue| queue.push(0, pkt, 0, cx));
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let mut next = None;
        for i in 0..self.bands.len() {
            next = self.on_band(i, |queue| {
                queue.sent(cx);
                let pkt = if next.is_none() { queue.pop(0, false, cx) } else { None };
                if pkt.is_some() {
                    queue.sends(0);
                }
                next.or(pkt)
            });
        }
        next
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        Bytes(self.bytes)
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn next_deadline(&self) -> Option<Time> {
        self.bands.iter().filter_map(Buckets::next_deadline).min()
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        for i in 0..self.bands.len() {
            if self.bands[i].next_deadline().is_some_and(|due| due <= cx.now) {
                self.on_band(i, |queue| queue.on_deadline(cx));
            }
        }
    }

    fn probe(&self, out: &mut Probe) {
        out.note("active_bands", self.bands.iter().filter(|band| band.len() > 0).count() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, refused, Bench, Pkt, SETTING};

    fn bench(rows: &[(&str, &str)]) -> Bench<Prio<Pkt>> {
        Bench::new(Prio::new(&params(rows), &SETTING))
    }

    fn of_class(class: u8) -> Pkt {
        Pkt { class, ..Pkt::new(0) }
    }

    #[test]
    fn the_urgent_go_first() {
        let mut queue = bench(&[]);
        for class in [0, 1, 2, 0, 9, 1] {
            queue.arrive(0, of_class(class));
        }
        let order: Vec<u64> = (0..6).map(|_| queue.depart(0).unwrap().id).collect();
        assert_eq!(order, [2, 4, 1, 5, 0, 3]);
        assert!(queue.depart(0).is_none());
    }

    #[test]
    fn a_full_buffer_takes_from_the_least_urgent() {
        let mut queue = bench(&[("limit", "3 pkts")]);
        for class in [0, 0, 1, 2, 1, 0] {
            queue.arrive(0, of_class(class));
        }
        // Packets 3 and 4 push out 0 and 1; packet 5 finds none below it.
        assert_eq!(queue.dropped(), [0, 1, 5]);
        let mut strict = bench(&[("limit", "3 pkts"), ("victim", "arriving")]);
        for class in [0, 0, 1, 2] {
            strict.arrive(0, of_class(class));
        }
        assert_eq!(strict.dropped(), [3]);
    }

    #[test]
    fn a_band_that_is_not_there_is_refused() {
        let rule = refused::<Params>(&[("band_of", "3")]);
        assert!(rule[0].contains("must be a list"), "{rule:?}");
        let far = Params { band_of: vec![3], ..Params::default() };
        assert_eq!(
            Valid::new(far).unwrap_err()[0].rule,
            "must name at least one band, and only bands 0 to 2"
        );
    }
}
