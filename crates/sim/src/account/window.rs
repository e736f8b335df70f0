//! The measurement window of a run.

use units::{Span, Time};

/// When measuring starts and ends, and the interval of the samples.
#[derive(Clone, Copy, Debug)]
pub struct MeasurementWindow {
    /// The end of the warm-up: measuring starts here.
    pub warmup: Time,
    /// The end of the run.
    pub end: Time,
    /// The sampling interval.
    pub sample: Span,
    /// Whether series are recorded.
    pub series: bool,
}

impl MeasurementWindow {
    /// Whether `now` is within the window.
    #[inline]
    pub fn contains(&self, now: Time) -> bool {
        now >= self.warmup && now <= self.end
    }

    /// The part of `start … finish` within the window.
    #[inline]
    pub(super) fn clip(&self, start: Time, finish: Time) -> Span {
        finish.min(self.end).since(start.max(self.warmup))
    }
}
