//! The network: what happens at each event, at links and at the ends of flows.
//!
//! An event is the arrival of a packet, the end of a transmission, or a timer. The plain engine takes every hop of every
//! packet through the event queue, in the order of [`Key`]. The fast engine folds routes (`fold.rs`): a link that a
//! single component feeds handles a packet at once, at the time at which it will arrive, and endpoints run ahead of the
//! clock to the arrivals that are already certain. Both give the same bits.

mod accounting;
mod deferred;
mod end;
mod fabric;
mod faults;
mod flow;
mod fold;
mod lookahead;
mod plain;
mod sessions;
mod travel;

use crate::account::Histogram;
use crate::account::MeasurementWindow;
use crate::account::Trace;
use crate::account::{FlowProbe, Outstanding};
use crate::calendar::Key;
use crate::engine::Engine;
use crate::fast::DroptailLink;
use crate::link::{Link, Specialised};
use crate::packet::{Attributes, Pkt, SackPool, Waiting, BACK, TIMER, TRANSMITTER_FREE};
use crate::source::{Marker, Sink, Source};
use crate::transmission::Transmission;
use fabric::{Fabric, Hop, HOP_DROPTAIL, HOP_RED};
use lookahead::Lookahead;
use queue::disc::Fate;
use units::Time;

/// A packet with the time of its arrival.
#[derive(Clone, Copy)]
struct Transit {
    pkt: Pkt,
    /// The parts of its [`Key`].
    time: Time,
    birth: Time,
    component: u32,
}

impl Transit {
    #[inline(always)]
    fn new(pkt: Pkt, key: Key) -> Transit {
        let Key { time, birth, component } = key;
        Transit { pkt, time, birth, component }
    }

    #[inline(always)]
    fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// The links of a route: a range of [`Fabric::hops`], followed by [`Hop::End`].
#[derive(Clone, Copy, Debug)]
struct Route {
    start: u32,
    len: u32,
}

/// A link as it is built.
pub enum BuiltLink {
    /// A general link, which is specialised if it can be.
    Link(Link),
    /// A specialised tail-drop link.
    Droptail(DroptailLink),
}

/// See [`Flow::private`].
#[derive(Default)]
struct PrivateLinks {
    first: Option<DroptailLink>,
    last: Option<DroptailLink>,
}

/// The state of a flow.
pub struct Flow {
    /// The sending end.
    pub source: Source,
    /// The receiving end.
    pub sink: Sink,
    marker: Marker,
    /// When a TCP source stops offering new data.
    stop: Time,
    /// The attributes of all plain packets that each end sends.
    attributes: [Attributes; 2],
    /// The first hop of what each end sends.
    first_hop: [u32; 2],
    /// Tail-drop links without a probe that only this flow uses, at the beginning and the end of each end's route.
    private: [PrivateLinks; 2],
    /// When the probe next has more to record at each end than every packet gives.
    probe_due: [Time; 2],
    /// The earlier of that and the next deadline of each end.
    next_due: [Time; 2],
    /// The earliest timer armed for each end.
    armed_for: [Time; 2],
    /// What it records.
    pub probe: FlowProbe,
}

impl Flow {
    /// A flow that has not started.
    pub fn new(
        source: Source,
        sink: Sink,
        (class, marker): (u8, Marker),
        stop: Time,
        probe: FlowProbe,
    ) -> Flow {
        let never = [Time::NEVER; 2];
        let first_hop = [0; 2];
        Flow {
            source,
            sink,
            marker,
            stop,
            attributes: [Attributes::default(), Attributes::flags_only(BACK)]
                .map(|attributes| attributes.with_class(class)),
            first_hop,
            private: Default::default(),
            probe_due: [Time::ZERO; 2],
            next_due: [Time::ZERO; 2],
            armed_for: never,
            probe,
        }
    }
}

/// The state of a run.
pub struct Network {
    /// When measuring starts and ends.
    pub window: MeasurementWindow,
    /// Which engine executes the run.
    engine: Engine,
    /// General links by component number; placeholders for specialised ones.
    pub links: Vec<Link>,
    /// Number of all links; those beyond [`Network::links`] were built specialised.
    link_count: u32,
    /// All flows, by number.
    pub flows: Vec<Flow>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// The packet trace.
    pub trace: Trace,
    /// The routes of each flow, forward and reverse, until [`Network::fold`].
    routes: Vec<[Route; 2]>,
    /// What lies between the ends, apart from general links.
    fabric: Fabric,
    /// Packets queued in specialised links at the end of the run.
    queued_in_fast_links: u64,
    /// Whether routes are folded.
    folded: bool,
    /// The lookahead, while it is on.
    lookahead: Option<Lookahead>,
    sacks: SackPool,
    /// Packets of each flow that are neither delivered nor dropped; empty until there are any.
    outstanding: Vec<Outstanding>,
    fates: Vec<Fate<Waiting>>,
}

impl Network {
    /// A network of links in the order of their numbers, without flows.
    pub fn new(
        window: MeasurementWindow,
        engine: Engine,
        built: impl Iterator<Item = BuiltLink>,
        histograms: usize,
    ) -> Network {
        let (mut links, mut droptail_links, mut red_links) = (Vec::new(), Vec::new(), Vec::new());
        let mut link_count = 0;
        for one in built {
            match one {
                BuiltLink::Droptail(link) => droptail_links.push(link),
                BuiltLink::Link(mut link) => {
                    let specialised =
                        if engine == Engine::Fast { link.specialise(window.end.is_double()) } else { None };
                    match specialised {
                        Some(Specialised::Droptail(fast)) => droptail_links.push(fast),
                        Some(Specialised::Red(fast)) => red_links.push(*fast),
                        None => {}
                    }
                    links.resize_with(link_count as usize, Link::placeholder);
                    links.push(link);
                }
            }
            link_count += 1;
        }
        Network {
            window,
            engine,
            link_count,
            fabric: Fabric::new(droptail_links, red_links, window.end),
            queued_in_fast_links: 0,
            links,
            flows: Vec::new(),
            histograms: vec![Histogram::default(); histograms],
            trace: Trace::default(),
            routes: Vec::new(),
            folded: false,
            lookahead: None,
            sacks: SackPool::default(),
            outstanding: Vec::new(),
            fates: Vec::new(),
        }
    }

    /// Allocates room for this many flows.
    pub fn reserve_flows(&mut self, count: usize) {
        self.flows.reserve_exact(count);
        self.routes.reserve_exact(count);
    }

    /// Adds a flow with its links forward and back, and arms the timer of its start.
    pub fn add_flow(&mut self, mut flow: Flow, start: Time, forward: &[usize], back: &[usize]) {
        let routes = [forward, back].map(|links| {
            let hops = &mut self.fabric.hops;
            let route = Route { start: hops.len() as u32, len: links.len() as u32 };
            hops.extend(links.iter().map(|link| Hop::Link(*link as u32)));
            hops.push(Hop::End);
            route
        });
        flow.first_hop = routes.map(|route| route.start);
        self.routes.push(routes);
        let number = self.flows.len() as u32;
        flow.armed_for[0] = start;
        if start <= self.window.end {
            self.fabric.calendar.push(self.timer_key(start, 2 * number), Pkt::event(TIMER, 2 * number));
        }
        self.flows.push(flow);
    }

    /// Executes at most `most` events, none after the end of the run. Returns how many, and the time of the last.
    ///
    /// The steps that most events take are inlined into this loop, down to the ends, so that a packet stays in registers.
    #[inline(never)]
    pub fn advance(&mut self, most: u64) -> (u64, Time) {
        let (mut done, mut now) = (0, Time::ZERO);
        self.fabric.calendar.stop_after(self.window.end);
        if let Some(lookahead) = self.lookahead {
            return self.advance_with_lookahead(lookahead, most);
        }
        while done < most {
            let some =
                self.fabric.calendar.until_resize().min(u32::try_from(most - done).unwrap_or(u32::MAX));
            let mut remaining = some;
            while remaining > 0 {
                let Some(time) = self.step() else { break };
                now = time;
                remaining -= 1;
            }
            self.fabric.calendar.note_popped(some - remaining, now);
            done += u64::from(some - remaining);
            if remaining > 0 {
                break;
            }
        }
        (done, now)
    }

    /// Executes the first event, unless it lies after the end. Returns its time.
    #[inline(always)]
    fn step(&mut self) -> Option<Time> {
        let fabric = &mut self.fabric;
        let node = fabric.calendar.pop_first()?;
        let (time, hop_code) = (node.time, node.event.attributes.hop_code());
        // A specialised link gets no more of the packet than it needs; the rest is read after it.
        if hop_code >= HOP_DROPTAIL {
            let link = &mut fabric.droptail_links[usize::from(hop_code - HOP_DROPTAIL)];
            let Some(key) = link.pass(node.event.size, node.key()) else {
                let (component, transit) = (link.component, Transit::new(node.event, node.key()));
                self.overflow(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.deliver_ack::<true, false>(pkt, key);
        } else if hop_code >= HOP_RED {
            let link = &mut fabric.red_links[usize::from(hop_code - HOP_RED)];
            match link.pass(node.event.size, node.event.attributes.ecn(), node.key()) {
                Ok(key) => {
                    let pkt = node.event;
                    self.deliver_data::<true, false>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(node.event, node.key());
                    self.leave_red_link_with_fates(u32::from(hop_code - HOP_RED), &transit, passed);
                }
            }
        } else if let Some(Hop::Droptail(link)) = fabric.hops.get(node.event.hop as usize) {
            let link = &mut fabric.droptail_links[*link as usize];
            let Some(key) = link.pass(node.event.size, node.key()) else {
                let (component, transit) = (link.component, Transit::new(node.event, node.key()));
                self.overflow(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.leave_link(pkt, key);
        } else {
            let transit = Transit::new(node.event, node.key());
            self.dispatch::<false>(&transit);
        }
        Some(time)
    }

    /// A transmission ends on a link whose departures are not known at arrival.
    fn transmission_ended(&mut self, link: u32, now: Time) {
        let sent = self.links[link as usize].transmitter_free(now, &mut self.fates);
        self.record_fates(link, now);
        self.send(link, sent, now);
    }

    #[inline]
    fn component_of(&self, endpoint: u32) -> u32 {
        self.link_count + endpoint
    }

    /// The position of an endpoint's timer in the order of events.
    #[inline]
    fn timer_key(&self, time: Time, endpoint: u32) -> Key {
        Key { time, birth: Time::NEVER, component: self.component_of(endpoint) }
    }

    /// A packet arrives at a general link. Returns true if its departure is known, so that it can go on.
    #[inline(never)]
    fn pass_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        if self.links[number as usize].faults.is_some() && !self.enter_with_faults(number, transit) {
            return false;
        }
        let key = transit.key();
        let pkt = &mut transit.pkt;
        let link = &mut self.links[number as usize];
        if !link.knows_departures() {
            self.enqueue_deferred(number, pkt, &key);
            return false;
        }
        let wire = link.arrive(pkt, key, &mut self.fates);
        if !self.fates.is_empty() {
            self.record_fates(number, key.time);
        }
        wire.is_some_and(|wire| self.depart(number, wire, transit))
    }

    /// A packet arrives at a link whose departures are not known at arrival.
    #[inline(never)]
    fn enqueue_deferred(&mut self, number: u32, pkt: &mut Pkt, key: &Key) {
        self.outstanding_mut(pkt.flow).queued.add(pkt.size);
        let link = &mut self.links[number as usize];
        link.arrive(pkt, *key, &mut self.fates);
        let sent = if link.is_busy() { None } else { link.serve(key.time, &mut self.fates) };
        self.record_fates(number, key.time);
        self.send(number, sent, key.time);
    }

    /// A packet's transmission is scheduled. Returns false if it does not go on from here.
    #[inline(always)]
    fn depart(&mut self, number: u32, wire: Transmission, transit: &mut Transit) -> bool {
        let link = &mut self.links[number as usize];
        let time = wire.arrival_time(transit.pkt.size, link.rate(), link.delay);
        if link.faults.is_some() {
            return self.depart_with_faults(number, wire, transit);
        }
        self.advance_hop(transit, Key { time, birth: wire.start, component: number })
    }
}
