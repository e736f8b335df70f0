//! Vegas by rounds: the queue is estimated once per round trip from its minimum RTT, in whole segments, and the
//! window moves by one.
//!
//! *Reference*: BP95 for the law; Linux and ns-3.37 by their output.
//! *Units*: windows, `alpha`, `beta` and `gamma` in segments.
//! *Deviations*: where an ECN echo reduces the window at once (`reduction`), it does not grow until the data then
//! outstanding are acknowledged.

use super::super::reno::Reno;
use super::super::{slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Params, Recovery, Reduction, VegasRule};
use units::Span;

/// Rounds with fewer samples are not judged: they may hold only one delayed ACK.
const MIN_SAMPLES: u32 = 3;

/// Whether rounds are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judging {
    /// Each round is judged.
    On,
    /// Off until the next ACK that may grow the window: a recovery is in progress.
    Recovery,
    /// Off since a timeout or an ECN echo; the flight size is known with the next ACK.
    Stopped,
    /// Off until this segment is the first unacknowledged one.
    Until(u32),
}

/// State between ACKs.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    linux: bool,
    alpha: f64,
    beta: f64,
    gamma: f64,
    growth: Reno,
    base_rtt: Span,
    /// Minimum RTT of the present round, its number of samples, and its end.
    round_rtt: Span,
    rtt_count: u32,
    round_end: u32,
    judging: Judging,
    /// The reduction was for an ECN echo: the window does not grow while judging is off.
    echoed: bool,
    /// The window falls with the ACKs of a round trip after an echo; the control does not see them.
    stepwise: bool,
}

impl Rounds {
    /// Returns the state without samples; `None` for a rule that does not work by rounds.
    pub(super) fn new(params: &Params) -> Option<Rounds> {
        matches!(params.vegas_rule, VegasRule::Linux | VegasRule::Ns3).then(|| Rounds {
            linux: params.vegas_rule == VegasRule::Linux,
            alpha: params.vegas_alpha,
            beta: params.vegas_beta,
            gamma: params.vegas_gamma,
            growth: Reno::new(params),
            base_rtt: Span(u64::MAX),
            round_rtt: Span(u64::MAX),
            rtt_count: 0,
            round_end: 0,
            judging: Judging::On,
            echoed: false,
            stepwise: params.recovery == Recovery::Rack && params.reduction == Reduction::Linux,
        })
    }

    /// Whether each segment is timed by its own send time, so that a delayed ACK does not lengthen the RTT.
    pub(super) fn times_segments(&self) -> bool {
        self.linux
    }

    pub(super) fn on_restart(&mut self) {
        self.base_rtt = Span(u64::MAX);
    }

    fn measure(&mut self, rtt: Option<Span>) {
        if let Some(rtt) = rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.base_rtt = self.base_rtt.min(rtt);
            self.round_rtt = self.round_rtt.min(rtt);
            self.rtt_count += 1;
        }
    }

    fn begin_round(&mut self, event: &AckEvent) {
        self.round_end = event.next;
        self.round_rtt = Span(u64::MAX);
        self.rtt_count = 0;
    }

    /// Advances from a reduction back to judging.
    fn resume(&mut self, event: &AckEvent) {
        if self.judging == Judging::Stopped {
            self.judging = Judging::Until(event.next);
        }
        let over = match self.judging {
            Judging::On | Judging::Stopped => false,
            Judging::Recovery => true,
            Judging::Until(end) => event.una >= end,
        };
        if over {
            (self.judging, self.echoed) = (Judging::On, false);
            self.begin_round(event);
        }
    }

    pub(super) fn on_every_ack(&mut self, event: &AckEvent) {
        self.measure(event.rtt);
    }

    pub(super) fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if !self.linux {
            self.measure(event.rtt);
        }
        self.resume(event);
        if self.judging != Judging::On {
            if !self.echoed {
                self.grow_as_reno(window, event);
            }
            return;
        }
        let starting = window.cwnd < window.ssthresh;
        let ended = if self.linux { event.una > self.round_end } else { event.una >= self.round_end };
        if !ended {
            if starting && event.acked > 0 {
                self.grow_in_slow_start(window, event.acked);
            }
            return;
        }
        if self.rtt_count < MIN_SAMPLES {
            self.grow_as_reno(window, event);
        } else {
            self.adjust(window, starting, event.acked);
        }
        self.begin_round(event);
    }

    fn adjust(&self, window: &mut Window, starting: bool, acked: u32) {
        let cwnd = window.cwnd.floor();
        let target = (cwnd * self.base_rtt.ratio(self.round_rtt)).floor();
        // Linux divides by the base RTT: the queue as the segments that a whole window takes beyond it.
        let queued = if self.linux {
            let longer = Span(self.round_rtt.0 - self.base_rtt.0);
            (cwnd * longer.ratio(self.base_rtt)).floor()
        } else {
            cwnd - target
        };
        if starting && queued > self.gamma {
            window.cwnd = cwnd.min(target + 1.0);
            window.ssthresh = one_less(window);
        } else if starting {
            self.grow_in_slow_start(window, acked);
        } else if queued > self.beta {
            window.cwnd = cwnd - 1.0;
            window.ssthresh = one_less(window);
        } else if queued < self.alpha {
            window.cwnd = cwnd + 1.0;
        }
        let mut most_of_it = 0.75 * window.cwnd;
        if self.linux {
            window.cwnd = window.cwnd.max(2.0);
            most_of_it = (window.cwnd / 2.0).floor() + (window.cwnd / 4.0).floor();
        }
        window.ssthresh = window.ssthresh.max(most_of_it);
    }

    fn grow_in_slow_start(&self, window: &mut Window, acked: u32) {
        if self.linux {
            slow_start(window, acked);
        } else {
            window.cwnd += 1.0;
        }
    }

    fn grow_as_reno(&mut self, window: &mut Window, event: &AckEvent) {
        if self.linux {
            return self.growth.on_ack(window, event);
        }
        let mut left = event.acked;
        if left > 0 && window.cwnd < window.ssthresh {
            window.cwnd += 1.0;
            left -= 1;
        }
        if left > 0 && window.cwnd >= window.ssthresh {
            window.cwnd += 1.0 / window.cwnd;
        }
    }

    /// Linux does not judge until what was outstanding at the timeout is acknowledged.
    pub(super) fn on_timeout(&mut self, past: u32) {
        if self.linux {
            self.growth.reset();
            (self.judging, self.echoed) = (Judging::Until(past), false);
        }
    }

    /// Linux judges again with the next ACK.
    pub(super) fn undo_reduction(&mut self) {
        if self.linux && self.judging != Judging::On {
            self.judging = Judging::Recovery;
        }
    }

    /// Linux halves the window, ns-3 lowers it by one.
    pub(super) fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.echoed = self.linux && event.cause == Cause::Ecn && !self.stepwise;
        self.judging = match event.cause {
            Cause::Timeout => Judging::Stopped,
            Cause::Ecn if self.echoed => Judging::Stopped,
            Cause::Loss | Cause::Ecn => Judging::Recovery,
        };
        if self.linux {
            self.growth.on_congestion(window, event)
        } else {
            one_less(window)
        }
    }
}

/// The smaller of ssthresh and the window less one, at least two.
fn one_less(window: &Window) -> f64 {
    window.ssthresh.min(window.cwnd - 1.0).max(2.0)
}

#[cfg(test)]
mod tests {
    use super::super::Vegas;
    use super::*;
    use units::Time;

    fn event(acked: u32, una: u32, next: u32, rtt: u64) -> AckEvent {
        AckEvent {
            now: Time(una.into()),
            acked,
            delivered: acked,
            rtt: Some(Span::from_millis(rtt)),
            by_segment: false,
            reducing: false,
            flight: 10,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        }
    }

    fn linux() -> Vegas {
        let params = Params {
            vegas_rule: VegasRule::Linux,
            vegas_alpha: 2.0,
            vegas_beta: 4.0,
            cc: crate::params::Algorithm::Vegas.into(),
            counting: crate::params::Counting::Whole,
            ..Params::default()
        };
        Vegas::new(&params)
    }

    /// Three ACKs with this RTT within a round, then the one that ends it.
    fn round(cc: &mut Vegas, window: &mut Window, una: u32, rtt: u64) -> f64 {
        for step in 0..4 {
            let ack = event(2, una + step, una + step + 2, rtt);
            cc.on_every_ack(&ack);
            cc.on_ack(window, &ack);
        }
        window.cwnd
    }

    /// Base RTT 100 ms and ten segments. 120 ms are 10 x 20/100 = 2 queued: nothing. 119 ms are 1: one more. 150 ms
    /// with eleven are 5: one less. (By the share of the RTT, 11 x 50/150 = 3.)
    #[test]
    fn linux_counts_the_queue_in_windows_of_the_base_rtt() {
        let (mut cc, mut window) = (linux(), Window { cwnd: 10.0, ssthresh: 2.0 });
        round(&mut cc, &mut window, 1, 100);
        window.cwnd = 10.0;
        assert_eq!(round(&mut cc, &mut window, 4, 120), 10.0);
        assert_eq!(round(&mut cc, &mut window, 7, 119), 11.0);
        assert_eq!(round(&mut cc, &mut window, 10, 150), 10.0);
        assert_eq!(window.ssthresh, 7.0);
    }

    /// Two queued end slow start at the window that the base RTT carries, and one.
    #[test]
    fn linux_leaves_slow_start_at_the_target() {
        let (mut cc, mut window) = (linux(), Window { cwnd: 2.0, ssthresh: f64::INFINITY });
        round(&mut cc, &mut window, 1, 100);
        window.cwnd = 20.0;
        window.ssthresh = f64::INFINITY;
        // Within the round each segment ACKed opens the window by one; 26 x 100/125 = 20.8.
        assert_eq!(round(&mut cc, &mut window, 4, 125), 21.0);
        assert_eq!(window.ssthresh, 20.0);
    }

    /// A loss halves the window; after a timeout growth is Reno's until the data then outstanding are acknowledged.
    #[test]
    fn linux_halves_and_judges_again_after_the_recovery() {
        let mut cc = linux();
        let full = Window { cwnd: 10.0, ssthresh: 2.0 };
        let reduce = |vegas: &mut Vegas, cause| {
            let congestion =
                CongestionEvent { now: Time::ZERO, cause, load: 10.0, flight: 10, ecn_factor: None };
            vegas.on_congestion(&full, &congestion)
        };
        assert_eq!(reduce(&mut cc, Cause::Loss), 5.0);
        assert_eq!(reduce(&mut cc, Cause::Timeout), 5.0);
        let mut window = Window { cwnd: 1.0, ssthresh: 5.0 };
        for una in 1..4 {
            cc.on_ack(&mut window, &event(1, una, 9, 100));
        }
        assert_eq!(window.cwnd, 4.0);
        assert_eq!(reduce(&mut cc, Cause::Ecn), 5.0);
        cc.on_ack(&mut window, &event(1, 5, 9, 100));
        assert_eq!(window.cwnd, 4.0);
    }

    /// A timeout stops judging until segment 9 is acknowledged, also one that reduces nothing; undone, until the next ACK.
    #[test]
    fn linux_does_not_judge_after_a_timeout() {
        for (undone, judging) in [(false, Judging::Until(9)), (true, Judging::On)] {
            let mut cc = linux();
            cc.on_timeout(Time::ZERO, 9);
            if undone {
                cc.undo_reduction();
            }
            let mut window = Window { cwnd: 4.0, ssthresh: 8.0 };
            cc.on_ack(&mut window, &event(1, 8, 12, 100));
            assert_eq!(cc.rounds.as_ref().map(|rounds| rounds.judging), Some(judging));
        }
    }

    /// An ECN echo that reduces the window with the ACKs of a round trip stops judging no longer than that.
    #[test]
    fn linux_judges_again_after_a_stepwise_reduction() {
        let params = Params {
            vegas_rule: VegasRule::Linux,
            recovery: Recovery::Rack,
            reduction: Reduction::Linux,
            ..Params::default()
        };
        let mut rounds = Rounds::new(&params).expect("this rule works by rounds");
        let mut window = Window { cwnd: 10.0, ssthresh: 5.0 };
        let echo =
            CongestionEvent { now: Time::ZERO, cause: Cause::Ecn, load: 10.0, flight: 10, ecn_factor: None };
        rounds.on_congestion(&window, &echo);
        rounds.on_ack(&mut window, &event(1, 5, 9, 100));
        assert_eq!((rounds.judging, rounds.round_end), (Judging::On, 9));
    }
}
