//! Sessions that arrive in an open loop: each is a flow of its own while it lasts.
//!
//! Sessions arrive in the order of the event queue, however far endpoints run ahead, and a flow takes a new session only
//! if its last had ended before; so the flow that takes it does not depend on how far ahead the engine works.

use super::{Carrier, Flow, Network};
use crate::account::FlowProbe;
use crate::source::{AppSink, Sink, Source};
use units::{Stream, Time};

impl<C: Carrier> Network<C> {
    /// Begins the sessions that arrive at flow `number` at `now`.
    #[cold]
    pub(crate) fn admit_sessions(&mut self, number: u32, now: Time) {
        let arrived = match &mut self.flows[number as usize].source {
            Source::Origin(origin) => origin.arrived(now),
            _ => None,
        };
        let Some(rng) = arrived else { return };
        let idle = |flow: &&u32| match &self.flows[**flow as usize].source {
            Source::App(source) => source.ended_before(now),
            _ => false,
        };
        let Source::Origin(origin) = &self.flows[number as usize].source else { return };
        let carrier = origin.flows.iter().find(idle).copied();
        let carrier = match carrier {
            Some(flow) => {
                if let Source::App(source) = &mut self.flows[flow as usize].source {
                    source.start_again(now, rng);
                }
                flow
            }
            None => self.add_session(number, now, rng),
        };
        self.flows[carrier as usize].probe.objects_begun(now, 1, &self.window);
        self.drain_source(carrier, now, Time::NEVER);
    }

    /// Adds a flow, because all others of this group have a session.
    fn add_session(&mut self, number: u32, now: Time, rng: Stream) -> u32 {
        let fresh = self.flows.len() as u32;
        let parent = &mut self.flows[number as usize];
        let Source::Origin(origin) = &mut parent.source else { return number };
        origin.flows.push(fresh);
        let mut source = origin.source(rng);
        source.start(now);
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
        fresh
    }
}
