//! Links, routes and flows at work: what happens at each event.
//!
//! Work whose outcome only its own future depends on is done early instead of waiting in the calendar: a
//! link that a single component feeds takes its packets at once, each at the time it will
//! arrive, and endpoints run ahead of the clock to the arrivals that are already certain. What several
//! components feed is reached through the calendar, in the order of [`Key`]. Hop by hop, every arrival goes
//! through the calendar; both ways give the same bits.

mod accounts;
mod ends;
mod fold;

use crate::calendar::{Calendar, Key};
use crate::flow::FlowProbe;
use crate::line::Line;
use crate::link::{Link, Sent};
use crate::packet::{Pkt, SackPool};
use crate::probe::Window;
use crate::source::{Sink, Source};
use crate::stats::Histogram;
use crate::trace::Trace;
use queue::disc::{Fate, Reason};
use units::Time;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A packet arrives at the queue of a link.
    Arrive {
        /// The link.
        link: u32,
        /// The packet.
        pkt: Pkt,
    },
    /// A packet arrives at its end.
    Reach(Pkt),
    /// A transmission ends, on a link whose departures are not known ahead.
    Free(u32),
    /// An endpoint's timer: twice the flow's number, plus one for the receiver.
    Wake(u32),
}

/// How a link takes its packets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    /// Through the calendar.
    Calendar,
    /// At once.
    AtOnce,
    /// At once, in short form: the place in [`Network::lines`].
    Line(u32),
}

/// The links of a path: a range of [`Network::steps`].
#[derive(Clone, Copy, Debug)]
pub struct Route {
    start: u32,
    len: u8,
}

/// A flow at work.
pub struct Flow {
    /// The sending end.
    pub source: Source,
    /// The receiving end.
    pub sink: Sink,
    /// When the source starts.
    pub start: Time,
    /// When a TCP source stops handing over new data.
    stop: Time,
    started: bool,
    /// The next deadline of each end.
    due: [Time; 2],
    /// The earliest pending wake-up of each end.
    armed: [Time; 2],
    /// Its accounts.
    pub probe: FlowProbe,
}

impl Flow {
    /// A flow that has not started.
    pub fn new(source: Source, sink: Sink, start: Time, stop: Time, probe: FlowProbe) -> Flow {
        let never = [Time::NEVER; 2];
        Flow { source, sink, start, stop, started: false, due: never, armed: never, probe }
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
    /// The links of all routes, one after the other.
    steps: Vec<u32>,
    /// How each link takes its packets.
    entries: Vec<Entry>,
    lines: Vec<Line>,
    /// Whether endpoints run ahead.
    runs_ahead: bool,
    sacks: SackPool,
    fates: Vec<Fate<Pkt>>,
}

impl Network {
    /// A network of links without flows.
    pub fn new(window: Window, links: Vec<Link>, histograms: usize) -> Network {
        Network {
            window,
            calendar: Calendar::new(),
            entries: vec![Entry::Calendar; links.len()],
            lines: Vec::new(),
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
        self.routes.push([forward, back].map(|links| {
            let route = Route { start: self.steps.len() as u32, len: links.len() as u8 };
            self.steps.extend(links.iter().map(|link| *link as u32));
            route
        }));
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
            Event::Arrive { link, pkt } => self.arrive(link, pkt, key),
            Event::Reach(pkt) => self.reach(pkt, key.time),
            Event::Free(link) => {
                let sent = self.links[link as usize].transmitter_free(key.time, &mut self.fates);
                self.settle_fates(link, key.time);
                if let Some(sent) = sent {
                    self.depart(link, sent);
                }
            }
            Event::Wake(endpoint) => self.wake(endpoint, key.time),
        }
    }

    fn component_of(&self, endpoint: u32) -> u32 {
        self.links.len() as u32 + endpoint
    }

    /// Hands a packet to a link, the way that link takes them.
    #[inline]
    fn enter(&mut self, link: u32, pkt: Pkt, key: Key) {
        match self.entries[link as usize] {
            Entry::Line(line) => self.pass_line(line, link, pkt, key),
            Entry::AtOnce => self.arrive(link, pkt, key),
            Entry::Calendar => self.calendar.push(key, Event::Arrive { link, pkt }),
        }
    }

    /// A packet enters a link in short form.
    #[inline]
    fn pass_line(&mut self, line: u32, number: u32, pkt: Pkt, key: Key) {
        let line = &mut self.lines[line as usize];
        match line.accept(pkt.size, key) {
            Some((start, finish)) => {
                let time = finish + line.delay;
                self.travel(number, pkt, start, time);
            }
            None => {
                self.fates.push(Fate::Dropped(pkt, Reason::Overflow));
                self.settle_fates(number, key.time);
            }
        }
    }

    #[inline]
    fn arrive(&mut self, number: u32, pkt: Pkt, key: Key) {
        let link = &mut self.links[number as usize];
        if let Some(loss) = &mut link.loss {
            if loss.on_entry() {
                self.destroy(number, pkt, key.time);
                return;
            }
        }
        if !link.knows_ahead() {
            self.flows[pkt.flow as usize].probe.conservation.queued.add(pkt.size);
        }
        let sent = link.arrive(pkt, key, &mut self.fates);
        if !self.fates.is_empty() {
            self.settle_fates(number, key.time);
        }
        if let Some(sent) = sent {
            self.depart(number, sent);
        }
    }

    /// A transmission is settled: the packet goes on to its next link or its end.
    #[inline]
    fn depart(&mut self, number: u32, sent: Sent) {
        let Sent { pkt, start, finish } = sent;
        let link = &mut self.links[number as usize];
        if !link.knows_ahead() {
            self.flows[pkt.flow as usize].probe.conservation.queued.remove(pkt.size);
            if finish <= self.window.end {
                let key = Key { time: finish, birth: start, component: number };
                self.calendar.push(key, Event::Free(number));
            }
        }
        let time = finish + link.delay;
        if let Some(loss) = &mut link.loss {
            if finish <= self.window.end && loss.on_wire() {
                self.destroy(number, pkt, finish);
                return;
            }
        }
        self.travel(number, pkt, start, time);
    }

    /// A packet that started at `start` reaches the end of a link at `time`: on to its next link or its end.
    #[inline]
    fn travel(&mut self, number: u32, mut pkt: Pkt, start: Time, time: Time) {
        if time > self.window.end {
            self.leave_over(&pkt, start, self.window.end);
            return;
        }
        pkt.hop += 1;
        let route = self.routes[pkt.flow as usize][usize::from(pkt.is_back())];
        let key = Key { time, birth: start, component: number };
        if pkt.hop < route.len {
            let next = self.steps[route.start as usize + usize::from(pkt.hop)];
            self.enter(next, pkt, key);
        } else if self.runs_ahead {
            self.reach(pkt, time);
        } else {
            self.calendar.push(key, Event::Reach(pkt));
        }
    }
}
