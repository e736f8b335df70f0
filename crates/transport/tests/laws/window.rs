//! Controls whose window follows acknowledgements, losses and the length of a round trip.

use super::{agree, Law, Sample};
use units::math::{ln, pow, powi};

/// RFC 3649 section 5, with its names.
struct HighSpeed;

impl HighSpeed {
    fn b(w: f64) -> f64 {
        if w <= 38.0 {
            return 0.5;
        }
        (0.1 - 0.5) * (ln(w) - ln(38.0)) / (ln(83_000.0) - ln(38.0)) + 0.5
    }
    fn a(w: f64) -> f64 {
        if w <= 38.0 {
            return 1.0;
        }
        let (high_p, low_p) = (1e-7f64, 1.44 / (38.0 * 38.0));
        let s = (ln(83_000.0) - ln(38.0)) / (ln(high_p) - ln(low_p));
        // W = (p / Low_P)^S Low_Window, solved for p.
        let p = low_p * pow(w / 38.0, 1.0 / s);
        (w * w * p * 2.0 * HighSpeed::b(w) / (2.0 - HighSpeed::b(w))).max(1.0)
    }
}

impl Law for HighSpeed {
    fn ack(&mut self, w: f64, _: Sample) -> f64 {
        w + HighSpeed::a(w) / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        (1.0 - HighSpeed::b(w)) * w
    }
}

/// Kelly 2003: `cwnd += 0.01` per ACK, `cwnd -= 0.125 cwnd` per loss; Reno up to 16.
struct Scalable;

impl Law for Scalable {
    fn ack(&mut self, w: f64, _: Sample) -> f64 {
        if w <= 16.0 {
            w + 1.0 / w
        } else {
            w + f64::max(0.01, 1.0 / w)
        }
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        if w <= 16.0 {
            0.5 * w
        } else {
            w - 0.125 * w
        }
    }
}

/// Xu, Harfoush and Rhee 2004, their pseudo-code: binary search with bounds, then max probing.
struct Bic {
    max_win: f64,
    prev_max: f64,
    is_ss: bool,
    ss_cwnd: f64,
    ss_target: f64,
}

impl Law for Bic {
    fn ack(&mut self, w: f64, _: Sample) -> f64 {
        let (s_max, s_min) = (32.0, 0.01);
        if w < 14.0 {
            return w + 1.0 / w;
        }
        if w < self.max_win {
            self.is_ss = false;
            let target_win = (self.max_win + w) / 2.0;
            let bin_inc = target_win - w;
            let step = if bin_inc > s_max { s_max } else { f64::max(bin_inc, s_min) };
            return w + step / w;
        }
        if !self.is_ss {
            (self.is_ss, self.ss_cwnd, self.ss_target) = (true, 1.0, w + 1.0);
        } else if w >= self.ss_target && self.ss_cwnd < s_max {
            self.ss_cwnd = f64::min(2.0 * self.ss_cwnd, s_max);
            self.ss_target = w + self.ss_cwnd;
        }
        w + self.ss_cwnd / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        let beta = 0.125;
        self.is_ss = false;
        self.prev_max = self.max_win;
        // "If it falls, the maximum is set halfway to the minimum."
        let falls = self.prev_max.is_finite() && w < self.prev_max;
        self.max_win = if falls { (w + w * (1.0 - beta)) / 2.0 } else { w };
        if w < 14.0 {
            0.5 * w
        } else {
            w * (1.0 - beta)
        }
    }
}

/// Caini and Firrincieli 2004: `rho = RTT / 25 ms`, at least 1; `rho^2 / W` per ACK.
struct Hybla {
    rtt: f64,
}

impl Law for Hybla {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        self.rtt = self.rtt.min(sample.rtt);
        let rho = f64::max(self.rtt / 0.025, 1.0);
        w + rho * rho / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        w / 2.0
    }
}

/// draft-leith-tcp-htcp-06 section 2, without the switch by throughput. The first loss leaves a half.
struct Htcp {
    rtt_min: f64,
    rtt_max: f64,
    last: f64,
    beta: f64,
    alpha: f64,
    losses: u32,
}

impl Law for Htcp {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        self.rtt_min = self.rtt_min.min(sample.rtt);
        self.rtt_max = self.rtt_max.max(self.rtt_min);
        if sample.rtt > self.rtt_max && sample.rtt <= self.rtt_max + 0.02 {
            self.rtt_max = sample.rtt;
        }
        let grown = w + self.alpha / w;
        let delta = sample.now - self.last;
        let a = if delta <= 1.0 { 1.0 } else { 1.0 + 10.0 * (delta - 1.0) + powi((delta - 1.0) / 2.0, 2) };
        let scaled = f64::max(a * (self.rtt_min / 0.1).clamp(0.1, 2.0), 1.0);
        self.alpha = 2.0 * (1.0 - self.beta) * scaled;
        grown
    }
    fn loss(&mut self, w: f64, now: f64) -> f64 {
        self.losses += 1;
        self.beta = if self.losses == 1 { 0.5 } else { (self.rtt_min / self.rtt_max).clamp(0.5, 0.8) };
        (self.last, self.alpha) = (now, 2.0 * (1.0 - self.beta));
        self.rtt_max = self.rtt_min + 0.95 * (self.rtt_max - self.rtt_min);
        w * self.beta
    }
}

#[test]
fn highspeed_equals_the_rfc() {
    agree("highspeed", &mut HighSpeed, 30.0);
    agree("highspeed", &mut HighSpeed, 5000.0);
}

#[test]
fn scalable_equals_the_paper() {
    agree("scalable", &mut Scalable, 200.0);
}

#[test]
fn bic_equals_the_paper() {
    let mut law =
        Bic { max_win: f64::INFINITY, prev_max: f64::INFINITY, is_ss: false, ss_cwnd: 1.0, ss_target: 0.0 };
    agree("bic", &mut law, 300.0);
}

#[test]
fn hybla_equals_the_paper() {
    agree("hybla", &mut Hybla { rtt: f64::INFINITY }, 50.0);
}

#[test]
fn htcp_equals_the_draft() {
    let new = || Htcp { rtt_min: f64::INFINITY, rtt_max: 0.0, last: 0.0, beta: 0.5, alpha: 1.0, losses: 0 };
    agree("htcp", &mut new(), 100.0);
}
