//! Lookahead: the busiest arrival link and the busiest tail-drop link of the reverse direction advance in turns.
//!
//! Every packet that arrives at one of them has passed the other, which takes a known minimum time. So all arrivals of
//! the next window are known, and each link handles its own as a batch. A window ends with the first event of the event
//! queue, which may be anything, and with the first timer at which an end has something to do. Most timers are stale;
//! those are re-armed ahead of the clock.

mod arrival_batches;

use super::FastStep;
use crate::calendar::Key;
use crate::packet::Pkt;
pub use arrival_batches::{ArrivalBatches, PendingArrival};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::{Bytes, Rate, Span, Time};

/// The state of the lookahead: arrivals at the two links, timers, and the bounds of the present window. Index 0 is the
/// arrival link with data, index 1 the tail-drop link with acknowledgements.
#[derive(Default)]
pub(super) struct Lookahead {
    /// Whether it is on.
    pub(super) is_on: bool,
    /// The minimum time in which a departure from each link can cause an arrival at the other.
    pub(super) spans: [Span; 2],
    /// Packets that will arrive at each link.
    pub(super) arrivals: [ArrivalBatches; 2],
    /// Timers of endpoints.
    pub(super) timers: BinaryHeap<Reverse<(Time, u32)>>,
    /// A lower bound of the time of every event in the event queue.
    pub(super) horizon: Time,
    /// The end of the present window.
    pub(super) until: Time,
    /// Consecutive calls in which more than 1/8 of the events came from the event queue.
    misses: u32,
}

/// Fewer events are no evidence of how much the event queue has to do.
const MIN_EVENTS: u64 = 8192;
/// After this many such calls the lookahead is switched off. While flows start there are some: every start is a timer.
const MAX_MISSES: u32 = 16;
/// Assumed size of most packets.
const PACKET: Bytes = Bytes(1500);

/// The numbers that decide whether a network is run with lookahead.
pub(super) struct Situation {
    /// Flows, and those among them that are greedy TCP over both links.
    pub(super) flows: usize,
    pub(super) over_both: usize,
    /// Whether some flow passes one of the links and not the other.
    pub(super) some_over_one: bool,
    /// Whether every packet is recorded.
    pub(super) traced: bool,
    /// As [`Lookahead::spans`].
    pub(super) spans: [Span; 2],
    /// The rate of the arrival link.
    pub(super) rate: Rate,
}

impl FastStep for Lookahead {
    type Situation<'a> = &'a Situation;

    /// Most flows pass both links, none passes only one of them, no packet is traced, and a round trip is long enough
    /// for batches to pay off.
    fn is_eligible(situation: &Situation) -> bool {
        let Situation { flows, over_both, some_over_one, traced, .. } = *situation;
        let batches = ArrivalBatches::pays_off(gap(situation), ahead(situation));
        2 * over_both > flows && !some_over_one && !traced && batches
    }
}

impl Lookahead {
    /// Switches it on.
    pub(super) fn enable(&mut self, situation: &Situation) {
        self.arrivals.iter_mut().for_each(|batches| batches.enable(gap(situation), ahead(situation)));
        (self.is_on, self.spans) = (true, situation.spans);
    }

    /// Switches it off. Returns the pending arrivals and timers.
    #[cold]
    pub(super) fn disable(&mut self) -> (Vec<PendingArrival>, Vec<(Time, u32)>) {
        let Lookahead { mut arrivals, timers, .. } = std::mem::take(self);
        let coming = arrivals.iter_mut().flat_map(ArrivalBatches::take_all).collect();
        (coming, timers.into_vec().into_iter().map(|Reverse(timer)| timer).collect())
    }

    /// Notes that `from_queue` of `done` events came from the event queue. Returns true after too many such calls in a
    /// row.
    pub(super) fn note_misses(&mut self, done: u64, from_queue: u64) -> bool {
        if done > MIN_EVENTS {
            self.misses = if 8 * from_queue > done { self.misses + 1 } else { 0 };
        }
        self.misses == MAX_MISSES
    }

    /// Adds a timer; the window ends with it at the latest.
    pub(super) fn add_timer(&mut self, time: Time, endpoint: u32) {
        self.until = self.until.min(time);
        self.timers.push(Reverse((time, endpoint)));
    }

    /// An event is added to the event queue; the window ends with it at the latest.
    #[inline(always)]
    pub(super) fn note_event(&mut self, time: Time) {
        self.horizon = self.horizon.min(time);
        self.until = self.until.min(time);
    }

    /// Adds a packet that will arrive at a link. Returns false if it has to go through the event queue.
    #[inline(always)]
    pub(super) fn add_arrival(&mut self, link: usize, key: Key, pkt: Pkt) -> bool {
        self.arrivals[link].push(key, pkt)
    }

    /// Lower bounds of the next arrival at either link.
    #[inline(always)]
    pub(super) fn earliest(&self) -> [Time; 2] {
        self.arrivals.each_ref().map(ArrivalBatches::earliest)
    }

    /// Up to when all arrivals at a link are known, given the earliest ones at both.
    pub(super) fn known_until(&self, link: usize, earliest: [Time; 2]) -> Time {
        let [own, other] = [earliest[link], earliest[1 - link]];
        let [there, back] = [self.spans[link], self.spans[1 - link]];
        after(other.min(after(own, there)), back)
    }

    /// The first timer.
    pub(super) fn first_timer(&self) -> Option<(Time, u32)> {
        self.timers.peek().map(|Reverse(timer)| *timer)
    }

    /// Bytes allocated.
    pub(super) fn memory(&self) -> usize {
        let arrivals: usize = self.arrivals.iter().map(ArrivalBatches::memory).sum();
        arrivals + self.timers.capacity() * size_of::<(Time, u32)>()
    }
}

/// Nanoseconds between packets under load.
fn gap(situation: &Situation) -> u64 {
    situation.rate.time_for(PACKET).0
}

/// Nanoseconds for which all arrivals are known.
fn ahead(situation: &Situation) -> u64 {
    situation.spans[0].min(situation.spans[1]).0
}

fn after(time: Time, span: Span) -> Time {
    Time(time.0.saturating_add(span.0))
}
