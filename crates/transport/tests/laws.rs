//! Each control compared with a slow transcription of its paper or RFC, over 4000 random ACKs and losses: the windows
//! stay the same. A transcription keeps the symbols of its source and shares nothing with the crate.

#![allow(clippy::unwrap_used)]

use transport::cc::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use transport::params::Params;
use units::math::{ln, pow, powi};
use units::param::{read_table, Table, Value};
use units::{Rng, Span, Stream, Time};

/// One ACK of one segment, as a transcription sees it: seconds, and whether it ends a round trip.
#[derive(Clone, Copy)]
struct Seen {
    now: f64,
    rtt: f64,
    round_ends: bool,
}

/// A transcription: the window after an ACK in congestion avoidance, a loss and a timeout.
trait Law {
    fn ack(&mut self, w: f64, seen: Seen) -> f64;
    fn loss(&mut self, w: f64, now: f64) -> f64;
}

fn control(cc: &str) -> Cc {
    let options = [
        ("cc", cc),
        ("handshake", "none"),
        ("htcp_bandwidth_switch", "false"),
        ("ledbat_target", "3 ms"),
        ("ledbat_pp_target", "3 ms"),
    ];
    let table: Table =
        options.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Cc::new(&params)
}

/// Drives both through the same ACKs: rounds of one window, an RTT that wanders with the window, a loss now and then.
fn agree(cc: &str, law: &mut dyn Law, start: f64) {
    drive(cc, control(cc), law, start);
}

/// As `agree`, after a loss that precedes all ACKs.
fn agree_after_a_loss(cc: &str, law: &mut dyn Law, start: f64) {
    let mut ours = control(cc);
    let window = Window { cwnd: start / 0.8, ssthresh: 2.0 };
    ours.on_congestion(&window, &loss_at(Time::ZERO, window.cwnd));
    law.loss(window.cwnd, 0.0);
    drive(cc, ours, law, start);
}

fn loss_at(now: Time, load: f64) -> CongestionEvent {
    CongestionEvent { now, cause: Cause::Loss, load, flight: load as u32, ecn_factor: None }
}

fn drive(cc: &str, mut ours: Cc, law: &mut dyn Law, start: f64) {
    let mut rng = Stream::new(7, cc);
    let mut window = Window { cwnd: start, ssthresh: if cc == "nv" { start } else { 2.0 } };
    let (mut theirs, mut now_ns, mut una, mut end) = (start, 0u64, 0u32, 0u32);
    for step in 0..4000 {
        let rtt_ns = 50_000_000 + (window.cwnd * 40_000.0) as u64 + (rng.uniform() * 8e6) as u64;
        now_ns += rtt_ns / window.cwnd.max(1.0) as u64;
        una += 1;
        let next = una + window.cwnd as u32;
        let event = AckEvent {
            now: Time(now_ns),
            acked: 1,
            delivered: 1,
            rtt: Some(Span(rtt_ns)),
            by_segment: false,
            reducing: false,
            flight: window.cwnd as u32,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        };
        let round_ends = una > end;
        if round_ends {
            end = next;
        }
        if ours.watches() {
            ours.on_every_ack(&event);
        }
        ours.on_ack(&mut window, &event);
        let (now, rtt) = (now_ns as f64 * 1e-9, rtt_ns as f64 * 1e-9);
        theirs = law.ack(theirs, Seen { now, rtt, round_ends });
        if rng.uniform() < 0.004 {
            let loss = loss_at(Time(now_ns), window.cwnd);
            let left = ours.on_congestion(&window, &loss).max(2.0);
            window = Window { cwnd: left, ssthresh: left };
            theirs = law.loss(theirs, now).max(2.0);
        }
        let apart = (window.cwnd / theirs - 1.0).abs();
        assert!(apart < 1e-6, "{cc}, step {step}: {} and {theirs}", window.cwnd);
    }
}

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
    fn ack(&mut self, w: f64, _: Seen) -> f64 {
        w + HighSpeed::a(w) / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        (1.0 - HighSpeed::b(w)) * w
    }
}

/// Kelly 2003: `cwnd += 0.01` per ACK, `cwnd -= 0.125 cwnd` per loss; Reno up to 16.
struct Scalable;

impl Law for Scalable {
    fn ack(&mut self, w: f64, _: Seen) -> f64 {
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
    fn ack(&mut self, w: f64, _: Seen) -> f64 {
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        self.rtt = self.rtt.min(seen.rtt);
        let rho = f64::max(self.rtt / 0.025, 1.0);
        w + rho * rho / w
    }
    fn loss(&mut self, w: f64, _: f64) -> f64 {
        w / 2.0
    }
}

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
    fn take(&mut self, seen: Seen) -> Option<Vec<f64>> {
        (self.base, self.max) = (self.base.min(seen.rtt), self.max.max(seen.rtt));
        self.round.push(seen.rtt);
        seen.round_ends.then(|| std::mem::take(&mut self.round))
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        if let Some(samples) = self.delays.take(seen) {
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        if let Some(samples) = self.delays.take(seen) {
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        let grown = w + if self.doing_reno > 0 { 1.0 / w } else { f64::max(0.01, 1.0 / w) };
        match self.delays.take(seen) {
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
    fn ack(&mut self, win: f64, seen: Seen) -> f64 {
        let mut cwnd = win - self.dwnd + 1.0 / win;
        let ended = self.delays.take(seen);
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        self.rtt_min = self.rtt_min.min(seen.rtt);
        self.rtt_max = self.rtt_max.max(self.rtt_min);
        if seen.rtt > self.rtt_max && seen.rtt <= self.rtt_max + 0.02 {
            self.rtt_max = seen.rtt;
        }
        let grown = w + self.alpha / w;
        let delta = seen.now - self.last;
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

/// The delays of RFC 6817 section 2.4.2: BASE_HISTORY and CURRENT_FILTER, here of round trips.
#[derive(Default)]
struct DelayHistory {
    base_delays: Vec<(u64, f64)>,
    current_delays: Vec<f64>,
    started: f64,
}

impl DelayHistory {
    fn update(&mut self, seen: Seen) -> (f64, f64) {
        if self.base_delays.is_empty() {
            self.started = seen.now;
        }
        let minute = ((seen.now - self.started) / 60.0) as u64;
        self.base_delays.push((minute, seen.rtt));
        self.base_delays.retain(|(of, _)| *of + 10 > minute);
        self.current_delays.push(seen.rtt);
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
    fn ack(&mut self, cwnd: f64, seen: Seen) -> f64 {
        let (base_delay, current_delay) = self.delays.update(seen);
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        let (base, delay) = self.delays.update(seen);
        let gain = 1.0 / (2.0 * 0.003 / base).ceil().min(16.0);
        if self.initial {
            // In avoidance from the start: the first slowdown is two round trips away.
            (self.initial, self.next_slowdown) = (false, seen.now + 2.0 * delay);
        }
        if self.frozen_until > 0.0 && seen.now < self.frozen_until - 1e-12 {
            return 2.0;
        }
        self.frozen_until = 0.0;
        if self.slowdown_begin > 0.0 {
            if w < self.ssthresh {
                return (w + gain).min(self.ssthresh);
            }
            self.next_slowdown = seen.now + 9.0 * (seen.now - self.slowdown_begin);
            self.slowdown_begin = 0.0;
        } else if seen.now >= self.next_slowdown - 1e-12 {
            self.ssthresh = w;
            self.slowdown_begin = seen.now;
            self.frozen_until = seen.now + 2.0 * delay;
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
fn highspeed_is_that_of_the_rfc() {
    agree("highspeed", &mut HighSpeed, 30.0);
    agree("highspeed", &mut HighSpeed, 5000.0);
}

#[test]
fn scalable_is_that_of_the_paper() {
    agree("scalable", &mut Scalable, 200.0);
}

#[test]
fn bic_is_that_of_the_paper() {
    let mut law =
        Bic { max_win: f64::INFINITY, prev_max: f64::INFINITY, is_ss: false, ss_cwnd: 1.0, ss_target: 0.0 };
    agree("bic", &mut law, 300.0);
}

#[test]
fn hybla_is_that_of_the_paper() {
    agree("hybla", &mut Hybla { rtt: f64::INFINITY }, 50.0);
}

#[test]
fn illinois_is_that_of_the_paper() {
    let mut law = Illinois { delays: Delays::new(), alpha: 10.0, beta: 0.5, above: false, low: 0 };
    agree("illinois", &mut law, 60.0);
}

#[test]
fn veno_is_that_of_the_paper() {
    agree("veno", &mut Veno { delays: Delays::new(), n: f64::INFINITY }, 40.0);
}

#[test]
fn yeah_is_that_of_the_paper() {
    let new = || Yeah { delays: Delays::new(), q: 0.0, doing_reno: 0, fast_count: 0, reno_count: 2.0 };
    agree("yeah", &mut new(), 60.0);
    agree("yeah", &mut new(), 900.0);
}

#[test]
fn compound_is_that_of_the_draft() {
    agree("compound", &mut Compound { delays: Delays::new(), dwnd: 0.0 }, 100.0);
}

#[test]
fn htcp_is_that_of_the_draft() {
    let new = || Htcp { rtt_min: f64::INFINITY, rtt_max: 0.0, last: 0.0, beta: 0.5, alpha: 1.0, losses: 0 };
    agree("htcp", &mut new(), 100.0);
}

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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        let ms = seen.rtt * 1e3;
        self.now = [self.now[0].min(ms), self.now[1].max(ms)];
        if seen.round_ends {
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
fn cdg_is_that_of_the_descriptions() {
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        if self.una == 0 {
            (self.d_min, self.d_max, self.sd) = (seen.rtt, seen.rtt, seen.rtt);
        }
        self.una += 1;
        // A segment alone in flight gives no sample.
        if w >= 2.0 {
            (self.d_min, self.d_max) = (self.d_min.min(seen.rtt), self.d_max.max(seen.rtt));
            self.sd = if self.fresh { seen.rtt } else { 7.0 / 8.0 * self.sd + 1.0 / 8.0 * seen.rtt };
            self.fresh = false;
        }
        let inferring = seen.now < self.itt;
        if !self.fresh && self.una > self.snd && self.sd > self.d_min + 0.15 * (self.d_max - self.d_min) {
            self.snd = self.una + w as u32;
            self.itt = seen.now + 3.0 * self.sd;
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
    fn sample(&mut self, w: f64, seen: Seen) {
        self.sent = self.sent.max(seen.now - seen.rtt);
        let before = self.acks.iter().rev().find(|(at, _)| *at <= self.sent);
        let in_flight = before.map_or(f64::from(w as u32), |(_, una)| f64::from(self.una - una));
        self.acks.push((seen.now, self.una));
        if self.rtt == 0.0 {
            (self.rtt, self.min_rtt) = (seen.rtt, 2.0 * seen.rtt);
        } else {
            self.rtt = seen.rtt / 2.0 + self.rtt / 2.0;
        }
        self.max_rate = self.max_rate.max(in_flight / self.rtt);
        self.calls += 1;
        self.min_rtt = self.min_rtt.min(self.rtt);
        self.min_rtt_new = self.min_rtt_new.min(self.rtt);
        let at = *self.reset_at.get_or_insert(seen.now + 2.0);
        if seen.now >= at {
            (self.min_rtt, self.min_rtt_new) = (self.min_rtt_new, f64::INFINITY);
            self.reset_at = Some(seen.now + 5.0 * (0.75 + 0.5 * self.draws.uniform()));
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
    fn ack(&mut self, w: f64, seen: Seen) -> f64 {
        self.una += 1;
        let next = self.una + w as u32;
        if std::mem::take(&mut self.reset) {
            (self.rtt, self.calls, self.rtts, self.max_rate) = (0.0, 0, 0, 0.0);
            self.start = self.una;
            self.acks.clear();
            self.sent = 0.0;
        }
        self.sample(w, seen);
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
fn lp_is_that_of_the_descriptions() {
    agree("lp", &mut Lp::default(), 60.0);
}

#[test]
fn nv_is_that_of_the_descriptions() {
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

#[test]
fn ledbat_is_that_of_the_rfc() {
    agree("ledbat", &mut Ledbat::default(), 20.0);
}

#[test]
fn ledbat_pp_is_that_of_the_draft() {
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
