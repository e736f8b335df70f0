//! Veno: Reno that distinguishes random losses from congestion by its estimate of the queue.
//!
//! *Reference*: FL03.
//! *Units*: windows in segments; the queue `N = cwnd (rtt - base) / rtt`.
//! *Deviations*: none; the RTT is the minimum of the last round, that of each ACK with `module_rule = "linux"`.
//!
//! With fewer than `veno_beta` queued it grows as Reno and a loss, taken as random, leaves 4/5. Else it grows every
//! other round trip and a loss leaves a half.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::{watches_rounds, RttRound};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};

/// Share of the window left by a loss without a queue.
const RANDOM_LOSS: f64 = 0.8;

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    growth: Avoidance,
    handshake_rtt: bool,
    /// Each ACK is judged by its own RTT, and a timeout like any loss.
    by_ack: bool,
    beta: f64,
    rounds: RttRound,
    /// Segments queued in the last round.
    queued: f64,
}

impl Veno {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Veno {
        Veno {
            growth: Avoidance::new(params),
            handshake_rtt: params.handshake_rtt,
            by_ack: params.module_rule == ModuleRule::Linux,
            beta: params.veno_beta,
            rounds: RttRound::default(),
            queued: f64::INFINITY,
        }
    }
}

impl Control for Veno {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let judged = if self.by_ack { self.rounds.taken() } else { self.rounds.ended(event) };
        if let Some(round) = judged {
            self.queued = self.rounds.queued(window.cwnd, round.least);
        }
        let left = self.growth.start(window, event);
        if left > 0 {
            self.growth.grow(window, left, if self.queued < self.beta { 1.0 } else { 0.5 });
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        let random = self.queued < self.beta && (self.by_ack || event.cause != Cause::Timeout);
        reduced(window, event, if random { RANDOM_LOSS } else { 0.5 })
    }

    watches_rounds!();
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;
    use units::Time;

    /// Linux judges an ACK in the middle of a round: 4 of 20 queued, so a loss leaves 10; a timeout without a queue 16.
    #[test]
    fn linux_judges_each_ack() {
        let loss =
            |cause| CongestionEvent { now: Time::ZERO, cause, load: 20.0, flight: 20, ecn_factor: None };
        for (rtt, cause, left) in [(125, Cause::Loss, 10.0), (100, Cause::Timeout, 16.0)] {
            let mut cc = Veno::new(&Params { module_rule: ModuleRule::Linux, ..Params::default() });
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            for (una, ms) in [(10, 100), (11, rtt)] {
                let event = ack(0, 1, una, 100, ms);
                cc.on_every_ack(&event);
                cc.on_ack(&mut window, &event);
            }
            window.cwnd = 20.0;
            assert_eq!(cc.on_congestion(&window, &loss(cause)), left);
        }
    }

    /// Base 100 ms. 110 ms with 20 segments: 1.8 queued, +1/20 and a loss leaves 16. 125 ms: 4 queued, +1/40 and
    /// 10 left; a timeout leaves a half either way.
    #[test]
    fn the_queue_tells_the_kind_of_loss() {
        for (rtt, grown, left) in [(110, 20.05, 16.0), (125, 20.025, 10.0)] {
            let mut cc = Veno::new(&Params::default());
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            for (una, sample) in [(1, 100), (5, rtt), (21, rtt)] {
                let event = ack(0, 1, una, una + 3, sample);
                cc.on_every_ack(&event);
                window.cwnd = 20.0;
                cc.on_ack(&mut window, &event);
            }
            assert!((window.cwnd - grown).abs() < 1e-12, "{}", window.cwnd);
            window.cwnd = 20.0;
            for (cause, share) in [(Cause::Loss, left), (Cause::Timeout, 10.0)] {
                let congestion =
                    CongestionEvent { now: Time::ZERO, cause, load: 20.0, flight: 20, ecn_factor: None };
                assert_eq!(cc.on_congestion(&window, &congestion), share);
            }
        }
    }
}
