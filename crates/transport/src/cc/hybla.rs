//! Hybla: the window of a flow with any RTT grows in time like that of a flow with 25 ms.
//!
//! *Reference*: CF04.
//! *Units*: windows in segments; `rho` is the RTT over `hybla_rtt`, at least one.
//! *Deviations*: `rho` follows the minimum RTT; the initial window and threshold are those of the options.
//!
//! In slow start an ACKed segment adds `2^rho - 1`, in congestion avoidance `rho^2 / cwnd`. A loss halves the window.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::UNKNOWN;
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::Params;
use units::{math, Span};

/// Largest `rho`. It bounds the growth of slow start, `2^rho - 1` segments per ACKed segment.
const MAX_RHO: f64 = 16.0;

/// Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    growth: Avoidance,
    reference: Span,
    base: Span,
}

impl Hybla {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Hybla {
        Hybla { growth: Avoidance::new(params), reference: params.hybla_rtt, base: UNKNOWN }
    }

    fn rho(&self) -> f64 {
        if self.base == UNKNOWN {
            return 1.0;
        }
        self.base.ratio(self.reference).clamp(1.0, MAX_RHO)
    }
}

impl Control for Hybla {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let rho = self.rho();
        let acked = self.growth.credit(event);
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
        reduced(window, event, 0.5)
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        self.base = self.base.min(srtt.filter(|rtt| *rtt > Span::ZERO).unwrap_or(UNKNOWN));
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
