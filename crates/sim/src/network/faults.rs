//! Links that lose, hold up or repeat packets.
//!
//! Where packets may arrive otherwise than in the order they left, each goes through the calendar, so that the next link or
//! the end meets them in the order of their arrival, whatever else is done early.

use super::{Network, Transit};
use crate::calendar::Key;
use crate::link::OnWire;
use crate::loss::Entry;
use crate::packet::Waiting;
use queue::disc::{Fate, Reason};
use units::Ecn;

impl Network {
    /// A packet enters a link with faults. False if its way ends here.
    #[inline(never)]
    pub(super) fn enter_with_faults(&mut self, number: u32, transit: &mut Transit) -> bool {
        let Some(loss) = &mut self.links[number as usize].loss else { return true };
        let (pkt, now) = (&mut transit.pkt, transit.time);
        match loss.on_entry() {
            Entry::Marked if pkt.about.ecn().capable() => {
                pkt.set_ecn(Ecn::Ce);
                self.fates.push(Fate::Marked(Waiting { pkt: *pkt, enqueued: now }, Reason::Forced));
                if let Some(probe) = self.links[number as usize].probe_mut() {
                    probe.ended(now, &self.fates);
                }
                self.settle_fates(number, now);
                true
            }
            Entry::Marked | Entry::Passes => true,
            Entry::Destroyed => {
                self.destroy(number, &transit.pkt, now);
                false
            }
        }
    }

    /// A packet's transmission on a link with faults is settled. False if its way ends here, or goes on in the calendar.
    #[cold]
    #[inline(never)]
    pub(super) fn depart_with_faults(&mut self, number: u32, wire: OnWire, transit: &mut Transit) -> bool {
        let link = &mut self.links[number as usize];
        let due = wire.lands(transit.pkt.size, link.rate(), link.delay);
        let key = |time| Key { time, birth: wire.start, component: number };
        let Some(loss) = link.loss.as_mut().filter(|_| wire.finish <= self.window.end) else {
            return self.lead_on(transit, key(due));
        };
        if loss.on_wire() {
            self.destroy(number, &transit.pkt, wire.finish);
            return false;
        }
        if !loss.scatters() {
            return self.lead_on(transit, key(due));
        }
        let arrival = loss.arrival(due);
        if arrival.twice {
            let mut pkt = transit.pkt;
            pkt.sack = self.sacks.copy(&pkt);
            self.flows[pkt.flow as usize].probe.conservation.sent.add(pkt.size);
            self.lead_on_later(Transit::new(pkt, transit.key()), key(arrival.time));
        }
        self.lead_on_later(Transit::new(transit.pkt, transit.key()), key(arrival.time));
        false
    }

    fn lead_on_later(&mut self, mut transit: Transit, key: Key) {
        if self.lead_on(&mut transit, key) {
            self.wires.enter(transit.key(), transit.pkt);
        }
    }
}
