//! DCTCP: the window falls in proportion to the share of marked segments.
//!
//! *Reference*: RFC 8257 sections 3.3 and 3.4; growth is Reno's.
//! *Units*: windows in segments; `alpha` and `g` are ratios.
//! *Deviations*: counts segments instead of bytes, by cumulative ACKs only, as RFC 8257 allows; an ACK with
//! an ECN echo does not grow the window.

use super::{AckEvent, Cause, CongestionEvent, Control, Reno, Window};
use crate::params::Params;

/// DCTCP: moving average of the share of marks.
#[derive(Clone, Debug)]
pub struct Dctcp {
    alpha: f64,
    g: f64,
    acked: u32,
    marked: u32,
    /// End of the observation window.
    window_end: u32,
    growth: Reno,
}

impl Dctcp {
    /// Returns DCTCP without observations.
    pub fn new(params: &Params) -> Dctcp {
        Dctcp {
            alpha: params.dctcp_alpha,
            g: params.dctcp_g,
            acked: 0,
            marked: 0,
            window_end: 0,
            growth: Reno::new(params),
        }
    }
}

impl Control for Dctcp {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        self.growth.on_ack(window, event);
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        match event.cause {
            Cause::Ecn => window.cwnd * (1.0 - self.alpha / 2.0),
            Cause::Loss | Cause::Timeout => event.load / 2.0,
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.acked += event.acked;
        self.marked += event.marked;
        if event.una <= self.window_end || self.acked == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.acked);
        self.alpha = (1.0 - self.g) * self.alpha + self.g * share;
        (self.acked, self.marked) = (0, 0);
        self.window_end = event.next;
    }

    fn fall_back_to_classic_ecn(&mut self) {
        (self.alpha, self.g) = (1.0, 0.0);
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Time;

    fn event(acked: u32, una: u32, next: u32, ece: bool) -> AckEvent {
        AckEvent {
            now: Time::ZERO,
            acked,
            delivered: acked,
            rtt: None,
            flight: next - una + acked,
            una,
            next,
            sacks: false,
            ece,
            marked: if ece { acked } else { 0 },
            recovering: false,
        }
    }

    fn cut(cc: &mut Dctcp, cwnd: f64) -> f64 {
        let congestion = CongestionEvent {
            now: Time::ZERO,
            cause: Cause::Ecn,
            load: cwnd,
            flight: cwnd as u32,
            ecn_factor: None,
        };
        cc.on_congestion(&Window { cwnd, ssthresh: cwnd }, &congestion)
    }

    /// g 1/4, alpha 1: a window of 8 with 2 marked gives alpha 3/4 + 1/16 = 13/16; one without marks 39/64.
    #[test]
    fn alpha_follows_the_share_of_marks() {
        let mut cc = Dctcp::new(&Params { dctcp_g: 0.25, ..Params::default() });
        cc.window_end = 7;
        cc.on_every_ack(&event(2, 2, 16, true));
        assert_eq!(cc.alpha, 1.0);
        cc.on_every_ack(&event(6, 8, 16, false));
        assert_eq!(cc.alpha, 0.8125);
        cc.on_every_ack(&event(8, 16, 24, false));
        assert_eq!(cc.alpha, 0.8125);
        cc.on_every_ack(&event(1, 17, 25, false));
        assert_eq!(cc.alpha, 0.609375);
    }

    /// With alpha 1 it halves, with alpha 1/4 it falls by an eighth.
    #[test]
    fn the_cut_follows_alpha() {
        let mut cc = Dctcp::new(&Params::default());
        assert_eq!(cut(&mut cc, 16.0), 8.0);
        cc.alpha = 0.25;
        assert_eq!(cut(&mut cc, 16.0), 14.0);
    }
}
