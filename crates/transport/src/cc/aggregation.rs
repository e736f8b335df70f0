//! How much more than the bandwidth explains was acknowledged at once lately: receivers and links that answer in bunches.
//!
//! *Reference*: CSB25 section 5.5.9.
//! *Units*: segments, segments a second.

use super::windowed::WindowedMax;
use crate::rate::Sample;
use units::Time;

/// Rounds the filter remembers.
const ROUNDS: u32 = 10;

/// The greatest surplus of the last rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    extra: WindowedMax,
    since: Time,
    acked: f64,
}

impl Aggregation {
    /// The surplus, in segments.
    pub(super) fn extra(&self) -> f64 {
        self.extra.get()
    }

    /// Takes in an acknowledgement. While they come no faster than the bandwidth says, each begins a new count.
    pub(super) fn update(&mut self, bandwidth: f64, cwnd: f64, round: u32, sample: &Sample) {
        let mut expected = bandwidth * sample.now.since(self.since).as_secs();
        if self.acked <= expected {
            (self.acked, self.since, expected) = (0.0, sample.now, 0.0);
        }
        self.acked += f64::from(sample.newly_acked);
        self.extra.update(round, (self.acked - expected).min(cwnd), ROUNDS);
    }
}
