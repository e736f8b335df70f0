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
    /// A packet arrives at a general link, and goes on to its next hop if its departure is known; returns whether it is.
    #[inline(never)]
    pub(super) fn pass_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        if !self.links[number as usize].knows_departures() {
            self.arrive_lazily(number, transit);
            return false;
        }
        if !self.enter(number, transit) {
            return false;
        }
        let arrived = transit.key();
        let wire = self.links[number as usize].accept(&mut transit.pkt, arrived, &mut self.fates);
        if !self.fates.is_empty() {
            self.record_fates(number, arrived.time);
        }
        let Some(wire) = wire else { return false };
        let link = &self.links[number as usize];
        if link.faults.is_some() {
            self.depart(number, wire, transit.pkt);
            return false;
        }
        let time = wire.arrival_time(transit.pkt.size, link.rate(), link.delay);
        transit.set_key(Key { time, birth: wire.start, component: number });
        self.next_hop(transit)
    }
}
