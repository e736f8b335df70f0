//! LEDBAT: a background transfer that holds a fixed queueing delay and yields to others.
//!
//! *Reference*: RFC 6817.
//! *Units*: windows in segments; delays are spans.
//! *Deviations*: delays are round-trip times, as no sender here learns one-way delays: a queue on the return path
//! counts as well. ACKs in a recovery change neither window nor filters, those that find the window unused only the
//! filters. A minute of the history starts with an ACK.
//!
//! With the queueing delay `q` over the least delay of the last minutes, each acknowledged segment adds
//! `ledbat_gain (1 - q / ledbat_target) / cwnd`. A loss leaves a half.

use super::avoidance::reduced;
use super::{slow_start, AckEvent, CongestionEvent, Control, Window};
use crate::params::Params;
use std::collections::VecDeque;
use units::{Span, Time};

/// Least window.
pub(super) const MIN_CWND: f64 = 2.0;
const MINUTE: Span = Span(60_000_000_000);

/// The least delay of the last minutes, and the least of the last few samples.
#[derive(Clone, Debug)]
pub(super) struct DelayFilters {
    /// Least delay of each minute, the present one last.
    base: VecDeque<Span>,
    minutes: usize,
    /// End of the present minute.
    rolls: Option<Time>,
    recent: VecDeque<Span>,
    samples: usize,
}

impl DelayFilters {
    pub(super) fn new(params: &Params) -> DelayFilters {
        DelayFilters {
            base: VecDeque::with_capacity(params.ledbat_history as usize),
            minutes: params.ledbat_history as usize,
            rolls: None,
            recent: VecDeque::with_capacity(params.ledbat_filter as usize),
            samples: params.ledbat_filter as usize,
        }
    }

    /// Takes the RTT of an ACK.
    pub(super) fn measure(&mut self, event: &AckEvent) {
        if let Some(rtt) = event.delay_sample() {
            self.take(rtt, event.now);
        }
    }

    /// Takes a delay.
    fn take(&mut self, delay: Span, now: Time) {
        if self.recent.len() == self.samples {
            self.recent.pop_front();
        }
        self.recent.push_back(delay);
        match self.rolls {
            Some(end) if now < end => {
                if let Some(least) = self.base.back_mut() {
                    *least = delay.min(*least);
                }
            }
            _ => {
                if self.base.len() == self.minutes {
                    self.base.pop_front();
                }
                self.base.push_back(delay);
                self.rolls = Some(now + MINUTE);
            }
        }
    }

    /// The least delay of the last minutes; none without a sample.
    pub(super) fn base(&self) -> Option<Span> {
        self.base.iter().min().copied()
    }

    /// The least delay of the last samples.
    pub(super) fn current(&self) -> Option<Span> {
        self.recent.iter().min().copied()
    }

    /// The queueing delay: how much the last samples exceed the base.
    pub(super) fn queueing(&self) -> Option<Span> {
        Some(Span(self.current()?.0.saturating_sub(self.base()?.0)))
    }
}

/// LEDBAT.
#[derive(Clone, Debug)]
pub struct Ledbat {
    delays: DelayFilters,
    target: Span,
    gain: f64,
    allowed_increase: f64,
    starts_slowly: bool,
}

impl Ledbat {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Ledbat {
        Ledbat {
            delays: DelayFilters::new(params),
            target: params.ledbat_target,
            gain: params.ledbat_gain,
            allowed_increase: params.ledbat_allowed_increase,
            starts_slowly: params.ledbat_slow_start,
        }
    }
}

impl Control for Ledbat {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let Some(queueing) = self.delays.queueing() else { return };
        if self.starts_slowly && window.cwnd < window.ssthresh {
            slow_start(window, event.acked);
            return;
        }
        let off_target = 1.0 - queueing.ratio(self.target);
        let grown = window.cwnd + self.gain * off_target * f64::from(event.acked) / window.cwnd;
        let most = f64::from(event.flight) + self.allowed_increase;
        window.cwnd = grown.min(most).max(MIN_CWND);
        if self.starts_slowly {
            // A window that shrank by the delay does not start slowly again.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        reduced(window, event, 0.5).max(MIN_CWND).min(window.cwnd)
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.delays.measure(event);
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;

    fn acknowledge(cc: &mut Ledbat, window: &mut Window, event: &AckEvent) {
        cc.on_every_ack(event);
        cc.on_ack(window, event);
    }

    fn after(rtts: &[u64], cwnd: f64) -> f64 {
        let mut cc = Ledbat::new(&Params { ledbat_filter: 1, ..Params::default() });
        let mut window = Window { cwnd, ssthresh: 1e9 };
        for rtt in rtts {
            window.cwnd = cwnd;
            let event = AckEvent { flight: cwnd as u32, ..ack(0, 2, 9, 9 + cwnd as u32, *rtt) };
            acknowledge(&mut cc, &mut window, &event);
        }
        window.cwnd
    }

    /// Base 50 ms, target 100 ms, two segments ACKed of ten: without a queue +2/10, with 50 ms half of it, at the
    /// target nothing, at twice the target -2/10. The window may pass the flight by one segment, and is two at least.
    #[test]
    fn the_window_follows_the_distance_to_the_target() {
        for (rtt, right) in [(50, 10.2), (100, 10.1), (150, 10.0), (250, 9.8)] {
            assert!((after(&[50, rtt], 10.0) - right).abs() < 1e-12, "{rtt} ms");
        }
        assert_eq!(after(&[50, 850], 2.0), 2.0);
        let mut cc = Ledbat::new(&Params::default());
        let mut window = Window { cwnd: 10.0, ssthresh: 1e9 };
        acknowledge(&mut cc, &mut window, &AckEvent { flight: 5, ..ack(0, 1, 9, 14, 50) });
        assert_eq!(window.cwnd, 6.0);
    }

    /// A loss takes a half of ten segments, and leaves two of three.
    #[test]
    fn a_loss_takes_a_half() {
        for (cwnd, left) in [(10.0, 5.0), (3.0, 2.0), (1.0, 1.0)] {
            let loss = CongestionEvent {
                now: Time::ZERO,
                cause: super::super::Cause::Loss,
                load: cwnd,
                flight: cwnd as u32,
                ecn_factor: None,
            };
            let mut cc = Ledbat::new(&Params::default());
            assert_eq!(cc.on_congestion(&Window { cwnd, ssthresh: 2.0 }, &loss), left);
        }
    }

    /// Slow start adds a segment for each one acknowledged. After it the delay shrinks the window: at 250 ms the two
    /// segments acknowledged of ten take 2/10, and slow start does not come back.
    #[test]
    fn slow_start_is_an_option_and_happens_once() {
        let mut cc = Ledbat::new(&Params { ledbat_slow_start: true, ledbat_filter: 1, ..Params::default() });
        let mut window = Window { cwnd: 8.0, ssthresh: 10.0 };
        acknowledge(&mut cc, &mut window, &ack(0, 2, 9, 17, 50));
        assert_eq!(window.cwnd, 10.0);
        acknowledge(&mut cc, &mut window, &ack(0, 2, 11, 21, 250));
        assert!((window.cwnd - 9.8).abs() < 1e-12);
        acknowledge(&mut cc, &mut window, &ack(0, 2, 13, 23, 150));
        assert!((window.cwnd - 9.8).abs() < 1e-12, "at the target: {}", window.cwnd);
    }

    /// The current delay is the least of four: one slow ACK is no queue. The base is forgotten after ten minutes.
    #[test]
    fn filters_forget() {
        let mut delays = DelayFilters::new(&Params::default());
        let at = |minute: u64| Time(minute * 60_000_000_000);
        [50, 90, 80, 70].iter().for_each(|ms| delays.take(Span::from_millis(*ms), at(0)));
        assert_eq!(delays.queueing(), Some(Span::ZERO));
        delays.take(Span::from_millis(100), at(0));
        assert_eq!(delays.queueing(), Some(Span::from_millis(20)));
        (1..10).for_each(|minute| delays.take(Span::from_millis(70), at(minute)));
        assert_eq!(delays.base(), Some(Span::from_millis(50)));
        delays.take(Span::from_millis(70), at(10));
        assert_eq!(delays.base(), Some(Span::from_millis(70)));
    }
}
