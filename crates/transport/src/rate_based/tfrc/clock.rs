//! RTT estimation of the sender: RTT, its square root, and the timeout of the equation.
//!
//! *Reference*: RFC 5348 sections 4.3 and 4.5; Jacobson 1988 for the coarse timeout in whole ticks.
//! *Units*: `r`, `root` and the last sample in seconds; `srtt` is scaled by 8 and `rttvar` by 4, in ticks.

use super::params::{TfrcParams, Timeout};

/// RTT estimates of one path.
#[derive(Clone, Debug)]
pub struct TfrcTiming {
    rule: Timeout,
    filter: f64,
    tick: f64,
    min_rto: f64,
    /// Smoothed RTT; zero before the first sample.
    r: f64,
    /// Smoothed square root of the RTT.
    root: f64,
    sample: f64,
    srtt: i64,
    rttvar: i64,
}

impl TfrcTiming {
    /// Returns estimates without samples.
    pub fn new(params: &TfrcParams) -> TfrcTiming {
        TfrcTiming {
            rule: params.timeout,
            filter: params.rtt_filter,
            tick: params.tick.as_secs(),
            min_rto: params.min_rto.as_secs(),
            r: 0.0,
            root: 1.0,
            sample: 0.0,
            srtt: 0,
            rttvar: 0,
        }
    }

    /// Takes an RTT sample, in seconds.
    pub fn take(&mut self, sample: f64) {
        let s = sample.max(1e-9);
        self.count_ticks(((s / self.tick + 0.5) as i64).max(1));
        self.sample = s;
        if self.r > 0.0 {
            self.r = self.filter * self.r + (1.0 - self.filter) * s;
            self.root = self.filter * self.root + (1.0 - self.filter) * s.sqrt();
        } else {
            self.r = s;
            self.root = s.sqrt();
        }
    }

    fn count_ticks(&mut self, ticks: i64) {
        if self.srtt == 0 {
            self.srtt = ticks << 3;
            self.rttvar = ticks << 1;
            return;
        }
        let delta = ticks - (self.srtt >> 3);
        self.srtt = (self.srtt + delta).max(1);
        self.rttvar = (self.rttvar + delta.abs() - (self.rttvar >> 2)).max(1);
    }

    /// Smoothed RTT in seconds, if there is a sample.
    pub fn rtt(&self) -> Option<f64> {
        (self.r > 0.0).then_some(self.r)
    }

    /// Timeout of the equation in seconds.
    pub fn t_rto(&self) -> f64 {
        match self.rule {
            Timeout::FourRtt => 4.0 * self.r,
            Timeout::Ticks => {
                let ticks = ((self.rttvar << 3) + self.srtt) >> 3;
                (ticks as f64 * self.tick).max(self.min_rto)
            }
        }
    }

    /// Factor on the packet gap: square root of the last RTT over the mean square root (oscillation damping).
    pub fn stretch(&self) -> f64 {
        if self.r > 0.0 {
            self.sample.sqrt() / self.root
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(timeout: Timeout) -> TfrcTiming {
        TfrcTiming::new(&TfrcParams { timeout, rtt_filter: 0.75, ..TfrcParams::default() })
    }

    #[test]
    fn estimates_by_hand() {
        let mut clock = clock(Timeout::FourRtt);
        assert_eq!((clock.rtt(), clock.stretch()), (None, 1.0));
        clock.take(0.04);
        clock.take(0.16);
        // 3/4 · 40 + 1/4 · 160 = 70 ms; roots 0.2 and 0.4 s^½: 0.25, so the spacing grows by 0.4 / 0.25.
        assert!((clock.rtt().unwrap() - 0.07).abs() < 1e-12);
        assert!((clock.t_rto() - 0.28).abs() < 1e-12);
        assert!((clock.stretch() - 1.6).abs() < 1e-12);
    }

    #[test]
    fn a_coarse_timeout_stays_at_three_ticks() {
        let mut clock = clock(Timeout::Ticks);
        for _ in 0..50 {
            clock.take(0.07);
            assert!((clock.t_rto() - 0.3).abs() < 1e-12);
        }
        for _ in 0..50 {
            clock.take(0.45);
        }
        assert!(clock.t_rto() > 0.5 && clock.t_rto() < 1.0, "{}", clock.t_rto());
    }
}
