//! Over-use detector: an adaptive threshold for the estimate.
//!
//! *Reference*: GCC02 section 5.4.
//! *Units*: milliseconds.
//! *Deviations*: the estimate is multiplied by the number of groups, up to `estimate_gain`, as in WebRTC; a step of the
//! threshold ends at the estimate at most.

use super::groups::ms_between;
use super::params::GccUnconfirmed;
use super::GccParams;
use units::Time;

/// The threshold stays where the estimate exceeds it by more.
const SKIP: f64 = 15.0;
/// Range of the threshold.
const LEAST: f64 = 6.0;
const MOST: f64 = 600.0;

/// Verdict of the estimate on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A queue grows.
    Over,
    /// Neither.
    Normal,
    /// A queue shrinks.
    Under,
}

/// OveruseDetector of one flow.
#[derive(Clone, Debug)]
pub struct OveruseDetector {
    gain: f64,
    k_u: f64,
    k_d: f64,
    overuse_time: f64,
    unconfirmed: GccUnconfirmed,
    groups: f64,
    /// The estimate as it is compared.
    pub compared: f64,
    /// Threshold.
    pub threshold: f64,
    /// Signal of the last group.
    pub signal: Signal,
    over_since: Option<Time>,
}

impl OveruseDetector {
    /// No groups yet.
    pub fn new(params: &GccParams) -> OveruseDetector {
        OveruseDetector {
            gain: params.estimate_gain,
            k_u: params.k_u,
            k_d: params.k_d,
            overuse_time: params.overuse_time.as_millis(),
            unconfirmed: params.unconfirmed,
            groups: 0.0,
            compared: 0.0,
            threshold: params.initial_threshold.as_millis(),
            signal: Signal::Normal,
            over_since: None,
        }
    }

    /// Takes the estimate after a group. `elapsed`: time since the group before.
    pub fn update(&mut self, now: Time, elapsed: f64, estimate: f64) {
        let before = self.compared;
        self.groups += 1.0;
        self.compared = estimate * self.groups.min(self.gain);
        self.adapt(elapsed);
        if self.compared > self.threshold {
            let since = *self.over_since.get_or_insert(now);
            if ms_between(now, since) >= self.overuse_time && self.compared >= before {
                self.signal = Signal::Over;
            } else if self.unconfirmed == GccUnconfirmed::Normal {
                self.signal = Signal::Normal;
            }
            return;
        }
        self.over_since = None;
        self.signal = if self.compared < -self.threshold { Signal::Under } else { Signal::Normal };
    }

    fn adapt(&mut self, elapsed: f64) {
        let size = self.compared.abs();
        if size - self.threshold > SKIP {
            return;
        }
        let k = if size < self.threshold { self.k_d } else { self.k_u };
        self.threshold += (elapsed * k).min(1.0) * (size - self.threshold);
        self.threshold = self.threshold.clamp(LEAST, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn detector() -> OveruseDetector {
        OveruseDetector::new(&GccParams { estimate_gain: 1.0, ..GccParams::default() })
    }

    /// 12.5 and an estimate of 20, 5 ms after the group before: 5 % of 7.5 more. 2.5 at 5 ms: 0.0009 · 10.375 less.
    #[test]
    fn the_threshold_by_hand() {
        let mut detector = detector();
        detector.update(at(0), 5.0, 20.0);
        assert!((detector.threshold - 12.875).abs() < 1e-12);
        detector.update(at(5), 5.0, 2.5);
        assert!((detector.threshold - (12.875 - 0.0009 * 10.375)).abs() < 1e-12);
        let held = detector.threshold;
        detector.update(at(10), 5.0, 40.0);
        assert_eq!(detector.threshold, held, "27 beyond it");
        (0..9000).for_each(|n| detector.update(at(15 + 5 * n), 5.0, 0.0));
        assert_eq!(detector.threshold, 6.0);
    }

    /// Above the threshold for 10 ms and not falling: over-use. A fall says normal, or what was before.
    #[test]
    fn over_use_takes_10_ms_and_no_fall() {
        let mut detector = detector();
        let mut signal = |ms, estimate| {
            detector.update(at(ms), 5.0, estimate);
            detector.signal
        };
        assert_eq!(
            [signal(0, 14.0), signal(5, 15.0), signal(10, 16.0)],
            [Signal::Normal, Signal::Normal, Signal::Over]
        );
        assert_eq!([signal(15, 15.5), signal(20, 16.0)], [Signal::Normal, Signal::Over]);
        assert_eq!([signal(25, 0.0), signal(30, -20.0)], [Signal::Normal, Signal::Under]);
        detector.unconfirmed = GccUnconfirmed::Previous;
        detector.update(at(35), 5.0, 20.0);
        assert_eq!(detector.signal, Signal::Under, "not yet 10 ms");
    }

    /// The third group's estimate counts three times, the hundredth's 60 times.
    #[test]
    fn the_estimate_is_multiplied_by_the_groups() {
        let mut detector = OveruseDetector::new(&GccParams::default());
        (1..=3).for_each(|n| detector.update(at(5 * n), 5.0, 0.5));
        assert_eq!(detector.compared, 1.5);
        (4..=100).for_each(|n| detector.update(at(5 * n), 5.0, 0.5));
        assert_eq!(detector.compared, 30.0);
    }
}
