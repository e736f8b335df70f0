//! DCTCP: the window falls in proportion to the share of marked segments.
//!
//! *Reference*: RFC 8257 sections 3.3 and 3.4; growth is Reno's.
//! *Units*: windows in segments; `alpha` and `g` are ratios.
//! *Deviations*: counts segments instead of bytes, by cumulative ACKs only, as RFC 8257 allows; an ACK with
//! an ECN echo does not grow the window.

use super::{AckEvent, Cause, CongestionEvent, Control, Reno, Window};
use crate::params::{DctcpRule, Params};

/// Steps of alpha in Linux.
const STEPS: f64 = 1024.0;

/// DCTCP: moving average of the share of marks.
#[derive(Clone, Debug)]
pub struct Dctcp {
    alpha: f64,
    g: f64,
    rule: DctcpRule,
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
            rule: params.dctcp_rule,
            acked: 0,
            marked: 0,
            window_end: 0,
            growth: Reno::new(params),
        }
    }

    /// Takes a window's share of marks into alpha.
    fn follow(&mut self) {
        let (acked, marked) = (f64::from(self.acked), f64::from(self.marked));
        if self.rule == DctcpRule::Rfc8257 {
            self.alpha = (1.0 - self.g) * self.alpha + self.g * (marked / acked);
            return;
        }
        let alpha = self.alpha * STEPS;
        let step = (alpha * self.g).floor();
        let kept = if step > 0.0 { alpha - step } else { 0.0 };
        self.alpha = ((kept + (marked * STEPS * self.g / acked).floor()) / STEPS).min(1.0);
    }
}

impl Control for Dctcp {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        self.growth.on_ack(window, event);
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        match event.cause {
            Cause::Ecn if self.rule == DctcpRule::Linux => {
                window.cwnd - (window.cwnd * self.alpha / 2.0).floor()
            }
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
        self.follow();
        (self.acked, self.marked) = (0, 0);
        self.window_end = event.next;
    }

    fn fall_back_to_classic_ecn(&mut self) {
        (self.alpha, self.g, self.rule) = (1.0, 0.0, DctcpRule::Rfc8257);
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
            by_segment: false,
            reducing: false,
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

    /// In steps of 1024: a window of 145 with 3 marks adds 192 / 145, one step; alpha 15 has no sixteenth and is
    /// forgotten; a window of 145 with alpha 1/1024 is not reduced at all.
    #[test]
    fn whole_steps_forget_a_small_alpha() {
        let mut cc = Dctcp::new(&Params { dctcp_rule: DctcpRule::Linux, ..Params::default() });
        let mut window = |alpha: f64, marked: u32| {
            (cc.alpha, cc.acked, cc.marked) = (alpha / STEPS, 145, marked);
            cc.follow();
            cc.alpha * STEPS
        };
        assert_eq!((window(1024.0, 0), window(1024.0, 145)), (960.0, 1024.0));
        assert_eq!((window(16.0, 3), window(15.0, 3), window(1.0, 2)), (16.0, 1.0, 0.0));
        cc.alpha = 1.0 / STEPS;
        assert_eq!(cut(&mut cc, 145.0), 145.0);
        cc.alpha = 0.25;
        assert_eq!(cut(&mut cc, 17.0), 15.0);
    }

    /// In whole segments, 15 of a window of 16 are counted as a mark leaves 8 of it: growth counts from there, so that 7
    /// more do not make a segment and the eighth does.
    #[test]
    fn a_cut_forgets_the_segments_counted() {
        let params = Params { counting: crate::params::Counting::Whole, ..Params::default() };
        let mut cc = Dctcp::new(&params);
        let mut window = Window { cwnd: 16.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &event(15, 15, 31, false));
        window.cwnd = cut(&mut cc, window.cwnd);
        cc.on_ack(&mut window, &event(7, 22, 38, false));
        assert_eq!(window.cwnd, 8.0);
        cc.on_ack(&mut window, &event(1, 23, 39, false));
        assert_eq!(window.cwnd, 9.0);
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
