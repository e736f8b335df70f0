//! Sender of GCC: the loss-based rate, the lower of both rates, and a pacer.
//!
//! *Reference*: GCC02 sections 3, 4 and 6.
//! *Units*: bits of payload per second.
//! *Deviations*: a source that supplies everything at once stands for a coder that makes packets at the target rate.

use super::control::DelayControl;
use super::pacer::GroupPacer;
use super::params::{GccLossBase, GccSite};
use super::{GccData, GccParams, GccReport};
use crate::rate_based::common::{earlier, RateSender, Statistic, ENDLESS};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Weight of a sample in the smoothed RTT (RFC6298).
const ALPHA: f64 = 1.0 / 8.0;
/// Growth of the loss-based rate with a report of few losses.
const LOSS_GROWTH: f64 = 1.05;

/// Sender of a flow.
#[derive(Clone, Debug)]
pub struct GccSender {
    params: Arc<Valid<GccParams>>,
    control: Option<Box<DelayControl>>,
    /// Rate of the delay-based controller, wherever it runs.
    delay_rate: f64,
    loss_rate: f64,
    target: f64,
    pacer: GroupPacer,
    srtt: Option<f64>,
    started: bool,
    ceased: bool,
    seq: u32,
    limit: u32,
    /// Reports processed, and the packets expected and received by the last.
    reports: u32,
    expected: u32,
    received: u32,
    timeout: Option<Time>,
    losses: u64,
    cuts: u64,
}

impl GccSender {
    fn payload(&self) -> f64 {
        self.params.mss.0 as f64
    }

    fn has_data(&self) -> bool {
        self.started && !self.ceased && self.seq < self.limit
    }

    /// Runs the loss-based controller for the packets since the last report.
    fn count_losses(&mut self, report: &GccReport) {
        let expected = f64::from(report.expected.saturating_sub(self.expected));
        let received = f64::from(report.received.saturating_sub(self.received));
        (self.expected, self.received) =
            (self.expected.max(report.expected), self.received.max(report.received));
        if expected == 0.0 {
            return;
        }
        let lost = (expected - received).max(0.0);
        self.losses += lost as u64;
        let ratio = lost / expected;
        let base = match self.params.loss_from {
            GccLossBase::Target => self.target,
            GccLossBase::Own => self.loss_rate,
        };
        self.loss_rate = if ratio > self.params.loss_high {
            self.cuts += 1;
            base * (1.0 - 0.5 * ratio)
        } else if ratio < self.params.loss_low {
            base * LOSS_GROWTH
        } else {
            base
        };
        self.loss_rate = self.bounded(self.loss_rate);
    }

    fn bounded(&self, rate: f64) -> f64 {
        rate.clamp(self.params.min_rate.as_bps(), self.params.max_rate.as_bps())
    }

    /// Halves the rate for lack of feedback.
    fn give_up(&mut self, now: Time) {
        self.cuts += 1;
        self.loss_rate = self.bounded(0.5 * self.target);
        self.target = self.loss_rate;
        if let Some(control) = &mut self.control {
            control.rate.rate = self.target;
        }
        self.timeout = self.has_data().then(|| now + self.params.feedback_timeout);
    }
}

impl RateSender for GccSender {
    type Params = GccParams;
    type Data = GccData;
    type Report = GccReport;
    const SECOND: &'static str = "loss_rate_bps";

    fn sharing(params: &Arc<Valid<GccParams>>) -> GccSender {
        let rate = params.initial_rate.as_bps();
        let mut sender = GccSender {
            control: (params.site == GccSite::Sender).then(|| Box::new(DelayControl::new(params))),
            delay_rate: rate,
            loss_rate: rate,
            target: rate,
            pacer: GroupPacer::new(params.burst_time),
            srtt: None,
            started: false,
            ceased: false,
            seq: 0,
            limit: ENDLESS,
            reports: 0,
            expected: 0,
            received: 0,
            timeout: None,
            losses: 0,
            cuts: 0,
            params: params.clone(),
        };
        sender.target = sender.bounded(rate);
        sender
    }

    fn provide(&mut self, _now: Time, packets: u32) {
        self.limit = packets;
    }

    fn start(&mut self, _now: Time) {
        self.started = true;
    }

    fn cease(&mut self) {
        (self.ceased, self.timeout) = (true, None);
    }

    fn on_report(&mut self, now: Time, report: &GccReport) {
        // A report that another has overtaken brings no news.
        if report.number < self.reports {
            return;
        }
        self.reports = report.number + 1;
        let rtt = now.since(report.echo + report.held).as_secs().max(1e-9);
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt + ALPHA * (rtt - srtt)));
        if let Some(control) = &mut self.control {
            for (sent, arrived) in &report.arrivals[..usize::from(report.named)] {
                self.cuts += u64::from(control.on_packet(*sent, *arrived, Span::from_secs(rtt)));
            }
            self.delay_rate = control.rate.rate;
        } else if let Some(allowed) = report.allowed {
            self.cuts += u64::from(allowed < self.delay_rate);
            self.delay_rate = allowed;
        }
        self.count_losses(report);
        self.target = self.bounded(self.delay_rate.min(self.loss_rate));
        self.timeout = self.has_data().then(|| now + self.params.feedback_timeout);
    }

    fn on_timer(&mut self, now: Time) {
        if self.timeout.is_some_and(|at| at <= now) {
            self.give_up(now);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<GccData> {
        if !self.has_data() {
            return None;
        }
        self.pacer.tick(now, self.target / 8.0);
        if !self.pacer.may_send() {
            return None;
        }
        self.pacer.sent(self.payload());
        self.timeout = self.timeout.or(Some(now + self.params.feedback_timeout));
        self.seq += 1;
        Some(GccData {
            seq: self.seq - 1,
            size: (self.params.mss.0 + self.params.headers.0) as u32,
            sent: now,
            rtt: self.srtt.map_or(Span::ZERO, Span::from_secs),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        let paced = self.has_data().then(|| self.pacer.next());
        earlier(paced, self.timeout)
    }

    fn rate(&self) -> f64 {
        self.target / 8.0
    }

    fn second(&self) -> f64 {
        self.loss_rate
    }

    fn srtt(&self) -> Option<Span> {
        self.srtt.map(Span::from_secs)
    }

    fn sent(&self) -> u32 {
        self.seq
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        vec![
            ("losses_seen", Statistic::Number(self.losses as f64)),
            ("rate_cuts", Statistic::Number(self.cuts as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::NAMED;
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn sender(params: GccParams) -> GccSender {
        let mut sender = GccSender::new(&Valid::new(params).unwrap());
        sender.start(Time::ZERO);
        sender
    }

    fn report(number: u32, expected: u32, received: u32, allowed: Option<f64>) -> GccReport {
        GccReport {
            number,
            size: 80,
            echo: ms(0),
            held: Span::from_millis(20),
            expected,
            received,
            allowed,
            arrivals: [(Time::ZERO, Time::ZERO); NAMED],
            named: 0,
        }
    }

    /// 300 kbit/s: 5 % lost keep it, 20 % lost leave 0.9, none lost add a twentieth, 50 kbit/s allowed are the least rate.
    #[test]
    fn losses_by_hand() {
        let mut sender = sender(GccParams { site: GccSite::Receiver, ..GccParams::default() });
        let mut after = |number, expected, received, allowed| {
            sender.on_report(ms(100), &report(number, expected, received, Some(allowed)));
            sender.target
        };
        assert_eq!(after(0, 100, 95, 1e6), 300e3);
        assert_eq!(after(1, 200, 175, 1e6), 270e3);
        assert!((after(2, 300, 275, 1e6) - 283.5e3).abs() < 1e-6);
        assert_eq!(after(1, 400, 275, 1e6), after(2, 300, 275, 1e6), "overtaken");
        assert_eq!(after(3, 400, 375, 50e3), 100e3);
        assert_eq!((sender.losses, sender.srtt.unwrap()), (25, 0.08));
    }

    /// 300 kbit/s are 187.5 B in 5 ms: after a packet of 1200 B the sixth or the seventh group has bytes again.
    #[test]
    fn packets_leave_in_groups() {
        let mut sender = sender(GccParams::default());
        let mut left = Vec::new();
        let mut now = Time::ZERO;
        while now < ms(100) {
            left.extend(std::iter::from_fn(|| sender.poll_transmit(now)).map(|data| data.sent.0 / 1_000_000));
            now = sender.poll_timeout().unwrap();
            sender.on_timer(now);
        }
        assert_eq!(left, [0, 30, 60, 95]);
    }

    /// A source that was empty for a second: its next packet leaves at once, and the next group is 5 ms later.
    #[test]
    fn no_group_is_due_in_the_past() {
        let mut sender = sender(GccParams::default());
        sender.provide(Time::ZERO, 1);
        assert!(sender.poll_transmit(Time::ZERO).is_some());
        assert!(sender.poll_transmit(Time::ZERO).is_none());
        sender.provide(ms(1000), 3);
        assert!(sender.poll_transmit(ms(1000)).is_some());
        assert!(sender.poll_transmit(ms(1000)).is_none());
        assert_eq!(sender.poll_timeout(), Some(ms(1005)));
    }

    /// A rate of its own grows beyond the target; five seconds without a report halve the target.
    #[test]
    fn silence_halves_the_rate() {
        let own = GccParams { site: GccSite::Receiver, loss_from: GccLossBase::Own, ..GccParams::default() };
        let mut sender = sender(own);
        sender.on_report(ms(100), &report(0, 10, 10, Some(200e3)));
        assert_eq!((sender.target, sender.loss_rate), (200e3, 315e3));
        sender.on_timer(ms(5100));
        assert_eq!((sender.target, sender.timeout), (100e3, Some(ms(10_100))));
    }
}
