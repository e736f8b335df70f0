//! Sessions that arrive in an open loop: each is a flow of its own while it lasts.
//!
//! Sessions arrive in the order of the event queue, however far endpoints run ahead, and a flow takes a new session
//! only if its last had ended before; so the flow that takes it does not depend on how far ahead the engine works.

use crate::account::FlowProbe;
use crate::network::{Carrier, Flow, Network};
use crate::source::{AppSink, Sink, Source};
use units::{Stream, Time};

/// Branch of a session's random stream for the first connection of a page; the others follow.
const FIRST_CONNECTION: u64 = 1 << 32;

impl<C: Carrier> Network<C> {
    /// Begins the sessions that arrive at flow `number` at `now`.
    #[cold]
    pub(crate) fn admit_sessions(&mut self, number: u32, now: Time) {
        let arrived = match &mut self.flows[number as usize].source {
            Source::Origin(origin) => origin.arrived(now),
            _ => None,
        };
        let Some(rng) = arrived else { return };
        let idle = |flow: &u32| match &self.flows[*flow as usize].source {
            Source::App(source) => source.ended_before(now),
            _ => false,
        };
        let Source::Origin(origin) = &self.flows[number as usize].source else { return };
        let connections = origin.connections();
        let idle_flow =
            origin.flows.chunks(connections).find(|flows| flows.iter().all(idle)).map(|flows| flows[0]);
        let carrier = idle_flow.unwrap_or_else(|| {
            let fresh = self.flows.len() as u32;
            (0..connections).for_each(|_| self.add_session(number, rng.clone()));
            fresh
        });
        if connections > 1 {
            self.begin_page(number, carrier, now, rng);
        } else if let Source::App(source) = &mut self.flows[carrier as usize].source {
            if idle_flow.is_some() {
                source.start_again(now, rng);
            } else {
                source.start(now);
            }
        }
        self.flows[carrier as usize].probe.objects_begun(now, 1, &self.window);
        self.drain_source(carrier, now, Time::NEVER);
    }

    /// Begins a page on several connections: its first object at once, the others once that has been acknowledged.
    fn begin_page(&mut self, number: u32, first: u32, now: Time, mut rng: Stream) {
        let Source::Origin(origin) = &self.flows[number as usize].source else { return };
        let parts = origin.begin_page(&mut rng);
        let objects = parts.iter().map(|part| part.left()).sum();
        let others = parts.len() as u32 - 1;
        for (flow, part) in (first..).zip(parts) {
            let Source::App(source) = &mut self.flows[flow as usize].source else { continue };
            source.prepare(now, part, first, rng.branch(FIRST_CONNECTION + u64::from(flow - first)));
        }
        if let Source::App(source) = &mut self.flows[first as usize].source {
            source.page.begin(now, objects, others);
            source.start(now);
        }
    }

    /// Begins the other connections of a page, if its first object has been acknowledged at flow `first`.
    pub(crate) fn open_connections(&mut self, first: u32, now: Time) {
        let opening = match &mut self.flows[first as usize].source {
            Source::App(source) => source.page.take_opening(),
            _ => 0,
        };
        for number in first + 1..first + 1 + opening {
            let flow = &mut self.flows[number as usize];
            let Source::App(source) = &mut flow.source else { continue };
            if source.is_over() {
                continue;
            }
            source.start(now);
            flow.probe.objects_begun(now, 1, &self.window);
            self.drain_source(number, now, now);
        }
    }

    /// Objects of the page whose first flow is `first` have arrived.
    pub(crate) fn page_arrived(&mut self, first: u32, objects: usize, now: Time) {
        let flow = &mut self.flows[first as usize];
        let Source::App(source) = &mut flow.source else { return };
        if let Some((start, end)) = source.page.arrived(objects, now) {
            flow.probe.page_completed(start, end, &self.window);
        }
    }

    /// Adds a flow, because all others of this group have a session.
    fn add_session(&mut self, number: u32, rng: Stream) {
        let fresh = self.flows.len() as u32;
        let parent = &mut self.flows[number as usize];
        let Source::Origin(origin) = &mut parent.source else { return };
        origin.flows.push(fresh);
        let source = origin.source(rng);
        let mut probe =
            FlowProbe::new(&self.window, parent.probe.histogram(), parent.probe.series().is_some());
        // Congestion windows of sessions are not sampled: sessions come and go.
        if let Some(series) = probe.series_mut() {
            series.next_sample = Time::NEVER;
        }
        probe.enable_completions();
        let sink = Sink::App(Box::new(AppSink::new(origin.params())));
        let (class, first_hop) = ((parent.attributes[0].class(), parent.marker.clone()), parent.first_hop);
        let mut flow = Flow::new(Source::App(Box::new(source)), sink, class, Time::NEVER, probe);
        flow.probe.started = true;
        flow.first_hop = first_hop;
        self.links.iter_mut().for_each(|link| link.add_label(number));
        self.flows.push(flow);
    }
}
