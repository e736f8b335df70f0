//! CUBIC's integer arithmetic in Linux: whole segments, whole milliseconds, and a growth rate that is cached
//! for a while.
//!
//! *Reference*: HRX08; RFC 9438; Linux by its output (`docs/transports/cubic.md`).
//! *Units*: segments, milliseconds (a kernel of 1000 Hz); `K` and the time of the function in 1/1024 s.
//! *Deviations*: the cube root is exact. A timeout forgets all state, see [`super::Cubic`].

use units::{math, Span, Time};

/// Milliseconds for which the growth rate of an unchanged window is cached.
const KEPT: u64 = 31;
/// Eighths of a window to be acknowledged per segment of Reno-friendly growth.
const FRIENDLY: u64 = 15;
/// Largest number of ACKed segments per segment of growth before the first loss.
const FIRST_PACE: u64 = 20;

/// State between ACKs.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// `C` in 1024ths: 410 for 0.4.
    c: u64,
    /// Start of the epoch of congestion avoidance.
    epoch: Option<u64>,
    k: u64,
    origin: u64,
    /// When the growth rate was last computed, and for which window.
    asked: u64,
    asked_for: u64,
    /// ACKed segments per segment of growth, and ACKed segments not yet spent.
    pace: u64,
    credits: u64,
    /// Reno-friendly window, and ACKed segments towards its next segment.
    w_est: u64,
    est_credits: u64,
}

/// Rounds a factor to a multiple of 1/1024.
pub(super) fn in_1024ths(factor: f64) -> f64 {
    (factor * 1024.0).round() / 1024.0
}

impl Steps {
    /// Returns the initial state for `cubic_c`.
    pub(super) fn new(c: f64) -> Steps {
        Steps { c: ((c * 1024.0).round() as u64).max(1), ..Steps::default() }
    }

    /// Ends the epoch: the window was reduced.
    pub(super) fn end_epoch(&mut self) {
        self.epoch = None;
        self.credits = 0;
    }

    /// Returns the growth of the window for `acked` segments.
    pub(super) fn grow(
        &mut self,
        now: Time,
        cwnd: f64,
        acked: u32,
        w_max: f64,
        least: Span,
        friendly: bool,
    ) -> f64 {
        let (cwnd, acked) = (cwnd as u64, u64::from(acked));
        self.ask(now.nanos() / 1_000_000, cwnd, acked, w_max as u64, least, friendly);
        let mut grown = 0;
        if self.credits >= self.pace {
            (self.credits, grown) = (0, 1);
        }
        self.credits += acked;
        grown += self.credits / self.pace;
        self.credits %= self.pace;
        grown as f64
    }

    fn ask(&mut self, ms: u64, cwnd: u64, acked: u64, w_max: u64, least: Span, friendly: bool) {
        self.est_credits += acked;
        if self.asked_for == cwnd && ms - self.asked <= KEPT && self.pace > 0 {
            return;
        }
        if self.epoch.is_none() || ms != self.asked {
            (self.asked, self.asked_for) = (ms, cwnd);
            let epoch = self.epoch.unwrap_or_else(|| self.begin(ms, cwnd, acked, w_max));
            self.pace = self.by_time(ms - epoch + least.0.div_ceil(1_000_000), cwnd);
            if w_max == 0 {
                self.pace = self.pace.min(FIRST_PACE);
            }
        }
        if friendly {
            self.keep_up(cwnd);
        }
        self.pace = self.pace.max(2);
    }

    fn begin(&mut self, ms: u64, cwnd: u64, acked: u64, w_max: u64) -> u64 {
        self.epoch = Some(ms);
        (self.est_credits, self.w_est) = (acked, cwnd);
        let below = w_max.saturating_sub(cwnd);
        self.origin = cwnd + below;
        self.k = math::cbrt(below as f64 * (1u64 << 40) as f64 / self.c as f64) as u64;
        ms
    }

    /// ACKed segments per segment of growth that reach the cubic function after `ms`.
    fn by_time(&self, ms: u64, cwnd: u64) -> u64 {
        let t = ms * 1024 / 1000;
        let apart = u128::from(t.abs_diff(self.k));
        let gap = ((u128::from(self.c) * apart * apart * apart) >> 40) as u64;
        let target = if t < self.k { self.origin.saturating_sub(gap) } else { self.origin + gap };
        if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            100 * cwnd
        }
    }

    /// Raises the growth rate to that of the Reno-friendly window.
    fn keep_up(&mut self, cwnd: u64) {
        let step = (cwnd * FRIENDLY) >> 3;
        while self.est_credits > step {
            self.est_credits -= step;
            self.w_est += 1;
        }
        if self.w_est > cwnd {
            self.pace = self.pace.min(cwnd / (self.w_est - cwnd));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// On the plateau of 100 with an RTT of 1024/1000 s the function is C = 0.4 above it, 0 in whole
    /// segments: the window waits for 100 windows, or before the first loss for 20 segments.
    #[test]
    fn before_the_first_loss_twenty_segments_give_one() {
        let mut steps = Steps::new(0.4);
        assert_eq!(steps.grow(at(5), 100.0, 19, 0.0, Span::from_millis(1000), false), 0.0);
        assert_eq!((steps.pace, steps.origin, steps.k), (20, 100, 0));
        assert_eq!(steps.grow(at(6), 100.0, 1, 0.0, Span::from_millis(1000), false), 1.0);
        let mut later = Steps::new(0.4);
        later.grow(at(5), 100.0, 1, 100.0, Span::from_millis(1000), false);
        assert_eq!(later.pace, 10_000);
    }

    /// The growth rate is cached for 31 ms while the window is unchanged. After 5 s the function is 100 +
    /// 410/1024 * 5^3 = 150 in whole segments: one for two.
    #[test]
    fn a_pace_is_kept_for_a_while() {
        let mut steps = Steps::new(0.4);
        steps.grow(at(0), 100.0, 1, 100.0, Span::ZERO, false);
        steps.grow(at(31), 100.0, 1, 100.0, Span::ZERO, false);
        assert_eq!(steps.asked, 0);
        steps.grow(at(32), 100.0, 1, 100.0, Span::ZERO, false);
        assert_eq!(steps.asked, 32);
        assert_eq!(steps.by_time(5000, 100), 2);
    }

    /// Twice the scale is twice the distance: after 5 s 100 above 100, one per segment.
    #[test]
    fn the_scale_is_the_one_asked_for() {
        let mut steps = Steps::new(0.8);
        steps.grow(at(0), 100.0, 1, 100.0, Span::ZERO, false);
        assert_eq!((steps.c, steps.by_time(5000, 100)), (819, 1));
    }

    /// In a window of 80, 150 acknowledged segments make one of Reno-friendly growth; the window follows at
    /// 80 per segment.
    #[test]
    fn additive_increase_is_kept_up_with() {
        let mut steps = Steps::new(0.4);
        steps.grow(at(1), 80.0, 1, 80.0, Span::ZERO, true);
        for ms in 2..152 {
            steps.grow(at(ms), 80.0, 1, 80.0, Span::ZERO, true);
        }
        assert_eq!((steps.w_est, steps.pace), (80, 8000));
        (152..200).for_each(|ms| {
            steps.grow(at(ms), 80.0, 1, 80.0, Span::ZERO, true);
        });
        assert_eq!((steps.w_est, steps.pace), (81, 80));
    }
}
