//! HighSpeed TCP: grows faster and falls less the larger the window.
//!
//! *Reference*: RFC 3649 sections 5 and 6, Appendix B.
//! *Units*: windows in segments.
//! *Deviations*: none; a timeout leaves the same share in ssthresh as a loss. `module_rule = "linux"`: the table of
//! Appendix B in place of the formula, an ACK counts once in congestion avoidance, and a loss takes whole segments. The
//! row is that of the last ACK in congestion avoidance, so the first loss takes a half whatever the window.
//!
//! Up to `highspeed_low_window` it is Reno. Above, the share taken by a loss falls with the logarithm of the
//! window from a half to `highspeed_high_decrease`, and the increase follows from the loss rate at which the
//! response function has that window.

use super::avoidance::{reduced, reduced_by_whole, Avoidance};
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::math;

/// Windows up to which the increase is 1, 2, 3 and so on (Appendix B).
#[rustfmt::skip]
const ROWS: [u32; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596, 5036,
    5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082, 12834, 13614, 14424, 15265, 16137, 17042,
    17981, 18955, 19965, 21013, 22101, 23230, 24402, 25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586, 37253,
    38992, 40808, 42707, 44694, 46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401, 79517,
    84035, 89053,
];
/// Steps of the share that a loss takes, in Linux.
const CUT_STEPS: f64 = 256.0;

/// HighSpeed TCP.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    growth: Avoidance,
    /// As Linux: an ACK counts once in congestion avoidance, and a loss takes whole segments.
    by_ack: bool,
    /// Row of the table (`by_ack`).
    row: usize,
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
            row: 0,
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

    /// Share that a loss takes in the present row.
    fn row_cut(&self) -> f64 {
        (self.cut(f64::from(ROWS[self.row])) * CUT_STEPS).floor() / CUT_STEPS
    }

    /// Finds the row of the window `w`; returns its increase.
    fn enter_row(&mut self, w: f64) -> f64 {
        self.row = ROWS.partition_point(|up_to| f64::from(*up_to) < w).min(ROWS.len() - 1);
        (self.row + 1) as f64
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
            let rate = if self.by_ack { self.enter_row(window.cwnd) } else { self.increase(window.cwnd) };
            self.growth.grow(window, left, rate);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        if self.by_ack {
            return reduced_by_whole(window, event, self.row_cut());
        }
        reduced(window, event, 1.0 - self.cut(event.load_within(window)))
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

    /// A window of 100 is in the row that ends with 118: two segments for each window acknowledged, and 112 of 256 are
    /// lost, 43 of 100. Before the first ACK in congestion avoidance half are lost.
    #[test]
    fn linux_has_the_table() {
        let params =
            Params { module_rule: ModuleRule::Linux, counting: Counting::Whole, ..Params::default() };
        let mut control = HighSpeed::new(&params);
        let mut window = Window { cwnd: 100.0, ssthresh: f64::INFINITY };
        let loss = CongestionEvent {
            now: Time::ZERO,
            cause: Cause::Loss,
            load: 100.0,
            flight: 100,
            ecn_factor: None,
        };
        assert_eq!(control.on_congestion(&window, &loss), 50.0);
        window.ssthresh = 2.0;
        for una in 1..=50 {
            assert_eq!(window.cwnd, 100.0);
            control.on_ack(&mut window, &ack(0, 1, una, una + 100, 100));
        }
        assert_eq!(window.cwnd, 101.0);
        window.cwnd = 100.0;
        assert_eq!(control.on_congestion(&window, &loss), 57.0);
        assert_eq!((control.enter_row(118.0), control.enter_row(119.0)), (2.0, 3.0));
        assert_eq!((control.enter_row(1e6), control.enter_row(38.0)), (72.0, 1.0));
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
