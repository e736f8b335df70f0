//! Scalable TCP: a fixed gain per acknowledged segment, a fixed share per loss.
//!
//! *Reference*: K03.
//! *Units*: windows in segments.
//! *Deviations*: a timeout leaves the same share in ssthresh as a loss; with `counting = "whole"` a loss takes the
//! whole part of its share, as in Linux.
//!
//! The time to recover from a loss, `ln(1 / (1 - b)) / ln(1 + a)` round trips, does not depend on the window: 13.4
//! with the defaults. Up to the legacy window it is Reno.

use super::avoidance::{reduced, reduced_by_whole, Avoidance};
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::Params;

/// Scalable TCP.
#[derive(Clone, Debug)]
pub struct Scalable {
    growth: Avoidance,
    a: f64,
    b: f64,
    legacy: f64,
}

impl Scalable {
    /// Returns the control with the numbers of `params`.
    pub fn new(params: &Params) -> Scalable {
        Scalable {
            growth: Avoidance::new(params),
            a: params.scalable_a,
            b: params.scalable_b,
            legacy: params.scalable_legacy_window,
        }
    }
}

impl Control for Scalable {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let left = self.growth.start(window, event);
        let rate = if window.cwnd <= self.legacy { 1.0 } else { (self.a * window.cwnd).max(1.0) };
        if left > 0 {
            self.growth.grow(window, left, rate);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        if event.load_within(window) <= self.legacy {
            return reduced(window, event, 0.5);
        }
        if self.growth.is_whole() {
            return reduced_by_whole(window, event, self.b);
        }
        reduced(window, event, 1.0 - self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::super::Cause;
    use super::*;
    use crate::params::Counting;
    use units::Time;

    /// 1/100 per segment from 100 segments on; Reno's below; a loss takes an eighth, below 16 a half.
    #[test]
    fn the_gain_is_per_segment() {
        let mut cc = Scalable::new(&Params::default());
        let mut window = Window { cwnd: 400.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &ack(0, 1, 1, 401, 100));
        assert_eq!(window.cwnd, 400.01);
        window.cwnd = 50.0;
        cc.on_ack(&mut window, &ack(0, 1, 1, 401, 100));
        assert_eq!(window.cwnd, 50.02);
        for (cwnd, left) in [(400.0, 350.0), (16.0, 8.0)] {
            let loss = CongestionEvent {
                now: Time::ZERO,
                cause: Cause::Loss,
                load: cwnd,
                flight: 9,
                ecn_factor: None,
            };
            assert_eq!(cc.on_congestion(&Window { cwnd, ssthresh: 2.0 }, &loss), left);
        }
    }

    /// In whole segments an eighth of 15 is one, so 14 are left.
    #[test]
    fn a_whole_eighth_leaves() {
        let params = Params { counting: Counting::Whole, scalable_legacy_window: 0.0, ..Params::default() };
        let loss =
            CongestionEvent { now: Time::ZERO, cause: Cause::Loss, load: 15.0, flight: 9, ecn_factor: None };
        let window = Window { cwnd: 15.0, ssthresh: 2.0 };
        assert_eq!(Scalable::new(&params).on_congestion(&window, &loss), 14.0);
    }
}
