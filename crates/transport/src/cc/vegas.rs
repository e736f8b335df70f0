//! Vegas: keeps a few segments queued, estimated from the RTT.
//!
//! *Reference*: BOP94, BP95; ns-2.35 by its output where an option asks for it.
//! *Units*: windows and `alpha`, `beta`, `gamma` in segments.
//! *Deviations*: a loss leaves three quarters of the window, a timeout a half. The fine-grained
//! retransmission belongs to the recovery (`recovery = "vegas"`), which also gives exact RTTs. With another
//! recovery the RTT is that of the timestamp echo: a delayed ACK makes it longer by the gap between the two
//! segments.

mod rounds;

use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Params, VegasRule};
use rounds::Rounds;
use units::{Span, Time};

/// By how much the window may exceed the flight and still grow (ns-2).
const SLACK: f64 = 2.0;

/// Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    alpha: f64,
    beta: f64,
    gamma: f64,
    ecn_factor: f64,
    whole: bool,
    base_rtt: Span,
    rtt_sum: Span,
    rtt_count: u32,
    /// End of the present round; its start.
    round_end: u32,
    round_start: Option<Time>,
    /// Segments queued in the round that just ended.
    queued: Option<f64>,
    /// RTT of the last ACK.
    sample: Option<Span>,
    /// Growth per ACK in this round.
    increment: f64,
    /// Slow start may double in this round.
    doubling: bool,
    /// The rule of Linux or ns-3, which replaces the rest.
    rounds: Option<Rounds>,
}

impl Vegas {
    /// Returns Vegas without samples.
    pub fn new(params: &Params) -> Vegas {
        Vegas {
            alpha: params.vegas_alpha,
            beta: params.vegas_beta,
            gamma: params.vegas_gamma,
            ecn_factor: params.ecn_factor.unwrap_or(0.75),
            whole: params.vegas_rule == VegasRule::Ns2,
            base_rtt: Span(u64::MAX),
            rtt_sum: Span::ZERO,
            rtt_count: 0,
            round_end: 0,
            round_start: None,
            queued: None,
            sample: None,
            increment: 0.0,
            doubling: true,
            rounds: Rounds::new(params),
        }
    }

    /// Ends a round; returns the number of queued segments, if it can be estimated.
    fn end_round(&mut self, event: &AckEvent) -> Option<f64> {
        // Retransmissions after a timeout may be acknowledged beyond `next`.
        let next = event.next.max(event.una);
        let sent = next.saturating_sub(self.round_end);
        let rtt = if self.rtt_count > 0 {
            self.rtt_sum / u64::from(self.rtt_count)
        } else if let Some(start) = self.round_start {
            event.now.since(start)
        } else {
            event.rtt.unwrap_or(Span::ZERO)
        };
        (self.rtt_sum, self.rtt_count) = (Span::ZERO, 0);
        self.round_end = next;
        self.round_start = Some(event.now);
        if rtt == Span::ZERO {
            return None;
        }
        if rtt < self.base_rtt || sent <= 1 {
            self.base_rtt = rtt;
        }
        // The segment just acknowledged counts among the outstanding ones.
        let outstanding = f64::from(next - event.una + 1);
        let queued = outstanding - f64::from(sent) * self.base_rtt.ratio(rtt);
        Some(if self.whole { (queued + 0.5).trunc() } else { queued })
    }

    /// Takes the sample of the previous ACK: a round is judged without its last one.
    fn take_sample(&mut self) {
        if let Some(rtt) = self.sample.take() {
            self.base_rtt = self.base_rtt.min(rtt);
            self.rtt_sum = self.rtt_sum + rtt;
            self.rtt_count += 1;
        }
    }

    fn steer(&mut self, window: &mut Window, queued: f64) {
        let slow_start = window.cwnd < window.ssthresh;
        self.increment = 0.0;
        // The comparison is valid after a round with a constant window (BP95); ns-2 makes it only then.
        let judges = !(self.whole && self.doubling);
        if slow_start && queued > self.gamma && judges {
            window.ssthresh = 2.0;
            window.cwnd = (window.cwnd * 0.875).max(2.0);
        } else if slow_start {
            self.doubling = !self.doubling;
            self.increment = f64::from(u8::from(self.doubling));
        } else if queued > self.beta {
            window.cwnd = (window.cwnd - 1.0).max(2.0);
        } else if queued < self.alpha {
            self.increment = 1.0 / window.cwnd.max(1.0);
        }
    }
}

impl Control for Vegas {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if let Some(rounds) = &mut self.rounds {
            return rounds.on_ack(window, event);
        }
        if let Some(queued) = self.queued.take() {
            self.steer(window, queued);
        }
        // Slow start ends within the round that reaches ssthresh; growth continues in the next.
        if self.increment == 1.0 && window.cwnd >= window.ssthresh {
            self.increment = 0.0;
        }
        let outstanding = f64::from(event.next.saturating_sub(event.una) + 1);
        if window.cwnd - outstanding <= SLACK {
            window.cwnd += self.increment;
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        if let Some(rounds) = &mut self.rounds {
            return rounds.on_congestion(window, event);
        }
        let load = event.load_within(window);
        if !self.whole {
            self.increment = 0.0;
        }
        match event.cause {
            Cause::Loss => load * 0.75,
            Cause::Ecn => load * self.ecn_factor,
            Cause::Timeout => load / 2.0,
        }
    }

    fn on_timeout(&mut self, _now: Time, past: u32) {
        if let Some(rounds) = &mut self.rounds {
            rounds.on_timeout(past);
        }
    }

    fn undo_reduction(&mut self) {
        if let Some(rounds) = &mut self.rounds {
            rounds.undo_reduction();
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        if let Some(rounds) = &mut self.rounds {
            return rounds.on_every_ack(event);
        }
        self.take_sample();
        self.queued = None;
        if event.acked > 0 && event.una > self.round_end {
            self.queued = self.end_round(event);
            self.increment = 0.0;
        }
        self.sample = event.delay_sample();
    }

    /// ns-2's first round starts with the first segment, others with an ACK.
    fn on_restart(&mut self, now: Time) {
        self.round_start = Some(now);
        if let Some(rounds) = &mut self.rounds {
            rounds.on_restart();
        }
    }

    fn watches(&self) -> bool {
        self.rounds.as_ref().is_none_or(Rounds::times_segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ms: u64, una: u32, next: u32) -> AckEvent {
        AckEvent {
            now: Time(ms * 1_000_000),
            acked: 1,
            delivered: 1,
            rtt: None,
            by_segment: false,
            reducing: false,
            flight: next - una,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        }
    }

    fn round(cc: &mut Vegas, window: &mut Window, rtt: u64, ms: u64, una: u32, next: u32) -> f64 {
        cc.on_every_ack(&AckEvent { acked: 0, rtt: Some(Span::from_millis(rtt)), ..event(ms, una, next) });
        cc.on_every_ack(&event(ms, una, next));
        cc.on_ack(window, &event(ms, una, next));
        window.cwnd
    }

    /// Base RTT 100 ms, 8 segments per round. At 100 ms nothing is queued: +1/8. At 128 ms, 8 - 8/1.28 =
    /// 1.75: unchanged. At 200 ms, 4: -1.
    #[test]
    fn the_queue_decides() {
        let mut cc = Vegas::new(&Params::default());
        let mut window = Window { cwnd: 8.0, ssthresh: 2.0 };
        assert_eq!(round(&mut cc, &mut window, 100, 100, 1, 9), 8.125);
        window.cwnd = 8.0;
        assert_eq!(round(&mut cc, &mut window, 128, 228, 10, 17), 8.0);
        assert_eq!(round(&mut cc, &mut window, 200, 428, 18, 25), 7.0);
    }

    /// Slow start doubles every other round; with two queued it ends at 7/8 of the window.
    #[test]
    fn slow_start_takes_turns() {
        let mut cc = Vegas::new(&Params::default());
        let mut window = Window { cwnd: 8.0, ssthresh: f64::INFINITY };
        assert_eq!(round(&mut cc, &mut window, 100, 100, 1, 9), 8.0);
        assert_eq!(round(&mut cc, &mut window, 100, 200, 10, 19), 9.0);
        assert_eq!(round(&mut cc, &mut window, 100, 300, 20, 29), 9.0);
        window.cwnd = 16.0;
        assert_eq!(round(&mut cc, &mut window, 200, 500, 30, 46), 14.0);
        assert_eq!(window.ssthresh, 2.0);
    }
}
