//! Little's law, checked exactly: the queue length summed over time is the sum of the packets' times in the queue.
//!
//! Reference: Little, "A proof for the queuing formula L = lambda W" (1961): mean queue length = arrival rate times
//! mean sojourn time. Over a window of length T, with N packets that leave in it, both sides times T are equal up to
//! the edges: packets that are in the queue when the window begins or ends. The edges are summed here, so that no
//! difference remains.

use crate::account::MeasurementWindow;
use units::Time;

/// Both sides of Little's law over the measurement window, and the edges between them; in packets times nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct LittlesLaw {
    /// Times in the queue after the window begins, of packets that are in the queue when it ends, less times before it
    /// begins, of packets that leave in it.
    edges: i128,
    /// For links that record a departure as it happens: packets in the queue, and their arrivals since the window
    /// began.
    present: u64,
    arrivals: u128,
    stores: bool,
    difference: Option<i128>,
}

impl LittlesLaw {
    /// A packet arrives at a link that learns of its departure as it happens.
    #[inline]
    pub fn arrived(&mut self, now: Time, window: &MeasurementWindow) {
        (self.stores, self.present) = (true, self.present + 1);
        self.arrivals += u128::from(since_start(now, window));
    }

    /// A packet that arrived at `arrived` leaves the queue at `now`, or will.
    #[inline]
    pub(super) fn left(&mut self, arrived: Time, now: Time, window: &MeasurementWindow) {
        if self.stores {
            self.present -= 1;
            self.arrivals -= u128::from(since_start(arrived, window));
        }
        if now > window.end {
            self.edges += i128::from(window.end.since(arrived.max(window.warmup)).0);
        } else if now >= window.warmup && arrived < window.warmup {
            self.edges -= i128::from(window.warmup.since(arrived).0);
        }
    }

    /// The run ends at `end`. `area`: the queue length summed over the window; `sojourns`: of the packets that left in
    /// it.
    pub(super) fn finish(&mut self, end: Time, area: u128, sojourns: u128, window: &MeasurementWindow) {
        // Departures that are known ahead cannot be cut short.
        if end < window.end {
            return;
        }
        let present = u128::from(self.present) * u128::from(since_start(end, window)) - self.arrivals;
        self.difference = Some(area as i128 - (sojourns + present) as i128 - self.edges);
    }

    /// The mean queue length less that which Little's law derives from the sojourn times, in packets: zero, except for
    /// the rounding of a clock of doubles. `None` if the run was cut short.
    pub fn difference(&self, window: &MeasurementWindow) -> Option<f64> {
        let length = window.end.since(window.warmup).0.max(1);
        self.difference.map(|difference| difference as f64 / length as f64)
    }
}

/// Nanoseconds since the window began, zero before.
fn since_start(time: Time, window: &MeasurementWindow) -> u64 {
    time.min(window.end).since(window.warmup).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    const WINDOW: MeasurementWindow =
        MeasurementWindow { warmup: Time(10), end: Time(20), sample: Span(1), series: false };

    /// In the queue from 5 to 15, from 12 to 18 and from 16 on: in the window for 5, 6 and 4 of 10, of which the
    /// sojourns count 10 and 6.
    #[test]
    fn edges_by_hand() {
        let ahead = |area| {
            let mut law = LittlesLaw::default();
            [(5, 15), (12, 18), (16, 25), (1, 4)]
                .iter()
                .for_each(|(arrived, left)| law.left(Time(*arrived), Time(*left), &WINDOW));
            law.finish(Time(20), area, 16, &WINDOW);
            law.difference(&WINDOW)
        };
        let stored = |area| {
            let mut law = LittlesLaw::default();
            [1, 5, 12, 16].iter().for_each(|arrived| law.arrived(Time(*arrived), &WINDOW));
            [(1, 4), (5, 15), (12, 18)]
                .iter()
                .for_each(|(arrived, left)| law.left(Time(*arrived), Time(*left), &WINDOW));
            law.finish(Time(20), area, 16, &WINDOW);
            law.difference(&WINDOW)
        };
        assert_eq!((ahead(15), stored(15)), (Some(0.0), Some(0.0)));
        assert_eq!((ahead(14), stored(17)), (Some(-0.1), Some(0.2)), "a packet nanosecond is missed");
        let mut cut = LittlesLaw::default();
        cut.finish(Time(19), 0, 0, &WINDOW);
        assert_eq!(cut.difference(&WINDOW), None);
    }
}
