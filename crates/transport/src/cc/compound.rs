//! Compound TCP: Reno's window and a delay-based one on top of it.
//!
//! *Reference*: TSZS06; draft-sridharan-tcpm-ctcp-02.
//! *Units*: windows in segments; the backlog `diff = win (rtt - base) / rtt`, by the mean RTT of a round.
//! *Deviations*: `compound_gamma` is fixed; the draft's tuning of it is left out.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::{watches_rounds, RttRound};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::Params;
use units::math;

/// Compound TCP.
#[derive(Clone, Debug)]
pub struct Compound {
    growth: Avoidance,
    handshake_rtt: bool,
    alpha: f64,
    beta: f64,
    k: f64,
    gamma: f64,
    zeta: f64,
    low: f64,
    rounds: RttRound,
    /// Delay window: the part of the window above Reno's.
    extra: f64,
}

impl Compound {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Compound {
        Compound {
            growth: Avoidance::new(params),
            handshake_rtt: params.handshake_rtt,
            alpha: params.compound_alpha,
            beta: params.compound_beta,
            k: params.compound_k,
            gamma: params.compound_gamma,
            zeta: params.compound_zeta,
            low: params.compound_low_window,
            rounds: RttRound::default(),
            extra: 0.0,
        }
    }

    /// The delay window after a round with this backlog.
    fn judge(&mut self, win: f64, backlog: f64) -> f64 {
        if win < self.low {
            return self.extra;
        }
        if backlog < self.gamma {
            self.extra + (self.alpha * math::pow(win, self.k) - 1.0).max(0.0)
        } else {
            (self.extra - self.zeta * backlog).max(0.0)
        }
    }
}

impl Control for Compound {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let ended = self.rounds.ended(event);
        let left = self.growth.start(window, event);
        if left == 0 {
            return;
        }
        self.growth.grow(window, left, 1.0);
        if let Some(round) = ended {
            let reno = window.cwnd - self.extra;
            let mut extra = self.judge(window.cwnd, self.rounds.queued(window.cwnd, round.mean));
            if self.growth.is_whole() {
                extra = extra.floor();
            }
            window.cwnd = reno + extra;
            self.extra = extra;
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        let win = window.cwnd;
        let reno = (win - self.extra).max(0.0) / 2.0;
        let share = 1.0 - self.beta;
        self.extra = if event.cause == Cause::Timeout { 0.0 } else { (win * share - reno).max(0.0) };
        let left = (reno + self.extra) / win.max(1.0);
        reduced(window, event, left)
    }

    watches_rounds!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Time;

    /// 256 segments: 256^(3/4)/8 - 1 = 7 more without a backlog; with 40, 40 fewer; below 38 segments nothing.
    #[test]
    fn the_delay_window_follows_the_backlog() {
        let mut cc = Compound::new(&Params::default());
        cc.extra = 50.0;
        assert!((cc.judge(256.0, 0.0) - 57.0).abs() < 1e-9);
        assert_eq!(cc.judge(256.0, 40.0), 10.0);
        assert_eq!(cc.judge(256.0, 60.0), 0.0);
        assert_eq!(cc.judge(37.0, 0.0), 50.0);
    }

    /// 100 of which 40 are the delay window: Reno's part halves to 30, and the sum to 50. A timeout leaves 30.
    #[test]
    fn a_loss_halves_the_sum() {
        let window = Window { cwnd: 100.0, ssthresh: 2.0 };
        for (cause, left, extra) in [(Cause::Loss, 50.0, 20.0), (Cause::Timeout, 30.0, 0.0)] {
            let mut cc = Compound::new(&Params::default());
            cc.extra = 40.0;
            let congestion =
                CongestionEvent { now: Time::ZERO, cause, load: 100.0, flight: 100, ecn_factor: None };
            assert!((cc.on_congestion(&window, &congestion) - left).abs() < 1e-9);
            assert!((cc.extra - extra).abs() < 1e-9);
        }
    }
}
