//! A flow's window over time.

use super::wide::Wide;
use units::Time;

/// The mean over time of a number that changes in steps, from a moment on that all flows share. The area is a whole number of units
/// times nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    area: Wide,
    last: Time,
}

impl Held {
    /// Counts from this moment on.
    pub(super) fn from(from: Time) -> Held {
        Held { area: Wide::default(), last: from }
    }

    /// The number was `held` until `now`.
    #[inline]
    pub fn hold(&mut self, held: u64, now: Time) {
        self.hold_with(now, || held);
    }

    /// The same of a number that is only asked for where time has passed.
    #[inline(always)]
    pub(super) fn hold_with(&mut self, now: Time, held: impl FnOnce() -> u64) {
        if now > self.last {
            self.area.add(u128::from(held()) * u128::from(now.since(self.last).0));
            self.last = now;
        }
    }

    /// The mean from that moment until the last held; zero if no time has passed.
    pub fn mean(&self, from: Time) -> f64 {
        self.area.get() as f64 / self.last.since(from).0.max(1) as f64
    }
}
