//! Lazy dequeues, at links of disciplines that decide later than at arrival: no event at the end of each transmission.
//!
//! A dequeue has no effect elsewhere before its packet arrives at the next hop, a propagation delay
//! later. So the link executes the dequeues that are due, each at its own time, at its next arrival, and at the latest
//! before that delay is over: one event guards any number of dequeues.

use super::fabric::Fast;
use super::hop::FastHop;
use super::next_dequeue::{NextDequeue, NONE};
use super::{FastPath, FastStep};
use crate::calendar::Key;
use crate::link::Link;
use crate::network::{Network, Transit};
use crate::packet::{Pkt, TRANSMITTER_FREE};
use units::{Span, Time};

/// The fast path of these links.
struct LazyDequeue;

impl FastStep for LazyDequeue {
    /// The link, and whether times are sums of doubles.
    type Situation<'a> = (&'a Link, bool);

    /// The time of an arrival at the next hop exceeds that of the dequeue by a delay that is the same for every packet,
    /// with no device's ring and no faults in between.
    fn is_eligible((link, in_doubles): (&Link, bool)) -> bool {
        !in_doubles && link.is_basic() && !link.knows_departures() && link.delay > Span(1)
    }
}

impl Fast {
    /// Postpones the dequeues of a link from now on, if it is eligible.
    pub(super) fn postpone_dequeues(&mut self, link: &Link) {
        let eligible =
            self.uses(FastPath::LazyDequeue) && LazyDequeue::is_eligible((link, self.end.is_double()));
        if let Some(number) = link.component().filter(|_| eligible) {
            let slack = Span(link.delay.0 - 1);
            self.lazy.resize(self.lazy.len().max(number as usize + 1), NextDequeue::NOT_ELIGIBLE);
            self.lazy[number as usize] = NextDequeue { slack, ..NextDequeue::NOT_ELIGIBLE };
        }
    }

    /// Whether a link dequeues lazily.
    #[inline]
    pub(super) fn is_lazy(&self, number: u32) -> bool {
        self.lazy.get(number as usize).is_some_and(|lazy| lazy.slack > Span::ZERO)
    }

    /// Postpones the dequeue that is due at `key`. Returns false if the link is not eligible.
    #[inline]
    pub(super) fn postpone(&mut self, number: u32, key: Key) -> bool {
        let Some(lazy) = self.lazy.get_mut(number as usize).filter(|lazy| lazy.slack > Span::ZERO) else {
            return false;
        };
        lazy.next = key;
        if !lazy.guarded {
            self.guard(number);
        }
        true
    }

    /// Adds the event that guards the next dequeue.
    fn guard(&mut self, number: u32) {
        let lazy = &mut self.lazy[number as usize];
        lazy.guarded = true;
        let time = lazy.next.time + lazy.slack;
        if time <= self.end {
            let key = Key { time, birth: Time::ZERO, component: number };
            self.add_event(key, Pkt::event(TRANSMITTER_FREE, number));
        }
    }
}

impl Network<Fast> {
    /// A packet arrives at a link whose departures are not known, after the dequeues due before it.
    #[inline(never)]
    pub(super) fn arrive_lazily(&mut self, number: u32, transit: &Transit) {
        if !self.carrier.is_lazy(number) {
            return self.arrive_at_link(number, transit);
        }
        let key = transit.key();
        self.dequeue_before(number, key);
        // The steps of `arrive_at_link` at a link without faults.
        self.outstanding_mut(transit.pkt.flow).queued.add(transit.pkt.size);
        let link = &mut self.links[number as usize];
        link.store(&transit.pkt, key.time, &mut self.fates, &self.sacks);
        if link.takes_at_arrival() {
            return self.serve_arrival(number, key.time);
        }
        self.record_fates(number, key.time);
    }

    /// The dequeue at the end of a transmission, of a link that dequeues lazily: the steps of `transmission_ended` at a
    /// link without faults and ring.
    #[inline]
    fn dequeue_lazily(&mut self, number: u32, now: Time) {
        let link = &mut self.links[number as usize];
        if link.is_stale(now) {
            return;
        }
        let mut transit = Transit::new(Pkt::event(TRANSMITTER_FREE, number), NONE);
        let wire = link.transmitter_free(now, &mut transit.pkt, &mut self.fates);
        let (delay, rate) = (link.delay, link.rate());
        self.record_fates(number, now);
        let Some(wire) = wire else { return self.retry(number, now) };
        if wire.finish <= self.window.end {
            self.carrier.postpone(number, Key { time: wire.finish, birth: wire.start, component: number });
        }
        let Pkt { flow, size, hop, .. } = transit.pkt;
        self.outstanding_mut(flow).queued.remove(size);
        let time = wire.arrival_time(size, rate, delay);
        transit.set_key(Key { time, birth: wire.start, component: number });
        let then_private = matches!(self.carrier.hops[hop as usize], FastHop::LinkThenPrivate(_));
        if !self.next_hop(&mut transit) {
            return;
        }
        if then_private && self.carrier.folded {
            self.deliver_over_private(&transit);
        } else {
            self.travel(&mut transit);
        }
    }

    /// The end of a transmission, or the event that guards the dequeues of a link.
    pub(super) fn dequeue_guarded(&mut self, number: u32, now: Time) {
        let Some(lazy) = self.carrier.lazy.get_mut(number as usize).filter(|lazy| lazy.guarded) else {
            return self.transmission_ended(number, now);
        };
        lazy.guarded = false;
        // Arrivals at this very time may be still to come.
        self.dequeue_before(number, Key { time: now, birth: Time::ZERO, component: 0 });
        let left = self.carrier.lazy[number as usize];
        if !left.guarded && left.next.time < Time::NEVER {
            self.carrier.guard(number);
        }
    }

    /// Executes the dequeues of a link that are due before `key`.
    #[inline]
    fn dequeue_before(&mut self, number: u32, key: Key) {
        while let Some(lazy) = self.carrier.lazy.get_mut(number as usize) {
            if !lazy.next.precedes(&key) {
                return;
            }
            let due = std::mem::replace(&mut lazy.next, NONE);
            self.dequeue_lazily(number, due.time);
        }
    }

    /// Executes the dequeues of all links that are due by the end of the run.
    pub(super) fn dequeue_until_end(&mut self) {
        let key = Key { time: self.window.end, birth: Time::NEVER, component: u32::MAX };
        (0..self.carrier.lazy.len() as u32).for_each(|number| self.dequeue_before(number, key));
    }
}
