//! HighSpeed TCP: grows faster and falls less the larger the window.
//!
//! *Reference*: RFC 3649 sections 5 and 6, Appendix B.
//! *Units*: windows in segments.
//! *Deviations*: none; a timeout leaves the same share in ssthresh as a loss. `module_rule = "linux"`: an ACK counts
//! once in congestion avoidance, and a loss takes whole segments.
//!
//! Up to `highspeed_low_window` it is Reno. Above, the share taken by a loss falls with the logarithm of the
//! window from a half to `highspeed_high_decrease`, and the increase follows from the loss rate at which the
//! response function has that window.

use super::avoidance::{reduced, reduced_by_whole, Avoidance};
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::math;

/// HighSpeed TCP.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    growth: Avoidance,
    /// As Linux: an ACK counts once in congestion avoidance, and a loss takes whole segments.
    by_ack: bool,
    low: f64,
    high: f64,
    decrease: f64,
    /// `log(high / low)`.
    span: f64,
    /// Loss rate at the low window, and by which power of the window it falls.
    low_p: f64,
    power: f64,
}

impl HighSpeed {
    /// Returns the control with the numbers of `params`.
    pub fn new(params: &Params) -> HighSpeed {
        let (low, high) = (params.highspeed_low_window, params.highspeed_high_window);
        // Section 5: W = (p / low_p)^S low, with low_p that of Reno's 1.2 / sqrt(p).
        let low_p = 1.44 / (low * low);
        let span = math::ln(high / low).max(f64::MIN_POSITIVE);
        HighSpeed {
            growth: Avoidance::new(params),
            by_ack: params.module_rule == ModuleRule::Linux,
            low,
            high,
            decrease: params.highspeed_high_decrease,
            span,
            low_p,
            power: math::ln(low_p / params.highspeed_high_p) / span,
        }
    }

    /// Share of the window `w` that a loss takes (section 5, b(w)).
    fn cut(&self, w: f64) -> f64 {
        if w <= self.low {
            return 0.5;
        }
        0.5 + (self.decrease - 0.5) * math::ln(w.min(self.high) / self.low) / self.span
    }

    /// Segments per round trip (section 5, a(w)).
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low {
            return 1.0;
        }
        let p = self.low_p * math::pow(self.low / w, self.power);
        let b = self.cut(w);
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

impl Control for HighSpeed {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let starts = window.cwnd < window.ssthresh;
        let mut left = self.growth.start(window, event);
        if self.by_ack {
            left = if starts { 0 } else { left.min(1) };
        }
        if left > 0 {
            let rate = self.increase(window.cwnd);
            self.growth.grow(window, left, if self.growth.is_whole() { rate.floor() } else { rate });
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        let cut = self.cut(event.load_within(window));
        if self.by_ack {
            return reduced_by_whole(window, event, cut);
        }
        reduced(window, event, 1.0 - cut)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::super::Cause;
    use super::*;
    use crate::params::Counting;
    use units::Time;

    /// An ACK of two segments earns two of the window of 20, in Linux one.
    #[test]
    fn linux_counts_acks() {
        for (module_rule, grown) in [(ModuleRule::Published, 0.1), (ModuleRule::Linux, 0.05)] {
            let mut control =
                HighSpeed::new(&Params { module_rule, counting: Counting::Segments, ..Params::default() });
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            control.on_ack(&mut window, &ack(0, 2, 2, 40, 100));
            assert_eq!(window.cwnd, 20.0 + grown);
        }
    }

    /// A loss takes a half: of five segments 2.5, in Linux two.
    #[test]
    fn linux_takes_whole_segments() {
        let loss =
            CongestionEvent { now: Time::ZERO, cause: Cause::Loss, load: 5.0, flight: 5, ecn_factor: None };
        let window = Window { cwnd: 5.0, ssthresh: 2.0 };
        for (module_rule, left) in [(ModuleRule::Published, 2.5), (ModuleRule::Linux, 3.0)] {
            let mut control = HighSpeed::new(&Params { module_rule, ..Params::default() });
            assert_eq!(control.on_congestion(&window, &loss), left);
        }
    }

    /// Rows of the table of Appendix B: where the increase reaches a whole number, and the share taken there.
    /// The table has the coefficient 0.078 and the exponent 1.2 rounded, hence the tolerance.
    #[test]
    fn the_table_of_appendix_b() {
        let control = HighSpeed::new(&Params::default());
        let rows = [(118.0, 2.0, 0.44), (221.0, 3.0, 0.41), (851.0, 7.0, 0.34), (1529.0, 10.0, 0.31)];
        for (w, a, b) in rows {
            assert!((control.increase(w) / a - 1.0).abs() < 0.02, "{w}: {}", control.increase(w));
            assert!((control.cut(w) - b).abs() < 0.005, "{w}: {}", control.cut(w));
        }
        assert_eq!((control.increase(38.0), control.cut(38.0)), (1.0, 0.5));
        assert!((control.cut(83000.0) - 0.1).abs() < 1e-12);
        // Section 5: at the high window 1e-7, so 83000^2 1e-7 2 0.1 / 1.9 = 72.5.
        assert!((control.increase(83000.0) - 72.5).abs() < 0.1, "{}", control.increase(83000.0));
    }
}
