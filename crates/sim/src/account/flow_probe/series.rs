//! Series of a flow.

use units::{Span, Time};

/// A flow's series. `received` is indexed by interval, the others have one entry for each sample.
#[derive(Clone, Debug)]
pub struct FlowSeries {
    /// When the next sample of the congestion window is due.
    pub next_sample: Time,
    /// Bytes received in each interval.
    pub received: Vec<u64>,
    /// Congestion window and slow-start threshold in segments; of a rate-based flow its allowed rate in bit/s and the
    /// variable that its transport reports.
    pub windows: Vec<[f32; 2]>,
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
            windows: Vec::new(),
            next_interval: Time::ZERO,
            interval: 0,
            before: 0,
        }
    }

    /// Assigns bytes that are in no interval yet to the interval of the last arrival, and makes that of `now` the
    /// present one.
    pub(super) fn close_interval(&mut self, now: Time, bytes: u64, step: Span) {
        if bytes > self.before {
            let arrived = bytes - self.before;
            if let Some(received) = self.received.get_mut(self.interval) {
                *received += arrived;
            } else {
                while self.received.len() < self.interval {
                    self.received.push(0);
                }
                self.received.push(arrived);
            }
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
