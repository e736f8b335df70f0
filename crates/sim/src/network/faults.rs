//! Links that lose, delay or duplicate packets.
//!
//! If packets may arrive out of order, each goes through the event queue, so that the next link or the end sees them
//! in the order of arrival, also in the fast engine.

use super::{Network, Transit};
use crate::calendar::Key;
use crate::link::EntryFate;
use crate::packet::Waiting;
use crate::transmission::Transmission;
use queue::disc::{Fate, Reason};
use units::Ecn;

impl Network {
    /// A packet enters a link with faults. Returns false if it is destroyed.
    #[inline(never)]
    pub(super) fn enter_with_faults(&mut self, number: u32, transit: &mut Transit) -> bool {
        let Some(loss) = &mut self.links[number as usize].faults else { return true };
        let (pkt, now) = (&mut transit.pkt, transit.time);
        match loss.on_entry() {
            EntryFate::Marked if pkt.attributes.ecn().capable() => {
                pkt.set_ecn(Ecn::Ce);
                self.fates.push(Fate::Marked(Waiting { pkt: *pkt, enqueued: now }, Reason::Forced));
                if let Some(probe) = self.links[number as usize].probe_mut() {
                    probe.record_fates(now, &self.fates);
                }
                self.record_fates(number, now);
                true
            }
            EntryFate::Marked | EntryFate::Passes => true,
            EntryFate::Destroyed => {
                self.destroy(number, &transit.pkt, now);
                false
            }
        }
    }

    /// The transmission of a packet on a link with faults is scheduled. Returns false if it is destroyed, or if its
    /// arrival is in the event queue.
    #[cold]
    #[inline(never)]
    pub(super) fn depart_with_faults(
        &mut self,
        number: u32,
        wire: Transmission,
        transit: &mut Transit,
    ) -> bool {
        let link = &mut self.links[number as usize];
        let due = wire.arrival_time(transit.pkt.size, link.rate(), link.delay);
        let key = |time| Key { time, birth: wire.start, component: number };
        let Some(loss) = link.faults.as_mut().filter(|_| wire.finish <= self.window.end) else {
            return self.advance_hop(transit, key(due));
        };
        if loss.on_wire() {
            self.destroy(number, &transit.pkt, wire.finish);
            return false;
        }
        if !loss.reorders() {
            return self.advance_hop(transit, key(due));
        }
        let arrival = loss.arrival(due);
        if arrival.duplicated {
            let mut pkt = transit.pkt;
            pkt.sack = self.sacks.copy(&pkt);
            self.flows[pkt.flow as usize].probe.conservation.sent.add(pkt.size);
            self.schedule_next_hop(Transit::new(pkt, transit.key()), key(arrival.time));
        }
        self.schedule_next_hop(Transit::new(transit.pkt, transit.key()), key(arrival.time));
        false
    }

    fn schedule_next_hop(&mut self, mut transit: Transit, key: Key) {
        if self.advance_hop(&mut transit, key) {
            self.fabric.schedule(transit.key(), transit.pkt);
        }
    }
}
