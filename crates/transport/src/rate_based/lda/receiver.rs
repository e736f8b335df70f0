//! Receiver of LDA+: measures loss and packet pairs.
//!
//! *Reference*: RFC3550 section 6.4 for the reports; SW00 for the pairs.

use super::{LdaData, LdaParams, LdaReport};
use crate::rate_based::common::RateReceiver;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Packet pairs in the median.
const PAIRS: usize = 15;

/// Receiver of an LDA+ flow.
#[derive(Clone, Debug)]
pub struct LdaReceiver {
    params: Arc<Valid<LdaParams>>,
    /// The last packet received, and its arrival time.
    last: Option<(LdaData, Time)>,
    /// One past the highest packet received, now and at the last report; packets received since then.
    expected: u32,
    expected_before: u32,
    since_report: u64,
    last_report: Time,
    /// Rates measured by packet pairs, oldest first.
    pairs: Vec<f64>,
    timer: Option<Time>,
    due: bool,
    reports: u32,
    received: u64,
}

impl LdaReceiver {
    fn bottleneck(&self) -> Option<f64> {
        let mut sorted = self.pairs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }

    fn note_pair(&mut self, now: Time, data: &LdaData) {
        let Some((before, arrived)) = self.last else { return };
        let gap = now.since(arrived).as_secs();
        if data.pair && before.seq + 1 == data.seq && gap > 0.0 {
            if self.pairs.len() == PAIRS {
                self.pairs.remove(0);
            }
            self.pairs.push(self.params.mss.0 as f64 / gap);
        }
    }
}

impl RateReceiver for LdaReceiver {
    type Params = LdaParams;
    type Data = LdaData;
    type Report = LdaReport;

    fn sharing(params: &Arc<Valid<LdaParams>>) -> LdaReceiver {
        LdaReceiver {
            params: params.clone(),
            last: None,
            expected: 0,
            expected_before: 0,
            since_report: 0,
            last_report: Time::ZERO,
            pairs: Vec::new(),
            timer: None,
            due: false,
            reports: 0,
            received: 0,
        }
    }

    fn on_packet(&mut self, now: Time, data: &LdaData, _marked: bool) {
        self.received += 1;
        self.since_report += 1;
        self.note_pair(now, data);
        if self.last.is_none() {
            self.last_report = now;
            self.timer = Some(now + self.params.report_every);
        }
        self.last = Some((*data, now));
        self.expected = self.expected.max(data.seq + 1);
    }

    fn on_timer(&mut self, now: Time) {
        if self.timer.is_some_and(|at| at <= now) {
            self.due = self.since_report > 0;
            self.timer = Some(now + self.params.report_every);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<LdaReport> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (data, arrived) = self.last?;
        let expected = f64::from(self.expected - self.expected_before).max(1.0);
        let report = LdaReport {
            number: self.reports,
            size: self.params.report_size.0 as u32,
            echo: data.sent,
            held: now.since(arrived),
            loss: (1.0 - self.since_report as f64 / expected).clamp(0.0, 1.0),
            interval: now.since(self.last_report),
            bottleneck: self.bottleneck(),
        };
        self.reports = self.reports.wrapping_add(1);
        (self.expected_before, self.since_report, self.last_report) = (self.expected, 0, now);
        Some(report)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn received_payload(&self) -> u64 {
        self.received * self.params.mss.0
    }
}

/// Time a sender waits for the first report.
pub fn patience(params: &LdaParams) -> Span {
    params.report_every * params.silence_reports
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty packets of which five are lost in 5 s; the second of a pair arrives 2 ms after the first: 500
    /// 000 B/s.
    #[test]
    fn reports_by_hand() {
        let params = LdaParams { mss: units::Bytes(1000), ..LdaParams::default() };
        let mut receiver = LdaReceiver::new(&Valid::new(params).unwrap());
        for seq in (0..20).filter(|seq| seq % 4 != 2) {
            let sent = Time(u64::from(seq) * 100_000_000);
            let pair = seq == 9;
            let arrived = if pair { Time(810_000_000) } else { sent + Span::from_millis(8) };
            receiver.on_packet(arrived, &LdaData { seq, size: 1040, sent, pair }, false);
        }
        let at = receiver.poll_timeout().unwrap();
        assert_eq!(at, Time(5_008_000_000));
        receiver.on_timer(at);
        let report = receiver.poll_transmit(at).unwrap();
        assert_eq!((report.loss, report.interval), (0.25, Span::from_millis(5000)));
        assert_eq!(report.held, at.since(Time(1_908_000_000)));
        assert_eq!(report.bottleneck, Some(500_000.0));
        receiver.on_timer(Time(10_008_000_000));
        assert_eq!(receiver.poll_transmit(Time(10_008_000_000)), None, "nothing came");
    }
}
