//! Departures known at arrival, at links of any discipline that decides at arrival: no event at the end of a
//! transmission.
//!
//! The general link executes the dequeues that were due at its next arrival, each at its own time
//! ([`Link::set_departures_known`]).

use super::{Fast, FastStep};
use crate::calendar::Key;
use crate::link::Link;
use crate::network::{Network, Transit};

/// The fast path of these links.
pub(super) struct KnownDepartures;

impl FastStep for KnownDepartures {
    type Situation<'a> = &'a Link;

    /// No packet that the queue has accepted is dropped or delayed later.
    fn is_eligible(link: &Link) -> bool {
        link.decides_at_arrival()
    }
}

impl Network<Fast> {
    /// A packet arrives at a general link. Returns it at its next hop if its departure is known, so that it can go on.
    #[inline(never)]
    pub(super) fn pass_link(&mut self, number: u32, transit: Transit) -> Option<Transit> {
        if !self.links[number as usize].knows_departures() {
            self.arrive_lazily(number, &transit);
            return None;
        }
        let mut transit = transit;
        if !self.enter(number, &mut transit) {
            return None;
        }
        let arrived = transit.key();
        let wire = self.links[number as usize].accept(&mut transit.pkt, arrived, &mut self.fates);
        if !self.fates.is_empty() {
            self.record_fates(number, arrived.time);
        }
        let wire = wire?;
        let link = &self.links[number as usize];
        if link.faults.is_some() {
            self.depart(number, wire, transit.pkt);
            return None;
        }
        let time = wire.arrival_time(transit.pkt.size, link.rate(), link.delay);
        self.next_hop(Transit::new(transit.pkt, Key { time, birth: wire.start, component: number }))
    }
}
