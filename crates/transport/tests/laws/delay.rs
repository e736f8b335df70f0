//! Controls that estimate the queue from the delays of a round trip.

use super::{agree, Law, Sample};
use units::math::pow;

/// Minimum, maximum, and the samples of the present round.
struct Delays {
    base: f64,
    max: f64,
    round: Vec<f64>,
}

impl Delays {
    fn new() -> Delays {
        Delays { base: f64::INFINITY, max: 0.0, round: Vec::new() }
    }
    /// Takes a sample; the samples of a round that it ends, itself included.
    fn take(&mut self, sample: Sample) -> Option<Vec<f64>> {
        (self.base, self.max) = (self.base.min(sample.rtt), self.max.max(sample.rtt));
        self.round.push(sample.rtt);
        sample.round_ends.then(|| std::mem::take(&mut self.round))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Liu, Basar and Srikant 2006, equations for kappa 1 to 4.
struct Illinois {
    delays: Delays,
    alpha: f64,
    beta: f64,
    above: bool,
    low: u32,
}

impl Illinois {
    fn judge(&mut self, samples: &[f64], w: f64) {
        let (a_min, a_max, b_min, b_max) = (0.3, 10.0, 0.125, 0.5);
        if w < 15.0 {
            (self.alpha, self.beta) = (1.0, 0.5);
            return;
        }
        let (da, dm) = (mean(samples) - self.delays.base, self.delays.max - self.delays.base);
        let (d1, d2, d3) = (0.01 * dm, 0.1 * dm, 0.8 * dm);
        let k1 = (dm - d1) * a_min * a_max / (a_max - a_min);
        let k2 = (dm - d1) * a_min / (a_max - a_min) - d1;
        if da > d1 {
            (self.above, self.low) = (true, 0);
            self.alpha = k1 / (k2 + da);
        } else {
            self.low += 1;
            if !self.above || self.low >= 5 {
                (self.above, self.low, self.alpha) = (false, 0, a_max);
            }
        }
        let k3 = (b_min * d3 - b_max * d2) / (d3 - d2);
        let k4 = (b_max - b_min) / (d3 - d2);
        self.beta = if da <= d2 {
            b_min
        } else if da < d3 {
            k3 + k4 * da
        } else {
            b_max
        };
    }
}

impl Law for Illinois {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        if let Some(samples) = self.delays.take(sample) {
            self.judge(&samples, w);
        }
        w + self.alpha / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        w * (1.0 - self.beta)
    }
}

/// Fu and Liew 2003.
struct Veno {
    delays: Delays,
    n: f64,
}

impl Law for Veno {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        if let Some(samples) = self.delays.take(sample) {
            // N = Actual * (RTT - BaseRTT), Actual = cwnd / RTT.
            self.n = w / least(&samples) * (least(&samples) - self.delays.base);
        }
        w + if self.n < 3.0 { 1.0 / w } else { 1.0 / (2.0 * w) }
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        if self.n < 3.0 {
            w * 4.0 / 5.0
        } else {
            w / 2.0
        }
    }
}

/// Baiocchi, Castellani and Vacirca 2007, section 3.
struct Yeah {
    delays: Delays,
    q: f64,
    doing_reno: u32,
    fast_count: u32,
    reno_count: f64,
}

impl Yeah {
    fn judge(&mut self, w: f64, rtt: f64) -> f64 {
        let (q_max, phi, zeta) = (80.0, 8.0, 50);
        let base = self.delays.base;
        self.q = (rtt - base) * w / rtt;
        let l = (rtt - base) / base;
        if self.q <= q_max && l <= 1.0 / phi {
            (self.doing_reno, self.fast_count) = (0, self.fast_count + 1);
            if self.fast_count > zeta {
                (self.fast_count, self.reno_count) = (0, 2.0);
            }
            return w;
        }
        let mut after = w;
        if self.q > q_max && w > self.reno_count {
            after = f64::max(w - f64::min(self.q, w / 2.0), self.reno_count);
        }
        self.reno_count =
            if self.reno_count <= 2.0 { f64::max(after / 2.0, 2.0) } else { self.reno_count + 1.0 };
        self.doing_reno += 1;
        after
    }
}

impl Law for Yeah {
    fn ack(&mut self, w: f64, sample: Sample) -> f64 {
        let grown = w + if self.doing_reno > 0 { 1.0 / w } else { f64::max(0.01, 1.0 / w) };
        match self.delays.take(sample) {
            Some(samples) if samples.len() >= 3 => self.judge(grown, least(&samples)),
            _ => grown,
        }
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        let cut = if self.doing_reno < 16 { f64::max(f64::min(self.q, w / 2.0), w / 8.0) } else { w / 2.0 };
        self.fast_count = 0;
        self.reno_count = f64::max((self.reno_count / 2.0).floor(), 2.0);
        w - cut
    }
}

/// draft-sridharan-tcpm-ctcp-02 section 3.
struct Compound {
    delays: Delays,
    dwnd: f64,
}

impl Law for Compound {
    fn ack(&mut self, win: f64, sample: Sample) -> f64 {
        let mut cwnd = win - self.dwnd + 1.0 / win;
        let ended = self.delays.take(sample);
        if let Some(samples) = ended.filter(|_| cwnd + self.dwnd >= 38.0) {
            let (now, rtt) = (cwnd + self.dwnd, mean(&samples));
            let (expected, actual) = (now / self.delays.base, now / rtt);
            let diff = (expected - actual) * self.delays.base;
            self.dwnd = if diff < 30.0 {
                self.dwnd + f64::max(0.125 * pow(now, 0.75) - 1.0, 0.0)
            } else {
                f64::max(self.dwnd - diff, 0.0)
            };
        }
        cwnd += self.dwnd;
        cwnd
    }
    fn loss(&mut self, win: f64, _: f64) -> f64 {
        let cwnd = (win - self.dwnd) / 2.0;
        self.dwnd = f64::max(win * (1.0 - 0.5) - cwnd, 0.0);
        cwnd + self.dwnd
    }
}

#[test]
fn illinois_equals_the_paper() {
    let mut law = Illinois { delays: Delays::new(), alpha: 10.0, beta: 0.5, above: false, low: 0 };
    agree("illinois", &mut law, 60.0);
}

#[test]
fn veno_equals_the_paper() {
    agree("veno", &mut Veno { delays: Delays::new(), n: f64::INFINITY }, 40.0);
}

#[test]
fn yeah_equals_the_paper() {
    let new = || Yeah { delays: Delays::new(), q: 0.0, doing_reno: 0, fast_count: 0, reno_count: 2.0 };
    agree("yeah", &mut new(), 60.0);
    agree("yeah", &mut new(), 900.0);
}

#[test]
fn compound_equals_the_draft() {
    agree("compound", &mut Compound { delays: Delays::new(), dwnd: 0.0 }, 100.0);
}
