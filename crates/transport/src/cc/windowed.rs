//! Windowed maximum over rounds or cycles.
//!
//! *Reference*: CCHJ17 section 4.1.1.3, which suggests an approximation by three values; this one is exact.
//! *Units*: those of its input.
//! *Deviations*: none.

use std::collections::VecDeque;

/// A windowed maximum.
#[derive(Clone, Debug, Default)]
pub struct WindowedMax {
    /// Decreasing values with their times.
    values: VecDeque<Timed>,
    /// The first of them, zero without any: asked for many times per ACK.
    max: f64,
    /// The last of them.
    last: (u32, f64),
}

/// A value and its time, in 12 bytes: there are up to two dozen of them in each of a hundred thousand flows.
#[derive(Clone, Copy, Debug)]
struct Timed {
    time: u32,
    value: [u8; 8],
}

impl Timed {
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from_ne_bytes(self.value)
    }
}

impl WindowedMax {
    /// Adds a value; expires those `window` or older. The window never narrows.
    #[inline]
    pub fn update(&mut self, time: u32, value: f64, window: u32) {
        // Most values are below one of the same time, and change nothing.
        if time == self.last.0 && value < self.last.1 {
            return;
        }
        self.change(time, value, window);
    }

    #[inline(never)]
    fn change(&mut self, time: u32, value: f64, window: u32) {
        while self.values.back().is_some_and(|last| last.value() <= value) {
            self.values.pop_back();
        }
        // One value per time is enough: the largest.
        if self.values.back().is_none_or(|last| last.time != time) {
            if self.values.capacity() == 0 {
                // As many as a window holds while one is added, so that it allocates once.
                self.values.reserve_exact(window as usize + 1);
            }
            self.values.push_back(Timed { time, value: value.to_ne_bytes() });
        }
        while self.values.front().is_some_and(|first| first.time + window <= time) {
            self.values.pop_front();
        }
        self.max = self.values.front().map_or(0.0, |first| first.value());
        self.last = self.values.back().map_or((0, 0.0), |last| (last.time, last.value()));
    }

    /// The maximum; zero before the first value.
    #[inline]
    pub fn get(&self) -> f64 {
        self.max
    }
}

/// Windowed maximum by three values with their times: the largest, the largest after it, and the largest
/// after that. A quarter or half of the window without a new one replaces the later two by the present value.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreeMax {
    best: [(u32, f64); 3],
}

impl ThreeMax {
    /// Adds a value; one older than `window` is replaced by the next.
    pub fn update(&mut self, time: u32, value: f64, window: u32) {
        let new = (time, value);
        let old = |held: (u32, f64), age: u32| time - held.0 > age;
        if self.best[0].1 == 0.0 || value >= self.best[0].1 || old(self.best[2], window) {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].1 {
            self.best = [self.best[0], new, new];
        } else if value >= self.best[2].1 {
            self.best[2] = new;
        }
        if old(self.best[0], window) {
            self.best = [self.best[1], self.best[2], new];
            if old(self.best[0], window) {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].1 == self.best[0].1 && old(self.best[1], window / 4) {
            self.best = [self.best[0], new, new];
        } else if self.best[2].1 == self.best[1].1 && old(self.best[2], window / 2) {
            self.best[2] = new;
        }
    }

    /// The maximum; zero before the first value.
    pub fn get(&self) -> f64 {
        self.best[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 at time 0 rules for three rounds, then the largest value since.
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

    /// Smaller values of the same moment change nothing, and the last of a moment is the largest.
    #[test]
    fn the_maximum_of_a_moment_outlives_a_larger_one() {
        let mut max = WindowedMax::default();
        for (time, value) in [(0, 9.0), (1, 4.0), (1, 2.0), (1, 6.0), (1, 5.0), (2, 1.0)] {
            max.update(time, value, 3);
            assert_eq!(max.get(), 9.0);
        }
        max.update(3, 0.0, 3);
        assert_eq!(max.get(), 6.0);
        max.update(4, 0.0, 3);
        assert_eq!(max.get(), 1.0);
    }

    /// 5 at time 0, then 3: after a quarter of 10 rounds 3 takes the second place, after a half 1 the third.
    /// 5 expires after more than 10 rounds, and 3 rules.
    #[test]
    fn three_values_hand_on() {
        let mut max = ThreeMax::default();
        for (time, value) in [(0, 5.0), (2, 3.0), (3, 3.0), (6, 1.0), (9, 1.0), (10, 0.5)] {
            max.update(time, value, 10);
            assert_eq!(max.get(), 5.0);
        }
        max.update(11, 0.5, 10);
        assert_eq!(max.get(), 3.0);
        max.update(12, 4.0, 10);
        assert_eq!(max.get(), 4.0);
    }
}
