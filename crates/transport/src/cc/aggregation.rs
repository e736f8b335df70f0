//! ACK aggregation: how many more segments than the bandwidth explains were recently acknowledged at once.
//!
//! *Reference*: CSB25 section 5.5.9; Linux by its output: whole segments, and two bins of rounds in place of
//! a sliding window.
//! *Units*: segments, segments per second.

use crate::rate::Sample;
use units::{math, Time};

/// Rounds per bin.
const ROUNDS: u32 = 5;

/// Largest excess of the present five rounds and of the five before.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    now: f64,
    before: f64,
    rounds: u32,
    since: Time,
    acked: f64,
    /// Upper bound on the segments counted in a row; time counts in whole seconds only (ns-3).
    most: Option<f64>,
}

impl Aggregation {
    /// Returns an estimator that restarts its count at `most` segments and counts time in whole seconds
    /// (ns-3).
    pub(super) fn in_row(most: f64) -> Aggregation {
        Aggregation { most: Some(most), ..Aggregation::default() }
    }

    /// The excess, in segments.
    pub(super) fn extra(&self) -> f64 {
        math::larger(self.now, self.before)
    }

    /// Takes an ACK. While ACKs arrive no faster than the bandwidth, each restarts the count.
    pub(super) fn update(&mut self, bandwidth: f64, cwnd: f64, round_start: bool, sample: &Sample) {
        self.rounds += u32::from(round_start);
        if self.rounds >= ROUNDS {
            (self.before, self.now, self.rounds) = (self.now, 0.0, 0);
        }
        let elapsed = sample.now.since(self.since).as_secs();
        let whole = if self.most.is_some() { math::floor(elapsed) } else { elapsed };
        let mut expected = math::floor(bandwidth * whole);
        let full = self.most.is_some_and(|most| self.acked + f64::from(sample.newly_acked) >= most);
        if full || self.acked <= expected {
            (self.acked, self.since, expected) = (0.0, sample.now, 0.0);
        }
        self.acked += f64::from(sample.newly_acked);
        self.now = math::larger(self.now, math::smaller(self.acked - expected, cwnd));
    }
}
