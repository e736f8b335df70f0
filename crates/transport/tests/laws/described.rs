//! Controls of which descriptions were used, not the papers: CDG, TCP-LP and TCP-NV.

use super::{agree, agree_after_a_loss, Law, Sample};
use units::{Rng, Stream};

/// HA11 by the descriptions of it, with the paper's symbols: tau the extremes of the RTT in milliseconds, g their
/// changes, s the shadow window, b the backoffs in a row.
struct Cdg {
    tau: Vec<[f64; 2]>,
    now: [f64; 2],
    s: f64,
    b: u32,
    skipped: u32,
    draws: Stream,
}

impl Cdg {
    fn gradients(&self) -> [f64; 2] {
        [0, 1].map(|which| {
            let g: Vec<f64> = self.tau.windows(2).map(|two| two[1][which] - two[0][which]).collect();
            g.iter().rev().take(8).sum::<f64>() / 8.0
        })
    }

    fn backs_off(&mut self) -> bool {
        let g = self.gradients();
        if g.iter().any(|g| *g < 0.0) {
            (self.b, self.skipped) = (0, 0);
        }
        let p = g.map(|g| if g > 0.0 { 1.0 - units::math::exp(-g / 3.0) } else { 0.0 });
        if !p.iter().any(|p| *p > 0.0 && self.draws.uniform() < *p) {
            return false;
        }
        // Five count, the next five do not.
        if self.b == 5 {
            self.skipped += 1;
            if self.skipped == 5 {
                (self.b, self.skipped) = (0, 0);
            }
            return false;
        }
        self.b += 1;
        true
    }
}

impl Law for Cdg {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        let ms = sample.rtt * 1e3;
        self.now = [self.now[0].min(ms), self.now[1].max(ms)];
        if sample.round_ends {
            self.tau.push(std::mem::replace(&mut self.now, [f64::INFINITY, 0.0]));
            if self.s > 0.0 {
                self.s += 1.0;
            }
            if self.backs_off() {
                self.s = self.s.max(w);
                return (0.7 * w).max(2.0);
            }
        }
        w + 1.0 / w
    }

    fn loss(&mut self, w: f64, _now: f64) -> f64 {
        let s = std::mem::take(&mut self.s);
        s.min(2.0 * w).max(w) / 2.0
    }
}

#[test]
fn cdg_equals_the_descriptions() {
    let draws = Stream::new(0, "cdg");
    let now = [f64::INFINITY, 0.0];
    agree("cdg", &mut Cdg { tau: Vec::new(), now, s: 0.0, b: 0, skipped: 0, draws }, 60.0);
}

/// TCP-LP by its descriptions, with their symbols: d_min, d_max and sd the delays, itt the end of the inference phase,
/// una and snd the segments acknowledged and those sent by the last reduction.
#[derive(Default)]
struct Lp {
    d_min: f64,
    d_max: f64,
    sd: f64,
    itt: f64,
    una: u32,
    snd: u32,
    fresh: bool,
}

impl Law for Lp {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        if self.una == 0 {
            (self.d_min, self.d_max, self.sd) = (sample.rtt, sample.rtt, sample.rtt);
        }
        self.una += 1;
        // A segment alone in flight gives no sample.
        if w >= 2.0 {
            (self.d_min, self.d_max) = (self.d_min.min(sample.rtt), self.d_max.max(sample.rtt));
            self.sd = if self.fresh { sample.rtt } else { 7.0 / 8.0 * self.sd + 1.0 / 8.0 * sample.rtt };
            self.fresh = false;
        }
        let inferring = sample.now < self.itt;
        if !self.fresh && self.una > self.snd && self.sd > self.d_min + 0.15 * (self.d_max - self.d_min) {
            self.snd = self.una + w as u32;
            self.itt = sample.now + 3.0 * self.sd;
            let left = if inferring { 1.0 } else { f64::max(w / 2.0, 1.0) };
            self.fresh = left < 2.0;
            return left;
        }
        if inferring {
            w
        } else {
            w + 1.0 / w
        }
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        w / 2.0
    }
}

/// TCP-NV by the parameters of Linux and their descriptions.
struct Nv {
    ssthresh: f64,
    grow: bool,
    reset: bool,
    rtt: f64,
    min_rtt: f64,
    min_rtt_new: f64,
    reset_at: Option<f64>,
    calls: u32,
    rtts: u32,
    max_rate: f64,
    una: u32,
    start: u32,
    acks: Vec<(f64, u32)>,
    sent: f64,
    draws: Stream,
}

impl Nv {
    fn sample(&mut self, w: f64, sample: Sample) {
        self.sent = self.sent.max(sample.now - sample.rtt);
        let before = self.acks.iter().rev().find(|(at, _)| *at <= self.sent);
        let in_flight = before.map_or(f64::from(w as u32), |(_, una)| f64::from(self.una - una));
        self.acks.push((sample.now, self.una));
        if self.rtt == 0.0 {
            (self.rtt, self.min_rtt) = (sample.rtt, 2.0 * sample.rtt);
        } else {
            self.rtt = sample.rtt / 2.0 + self.rtt / 2.0;
        }
        self.max_rate = self.max_rate.max(in_flight / self.rtt);
        self.calls += 1;
        self.min_rtt = self.min_rtt.min(self.rtt);
        self.min_rtt_new = self.min_rtt_new.min(self.rtt);
        let at = *self.reset_at.get_or_insert(sample.now + 2.0);
        if sample.now >= at {
            (self.min_rtt, self.min_rtt_new) = (self.min_rtt_new, f64::INFINITY);
            self.reset_at = Some(sample.now + 5.0 * (0.75 + 0.5 * self.draws.uniform()));
        }
    }

    fn decide(&mut self, w: f64) -> f64 {
        self.rtts += 1;
        let max_win = (self.max_rate * self.min_rtt).floor() + 10.0;
        let mut left = w;
        if w > max_win {
            if self.rtts < 2 {
                return w;
            }
            if self.calls < 60 {
                self.grow &= self.rtts <= 10;
                return w;
            }
            self.grow = false;
            self.ssthresh = max_win;
            left = if w - max_win > 2.0 { w - f64::max(2.0, 0.3 * (w - max_win)) } else { max_win };
        } else if w <= max_win - 2.0 {
            if self.calls < 20 {
                return w;
            }
            self.grow = true;
        } else {
            return w;
        }
        (self.calls, self.rtts, self.max_rate) = (0, 0, 0.0);
        left.max(2.0)
    }
}

impl Law for Nv {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        self.una += 1;
        let next = self.una + w as u32;
        if std::mem::take(&mut self.reset) {
            (self.rtt, self.calls, self.rtts, self.max_rate) = (0.0, 0, 0, 0.0);
            self.start = self.una;
            self.acks.clear();
            self.sent = 0.0;
        }
        self.sample(w, sample);
        let mut w = w;
        if self.una > self.start {
            self.start = next;
            w = self.decide(w);
        }
        if !self.grow {
            return w;
        }
        if w < self.ssthresh {
            w + 1.0
        } else {
            w + 1.0 / w.max(4.0)
        }
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        (self.reset, self.grow) = (true, false);
        self.ssthresh = f64::max(0.8 * w, 2.0).min(w);
        self.ssthresh
    }
}

#[test]
fn lp_equals_the_descriptions() {
    agree("lp", &mut Lp::default(), 60.0);
}

#[test]
fn nv_equals_the_descriptions() {
    let law = Nv {
        ssthresh: 2.0,
        grow: true,
        reset: false,
        rtt: 0.0,
        min_rtt: 0.0,
        min_rtt_new: f64::INFINITY,
        reset_at: None,
        calls: 0,
        rtts: 0,
        max_rate: 0.0,
        una: 0,
        start: 0,
        acks: Vec::new(),
        sent: 0.0,
        draws: Stream::new(0, "nv"),
    };
    // The first slow start is over: its first reduction would need 30 samples, as the opening of a connection does.
    agree_after_a_loss("nv", &mut { law }, 200.0);
}
