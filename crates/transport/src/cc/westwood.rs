//! Westwood: at a loss the window falls to the measured bandwidth-delay product.
//!
//! *Reference*: MCGSW01 for sampling with each ACK and the time-weighted filter; GM04 for Westwood+.
//! *Units*: bandwidth in segments per second, windows in segments.
//! *Deviations*: a loss never raises cwnd, so ssthresh is at most cwnd then; a duplicate ACK counts as one
//! segment delivered, and the ACK that ends a recovery counts each segment not yet counted.

mod linux;

use super::reno::Reno;
use super::{AckEvent, Cause, CongestionEvent, Control, Window};
use crate::params::{Params, WestwoodRule};
use linux::Estimate;
use units::{Span, Time};

/// Minimum time between two samples of Westwood+ (as in Linux and ns-3; GM04 leaves it open).
const LEAST_INTERVAL: Span = Span::from_millis(50);

/// Bandwidth, minimum RTT, and deliveries since the last sample.
#[derive(Clone, Debug)]
pub struct Westwood {
    rule: WestwoodRule,
    filter: f64,
    tau: Span,
    ecn_factor: Option<f64>,
    growth: Reno,
    bandwidth: f64,
    last_sample: f64,
    rtt_min: Span,
    rtt: Span,
    delivered: u32,
    /// Duplicates counted as delivered that a later ACK will cover again.
    counted: u32,
    since: Option<Time>,
    /// Duration of the present interval (`ns3`).
    span: Span,
    /// Linux's estimate, which replaces the rest.
    linux: Option<Box<Estimate>>,
}

impl Westwood {
    /// Returns Westwood without samples.
    pub fn new(params: &Params) -> Westwood {
        Westwood {
            rule: params.westwood_rule,
            filter: params.westwood_filter,
            tau: params.westwood_tau,
            ecn_factor: params.ecn_factor,
            growth: Reno::new(params),
            bandwidth: 0.0,
            last_sample: 0.0,
            rtt_min: Span(u64::MAX),
            rtt: Span::ZERO,
            delivered: 0,
            counted: 0,
            since: None,
            span: Span::ZERO,
            linux: (params.westwood_rule == WestwoodRule::Linux).then(|| Box::new(Estimate::new(params))),
        }
    }

    /// Segments newly delivered, each counted once.
    fn newly_delivered(&mut self, event: &AckEvent) -> u32 {
        if event.acked == 0 {
            self.counted += event.delivered;
            return event.delivered;
        }
        let repeated = self.counted.min(event.acked - 1);
        self.counted -= repeated;
        if !event.recovering {
            self.counted = 0;
        }
        event.acked - repeated
    }

    fn sample(&mut self, interval: Span) {
        let sample = f64::from(self.delivered) / interval.as_secs();
        self.delivered = 0;
        if self.bandwidth == 0.0 && self.rule != WestwoodRule::Ns3 {
            (self.bandwidth, self.last_sample) = (sample, sample);
        } else if self.rule == WestwoodRule::Original {
            self.blend_by_time(sample, interval);
        } else {
            self.blend(sample, self.filter);
        }
    }

    /// `ns3`: an interval starts with an ACK. Segments reported by duplicates of a recovery count twice.
    fn count_by_clock(&mut self, event: &AckEvent) {
        self.end_by_clock(event.now);
        // As in ns-3, nothing is counted before the first RTT: an interval of zero length would make the rate infinite.
        if self.rtt == Span::ZERO {
            return;
        }
        self.delivered += event.delivered;
        if self.since.is_none() {
            (self.since, self.span) = (Some(event.now), self.rtt);
        }
    }

    /// `ns3`: an interval ends by the clock.
    fn end_by_clock(&mut self, now: Time) {
        if self.since.is_some_and(|since| self.rule == WestwoodRule::Ns3 && now.since(since) >= self.span) {
            self.sample(self.span);
            self.since = None;
        }
    }

    /// Low-pass filter (Tustin): keeps `keep` of the estimate and adds the mean of the last two samples.
    fn blend(&mut self, sample: f64, keep: f64) {
        let mean = (sample + self.last_sample) / 2.0;
        self.bandwidth = keep * self.bandwidth + (1.0 - keep) * mean;
        self.last_sample = sample;
    }

    /// The same with a weight from the time since the last sample. An idle time of `tau`/2 counts as a sample
    /// of zero.
    fn blend_by_time(&mut self, sample: f64, interval: Span) {
        let silence = Span((self.tau.0 / 2).max(1));
        let keep = |step: Span| {
            let (twice, step) = (2.0 * self.tau.as_secs(), step.as_secs());
            (twice - step) / (twice + step)
        };
        // After this many nothing of the old estimate is left.
        let silences = ((interval.0 - 1) / silence.0).min(200);
        let rest = Span((interval.0 - silences * silence.0).min(silence.0));
        let (silent, last) = (keep(silence), keep(rest));
        (0..silences).for_each(|_| self.blend(0.0, silent));
        self.blend(sample, last);
    }
}

impl Control for Westwood {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        self.growth.on_ack(window, event);
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        if let Some(linux) = &mut self.linux {
            return match event.cause {
                Cause::Timeout => {
                    linux.on_timeout();
                    linux.carried()
                }
                Cause::Ecn if !linux.falls_stepwise() => linux.carried(),
                Cause::Ecn | Cause::Loss => self.growth.on_congestion(window, event),
            };
        }
        self.end_by_clock(event.now);
        if let (Cause::Ecn, Some(factor)) = (event.cause, self.ecn_factor) {
            return event.load * factor;
        }
        let carried = self.bandwidth * self.rtt_min.as_secs();
        match event.cause {
            _ if self.rule == WestwoodRule::Ns3 => carried,
            _ if self.bandwidth == 0.0 => event.load / 2.0,
            Cause::Timeout => carried,
            Cause::Loss | Cause::Ecn => carried.min(window.cwnd),
        }
    }

    fn window_after_recovery(&mut self) -> Option<f64> {
        self.linux.as_ref().map(|linux| linux.carried())
    }

    fn on_open_at(&mut self, now: Time) {
        if let Some(linux) = &mut self.linux {
            linux.open(now);
        }
    }

    /// In ns-3 the RTT of the handshake counts.
    fn on_open(&mut self, srtt: Option<Span>) {
        if let Some(linux) = &mut self.linux {
            linux.measure_first(srtt);
        }
        if let Some(rtt) = srtt.filter(|_| self.rule == WestwoodRule::Ns3) {
            self.rtt_min = rtt;
        }
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        if let Some(linux) = &mut self.linux {
            return linux.on_every_ack(event);
        }
        if let Some(rtt) = event.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.rtt = rtt;
            self.rtt_min = self.rtt_min.min(rtt);
        }
        if self.rule == WestwoodRule::Ns3 {
            return self.count_by_clock(event);
        }
        self.delivered += self.newly_delivered(event);
        let Some(since) = self.since else {
            self.since = Some(event.now);
            self.delivered = 0;
            return;
        };
        let interval = event.now.since(since);
        let plus = self.rule == WestwoodRule::Plus;
        let least = if plus { self.rtt.max(LEAST_INTERVAL) } else { Span(1) };
        if interval >= least {
            self.sample(interval);
            self.since = Some(event.now);
        }
    }

    fn watches(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(cc: &mut Westwood, ms: u64, acked: u32, recovering: bool) {
        cc.on_every_ack(&AckEvent {
            now: Time(ms * 1_000_000),
            acked,
            delivered: acked.max(1),
            rtt: (acked > 0).then(|| Span::from_millis(100)),
            by_segment: false,
            reducing: false,
            flight: 10,
            una: 0,
            next: 10,
            sacks: false,
            ece: false,
            marked: 0,
            recovering,
        });
    }

    fn after(cc: &mut Westwood, cause: Cause, cwnd: f64) -> f64 {
        let event =
            CongestionEvent { now: Time::ZERO, cause, load: cwnd, flight: cwnd as u32, ecn_factor: None };
        cc.on_congestion(&Window { cwnd, ssthresh: cwnd }, &event)
    }

    /// 10 segments in 100 ms: 100/s. Then 30: 3/4 of 100 plus 1/4 of the mean of 300 and 100 are 125. Times
    /// 100 ms: 12.5.
    #[test]
    fn the_window_falls_to_bandwidth_times_least_round_trip() {
        let mut cc = Westwood::new(&Params { westwood_filter: 0.75, ..Params::default() });
        assert_eq!(after(&mut cc, Cause::Loss, 8.0), 4.0);
        ack(&mut cc, 0, 3, false);
        ack(&mut cc, 40, 6, false);
        ack(&mut cc, 100, 4, false);
        assert_eq!(cc.bandwidth, 100.0);
        ack(&mut cc, 200, 30, false);
        assert!((cc.bandwidth - 125.0).abs() < 1e-9, "{}", cc.bandwidth);
        assert!((after(&mut cc, Cause::Loss, 20.0) - 12.5).abs() < 1e-9);
        assert_eq!(after(&mut cc, Cause::Loss, 9.0), 9.0);
        assert!((after(&mut cc, Cause::Timeout, 9.0) - 12.5).abs() < 1e-9);
    }

    /// tau 100 ms. 10 segments in 100 ms: 100/s. 40 ms later 8: 200/s, averaged with 100 to 150, with weight
    /// 1 - (200 - 40)/(200 + 40) = 1/3: 350/3. After 90 ms with 9, an idle time of 50 ms comes first: 3/5 of
    /// 350/3 and 2/5 of the mean of 0 and 200 are 110; then 2/3 of 110 and 1/3 of the mean of 100 and 0.
    #[test]
    fn the_first_rule_weighs_samples_by_time() {
        let params = Params {
            westwood_rule: WestwoodRule::Original,
            westwood_tau: Span::from_millis(100),
            ..Params::default()
        };
        let mut cc = Westwood::new(&params);
        [(0, 3), (100, 10), (140, 8)].into_iter().for_each(|(ms, acked)| ack(&mut cc, ms, acked, false));
        assert!((cc.bandwidth - 350.0 / 3.0).abs() < 1e-9, "{}", cc.bandwidth);
        ack(&mut cc, 230, 9, false);
        assert!((cc.bandwidth - (220.0 + 50.0) / 3.0).abs() < 1e-9, "{}", cc.bandwidth);
    }

    /// As ns-3: 10 in the first 100 ms are 100/s, of which 0.1/2 enter an estimate of zero. The ACK after the
    /// end starts the next interval; the RTT of the handshake is the minimum.
    #[test]
    fn ns3_samples_by_the_clock() {
        let rule = WestwoodRule::Ns3;
        let mut cc = Westwood::new(&Params { westwood_rule: rule, ..Params::default() });
        cc.on_open(Some(Span::from_millis(80)));
        ack(&mut cc, 0, 4, false);
        ack(&mut cc, 99, 6, false);
        ack(&mut cc, 130, 1, false);
        assert!((cc.bandwidth - 5.0).abs() < 1e-9, "{}", cc.bandwidth);
        assert_eq!((cc.delivered, cc.since), (1, Some(Time(130_000_000))));
        assert!((after(&mut cc, Cause::Loss, 0.1) - 5.0 * 0.08).abs() < 1e-9);
    }

    /// A retransmitted first segment has no RTT (Karn): its ACK starts no interval, which would have no length.
    #[test]
    fn ns3_counts_nothing_before_the_first_rtt() {
        let rule = WestwoodRule::Ns3;
        let mut cc = Westwood::new(&Params { westwood_rule: rule, ..Params::default() });
        let mut event = AckEvent {
            now: Time(1),
            acked: 1,
            delivered: 1,
            rtt: None,
            by_segment: false,
            reducing: false,
            flight: 1,
            una: 1,
            next: 2,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        };
        cc.on_every_ack(&event);
        event.now = Time(2);
        cc.on_every_ack(&event);
        assert_eq!((cc.bandwidth, cc.delivered, cc.since), (0.0, 0, None));
        assert!(after(&mut cc, Cause::Timeout, 8.0).is_finite());
    }

    /// Three duplicates count three; the ACK of 5 after them counts the two that are new.
    #[test]
    fn each_segment_counts_once() {
        let mut cc = Westwood::new(&Params::default());
        ack(&mut cc, 0, 1, false);
        for _ in 0..3 {
            ack(&mut cc, 10, 0, true);
        }
        ack(&mut cc, 20, 5, true);
        assert_eq!(cc.delivered, 5);
    }

    /// Linux halves the window over a round trip at an ECN echo, as at a loss; then the estimate sets it.
    #[test]
    fn linux_sets_the_window_after_an_echo() {
        let params = Params {
            westwood_rule: WestwoodRule::Linux,
            recovery: crate::params::Recovery::Rack,
            reduction: crate::params::Reduction::Linux,
            ..Params::default()
        };
        let mut cc = Westwood::new(&params);
        assert_eq!(after(&mut cc, Cause::Ecn, 20.0), 10.0);
        assert_eq!(cc.window_after_recovery(), Some(2.0));
    }
}
