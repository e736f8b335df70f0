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
    /// When what is received begins to belong to another interval than the last that was received.
    pub(super) next_interval: Time,
    /// That interval, and bytes that were counted before it.
    interval: usize,
    before: u64,
}

impl FlowSeries {
    /// Empty series whose first sample is due at `next_sample`.
    pub(super) fn new(next_sample: Time) -> FlowSeries {
        FlowSeries {
            next_sample,
            received: Vec::new(),
            cwnd: Vec::new(),
            ssthresh: Vec::new(),
            next_interval: Time::ZERO,
            interval: 0,
            before: 0,
        }
    }

    /// Of all `bytes` counted, those not yet in an interval belong to the last; what comes from `now` on belongs to that of `now`.
    pub(super) fn divide(&mut self, now: Time, bytes: u64, step: Span) {
        if bytes > self.before {
            let needed = self.received.len().max(self.interval + 1);
            self.received.resize(needed, 0);
            self.received[self.interval] += (bytes - self.before) as u32;
            self.before = bytes;
        }
        let interval = now.nanos() / step.0;
        self.interval = interval as usize;
        // Of doubles each is asked for its own interval.
        self.next_interval = if now.is_double() { Time::ZERO } else { Time((interval + 1) * step.0) };
    }

    /// Bytes are counted from none again, all so far being in their intervals.
    pub(super) fn count_anew(&mut self) {
        self.before = 0;
    }
}
