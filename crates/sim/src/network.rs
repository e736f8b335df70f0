//! Links, routes and flows at work: what happens at each event.
//!
//! Work whose outcome only its own future depends on is done early instead of waiting in the calendar: a
//! link that a single component feeds takes its packets at once, each at the time it will
//! arrive, and endpoints run ahead of the clock to the arrivals that are already certain. What several
//! components feed is reached through the calendar, in the order of [`Key`]. Hop by hop, every arrival goes
//! through the calendar; both ways give the same bits.

use crate::calendar::{Calendar, Key};
use crate::flow::{FlowProbe, CWND_STEPS};
use crate::line::Line;
use crate::link::{Link, Sent};
use crate::packet::{Pkt, SackPool};
use crate::probe::Window;
use crate::source::{Sink, Source};
use crate::stats::Histogram;
use queue::disc::{Fate, Reason};
use units::{Span, Time};

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
    pub fn new(source: Source, sink: Sink, start: Time, probe: FlowProbe) -> Flow {
        let never = [Time::NEVER; 2];
        Flow { source, sink, start, started: false, due: never, armed: never, probe }
    }

    /// Asks one end for its next deadline.
    #[inline]
    fn note_deadline(&mut self, side: usize) {
        let due = match (side, &self.source, &self.sink) {
            (0, Source::Tcp(sender), _) => sender.poll_timeout(),
            (0, Source::Udp(source), _) => source.poll_timeout(),
            (_, _, Sink::Tcp(receiver)) => receiver.poll_timeout(),
            (_, _, Sink::Udp { .. }) => None,
        };
        self.due[side] = due.unwrap_or(Time::NEVER);
    }

    /// Takes note of the source's state before it changes at `now`.
    #[inline]
    fn observe_source(&mut self, now: Time, window: &Window) {
        let Source::Tcp(sender) = &self.source else { return };
        if now >= window.warmup {
            self.probe.cwnd.hold((sender.cwnd() * CWND_STEPS) as u64, now);
            if self.probe.before.is_none() {
                self.probe.before = Some(sender.counters());
            }
        }
        if now > self.probe.next_sample {
            self.probe.sample_window(now, window, || (sender.cwnd(), sender.ssthresh()));
        }
    }

    /// Takes note of what the receiver had at the warm-up.
    #[inline]
    fn observe_sink(&mut self, now: Time, window: &Window) {
        if self.probe.goodput_before.is_none() && now >= window.warmup {
            self.probe.goodput_before = Some(self.sink.delivered_bytes());
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

    /// Finds out what may be done early: links that a single component feeds, and whose departures are known at
    /// arrival. One link of each round trip stays in the calendar, so that no flow runs on for ever.
    pub fn fold(&mut self) {
        let shared = self.shared_links();
        let mut folds: Vec<bool> =
            shared.iter().zip(&self.links).map(|(shared, link)| !shared && link.knows_ahead()).collect();
        for routes in &self.routes {
            let mut round_trip = routes.iter().flat_map(|route| self.links_of(*route)).peekable();
            let first = round_trip.peek().map(|link| **link as usize);
            if round_trip.all(|link| folds[*link as usize]) {
                first.into_iter().for_each(|link| folds[link] = false);
            }
        }
        for link in (0..self.links.len()).filter(|link| folds[*link]) {
            self.entries[link] = match self.links[link].as_line() {
                Some(line) => {
                    self.lines.push(line);
                    Entry::Line(self.lines.len() as u32 - 1)
                }
                None => Entry::AtOnce,
            };
        }
        self.runs_ahead = true;
    }

    /// Which links take packets from more than one component.
    fn shared_links(&self) -> Vec<bool> {
        let mut feeders: Vec<Option<u32>> = vec![None; self.links.len()];
        let mut shared = vec![false; self.links.len()];
        for (number, routes) in self.routes.iter().enumerate() {
            for (side, route) in routes.iter().enumerate() {
                let mut feeder = self.component_of(2 * number as u32 + side as u32);
                for link in self.links_of(*route) {
                    let known = feeders[*link as usize].get_or_insert(feeder);
                    shared[*link as usize] |= *known != feeder;
                    feeder = *link;
                }
            }
        }
        shared
    }

    fn links_of(&self, route: Route) -> &[u32] {
        &self.steps[route.start as usize..][..usize::from(route.len)]
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

    /// Brings links and accounts to the end of the run, `end`.
    pub fn finish(&mut self, end: Time) {
        for number in 0..self.links.len() {
            self.links[number].finish(end, &mut self.fates);
            self.settle_fates(number as u32, end);
        }
        let window = &self.window;
        for flow in &mut self.flows {
            flow.observe_source(end, window);
            flow.observe_sink(end, window);
            if let Source::Tcp(sender) = &flow.source {
                flow.probe.sample_window(end + Span(1), window, || (sender.cwnd(), sender.ssthresh()));
            }
        }
        let pending: Vec<(Key, Event)> = self.calendar.iter().map(|(key, event)| (key, *event)).collect();
        for (key, event) in pending {
            if let Event::Arrive { pkt, .. } | Event::Reach(pkt) = event {
                self.leave_over(&pkt, key.birth, end);
            }
        }
    }

    /// Bytes held by packets, events and accounts, roughly.
    pub fn memory(&self) -> u64 {
        let waiting: usize = self.links.iter().map(|link| link.waiting() * size_of::<Pkt>()).sum();
        let series: usize = self.flows.iter().map(|flow| 12 * flow.probe.series.received.capacity()).sum();
        (self.calendar.memory() + waiting + series + self.flows.len() * size_of::<Flow>()) as u64
    }

    fn component_of(&self, endpoint: u32) -> u32 {
        self.links.len() as u32 + endpoint
    }

    /// Packets waiting at `end`, in all links.
    pub fn waiting_at(&mut self, end: Time) -> usize {
        let stored: usize = self.links.iter().map(|link| link.waiting()).sum();
        let counted: usize = self.lines.iter_mut().map(|line| line.waiting_at(end)).sum();
        stored + counted
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

    /// A packet arrives at its end.
    #[inline]
    fn reach(&mut self, pkt: Pkt, now: Time) {
        if pkt.is_back() {
            self.reach_source(pkt, now);
        } else {
            self.reach_sink(pkt, now);
        }
    }

    #[inline]
    fn reach_source(&mut self, pkt: Pkt, now: Time) {
        self.run_timers(2 * pkt.flow, now);
        let flow = &mut self.flows[pkt.flow as usize];
        flow.observe_source(now, &self.window);
        flow.probe.conservation.delivered.add(pkt.size);
        let ack = pkt.ack(&mut self.sacks);
        if let Source::Tcp(sender) = &mut flow.source {
            sender.on_ack(now, &ack);
            if flow.probe.finished.is_none() && sender.is_done() {
                flow.probe.finished = Some(now);
            }
        }
        self.drain_source(pkt.flow, now, now);
    }

    #[inline]
    fn reach_sink(&mut self, pkt: Pkt, now: Time) {
        self.run_timers(2 * pkt.flow + 1, now);
        let flow = &mut self.flows[pkt.flow as usize];
        flow.observe_sink(now, &self.window);
        flow.probe.arrived(now, pkt.size, now.since(pkt.stamp), &self.window, &mut self.histograms);
        match (&mut flow.sink, &flow.source) {
            (Sink::Tcp(receiver), _) => {
                receiver.on_segment(now, &pkt.segment());
                self.drain_sink(pkt.flow, now, now);
            }
            (Sink::Udp { payload }, Source::Udp(source)) => *payload += source.payload(pkt.size),
            (Sink::Udp { .. }, Source::Tcp(_)) => {}
        }
    }

    /// An endpoint's wake-up. Out of date if the endpoint armed an earlier one since.
    fn wake(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        if flow.armed[side] != now {
            return;
        }
        flow.armed[side] = Time::NEVER;
        let starts = side == 0 && !flow.started;
        if starts || flow.due[side] <= now {
            self.fire(endpoint, now);
        } else {
            self.arm(endpoint, now);
        }
    }

    /// Fires the timers that are due before an arrival at `now`; at equal times arrivals come first.
    #[inline]
    fn run_timers(&mut self, endpoint: u32, now: Time) {
        loop {
            let due = self.flows[(endpoint >> 1) as usize].due[(endpoint & 1) as usize];
            if due >= now {
                return;
            }
            self.fire(endpoint, due);
        }
    }

    /// A timer of an endpoint fires, or its source starts.
    #[cold]
    fn fire(&mut self, endpoint: u32, now: Time) {
        let number = endpoint >> 1;
        let flow = &mut self.flows[number as usize];
        if endpoint & 1 == 1 {
            if let Sink::Tcp(receiver) = &mut flow.sink {
                receiver.on_timer(now);
            }
            self.drain_sink(number, now, Time::NEVER);
            return;
        }
        flow.observe_source(now, &self.window);
        let starts = !std::mem::replace(&mut flow.started, true);
        match &mut flow.source {
            Source::Tcp(sender) if starts => sender.start(now),
            Source::Tcp(sender) => sender.on_timer(now),
            Source::Udp(source) if starts => source.start(now),
            Source::Udp(source) => source.on_timer(now),
        }
        self.drain_source(number, now, Time::NEVER);
    }

    /// Sends all a source has to send at `now`; `birth` places the packets among others of that moment.
    #[inline]
    fn drain_source(&mut self, number: u32, now: Time, birth: Time) {
        let first = self.steps[self.routes[number as usize][0].start as usize];
        let key = Key { time: now, birth, component: self.component_of(2 * number) };
        loop {
            let flow = &mut self.flows[number as usize];
            let segment = match &mut flow.source {
                Source::Tcp(sender) => sender.poll_transmit(now),
                Source::Udp(source) => source.poll_transmit(now),
            };
            let Some(segment) = segment else { break };
            if now >= self.window.warmup {
                flow.probe.sent.add(segment.size);
            }
            flow.probe.conservation.sent.add(segment.size);
            self.enter(first, Pkt::of_segment(&segment, number), key);
        }
        self.arm(2 * number, now);
    }

    /// Sends all a receiver has to send at `now`.
    #[inline]
    fn drain_sink(&mut self, number: u32, now: Time, birth: Time) {
        let first = self.steps[self.routes[number as usize][1].start as usize];
        let key = Key { time: now, birth, component: self.component_of(2 * number + 1) };
        loop {
            let flow = &mut self.flows[number as usize];
            let Sink::Tcp(receiver) = &mut flow.sink else { break };
            let Some(ack) = receiver.poll_transmit(now) else { break };
            flow.probe.conservation.sent.add(ack.size);
            let pkt = Pkt::of_ack(&ack, number, &mut self.sacks);
            self.enter(first, pkt, key);
        }
        self.arm(2 * number + 1, now);
    }

    /// Makes sure that an endpoint is woken by its next deadline.
    #[inline]
    fn arm(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        flow.note_deadline(side);
        if flow.due[side] < flow.armed[side] {
            let time = flow.due[side].max(now);
            flow.armed[side] = time;
            if time <= self.window.end {
                let key = Key { time, birth: Time::NEVER, component: self.component_of(endpoint) };
                self.calendar.push(key, Event::Wake(endpoint));
            }
        }
    }

    /// Accounts for packets that a link's queue dropped or marked.
    fn settle_fates(&mut self, link: u32, now: Time) {
        let was_queued = !self.links[link as usize].knows_ahead();
        let counts = u64::from(now >= self.window.warmup);
        for fate in self.fates.drain(..) {
            let (Fate::Dropped(pkt, _) | Fate::Marked(pkt, _)) = fate;
            let probe = &mut self.flows[pkt.flow as usize].probe;
            let counts = counts * u64::from(!pkt.is_back());
            if let Fate::Dropped(pkt, _) = fate {
                probe.conservation.dropped.add(pkt.size);
                if was_queued {
                    probe.conservation.queued.remove(pkt.size);
                }
                probe.dropped_pkts += counts;
                self.sacks.release(&pkt);
            } else {
                probe.marked_pkts += counts;
            }
        }
    }

    /// A packet falls to a link's loss model.
    #[cold]
    fn destroy(&mut self, link: u32, pkt: Pkt, now: Time) {
        if let Some(probe) = &mut self.links[link as usize].probe {
            probe.lost(now);
        }
        let probe = &mut self.flows[pkt.flow as usize].probe;
        probe.conservation.dropped.add(pkt.size);
        probe.dropped_pkts += u64::from(now >= self.window.warmup && !pkt.is_back());
        self.sacks.release(&pkt);
    }

    /// A packet is still on its way at the end: queued if its transmission has not started by then.
    fn leave_over(&mut self, pkt: &Pkt, start: Time, end: Time) {
        let conservation = &mut self.flows[pkt.flow as usize].probe.conservation;
        if start > end {
            conservation.queued.add(pkt.size);
        } else {
            conservation.in_flight.add(pkt.size);
        }
    }
}
