//! TCP-LP: a background transfer that takes a rising delay for the demand of others, halves, and gives way if it stays.
//!
//! *Reference*: KK03 as RFC6297 section 2 and the notes of Linux's `tcp_lp` describe it.
//! *Units*: windows in segments, delays in nanoseconds.
//! *Deviations*: delays are round-trip times, as no sender here learns one-way delays: a queue on the return path
//! counts as well. The receiver may delay the ACK of a segment alone in flight, and one of one segment among those of two:
//! they give no sample, so the mean starts again after a reduction to one segment. The segments sent before a reduction
//! indicate nothing.
//!
//! An early indication of congestion is a smoothed delay above `min + lp_threshold (max - min)`. The first one halves the
//! window and starts the inference phase, `lp_inference` round trips without growth; another one in that phase leaves
//! one segment.

use super::avoidance::{reduced, Avoidance};
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{LpParams, Params};
use units::{Span, Time};

/// ACKs of two segments remembered, at most.
const PAIRS: u32 = 5;

/// Least and greatest delay, and its mean.
#[derive(Clone, Copy, Debug)]
struct Delays {
    least: f64,
    greatest: f64,
    smoothed: f64,
}

/// TCP-LP.
#[derive(Clone, Debug)]
pub struct Lp {
    growth: Avoidance,
    options: LpParams,
    delays: Option<Delays>,
    /// End of the inference phase.
    inferring: Option<Time>,
    /// Segments below were sent before the last reduction.
    reduced_at: u32,
    /// The next sample starts the mean.
    restarts: bool,
    /// ACKs of two segments, less those of one since.
    pairs: u32,
}

impl Lp {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Lp {
        Lp {
            growth: Avoidance::new(params),
            options: params.lp.clone(),
            delays: None,
            inferring: None,
            reduced_at: 0,
            restarts: false,
            pairs: 0,
        }
    }

    /// Whether the receiver may have delayed this ACK.
    fn may_be_late(&mut self, event: &AckEvent) -> bool {
        if event.flight <= 1 {
            return true;
        }
        if !event.sacks && event.acked > 1 {
            self.pairs = (self.pairs + 1).min(PAIRS);
        }
        let late = !event.sacks && event.acked == 1 && self.pairs > 0;
        self.pairs -= u32::from(late);
        late
    }

    fn measure(&mut self, rtt: Span) {
        let (delay, gain) = (rtt.0 as f64, self.options.lp_smoothing);
        let first = Delays { least: delay, greatest: delay, smoothed: delay };
        let delays = self.delays.get_or_insert(first);
        delays.least = delays.least.min(delay);
        delays.greatest = delays.greatest.max(delay);
        let gain = if std::mem::take(&mut self.restarts) { 1.0 } else { gain };
        delays.smoothed += gain * (delay - delays.smoothed);
    }

    /// Whether the smoothed delay is above the threshold.
    fn indicates(&self) -> bool {
        !self.restarts
            && self.delays.is_some_and(|delays| {
                let span = delays.greatest - delays.least;
                delays.smoothed > delays.least + self.options.lp_threshold * span
            })
    }

    /// Responds to an early indication of congestion.
    fn give_way(&mut self, window: &mut Window, event: &AckEvent, inferring: bool) {
        let half = if self.growth.is_whole() { (window.cwnd / 2.0).floor() } else { window.cwnd / 2.0 };
        window.cwnd = if inferring { 1.0 } else { half.max(1.0) };
        window.ssthresh = window.cwnd;
        self.restarts = window.cwnd < 2.0;
        self.growth.reset();
        self.reduced_at = event.next;
        let Some(delays) = &mut self.delays else { return };
        let phase = Span((self.options.lp_inference * delays.smoothed) as u64);
        self.inferring = Some(event.now + phase);
        if self.options.lp_restart {
            (delays.least, delays.greatest) = (delays.smoothed, 2.0 * delays.smoothed);
        }
    }
}

impl Control for Lp {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let inferring = self.inferring.is_some_and(|end| event.now < end);
        let news = event.una > self.reduced_at;
        if news && window.cwnd >= window.ssthresh && self.indicates() {
            return self.give_way(window, event, inferring);
        }
        if !inferring {
            let left = self.growth.start(window, event);
            self.growth.grow(window, left, 1.0);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        reduced(window, event, 0.5)
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        let late = self.may_be_late(event);
        if let Some(rtt) = event.delay_sample().filter(|_| !late) {
            self.measure(rtt);
        }
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::*;

    fn see(cc: &mut Lp, window: &mut Window, event: &AckEvent) -> f64 {
        cc.on_every_ack(event);
        cc.on_ack(window, event);
        window.cwnd
    }

    fn control(options: LpParams) -> Lp {
        let mut cc = Lp::new(&Params { lp: options, ..Params::default() });
        for ms in [100, 200] {
            cc.measure(Span::from_millis(ms));
        }
        // 100 + 100 / 8 = 112.5 is below 100 + 0.15 x 100 = 115.
        assert!(!cc.indicates());
        cc
    }

    /// Extremes 100 and 200 ms, mean 112.5: a sample of 140 ms makes it 115.94, above 115. That halves 20. After it the
    /// window stays for three smoothed round trips, 347.8 ms, as long as the delay is low.
    #[test]
    fn a_rising_delay_halves_the_window_and_stops_it() {
        let mut cc = control(LpParams::default());
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        assert_eq!(see(&mut cc, &mut window, &ack(0, 1, 1, 21, 140)), 10.0);
        // Sent before: no news, though the mean is 118.9.
        assert_eq!(see(&mut cc, &mut window, &ack(10, 1, 2, 22, 140)), 10.0);
        for number in 0..20 {
            see(&mut cc, &mut window, &ack(20 + number, 1, 3, 22, 100));
        }
        assert_eq!(see(&mut cc, &mut window, &ack(347, 1, 22, 32, 100)), 10.0);
        assert_eq!(see(&mut cc, &mut window, &ack(348, 1, 23, 33, 100)), 10.1);
    }

    /// A second indication within the phase, by segments sent after the first: one segment is left. Once the phase is
    /// over the next one halves.
    #[test]
    fn a_delay_that_stays_leaves_one_segment() {
        let mut cc = control(LpParams::default());
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        see(&mut cc, &mut window, &ack(0, 1, 1, 21, 140));
        assert_eq!(see(&mut cc, &mut window, &ack(150, 1, 22, 31, 140)), 1.0);
        window.cwnd = 8.0;
        assert_eq!(see(&mut cc, &mut window, &ack(900, 1, 32, 40, 140)), 4.0);
    }

    /// One segment in flight gives no sample: the window grows after the phase whatever its delay, and the mean starts with
    /// the first sample after it.
    #[test]
    fn a_single_segment_indicates_nothing() {
        let mut cc = control(LpParams::default());
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        see(&mut cc, &mut window, &ack(0, 1, 1, 21, 140));
        assert_eq!(see(&mut cc, &mut window, &ack(150, 1, 22, 31, 140)), 1.0);
        assert_eq!(see(&mut cc, &mut window, &ack(600, 1, 32, 32, 190)), 2.0);
        assert_eq!(see(&mut cc, &mut window, &ack(700, 1, 33, 34, 110)), 2.5);
        assert_eq!(cc.delays.map(|delays| delays.smoothed), Some(110e6));
    }

    /// After an ACK of two segments one of one segment may have waited for the receiver's timer: no sample. Without ACKs of
    /// two each counts.
    #[test]
    fn a_delayed_ack_indicates_nothing() {
        let mut cc = control(LpParams::default());
        let smoothed = |of: &Lp| of.delays.map(|delays| delays.smoothed);
        cc.on_every_ack(&ack(0, 2, 2, 6, 112));
        let before = smoothed(&cc);
        cc.on_every_ack(&ack(40, 1, 3, 6, 190));
        assert_eq!(smoothed(&cc), before);
        cc.on_every_ack(&ack(80, 1, 4, 7, 190));
        assert_ne!(smoothed(&cc), before);
    }

    /// Slow start finds the greatest delay: no indication counts in it.
    #[test]
    fn slow_start_goes_on_until_a_loss() {
        let mut cc = control(LpParams::default());
        let mut window = Window { cwnd: 20.0, ssthresh: 1e6 };
        assert_eq!(see(&mut cc, &mut window, &ack(0, 1, 1, 21, 190)), 21.0);
    }

    /// With the restart of Linux the extremes are the mean and twice the mean: the same delay is not above the new
    /// threshold, 1.15 times the mean.
    #[test]
    fn the_extremes_may_start_again() {
        let mut cc = control(LpParams { lp_restart: true, ..LpParams::default() });
        let mut window = Window { cwnd: 20.0, ssthresh: 10.0 };
        see(&mut cc, &mut window, &ack(0, 1, 1, 21, 140));
        let delays = cc.delays.expect("has samples");
        assert_eq!((delays.least, delays.greatest), (delays.smoothed, 2.0 * delays.smoothed));
        assert_eq!(see(&mut cc, &mut window, &ack(400, 1, 22, 31, 130)), 10.1);
    }
}
