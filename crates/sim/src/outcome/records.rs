//! The records of a network after the run, whichever engine executed it.

use crate::account::{Histogram, MeasurementWindow, Outstanding, Trace};
use crate::link::Link;
use crate::network::{Carrier, Flow, Network};
use crate::source::{Sink, Source};
use units::Time;

/// Links, flows and records at the end of a run.
pub struct Records {
    /// When measuring started and ended.
    pub window: MeasurementWindow,
    /// Links with probes, by number.
    pub links: Vec<Link>,
    /// All flows, by number.
    pub flows: Vec<Flow>,
    /// Histograms of one-way delay.
    pub histograms: Vec<Histogram>,
    /// The packet trace.
    pub trace: Trace,
    /// Packets of each flow that are neither delivered nor dropped; empty if there are none.
    outstanding: Vec<Outstanding>,
    /// Packets in all queues.
    queued: u64,
}

impl<C: Carrier> Network<C> {
    /// Ends the run at `end` and returns its records.
    pub fn into_records(mut self, end: Time) -> Records {
        let queued = self.finish(end);
        Records {
            window: self.window,
            links: self.links,
            flows: into_records(self.flows),
            histograms: self.histograms,
            trace: self.trace,
            outstanding: self.outstanding,
            queued,
        }
    }
}

/// The flows without the state of an engine. Memory is released block by block as they move, so that they are never
/// stored twice.
fn into_records<S>(mut flows: Vec<Flow<S>>) -> Vec<Flow> {
    const BLOCK: usize = 4096;
    let mut records = Vec::with_capacity(flows.len());
    while let Some(flow) = flows.pop() {
        records.push(flow.into_record());
        if flows.len() % BLOCK == 0 {
            flows.shrink_to_fit();
        }
    }
    records.reverse();
    records
}

impl Records {
    /// Packets in all queues at the end of the run.
    pub fn queued(&self) -> u64 {
        self.queued
    }

    /// Packets of a flow that were neither delivered nor dropped when the run ended.
    pub fn outstanding(&self, flow: usize) -> Outstanding {
        self.outstanding.get(flow).copied().unwrap_or_default()
    }

    /// Whether every packet a flow sent was delivered, dropped, or is outstanding.
    pub fn is_conserved(&self, flow: usize) -> bool {
        self.flows[flow].probe.conservation.holds(&self.outstanding(flow))
    }

    /// The first `planned` flows absorb the records of their sessions.
    pub fn gather_sessions(&mut self, planned: usize) {
        let mut sessions: Vec<Option<Flow>> = self.flows.drain(planned..).map(Some).collect();
        for (place, flow) in self.flows.iter_mut().enumerate() {
            let Source::Origin(origin) = &mut flow.source else { continue };
            let (mut delivered, mut before) = (0, 0);
            for number in std::mem::take(&mut origin.flows) {
                let Some(session) = sessions[number as usize - planned].take() else { continue };
                if let Source::App(source) = &session.source {
                    origin.count(source.counters());
                }
                delivered += session.sink.delivered_bytes();
                before += session.probe.goodput_before;
                flow.probe.absorb(session.probe);
                if let Some(outstanding) = self.outstanding.get(number as usize).copied() {
                    self.outstanding[place].absorb(&outstanding);
                }
            }
            flow.sink = Sink::Udp { payload: delivered };
            flow.probe.goodput_before = before;
        }
        self.outstanding.truncate(planned);
    }
}
