//! A packet at a link: it enters the queue, is transmitted, and travels to its next hop.

use super::{Carrier, Network, Transit};
use crate::account::{Passage, PassageEvent};
use crate::calendar::Key;
use crate::packet::{Pkt, TRANSMITTER_FREE};
use crate::transmission::Transmission;
use units::Time;

impl<C: Carrier> Network<C> {
    /// A packet arrives at a link. If the link is idle, it takes the next packet of its queue.
    #[inline(never)]
    pub(crate) fn arrive_at_link(&mut self, number: u32, transit: &Transit) {
        let mut transit = *transit;
        if !self.enter(number, &mut transit) {
            return;
        }
        let now = transit.time;
        self.outstanding_mut(transit.pkt.flow).queued.add(transit.pkt.size);
        self.carrier.note(number, || Passage::new(now, PassageEvent::Arrived, &transit.pkt));
        let link = &mut self.links[number as usize];
        link.store(&transit.pkt, now, &mut self.fates, &self.sacks);
        if link.takes_at_arrival() {
            return self.serve_arrival(number, now);
        }
        self.record_fates(number, now);
    }

    /// A packet found the link idle: the link takes the next packet of its queue. Not inlined, because most packets find
    /// it busy.
    #[inline(never)]
    pub(crate) fn serve_arrival(&mut self, number: u32, now: Time) {
        let mut pkt = Pkt::event(TRANSMITTER_FREE, number);
        let wire = self.links[number as usize].serve(now, &mut pkt, &mut self.fates);
        self.record_fates(number, now);
        match wire {
            Some(wire) => self.transmit(number, pkt, wire, now),
            None => self.retry(number, now),
        }
    }

    /// A transmission ends, and the link takes the next packet of its queue.
    pub(crate) fn transmission_ended(&mut self, number: u32, now: Time) {
        if self.links[number as usize].is_stale(now) {
            return;
        }
        let mut pkt = Pkt::event(TRANSMITTER_FREE, number);
        let wire = self.links[number as usize].transmitter_free(now, &mut pkt, &mut self.fates);
        self.record_fates(number, now);
        match wire {
            Some(wire) => self.transmit(number, pkt, wire, now),
            None => self.retry(number, now),
        }
    }

    /// A link took no packet: if that is because its discipline holds packets back, schedules the moment at which one
    /// is ready.
    #[inline]
    pub(crate) fn retry(&mut self, number: u32, now: Time) {
        let end = self.window.end;
        if let Some(key) = self.links[number as usize].retry_at(now).filter(|key| key.time <= end) {
            self.carrier.schedule(key, Pkt::event(TRANSMITTER_FREE, number));
        }
    }

    /// Starts the transmission of the packet that a link took, and schedules the end of the transmission.
    #[inline]
    fn transmit(&mut self, number: u32, pkt: Pkt, mut wire: Transmission, now: Time) {
        let end = self.window.end;
        let link = &mut self.links[number as usize];
        self.carrier.note(number, || Passage::new(now, PassageEvent::Departed, &pkt));
        // A packet in the device's ring has left the queue, even if the run ends before it is sent.
        wire.start = wire.start.min(end);
        let free = link.ready();
        if free <= end {
            let key = Key { time: free, birth: wire.start.min(free), component: number };
            self.carrier.schedule(key, Pkt::event(TRANSMITTER_FREE, number));
        }
        self.outstanding_mut(pkt.flow).queued.remove(pkt.size);
        self.depart(number, wire, pkt);
    }

    /// A packet's transmission is known: after it and the propagation delay, the packet arrives at its next hop.
    pub(crate) fn depart(&mut self, number: u32, wire: Transmission, pkt: Pkt) {
        let link = &self.links[number as usize];
        let time = wire.arrival_time(pkt.size, link.rate(), link.delay);
        let transit = Transit::new(pkt, Key { time, birth: wire.start, component: number });
        if link.faults.is_some() {
            return self.depart_with_faults(number, wire, transit);
        }
        self.arrive_next(transit);
    }

    /// Sends a packet to its next hop, at which it arrives unless the run ends before.
    pub(crate) fn arrive_next(&mut self, mut transit: Transit) {
        if self.next_hop(&mut transit) {
            C::forward(self, transit);
        }
    }

    /// Moves a packet to its next hop. Returns false if the run ends before it arrives there.
    #[inline(always)]
    pub(crate) fn next_hop(&mut self, transit: &mut Transit) -> bool {
        if transit.time > self.window.end {
            self.count_outstanding(transit, self.window.end);
            return false;
        }
        transit.pkt.hop += 1;
        true
    }
}
