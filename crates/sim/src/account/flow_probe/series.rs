//! Series of a flow.

use units::{Span, Time};

/// A flow's series. `received` is indexed by interval, the others have one entry for each sample.
#[derive(Clone, Debug)]
pub struct FlowSeries {
    /// When the next sample of the congestion window is due.
    pub next_sample: Time,
    /// Bytes received in each interval.
    pub received: Vec<u64>,
    /// Congestion window in segments; of a rate-based flow its allowed rate in bit/s.
    pub cwnd: Vec<f32>,
    /// Slow-start threshold in segments; of a rate-based flow the variable that its transport reports.
    pub ssthresh: Vec<f32>,
    /// The end of the interval of the last arrival.
    pub(super) next_interval: Time,
    /// That interval, and the bytes counted before it.
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

    /// Assigns bytes that are in no interval yet to the interval of the last arrival, and makes that of `now` the
    /// present one.
    pub(super) fn close_interval(&mut self, now: Time, bytes: u64, step: Span) {
        if bytes > self.before {
            let needed = self.received.len().max(self.interval + 1);
            self.received.resize(needed, 0);
            self.received[self.interval] += bytes - self.before;
            self.before = bytes;
        }
        let interval = now.nanos() / step.0;
        self.interval = interval as usize;
        // A clock of doubles computes the interval for each arrival.
        self.next_interval = if now.is_double() { Time::ZERO } else { Time((interval + 1) * step.0) };
    }

    /// The byte count restarts at zero; all bytes so far are in their intervals.
    pub(super) fn restart_count(&mut self) {
        self.before = 0;
    }
}
