//! A view of a link: the packets in its queue, sojourn times, and the goodput of each flow.

use crate::account::{Passage, PassageEvent};
use std::collections::VecDeque;
use units::{Span, Time};

/// Bins of the histogram of sojourn times, on a log scale; the first holds all below [`SOJOURN_FIRST_MS`].
pub const SOJOURN_BINS: usize = 64;

/// The upper end of the first bin, in milliseconds.
pub const SOJOURN_FIRST_MS: f64 = 0.1;

/// Bins for each factor of ten.
pub const SOJOURN_PER_DECADE: f64 = 14.0;

/// A packet in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnPacket {
    /// Its flow.
    pub flow: u32,
    /// Its segment number.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether it carries CE set by this queue.
    pub marked: bool,
    back: bool,
    arrived: Time,
}

/// Counts of one flow at the link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowPassages {
    /// Bytes that departed.
    pub departed_bytes: u64,
    /// Packets dropped by the queue.
    pub dropped: u64,
    /// Packets marked by the queue.
    pub marked: u64,
}

/// State of a link as an observer sees it.
pub struct LinkView {
    warmup: Time,
    queue: VecDeque<DrawnPacket>,
    /// By flow; the last entry is that of all flows that began during the run.
    flows: Vec<FlowPassages>,
    /// Counts of sojourn times, from the end of the warm-up on once that is over.
    sojourns: [u64; SOJOURN_BINS],
    warm: bool,
    counts: [u32; 4],
    departed_bytes: u64,
    sojourn: Span,
}

impl LinkView {
    /// An empty view of a link that `flows` flows pass.
    pub(super) fn new(flows: usize, warmup: Time) -> LinkView {
        LinkView {
            warmup,
            queue: VecDeque::new(),
            flows: vec![FlowPassages::default(); flows + 1],
            sojourns: [0; SOJOURN_BINS],
            warm: false,
            counts: [0; 4],
            departed_bytes: 0,
            sojourn: Span::ZERO,
        }
    }

    /// Packets in the queue in the order of their arrival.
    pub fn queue(&self) -> &VecDeque<DrawnPacket> {
        &self.queue
    }

    /// The counts of each planned flow, and last those of the flows that began during the run.
    pub fn flows(&self) -> &[FlowPassages] {
        &self.flows
    }

    /// Counts of sojourn times since the start, or since the end of the warm-up once that is over.
    pub fn sojourns(&self) -> &[u64; SOJOURN_BINS] {
        &self.sojourns
    }

    /// Counts, bytes and mean sojourn time since the last call.
    pub(super) fn take_interval(&mut self) -> ([u32; 4], u64, Span) {
        let departed = u64::from(self.counts[3]);
        let mean = Span(std::mem::take(&mut self.sojourn).0.checked_div(departed).unwrap_or(0));
        (std::mem::take(&mut self.counts), std::mem::take(&mut self.departed_bytes), mean)
    }

    /// Applies passages of packets, in order.
    pub(super) fn record(&mut self, passages: &[Passage]) {
        for passage in passages {
            let place = (passage.flow as usize).min(self.flows.len() - 1);
            match passage.what {
                PassageEvent::Arrived => {
                    self.counts[0] += 1;
                    let Passage { time: arrived, flow, seq, size, back, .. } = *passage;
                    self.queue.push_back(DrawnPacket { flow, seq, size, marked: false, back, arrived });
                }
                PassageEvent::Dropped => {
                    self.counts[1] += 1;
                    self.flows[place].dropped += 1;
                    // The arriving packet is the usual victim, so the last copy is the one that goes.
                    if let Some(at) = self.queue.iter().rposition(|held| held.is(passage)) {
                        self.queue.remove(at);
                    }
                }
                PassageEvent::Marked => {
                    self.counts[2] += 1;
                    self.flows[place].marked += 1;
                    if let Some(held) = self.queue.iter_mut().rfind(|held| held.is(passage)) {
                        held.marked = true;
                    }
                }
                PassageEvent::Departed => self.departed(passage, place),
            }
        }
    }

    fn departed(&mut self, passage: &Passage, place: usize) {
        self.counts[3] += 1;
        self.departed_bytes += u64::from(passage.size);
        self.flows[place].departed_bytes += u64::from(passage.size);
        let Some(at) = self.queue.iter().position(|held| held.is(passage)) else { return };
        let Some(held) = self.queue.remove(at) else { return };
        let wait = passage.time.since(held.arrived);
        self.sojourn = self.sojourn + wait;
        if !self.warm && passage.time >= self.warmup {
            (self.warm, self.sojourns) = (true, [0; SOJOURN_BINS]);
        }
        self.sojourns[bin(wait)] += 1;
    }
}

impl DrawnPacket {
    fn is(&self, passage: &Passage) -> bool {
        self.flow == passage.flow && self.seq == passage.seq && self.back == passage.back
    }
}

/// The bin of a sojourn time.
fn bin(wait: Span) -> usize {
    let above = units::math::ln(wait.as_millis() / SOJOURN_FIRST_MS) / std::f64::consts::LN_10;
    ((above * SOJOURN_PER_DECADE).ceil().max(0.0) as usize).min(SOJOURN_BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.1 ms and less in the first bin, 1 ms fourteen bins on, and nothing beyond the last.
    #[test]
    fn bins_are_spaced_by_the_logarithm() {
        let bins = [0, 100_000, 999_999, 10_000_000, u64::from(u32::MAX)].map(|nanos| bin(Span(nanos)));
        assert_eq!(bins, [0, 0, 14, 28, 63]);
    }
}
