//! Carriers of packets and timers from one step of a network to the next.

use super::{Flow, Network, Transit};
use crate::account::Passage;
use crate::calendar::{EventHeap, Key, Pending};
use crate::link::Link;
use crate::packet::{Pkt, TIMER};
use units::{Rate, Span, Time};

/// Carries packets and timers from one step of a network to the next, in the order of their keys.
///
/// A step ends with a call of [`Carrier::send`], [`Carrier::forward`] or [`Carrier::schedule`]. The plain engine
/// answers each with an event. The fast engine takes further steps at once where their outcome is certain.
pub trait Carrier: Sized {
    /// The data that it stores with each flow.
    type FlowState: Default;

    /// Adds an event.
    fn schedule(&mut self, key: Key, event: Pkt);

    /// Adds the timer of an endpoint.
    fn schedule_timer(&mut self, key: Key, endpoint: u32) {
        self.schedule(key, Pkt::event(TIMER, endpoint));
    }

    /// An end sends a packet at `key`, at which it arrives at its first hop.
    fn send(network: &mut Network<Self>, pkt: Pkt, key: Key);

    /// A packet has passed a link, and arrives at its next hop.
    fn forward(network: &mut Network<Self>, transit: Transit);

    /// Executes at most `most` events, none after the end of the run. Returns how many, and the time of the last.
    fn advance(network: &mut Network<Self>, most: u64) -> (u64, Time);

    /// All pending events and packets, in no particular order.
    fn pending(&self) -> Vec<(Key, Pkt)>;

    /// Bytes allocated.
    fn memory(&self) -> usize;

    /// May take over the work of a link that is being added.
    fn adopt(&mut self, _link: &mut Link) {}

    /// May take over a tail-drop link with this limit in packets before it is built. Returns whether it did.
    fn adopt_droptail(&mut self, _number: u32, _limit: u64, _rate: Rate, _delay: Span) -> bool {
        false
    }

    /// Called once all links and flows are known.
    fn prepare(_network: &mut Network<Self>) {}

    /// Brings adopted links to the end of the run, and returns their probes to the network. Returns the packets in
    /// their queues.
    fn finish(_network: &mut Network<Self>, _end: Time) -> u64 {
        0
    }

    /// Notes an event of a packet at a link, for a carrier that records it; `passage` is made only then.
    #[inline(always)]
    fn note(&mut self, _link: u32, _passage: impl FnOnce() -> Passage) {}

    /// The next deadline of an end (0: the source) is known.
    fn deadline_known(_flow: &mut Flow<Self::FlowState>, _side: usize, _due: Time) {}
}

/// The carrier of the plain engine: an event queue.
#[derive(Default)]
pub struct Plain {
    events: EventHeap<Pkt>,
    /// The link whose passages are recorded, and those since they were last taken.
    observed: Option<u32>,
    passages: Vec<Passage>,
}

impl Network<Plain> {
    /// Records the fates of packets at this link from now on, which changes no result.
    pub fn observe(&mut self, link: u32) {
        self.carrier.observed = Some(link);
    }

    /// Takes the passages recorded since the last call, in order.
    pub fn take_passages(&mut self) -> Vec<Passage> {
        std::mem::take(&mut self.carrier.passages)
    }

    /// Executes the events up to `until` (inclusive), at most `most`. Returns how many, and whether others are left by
    /// then.
    pub fn advance_until(&mut self, until: Time, most: u64) -> (u64, bool) {
        for done in 0..most {
            let Some((key, event)) = self.carrier.events.pop_until(until.min(self.window.end)) else {
                return (done, false);
            };
            self.step(&Transit::new(event, key));
        }
        (most, true)
    }
}

impl Carrier for Plain {
    type FlowState = ();

    fn schedule(&mut self, key: Key, event: Pkt) {
        self.events.push(key, event);
    }

    fn send(network: &mut Network<Self>, pkt: Pkt, key: Key) {
        network.carrier.schedule(key, pkt);
    }

    fn forward(network: &mut Network<Self>, transit: Transit) {
        network.carrier.schedule(transit.key(), transit.pkt);
    }

    fn advance(network: &mut Network<Self>, most: u64) -> (u64, Time) {
        let mut last = Time::ZERO;
        for done in 0..most {
            let Some((key, event)) = network.carrier.events.pop_until(network.window.end) else {
                return (done, last);
            };
            network.step(&Transit::new(event, key));
            last = key.time;
        }
        (most, last)
    }

    #[inline(always)]
    fn note(&mut self, link: u32, passage: impl FnOnce() -> Passage) {
        if self.observed == Some(link) {
            self.passages.push(passage());
        }
    }

    fn pending(&self) -> Vec<(Key, Pkt)> {
        self.events.iter().map(|(key, event)| (key, *event)).collect()
    }

    fn memory(&self) -> usize {
        self.events.memory()
    }
}
