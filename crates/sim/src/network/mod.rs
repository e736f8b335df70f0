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
mod waiting;
mod wires;

use crate::calendar::Key;
use crate::flow::FlowProbe;
use crate::link::{Link, OnWire, Short};
use crate::packet::{Pkt, SackPool, Waiting, FREE, WAKE};
use crate::probe::Window;
use crate::source::{Marker, Sink, Source};
use crate::stats::Histogram;
use crate::trace::Trace;
use queue::disc::{Fate, Reason};
use units::{Ecn, Time};
use wires::{Launched, Step, Wires};

/// A packet on its way, and when it is where.
#[derive(Clone, Copy)]
struct Transit {
    pkt: Pkt,
    /// Its [`Key`], in parts.
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

/// The links of a path: a range of [`Wires::steps`], with [`Step::End`] behind it.
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
    /// All links, by component number.
    pub links: Vec<Link>,
    /// All flows, by number.
    pub flows: Vec<Flow>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// What happened to each packet, if anybody wants to know.
    pub trace: Trace,
    routes: Vec<[Route; 2]>,
    /// What lies between the ends, apart from the links in full.
    wires: Wires,
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
        let (mut lines, mut red_lines) = (Vec::new(), Vec::new());
        let shorten = |mut link: Link| {
            match link.shorten() {
                Some(Short::Line(line)) => lines.push(line),
                Some(Short::Red(line)) => red_lines.push(*line),
                None => {}
            }
            link
        };
        let links: Vec<Link> = links.map(shorten).collect();
        Network {
            window,
            wires: Wires::new(lines, red_lines, window.end),
            waiting_in_lines: 0,
            links,
            flows: Vec::new(),
            histograms: vec![Histogram::default(); histograms],
            trace: Trace::default(),
            routes: Vec::new(),
            runs_ahead: false,
            sacks: SackPool::default(),
            fates: Vec::new(),
        }
    }

    /// Adds a flow with its links out and back, and wakes its source at its start.
    pub fn add_flow(&mut self, mut flow: Flow, forward: &[usize], back: &[usize]) {
        let routes = [forward, back].map(|links| {
            let steps = &mut self.wires.steps;
            let route = Route { start: steps.len() as u32, len: links.len() as u32 };
            steps.extend(links.iter().map(|link| Step::Link(*link as u32)));
            steps.push(Step::End);
            route
        });
        flow.first_step = routes.map(|route| route.start);
        self.routes.push(routes);
        let number = self.flows.len() as u32;
        flow.armed[0] = flow.start;
        if flow.start <= self.window.end {
            let key = Key { time: flow.start, birth: Time::NEVER, component: self.component_of(2 * number) };
            self.wires.calendar.push(key, Pkt::alarm(WAKE, 2 * number));
        }
        self.flows.push(flow);
    }

    /// Executes the first event, unless it lies after the end. Gives its time.
    #[inline]
    pub fn step(&mut self) -> Option<Time> {
        let place = self.wires.calendar.unlink_first(self.window.end)?;
        let (key, pkt) = self.wires.calendar.taken_from(place);
        let transit = Transit::new(pkt, key);
        match self.wires.steps.get(pkt.step as usize) {
            Some(Step::Line(line)) => self.come_to_line(&transit, *line),
            Some(Step::Red(line)) => self.come_to_red_line(&transit, *line),
            Some(step) => self.come(*step, transit),
            None if pkt.step == WAKE => self.wake(pkt.flow, key.time),
            None => self.free(pkt.flow, key.time),
        }
        Some(transit.time)
    }

    /// A transmission ends on a link whose departures are not known ahead.
    fn free(&mut self, link: u32, now: Time) {
        let sent = self.links[link as usize].transmitter_free(now, &mut self.fates);
        self.settle_fates(link, now);
        self.send(link, sent, now);
    }

    #[inline]
    fn component_of(&self, endpoint: u32) -> u32 {
        self.links.len() as u32 + endpoint
    }

    /// A packet comes out of the calendar at a link in short form. This and the next few functions are where most of the
    /// work of a run is done. Each is compiled apart, so that what it works with fits the registers.
    #[inline(never)]
    fn come_to_line(&mut self, transit: &Transit, number: u32) {
        let line = &mut self.wires.lines[number as usize];
        match line.pass(transit.pkt.size, transit.key()) {
            Some(key) => self.leave_line(&transit.pkt, key),
            None => {
                let component = line.component;
                self.refuse(component, transit);
            }
        }
    }

    /// The same at a RED link.
    #[inline(never)]
    fn come_to_red_line(&mut self, transit: &Transit, number: u32) {
        let line = &mut self.wires.red_lines[number as usize];
        let passed = line.pass(transit.pkt.size, transit.pkt.ecn, transit.key());
        if !line.fates.is_empty() {
            return self.leave_red_line_changed(number, transit, passed);
        }
        if let Some(key) = passed {
            self.leave_line(&transit.pkt, key);
        }
    }

    /// The same where RED dropped or marked the packet.
    #[cold]
    #[inline(never)]
    fn leave_red_line_changed(&mut self, number: u32, transit: &Transit, passed: Option<Key>) {
        let ecn = self.settle_red_fates(number, transit);
        if let Some(key) = passed {
            self.leave_line_apart(Pkt { ecn, ..transit.pkt }, key);
        }
    }

    /// A packet has passed the link of its present step, and will be at `key` then. Mostly its last link follows, which it
    /// has to itself.
    #[inline(always)]
    fn leave_line(&mut self, pkt: &Pkt, key: Key) {
        let Step::LineToEnd(number) = self.wires.steps[pkt.step as usize + 1] else {
            return self.leave_line_apart(*pkt, key);
        };
        if key.time > self.window.end {
            return self.leave_over(pkt, key.birth, self.window.end);
        }
        let line = &mut self.wires.lines[number as usize];
        match line.pass(pkt.size, key) {
            Some(last) if last.time <= self.window.end => self.reach(pkt, last.time),
            Some(last) => self.leave_over(pkt, last.birth, self.window.end),
            None => {
                let component = line.component;
                self.refuse(component, &Transit::new(*pkt, key));
            }
        }
    }

    #[inline(never)]
    fn leave_line_apart(&mut self, pkt: Pkt, key: Key) {
        if let Some(transit) = self.on_time(Transit::new(pkt, key)) {
            self.travel(transit);
        }
    }

    /// A packet comes out of the calendar at any other step.
    fn come(&mut self, step: Step, mut transit: Transit) {
        match step {
            Step::End => self.reach(&transit.pkt, transit.time),
            Step::Link(link) => {
                if self.pass_link(link, &mut transit) {
                    self.travel(transit);
                }
            }
            _ => self.travel(transit),
        }
    }

    /// A packet goes its way, at once where that is allowed, up to the calendar or to its end.
    fn travel(&mut self, mut transit: Transit) {
        loop {
            let passed = match self.wires.steps[transit.pkt.step as usize] {
                Step::LineAtOnce(line) | Step::LineToEnd(line) | Step::LineToCalendar(line) => {
                    self.pass_line(line, transit)
                }
                Step::RedAtOnce(line) => self.pass_red_line(line, transit),
                Step::LinkAtOnce(link) => self.pass_link(link, &mut transit).then_some(transit),
                Step::End if self.runs_ahead => return self.reach(&transit.pkt, transit.time),
                _ => return self.wires.calendar.push(transit.key(), transit.pkt),
            };
            match passed {
                Some(passed) => transit = passed,
                None => return,
            }
        }
    }

    /// What became of a packet that an end sent, where that is not the common case.
    #[cold]
    #[inline(never)]
    fn settle_launch(&mut self, launched: Launched) {
        match launched {
            Launched::Settled => {}
            Launched::Stands(transit) => self.travel(transit),
            Launched::Refused(component, transit) => self.refuse(component, &transit),
            Launched::Over(pkt, start) => self.leave_over(&pkt, start, self.window.end),
        }
    }

    /// A packet passes a link in short form and stands before its next step, unless its way ends here.
    fn pass_line(&mut self, number: u32, transit: Transit) -> Option<Transit> {
        let line = &mut self.wires.lines[number as usize];
        let Some(key) = line.pass(transit.pkt.size, transit.key()) else {
            let component = line.component;
            self.refuse(component, &transit);
            return None;
        };
        self.on_time(Transit::new(transit.pkt, key))
    }

    /// The same of a RED link.
    fn pass_red_line(&mut self, number: u32, mut transit: Transit) -> Option<Transit> {
        let line = &mut self.wires.red_lines[number as usize];
        let passed = line.pass(transit.pkt.size, transit.pkt.ecn, transit.key());
        if !line.fates.is_empty() {
            transit.pkt.ecn = self.settle_red_fates(number, &transit);
        }
        self.on_time(Transit::new(transit.pkt, passed?))
    }

    /// RED dropped or marked the packet that arrived. Gives what its ECN field says now.
    #[cold]
    #[inline(never)]
    fn settle_red_fates(&mut self, number: u32, transit: &Transit) -> Ecn {
        let line = &mut self.wires.red_lines[number as usize];
        let component = line.component;
        let mut pkt = transit.pkt;
        for fate in line.fates.drain(..) {
            self.fates.push(match fate {
                Fate::Dropped(_, reason) => Fate::Dropped(Waiting { pkt, enqueued: transit.time }, reason),
                Fate::Marked(slot, reason) => {
                    pkt.ecn = slot.ecn;
                    Fate::Marked(Waiting { pkt, enqueued: transit.time }, reason)
                }
            });
        }
        self.settle_fates(component, transit.time);
        pkt.ecn
    }

    /// A link in short form had no room.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, component: u32, transit: &Transit) {
        let waiting = Waiting { pkt: transit.pkt, enqueued: transit.time };
        self.fates.push(Fate::Dropped(waiting, Reason::Overflow));
        self.settle_fates(component, transit.time);
    }

    /// A packet arrives at a link. True if it is certain when it leaves, and it can go on.
    #[inline(never)]
    fn pass_link(&mut self, number: u32, transit: &mut Transit) -> bool {
        if self.links[number as usize].loss.is_some() && !self.enter_with_faults(number, transit) {
            return false;
        }
        let key = transit.key();
        let pkt = &mut transit.pkt;
        let link = &mut self.links[number as usize];
        if !link.knows_ahead() {
            self.wait_at(number, pkt, &key);
            return false;
        }
        let wire = link.arrive(pkt, key, &mut self.fates);
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
        self.send(number, sent, key.time);
    }

    /// A packet's transmission is settled. False if its way ends here.
    #[inline(always)]
    fn depart(&mut self, number: u32, wire: OnWire, transit: &mut Transit) -> bool {
        let link = &mut self.links[number as usize];
        let time = wire.lands(transit.pkt.size, link.rate(), link.delay);
        if link.loss.is_some() {
            return self.depart_with_faults(number, wire, transit);
        }
        self.lead_on(transit, Key { time, birth: wire.start, component: number })
    }

    /// Turns a packet to its next step, where it is at `key`. False if the run ends before.
    #[inline]
    fn lead_on(&mut self, transit: &mut Transit, key: Key) -> bool {
        let on_time = self.on_time(Transit::new(transit.pkt, key));
        on_time.is_some_and(|turned| {
            *transit = turned;
            true
        })
    }

    /// Turns a packet to its next step, unless the run ends before it is there.
    #[inline(always)]
    fn on_time(&mut self, mut transit: Transit) -> Option<Transit> {
        if transit.time > self.window.end {
            self.leave_over(&transit.pkt, transit.birth, self.window.end);
            return None;
        }
        transit.pkt.step += 1;
        Some(transit)
    }
}
