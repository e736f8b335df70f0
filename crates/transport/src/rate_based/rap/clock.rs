//! RTT estimation of a RAP sender.
//!
//! *Reference*: RHE99; Jacobson's estimator with one weight.
//! *Units*: seconds.

use super::params::RapParams;
use units::Span;

/// RTT estimates of one path.
#[derive(Clone, Debug)]
pub struct RapTiming {
    weight: f64,
    rtts: f64,
    deviations: f64,
    short_weight: f64,
    long_weight: f64,
    measured: bool,
    srtt: f64,
    deviation: f64,
    timeout: f64,
    short: f64,
    long: f64,
}

impl RapTiming {
    /// Returns estimates without samples.
    pub fn new(params: &RapParams) -> RapTiming {
        RapTiming {
            weight: params.weight,
            rtts: params.timeout_rtts,
            deviations: params.timeout_deviations,
            short_weight: params.short_weight,
            long_weight: params.long_weight,
            measured: false,
            srtt: params.first_timeout.as_secs(),
            deviation: 0.0,
            timeout: params.first_timeout.as_secs(),
            short: 1.0,
            long: 1.0,
        }
    }

    /// Takes an RTT sample.
    pub fn take(&mut self, sample: Span) {
        let sample = sample.as_secs().max(1e-9);
        if self.measured {
            let error = sample - self.srtt;
            self.srtt += self.weight * error;
            self.deviation += self.weight * (error.abs() - self.deviation);
            self.short += self.short_weight * (sample - self.short);
            self.long += self.long_weight * (sample - self.long);
        } else {
            self.measured = true;
            (self.srtt, self.short, self.long) = (sample, sample, sample);
        }
        self.timeout = self.rtts * self.srtt + self.deviations * self.deviation;
    }

    /// Whether there has been a sample.
    pub fn measured(&self) -> bool {
        self.measured
    }

    /// Smoothed RTT; before the first sample, the step interval.
    pub fn srtt(&self) -> f64 {
        self.srtt
    }

    /// Timeout after which an unacknowledged packet is lost.
    pub fn timeout(&self) -> Span {
        Span::from_secs(self.timeout)
    }

    /// Ratio of short-term to long-term mean RTT.
    pub fn stretch(&self) -> f64 {
        self.short / self.long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 ms, then 200: mean 150, deviation 50, timeout 1.2 · 150 + 4 · 50 = 380 ms; 190 over 101 ms.
    #[test]
    fn estimates_by_hand() {
        let mut clock = RapTiming::new(&RapParams::default());
        assert_eq!((clock.timeout(), clock.stretch()), (Span::from_millis(2000), 1.0));
        clock.take(Span::from_millis(100));
        assert_eq!(clock.timeout(), Span::from_millis(120));
        clock.take(Span::from_millis(200));
        assert!((clock.srtt() - 0.15).abs() < 1e-12 && (clock.timeout().as_secs() - 0.38).abs() < 1e-9);
        assert!((clock.stretch() - 0.19 / 0.101).abs() < 1e-12);
    }
}
