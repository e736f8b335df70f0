//! Links, routes and flows at work: what happens at each event.
//!
//! Work whose outcome only its own future depends on is done early instead of waiting in the calendar: a
//! link that a single component feeds takes its packets at once, each at the time it will
//! arrive, and endpoints run ahead of the clock to the arrivals that are already certain. What several
//! components feed is reached through the calendar, in the order of [`Key`]. Hop by hop, every arrival goes
//! through the calendar; both ways give the same bits.

mod accounts;
mod ends;
mod faults;
mod fold;
mod sessions;

use crate::calendar::{Calendar, Key};
use crate::flow::FlowProbe;
use crate::line::Line;
use crate::link::{Link, OnWire};
use crate::packet::{Pkt, SackPool, Waiting};
use crate::probe::Window;
use crate::source::{Marker, Sink, Source};
use crate::stats::Histogram;
use crate::trace::Trace;
use queue::disc::{Fate, Reason};
use units::Time;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A packet arrives where it goes next: at the queue of a link or at its end.
    Packet(Pkt),
    /// A transmission ends, on a link whose departures are not known ahead.
    Free(u32),
    /// An endpoint's timer: twice the flow's number, plus one for the receiver.
    Wake(u32),
}

/// Where a packet goes next, and how it gets there: a place in [`Network::steps`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// To a link, through the calendar.
    Link(u32),
    /// To a link, at once.
    LinkAtOnce(u32),
    /// To a link in short form, a place in [`Network::lines`], through the calendar.
    Line(u32),
    /// To a link in short form, at once.
    LineAtOnce(u32),
    /// To its end.
    End,
}

/// A packet on its way, and when it is where.
struct Transit {
    pkt: Pkt,
    key: Key,
}

/// The links of a path: a range of [`Network::steps`], with [`Step::End`] behind it.
#[derive(Clone, Copy, Debug)]
struct Route {
    start: u32,
    len: u32,
}

/// A flow at work.
pub struct Flow {
    /// The sending end.
    pub source: Source,
    /// The receiving end.
    pub sink: Sink,
    /// What gives its packets their class.
    pub marker: Marker,
    /// When the source starts.
    pub start: Time,
    /// When a TCP source stops handing over new data.
    stop: Time,
    started: bool,
    /// The first step of what each end sends.
    first_step: [u32; 2],
    /// The next deadline of each end.
    due: [Time; 2],
    /// The earliest pending wake-up of each end.
    armed: [Time; 2],
    /// Its accounts.
    pub probe: FlowProbe,
}

impl Flow {
    /// A flow that has not started.
    pub fn new(
        source: Source,
        sink: Sink,
        marker: Marker,
        start: Time,
        stop: Time,
        probe: FlowProbe,
    ) -> Flow {
        let never = [Time::NEVER; 2];
        let first_step = [0; 2];
        Flow {
            source,
            sink,
            marker,
            start,
            stop,
            started: false,
            first_step,
            due: never,
            armed: never,
            probe,
        }
    }
}

/// Everything of a run that changes.
pub struct Network {
    /// When counting starts and ends.
    pub window: Window,
    /// Pending events.
    pub calendar: Calendar<Event>,
    /// All links, by component number.
    pub links: Vec<Link>,
    /// All flows, by number.
    pub flows: Vec<Flow>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// What happened to each packet, if anybody wants to know.
    pub trace: Trace,
    routes: Vec<[Route; 2]>,
    /// The steps of all routes, one after the other.
    steps: Vec<Step>,
    lines: Vec<Line>,
    /// Packets that waited in them at the end of the run.
    waiting_in_lines: u64,
    /// Whether endpoints run ahead.
    runs_ahead: bool,
    sacks: SackPool,
    fates: Vec<Fate<Waiting>>,
}

impl Network {
    /// A network of links without flows. Links that have a short form take it at once: there are many.
    pub fn new(window: Window, links: impl Iterator<Item = Link>, histograms: usize) -> Network {
        let mut lines = Vec::new();
        let shorten = |mut link: Link| {
            lines.extend(link.shorten());
            link
        };
        let links: Vec<Link> = links.map(shorten).collect();
        Network {
            window,
            calendar: Calendar::new(),
            lines,
            waiting_in_lines: 0,
            links,
            flows: Vec::new(),
            histograms: vec![Histogram::default(); histograms],
            trace: Trace::default(),
            routes: Vec::new(),
            steps: Vec::new(),
            runs_ahead: false,
            sacks: SackPool::default(),
            fates: Vec::new(),
        }
    }

    /// Adds a flow with its links out and back, and wakes its source at its start.
    pub fn add_flow(&mut self, mut flow: Flow, forward: &[usize], back: &[usize]) {
        let routes = [forward, back].map(|links| {
            let route = Route { start: self.steps.len() as u32, len: links.len() as u32 };
            self.steps.extend(links.iter().map(|link| Step::Link(*link as u32)));
            self.steps.push(Step::End);
            route
        });
        flow.first_step = routes.map(|route| route.start);
        self.routes.push(routes);
        let number = self.flows.len() as u32;
        flow.armed[0] = flow.start;
        if flow.start <= self.window.end {
            let key = Key { time: flow.start, birth: Time::NEVER, component: self.component_of(2 * number) };
            self.calendar.push(key, Event::Wake(2 * number));
        }
        self.flows.push(flow);
    }

    /// Executes one event.
    #[inline]
    pub fn execute(&mut self, key: Key, event: Event) {
        match event {
            Event::Packet(pkt) => self.arrive(Transit { pkt, key }),
            Event::Free(link) => {
                let sent = self.links[link as usize].transmitter_free(key.time, &mut self.fates);
                self.settle_fates(link, key.time);
                self.send(link, sent);
            }
            Event::Wake(endpoint) => self.wake(endpoint, key.time),
        }
    }

    #[inline]
    fn component_of(&self, endpoint: u32) -> u32 {
        self.links.len() as u32 + endpoint
    }

    /// A packet comes out of the calendar at its next step.
    #[inline]
    fn arrive(&mut self, mut transit: Transit) {
        let passed = match self.steps[transit.pkt.step as usize] {
            Step::Link(link) | Step::LinkAtOnce(link) => self.pass_link(link, &mut transit),
            Step::Line(line) | Step::LineAtOnce(line) => self.pass_line(line, &mut transit),
            Step::End => return self.reach(&transit),
        };
        if passed {
            self.go_on(&mut transit);
        }
    }

    /// A packet goes its way, at once where that is allowed, up to the calendar or to its end. Inlined, as is
    /// [`Network::pass_line`]: most of the work of a run is here, in steps of few instructions.
    #[inline(always)]
    fn go_on(&mut self, transit: &mut Transit) {
        loop {
            let passed = match self.steps[transit.pkt.step as usize] {
                Step::LineAtOnce(line) => self.pass_line(line, transit),
                Step::LinkAtOnce(link) => self.pass_private_link(link, transit),
                Step::End if self.runs_ahead => return self.reach(transit),
                _ => return self.calendar.push(transit.key, Event::Packet(transit.pkt)),
            };
            if !passed {
                return;
            }
        }
    }

    /// A packet passes a link in short form. False if its way ends here.
    #[inline(always)]
    fn pass_line(&mut self, number: u32, transit: &mut Transit) -> bool {
        let line = &mut self.lines[number as usize];
        match line.accept(transit.pkt.size, transit.key) {
            Some(wire) => {
                let time = wire.finish + line.delay;
                let key = Key { time, birth: wire.start, component: line.component };
                self.lead_on(transit, key)
            }
            None => {
                let component = line.component;
                self.refuse(component, transit);
                false
            }
        }
    }

    /// A link in short form had no room.
    #[cold]
    fn refuse(&mut self, component: u32, transit: &Transit) {
        let waiting = Waiting { pkt: transit.pkt, enqueued: transit.key.time };
        self.fates.push(Fate::Dropped(waiting, Reason::Overflow));
        self.settle_fates(component, transit.key.time);
    }

    /// [`Network::pass_link`], apart because it is rare on the way.
    #[inline(never)]
    fn pass_private_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        self.pass_link(number, transit)
    }

    /// A packet arrives at a link. True if it is certain when it leaves, and it can go on.
    #[inline(always)]
    fn pass_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        if self.links[number as usize].loss.is_some() && !self.enter_with_faults(number, transit) {
            return false;
        }
        let Transit { pkt, key } = transit;
        let link = &mut self.links[number as usize];
        if !link.knows_ahead() {
            self.wait_at(number, pkt, key);
            return false;
        }
        let wire = link.arrive(pkt, *key, &mut self.fates);
        if !self.fates.is_empty() {
            self.settle_fates(number, key.time);
        }
        wire.is_some_and(|wire| self.depart(number, wire, transit))
    }

    /// A packet arrives at a link whose departures are not known ahead.
    #[inline(never)]
    fn wait_at(&mut self, number: u32, pkt: &mut Pkt, key: &Key) {
        let link = &mut self.links[number as usize];
        self.flows[pkt.flow as usize].probe.conservation.queued.add(pkt.size);
        link.arrive(pkt, *key, &mut self.fates);
        let sent = if link.is_busy() { None } else { link.serve(key.time, &mut self.fates) };
        self.settle_fates(number, key.time);
        self.send(number, sent);
    }

    /// A link whose departures are not known ahead starts to send a packet, if there is one.
    fn send(&mut self, number: u32, sent: Option<(Pkt, OnWire)>) {
        let Some((pkt, wire)) = sent else { return };
        self.flows[pkt.flow as usize].probe.conservation.queued.remove(pkt.size);
        let key = Key { time: wire.finish, birth: wire.start, component: number };
        if wire.finish <= self.window.end {
            self.calendar.push(key, Event::Free(number));
        }
        let mut transit = Transit { pkt, key };
        if self.depart(number, wire, &mut transit) {
            self.go_on(&mut transit);
        }
    }

    /// A packet's transmission is settled. False if its way ends here.
    #[inline(always)]
    fn depart(&mut self, number: u32, wire: OnWire, transit: &mut Transit) -> bool {
        let link = &mut self.links[number as usize];
        let time = wire.finish + link.delay;
        if link.loss.is_some() {
            return self.depart_with_faults(number, wire, transit);
        }
        self.lead_on(transit, Key { time, birth: wire.start, component: number })
    }

    /// Turns a packet to its next step, where it is at `key`. False if the run ends before.
    #[inline(always)]
    fn lead_on(&mut self, transit: &mut Transit, key: Key) -> bool {
        if key.time > self.window.end {
            self.leave_over(&transit.pkt, key.birth, self.window.end);
            return false;
        }
        transit.pkt.step += 1;
        transit.key = key;
        true
    }
}
