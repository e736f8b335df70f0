//! H-TCP: the increase grows with the time since the last congestion, the decrease adapts to the buffer.
//!
//! *Reference*: LS04; draft-leith-tcp-htcp-06.
//! *Units*: windows in segments, rates in segments per second.
//! *Deviations*: the time since congestion counts from the end of its recovery or stepwise reduction, which the samples
//! of the throughput leave out; the maximum RTT fades by 5 % of its distance from the minimum with each reduction; the
//! throughput is smoothed with weight 1/4. All three as Linux's output shows them, where the draft leaves them open.
//! `module_rule = "linux"`: RTTs are whole milliseconds, rounded up, the scale of the RTT is known to an eighth and the
//! share left to 1/128, three round trips after a reduction means until the fourth ends, and the ACK that ends a recovery
//! or reordering does not count towards growth; retransmission after a timeout counts as a recovery.

use super::avoidance::{reduced, Avoidance};
use super::rtt_round::UNKNOWN;
use super::{AckEvent, CongestionEvent, Control, Window};
use crate::params::{ModuleRule, Params};
use units::{Span, Time};

/// RTT of a scaled increase of one, and the bounds of the scale.
const SCALE_RTT: Span = Span::from_millis(100);
const SCALES: (f64, f64) = (0.1, 2.0);
/// Below this RTT the decrease does not adapt: the clock is too coarse.
const LEAST_RTT: Span = Span::from_millis(10);
/// A sample that exceeds the maximum RTT by more than this does not raise it.
const GREATEST_RISE: Span = Span::from_millis(20);
/// Change of the throughput, relative, above which the decrease is a half.
const SWITCH: f64 = 0.2;
/// Share of the maximum RTT's distance from the minimum that a reduction keeps.
const FADE: f64 = 0.95;
/// In Linux: steps per unit of the share left, steps of the scale per RTT of [`SCALE_RTT`], and their bounds.
const SHARE_STEPS: f64 = 128.0;
const SCALE_STEPS: u64 = 8;
const SCALE_BOUNDS: (u64, u64) = (4, 80);

const MILLISECOND: Span = Span::from_millis(1);

/// Round trips after a reduction in which throughput samples replace the estimate.
const FRESH: u64 = 3;

/// H-TCP.
#[derive(Clone, Debug)]
pub struct Htcp {
    growth: Avoidance,
    handshake_rtt: bool,
    delta_l: Span,
    betas: (f64, f64),
    switches: bool,
    scales: bool,
    linux: bool,
    /// Segments that the present ACK counts for, and whether one before reported a loss or reordering (`linux`).
    acked: u32,
    disordered: bool,
    /// Segments below are retransmitted after a timeout, which counts as a recovery (`linux`); 0: none.
    lost: u32,
    /// Start of the time without congestion.
    since: Time,
    rtt_min: Span,
    rtt_max: Span,
    /// Share of the window left by a loss; whether it adapts yet.
    beta: f64,
    adapts: bool,
    alpha: f64,
    /// Segments delivered since the start of the present throughput sample.
    delivered: f64,
    sampled: Time,
    /// Smoothed throughput, its maximum since the last reduction, and the maximum before that.
    rate: f64,
    most: f64,
    most_before: f64,
    before: Option<Box<Htcp>>,
}

impl Htcp {
    /// Returns the control without samples.
    pub fn new(params: &Params) -> Htcp {
        Htcp {
            growth: Avoidance::new(params),
            handshake_rtt: params.handshake_rtt,
            delta_l: params.htcp_delta_l,
            betas: (params.htcp_beta_min, params.htcp_beta_max),
            switches: params.htcp_bandwidth_switch,
            scales: params.htcp_rtt_scaling,
            linux: params.module_rule == ModuleRule::Linux,
            acked: 1,
            disordered: false,
            lost: 0,
            since: Time::ZERO,
            rtt_min: UNKNOWN,
            rtt_max: Span::ZERO,
            beta: params.htcp_beta_min,
            adapts: false,
            alpha: 1.0,
            delivered: 0.0,
            sampled: Time::ZERO,
            rate: 0.0,
            most: 0.0,
            most_before: 0.0,
            before: None,
        }
    }

    /// Segments per round trip after this time without congestion (draft section 2, step 1).
    fn increase(&self, now: Time) -> f64 {
        let elapsed = now.since(self.since);
        let t = Span(elapsed.0.saturating_sub(self.delta_l.0)).as_secs();
        let mut alpha = if t > 0.0 { 1.0 + 10.0 * t + t * t / 4.0 } else { 1.0 };
        if self.linux {
            alpha = self.scaled_in_steps(alpha.floor());
        } else if self.scales && self.rtt_min != UNKNOWN {
            alpha = (alpha * self.rtt_min.ratio(SCALE_RTT).clamp(SCALES.0, SCALES.1)).max(1.0);
        }
        if self.growth.is_whole() {
            alpha = alpha.floor();
        }
        2.0 * (1.0 - self.beta) * alpha
    }

    /// A whole increase scaled by the RTT, rounded down to a whole one (`linux`).
    fn scaled_in_steps(&self, alpha: f64) -> f64 {
        if !self.scales || self.rtt_min == UNKNOWN {
            return alpha;
        }
        let steps = SCALE_STEPS * SCALE_RTT.0 / self.rtt_min.0.max(1);
        let steps = steps.clamp(SCALE_BOUNDS.0, SCALE_BOUNDS.1);
        (alpha * SCALE_STEPS as f64 / steps as f64).floor().max(1.0)
    }

    /// A sample as the rule counts it.
    fn counted(&self, rtt: Span) -> Span {
        if self.linux {
            Span(rtt.0.div_ceil(MILLISECOND.0) * MILLISECOND.0)
        } else {
            rtt
        }
    }

    fn measure(&mut self, sample: Span) {
        let rtt = self.counted(sample);
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtt_max = self.rtt_max.max(self.rtt_min);
        if rtt > self.rtt_max && rtt <= self.rtt_max + GREATEST_RISE {
            self.rtt_max = rtt;
        }
    }

    /// Ends a throughput sample that spans a window and a round trip.
    fn sample(&mut self, event: &AckEvent) {
        self.delivered += f64::from(event.acked);
        let elapsed = event.now.since(self.sampled);
        let window = f64::from(event.flight + 1) - self.alpha.max(1.0);
        if self.delivered < window || elapsed < self.rtt_min || elapsed == Span::ZERO {
            return;
        }
        let sample = self.delivered / elapsed.as_secs();
        let since = event.now.since(self.since);
        let fresh =
            if self.linux { since < self.rtt_min * (FRESH + 1) } else { since <= self.rtt_min * FRESH };
        if fresh {
            (self.rate, self.most) = (sample, sample);
        } else {
            self.rate = (3.0 * self.rate + sample) / 4.0;
            self.most = self.most.max(self.rate);
        }
        (self.delivered, self.sampled) = (0.0, event.now);
    }

    /// Adapts the share left by a loss (step 2).
    fn adapt(&mut self) {
        let (most, before) = (self.most, std::mem::replace(&mut self.most_before, self.most));
        let changed = self.switches && (most - before).abs() > SWITCH * before;
        if changed {
            (self.beta, self.adapts) = (self.betas.0, false);
        } else if self.adapts && self.rtt_min > LEAST_RTT && self.rtt_min != UNKNOWN {
            self.beta = self.rtt_min.ratio(self.rtt_max).clamp(self.betas.0, self.betas.1);
            if self.linux {
                self.beta = (self.beta * SHARE_STEPS).floor() / SHARE_STEPS;
            }
        } else {
            (self.beta, self.adapts) = (self.betas.0, true);
        }
    }

    fn fade(&mut self) {
        if self.rtt_min != UNKNOWN {
            // The handshake alone gives a minimum and no maximum.
            let above = Span(self.rtt_max.0.saturating_sub(self.rtt_min.0) / 100 * (100.0 * FADE) as u64);
            let above = if self.linux { Span(above.0 / MILLISECOND.0 * MILLISECOND.0) } else { above };
            self.rtt_max = self.rtt_min + above;
        }
    }
}

impl Control for Htcp {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let starts = window.cwnd < window.ssthresh;
        let mut left = self.growth.start(window, event);
        if self.linux {
            left = std::mem::replace(&mut self.acked, 1);
        }
        if left == 0 || self.linux && starts {
            return;
        }
        let before = window.cwnd;
        self.growth.grow_and_forget(window, left, self.alpha, true);
        if window.cwnd > before {
            self.alpha = self.increase(event.now);
        }
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        self.growth.reset();
        self.lost = 0;
        self.adapt();
        self.since = event.now;
        self.alpha = self.increase(event.now);
        self.fade();
        reduced(window, event, self.beta)
    }

    fn on_timeout(&mut self, now: Time, past: u32) {
        if self.linux {
            self.growth.reset();
            (self.since, self.lost) = (now, past);
        }
    }

    fn save_before_reduction(&mut self) {
        self.before = None;
        self.before = Some(Box::new(self.clone()));
    }

    fn undo_reduction(&mut self) {
        self.lost = 0;
        if let Some(before) = self.before.take() {
            let (since, rtt_max, most_before) = (before.since, before.rtt_max, before.most_before);
            (self.since, self.rtt_max, self.most_before) = (since, rtt_max.max(self.rtt_max), most_before);
        }
    }

    fn on_open(&mut self, srtt: Option<Span>) {
        if let Some(rtt) = srtt.filter(|_| self.handshake_rtt) {
            self.rtt_min = self.rtt_min.min(self.counted(rtt));
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        let disordered = std::mem::replace(&mut self.disordered, event.sacks);
        let reducing = event.recovering || event.reducing || self.lost > 0;
        if event.una >= self.lost {
            self.lost = 0;
        }
        if !disordered && !reducing {
            self.acked = event.acked;
        }
        if reducing {
            (self.since, self.sampled, self.delivered) = (event.now, event.now, 0.0);
            return;
        }
        if let Some(rtt) = event.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.measure(rtt);
        }
        if self.switches && event.acked > 0 {
            self.sample(event);
        }
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::rtt_round::tests::ack;
    use super::super::Cause;
    use super::*;

    fn control(scales: bool) -> Htcp {
        Htcp::new(&Params { htcp_rtt_scaling: scales, ..Params::default() })
    }

    /// One segment per round trip up to a second; 1 + 10 x 2 + (2/2)^2 = 22 after three. 50 ms halve that. With
    /// beta 0.8 it is 2 (1 - 0.8) = 0.4 of it.
    #[test]
    fn the_increase_grows_with_time() {
        let mut cc = control(false);
        assert_eq!(cc.increase(Time(1_000_000_000)), 1.0);
        assert_eq!(cc.increase(Time(3_000_000_000)), 22.0);
        cc.beta = 0.8;
        assert!((cc.increase(Time(3_000_000_000)) - 8.8).abs() < 1e-12);
        let mut scaled = control(true);
        scaled.rtt_min = Span::from_millis(50);
        assert_eq!(scaled.increase(Time(3_000_000_000)), 11.0);
        assert_eq!(scaled.increase(Time(1_000_000_000)), 1.0);
    }

    /// While the window falls for an ECN echo there is no sample, and the time without congestion has not begun.
    #[test]
    fn a_stepwise_reduction_is_congestion() {
        for (reducing, since, delivered) in [(true, Time(50_000_000), 0.0), (false, Time::ZERO, 1.0)] {
            let mut cc = control(false);
            cc.on_every_ack(&AckEvent { reducing, ..ack(50, 1, 1, 11, 40) });
            assert_eq!((cc.since, cc.delivered), (since, delivered));
        }
    }

    /// 60 ms of 100 at the most: the second reduction leaves 0.6, the first a half. Throughput that changed by more
    /// than a fifth leaves a half.
    #[test]
    fn the_decrease_empties_the_buffer() {
        let mut cc = control(false);
        (cc.rtt_min, cc.rtt_max) = (Span::from_millis(60), Span::from_millis(100));
        let window = Window { cwnd: 100.0, ssthresh: 2.0 };
        let loss =
            CongestionEvent { now: Time(1), cause: Cause::Loss, load: 100.0, flight: 100, ecn_factor: None };
        (cc.most, cc.most_before) = (100.0, 100.0);
        assert_eq!(cc.on_congestion(&window, &loss), 50.0);
        cc.rtt_max = Span::from_millis(100);
        cc.most = 119.0;
        assert!((cc.on_congestion(&window, &loss) - 60.0).abs() < 1e-9);
        assert_eq!(cc.rtt_max, Span::from_millis(98));
        cc.most = 150.0;
        assert_eq!(cc.on_congestion(&window, &loss), 50.0);
    }

    /// A timeout before the first sample: the handshake's RTT is the minimum, and then the maximum too. With the next
    /// sample of 60 ms the share of the second reduction is 50 of 60.
    #[test]
    fn a_timeout_may_come_before_the_first_sample() {
        let params = Params { handshake_rtt: true, htcp_bandwidth_switch: false, ..Params::default() };
        let mut cc = Htcp::new(&params);
        cc.on_open(Some(Span::from_millis(50)));
        let window = Window { cwnd: 100.0, ssthresh: 2.0 };
        let loss =
            CongestionEvent { now: Time(1), cause: Cause::Timeout, load: 100.0, flight: 9, ecn_factor: None };
        assert_eq!(cc.on_congestion(&window, &loss), 50.0);
        assert_eq!((cc.rtt_min, cc.rtt_max), (Span::from_millis(50), Span::from_millis(50)));
        cc.on_every_ack(&ack(1, 1, 1, 9, 60));
        assert_eq!(cc.rtt_max, Span::from_millis(60));
        cc.on_congestion(&window, &loss);
        assert!((cc.beta - 0.8_f64.min(50.0 / 60.0)).abs() < 1e-9, "{}", cc.beta);
    }

    /// In Linux 40.2 ms count as 41, so the scale is 19 eighths of 100 ms: 22 segments three seconds after a loss are 9,
    /// times 2 (1 - 0.5). Of 53 ms the share left is 99 of 128, and 95 % of the 12 ms between are 11.
    #[test]
    fn linux_counts_in_milliseconds() {
        let params =
            Params { module_rule: ModuleRule::Linux, htcp_bandwidth_switch: false, ..Params::default() };
        let mut cc = Htcp::new(&params);
        cc.measure(Span::from_micros(40_200));
        assert_eq!(cc.rtt_min, Span::from_millis(41));
        assert_eq!((cc.increase(Time(3_000_000_000)), cc.increase(Time(1))), (9.0, 1.0));
        cc.measure(Span::from_micros(52_100));
        let window = Window { cwnd: 45.0, ssthresh: 2.0 };
        let loss =
            CongestionEvent { now: Time(1), cause: Cause::Loss, load: 45.0, flight: 45, ecn_factor: None };
        cc.adapts = true;
        assert_eq!(cc.on_congestion(&window, &loss), 45.0 * 99.0 / 128.0);
        assert_eq!(cc.rtt_max, Span::from_millis(52));
        cc.on_timeout(Time(3_000_000_000), 9);
        assert_eq!((cc.since, cc.lost), (Time(3_000_000_000), 9));
    }

    /// Three ACKs fill a window of three and the fourth spends them. A duplicate ACK and a recovery between them: the
    /// ACK that ends it counts none, so the fifth does.
    #[test]
    fn linux_counts_no_end_of_a_recovery() {
        for (lossy, grows_at) in [(false, 3), (true, 4)] {
            let mut cc = Htcp::new(&Params {
                module_rule: ModuleRule::Linux,
                counting: crate::params::Counting::Whole,
                ..Params::default()
            });
            let mut window = Window { cwnd: 3.0, ssthresh: 2.0 };
            let grown = (0..6).position(|at| {
                let ends = lossy && at == 1;
                if ends {
                    cc.on_every_ack(&AckEvent { sacks: true, ..ack(0, 0, 1, 4, 40) });
                }
                let event = AckEvent { recovering: ends, ..ack(0, 1, at + 1, at + 4, 40) };
                cc.on_every_ack(&event);
                cc.on_ack(&mut window, &event);
                window.cwnd > 3.0
            });
            assert_eq!(grown, Some(grows_at));
        }
    }

    /// The maximum follows rises of up to 20 ms.
    #[test]
    fn a_leap_of_the_rtt_is_no_maximum() {
        let mut cc = control(false);
        for rtt in [50, 70, 95, 60] {
            cc.on_every_ack(&ack(0, 1, 1, 9, rtt));
        }
        assert_eq!((cc.rtt_min, cc.rtt_max), (Span::from_millis(50), Span::from_millis(70)));
    }
}
