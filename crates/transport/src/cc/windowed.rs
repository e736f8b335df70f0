//! The greatest of what was seen within a window of rounds or cycles.
//!
//! *Reference*: CCHJ17 section 4.1.1.3, where an approximation by three values is suggested; this one is exact.
//! *Units*: whatever it is given.
//! *Deviations*: none.

use std::collections::VecDeque;

/// A windowed maximum.
#[derive(Clone, Debug)]
pub struct WindowedMax {
    /// Falling values with the times at which they came.
    values: VecDeque<(u32, f64)>,
}

/// More values than any window here holds, so that none is allocated later.
const ROOM: usize = 16;

impl Default for WindowedMax {
    fn default() -> WindowedMax {
        WindowedMax { values: VecDeque::with_capacity(ROOM) }
    }
}

impl WindowedMax {
    /// Takes a value in; what is `window` or more old is forgotten.
    pub fn update(&mut self, time: u32, value: f64, window: u32) {
        while self.values.back().is_some_and(|last| last.1 <= value) {
            self.values.pop_back();
        }
        self.values.push_back((time, value));
        while self.values.front().is_some_and(|first| first.0 + window <= time) {
            self.values.pop_front();
        }
        // One value a time is enough: the greatest.
        let same = self.values.iter().rev().take_while(|held| held.0 == time).count();
        self.values.truncate(self.values.len() + 1 - same.max(1));
    }

    /// The greatest value; zero before the first.
    pub fn get(&self) -> f64 {
        self.values.front().map_or(0.0, |first| first.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 at time 0 rules for three rounds, then the greatest of what came since.
    #[test]
    fn old_values_are_forgotten() {
        let mut max = WindowedMax::default();
        let seen: Vec<f64> = [5.0, 1.0, 3.0, 2.0, 2.5, 0.5]
            .iter()
            .enumerate()
            .map(|(time, value)| {
                max.update(time as u32, *value, 3);
                max.get()
            })
            .collect();
        assert_eq!(seen, [5.0, 5.0, 5.0, 3.0, 3.0, 2.5]);
    }

    #[test]
    fn a_moment_holds_one_value() {
        let mut max = WindowedMax::default();
        for value in [3.0, 2.0, 1.0] {
            max.update(7, value, 2);
        }
        assert_eq!((max.get(), max.values.len()), (3.0, 1));
    }
}
