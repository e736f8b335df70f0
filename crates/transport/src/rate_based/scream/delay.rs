//! Queueing delay of the path, its trend, and the target that competing flows raise.
//!
//! *Reference*: RFC8298 sections 4.1.2 and 4.1.2.3; RFC6817 for the base delay.
//! *Units*: seconds.
//! *Deviations*: the RFC names a history of 100 samples and uses 200: these are 200.

use super::ScreamParams;
use std::collections::VecDeque;
use units::math::sqrt;
use units::Time;

/// Samples of the trend, and the time between them.
const TREND_SAMPLES: usize = 20;
const SAMPLE_EVERY: f64 = 0.05;
/// Samples whose variance and whose mean decide on the target.
const LONG: usize = 200;
const SHORT: usize = 50;
/// Least loss event rate that raises the target.
const LOSS_EVENTS: f64 = 0.002;
/// Normalised variance below which the delay counts as stable.
const STABLE: f64 = 0.2;
/// Minutes of the base delay (RFC6817 section 4.2).
const BASE_MINUTES: usize = 10;

/// Lowest one-way delay of the last ten minutes.
#[derive(Clone, Debug, Default)]
struct BaseDelay {
    /// Minute and its lowest delay, oldest first.
    minutes: VecDeque<(u64, f64)>,
}

impl BaseDelay {
    fn update(&mut self, now: Time, delay: f64) -> f64 {
        let minute = now.as_secs() as u64 / 60;
        match self.minutes.back_mut() {
            Some((last, least)) if *last == minute => *least = least.min(delay),
            _ => self.minutes.push_back((minute, delay)),
        }
        if self.minutes.len() > BASE_MINUTES {
            self.minutes.pop_front();
        }
        self.minutes.iter().fold(f64::INFINITY, |least, held| least.min(held.1))
    }
}

/// Queueing delay and its target.
#[derive(Clone, Debug)]
pub struct DelayState {
    low: f64,
    high: f64,
    weight: f64,
    base: BaseDelay,
    /// Queueing delay of the last feedback.
    pub qdelay: f64,
    /// Target of the queueing delay.
    pub target: f64,
    /// Trend of the queueing delay.
    pub trend: f64,
    /// Its slowly falling maximum.
    pub trend_mem: f64,
    fraction_avg: f64,
    fractions: VecDeque<f64>,
    norms: VecDeque<f64>,
    sampled: Option<Time>,
}

impl DelayState {
    /// Returns the state before the first feedback.
    pub fn new(params: &ScreamParams) -> DelayState {
        DelayState {
            low: params.target_low.as_secs(),
            high: params.target_high.as_secs(),
            weight: params.delay_weight,
            base: BaseDelay::default(),
            qdelay: 0.0,
            target: params.target_low.as_secs(),
            trend: 0.0,
            trend_mem: 0.0,
            fraction_avg: 0.0,
            fractions: VecDeque::from(vec![0.0; TREND_SAMPLES]),
            norms: VecDeque::from(vec![0.0; LONG]),
            sampled: None,
        }
    }

    /// Takes a one-way delay.
    pub fn update(&mut self, now: Time, delay: f64) {
        self.qdelay = delay - self.base.update(now, delay);
        if self.sampled.is_some_and(|at| now.since(at).as_secs() < SAMPLE_EVERY) {
            return;
        }
        self.sampled = Some(now);
        let fraction = self.qdelay / self.target;
        self.fraction_avg = (1.0 - self.weight) * self.fraction_avg + self.weight * fraction;
        self.fractions.pop_front();
        self.fractions.push_back(fraction);
        self.trend = (prediction(&self.fractions) * self.fraction_avg).clamp(0.0, 1.0);
        self.trend_mem = (0.99 * self.trend_mem).max(self.trend);
    }

    /// Moves the target: up where the delay is stable or losses show a competing flow, else down.
    pub fn adjust_target(&mut self, loss_event_rate: f64) {
        self.norms.pop_front();
        self.norms.push_back(self.qdelay / self.low);
        let mean = self.norms.iter().sum::<f64>() / LONG as f64;
        let variance = self.norms.iter().map(|norm| (norm - mean) * (norm - mean)).sum::<f64>() / LONG as f64;
        let recent = self.norms.iter().rev().take(SHORT).sum::<f64>() / SHORT as f64;
        let limit = (recent + sqrt(variance)) * self.low;
        self.target = if loss_event_rate > LOSS_EVENTS {
            1.5 * limit
        } else if variance < STABLE {
            limit
        } else if limit < self.low {
            (0.5 * self.target).max(limit)
        } else {
            0.9 * self.target
        };
        self.target = self.target.clamp(self.low, self.high);
    }
}

/// Autocorrelation at lag 1 over that at lag 0, without the mean; 0 where the samples are equal.
fn prediction(samples: &VecDeque<f64>) -> f64 {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let (mut zero, mut one, mut before) = (0.0, 0.0, None);
    for x in samples.iter().map(|sample| sample - mean) {
        zero += x * x;
        one += before.map_or(0.0, |before| before * x);
        before = Some(x);
    }
    if zero > 0.0 {
        one / zero
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn state() -> DelayState {
        DelayState::new(&ScreamParams::default())
    }

    /// 1, 2, 3 less 2 are -1, 0, 1: lag 1 gives 0, lag 0 gives 2. 0, 0, 3, 3: -1.5, -1.5, 1.5, 1.5: 2.25/9.
    #[test]
    fn prediction_by_hand() {
        assert_eq!(prediction(&VecDeque::from(vec![1.0, 2.0, 3.0])), 0.0);
        assert_eq!(prediction(&VecDeque::from(vec![0.0, 0.0, 3.0, 3.0])), 0.25);
        assert_eq!(prediction(&VecDeque::from(vec![4.0; 5])), 0.0);
    }

    /// Base 30 ms, then 80 ms: 50 ms of queue. 20 ms later no sample of the trend is taken; after 50 ms one is.
    #[test]
    fn delay_is_above_the_base_and_sampled_each_50_ms() {
        let mut state = state();
        state.update(ms(0), 0.030);
        state.update(ms(20), 0.080);
        assert!((state.qdelay - 0.050).abs() < 1e-12);
        assert_eq!(state.fraction_avg, 0.0);
        state.update(ms(50), 0.080);
        assert!((state.fraction_avg - 0.05).abs() < 1e-12, "a tenth of 50/100 ms");
    }

    /// A lower delay of the first minute counts for ten minutes.
    #[test]
    fn base_delay_is_forgotten_after_ten_minutes() {
        let mut base = BaseDelay::default();
        assert_eq!(base.update(ms(0), 0.010), 0.010);
        for minute in 1..10 {
            assert_eq!(base.update(ms(60_000 * minute), 0.020), 0.010);
        }
        assert_eq!(base.update(ms(600_000), 0.020), 0.020);
    }

    /// 19 zeros and a 1: mean 0.05; lag 0: 0.95, lag 1: 18 · 0.0025 - 0.0475 = -0.0025: no trend yet. With a second 1:
    /// mean 0.1, lag 0: 1.8; lag 1: 17 · 0.01 - 0.09 + 0.81 = 0.89.
    #[test]
    fn trend_by_hand() {
        let mut state = state();
        state.update(ms(0), 0.030);
        state.update(ms(50), 0.130);
        assert_eq!(state.trend, 0.0);
        state.update(ms(100), 0.130);
        assert!((state.trend - 0.89 / 1.8 * 0.19).abs() < 1e-9, "{}", state.trend);
        let peak = state.trend;
        for n in 3..30 {
            state.update(ms(50 * n), 0.030);
        }
        assert!(state.trend < peak && state.trend_mem > 0.7 * peak);
    }

    /// A queue of 200 ms for long: variance 0, the target follows it; losses raise it by half.
    #[test]
    fn a_stable_queue_of_others_raises_the_target() {
        let mut state = state();
        state.qdelay = 0.2;
        for _ in 0..LONG {
            state.adjust_target(0.0);
        }
        assert!((state.target - 0.2).abs() < 1e-9);
        state.adjust_target(0.01);
        assert!((state.target - 0.3).abs() < 1e-9);
        state.qdelay = 0.0;
        for _ in 0..LONG {
            state.adjust_target(0.0);
        }
        assert_eq!(state.target, 0.1, "the least target");
    }

    /// 100 samples of 0 and 100 of 2: variance 1, the target falls by a tenth.
    #[test]
    fn a_changing_queue_lowers_the_target() {
        let mut state = state();
        state.qdelay = 0.2;
        (0..LONG / 2).for_each(|_| state.adjust_target(0.0));
        state.target = 0.4;
        state.adjust_target(0.0);
        assert!((state.target - 0.36).abs() < 1e-9);
    }
}
