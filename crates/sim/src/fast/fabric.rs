//! The fast engine's state: the hops of routes, the specialised links, the event queue, the lookahead.
//!
//! Split from the flows so that a flow can send while it is mutably borrowed.

use super::hop::{FastHop, HOP_ARRIVAL, HOP_DROPTAIL};
use super::lookahead::Lookahead;
use super::next_dequeue::NextDequeue;
use super::{ArrivalLink, DroptailLink, FastLink, FastPath, FastPaths};
use crate::calendar::{CalendarQueue, Key, Pending};
use crate::network::Transit;
use crate::packet::Pkt;
use units::{Ecn, Time};

/// The result of sending a packet from an end.
pub(super) enum SendResult {
    /// It is in the event queue.
    Scheduled,
    /// It is at a hop that is not handled here.
    AtHop(Transit),
    /// The queue of the link with this number overflowed.
    Overflow(u32, Transit),
    /// The run ends before it arrives.
    AfterEnd(Transit),
}

/// The carrier of the fast engine.
pub struct Fast {
    /// The event queue.
    pub(super) calendar: CalendarQueue<Pkt>,
    pub(super) lookahead: Lookahead,
    /// Specialised tail-drop links.
    pub(super) droptail_links: Vec<DroptailLink>,
    /// Arrival links: RED, and tail drop where data queues.
    pub(super) arrival_links: Vec<ArrivalLink>,
    /// The next dequeues of general links, by the link's number.
    pub(super) lazy: Vec<NextDequeue>,
    /// The hops of all routes.
    pub(super) hops: Vec<FastHop>,
    /// Whether routes are folded.
    pub(super) folded: bool,
    /// Paths that are not taken.
    pub(super) without: FastPaths,
    /// The end of the run.
    pub(super) end: Time,
}

impl Fast {
    /// Without links, for a run until `end`; the paths `without` are not taken.
    pub fn new(end: Time, without: FastPaths) -> Fast {
        Fast {
            calendar: CalendarQueue::new(),
            lookahead: Lookahead::default(),
            droptail_links: Vec::new(),
            arrival_links: Vec::new(),
            lazy: Vec::new(),
            hops: Vec::new(),
            folded: false,
            without,
            end,
        }
    }

    /// Whether a path may be taken where it is eligible.
    pub(super) fn uses(&self, path: FastPath) -> bool {
        !self.without.contains(path)
    }

    /// Sends a packet from an end, over the links it passes now, into the event queue. The first may be the flow's
    /// `private` link.
    #[inline(always)]
    pub(super) fn send_from<const SIDE: usize, const LOOKAHEAD: bool>(
        &mut self,
        private: &mut Option<DroptailLink>,
        pkt: Pkt,
        key: Key,
    ) -> SendResult {
        let Some(link) = private else {
            if !self.hops[pkt.hop as usize].goes_through_queue() {
                return self.send_slow(&Transit::new(pkt, key));
            }
            self.schedule_first::<SIDE, LOOKAHEAD>(key, pkt);
            return SendResult::Scheduled;
        };
        match link.pass_without_probe(pkt.size, key) {
            Some(key) if key.time <= self.end => {
                self.schedule_first::<SIDE, LOOKAHEAD>(key, Pkt { hop: pkt.hop + 1, ..pkt });
                SendResult::Scheduled
            }
            Some(key) => SendResult::AfterEnd(Transit::new(pkt, key)),
            None => SendResult::Overflow(link.component(), Transit::new(pkt, key)),
        }
    }

    /// Schedules a packet's arrival at the first hop that several flows share.
    #[inline(always)]
    fn schedule_first<const SIDE: usize, const LOOKAHEAD: bool>(&mut self, key: Key, pkt: Pkt) {
        if !LOOKAHEAD || !self.lookahead.is_on {
            return self.calendar.push(key, pkt);
        }
        let ahead = pkt.attributes.hop_code() == [HOP_ARRIVAL, HOP_DROPTAIL][SIDE];
        if !ahead || !self.lookahead.add_arrival(SIDE, key, pkt) {
            self.schedule_slow(key, &Pkt { ..pkt });
        }
    }

    #[cold]
    #[inline(never)]
    fn schedule_slow(&mut self, key: Key, pkt: &Pkt) {
        self.add_event(key, *pkt);
    }

    /// Adds an event to the event queue; the window of the lookahead ends with it at the latest.
    #[inline]
    pub(super) fn add_event(&mut self, key: Key, pkt: Pkt) {
        self.lookahead.note_event(key.time);
        self.calendar.push(key, pkt);
    }

    /// [`Fast::send_from`] over links that the flow does not own.
    #[inline(never)]
    fn send_slow(&mut self, transit: &Transit) -> SendResult {
        use FastHop::{DroptailNow, DroptailThenEnd, DroptailThenQueue};
        let (mut pkt, mut key) = (transit.pkt, transit.key());
        while let DroptailNow(number) | DroptailThenEnd(number) | DroptailThenQueue(number) =
            self.hops[pkt.hop as usize]
        {
            let link = &mut self.droptail_links[number as usize];
            match link.pass(pkt.size, Ecn::NotEct, key) {
                Ok(passed) if passed.time <= self.end => key = passed,
                Ok(passed) => return SendResult::AfterEnd(Transit::new(pkt, passed)),
                Err(_) => return SendResult::Overflow(link.component(), Transit::new(pkt, key)),
            }
            pkt.hop += 1;
        }
        if self.hops[pkt.hop as usize].goes_through_queue() {
            self.add_event(key, pkt);
            return SendResult::Scheduled;
        }
        SendResult::AtHop(Transit::new(pkt, key))
    }
}
