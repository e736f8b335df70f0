//! Illinois: losses decide when the window moves, delay decides by how much.
//!
//! *Reference*: LBS06.
//! *Units*: windows in segments, delays in nanoseconds.
//! *Deviations*: the maximum delay is that of single samples, as in Linux; the paper has means of round trips. With
//! whole windows (`counting = "whole"`) the increase and the share are multiples of 1/128 and 1/64, rounded down, as
//! Linux has them, and the segments that a loss takes are rounded down, too.
//!
//! With `da` the mean queueing delay of a round and `dm` the maximum, the increase is `illinois_alpha_max` up to
//! `dm / 100` and falls as `k1 / (k2 + da)` to `illinois_alpha_min` at `dm`. The share that a loss takes rises from
//! `illinois_beta_min` at `dm / 10` to `illinois_beta_max` at `8 dm / 10`.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::RttRound;
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::Params;
use units::{Span, Time};

/// Increase and share taken by a loss while the window is small, and after a timeout.
const RENO: (f64, f64) = (1.0, 0.5);
/// Delays, relative to the maximum: up to the first the increase is the largest; the share taken rises from the second
/// to the third.
const KNEES: (f64, f64, f64) = (0.01, 0.1, 0.8);

/// With whole windows: steps per unit of the increase, and per unit of the share.
const STEPS: (f64, f64) = (128.0, 64.0);

/// Illinois.
#[derive(Clone, Debug)]
pub struct Illinois {
    growth: Avoidance,
    handshake_rtt: bool,
    alphas: (f64, f64),
    betas: (f64, f64),
    small: f64,
    patience: u64,
    rounds: RttRound,
    alpha: f64,
    beta: f64,
    /// A round was above the first knee; rounds below it since then, with whole windows not in a row.
    above: bool,
    low: u64,
    /// Segments that the present ACK acknowledges cumulatively.
    acked: u32,
}

impl Illinois {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Illinois {
        Illinois {
            growth: Avoidance::new(params),
            handshake_rtt: params.handshake_rtt,
            alphas: (params.illinois_alpha_min, params.illinois_alpha_max),
            betas: (params.illinois_beta_min, params.illinois_beta_max),
            small: params.illinois_window as f64,
            patience: params.illinois_rounds,
            rounds: RttRound::default(),
            alpha: params.illinois_alpha_max,
            beta: RENO.1,
            above: false,
            low: 0,
            acked: 0,
        }
    }

    /// Judges a round by its mean RTT.
    fn judge(&mut self, mean: Span, cwnd: f64) {
        if cwnd < self.small {
            (self.alpha, self.beta) = RENO;
            return;
        }
        let base = self.rounds.base;
        let (da, dm) = (mean.0.saturating_sub(base.0) as f64, (self.rounds.max.0 - base.0) as f64);
        self.alpha = self.increase(da, dm);
        self.beta = self.share(da, dm);
        if self.growth.is_whole() {
            self.alpha = (self.alpha * STEPS.0).floor() / STEPS.0;
            self.beta = (self.beta * STEPS.1).floor() / STEPS.1;
        }
    }

    /// Below the first knee the increase becomes the largest again only after `illinois_rounds` rounds: in a row, but
    /// not with whole windows, as in Linux.
    fn increase(&mut self, da: f64, dm: f64) -> f64 {
        let (mut least, most) = self.alphas;
        if self.growth.is_whole() {
            least = (least * STEPS.0).floor() / STEPS.0;
        }
        let knee = KNEES.0 * dm;
        if da <= knee || most <= least {
            if !self.above {
                return most;
            }
            self.low += 1;
            if self.low < self.patience {
                return self.alpha;
            }
            (self.low, self.above) = (0, false);
            return most;
        }
        self.above = true;
        if !self.growth.is_whole() {
            self.low = 0;
        }
        // k1 and k2 of the paper for f(knee) = most and f(dm) = least.
        let span = (dm - knee) / (most - least);
        span * least * most / (span * least + da - knee)
    }

    fn share(&self, da: f64, dm: f64) -> f64 {
        let ((least, most), (second, third)) = (self.betas, (KNEES.1 * dm, KNEES.2 * dm));
        if da <= second {
            least
        } else if da >= third {
            most
        } else {
            least + (most - least) * (da - second) / (third - second)
        }
    }
}

impl Control for Illinois {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if let Some(round) = self.rounds.ended(event) {
            self.judge(round.mean, window.cwnd);
        }
        let starting = window.cwnd < window.ssthresh;
        let left = self.growth.start(window, event);
        if self.growth.is_whole() {
            // In Linux the ACK that ends slow start does no more, and the one that ends a recovery counts all it
            // acknowledges.
            if !starting {
                self.growth.grow_and_forget(window, self.acked, self.alpha, false);
            }
        } else if left > 0 {
            self.growth.grow(window, left, self.alpha);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        let mut target = reduced(window, event, 1.0 - self.beta);
        if self.growth.is_whole() {
            target = target.ceil();
        }
        if event.cause == Cause::Timeout {
            (self.alpha, self.beta) = RENO;
            (self.above, self.low) = (false, 0);
        }
        target
    }

    /// Linux starts a round with every timeout.
    fn on_timeout(&mut self, _now: Time, past: u32) {
        if self.growth.is_whole() {
            self.growth.reset();
            (self.alpha, self.beta) = RENO;
            (self.above, self.low) = (false, 0);
            self.rounds.restart(past);
        }
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        self.rounds.open(srtt.filter(|_| self.handshake_rtt));
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.rounds.measure(event);
        self.acked = event.acked;
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Counting;

    fn control() -> Illinois {
        Illinois::new(&Params::default())
    }

    /// dm 100 ms: 10 up to 1 ms, 0.3 at 100 ms. Between, span = 99/9.7 and f(34) = 30.6186/(3.06186 + 33) = 0.8491.
    #[test]
    fn the_increase_falls_with_delay() {
        let mut cc = control();
        assert_eq!(cc.increase(1.0, 100.0), 10.0);
        assert!((cc.increase(100.0, 100.0) - 0.3).abs() < 1e-12);
        assert!((cc.increase(34.0, 100.0) - 0.849_059).abs() < 1e-5, "{}", cc.increase(34.0, 100.0));
    }

    /// Once above the knee, the largest increase returns with the fifth round below it.
    #[test]
    fn low_delay_must_last() {
        let mut cc = control();
        cc.alpha = cc.increase(100.0, 100.0);
        for _ in 0..4 {
            cc.alpha = cc.increase(0.0, 100.0);
            assert!((cc.alpha - 0.3).abs() < 1e-12);
        }
        assert_eq!(cc.increase(0.0, 100.0), 10.0);
    }

    /// With whole windows other rounds may lie between the five below the knee, and the least increase is 38/128.
    #[test]
    fn whole_windows_count_low_rounds_in_all() {
        let mut cc = Illinois::new(&Params { counting: Counting::Whole, ..Params::default() });
        let actual = [0.0, 0.0, 100.0, 0.0, 0.0, 0.0].map(|da| {
            cc.above = true;
            cc.alpha = cc.increase(da, 100.0);
            (cc.alpha * 128.0).round()
        });
        assert_eq!(actual, [1280.0, 1280.0, 38.0, 38.0, 38.0, 1280.0]);
    }

    /// An eighth up to a tenth of the maximum, a half from eight tenths, and 5/16 in the middle.
    #[test]
    fn the_share_rises_with_delay() {
        let cc = control();
        let actual = [10.0, 45.0, 80.0, 100.0].map(|da| cc.share(da, 100.0));
        assert_eq!(actual, [0.125, 0.3125, 0.5, 0.5]);
    }

    /// 1/8 of 30 segments are three and not four, in whole windows. 0.75 of the maximum delay: a share of 0.473 becomes
    /// 30/64.
    #[test]
    fn whole_windows_lose_whole_segments() {
        let mut cc = Illinois::new(&Params { counting: Counting::Whole, ..Params::default() });
        cc.rounds.base = Span::from_millis(100);
        cc.rounds.max = Span::from_millis(200);
        cc.judge(Span::from_millis(100), 30.0);
        let window = Window { cwnd: 30.0, ssthresh: 2.0 };
        let loss =
            CongestionEvent { now: Time(1), cause: Cause::Loss, load: 30.0, flight: 30, ecn_factor: None };
        assert_eq!(cc.on_congestion(&window, &loss), 27.0);
        cc.judge(Span::from_millis(175), 30.0);
        assert_eq!(cc.beta, 30.0 / 64.0);
        assert_eq!(control().on_congestion(&window, &loss), 15.0);
    }

    /// Windows below 15 are Reno's, at any delay.
    #[test]
    fn small_windows_are_renos() {
        let mut cc = control();
        cc.rounds.base = Span::from_millis(100);
        cc.rounds.max = Span::from_millis(200);
        cc.judge(Span::from_millis(200), 14.0);
        assert_eq!((cc.alpha, cc.beta), RENO);
        cc.judge(Span::from_millis(100), 15.0);
        assert_eq!((cc.alpha, cc.beta), (10.0, 0.125));
    }

    /// A timeout in whole windows: Reno's step and share, and a round that ends with the segment after those outstanding.
    #[test]
    fn a_timeout_starts_a_round_in_whole_windows() {
        let mut cc = Illinois::new(&Params { counting: Counting::Whole, ..Params::default() });
        (cc.alpha, cc.beta, cc.above) = (10.0, 0.125, true);
        cc.rounds.measure(&super::super::rtt_round::tests::ack(0, 1, 1, 9, 100));
        cc.on_timeout(Time::ZERO, 20);
        assert_eq!((cc.alpha, cc.beta, cc.above), (1.0, 0.5, false));
        assert!(cc.rounds.taken().is_none());
    }
}
