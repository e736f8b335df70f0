//! Packets between links in the fast engine: hops taken at once, and hops through the event queue.

use super::fabric::{Fast, SendResult};
use super::hop::FastHop;
use super::FastLink;
use crate::calendar::{Key, Pending};
use crate::network::{Network, Transit};
use crate::packet::{Pkt, WaitingPacket, TIMER};
use queue::disc::{Fate, Packet, Reason};
use units::Ecn;

impl Network<Fast> {
    /// An arrival link dropped or marked a packet that came out of the event queue.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_arrival_link_with_fates(
        &mut self,
        number: u32,
        transit: &Transit,
        passed: Option<Key>,
    ) {
        let ecn = self.record_arrival_fates(number, transit);
        if let Some(key) = passed {
            let attributes = transit.pkt.attributes.with_ecn(ecn);
            self.leave_link_slow(&Transit::new(Pkt { attributes, ..transit.pkt }, key));
        }
    }

    /// A packet has passed the link of its present hop, and arrives at the next at `key`.
    #[inline(always)]
    pub(super) fn leave_link(&mut self, pkt: Pkt, key: Key) {
        let next = pkt.hop + 1;
        let carrier = &mut self.carrier;
        let to_calendar = carrier.hops[next as usize].goes_through_queue() || !carrier.folded;
        if key.time > self.window.end || !to_calendar {
            return self.leave_link_slow(&Transit::new(pkt, key));
        }
        carrier.calendar.push(key, Pkt { hop: next, ..pkt });
    }

    #[inline(never)]
    fn leave_link_slow(&mut self, transit: &Transit) {
        self.arrive_next(*transit);
    }

    /// An event of any kind: a packet at a hop without a code, a timer, or the end of a transmission.
    #[inline(never)]
    pub(super) fn dispatch<const LOOKAHEAD: bool>(&mut self, transit: &mut Transit) {
        let Some(hop) = self.carrier.hops.get(transit.pkt.hop as usize) else {
            let (event, number) = (transit.pkt.hop, transit.pkt.flow);
            return if event == TIMER {
                self.timer_fired_fast::<LOOKAHEAD>(number, transit.time);
            } else {
                self.dequeue_guarded(number, transit.time);
            };
        };
        match *hop {
            FastHop::End => self.deliver_fast::<LOOKAHEAD>(transit),
            FastHop::Arrival(number) | FastHop::ArrivalThenPrivate(number) => {
                let link = &mut self.carrier.arrival_links[number as usize];
                match link.pass(transit.pkt.size, transit.pkt.attributes.ecn(), transit.key()) {
                    Ok(key) => self.leave_link(transit.pkt, key),
                    Err(passed) => self.leave_arrival_link_with_fates(number, transit, passed),
                }
            }
            FastHop::Link(link) | FastHop::LinkThenPrivate(link) => {
                if !self.links[link as usize].knows_departures() {
                    return self.arrive_lazily(link, transit);
                }
                if self.pass_link(link, transit) {
                    self.travel(transit);
                }
            }
            FastHop::Droptail(link) => {
                if self.pass_droptail(link, transit) {
                    self.travel(transit);
                }
            }
            FastHop::DroptailThenPrivate(link) => {
                if self.pass_droptail(link, transit) {
                    self.deliver_over_private(transit);
                }
            }
            _ => self.travel(transit),
        }
    }

    /// Takes a packet along its route, hop by hop, until it enters the event queue or reaches its end.
    pub(super) fn travel(&mut self, transit: &mut Transit) {
        loop {
            let passed = match self.carrier.hops[transit.pkt.hop as usize] {
                FastHop::DroptailNow(link)
                | FastHop::DroptailThenEnd(link)
                | FastHop::DroptailThenQueue(link) => self.pass_droptail(link, transit),
                FastHop::Private if self.is_at_last_private(transit) => {
                    return self.deliver_over_private(transit);
                }
                FastHop::Private => self.pass_private(transit),
                FastHop::ArrivalNow(link) => self.pass_arrival_link(link, transit),
                FastHop::LinkNow(link) => self.pass_link(link, transit),
                FastHop::End if self.carrier.folded => return self.deliver_fast::<true>(transit),
                _ => return self.carrier.add_event(transit.key(), transit.pkt),
            };
            if !passed {
                return;
            }
        }
    }

    /// Whether a packet at a private link has passed all others of its route.
    #[inline]
    fn is_at_last_private(&self, transit: &Transit) -> bool {
        let flow = &self.flows[transit.pkt.flow as usize];
        let side = usize::from(transit.pkt.is_back());
        self.carrier.folded
            && (transit.pkt.hop != flow.first_hop[side] || flow.state.private[side].first.is_none())
    }

    /// Handles a packet that an end sent and that was not scheduled directly.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_send(&mut self, sent: SendResult) {
        match sent {
            SendResult::Scheduled => {}
            SendResult::AtHop(mut transit) => self.travel(&mut transit),
            SendResult::Overflow(component, transit) => self.overflow(component, &transit),
            SendResult::AfterEnd(transit) => self.count_outstanding(&transit, self.window.end),
        }
    }

    /// A packet passes a specialised tail-drop link to its next hop. Returns false if it goes no further.
    fn pass_droptail(&mut self, number: u32, transit: &mut Transit) -> bool {
        let link = &mut self.carrier.droptail_links[number as usize];
        let Ok(key) = link.pass(transit.pkt.size, Ecn::NotEct, transit.key()) else {
            let component = link.component();
            self.overflow(component, transit);
            return false;
        };
        transit.set_key(key);
        self.next_hop(transit)
    }

    /// The same for a private link of the flow.
    fn pass_private(&mut self, transit: &mut Transit) -> bool {
        let flow = &mut self.flows[transit.pkt.flow as usize];
        let side = usize::from(transit.pkt.is_back());
        let begins = transit.pkt.hop == flow.first_hop[side];
        let private = &mut flow.state.private[side];
        let link = if begins && private.first.is_some() { &mut private.first } else { &mut private.last };
        let Some(link) = link else { return true };
        let Ok(key) = link.pass(transit.pkt.size, Ecn::NotEct, transit.key()) else {
            let component = link.component();
            self.overflow(component, transit);
            return false;
        };
        transit.set_key(key);
        self.next_hop(transit)
    }

    /// The same for an arrival link.
    fn pass_arrival_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        let link = &mut self.carrier.arrival_links[number as usize];
        let key = match link.pass(transit.pkt.size, transit.pkt.attributes.ecn(), transit.key()) {
            Ok(key) => key,
            Err(passed) => {
                let ecn = self.record_arrival_fates(number, transit);
                transit.pkt.set_ecn(ecn);
                let Some(key) = passed else { return false };
                key
            }
        };
        transit.set_key(key);
        self.next_hop(transit)
    }

    /// An arrival link dropped or marked the packet that arrived. Returns its ECN field.
    #[cold]
    #[inline(never)]
    fn record_arrival_fates(&mut self, number: u32, transit: &Transit) -> Ecn {
        let link = &mut self.carrier.arrival_links[number as usize];
        let component = link.component();
        let mut pkt = transit.pkt;
        for fate in link.fates.drain(..) {
            self.fates.push(match fate {
                Fate::Dropped(_, reason) => {
                    Fate::Dropped(WaitingPacket::unlabelled(pkt, transit.time), reason)
                }
                Fate::Marked(slot, reason) => {
                    pkt.set_ecn(slot.ecn());
                    Fate::Marked(WaitingPacket::unlabelled(pkt, transit.time), reason)
                }
            });
        }
        self.record_fates(component, transit.time);
        pkt.attributes.ecn()
    }

    /// The queue of a specialised link overflowed.
    #[cold]
    #[inline(never)]
    pub(super) fn overflow(&mut self, component: u32, transit: &Transit) {
        let waiting = WaitingPacket::unlabelled(transit.pkt, transit.time);
        self.fates.push(Fate::Dropped(waiting, Reason::Overflow));
        self.record_fates(component, transit.time);
    }
}
