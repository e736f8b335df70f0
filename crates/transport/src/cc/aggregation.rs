//! How much more than the bandwidth explains was acknowledged at once lately: receivers and links that answer in bunches.
//!
//! *Reference*: CSB25 section 5.5.9; Linux by its output: whole segments, and two bins of rounds in place of a sliding window.
//! *Units*: segments, segments a second.

use crate::rate::Sample;
use units::Time;

/// Rounds of a bin.
const ROUNDS: u32 = 5;

/// The greatest surplus of the present five rounds and the five before.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    now: f64,
    before: f64,
    rounds: u32,
    since: Time,
    acked: f64,
    /// Most that is counted in a row, and whole seconds alone explain anything.
    most: Option<f64>,
}

impl Aggregation {
    /// One whose count begins anew with `most` segments, and for which only whole seconds explain anything (ns-3).
    pub(super) fn in_row(most: f64) -> Aggregation {
        Aggregation { most: Some(most), ..Aggregation::default() }
    }

    /// The surplus, in segments.
    pub(super) fn extra(&self) -> f64 {
        self.now.max(self.before)
    }

    /// Takes in an acknowledgement. While they come no faster than the bandwidth says, each begins a new count.
    pub(super) fn update(&mut self, bandwidth: f64, cwnd: f64, round_start: bool, sample: &Sample) {
        self.rounds += u32::from(round_start);
        if self.rounds >= ROUNDS {
            (self.before, self.now, self.rounds) = (self.now, 0.0, 0);
        }
        let elapsed = sample.now.since(self.since).as_secs();
        let whole = if self.most.is_some() { elapsed.floor() } else { elapsed };
        let mut expected = (bandwidth * whole).floor();
        let full = self.most.is_some_and(|most| self.acked + f64::from(sample.newly_acked) >= most);
        if full || self.acked <= expected {
            (self.acked, self.since, expected) = (0.0, sample.now, 0.0);
        }
        self.acked += f64::from(sample.newly_acked);
        self.now = self.now.max((self.acked - expected).min(cwnd));
    }
}
