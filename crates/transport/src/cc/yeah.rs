//! YeAH: Scalable TCP while the path has room, Reno once it has a queue, which is drained before it overflows.
//!
//! *Reference*: BCV07.
//! *Units*: windows in segments; the queue `Q = cwnd (rtt - base) / rtt`, by the minimum RTT of a round.
//! *Deviations*: none. `module_rule = "linux"`: cuts are whole segments, so that an eighth of less than eight is none, a
//! timeout cuts as a loss, and a round that a reduction interrupts starts again after it.
//!
//! Fast mode: Q below `yeah_queue` and the delay below `yeah_delay` of the base RTT. Else slow mode; if Q is above, the
//! window falls by it, at most to a half and not below Reno's estimate. A loss in fast mode takes Q, at least an
//! eighth; after `yeah_rho` slow rounds a half.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::{watches_rounds, Round, RttRound};
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::Time;

/// Least share of the window that a loss takes (delta 3).
const LEAST_CUT: f64 = 1.0 / 8.0;
/// Fast rounds after which no Reno flow is taken to compete (zeta).
const ALONE: u32 = 50;
/// Samples that a round needs to be judged.
const MIN_SAMPLES: u32 = 3;

/// YeAH.
#[derive(Clone, Debug)]
pub struct Yeah {
    growth: Avoidance,
    handshake_rtt: bool,
    linux: bool,
    gain: f64,
    queue: f64,
    delay: f64,
    rho: u64,
    rounds: RttRound,
    /// Segments queued in the last round.
    queued: f64,
    /// Slow rounds in a row; fast rounds.
    slow: u64,
    fast: u32,
    /// Window that a competing Reno flow would have.
    reno: f64,
    /// Segments below are retransmitted after a timeout, the end of which starts a round (`linux`); 0: none.
    lost: u32,
}

impl Yeah {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Yeah {
        Yeah {
            growth: Avoidance::new(params),
            handshake_rtt: params.handshake_rtt,
            linux: params.module_rule == ModuleRule::Linux,
            gain: params.scalable_a,
            queue: params.yeah_queue,
            delay: params.yeah_delay,
            rho: params.yeah_rho,
            rounds: RttRound::default(),
            queued: 0.0,
            slow: 0,
            fast: 0,
            reno: 2.0,
            lost: 0,
        }
    }

    /// A share of the window, in Linux whole segments.
    fn share(&self, cwnd: f64, share: f64) -> f64 {
        if self.linux {
            (cwnd * share).floor()
        } else {
            cwnd * share
        }
    }

    fn judge(&mut self, window: &mut Window, round: Round) {
        self.queued = self.rounds.queued(window.cwnd, round.least);
        if self.linux {
            self.queued = self.queued.floor();
        }
        let longer = round.least.0 - self.rounds.base.0;
        let full = self.queued > self.queue;
        if !full && longer as f64 <= self.delay * self.rounds.base.0 as f64 {
            self.fast += 1;
            if self.fast > ALONE {
                (self.reno, self.fast) = (2.0, 0);
            }
            self.slow = 0;
            return;
        }
        if full && window.cwnd > self.reno {
            let cut = self.queued.min(self.share(window.cwnd, 0.5));
            window.cwnd = (window.cwnd - cut).max(self.reno);
            if self.growth.is_whole() {
                window.cwnd = window.cwnd.floor();
            }
            window.ssthresh = window.cwnd;
        }
        self.reno = if self.reno <= 2.0 { self.share(window.cwnd, 0.5).max(2.0) } else { self.reno + 1.0 };
        self.slow += 1;
    }
}

impl Control for Yeah {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let ends_retransmission = self.lost > 0 && event.una >= self.lost;
        if ends_retransmission {
            self.lost = 0;
        }
        if (self.rounds.take_interruption() || ends_retransmission) && self.linux {
            self.rounds.restart(event.next);
        }
        let left = self.growth.start(window, event);
        if left > 0 {
            let rate = if self.slow > 0 { 1.0 } else { (self.gain * window.cwnd).max(1.0) };
            self.growth.grow(window, left, rate);
        }
        if let Some(round) = self.rounds.ended(event).filter(|round| round.samples >= MIN_SAMPLES) {
            self.judge(window, round);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        self.lost = 0;
        let alone = self.slow < self.rho && (self.linux || event.cause != Cause::Timeout);
        self.fast = 0;
        self.reno = (self.reno / 2.0).floor().max(2.0);
        if !self.linux {
            let share = if alone { (self.queued / window.cwnd).clamp(LEAST_CUT, 0.5) } else { 0.5 };
            return reduced(window, event, 1.0 - share);
        }
        let load = event.load_within(window);
        let half = self.share(load, 0.5);
        let cut = if alone { self.queued.min(half.max(2.0)).max(self.share(load, LEAST_CUT)) } else { half };
        match (event.cause, event.ecn_factor) {
            (Cause::Ecn, Some(factor)) => load * factor,
            _ => load - cut,
        }
    }

    fn on_timeout(&mut self, _now: Time, past: u32) {
        if self.linux {
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
    use units::Span;

    fn control() -> Yeah {
        let mut cc = Yeah::new(&Params::default());
        cc.rounds.base = Span::from_millis(100);
        cc
    }

    fn round(ms: u64) -> Round {
        Round { mean: Span::from_millis(ms), least: Span::from_millis(ms), samples: 9 }
    }

    /// 400 segments at 125 ms are exactly 80 queued, but a quarter of the base RTT is too long: slow. At 110 ms, a
    /// tenth: fast.
    #[test]
    fn the_delay_decides_the_mode() {
        let mut cc = control();
        let mut window = Window { cwnd: 400.0, ssthresh: 2.0 };
        cc.judge(&mut window, round(125));
        assert_eq!((cc.slow, window.cwnd, cc.reno), (1, 400.0, 200.0));
        cc.judge(&mut window, round(110));
        assert_eq!((cc.slow, cc.fast), (0, 1));
    }

    /// 1000 segments at 125 ms are 200 queued: they leave. Reno's estimate is half of the rest.
    #[test]
    fn a_long_queue_is_drained() {
        let mut cc = control();
        let mut window = Window { cwnd: 1000.0, ssthresh: 2.0 };
        cc.judge(&mut window, round(125));
        assert_eq!((window.cwnd, window.ssthresh, cc.reno), (800.0, 800.0, 400.0));
    }

    /// 161 segments at twice the base RTT are 80 queued and all leave. The loss of 49 queued segments takes 49 of 161.
    #[test]
    fn linux_halves_whole_segments() {
        let mut cc =
            Yeah::new(&Params { module_rule: ModuleRule::Linux, yeah_queue: 50.0, ..Params::default() });
        cc.rounds.base = Span::from_millis(100);
        let mut window = Window { cwnd: 161.0, ssthresh: f64::INFINITY };
        cc.judge(&mut window, round(400));
        assert_eq!((window.cwnd, window.ssthresh, cc.reno), (81.0, 81.0, 40.0));
        cc.queued = 49.0;
        window.cwnd = 161.0;
        let loss =
            CongestionEvent { now: Time::ZERO, cause: Cause::Loss, load: 161.0, flight: 9, ecn_factor: None };
        assert_eq!(cc.on_congestion(&window, &loss), 112.0);
    }

    /// In Linux an eighth of seven segments is none, also after a timeout, and an eighth of 15 is one.
    #[test]
    fn linux_cuts_whole_segments() {
        for (module_rule, cwnd, left) in [
            (ModuleRule::Published, 7.0, 3.5),
            (ModuleRule::Linux, 7.0, 7.0),
            (ModuleRule::Linux, 15.0, 14.0),
        ] {
            let mut cc = Yeah::new(&Params { module_rule, ..Params::default() });
            let window = Window { cwnd, ssthresh: 2.0 };
            let timeout = CongestionEvent {
                now: Time::ZERO,
                cause: Cause::Timeout,
                load: cwnd,
                flight: 9,
                ecn_factor: None,
            };
            assert_eq!(cc.on_congestion(&window, &timeout), left);
        }
    }

    /// Four samples before a reduction and two after it: in Linux the round that ends has two, too few to be judged.
    #[test]
    fn a_reduction_restarts_the_round_in_linux() {
        for (module_rule, slow) in [(ModuleRule::Published, 1), (ModuleRule::Linux, 0)] {
            let mut cc = Yeah::new(&Params { module_rule, ..Params::default() });
            cc.rounds.base = Span::from_millis(100);
            cc.rounds.restart(10);
            let mut window = Window { cwnd: 10.0, ssthresh: 2.0 };
            for una in 1..5 {
                cc.on_every_ack(&AckEvent { recovering: una == 4, ..ack(0, 1, una, 10, 200) });
            }
            cc.on_ack(&mut window, &ack(0, 1, 4, 10, 200));
            for una in [9, 11] {
                cc.on_every_ack(&ack(0, 1, una, 20, 200));
                cc.on_ack(&mut window, &ack(0, 1, una, 20, 200));
            }
            assert_eq!(cc.slow, slow);
        }
    }

    /// 20 of 100 queued leave with a loss, at least an eighth; a half after 16 slow rounds.
    #[test]
    fn a_loss_takes_the_queue() {
        let window = Window { cwnd: 100.0, ssthresh: 2.0 };
        let loss = CongestionEvent {
            now: Time::ZERO,
            cause: Cause::Loss,
            load: 100.0,
            flight: 100,
            ecn_factor: None,
        };
        for (queued, slow, left) in [(20.0, 0, 80.0), (5.0, 15, 87.5), (70.0, 0, 50.0), (20.0, 16, 50.0)] {
            let mut cc = control();
            (cc.queued, cc.slow) = (queued, slow);
            assert_eq!(cc.on_congestion(&window, &loss), left);
        }
    }

    /// In Linux the ACK of what was outstanding at a timeout starts a round; published, the round goes on.
    #[test]
    fn linux_starts_a_round_after_a_timeout() {
        for (module_rule, counts) in [(ModuleRule::Linux, false), (ModuleRule::Published, true)] {
            let mut cc = Yeah::new(&Params { module_rule, ..Params::default() });
            let mut window = Window { cwnd: 4.0, ssthresh: 2.0 };
            cc.on_timeout(Time::ZERO, 9);
            cc.rounds.restart(20);
            for una in [8, 9] {
                cc.on_every_ack(&ack(0, 1, una, 30, 100));
                cc.on_ack(&mut window, &ack(0, 1, una, 30, 100));
            }
            assert_eq!(cc.rounds.taken().is_some(), counts, "{module_rule:?}");
        }
    }
}
