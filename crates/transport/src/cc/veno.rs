//! Veno: Reno that distinguishes random losses from congestion by its estimate of the queue.
//!
//! *Reference*: FL03.
//! *Units*: windows in segments; the queue `N = cwnd (rtt - base) / rtt`.
//! *Deviations*: none; the RTT is the minimum of the last round, that of each ACK with `module_rule = "linux"`,
//! where half segments of the queue count whole, an ACK that finds a window of segments counted grows the window every
//! other time and counts none itself, and the ACK that ends a reduction is judged without its RTT, as if the queue were
//! long.
//!
//! With fewer than `veno_beta` queued it grows as Reno and a loss, taken as random, leaves 4/5. Else it grows every
//! other round trip and a loss leaves a half.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::{watches_rounds, RttRound};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::Time;

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
    /// The next window acknowledged with a queue lets the window grow.
    grows: bool,
    /// Segments below are retransmitted after a timeout, until when the window grows as Reno's (`by_ack`); 0: none.
    lost: u32,
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
            grows: true,
            lost: 0,
        }
    }
}

impl Control for Veno {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if event.una < self.lost {
            self.rounds.taken();
            self.rounds.take_interruption();
            let left = self.growth.start(window, event);
            return self.growth.grow(window, left, 1.0);
        }
        let judged = if self.by_ack { self.rounds.taken() } else { self.rounds.ended(event) };
        let ends_retransmission = std::mem::take(&mut self.lost) > 0;
        if (self.rounds.take_interruption() || ends_retransmission) && self.by_ack {
            self.queued = f64::INFINITY;
        } else if let Some(round) = judged {
            let waiting = self.rounds.queued(window.cwnd, round.least);
            self.queued = if self.by_ack { (2.0 * waiting).ceil() / 2.0 } else { waiting };
        }
        let left = self.growth.start(window, event);
        if left == 0 {
            return;
        }
        if self.by_ack && self.queued >= self.beta {
            if self.growth.counts_window(window, left) {
                window.cwnd += f64::from(u8::from(self.grows));
                self.grows = !self.grows;
            }
        } else {
            self.growth.grow(window, left, if self.queued < self.beta { 1.0 } else { 0.5 });
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        self.lost = 0;
        let random = self.queued < self.beta && (self.by_ack || event.cause != Cause::Timeout);
        reduced(window, event, if random { RANDOM_LOSS } else { 0.5 })
    }

    fn on_timeout(&mut self, _now: Time, past: u32) {
        if self.by_ack {
            self.growth.reset();
            self.lost = past;
        }
    }

    /// The next ACK ends the retransmissions.
    fn undo_reduction(&mut self) {
        self.lost = self.lost.min(1);
    }

    watches_rounds!();
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;

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

    /// Of 5 segments 2.67 are queued at 242 ms with a base of 113. Linux counts 3: a loss leaves 2.5, by the paper 4.
    #[test]
    fn linux_counts_the_queue_in_half_segments() {
        for (module_rule, left) in [(ModuleRule::Linux, 2.5), (ModuleRule::Published, 4.0)] {
            let mut cc = Veno::new(&Params { module_rule, ..Params::default() });
            let mut window = Window { cwnd: 5.0, ssthresh: 2.0 };
            cc.rounds.base = units::Span::from_millis(113);
            cc.on_every_ack(&ack(0, 0, 1, 6, 242));
            cc.on_ack(&mut window, &ack(0, 0, 1, 6, 242));
            let loss = CongestionEvent {
                now: Time::ZERO,
                cause: Cause::Loss,
                load: 5.0,
                flight: 5,
                ecn_factor: None,
            };
            assert_eq!(cc.on_congestion(&window, &loss), left);
        }
    }

    /// No queue: a loss leaves 16 of 20. In Linux it leaves 10 if the only ACK since is the one that ended a recovery.
    #[test]
    fn linux_takes_the_end_of_a_recovery_for_a_queue() {
        for (module_rule, later, left) in
            [(ModuleRule::Published, 0, 16.0), (ModuleRule::Linux, 0, 10.0), (ModuleRule::Linux, 1, 16.0)]
        {
            let mut cc = Veno::new(&Params { module_rule, ..Params::default() });
            let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
            (cc.queued, cc.rounds.base) = (0.0, units::Span::from_millis(100));
            for una in 1..=1 + later {
                let event = AckEvent { recovering: una == 1, ..ack(0, 1, una, una + 20, 100) };
                cc.on_every_ack(&event);
                cc.on_ack(&mut window, &event);
            }
            window.cwnd = 20.0;
            let loss = CongestionEvent {
                now: Time::ZERO,
                cause: Cause::Loss,
                load: 20.0,
                flight: 20,
                ecn_factor: None,
            };
            assert_eq!(cc.on_congestion(&window, &loss), left);
        }
    }

    /// With 4 of 20 queued, ACKs of two: in Linux the 11th finds 20 counted and adds a segment, the 23rd finds 22 and
    /// adds none, the 35th finds 22 and adds one.
    #[test]
    fn linux_grows_at_an_ack_that_counts_nothing() {
        let mut cc = Veno::new(&Params {
            module_rule: ModuleRule::Linux,
            counting: crate::params::Counting::Whole,
            ..Params::default()
        });
        (cc.queued, cc.rounds.base) = (4.0, units::Span::from_millis(100));
        let mut window = Window { cwnd: 20.0, ssthresh: 2.0 };
        let grown: Vec<u32> = (1..=44)
            .filter(|turn| {
                let before = window.cwnd;
                cc.on_ack(&mut window, &ack(0, 2, 2 * turn, 100, 125));
                window.cwnd > before
            })
            .collect();
        assert_eq!((grown, window.cwnd), (vec![11, 35], 22.0));
    }

    /// Base 100 ms. 110 ms with 20 segments: 1.8 queued, +1/20 and a loss leaves 16. 125 ms: 4 queued, +1/40 and
    /// 10 left; a timeout leaves a half either way.
    #[test]
    fn the_queue_decides_the_kind_of_loss() {
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

    /// After a timeout Linux grows as Reno until segment 9 is acknowledged, whatever is queued. The ACK of that is judged
    /// as one that ends a reduction.
    #[test]
    fn linux_is_reno_after_a_timeout() {
        let mut cc = Veno::new(&Params {
            module_rule: ModuleRule::Linux,
            counting: crate::params::Counting::Whole,
            ..Params::default()
        });
        (cc.queued, cc.rounds.base) = (0.0, units::Span::from_millis(100));
        cc.on_timeout(Time::ZERO, 9);
        let mut window = Window { cwnd: 4.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &ack(0, 4, 8, 20, 400));
        assert_eq!((window.cwnd, cc.queued), (5.0, 0.0));
        cc.on_ack(&mut window, &ack(0, 1, 9, 20, 100));
        assert_eq!(cc.queued, f64::INFINITY);
    }
}
