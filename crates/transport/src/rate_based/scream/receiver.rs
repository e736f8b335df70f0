//! Receiver of SCReAM: names the packets received, at intervals that follow the media rate.
//!
//! *Reference*: RFC8298 section 4.2.
//! *Deviations*: assumed: the first packet is answered at once; the media rate is measured over 200 ms; half a list of
//! packets is answered at once.

use super::{ScreamData, ScreamParams, ScreamReport, NAMED, WORDS};
use crate::rate_based::common::RateReceiver;
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Time over which the media rate is measured.
const MEASURE: Span = Span::from_millis(200);

/// Time between feedbacks at a media rate in bits per second.
fn feedback_interval(rate: f64) -> Span {
    Span::from_secs(1.0 / (rate / 10_000.0).clamp(2.5, 50.0))
}

/// Receiver of a flow.
#[derive(Clone, Debug)]
pub struct ScreamReceiver {
    mss: u64,
    report_size: u32,
    /// The packet with the highest number, and its arrival.
    highest: Option<(ScreamData, Time)>,
    received: [u64; WORDS],
    marked: u64,
    packets: u64,
    /// Packets since the last feedback, and since the media rate was measured.
    unreported: u32,
    measured: u64,
    measured_since: Time,
    rate: f64,
    last_report: Option<Time>,
    timer: Option<Time>,
    due: bool,
    reports: u32,
}

impl ScreamReceiver {
    fn insert(&mut self, now: Time, data: &ScreamData) {
        let highest = self.highest.map(|(highest, _)| highest.seq);
        let below = match highest {
            Some(highest) if data.seq <= highest => highest - data.seq,
            _ => {
                self.shift(highest.map_or(NAMED, |highest| data.seq - highest));
                self.highest = Some((*data, now));
                0
            }
        };
        if below < NAMED {
            self.received[(below / 64) as usize] |= 1 << (below % 64);
        }
    }

    /// Makes room for packets above the highest.
    fn shift(&mut self, packets: u32) {
        for _ in 0..packets.min(NAMED) {
            for word in (1..WORDS).rev() {
                self.received[word] = self.received[word] << 1 | self.received[word - 1] >> 63;
            }
            self.received[0] <<= 1;
        }
    }

    fn measure(&mut self, now: Time) {
        let elapsed = now.since(self.measured_since);
        if elapsed >= MEASURE {
            self.rate = (self.measured * self.mss * 8) as f64 / elapsed.as_secs();
            (self.measured, self.measured_since) = (0, now);
        }
    }
}

impl RateReceiver for ScreamReceiver {
    type Params = ScreamParams;
    type Data = ScreamData;
    type Report = ScreamReport;

    fn sharing(params: &Arc<Valid<ScreamParams>>) -> ScreamReceiver {
        ScreamReceiver {
            mss: params.mss.0,
            report_size: params.report_size.0 as u32,
            highest: None,
            received: [0; WORDS],
            marked: 0,
            packets: 0,
            unreported: 0,
            measured: 0,
            measured_since: Time::ZERO,
            rate: 0.0,
            last_report: None,
            timer: None,
            due: false,
            reports: 0,
        }
    }

    fn on_packet(&mut self, now: Time, data: &ScreamData, marked: bool) {
        self.insert(now, data);
        self.packets += 1;
        self.marked += u64::from(marked);
        self.unreported += 1;
        if self.packets == 1 {
            self.measured_since = now;
        }
        self.measured += 1;
        self.measure(now);
        let next = self.last_report.map_or(now, |last| last + feedback_interval(self.rate));
        if next <= now || self.unreported >= NAMED / 2 {
            self.due = true;
        }
        self.timer = (!self.due).then_some(next);
    }

    fn on_timer(&mut self, now: Time) {
        if self.timer.is_some_and(|at| at <= now) {
            self.due = true;
            self.timer = None;
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<ScreamReport> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (data, arrived) = self.highest?;
        let report = ScreamReport {
            number: self.reports,
            size: self.report_size,
            echo: data.sent,
            arrived,
            held: now.since(arrived),
            highest: data.seq,
            received: self.received,
            marked: self.marked,
        };
        self.reports = self.reports.wrapping_add(1);
        (self.unreported, self.last_report, self.timer) = (0, Some(now), None);
        Some(report)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn received_payload(&self) -> u64 {
        self.packets * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// 10 kbit/s: 2.5 feedbacks a second; 200 kbit/s: 20; 5 Mbit/s: 50.
    #[test]
    fn intervals_by_hand() {
        let intervals = [1e4, 2e5, 5e6].map(|rate| feedback_interval(rate).as_millis().round());
        assert_eq!(intervals, [400.0, 50.0, 20.0]);
    }

    /// A packet each 10 ms is 800 kbit/s: a feedback at once, 400 ms after it, when the rate is known, each 20 ms.
    #[test]
    fn feedback_follows_the_media_rate() {
        let mut receiver = ScreamReceiver::new(&Valid::new(ScreamParams::default()).unwrap());
        let mut at = Vec::new();
        for seq in 0..40u32 {
            let now = ms(10 * u64::from(seq));
            receiver.on_timer(now);
            receiver.on_packet(now, &ScreamData { seq, size: 1040, sent: now }, seq == 7);
            at.extend(receiver.poll_transmit(now).map(|report| (now.0 / 1_000_000, report.marked)));
        }
        assert_eq!(at[..4], [(0, 0), (200, 1), (220, 1), (240, 1)]);
    }

    /// 0, 1, 4, then 2; packet 300 leaves only those above 44.
    #[test]
    fn a_feedback_names_the_last_packets() {
        let mut receiver = ScreamReceiver::new(&Valid::new(ScreamParams::default()).unwrap());
        let mut named = |seqs: &[u32]| {
            for seq in seqs {
                receiver.on_packet(
                    Time::ZERO,
                    &ScreamData { seq: *seq, size: 1040, sent: Time::ZERO },
                    false,
                );
            }
            receiver.due = true;
            let report = receiver.poll_transmit(Time::ZERO).unwrap();
            (0..400).filter(|seq| report.covers(*seq)).collect::<Vec<u32>>()
        };
        assert_eq!(named(&[0, 1, 4]), [0, 1, 4]);
        assert_eq!(named(&[2, 90]), [0, 1, 2, 4, 90]);
        assert_eq!(named(&[300]), [90, 300]);
    }
}
