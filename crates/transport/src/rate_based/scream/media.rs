//! Target rate of the video coder.
//!
//! *Reference*: RFC8298 section 4.1.3.
//! *Units*: bits, bits per second, seconds.
//! *Deviations*: assumed: the last maximum is that before a congestion event or the end of fast increase.

use super::delay::DelayState;
use super::ScreamParams;
use std::collections::VecDeque;

/// Samples of the median of the media rate: 10 s.
const MEDIAN_SAMPLES: usize = 50;

/// Bits of an interval: sent, acknowledged, made by the coder.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Bits sent.
    pub sent: f64,
    /// Bits acknowledged.
    pub acked: f64,
    /// Bits made by the coder.
    pub made: f64,
}

/// Rate control of the coder.
#[derive(Clone, Debug)]
pub struct MediaRate {
    /// Target rate.
    pub target: f64,
    last_max: f64,
    min_rate: f64,
    max_rate: f64,
    ramp_up: f64,
    guard: f64,
    queue_factor: f64,
    queue_threshold: f64,
    queue_scale: f64,
    media_rates: VecDeque<f64>,
}

impl MediaRate {
    /// Returns the control before the first packet, at the least rate.
    pub fn new(params: &ScreamParams) -> MediaRate {
        MediaRate {
            target: params.min_rate.as_bps(),
            last_max: 1.0,
            min_rate: params.min_rate.as_bps(),
            max_rate: params.max_rate.as_bps(),
            ramp_up: params.ramp_up.as_bps(),
            guard: params.guard,
            queue_factor: params.queue_factor,
            queue_threshold: params.queue_threshold.as_secs(),
            queue_scale: params.queue_scale,
            media_rates: VecDeque::new(),
        }
    }

    /// Notes the rate at which congestion began.
    pub fn note_congestion(&mut self) {
        self.last_max = self.target;
    }

    /// Scales the rate for a congestion event.
    pub fn reduce(&mut self, beta: f64) {
        self.note_congestion();
        self.target = (beta * self.target).max(self.min_rate);
    }

    fn median(&self) -> f64 {
        let mut sorted: Vec<f64> = self.media_rates.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }

    /// Adjusts the rate after an interval. `queued`: bits in the RTP queue.
    pub fn adjust(&mut self, counted: Counted, interval: f64, queued: f64, delay: &DelayState, fast: bool) {
        let current = counted.sent.max(counted.acked) / interval;
        let media = counted.made / interval;
        if self.media_rates.len() == MEDIAN_SAMPLES {
            self.media_rates.pop_front();
        }
        self.media_rates.push_back(media);
        let ramp_up = self.ramp_up.min(self.target / 2.0);
        let distance = 4.0 * (self.target - self.last_max) / self.last_max;
        let scale = (distance * distance).clamp(0.2, 1.0);
        if fast {
            self.target += ramp_up * interval * scale;
        } else {
            let mut change = current * (1.0 - self.guard * delay.trend) - self.queue_factor * queued;
            if change > 0.0 {
                change = (change * scale).min(ramp_up * interval);
            }
            self.target += change;
            if queued > self.queue_threshold * current {
                self.target *= self.queue_scale;
            }
        }
        let limit = current.max(media).max(self.median()) * (2.0 - delay.trend_mem);
        self.target = self.target.min(limit).clamp(self.min_rate, self.max_rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(target: f64) -> (MediaRate, DelayState) {
        let params = ScreamParams::default();
        (MediaRate { target, ..MediaRate::new(&params) }, DelayState::new(&params))
    }

    /// The target after one adjustment of 0.2 s.
    fn adjusted(target: f64, sent: f64, queued: f64, fast: bool) -> f64 {
        let (mut rate, delay) = parts(target);
        rate.adjust(bits(sent), 0.2, queued, &delay, fast);
        rate.target
    }

    fn bits(sent: f64) -> Counted {
        Counted { sent, acked: 0.0, made: sent }
    }

    /// 1 Mbit/s grows by 200 kbit/s · 0.2 s = 40 kbit/s; 200 kbit/s by half of itself in a second: 20 kbit/s.
    #[test]
    fn fast_increase_is_bounded_by_the_ramp() {
        assert!((adjusted(1e6, 200e3, 0.0, true) - 1.04e6).abs() < 1e-6);
        assert!((adjusted(200e3, 40e3, 0.0, true) - 220e3).abs() < 1e-6);
    }

    /// 10 % below the last maximum: (0.4)² = 0.16, of which at least 0.2 of the ramp is left.
    #[test]
    fn it_grows_slowly_near_the_last_maximum() {
        let (mut rate, delay) = parts(1e6);
        rate.reduce(0.9);
        assert_eq!(rate.target, 900e3);
        rate.adjust(bits(180e3), 0.2, 0.0, &delay, true);
        assert!((rate.target - 908e3).abs() < 1e-6);
    }

    /// 50 kbit are queued at 1 Mbit/s: the change 1e6 - 50e3 is bounded by 40 kbit/s; 50 ms of queue scale the rate by
    /// 0.95.
    #[test]
    fn the_rtp_queue_lowers_the_rate() {
        assert!((adjusted(1e6, 200e3, 50e3, false) - 1.04e6 * 0.95).abs() < 1e-6);
        let most = adjusted(1e6, 200e3, 1.5e6, false);
        assert!((most - 475e3).abs() < 1e-6, "(1 + 1 - 1.5) Mbit/s · 0.95");
    }

    /// The target stays below twice what the coder makes, less the memory of congestion.
    #[test]
    fn a_source_of_less_bounds_the_rate() {
        let (mut rate, mut delay) = parts(1e6);
        rate.adjust(bits(60e3), 0.2, 0.0, &delay, true);
        assert!((rate.target - 600e3).abs() < 1e-6);
        delay.trend_mem = 0.5;
        rate.adjust(bits(60e3), 0.2, 0.0, &delay, true);
        assert!((rate.target - 450e3).abs() < 1e-6);
    }
}
