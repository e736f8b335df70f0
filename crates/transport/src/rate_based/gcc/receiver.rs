//! Receiver of GCC: reports arrival times, or runs the delay-based controller and reports its rate.
//!
//! *Reference*: GCC02 section 3.
//! *Deviations*: assumed: the first packet is answered at once, and [`NAMED`] packets are reported at once.

use super::control::DelayControl;
use super::params::GccSite;
use super::{GccData, GccParams, GccReport, NAMED};
use crate::rate_based::common::RateReceiver;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Receiver of a flow.
#[derive(Clone, Debug)]
pub struct GccReceiver {
    mss: u64,
    report_size: u32,
    every: Span,
    control: Option<Box<DelayControl>>,
    expected: u32,
    received: u32,
    /// The last packet in order, and its arrival.
    last: Option<(GccData, Time)>,
    arrivals: [(Time, Time); NAMED],
    named: usize,
    last_report: Option<Time>,
    timer: Option<Time>,
    due: bool,
    reports: u32,
}

impl RateReceiver for GccReceiver {
    type Params = GccParams;
    type Data = GccData;
    type Report = GccReport;

    fn sharing(params: &Arc<Valid<GccParams>>) -> GccReceiver {
        let here = params.site == GccSite::Receiver;
        GccReceiver {
            mss: params.mss.0,
            report_size: params.report_size.0 as u32,
            every: if here { params.remb_every } else { params.feedback_every },
            control: here.then(|| Box::new(DelayControl::new(params))),
            expected: 0,
            received: 0,
            last: None,
            arrivals: [(Time::ZERO, Time::ZERO); NAMED],
            named: 0,
            last_report: None,
            timer: None,
            due: false,
            reports: 0,
        }
    }

    fn on_packet(&mut self, now: Time, data: &GccData, _marked: bool) {
        self.received += 1;
        // The model of the arrival times ignores packets out of order.
        if data.seq >= self.expected {
            self.expected = data.seq + 1;
            self.last = Some((*data, now));
            match &mut self.control {
                Some(control) => self.due |= control.on_packet(data.sent, now, data.rtt),
                None => {
                    self.arrivals[self.named] = (data.sent, now);
                    self.named += 1;
                    self.due |= self.named == NAMED;
                }
            }
        }
        let next = self.last_report.map_or(now, |last| last + self.every);
        self.due |= next <= now;
        self.timer = (!self.due).then_some(next);
    }

    fn on_timer(&mut self, now: Time) {
        if self.timer.is_some_and(|at| at <= now) {
            (self.due, self.timer) = (true, None);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<GccReport> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (data, arrived) = self.last?;
        let report = GccReport {
            number: self.reports,
            size: self.report_size,
            echo: data.sent,
            held: now.since(arrived),
            expected: self.expected,
            received: self.received,
            allowed: self.control.as_ref().map(|control| control.rate.rate),
            arrivals: self.arrivals,
            named: self.named as u8,
        };
        self.reports = self.reports.wrapping_add(1);
        (self.named, self.last_report, self.timer) = (0, Some(now), None);
        Some(report)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn received_payload(&self) -> u64 {
        u64::from(self.received) * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Times of the reports to packets with these gaps, and how many packets each names.
    fn reports(params: GccParams, gap: u64, packets: u32) -> Vec<(u64, u8)> {
        let mut receiver = GccReceiver::new(&Valid::new(params).unwrap());
        let mut at = Vec::new();
        for seq in 0..packets {
            let now = ms(gap * u64::from(seq));
            receiver.on_timer(now);
            receiver.on_packet(now, &GccData { seq, size: 1248, sent: now, rtt: Span::ZERO }, false);
            at.extend(receiver.poll_transmit(now).map(|report| (now.0 / 1_000_000, report.named)));
        }
        at
    }

    /// A packet each 10 ms is reported each 30 ms; one each millisecond after 16 packets.
    #[test]
    fn arrivals_are_reported_each_30_ms() {
        assert_eq!(reports(GccParams::default(), 10, 7), [(0, 1), (30, 3), (60, 3)]);
        assert_eq!(reports(GccParams::default(), 1, 40), [(0, 1), (16, 16), (32, 16)]);
    }

    /// A controller at the receiver reports each second.
    #[test]
    fn a_rate_is_reported_each_second() {
        let params = GccParams { site: GccSite::Receiver, ..GccParams::default() };
        assert_eq!(reports(params, 100, 25), [(0, 0), (1000, 0), (2000, 0)]);
    }

    /// Packets 0, 2, 1: three are expected and three received; the late one names no arrival.
    #[test]
    fn late_packets_count_as_received() {
        let mut receiver = GccReceiver::new(&Valid::new(GccParams::default()).unwrap());
        for (seq, at) in [(0, 0), (2, 10), (1, 35)] {
            receiver.on_packet(
                ms(at),
                &GccData { seq, size: 1248, sent: Time::ZERO, rtt: Span::ZERO },
                false,
            );
            if seq == 0 {
                receiver.poll_transmit(ms(at));
            }
        }
        let report = receiver.poll_transmit(ms(35)).unwrap();
        assert_eq!(
            (report.expected, report.received, report.named, report.held),
            (3, 3, 1, Span::from_millis(25))
        );
    }
}
