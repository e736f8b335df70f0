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
mod flows;
mod fold;
mod sessions;
mod travel;
mod turns;
mod waiting;
mod wires;

use crate::calendar::Key;
use crate::flow::{FlowProbe, Left};
use crate::line::Line;
use crate::link::{Link, OnWire, Short};
use crate::packet::{About, Pkt, SackPool, Waiting, BACK, FREE, WAKE};
use crate::probe::Window;
use crate::source::{Marker, Sink, Source};
use crate::stats::Histogram;
use crate::trace::Trace;
use queue::disc::Fate;
use turns::Turns;
use units::Time;
use wires::{Step, Wires, VIA_LINE, VIA_RED};

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

/// A link to begin with, in the form it was built in.
pub enum Built {
    /// In full; takes its short form if it has one.
    Link(Link),
    /// In short form.
    Line(Line),
}

/// See [`Flow::own`].
#[derive(Default)]
struct Own {
    first: Option<Line>,
    last: Option<Line>,
}

/// A flow at work.
pub struct Flow {
    /// The sending end.
    pub source: Source,
    /// The receiving end.
    pub sink: Sink,
    marker: Marker,
    /// When a TCP source stops handing over new data.
    stop: Time,
    /// What is said of all plain packets that each end sends.
    about: [About; 2],
    /// The first step of what each end sends.
    first_step: [u32; 2],
    /// Lines that it has to itself at the beginning and the end of the way of what each end sends, where they have no probe.
    own: [Own; 2],
    /// When the accounts next have something to note at each end beside what they note of every packet.
    notice: [Time; 2],
    /// The earlier of that and the next deadline of each end.
    look: [Time; 2],
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
        (class, marker): (u8, Marker),
        stop: Time,
        probe: FlowProbe,
    ) -> Flow {
        let never = [Time::NEVER; 2];
        let first_step = [0; 2];
        Flow {
            source,
            sink,
            marker,
            stop,
            about: [About::default(), About::flags_only(BACK)].map(|about| about.with_class(class)),
            first_step,
            own: Default::default(),
            notice: [Time::ZERO; 2],
            look: [Time::ZERO; 2],
            armed: never,
            probe,
        }
    }
}

/// Everything of a run that changes.
pub struct Network {
    /// When counting starts and ends.
    pub window: Window,
    /// Links by component number, up to the last that was built in full.
    pub links: Vec<Link>,
    /// How many there are in all; those behind [`Network::links`] are lines.
    link_count: u32,
    /// All flows, by number.
    pub flows: Vec<Flow>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// What happened to each packet, if anybody wants to know.
    pub trace: Trace,
    /// The way of each flow there and back, until [`Network::fold`] has seen it.
    routes: Vec<[Route; 2]>,
    /// What lies between the ends, apart from the links in full.
    wires: Wires,
    /// Packets that waited in them at the end of the run.
    waiting_in_lines: u64,
    /// Whether endpoints run ahead.
    runs_ahead: bool,
    /// How the links that most packets meet take turns, if they do.
    turns: Option<Turns>,
    sacks: SackPool,
    /// What is left of the packets of each flow, as far as anything is.
    left: Vec<Left>,
    fates: Vec<Fate<Waiting>>,
}

impl Network {
    /// A network of links, in order of their numbers, without flows.
    pub fn new(window: Window, built: impl Iterator<Item = Built>, histograms: usize) -> Network {
        let (mut links, mut lines, mut red_lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut link_count = 0;
        for one in built {
            match one {
                Built::Line(line) => lines.push(line),
                Built::Link(mut link) => {
                    match link.shorten(window.end.is_double()) {
                        Some(Short::Line(line)) => lines.push(line),
                        Some(Short::Red(line)) => red_lines.push(*line),
                        None => {}
                    }
                    links.resize_with(link_count as usize, Link::in_short_form);
                    links.push(link);
                }
            }
            link_count += 1;
        }
        Network {
            window,
            link_count,
            wires: Wires::new(lines, red_lines, window.end),
            waiting_in_lines: 0,
            links,
            flows: Vec::new(),
            histograms: vec![Histogram::default(); histograms],
            trace: Trace::default(),
            routes: Vec::new(),
            runs_ahead: false,
            turns: None,
            sacks: SackPool::default(),
            left: Vec::new(),
            fates: Vec::new(),
        }
    }

    /// Makes room for so many flows.
    pub fn reserve_flows(&mut self, count: usize) {
        self.flows.reserve_exact(count);
        self.routes.reserve_exact(count);
    }

    /// Adds a flow with its links out and back, and wakes its source at its start.
    pub fn add_flow(&mut self, mut flow: Flow, start: Time, forward: &[usize], back: &[usize]) {
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
        flow.armed[0] = start;
        if start <= self.window.end {
            self.wires.calendar.push(self.alarm_key(start, 2 * number), Pkt::alarm(WAKE, 2 * number));
        }
        self.flows.push(flow);
    }

    /// Executes events, up to so many and as far as they do not lie after the end. Gives how many, and the time of the last.
    ///
    /// What happens at most of them is compiled into this loop, down to the ends: what a packet says stays in registers then.
    #[inline(never)]
    pub fn advance(&mut self, most: u64) -> (u64, Time) {
        let (mut done, mut now) = (0, Time::ZERO);
        self.wires.calendar.stop_after(self.window.end);
        if let Some(turns) = self.turns {
            return self.advance_in_turns(turns, most);
        }
        while done < most {
            let some = self.wires.calendar.until_tuning().min(u32::try_from(most - done).unwrap_or(u32::MAX));
            let mut left = some;
            while left > 0 {
                let Some(time) = self.step() else { break };
                now = time;
                left -= 1;
            }
            self.wires.calendar.note_taken(some - left, now);
            done += u64::from(some - left);
            if left > 0 {
                break;
            }
        }
        (done, now)
    }

    /// Executes the first event, unless it lies after the end. Gives its time.
    #[inline(always)]
    fn step(&mut self) -> Option<Time> {
        let wires = &mut self.wires;
        let node = wires.calendar.unlink_first()?;
        let (time, via) = (node.time, node.event.about.via());
        // A line is told no more of the packet than it needs: the rest is read behind it.
        if via >= VIA_LINE {
            let line = &mut wires.lines[usize::from(via - VIA_LINE)];
            let Some(key) = line.pass(node.event.size, node.key()) else {
                let (component, transit) = (line.component, Transit::new(node.event, node.key()));
                self.refuse(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.reach_source::<true, false>(pkt, key);
        } else if via >= VIA_RED {
            let line = &mut wires.red_lines[usize::from(via - VIA_RED)];
            match line.pass(node.event.size, node.event.about.ecn(), node.key()) {
                Ok(key) => {
                    let pkt = node.event;
                    self.reach_sink::<true, false>(pkt, key);
                }
                Err(passed) => {
                    let transit = Transit::new(node.event, node.key());
                    self.leave_red_line_changed(u32::from(via - VIA_RED), &transit, passed);
                }
            }
        } else if let Some(Step::Line(line)) = wires.steps.get(node.event.step as usize) {
            let line = &mut wires.lines[*line as usize];
            let Some(key) = line.pass(node.event.size, node.key()) else {
                let (component, transit) = (line.component, Transit::new(node.event, node.key()));
                self.refuse(component, &transit);
                return Some(time);
            };
            let pkt = node.event;
            self.leave_line(pkt, key);
        } else {
            let transit = Transit::new(node.event, node.key());
            self.come::<false>(&transit);
        }
        Some(time)
    }

    /// A transmission ends on a link whose departures are not known ahead.
    fn free(&mut self, link: u32, now: Time) {
        let sent = self.links[link as usize].transmitter_free(now, &mut self.fates);
        self.settle_fates(link, now);
        self.send(link, sent, now);
    }

    #[inline]
    fn component_of(&self, endpoint: u32) -> u32 {
        self.link_count + endpoint
    }

    /// The place of an endpoint's wake-up in the order.
    #[inline]
    fn alarm_key(&self, time: Time, endpoint: u32) -> Key {
        Key { time, birth: Time::NEVER, component: self.component_of(endpoint) }
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
        self.left_mut(pkt.flow).queued.add(pkt.size);
        let link = &mut self.links[number as usize];
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
}
