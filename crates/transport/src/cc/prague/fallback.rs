//! Classic ECN detection: a classic AQM makes RTTs long and variable, an L4S queue does neither.
//!
//! *Reference*: RFC 9331 section 4.3 requires it; BA19 for the law, from memory.
//! *Units*: nanoseconds; the score has none: at 0 and below marks are L4S, from 1 on classic.
//! *Deviations*: the weights and the gain of the deviation are assumed; the estimates are not scaled with the
//! rate.

use units::{math, Span};

/// Score per doubling of the RTT deviation above its reference in a round, and that reference.
const VARIATION: (f64, f64) = (0.5, 750e3);
/// The same for the queue depth.
const DEPTH: (f64, f64) = (0.5, 2e6);
/// Range of the score beyond both ends, so that a settled decision takes some rounds to change.
const BEYOND: f64 = 8.0;
/// Weight of a sample in the deviation and in the mean.
const GAIN: f64 = 1.0 / 16.0;

/// Score that rises in rounds in which the queue looks classic.
#[derive(Clone, Debug)]
pub(super) struct ClassicQueueDetector {
    least: f64,
    mean: f64,
    deviation: f64,
    score: f64,
}

impl Default for ClassicQueueDetector {
    /// Initially, marks are taken as L4S.
    fn default() -> ClassicQueueDetector {
        ClassicQueueDetector { least: f64::INFINITY, mean: 0.0, deviation: 0.0, score: -BEYOND }
    }
}

impl ClassicQueueDetector {
    /// Takes an RTT sample.
    pub(super) fn measure(&mut self, rtt: Span) {
        let rtt = rtt.0 as f64;
        if self.mean == 0.0 {
            self.mean = rtt;
        }
        self.least = self.least.min(rtt);
        self.deviation += GAIN * ((rtt - self.mean).abs() - self.deviation);
        self.mean += GAIN * (rtt - self.mean);
    }

    /// Ends a round; only rounds with marks count.
    pub(super) fn end_round(&mut self, marked: bool) {
        if !marked {
            return;
        }
        let doublings =
            |value: f64, reference: f64| math::ln(value.max(1.0) / reference) / std::f64::consts::LN_2;
        let varies = VARIATION.0 * doublings(self.deviation, VARIATION.1);
        let deep = DEPTH.0 * doublings(self.mean - self.least, DEPTH.1).max(0.0);
        self.score = (self.score + varies + deep).clamp(-BEYOND, 1.0 + BEYOND);
    }

    /// Share of the response that should be classic.
    pub(super) fn share(&self) -> f64 {
        self.score.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deviation of 3 ms and a queue of 8 ms are two doublings each: the score rises by two per round.
    #[test]
    fn the_score_rises_with_deviation_and_depth() {
        let mut detector = ClassicQueueDetector { least: 10e6, mean: 18e6, deviation: 3e6, score: 0.0 };
        detector.end_round(false);
        assert_eq!(detector.share(), 0.0);
        detector.end_round(true);
        assert!((detector.score - 2.0).abs() < 1e-12 && detector.share() == 1.0);
        (0..9).for_each(|_| detector.end_round(true));
        assert_eq!(detector.score, 1.0 + BEYOND);
    }

    /// A deviation of an eighth of the reference, and no queue: three doublings too few, minus 1.5 per round.
    #[test]
    fn a_steady_queue_is_not_classic() {
        let mut detector = ClassicQueueDetector { least: 10e6, mean: 10e6, deviation: 93_750.0, score: 0.5 };
        detector.end_round(true);
        assert!((detector.score + 1.0).abs() < 1e-12 && detector.share() == 0.0);
    }
}
