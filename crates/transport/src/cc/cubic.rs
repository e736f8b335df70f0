//! CUBIC: the window is a cubic function of the time since the last reduction.
//!
//! *Reference*: RFC 9438; HRX08; RFC 8511 for `ecn_factor`.
//! *Units*: windows in segments, `K` in seconds, `C` in segments per second cubed.
//! *Deviations*: if growth pauses for lack of data or window, the clock stops after two round trips. `linux`
//! uses that stack's arithmetic: [`linux`].

mod linux;

use super::hystart::HyStart;
use super::{credit, slow_start, AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Counting, CubicRule, Params};
use linux::Steps;
use units::{math, Span, Time};

/// No RTT yet.
const UNKNOWN: Span = Span(u64::MAX);
/// RTTs seen this soon after a reduction do not count (ns-3).
const UNSETTLED: Span = Span::from_millis(10);
/// Largest number of ACKed segments per segment of growth before the first loss (Linux; ns-3, also after a
/// timeout).
const FIRST_PACE: f64 = 20.0;

/// CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    rule: CubicRule,
    c: f64,
    beta: f64,
    ecn_factor: f64,
    fast_convergence: bool,
    friendly: bool,
    counting: Counting,
    /// Window before the last reduction, after fast convergence; 0: none yet.
    w_max: f64,
    /// Window before the last reduction.
    cwnd_prior: f64,
    /// Plateau of the cubic function.
    origin: f64,
    k: f64,
    /// Window of the Reno-friendly region.
    w_est: f64,
    epoch: Option<Time>,
    /// ACKed segments towards the next segment of `cwnd` and of `w_est`.
    credits: f64,
    last: Time,
    srtt: Span,
    rtt_min: Span,
    handshake_rtt: bool,
    hystart: HyStart,
    /// State before a reduction that may be undone (RFC 9438 section 4.9).
    before: Option<Box<Cubic>>,
    steps: Steps,
}

impl Cubic {
    /// Returns CUBIC with the options of `params`.
    pub fn new(params: &Params) -> Cubic {
        Cubic {
            rule: params.cubic_rule,
            c: params.cubic_c,
            beta: params.cubic_beta,
            ecn_factor: params.ecn_factor.unwrap_or(params.cubic_beta),
            fast_convergence: params.cubic_fast_convergence,
            friendly: params.cubic_friendly,
            counting: params.counting,
            w_max: 0.0,
            cwnd_prior: 0.0,
            origin: 0.0,
            k: 0.0,
            w_est: 0.0,
            epoch: None,
            credits: 0.0,
            last: Time::ZERO,
            srtt: Span::ZERO,
            rtt_min: UNKNOWN,
            handshake_rtt: params.handshake_rtt,
            hystart: HyStart::new(params.hystart),
            before: None,
            steps: Steps::new(params.cubic_c),
        }
    }

    /// Takes the RTT of an ACK; returns it.
    fn measure(&mut self, event: &AckEvent) -> Span {
        let rtt = event.rtt.unwrap_or(self.srtt);
        if rtt > Span::ZERO {
            self.rtt_min = self.rtt_min.min(rtt);
            let first = self.srtt == Span::ZERO;
            self.srtt = if first { rtt } else { Span((self.srtt.0 * 7 + rtt.0) / 8) };
        }
        rtt
    }

    /// Starts an epoch of congestion avoidance (RFC 9438 section 4.2).
    fn begin_epoch(&mut self, now: Time, cwnd: f64) {
        self.epoch = Some(now);
        self.w_est = cwnd;
        let below = self.w_max > cwnd;
        self.origin = if below { self.w_max } else { cwnd };
        self.k = if below { math::cbrt((self.w_max - cwnd) / self.c) } else { 0.0 };
    }

    fn w_cubic(&self, t: f64) -> f64 {
        self.c * math::powi(t - self.k, 3) + self.origin
    }

    /// Seconds since the start of the epoch, pauses excepted.
    fn elapsed(&mut self, now: Time, cwnd: f64) -> f64 {
        let pause = now.since(self.last);
        self.last = now;
        let Some(epoch) = self.epoch else {
            self.begin_epoch(now, cwnd);
            return 0.0;
        };
        let epoch = if pause > self.srtt * 2 { epoch + pause } else { epoch };
        self.epoch = Some(epoch);
        now.since(epoch).as_secs()
    }

    /// Reno-friendly increase per ACKed window (RFC 9438 section 4.3).
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    /// RFC 9438 sections 4.3 to 4.5.
    fn grow(&mut self, window: &mut Window, now: Time, segments: f64) {
        let cwnd = window.cwnd;
        let t = self.elapsed(now, cwnd);
        let alpha = if self.w_est < self.cwnd_prior { self.alpha() } else { 1.0 };
        self.w_est += alpha * segments / cwnd;
        if self.friendly && self.w_cubic(t) < self.w_est {
            window.cwnd = cwnd.max(self.w_est);
            return;
        }
        let target = self.w_cubic(t + self.srtt.as_secs()).clamp(cwnd, 1.5 * cwnd);
        window.cwnd += segments * (target - cwnd) / cwnd;
    }
}

/// CUBIC of ns-3.37: whole segments; segments covered by an ACK count in full, even after a recovery that
/// withheld hundreds of ACKs, and unspent counts are unbounded.
impl Cubic {
    fn on_ack_ns3(&mut self, window: &mut Window, event: &AckEvent) {
        let rtt = event.rtt.unwrap_or(Span::ZERO);
        let settled = self.epoch.is_none_or(|epoch| event.now.since(epoch) >= UNSETTLED);
        if rtt > Span::ZERO && settled {
            self.rtt_min = self.rtt_min.min(rtt);
            self.hystart.watch(window, event.now, rtt, self.rtt_min);
        }
        if window.cwnd < window.ssthresh {
            self.hystart.turn(event);
            window.cwnd += f64::from(event.acked);
        } else if event.acked > 0 {
            self.credits += f64::from(event.acked);
            let pace = self.pace_ns3(window.cwnd.floor(), event.now);
            if self.credits >= pace {
                self.credits -= pace;
                window.cwnd += 1.0;
            }
        }
    }

    /// ACKed segments per segment of growth, at `cwnd` whole segments.
    fn pace_ns3(&mut self, cwnd: f64, now: Time) -> f64 {
        if self.epoch.is_none() {
            self.begin_epoch(now, cwnd);
        }
        let t = (now + self.rtt_min).since(self.epoch.unwrap_or(now)).as_secs();
        let gap = (self.c * math::powi((t - self.k).abs(), 3)).floor();
        let target = if t < self.k { self.origin - gap } else { self.origin + gap };
        let mut pace = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { 100.0 * cwnd };
        if self.w_max == 0.0 {
            pace = pace.min(FIRST_PACE);
        }
        pace.max(2.0)
    }

    fn on_congestion_ns3(&mut self, window: &Window, cause: Cause) -> f64 {
        let cwnd = window.cwnd.floor();
        let converge = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if converge { (cwnd * (1.0 + self.beta) / 2.0).floor() } else { cwnd };
        self.epoch = None;
        if cause == Cause::Timeout {
            self.w_max = 0.0;
            self.rtt_min = Span(u64::MAX);
            self.hystart.restart();
        }
        (cwnd * if cause == Cause::Ecn { self.ecn_factor } else { self.beta }).floor().max(2.0)
    }
}

impl Control for Cubic {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        if self.rule == CubicRule::Ns3 {
            return self.on_ack_ns3(window, event);
        }
        let rtt = self.measure(event);
        let mut left = credit(self.counting, event.acked);
        if window.cwnd < window.ssthresh {
            let share = self.hystart.share(window, event, rtt, self.rtt_min);
            if share < 1.0 && window.cwnd < window.ssthresh {
                window.cwnd += share * f64::from(left);
                return;
            }
            left = slow_start(window, left);
        }
        if left == 0 {
            return;
        }
        match self.rule {
            CubicRule::Rfc9438 => self.grow(window, event.now, f64::from(left)),
            _ => {
                let least = if self.rtt_min == UNKNOWN { Span::ZERO } else { self.rtt_min };
                let grown = self.steps.grow(event.now, window.cwnd, left, self.w_max, least, self.friendly);
                window.cwnd += grown;
            }
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        if self.rule == CubicRule::Ns3 {
            return self.on_congestion_ns3(window, event.cause);
        }
        let cwnd = window.cwnd;
        let linux = self.rule == CubicRule::Linux;
        let beta = if linux { linux::in_1024ths(self.beta) } else { self.beta };
        let converge = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if converge { cwnd * (1.0 + beta) / 2.0 } else { cwnd };
        if linux {
            self.w_max = self.w_max.floor();
        }
        self.cwnd_prior = cwnd;
        self.epoch = None;
        self.steps.end_epoch();
        self.hystart.stop();
        if event.cause == Cause::Timeout {
            // The next epoch starts on the plateau (RFC 9438 section 4.8).
            self.w_max = 0.0;
        }
        let from = if self.rule == CubicRule::Rfc9438 { event.load_within(window) } else { cwnd };
        let factor = if event.cause == Cause::Ecn { self.ecn_factor } else { self.beta };
        from * if linux { linux::in_1024ths(factor) } else { factor }
    }

    /// Linux forgets the plateau and the minimum RTT.
    fn on_timeout(&mut self, now: Time, past: u32) {
        if self.rule == CubicRule::Linux {
            (self.w_max, self.rtt_min, self.steps) = (0.0, UNKNOWN, Steps::new(self.c));
            self.hystart.begin_again(now, past);
        }
    }

    /// Linux restores the window alone.
    fn save_before_reduction(&mut self) {
        self.before = None;
        if self.rule != CubicRule::Linux {
            self.before = Some(Box::new(self.clone()));
        }
    }

    /// Restores the epoch from before the reduction (RFC 9438 section 4.9); keeps later measurements.
    fn undo_reduction(&mut self) {
        if let Some(before) = self.before.take() {
            let (last, srtt, rtt_min) = (self.last, self.srtt, self.rtt_min);
            *self = Cubic { last, srtt, rtt_min, ..*before };
        }
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        if let Some(rtt) = srtt.filter(|_| self.handshake_rtt) {
            self.rtt_min = self.rtt_min.min(rtt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubic(friendly: bool) -> Cubic {
        Cubic::new(&Params { cubic_c: 1.0, cubic_beta: 0.5, cubic_friendly: friendly, ..Params::default() })
    }

    #[test]
    fn the_handshake_gives_a_least_round_trip_where_it_counts() {
        for (handshake_rtt, least) in [(true, Span::from_millis(40)), (false, Span(u64::MAX))] {
            let mut cubic = Cubic::new(&Params { handshake_rtt, ..Params::default() });
            cubic.on_open(Some(Span::from_millis(40)));
            assert_eq!(cubic.rtt_min, least);
        }
    }

    fn cut(cc: &mut Cubic, window: &mut Window, cause: Cause) {
        let target = law_tests::cut(cc, window.cwnd, cause);
        *window = Window { cwnd: target, ssthresh: target };
    }

    fn ack(cc: &mut Cubic, window: &mut Window, ms: u64) {
        cc.on_ack(window, &law_tests::event(ms, 1, Some(500)));
    }

    /// Beta 1/2, C 1, reduced at 16: 8, K = 2 s. After 0.5 s W(1 s) = 15 is capped at 12: a share of (12 - 8)
    /// / 8.
    #[test]
    fn the_window_follows_the_cubic() {
        let (mut cc, mut window) = (cubic(false), Window { cwnd: 16.0, ssthresh: 32.0 });
        cut(&mut cc, &mut window, Cause::Loss);
        assert_eq!(window.cwnd, 8.0);
        // W(0 + 1/2) = 16 - 27/8 = 12.625, capped at 12.
        ack(&mut cc, &mut window, 10_000);
        assert_eq!((cc.k, window.cwnd), (2.0, 8.5));
        window.cwnd = 12.0;
        // W(1 + 1/2) = 16 - 1/8.
        ack(&mut cc, &mut window, 11_000);
        assert_eq!(window.cwnd, 12.0 + 3.875 / 12.0);
    }

    /// With beta 1/2 the Reno-friendly window is Reno's: 8, then 8 + 1/8, while the cubic is at 8.
    #[test]
    fn it_is_never_below_additive_increase() {
        let (mut cc, mut window) = (cubic(true), Window { cwnd: 16.0, ssthresh: 32.0 });
        cut(&mut cc, &mut window, Cause::Loss);
        ack(&mut cc, &mut window, 10_000);
        assert_eq!(window.cwnd, 8.125);
    }

    /// RFC 9438 section 4.3: with beta 0.7 the increase is 3 (1 - 0.7) / (1 + 0.7) = 9/17 per window, and 1 from the
    /// window at the reduction on.
    #[test]
    fn the_reno_friendly_increase_makes_up_for_the_smaller_reduction() {
        let params = Params { cubic_c: 1e-9, cubic_beta: 0.7, ..Params::default() };
        let (mut cc, mut window) = (Cubic::new(&params), Window { cwnd: 20.0, ssthresh: 32.0 });
        cut(&mut cc, &mut window, Cause::Loss);
        assert_eq!(window.cwnd, 14.0);
        ack(&mut cc, &mut window, 10_000);
        assert!((window.cwnd - (14.0 + 9.0 / 17.0 / 14.0)).abs() < 1e-12, "{}", window.cwnd);
        (window.cwnd, cc.w_est) = (20.0, 20.0);
        ack(&mut cc, &mut window, 10_001);
        assert!((window.cwnd - (20.0 + 1.0 / 20.0)).abs() < 1e-12, "{}", window.cwnd);
    }

    /// A second reduction at 12, below 16: the plateau is 12 (1 + 1/2) / 2 = 9. After a timeout it is where
    /// the epoch starts.
    #[test]
    fn a_falling_flow_gives_way() {
        let (mut cc, mut window) = (cubic(true), Window { cwnd: 16.0, ssthresh: 32.0 });
        cut(&mut cc, &mut window, Cause::Loss);
        window.cwnd = 12.0;
        cut(&mut cc, &mut window, Cause::Loss);
        assert_eq!((cc.w_max, cc.cwnd_prior, window.cwnd), (9.0, 12.0, 6.0));
        cut(&mut cc, &mut window, Cause::Timeout);
        ack(&mut cc, &mut window, 10_000);
        assert_eq!((cc.k, cc.origin), (0.0, 3.0));
    }

    /// The reduction at 16 was spurious: the epoch before it continues towards the plateau of 32, and 16 is
    /// forgotten.
    #[test]
    fn a_spurious_reduction_is_undone() {
        let (mut cc, mut window) = (cubic(false), Window { cwnd: 32.0, ssthresh: 64.0 });
        cut(&mut cc, &mut window, Cause::Loss);
        ack(&mut cc, &mut window, 10_000);
        let before = (cc.w_max, cc.cwnd_prior, cc.origin, cc.k, cc.w_est, cc.epoch);
        assert_eq!((cc.w_max, cc.epoch), (32.0, Some(Time(10_000_000_000))));
        cc.save_before_reduction();
        window.cwnd = 16.0;
        cut(&mut cc, &mut window, Cause::Timeout);
        assert_eq!((cc.w_max, cc.epoch), (0.0, None));
        cc.undo_reduction();
        assert_eq!((cc.w_max, cc.cwnd_prior, cc.origin, cc.k, cc.w_est, cc.epoch), before);
        cc.undo_reduction();
        assert_eq!(cc.w_max, 32.0, "once");
    }

    /// RFC 8511: an ECN echo leaves 0.85, a loss 0.7.
    #[test]
    fn an_echo_may_cost_less_than_a_loss() {
        let mut cc = Cubic::new(&Params { ecn_factor: Some(0.75), cubic_beta: 0.5, ..Params::default() });
        let mut window = Window { cwnd: 16.0, ssthresh: 32.0 };
        cut(&mut cc, &mut window, Cause::Ecn);
        assert_eq!(window.cwnd, 12.0);
    }

    /// Before the first loss: one segment per 20 acknowledged.
    #[test]
    fn counted_growth_starts_at_one_in_twenty() {
        let mut cc = Cubic::new(&Params { cubic_rule: CubicRule::Linux, ..Params::default() });
        let mut window = Window { cwnd: 100.0, ssthresh: 100.0 };
        for ms in 0..19 {
            ack(&mut cc, &mut window, 1000 + ms);
        }
        assert_eq!(window.cwnd, 100.0);
        ack(&mut cc, &mut window, 1019);
        assert_eq!(window.cwnd, 101.0);
    }
}

#[cfg(test)]
mod law_tests;
