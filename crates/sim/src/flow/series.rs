//! Samples of a flow.

use units::{Span, Time};

/// A flow's series. `received` is indexed by interval, the others have one entry a sample.
#[derive(Clone, Debug)]
pub struct FlowSeries {
    /// When the next sample of the window is due.
    pub next_sample: Time,
    /// Bytes received in each interval.
    pub received: Vec<u32>,
    /// Congestion window in segments; of a rate-based flow its allowed rate in bit/s.
    pub cwnd: Vec<f32>,
    /// Slow-start threshold in segments; of a rate-based flow what its transport names.
    pub ssthresh: Vec<f32>,
}

impl FlowSeries {
    /// Empty series whose first sample is due at `next_sample`.
    pub(super) fn new(next_sample: Time) -> FlowSeries {
        FlowSeries { next_sample, received: Vec::new(), cwnd: Vec::new(), ssthresh: Vec::new() }
    }

    /// A packet arrives.
    pub(super) fn receive(&mut self, now: Time, size: u32, step: Span) {
        let interval = (now.nanos() / step.0) as usize;
        if interval >= self.received.len() {
            self.received.resize(interval + 1, 0);
        }
        self.received[interval] += size;
    }
}
