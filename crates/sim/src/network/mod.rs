//! The plain engine: a network of links and flows, and the action of each event.
//!
//! An event is the arrival of a packet at a link or at its end, the end of a transmission, or a timer. Each goes
//! through the event queue, in the order of [`Key`]. This engine defines the result of a run; the fast engine
//! ([`crate::fast`]) must give the same bits. Read the files in this order:
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the state of a network, and the component to which an event belongs |
//! | `carrier.rs` | the trait that schedules the next step of a packet or timer; the event queue of this engine |
//! | `hop.rs` | a packet at a link: the queue, the transmission, the next hop |
//! | `end.rs` | arrival of a packet at its end, and the packets that the ends of a flow send |
//! | `timers.rs` | timers of the ends |
//! | `flow.rs` | the state of a flow |
//! | `accounting.rs` | dropped, marked and outstanding packets |
//!
//! Steps that only some scenarios need (links with faults, sessions in an open loop) are in `optional/`.

mod accounting;
mod carrier;
mod end;
mod flow;
mod hop;
mod timers;

use crate::account::{Histogram, MeasurementWindow, Outstanding, Trace};
use crate::calendar::Key;
use crate::link::Link;
use crate::packet::{Pkt, SackPool, WaitingPacket, TIMER};
pub use carrier::{Carrier, Plain};
pub use flow::Flow;
use queue::disc::Fate;
use units::{Rate, Span, Time};

/// A packet with the key of its arrival, whose parts are stored without padding.
#[derive(Clone, Copy)]
pub struct Transit {
    /// The packet.
    pub pkt: Pkt,
    /// When it arrives.
    pub time: Time,
    birth: Time,
    component: u32,
}

impl Transit {
    /// A packet that arrives at `key`.
    #[inline(always)]
    pub fn new(pkt: Pkt, key: Key) -> Transit {
        let Key { time, birth, component } = key;
        Transit { pkt, time, birth, component }
    }

    /// The key of its arrival.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }

    /// It arrives at `key` instead.
    #[inline(always)]
    pub fn set_key(&mut self, key: Key) {
        Key { time: self.time, birth: self.birth, component: self.component } = key;
    }
}

/// The next component that a packet meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// A link, by number.
    Link(u32),
    /// The end of the flow.
    End,
}

/// The state of a run. `C` carries packets and timers from one step to the next; the two engines differ in it alone.
pub struct Network<C: Carrier> {
    /// When measuring starts and ends.
    pub window: MeasurementWindow,
    /// All links by number, which is their component number; a placeholder where the carrier has the link.
    pub links: Vec<Link>,
    /// Number of all links; the carrier has those beyond [`Network::links`].
    pub(crate) link_count: u32,
    /// All flows, by number.
    pub flows: Vec<Flow<C::FlowState>>,
    /// The hops of all routes, one route after the other; each ends with [`Hop::End`].
    pub(crate) hops: Vec<Hop>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// The packet trace.
    pub trace: Trace,
    /// SACK blocks of acknowledgements in flight.
    pub(crate) sacks: SackPool,
    /// Packets of each flow that are neither delivered nor dropped; empty until there are any.
    pub(crate) outstanding: Vec<Outstanding>,
    /// Buffer for the packets that a queue drops or marks.
    pub(crate) fates: Vec<Fate<WaitingPacket>>,
    /// The engine's own state, such as the event queue.
    pub(crate) carrier: C,
}

impl<C: Carrier> Network<C> {
    /// A network without links and flows, which records this many histograms.
    pub fn new(window: MeasurementWindow, carrier: C, histograms: usize) -> Network<C> {
        Network {
            window,
            links: Vec::new(),
            link_count: 0,
            flows: Vec::new(),
            hops: Vec::new(),
            histograms: vec![Histogram::default(); histograms],
            trace: Trace::default(),
            sacks: SackPool::default(),
            outstanding: Vec::new(),
            fates: Vec::new(),
            carrier,
        }
    }

    /// Adds the link with the next number.
    pub fn add_link(&mut self, mut link: Link) {
        self.carrier.adopt(&mut link);
        self.links.resize_with(self.link_count as usize, Link::placeholder);
        self.links.push(link);
        self.link_count += 1;
    }

    /// Adds a link of one flow, which `build` makes unless the carrier takes it over. `limit`: the limit in packets, if
    /// its queue is tail drop with such a limit.
    pub fn add_private_link(
        &mut self,
        limit: Option<u64>,
        rate: Rate,
        delay: Span,
        build: impl FnOnce(u32) -> Link,
    ) {
        let number = self.link_count;
        if limit.is_some_and(|limit| self.carrier.adopt_droptail(number, limit, rate, delay)) {
            self.link_count += 1;
        } else {
            self.add_link(build(number));
        }
    }

    /// Adds a flow with its links forward and back, and arms the timer of its start.
    pub fn add_flow(&mut self, mut flow: Flow<C::FlowState>, start: Time, forward: &[usize], back: &[usize]) {
        flow.first_hop = [forward, back].map(|links| {
            let first = self.hops.len() as u32;
            self.hops.extend(links.iter().map(|link| Hop::Link(*link as u32)));
            self.hops.push(Hop::End);
            first
        });
        let number = self.flows.len() as u32;
        flow.armed_for[0] = start;
        if start <= self.window.end {
            self.carrier.schedule(self.timer_key(start, 2 * number), Pkt::event(TIMER, 2 * number));
        }
        self.flows.push(flow);
    }

    /// Executes at most `most` events, none after the end of the run. Returns how many, and the time of the last.
    pub fn advance(&mut self, most: u64) -> (u64, Time) {
        C::advance(self, most)
    }

    /// An event happens: a packet arrives at a link or at its end, a timer fires, or a transmission ends.
    pub(crate) fn step(&mut self, event: &Transit) {
        let Transit { pkt, time, .. } = *event;
        match self.hops.get(pkt.hop as usize) {
            Some(Hop::Link(link)) => self.arrive_at_link(*link, event),
            Some(Hop::End) => self.deliver(event),
            None if pkt.hop == TIMER => self.timer_fired(pkt.flow, time),
            None => self.transmission_ended(pkt.flow, time),
        }
    }

    /// The component number of an endpoint: twice its flow's number, plus one for the receiver, after all links.
    #[inline]
    pub(crate) fn component_of(&self, endpoint: u32) -> u32 {
        self.link_count + endpoint
    }

    /// The position of an endpoint's timer in the order of events.
    #[inline]
    pub(crate) fn timer_key(&self, time: Time, endpoint: u32) -> Key {
        Key { time, birth: Time::NEVER, component: self.component_of(endpoint) }
    }
}
