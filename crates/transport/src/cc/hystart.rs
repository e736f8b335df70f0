//! HyStart: ends slow start before it causes losses.
//!
//! *Reference*: RFC 9406 section 4 (HyStart++); HR08 for ACK trains.
//! *Units*: windows in segments; a round is one window of data.
//! *Deviations*: `train` is off below 16 segments; the gaps of a train are at most 2 ms and its length more
//! than the minimum RTT, a delay increase is an eighth of that, at least 4 ms. `linux` halves the length.
//! `ns3` is the same with a delay increase by all of it.

use super::{AckEvent, Window};
use crate::params::HyStartRule;
use units::{Span, Time};

const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_millis(4);
const GREATEST_RISE: Span = Span::from_millis(16);
const STAGED_SHARE: f64 = 0.25;
const STAGED_ROUNDS: u32 = 5;
const TRAIN_LEAST_WINDOW: f64 = 16.0;
const TRAIN_GAP: Span = Span::from_millis(2);
const UNKNOWN: Span = Span(u64::MAX);

/// State of HyStart in the first slow start, with `linux` also in one after a timeout.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    rule: HyStartRule,
    window_end: u32,
    round_start: Time,
    last_ack: Time,
    last_round_rtt: Span,
    round_rtt: Span,
    samples: u32,
    /// Slow start has ended; the next round is the first after a timeout (ns-3).
    found: bool,
    restarts: bool,
    /// Minimum RTT at the start of CSS (RFC 9406), and the rounds spent in it.
    staged: Option<(Span, u32)>,
}

impl HyStart {
    pub(super) fn new(rule: HyStartRule) -> HyStart {
        HyStart {
            rule,
            window_end: 0,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            last_round_rtt: UNKNOWN,
            round_rtt: UNKNOWN,
            samples: 0,
            found: false,
            restarts: false,
            staged: None,
        }
    }

    /// Congestion was seen: later slow starts are not watched.
    pub(super) fn stop(&mut self) {
        self.found = true;
    }

    /// Watches the slow start after a timeout, whose first round ends with `past` (Linux).
    pub(super) fn begin_again(&mut self, now: Time, past: u32) {
        self.found = false;
        (self.window_end, self.round_start, self.last_ack) = (past, now, now);
        (self.round_rtt, self.samples) = (UNKNOWN, 0);
    }

    /// Share of slow start's growth that this ACK may use. Ends slow start by setting ssthresh.
    pub(super) fn share(&mut self, window: &mut Window, event: &AckEvent, rtt: Span, rtt_min: Span) -> f64 {
        if self.rule == HyStartRule::Off || self.found {
            return 1.0;
        }
        if event.una > self.window_end {
            self.begin_round(window, event);
        }
        match self.rule {
            HyStartRule::Train | HyStartRule::Linux | HyStartRule::Ns3 => {
                if window.cwnd >= TRAIN_LEAST_WINDOW && self.sees_train_or_rise(event.now, rtt, rtt_min) {
                    window.ssthresh = window.cwnd;
                }
                1.0
            }
            _ => self.stage(rtt),
        }
    }

    /// Takes a sample in ns-3's order: before the round ends. Ends slow start by setting ssthresh.
    pub(super) fn watch(&mut self, window: &mut Window, now: Time, rtt: Span, rtt_min: Span) {
        let at_work = self.rule != HyStartRule::Off && !self.found;
        if !at_work || window.cwnd > window.ssthresh || window.cwnd < TRAIN_LEAST_WINDOW {
            return;
        }
        if self.sees_train_or_rise(now, rtt, rtt_min) {
            self.found = true;
            window.ssthresh = window.cwnd;
        }
    }

    /// Starts a new round if this ACK ends one (ns-3).
    pub(super) fn turn(&mut self, event: &AckEvent) {
        if event.una > self.window_end || self.restarts {
            self.restarts = false;
            self.window_end = event.next;
            self.round_start = event.now;
            self.last_ack = event.now;
            self.round_rtt = UNKNOWN;
            self.samples = 0;
        }
    }

    /// Restarts after a timeout (ns-3).
    pub(super) fn restart(&mut self) {
        self.found = false;
        self.restarts = true;
    }

    fn begin_round(&mut self, window: &mut Window, event: &AckEvent) {
        self.window_end = event.next;
        self.round_start = event.now;
        self.last_ack = event.now;
        self.last_round_rtt = self.round_rtt;
        self.round_rtt = UNKNOWN;
        self.samples = 0;
        if let Some((_, rounds)) = &mut self.staged {
            *rounds += 1;
            if *rounds > STAGED_ROUNDS {
                window.ssthresh = window.cwnd;
            }
        }
    }

    fn sees_train_or_rise(&mut self, now: Time, rtt: Span, rtt_min: Span) -> bool {
        if now.since(self.last_ack) <= TRAIN_GAP {
            self.last_ack = now;
            let length = if self.rule == HyStartRule::Linux { rtt_min / 2 } else { rtt_min };
            if now.since(self.round_start) > length {
                return true;
            }
        }
        if self.samples < SAMPLES {
            self.samples += 1;
            self.round_rtt = self.round_rtt.min(rtt);
            return false;
        }
        match self.rule {
            HyStartRule::Ns3 => self.round_rtt > rtt_min + rtt_min.clamp(LEAST_RISE, Span::from_millis(1000)),
            _ => self.round_rtt >= rtt_min + (rtt_min / 8).max(LEAST_RISE),
        }
    }

    /// RFC 9406 section 4.2.
    fn stage(&mut self, rtt: Span) -> f64 {
        self.samples += 1;
        self.round_rtt = self.round_rtt.min(rtt);
        if self.samples < SAMPLES {
            return if self.staged.is_some() { STAGED_SHARE } else { 1.0 };
        }
        match self.staged {
            Some((base, _)) if self.round_rtt < base => self.staged = None,
            None if self.last_round_rtt != UNKNOWN => {
                let rise = (self.last_round_rtt / 8).clamp(LEAST_RISE, GREATEST_RISE);
                if self.round_rtt >= self.last_round_rtt + rise {
                    self.staged = Some((self.round_rtt, 0));
                }
            }
            _ => {}
        }
        if self.staged.is_some() {
            STAGED_SHARE
        } else {
            1.0
        }
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
            flight: 1,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        }
    }

    fn round(hystart: &mut HyStart, window: &mut Window, una: u32, ms: u64) -> f64 {
        let rtt = Span::from_millis(ms);
        let mut share = 0.0;
        for seq in una..una + 8 {
            share = hystart.share(window, &event(u64::from(una), seq, una + 7), rtt, rtt);
        }
        share
    }

    /// 40 ms, then 45: the delay increase of an eighth, 5 ms, is reached. Five rounds at a quarter end slow
    /// start; 44 ms would resume it.
    #[test]
    fn a_rise_brings_the_stages() {
        let mut window = Window { cwnd: 8.0, ssthresh: f64::INFINITY };
        let mut hystart = HyStart::new(HyStartRule::Rfc9406);
        assert_eq!(round(&mut hystart, &mut window, 1, 40), 1.0);
        assert_eq!(round(&mut hystart, &mut window, 9, 45), 0.25);
        let mut short = hystart.clone();
        assert_eq!(round(&mut short, &mut window, 17, 44), 1.0);
        for number in 2..7 {
            assert_eq!(window.ssthresh, f64::INFINITY);
            round(&mut hystart, &mut window, 8 * number + 1, 45);
        }
        assert_eq!(window.ssthresh, f64::INFINITY);
        round(&mut hystart, &mut window, 57, 45);
        assert_eq!(window.ssthresh, 8.0);
    }

    /// ACKs 2 ms apart for more than the minimum RTT of 20 ms.
    #[test]
    fn a_train_ends_slow_start() {
        for (rule, until) in [(HyStartRule::Train, 20), (HyStartRule::Linux, 10)] {
            let mut window = Window { cwnd: 16.0, ssthresh: f64::INFINITY };
            let mut hystart = HyStart::new(rule);
            let rtt = Span::from_millis(20);
            for ms in (0..=until).step_by(2) {
                hystart.share(&mut window, &event(ms, 1 + ms as u32, 100), rtt, rtt);
            }
            assert_eq!(window.ssthresh, f64::INFINITY);
            hystart.share(&mut window, &event(until + 2, 50, 100), rtt, rtt);
            assert_eq!(window.ssthresh, 16.0);
        }
    }

    /// A reduction ends the watch. In Linux a timeout starts it again: ACKs 2 ms apart for more than half of 20 ms.
    #[test]
    fn a_timeout_starts_the_watch_again() {
        let mut window = Window { cwnd: 16.0, ssthresh: 100.0 };
        let mut hystart = HyStart::new(HyStartRule::Linux);
        let rtt = Span::from_millis(20);
        let mut train = |watch: &mut HyStart| {
            (102..=114).step_by(2).for_each(|ms| {
                watch.share(&mut window, &event(ms, 5, 100), rtt, rtt);
            });
            window.ssthresh
        };
        hystart.stop();
        assert_eq!(train(&mut hystart), 100.0);
        hystart.begin_again(Time(100_000_000), 9);
        assert_eq!(train(&mut hystart), 16.0);
    }
}
