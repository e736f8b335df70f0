//! Kalman filter of the change of the delay from group to group.
//!
//! *Reference*: GCC02 section 5.3.
//! *Units*: milliseconds.
//! *Deviations*: assumed: the first variance of the noise is its least, 1; outliers are limited on both sides; two
//! groups with one departure time say nothing of the rate of groups.

use super::groups::GroupSample;
use super::GccParams;
use std::collections::VecDeque;
use units::math::{pow, sqrt};

/// Least variance of the noise.
const LEAST_NOISE: f64 = 1.0;
/// Standard deviations beyond which a sample is limited.
const OUTLIER: f64 = 3.0;

/// Filter of one flow.
#[derive(Clone, Debug)]
pub struct KalmanFilter {
    q: f64,
    kept: f64,
    burst: f64,
    groups: usize,
    /// Estimate `m_hat`.
    pub estimate: f64,
    error: f64,
    noise: f64,
    /// Times between departures of the last groups.
    departures: VecDeque<f64>,
}

impl KalmanFilter {
    /// No groups yet.
    pub fn new(params: &GccParams) -> KalmanFilter {
        KalmanFilter {
            q: params.q,
            kept: 1.0 - params.chi,
            burst: params.burst_time.as_millis(),
            groups: params.rate_groups as usize,
            estimate: 0.0,
            error: params.initial_error,
            noise: LEAST_NOISE,
            departures: VecDeque::new(),
        }
    }

    /// Takes a group.
    pub fn update(&mut self, sample: &GroupSample) {
        if sample.departures > 0.0 {
            self.departures.push_back(sample.departures);
            if self.departures.len() > self.groups {
                self.departures.pop_front();
            }
        }
        let shortest = self.departures.iter().copied().reduce(f64::min).unwrap_or(self.burst);
        let alpha = pow(self.kept, 30.0 * shortest / 1000.0);
        let residual = sample.variation() - self.estimate;
        let most = OUTLIER * sqrt(self.noise);
        let limited = residual.clamp(-most, most);
        self.noise = (alpha * self.noise + (1.0 - alpha) * limited * limited).max(LEAST_NOISE);
        let predicted = self.error + self.q;
        let gain = predicted / (self.noise + predicted);
        self.estimate += residual * gain;
        self.error = (1.0 - gain) * predicted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Time;

    /// Error 0.101 of 1.101: a change of 2 ms moves the estimate by 0.18347; error 0.101 · (1 - 0.09173) = 0.09173.
    /// The noise stays 1, as 4 weighs 1 - 0.99^0.99 of it only with a rate of 30 groups a second: 1.0297.
    #[test]
    fn the_first_group_by_hand() {
        let mut filter = KalmanFilter::new(&GccParams::default());
        filter.update(&GroupSample { arrived: Time::ZERO, departures: 33.0, arrivals: 35.0 });
        let noise = 1.0 + (1.0 - pow(0.99, 0.99)) * 3.0;
        assert!((filter.noise - noise).abs() < 1e-12 && (noise - 1.0297).abs() < 1e-4);
        let gain = 0.101 / (noise + 0.101);
        assert!((filter.estimate - 2.0 * gain).abs() < 1e-12);
        assert!((filter.error - 0.101 * (1.0 - gain)).abs() < 1e-12);
    }

    /// A change that stays is found; one of 100 ms counts as 3 ms in the noise.
    #[test]
    fn the_estimate_follows_the_mean() {
        let mut filter = KalmanFilter::new(&GccParams::default());
        for _ in 0..500 {
            filter.update(&GroupSample { arrived: Time::ZERO, departures: 10.0, arrivals: 12.0 });
        }
        assert!((filter.estimate - 2.0).abs() < 1e-3);
        filter.update(&GroupSample { arrived: Time::ZERO, departures: 10.0, arrivals: 110.0 });
        assert!(filter.noise < 1.1);
    }
}
