//! BIC: searches for the window between the last loss and the present one by halving.
//!
//! *Reference*: XHR04.
//! *Units*: windows in segments.
//! *Deviations*: none; a timeout leaves the same share in ssthresh as a loss. `module_rule = "linux"`: a quarter of the
//! distance, slow within eight segments below the maximum and four above, a third of the distance beyond; a timeout
//! forgets the maximum.
//!
//! Below the window of the last loss it grows by half of the distance per round trip, at most `bic_s_max`, at least
//! `bic_s_min`. Beyond, it probes: the growth doubles from one segment per step up to `bic_s_max`.

use super::avoidance::{reduced, Avoidance};
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::Time;

/// Divisor of the distance to the maximum that Linux goes in a round trip; this number of segments beyond the maximum,
/// slow growth ends.
const LINUX_SHARE: f64 = 4.0;
/// Linux grows by a twentieth of the window per round trip at least until the first loss.
const LINUX_FIRST: f64 = 20.0;
/// Segments per ACK, in sixteenths, before the first ACK.
const LINUX_DELAYED: u32 = 32;

/// BIC.
#[derive(Clone, Debug)]
pub struct Bic {
    growth: Avoidance,
    low: f64,
    s_max: f64,
    s_min: f64,
    beta: f64,
    fast_convergence: bool,
    /// Window of the last loss, the upper end of the search; infinite before the first.
    max: f64,
    /// Growth per round trip beyond it, and the window at which that doubles.
    step: f64,
    next: f64,
    before: Option<f64>,
    /// As Linux: the mean number of segments per ACK, in sixteenths.
    delayed: Option<u32>,
}

impl Bic {
    /// Returns the control before the first loss.
    pub fn new(params: &Params) -> Bic {
        Bic {
            growth: Avoidance::new(params),
            low: params.bic_low_window,
            s_max: params.bic_s_max,
            s_min: params.bic_s_min,
            beta: params.bic_beta,
            fast_convergence: params.bic_fast_convergence,
            max: f64::INFINITY,
            step: 1.0,
            next: 0.0,
            before: None,
            delayed: (params.module_rule == ModuleRule::Linux).then_some(LINUX_DELAYED),
        }
    }

    /// Segments per round trip of Linux's module, with `delayed` sixteenths of a segment per ACK.
    fn linux_increase(&self, cwnd: f64, delayed: u32) -> f64 {
        if cwnd <= self.low {
            return 1.0;
        }
        let max = if self.max.is_finite() { self.max } else { 0.0 };
        let rate = if cwnd < max {
            let distance = ((max - cwnd) / LINUX_SHARE).floor();
            if distance <= 1.0 {
                self.s_min
            } else {
                distance.min(self.s_max)
            }
        } else if cwnd < max + LINUX_SHARE {
            self.s_min
        } else {
            ((cwnd - max) / (LINUX_SHARE - 1.0)).min(self.s_max)
        };
        let mut acks = (cwnd / rate).floor();
        if max == 0.0 {
            acks = acks.min(LINUX_FIRST);
        }
        cwnd / (acks * 16.0 / f64::from(delayed)).floor().max(1.0)
    }

    /// Segments per round trip.
    fn increase(&mut self, cwnd: f64) -> f64 {
        if cwnd < self.low {
            return 1.0;
        }
        if cwnd < self.max {
            (self.step, self.next) = (1.0, 0.0);
            return ((self.max - cwnd) / 2.0).clamp(self.s_min, self.s_max);
        }
        if self.next == 0.0 {
            self.next = cwnd + self.step;
        } else if cwnd >= self.next && self.step < self.s_max {
            self.step = (2.0 * self.step).min(self.s_max);
            self.next = cwnd + self.step;
        }
        self.step
    }
}

impl Control for Bic {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if let Some(delayed) = &mut self.delayed {
            *delayed = *delayed + event.delivered - *delayed / 16;
        }
        let left = self.growth.start(window, event);
        if left > 0 {
            let rate = match self.delayed {
                Some(delayed) => self.linux_increase(window.cwnd, delayed),
                None => self.increase(window.cwnd),
            };
            self.growth.grow(window, left, rate);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        let cwnd = window.cwnd;
        (self.step, self.next) = (1.0, 0.0);
        // Fast convergence: a flow whose maximum falls leaves room for others.
        let falls = self.fast_convergence && cwnd < self.max && self.max.is_finite();
        self.max = if falls { cwnd * (1.0 - self.beta / 2.0) } else { cwnd };
        if self.delayed.is_some() {
            self.max = self.max.floor();
        }
        let small = if self.delayed.is_some() { cwnd <= self.low } else { cwnd < self.low };
        let share = if small { 0.5 } else { 1.0 - self.beta };
        reduced(window, event, share)
    }

    /// Linux forgets the maximum with every timeout.
    fn on_timeout(&mut self, _now: Time, _past: u32) {
        if self.delayed.is_some() {
            self.growth.reset();
            (self.max, self.delayed) = (f64::INFINITY, Some(LINUX_DELAYED));
        }
    }

    /// Linux restores the window alone.
    fn save_before_reduction(&mut self) {
        self.before = self.delayed.is_none().then_some(self.max);
    }

    fn undo_reduction(&mut self) {
        self.max = self.before.take().unwrap_or(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::super::Cause;
    use super::*;

    fn loss(cc: &mut Bic, cwnd: f64) -> f64 {
        let increases =
            CongestionEvent { now: Time::ZERO, cause: Cause::Loss, load: cwnd, flight: 9, ecn_factor: None };
        cc.on_congestion(&Window { cwnd, ssthresh: 2.0 }, &increases)
    }

    /// Reduced at 160 by an eighth: 140. 10 to go in the half, then 32 at the most from afar, 0.01 near the maximum.
    #[test]
    fn the_search_halves_the_distance() {
        let mut cc = Bic::new(&Params::default());
        assert_eq!(loss(&mut cc, 160.0), 140.0);
        let mut window = Window { cwnd: 140.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &ack(0, 1, 1, 9, 100));
        assert_eq!(window.cwnd, 140.0 + 10.0 / 140.0);
        assert_eq!([50.0, 159.999].map(|cwnd| cc.increase(cwnd)), [32.0, 0.01]);
    }

    /// Linux, maximum 160: a quarter of 40 in 140, 16 from afar, 0.2 within 8, then a third of what is beyond. Two
    /// segments an ACK double it. Before the first loss a twentieth at least, as ten of 200 segments.
    #[test]
    fn linux_goes_a_quarter() {
        let mut cc = Bic::new(&Params {
            module_rule: ModuleRule::Linux,
            bic_s_max: 16.0,
            bic_s_min: 0.2,
            ..Params::default()
        });
        assert_eq!(cc.linux_increase(400.0, 16), 20.0);
        loss(&mut cc, 160.0);
        let increases = [120.0, 80.0, 156.0, 172.0, 14.0].map(|cwnd| cc.linux_increase(cwnd, 16));
        assert_eq!(increases, [10.0, 16.0, 0.2, 172.0 / 43.0, 1.0]);
        assert_eq!(cc.linux_increase(120.0, 32), 20.0);
    }

    /// Beyond the maximum: 1, then 2 from the window plus 1 on, 4 after 2 more.
    #[test]
    fn probing_doubles() {
        let mut cc = Bic::new(&Params::default());
        loss(&mut cc, 100.0);
        let increases = [100.0, 100.5, 101.0, 102.0, 103.0, 107.0].map(|cwnd| cc.increase(cwnd));
        assert_eq!(increases, [1.0, 1.0, 2.0, 2.0, 4.0, 8.0]);
    }

    /// A second loss at 120, below 160: the maximum is 120 (1 - 1/16). A spurious one is undone.
    #[test]
    fn a_falling_flow_gives_way() {
        let mut cc = Bic::new(&Params::default());
        loss(&mut cc, 160.0);
        cc.save_before_reduction();
        loss(&mut cc, 120.0);
        assert_eq!(cc.max, 112.5);
        cc.undo_reduction();
        assert_eq!(cc.max, 160.0);
    }

    /// Linux forgets the maximum with a timeout, also with one that reduces nothing.
    #[test]
    fn linux_forgets_with_a_timeout() {
        for (module_rule, max) in [(ModuleRule::Linux, f64::INFINITY), (ModuleRule::Published, 160.0)] {
            let mut cc = Bic::new(&Params { module_rule, ..Params::default() });
            loss(&mut cc, 160.0);
            cc.on_timeout(Time::ZERO, 9);
            assert_eq!(cc.max, max);
        }
    }
}
