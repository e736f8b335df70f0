//! Everything between the two ends of a flow: the hops of routes, the specialised links, the event queue.
//!
//! Split from the flows so that a flow can send while it is mutably borrowed.

use super::Transit;
use crate::calendar::{Calendar, Key};
use crate::fast::ArrivalBatches;
use crate::fast::DroptailLink;
use crate::fast::RedLink;
use crate::packet::{Pkt, TIMER};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::Time;

/// The next hop of a packet: what it meets, and whether it goes there now or through the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hop {
    /// A specialised tail-drop link, an index into [`Fabric::droptail_links`], now.
    DroptailNow(u32),
    /// The same if the end of the flow follows, also now.
    DroptailThenEnd(u32),
    /// The same if the event queue follows.
    DroptailThenQueue(u32),
    /// The end of the flow.
    End,
    /// A specialised tail-drop link, through the event queue.
    Droptail(u32),
    /// A specialised RED link, an index into [`Fabric::red_links`], through the event queue.
    Red(u32),
    /// Any link, through the event queue.
    Link(u32),
    /// A specialised RED link, now.
    RedNow(u32),
    /// Any link, now.
    LinkNow(u32),
    /// The flow's private link at the beginning or the end of its route, now: [`Flow::private`].
    Private,
    /// [`Hop::Droptail`], then a private link and the end.
    DroptailThenPrivate(u32),
    /// [`Hop::Red`], then a private link and the end.
    RedThenPrivate(u32),
}

/// The [`Attributes::hop_code`] of data packets whose next event is [`Hop::RedThenPrivate`] at RED link 0; the codes of
/// further RED links follow.
pub(super) const HOP_RED: u8 = 1;
/// The same for packets of the reverse direction and [`Hop::DroptailThenPrivate`] at tail-drop link 0.
pub(super) const HOP_DROPTAIL: u8 = 128;

impl Hop {
    /// The [`Attributes::hop_code`] of a packet that takes this hop through the event queue, forward (side 0) or in reverse.
    pub(super) fn hop_code(self, side: usize) -> u8 {
        let number = |link: u32, first: u8| {
            u8::try_from(link).ok().filter(|link| *link < 127).map(|link| first + link)
        };
        match (side, self) {
            (0, Hop::RedThenPrivate(link)) => number(link, HOP_RED),
            (1, Hop::DroptailThenPrivate(link)) => number(link, HOP_DROPTAIL),
            _ => None,
        }
        .unwrap_or(0)
    }

    /// Whether the packet waits in the event queue until it arrives there.
    #[inline(always)]
    pub(super) fn goes_through_queue(self) -> bool {
        use Hop::{Droptail, DroptailThenPrivate, Link, Red, RedThenPrivate};
        matches!(self, Droptail(_) | Red(_) | Link(_) | DroptailThenPrivate(_) | RedThenPrivate(_))
    }

    /// The index of its specialised tail-drop link, if that is where it leads.
    pub(super) fn droptail_index(&mut self) -> Option<&mut u32> {
        match self {
            Hop::DroptailNow(link) | Hop::DroptailThenEnd(link) | Hop::DroptailThenQueue(link) => Some(link),
            Hop::Droptail(link) | Hop::DroptailThenPrivate(link) => Some(link),
            _ => None,
        }
    }
}

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

/// What packets meet between two ends.
pub(super) struct Fabric {
    /// The event queue: packets, and the timers and transmission ends of [`Pkt::event`].
    pub(super) calendar: Calendar<Pkt>,
    /// With lookahead: packets on their way to the first RED link and to the first tail-drop link.
    pub(super) arrivals: [ArrivalBatches; 2],
    /// With lookahead: timers of endpoints.
    pub(super) timers: BinaryHeap<Reverse<(Time, u32)>>,
    /// Whether the lookahead is on.
    pub(super) looks_ahead: bool,
    /// With lookahead: a lower bound of the time of every event in the event queue, and the end of the present window.
    pub(super) horizon: Time,
    pub(super) until: Time,
    /// Specialised tail-drop links.
    pub(super) droptail_links: Vec<DroptailLink>,
    /// Specialised RED links.
    pub(super) red_links: Vec<RedLink>,
    /// The hops of all routes, one route after the other.
    pub(super) hops: Vec<Hop>,
    /// The end of the run.
    end: Time,
}

impl Fabric {
    /// These links, without routes.
    pub(super) fn new(droptail_links: Vec<DroptailLink>, red_links: Vec<RedLink>, end: Time) -> Fabric {
        Fabric {
            calendar: Calendar::new(),
            arrivals: Default::default(),
            timers: BinaryHeap::new(),
            looks_ahead: false,
            horizon: Time::ZERO,
            until: Time::ZERO,
            droptail_links,
            red_links,
            hops: Vec::new(),
            end,
        }
    }

    /// Sends a packet from an end, over the links it passes now, into the event queue. The first may be the flow's `private` link.
    #[inline(always)]
    pub(super) fn send<const SIDE: usize, const LOOKAHEAD: bool>(
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
            None => SendResult::Overflow(link.component, Transit::new(pkt, key)),
        }
    }

    /// Schedules a packet's arrival at the first hop that several flows share.
    #[inline(always)]
    fn schedule_first<const SIDE: usize, const LOOKAHEAD: bool>(&mut self, key: Key, pkt: Pkt) {
        if !LOOKAHEAD || !self.looks_ahead {
            return self.calendar.push(key, pkt);
        }
        if pkt.attributes.hop_code() != [HOP_RED, HOP_DROPTAIL][SIDE] || !self.arrivals[SIDE].push(key, pkt) {
            self.schedule_slow(key, &Pkt { ..pkt });
        }
    }

    /// Lower bounds of the next arrival at either link of the lookahead.
    #[inline(always)]
    pub(super) fn earliest(&self) -> [Time; 2] {
        self.arrivals.each_ref().map(ArrivalBatches::earliest)
    }

    #[cold]
    #[inline(never)]
    fn schedule_slow(&mut self, key: Key, pkt: &Pkt) {
        self.schedule(key, *pkt);
    }

    /// Adds an event to the event queue; the window of the lookahead ends with it at the latest.
    #[inline]
    pub(super) fn schedule(&mut self, key: Key, pkt: Pkt) {
        self.horizon = self.horizon.min(key.time);
        self.until = self.until.min(key.time);
        self.calendar.push(key, pkt);
    }

    /// Adds an endpoint's timer.
    pub(super) fn schedule_timer(&mut self, key: Key, endpoint: u32) {
        if !self.looks_ahead {
            return self.schedule(key, Pkt::event(TIMER, endpoint));
        }
        self.until = self.until.min(key.time);
        self.timers.push(Reverse((key.time, endpoint)));
    }

    /// [`Fabric::send`] over links that the flow does not own.
    #[inline(never)]
    fn send_slow(&mut self, transit: &Transit) -> SendResult {
        let (mut pkt, mut key) = (transit.pkt, transit.key());
        loop {
            let step = self.hops[pkt.hop as usize];
            let (Hop::DroptailNow(number) | Hop::DroptailThenEnd(number) | Hop::DroptailThenQueue(number)) =
                step
            else {
                break;
            };
            let link = &mut self.droptail_links[number as usize];
            match link.pass(pkt.size, key) {
                Some(passed) if passed.time <= self.end => key = passed,
                Some(passed) => return SendResult::AfterEnd(Transit::new(pkt, passed)),
                None => return SendResult::Overflow(link.component, Transit::new(pkt, key)),
            }
            pkt.hop += 1;
        }
        if self.hops[pkt.hop as usize].goes_through_queue() {
            self.schedule(key, pkt);
            return SendResult::Scheduled;
        }
        SendResult::AtHop(Transit::new(pkt, key))
    }
}
