//! Congestion window and send window of SCReAM.
//!
//! *Reference*: RFC8298 sections 4.1.2.1, 4.1.2.2, 4.1.2.5 and 4.1.2.7.
//! *Units*: bytes of payload, seconds.
//! *Deviations*: assumed: the time after which fast increase resumes starts again when it ends.

use super::delay::DelayState;
use super::ScreamParams;
use std::collections::VecDeque;
use units::{Span, Time};

/// Window of the maximum of bytes in flight.
const MAX_WINDOW: Span = Span::from_millis(5000);

/// Maximum of a value over the last 5 s.
#[derive(Clone, Debug, Default)]
struct SlidingMax {
    /// Falling values, oldest first.
    values: VecDeque<(Time, f64)>,
}

impl SlidingMax {
    fn put(&mut self, now: Time, value: f64) {
        while self.values.back().is_some_and(|back| back.1 <= value) {
            self.values.pop_back();
        }
        self.values.push_back((now, value));
    }

    fn max(&mut self, now: Time) -> f64 {
        while self.values.len() > 1
            && self.values.front().is_some_and(|front| now.since(front.0) > MAX_WINDOW)
        {
            self.values.pop_front();
        }
        self.values.front().map_or(0.0, |front| front.1)
    }
}

/// Congestion window.
#[derive(Clone, Debug)]
pub struct ScreamWindow {
    /// Its size.
    pub cwnd: f64,
    /// It grows by each acknowledged byte.
    pub fast_increase: bool,
    mss: f64,
    min_cwnd: f64,
    gain: f64,
    head_room: f64,
    trend_threshold: f64,
    resume_after: Span,
    /// Since when the trend has been low and fast increase has been over.
    low_since: Time,
    in_flight: SlidingMax,
}

impl ScreamWindow {
    /// Returns the window before the first packet.
    pub fn new(params: &ScreamParams) -> ScreamWindow {
        ScreamWindow {
            cwnd: params.min_cwnd.0 as f64,
            fast_increase: true,
            mss: params.mss.0 as f64,
            min_cwnd: params.min_cwnd.0 as f64,
            gain: params.gain,
            head_room: params.head_room,
            trend_threshold: params.trend_threshold,
            resume_after: params.resume_after,
            low_since: Time::ZERO,
            in_flight: SlidingMax::default(),
        }
    }

    /// Notes the bytes in flight after a departure.
    pub fn on_sent(&mut self, now: Time, in_flight: f64) {
        self.in_flight.put(now, in_flight);
    }

    /// Scales the window for a congestion event.
    pub fn reduce(&mut self, now: Time, beta: f64) {
        self.leave_fast_increase(now);
        self.cwnd = (self.cwnd * beta).max(self.min_cwnd);
    }

    /// Sets the window after a mark of L4S.
    pub fn set(&mut self, now: Time, cwnd: f64) {
        self.leave_fast_increase(now);
        self.cwnd = cwnd.max(self.min_cwnd);
    }

    /// Starts over after a timeout.
    pub fn collapse(&mut self, now: Time) {
        self.leave_fast_increase(now);
        self.cwnd = self.min_cwnd;
    }

    fn leave_fast_increase(&mut self, now: Time) {
        self.fast_increase = false;
        self.low_since = now;
    }

    /// Moves the window for newly acknowledged bytes. Returns whether incipient congestion ends fast increase.
    pub fn update(&mut self, now: Time, delay: &DelayState, in_flight: f64, acked: f64) -> bool {
        let mut left = false;
        if self.fast_increase {
            if delay.trend < self.trend_threshold {
                if in_flight * 1.5 + acked > self.cwnd {
                    self.cwnd += acked;
                }
                return false;
            }
            self.leave_fast_increase(now);
            left = true;
        }
        let off_target = (delay.target - delay.qdelay) / delay.target;
        let mut change = self.gain * off_target * acked * self.mss / self.cwnd;
        if off_target > 0.0 && in_flight * 1.25 + acked <= self.cwnd {
            change = 0.0;
        }
        self.cwnd += change;
        self.cwnd = self.cwnd.min(self.in_flight.max(now) * self.head_room).max(self.min_cwnd);
        left
    }

    /// Resumes fast increase after a long time with a low trend.
    pub fn check_to_resume(&mut self, now: Time, delay: &DelayState) {
        if delay.trend >= self.trend_threshold {
            self.low_since = now;
        } else if now.since(self.low_since) >= self.resume_after {
            self.fast_increase = true;
        }
    }

    /// Bytes that may leave.
    pub fn send_window(&self, delay: &DelayState, in_flight: f64) -> f64 {
        let relaxed = if delay.qdelay <= delay.target { self.mss } else { 0.0 };
        self.cwnd + relaxed - in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> (ScreamWindow, DelayState) {
        let params = ScreamParams::default();
        (ScreamWindow::new(&params), DelayState::new(&params))
    }

    fn at(secs: u64) -> Time {
        Time(secs * 1_000_000_000)
    }

    /// 3000 B, of which 3000 were acknowledged and 1000 fly: 4500 > 3000 adds all. Unused it stays.
    #[test]
    fn fast_increase_adds_what_was_acknowledged() {
        let (mut window, delay) = parts();
        window.update(at(0), &delay, 1000.0, 3000.0);
        assert_eq!(window.cwnd, 6000.0);
        window.update(at(0), &delay, 1000.0, 1000.0);
        assert_eq!(window.cwnd, 6000.0, "1500 + 1000 B are no more than the window");
    }

    /// Window 10 000 B, 2000 acknowledged, queue 50 ms of 100: 0.5 · 2000 · 1000/10 000 = 100 B more; at 150 ms 100 B
    /// less.
    #[test]
    fn the_window_follows_the_distance_to_the_target() {
        let (mut window, mut delay) = parts();
        window.fast_increase = false;
        window.cwnd = 10_000.0;
        window.on_sent(at(0), 10_000.0);
        delay.qdelay = 0.05;
        window.update(at(0), &delay, 8000.0, 2000.0);
        assert_eq!(window.cwnd, 10_100.0);
        window.cwnd = 10_000.0;
        delay.qdelay = 0.15;
        window.update(at(0), &delay, 8000.0, 2000.0);
        assert_eq!(window.cwnd, 9_900.0);
        delay.qdelay = 0.05;
        window.update(at(0), &delay, 1000.0, 2000.0);
        assert_eq!(window.cwnd, 9_900.0, "not used");
        window.on_sent(at(6), 4000.0);
        window.update(at(6), &delay, 3000.0, 1000.0);
        assert_eq!(window.cwnd, 4400.0, "10 % over what was in flight in 5 s");
    }

    #[test]
    fn congestion_scales_it_down_to_the_least() {
        let (mut window, _) = parts();
        window.cwnd = 10_000.0;
        window.reduce(at(1), 0.8);
        assert_eq!((window.cwnd, window.fast_increase), (8000.0, false));
        (0..9).for_each(|_| window.reduce(at(1), 0.8));
        assert_eq!(window.cwnd, 3000.0);
    }

    /// A trend of 0.2 ends fast increase; five seconds with less resume it.
    #[test]
    fn fast_increase_ends_with_the_trend_and_resumes() {
        let (mut window, mut delay) = parts();
        delay.trend = 0.2;
        assert!(window.update(at(10), &delay, 3000.0, 1000.0));
        window.check_to_resume(at(11), &delay);
        delay.trend = 0.1;
        window.check_to_resume(at(15), &delay);
        assert!(!window.fast_increase);
        window.check_to_resume(at(16), &delay);
        assert!(window.fast_increase);
    }

    #[test]
    fn a_packet_more_may_leave_below_the_target() {
        let (window, mut delay) = parts();
        delay.qdelay = 0.1;
        assert_eq!(window.send_window(&delay, 3000.0), 1000.0);
        delay.qdelay = 0.11;
        assert_eq!(window.send_window(&delay, 3000.0), 0.0);
    }
}
