//! The time average of a flow's congestion window.

use crate::account::packed::PackedU128;
use units::Time;

/// The time average of a step function from a start that all flows share. The area is a whole number of units times
/// nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct WindowMean {
    area: PackedU128,
    last: Time,
}

impl WindowMean {
    /// Averages from this time on.
    pub(super) fn from(from: Time) -> WindowMean {
        WindowMean { area: PackedU128::default(), last: from }
    }

    /// The value was `value` until `now`.
    #[inline]
    pub fn hold(&mut self, value: u64, now: Time) {
        self.hold_lazily(now, || value);
    }

    /// The same; the value is computed only if time has passed.
    #[inline(always)]
    pub(super) fn hold_lazily(&mut self, now: Time, value: impl FnOnce() -> u64) {
        if now > self.last {
            self.area.add(u128::from(value()) * u128::from(now.since(self.last).0));
            self.last = now;
        }
    }

    /// The average from `from` until the last update; zero if no time has passed.
    pub fn mean(&self, from: Time) -> f64 {
        self.area.get() as f64 / self.last.since(from).0.max(1) as f64
    }
}
