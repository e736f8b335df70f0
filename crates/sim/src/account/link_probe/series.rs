//! Series of a link.

use super::{Backlog, OptionalDisc};
use queue::disc::{Packet, Probe};

/// A link's series; all vectors have one entry for each sample.
#[derive(Clone, Debug, Default)]
pub struct LinkSeries {
    /// Packets in the queue.
    pub queue_pkts: Vec<u32>,
    /// Bytes in the queue.
    pub queue_bytes: Vec<u32>,
    /// Names and values of the discipline's own quantities.
    pub inner: Vec<(&'static str, Vec<f64>)>,
    /// Arrivals, drops and marks in the interval that ends at each sample.
    pub events: [Vec<u32>; 3],
    pub(super) running: [u32; 3],
    /// The quantities of the last sample; kept, since a vector for each sample would cost an allocation.
    probe: Probe,
}

/// Names of [`LinkSeries::events`].
pub const EVENT_SERIES: [&str; 3] = ["arrivals", "drops", "marks"];

impl LinkSeries {
    pub(super) fn take<P: Packet + Copy>(&mut self, backlog: Backlog, disc: OptionalDisc<'_, P>) {
        self.queue_pkts.push(backlog.pkts as u32);
        self.queue_bytes.push(backlog.bytes as u32);
        for (kept, running) in self.events.iter_mut().zip(&mut self.running) {
            kept.push(std::mem::take(running));
        }
        self.probe.values.clear();
        disc.into_iter().for_each(|disc| disc.probe(&mut self.probe));
        if self.inner.is_empty() {
            self.inner = self.probe.values.iter().map(|(name, _)| (*name, Vec::new())).collect();
        }
        for ((_, kept), (_, value)) in self.inner.iter_mut().zip(&self.probe.values) {
            kept.push(*value);
        }
    }
}
