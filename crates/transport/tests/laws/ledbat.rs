//! LEDBAT and LEDBAT++: a window that aims at a queueing delay.

use super::{agree, Law, Sample};

/// The delays of RFC 6817 section 2.4.2: BASE_HISTORY and CURRENT_FILTER, here of round trips.
#[derive(Default)]
struct DelayHistory {
    base_delays: Vec<(u64, f64)>,
    current_delays: Vec<f64>,
    started: f64,
}

impl DelayHistory {
    fn update(&mut self, sample: Sample) -> (f64, f64) {
        if self.base_delays.is_empty() {
            self.started = sample.now;
        }
        let minute = ((sample.now - self.started) / 60.0) as u64;
        self.base_delays.push((minute, sample.rtt));
        self.base_delays.retain(|(of, _)| *of + 10 > minute);
        self.current_delays.push(sample.rtt);
        let least = |delays: &mut dyn Iterator<Item = f64>| delays.fold(f64::INFINITY, f64::min);
        let base = least(&mut self.base_delays.iter().map(|row| row.1));
        (base, least(&mut self.current_delays.iter().rev().take(4).copied()))
    }
}

/// RFC 6817 section 2.4.2 with its names, windows in segments: TARGET 3 ms, GAIN 1, ALLOWED_INCREASE 1, MIN_CWND 2.
#[derive(Default)]
struct Ledbat {
    delays: DelayHistory,
}

impl Law for Ledbat {
    fn ack(&mut self, cwnd: f64, sample: Sample) -> f64 {
        let (base_delay, current_delay) = self.delays.update(sample);
        let queuing_delay = current_delay - base_delay;
        let off_target = (0.003 - queuing_delay) / 0.003;
        let flightsize = cwnd.floor();
        let max_allowed_cwnd = flightsize + 1.0;
        f64::max((cwnd + off_target / cwnd).min(max_allowed_cwnd), 2.0)
    }
    fn loss(&mut self, cwnd: f64, _: f64) -> f64 {
        cwnd.min(f64::max(cwnd / 2.0, 2.0))
    }
}

/// draft-irtf-iccrg-ledbat-plus-plus-01 with its names: TARGET 3 ms here, Constant 1.
struct LedbatPp {
    delays: DelayHistory,
    ssthresh: f64,
    initial: bool,
    next_slowdown: f64,
    slowdown_begin: f64,
    frozen_until: f64,
}

impl Law for LedbatPp {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        let (base, delay) = self.delays.update(sample);
        let gain = 1.0 / (2.0 * 0.003 / base).ceil().min(16.0);
        if self.initial {
            // In avoidance from the start: the first slowdown is two round trips away.
            (self.initial, self.next_slowdown) = (false, sample.now + 2.0 * delay);
        }
        if self.frozen_until > 0.0 && sample.now < self.frozen_until - 1e-12 {
            return 2.0;
        }
        self.frozen_until = 0.0;
        if self.slowdown_begin > 0.0 {
            if w < self.ssthresh {
                return (w + gain).min(self.ssthresh);
            }
            self.next_slowdown = sample.now + 9.0 * (sample.now - self.slowdown_begin);
            self.slowdown_begin = 0.0;
        } else if sample.now >= self.next_slowdown - 1e-12 {
            self.ssthresh = w;
            self.slowdown_begin = sample.now;
            self.frozen_until = sample.now + 2.0 * delay;
            return 2.0;
        }
        let queued = delay - base;
        let per_rtt =
            if queued > 0.003 { f64::max(gain - w * (queued / 0.003 - 1.0), -w / 2.0) } else { gain };
        f64::max(w + per_rtt / w, 2.0)
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        self.ssthresh = f64::max(w / 2.0, 2.0).min(w);
        self.ssthresh
    }
}

#[test]
fn ledbat_equals_the_rfc() {
    agree("ledbat", &mut Ledbat::default(), 20.0);
}

#[test]
fn ledbat_pp_equals_the_draft() {
    let law = LedbatPp {
        delays: DelayHistory::default(),
        ssthresh: 2.0,
        initial: true,
        next_slowdown: 0.0,
        slowdown_begin: 0.0,
        frozen_until: 0.0,
    };
    agree("ledbat_pp", &mut { law }, 20.0);
}
