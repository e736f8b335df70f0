//! Rate control law of LDA+, applied to each report.
//!
//! *Reference*: SW00 for the three increases and the decrease; PFTK98 for the rate of TCP.
//! *Units*: rates and increases in bytes of payload a second, times in seconds.

use crate::rate_based::tfrc::equation::{self, Path};
use units::math;

/// Input of the control: a report and the RTT.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Share of packets lost.
    pub loss: f64,
    /// Time since the last report, in seconds.
    pub interval: f64,
    /// Round-trip time.
    pub rtt: f64,
    /// Bottleneck rate, if known.
    pub bottleneck: Option<f64>,
}

/// LDA+ rate and additive increase.
#[derive(Clone, Copy, Debug)]
pub struct LdaControl {
    /// The rate.
    pub rate: f64,
    increase: f64,
    first_increase: f64,
    segment: f64,
    b: f64,
}

impl LdaControl {
    /// Returns the control at an initial rate.
    pub fn new(rate: f64, increase: f64, segment: f64, b: f64) -> LdaControl {
        LdaControl { rate, increase, first_increase: increase, segment, b }
    }

    /// Updates the rate with a report.
    pub fn follow(&mut self, seen: &Seen) {
        if seen.loss > 0.0 {
            self.increase = self.first_increase;
            self.rate = (self.rate * (1.0 - seen.loss.sqrt())).max(self.tcp_rate(seen));
            return;
        }
        let share = seen.bottleneck.map_or(0.0, |most| (self.rate / most).min(1.0));
        let doubled = (2.0 - share) * self.increase;
        let converging = (1.0 - math::exp(share - 1.0)) * self.rate;
        self.increase = doubled.min(converging).min(self.tcp_increase(seen)).max(0.0);
        self.rate += self.increase;
        // A flow that fills the link restarts from the first increase when others leave.
        self.increase = self.increase.max(self.first_increase * (1.0 - share));
    }

    /// Mean increase of a TCP without losses since the last report: one packet per round trip each round
    /// trip.
    fn tcp_increase(&self, seen: &Seen) -> f64 {
        self.segment * (seen.interval / seen.rtt + 1.0) / (2.0 * seen.rtt)
    }

    /// TCP throughput at this loss rate.
    fn tcp_rate(&self, seen: &Seen) -> f64 {
        let path = Path { s: self.segment, r: seen.rtt, t_rto: 4.0 * seen.rtt, b: self.b, bounded: true };
        equation::throughput(seen.loss.min(1.0), &path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(rate: f64, increase: f64) -> LdaControl {
        LdaControl::new(rate, increase, 1000.0, 1.0)
    }

    fn seen(loss: f64, bottleneck: Option<f64>) -> Seen {
        Seen { loss, interval: 5.0, rtt: 0.1, bottleneck }
    }

    /// Half of the bottleneck is in use: the increase grows by 1.5, from 1250 to 1875 B/s.
    #[test]
    fn the_increase_follows_the_share_that_is_free() {
        let mut control = control(50_000.0, 1250.0);
        control.follow(&seen(0.0, Some(100_000.0)));
        assert_eq!(control.rate, 51_875.0);
    }

    /// Near the bottleneck: (1 - e^-0.1) of the rate is less than doubling would add.
    #[test]
    fn it_converges_to_the_bottleneck() {
        let mut control = control(90_000.0, 20_000.0);
        control.follow(&seen(0.0, Some(100_000.0)));
        assert!((control.rate - 90_000.0 * (2.0 - math::exp(-0.1))).abs() < 1e-6);
        control.follow(&seen(0.0, Some(90_000.0)));
        assert!(control.rate < 98_600.0, "nothing is free");
    }

    /// In 5 s with an RTT of 100 ms a TCP gains (50 + 1)/2 packets per round trip on average: 255 packets/s.
    #[test]
    fn it_is_no_faster_than_tcp() {
        let mut control = control(1e9, 1e9);
        control.follow(&seen(0.0, None));
        assert_eq!(control.rate, 1e9 + 255_000.0);
    }

    /// A loss of 4 % takes a fifth; the TCP equation is the lower bound.
    #[test]
    fn losses_take_their_root() {
        let mut falling = control(100_000.0, 9e9);
        falling.follow(&seen(0.04, None));
        let tcp = falling.tcp_rate(&seen(0.04, None));
        assert_eq!((falling.rate, falling.increase), (80_000.0, falling.first_increase));
        assert!(tcp < 80_000.0);
        let mut low = control(tcp / 0.9, 1250.0);
        low.follow(&seen(0.04, None));
        assert_eq!(low.rate, tcp);
    }
}
