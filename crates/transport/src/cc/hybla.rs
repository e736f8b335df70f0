//! Hybla: the window of a flow with any RTT grows in time like that of a flow with 25 ms.
//!
//! *Reference*: CF04.
//! *Units*: windows in segments; `rho` is the RTT over `hybla_rtt`, at least one.
//! *Deviations*: `rho` follows the minimum RTT; the initial window and threshold are those of the options.
//! `module_rule = "linux"`: the initial window is `rho`, an ACK counts once, `rho` is known to an eighth and growth to
//! 1/128 of a segment, rounded down, and after a timeout growth is Reno's until the segments sent before are
//! acknowledged.
//!
//! In slow start an ACKed segment adds `2^rho - 1`, in congestion avoidance `rho^2 / cwnd`. A loss halves the window.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::UNKNOWN;
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::{math, Span, Time};

/// Largest `rho`. It bounds the growth of slow start, `2^rho - 1` segments per ACKed segment.
const MAX_RHO: f64 = 16.0;

/// Largest window of Linux.
const MAX_WINDOW: f64 = 65_535.0;

/// Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    growth: Avoidance,
    reference: Span,
    base: Span,
    /// As Linux: an ACK counts once, rho is known to an eighth, and the growth after a timeout is Reno's.
    by_ack: bool,
    /// Growth below a segment, in 128ths, and ACKs without a whole one since the last segment (`by_ack`).
    part: u32,
    small: u32,
    /// The segments below this were sent before the last timeout (`by_ack`).
    lost: u32,
}

impl Hybla {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Hybla {
        Hybla {
            growth: Avoidance::new(params),
            reference: params.hybla_rtt,
            base: UNKNOWN,
            by_ack: params.module_rule == ModuleRule::Linux,
            part: 0,
            small: 0,
            lost: 0,
        }
    }

    fn rho(&self) -> f64 {
        if self.base == UNKNOWN {
            return 1.0;
        }
        let rho = self.base.ratio(self.reference).clamp(1.0, MAX_RHO);
        if self.by_ack {
            return (rho * 8.0).floor() / 8.0;
        }
        rho
    }
}

impl Hybla {
    /// Growth of Linux for an ACK, in 128ths of a segment.
    fn grow_by_ack(&mut self, window: &mut Window, rho: f64) {
        let opens = window.cwnd < window.ssthresh;
        let increase = if opens {
            let whole = rho.floor();
            let fraction = (128.0 * math::pow(2.0, rho - whole)).floor();
            (math::pow(2.0, whole) * fraction) as u32 - 128
        } else {
            (128.0 * rho * rho / window.cwnd) as u32
        };
        self.small += u32::from(!opens && increase < 128);
        self.part += increase % 128;
        let grown = increase / 128 + self.part / 128;
        if self.part >= 128 {
            (self.part, self.small) = (self.part % 128, 0);
        }
        window.cwnd += f64::from(grown);
        if increase == 0 && f64::from(self.small) >= window.cwnd {
            (window.cwnd, self.small) = (window.cwnd + 1.0, 0);
        }
        if opens {
            window.cwnd = window.cwnd.min(window.ssthresh);
        }
        window.cwnd = window.cwnd.min(MAX_WINDOW);
    }
}

impl Control for Hybla {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if self.by_ack && event.una < self.lost {
            let left = self.growth.start(window, event);
            return self.growth.grow(window, left, 1.0);
        }
        let rho = self.rho();
        let acked = if self.by_ack { event.acked.min(1) } else { self.growth.credit(event) };
        if self.by_ack {
            return if acked > 0 {
                self.grow_by_ack(window, rho)
            };
        }
        if window.cwnd < window.ssthresh {
            let grown = f64::from(acked) * (math::pow(2.0, rho) - 1.0);
            window.cwnd = (window.cwnd + grown).min(window.ssthresh.max(window.cwnd));
            if self.growth.is_whole() {
                window.cwnd = window.cwnd.floor();
            }
        } else if acked > 0 {
            self.growth.grow(window, acked, rho * rho);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        self.lost = 0;
        reduced(window, event, 0.5)
    }

    fn on_timeout(&mut self, _now: Time, past: u32) {
        self.lost = past;
    }

    fn undo_reduction(&mut self) {
        self.lost = 0;
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        self.base = self.base.min(srtt.filter(|rtt| *rtt > Span::ZERO).unwrap_or(UNKNOWN));
    }

    fn first_window(&self) -> Option<f64> {
        self.by_ack.then(|| self.rho().floor())
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.base = self.base.min(event.rtt.filter(|rtt| *rtt > Span::ZERO).unwrap_or(UNKNOWN));
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;
    use crate::params::Counting;

    /// 75 ms are rho 3: 7 segments for one in slow start, 9/16 in a window of 16. 10 ms are rho 1, Reno.
    #[test]
    fn long_paths_grow_by_the_square() {
        for (rtt, start, avoid) in [(75, 8.0, 16.0 + 9.0 / 16.0), (10, 2.0, 16.0 + 1.0 / 16.0)] {
            let mut cc = Hybla::new(&Params::default());
            let event = ack(0, 1, 1, 9, rtt);
            cc.on_every_ack(&event);
            let mut window = Window { cwnd: 1.0, ssthresh: 64.0 };
            cc.on_ack(&mut window, &event);
            assert_eq!(window.cwnd, start);
            window = Window { cwnd: 16.0, ssthresh: 16.0 };
            cc.on_ack(&mut window, &event);
            assert_eq!(window.cwnd, avoid);
        }
    }

    /// Linux: 40 ms are rho 1.5, so an ACK adds 234/128 segments in slow start, whatever it acknowledges. In a window
    /// of 16 it adds 18/128: four of them and the 62/128 that three in slow start left are one segment.
    #[test]
    fn linux_counts_acks() {
        let mut cc = Hybla::new(&Params { module_rule: ModuleRule::Linux, ..Params::default() });
        cc.on_open(Some(Span::from_millis(40)));
        let mut window = Window { cwnd: 1.0, ssthresh: 64.0 };
        let slow_start = [0; 3].map(|_| {
            cc.on_ack(&mut window, &ack(0, 2, 1, 9, 40));
            window.cwnd
        });
        assert_eq!(slow_start, [2.0, 4.0, 6.0]);
        window = Window { cwnd: 16.0, ssthresh: 16.0 };
        let avoidance = [0; 4].map(|_| {
            cc.on_ack(&mut window, &ack(0, 2, 1, 9, 40));
            window.cwnd
        });
        assert_eq!(avoidance, [16.0, 16.0, 16.0, 17.0]);
    }

    /// Linux, rho 4: ACKs of segments sent before a timeout open the window by what they acknowledge; the first beyond
    /// them by 15.
    #[test]
    fn linux_starts_as_reno_after_a_timeout() {
        let mut cc = Hybla::new(&Params {
            module_rule: ModuleRule::Linux,
            counting: Counting::Segments,
            ..Params::default()
        });
        cc.on_every_ack(&ack(0, 1, 4, 9, 100));
        let mut window = Window { cwnd: 5.0, ssthresh: 64.0 };
        cc.on_timeout(Time::ZERO, 9);
        window.cwnd = 1.0;
        let increases = [(6, 2), (8, 2), (9, 1)].map(|(una, acked)| {
            cc.on_ack(&mut window, &ack(0, acked, una, 12, 100));
            window.cwnd
        });
        assert_eq!(increases, [3.0, 5.0, 20.0]);
    }

    /// Slow start ends at the threshold, not beyond it.
    #[test]
    fn slow_start_stops_at_the_threshold() {
        let mut cc = Hybla::new(&Params::default());
        cc.on_open(Some(Span::from_millis(100)));
        let mut window = Window { cwnd: 10.0, ssthresh: 12.0 };
        cc.on_ack(&mut window, &ack(0, 1, 1, 9, 100));
        assert_eq!(window.cwnd, 12.0);
    }
}
