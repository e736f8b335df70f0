//! Links that lose, delay or duplicate packets.
//!
//! If packets may arrive out of order, each goes through the event queue, so that the next link or endpoint
//! processes them in the order of arrival, in the fast engine too.

use crate::calendar::Key;
use crate::link::EntryFate;
use crate::network::{Carrier, Network, Transit};
use crate::packet::WaitingPacket;
use crate::transmission::Transmission;
use queue::disc::{Fate, Reason};
use units::{Ecn, Time};

impl<C: Carrier> Network<C> {
    /// A packet enters a link, which may mark it. Returns false if the link destroys it.
    #[inline]
    pub(crate) fn enter(&mut self, number: u32, transit: &mut Transit) -> bool {
        self.links[number as usize].faults.is_none() || self.enter_with_faults(number, transit)
    }

    #[inline(never)]
    fn enter_with_faults(&mut self, number: u32, transit: &mut Transit) -> bool {
        let link = &mut self.links[number as usize];
        let Some(faults) = &mut link.faults else { return true };
        let (key, now) = (transit.key(), transit.time);
        match faults.on_entry() {
            EntryFate::Marked if transit.pkt.attributes.ecn().capable() => {
                // The samples due before the mark come first.
                link.advance_to(key, &mut self.fates);
                transit.pkt.set_ecn(Ecn::Ce);
                let mark = Fate::Marked(WaitingPacket::unlabelled(transit.pkt, now), Reason::Forced);
                if let Some(probe) = link.probe_mut() {
                    probe.record_fates(now, &[mark]);
                }
                self.fates.push(mark);
                self.record_fates(number, now);
                true
            }
            EntryFate::Marked | EntryFate::Passes => true,
            EntryFate::Destroyed => {
                self.destroy(number, transit, now);
                false
            }
        }
    }

    /// The end of [`Network::depart`] on a link with faults; `transit` is the arrival without them.
    #[cold]
    #[inline(never)]
    pub(crate) fn depart_with_faults(&mut self, number: u32, wire: Transmission, transit: Transit) {
        let faults = self.links[number as usize].faults.as_mut();
        let Some(faults) = faults.filter(|_| wire.finish <= self.window.end) else {
            return self.arrive_next(transit);
        };
        if faults.on_wire() {
            return self.destroy(number, &transit, wire.finish);
        }
        if !faults.reorders() {
            return self.arrive_next(transit);
        }
        let arrival = faults.arrival(transit.time);
        let key = Key { time: arrival.time, ..transit.key() };
        let transit = Transit::new(transit.pkt, key);
        if arrival.duplicated {
            let mut pkt = transit.pkt;
            pkt.sack = self.sacks.copy(&pkt);
            self.flows[pkt.flow as usize].probe.conservation.sent.add(pkt.size);
            self.schedule_next(Transit::new(pkt, key));
        }
        self.schedule_next(transit);
    }

    /// Schedules the arrival at the next hop as an event.
    fn schedule_next(&mut self, mut transit: Transit) {
        if self.next_hop(&mut transit) {
            self.carrier.schedule(transit.key(), transit.pkt);
        }
    }

    /// A link's fault model destroys a packet.
    #[cold]
    fn destroy(&mut self, number: u32, transit: &Transit, now: Time) {
        if let Some(probe) = self.links[number as usize].probe_mut() {
            probe.lost(now);
        }
        self.record_destroyed(&transit.pkt, now);
    }
}
