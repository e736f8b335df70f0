//! Prague: DCTCP for paths of any length. It paces its window over the round trip, and short RTTs gain no
//! advantage.
//!
//! *Reference*: DTBG24 sections 2.3 to 2.5; RFC 9331 section 4 for its requirements; BA19 for the fallback
//! ([`ClassicQueueDetector`]).
//! *Units*: windows in segments; `alpha` and `g` are ratios.
//! *Deviations*: RTT independence holds from the start, not only after some hundred rounds. A loss halves the
//! window. The fallback is off by default. As in RFC 3465, an ACK grows the window by two segments at most; with
//! `counting = "whole"` by all it acknowledges.

mod fallback;

use self::fallback::ClassicQueueDetector;
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Counting, Params};
use units::{Span, Time};

/// Segments by which an ACK grows the window at most, whatever it acknowledges (RFC 3465 section 2.3).
const MOST_PER_ACK: u32 = 2;

/// Prague.
#[derive(Clone, Debug)]
pub struct Prague {
    alpha: f64,
    g: f64,
    /// Lower bound on the RTT in the growth law.
    rtt_floor: Span,
    srtt: Span,
    counting: Counting,
    acked: u32,
    marked: u32,
    /// Next update of the estimate.
    estimate_at: Time,
    /// Earliest next reduction.
    reduced_at: Time,
    /// Detector of classic ECN queues, if enabled.
    classic_queue: Option<ClassicQueueDetector>,
}

impl Prague {
    /// Returns Prague without observations.
    pub fn new(params: &Params) -> Prague {
        Prague {
            alpha: params.prague_alpha,
            g: params.prague_g,
            rtt_floor: params.prague_rtt,
            srtt: Span::ZERO,
            counting: params.counting,
            acked: 0,
            marked: 0,
            estimate_at: Time::ZERO,
            reduced_at: Time::ZERO,
            classic_queue: params.prague_fallback.then(ClassicQueueDetector::default),
        }
    }

    /// Twice the reduction by an echo: `alpha`, moved towards 1 (classic halving) as far as the marks look
    /// classic.
    fn severity(&self) -> f64 {
        let classic = self.classic_queue.as_ref().map_or(0.0, ClassicQueueDetector::share);
        self.alpha + (1.0 - self.alpha) * classic
    }

    /// The RTT that the flow behaves as if it had.
    fn virtual_rtt(&self) -> Span {
        self.srtt.max(self.rtt_floor)
    }

    fn measure(&mut self, event: &AckEvent) {
        let Some(rtt) = event.rtt.filter(|rtt| *rtt > Span::ZERO) else {
            return;
        };
        let first = self.srtt == Span::ZERO;
        if let Some(classic_queue) = &mut self.classic_queue {
            classic_queue.measure(rtt);
        }
        self.srtt = if first { rtt } else { Span((self.srtt.0 * 7 + rtt.0) / 8) };
    }
}

impl Control for Prague {
    /// Unmarked segments grow the window by one segment per round trip, times the square of its ratio to the
    /// virtual one, so that the rates of any two flows grow alike.
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let most = if self.counting == Counting::Whole { u32::MAX } else { MOST_PER_ACK };
        let mut grown = f64::from(event.acked.saturating_sub(event.marked).min(most));
        if window.cwnd < window.ssthresh {
            let start = grown.min(window.ssthresh - window.cwnd);
            window.cwnd += start;
            grown -= start;
        }
        // A window of whole segments may be 0 after a mark (`arithmetic = "integer"`).
        if grown == 0.0 {
            return;
        }
        let share = if self.srtt > Span::ZERO { self.srtt.ratio(self.virtual_rtt()) } else { 1.0 };
        window.cwnd += share * share * grown / window.cwnd;
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.reduced_at = event.now + self.virtual_rtt();
        match event.cause {
            Cause::Ecn => window.cwnd * (1.0 - self.severity() / 2.0),
            Cause::Loss | Cause::Timeout => event.load / 2.0,
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.measure(event);
        self.acked += event.acked;
        self.marked += event.marked;
        if event.now < self.estimate_at || self.acked == 0 {
            return;
        }
        let share = (f64::from(self.marked) / f64::from(self.acked)).min(1.0);
        self.alpha = (1.0 - self.g) * self.alpha + self.g * share;
        if let Some(classic_queue) = &mut self.classic_queue {
            classic_queue.end_round(self.marked > 0);
        }
        (self.acked, self.marked) = (0, 0);
        self.estimate_at = event.now + self.virtual_rtt();
    }

    fn fall_back_to_classic_ecn(&mut self) {
        (self.alpha, self.g) = (1.0, 0.0);
    }

    fn watches(&self) -> bool {
        true
    }

    fn may_reduce_on_echo(&self, now: Time) -> bool {
        now >= self.reduced_at
    }

    fn grows_on_echo(&self) -> bool {
        true
    }

    fn paces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ms: u64, acked: u32, marked: u32) -> AckEvent {
        AckEvent {
            now: Time(ms * 1_000_000),
            acked,
            marked,
            delivered: acked,
            rtt: Some(Span::from_micros(12_500)),
            by_segment: false,
            reducing: false,
            flight: 8,
            una: 1,
            next: 9,
            sacks: false,
            ece: marked > 0,
            recovering: false,
        }
    }

    /// The RTT is 12.5 ms, half the virtual one: a window of 8 grows by a quarter with eight ACKs.
    #[test]
    fn a_short_round_trip_grows_as_slowly_as_a_long_one() {
        let mut cc = Prague::new(&Params { counting: Counting::Whole, ..Params::default() });
        let mut window = Window { cwnd: 8.0, ssthresh: 2.0 };
        cc.on_every_ack(&event(10, 1, 0));
        cc.on_ack(&mut window, &event(10, 8, 0));
        assert_eq!(window.cwnd, 8.25);
        // Two of eight segments were marked: the other six count.
        window.cwnd = 8.0;
        cc.on_ack(&mut window, &event(10, 8, 2));
        assert_eq!(window.cwnd, 8.0 + 6.0 / 32.0);
    }

    /// A retransmission fills a gap of 53 segments after a timeout: one ends slow start, one counts in avoidance.
    #[test]
    fn an_ack_of_many_segments_counts_as_two() {
        let mut cc = Prague::new(&Params::default());
        let mut window = Window { cwnd: 1.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &event(10, 53, 0));
        assert_eq!(window.cwnd, 2.5);
    }

    /// A mark has taken a window of one whole segment: its echo leaves it at 0, an unmarked segment opens it.
    #[test]
    fn a_closed_window_opens_with_an_unmarked_segment() {
        let mut cc = Prague::new(&Params::default());
        let mut window = Window { cwnd: 0.0, ssthresh: 2.0 };
        cc.on_ack(&mut window, &event(10, 1, 1));
        assert_eq!(window.cwnd, 0.0);
        cc.on_ack(&mut window, &event(10, 1, 0));
        assert_eq!(window.cwnd, 1.0);
    }

    /// g 1/16: a quarter of the segments marked moves alpha from 1 by 1/16 of the distance; the next update
    /// is 25 ms later.
    #[test]
    fn the_estimate_follows_the_share_of_marks() {
        let mut cc = Prague::new(&Params::default());
        cc.on_every_ack(&event(10, 4, 1));
        assert_eq!(cc.alpha, 1.0 - 0.75 / 16.0);
        cc.on_every_ack(&event(34, 4, 1));
        assert_eq!((cc.alpha, cc.acked), (1.0 - 0.75 / 16.0, 4));
        cc.on_every_ack(&event(35, 4, 1));
        assert_eq!(cc.acked, 0);
    }

    /// A queue whose delay varies by milliseconds looks classic after some rounds: then a mark halves the
    /// window, for any alpha.
    #[test]
    fn where_marks_look_classic_they_halve() {
        let params = Params { prague_alpha: 0.0, prague_g: 0.0, prague_fallback: true, ..Params::default() };
        let mut cc = Prague::new(&params);
        let window = Window { cwnd: 8.0, ssthresh: 2.0 };
        let cut = CongestionEvent { now: Time(0), cause: Cause::Ecn, load: 8.0, flight: 8, ecn_factor: None };
        assert_eq!(cc.on_congestion(&window, &cut), 8.0);
        for round in 0..40 {
            let rtt = Span::from_millis(if round % 2 == 0 { 10 } else { 40 });
            cc.on_every_ack(&AckEvent { rtt: Some(rtt), ..event(100 * round, 1, 1) });
        }
        assert_eq!(cc.on_congestion(&window, &cut), 4.0);
    }

    #[test]
    fn marks_cut_by_half_of_alpha_once_a_virtual_round_trip() {
        let mut cc = Prague::new(&Params { prague_alpha: 0.5, ..Params::default() });
        let window = Window { cwnd: 8.0, ssthresh: 2.0 };
        let cut = CongestionEvent {
            now: Time(40_000_000),
            cause: Cause::Ecn,
            load: 8.0,
            flight: 8,
            ecn_factor: None,
        };
        assert_eq!(cc.on_congestion(&window, &cut), 6.0);
        assert!(!cc.may_reduce_on_echo(Time(64_000_000)) && cc.may_reduce_on_echo(Time(65_000_000)));
    }
}
