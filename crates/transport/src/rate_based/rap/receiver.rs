//! Receiver of RAP: acknowledges each packet and reports the last gap.
//!
//! *Reference*: RHE99.

use super::{RapAck, RapData, RapParams};
use crate::rate_based::common::RateReceiver;
use std::sync::Arc;
use units::param::Valid;
use units::Time;

/// Receiver of a RAP flow.
#[derive(Clone, Debug)]
pub struct RapReceiver {
    mss: u64,
    ack_size: u32,
    highest: Option<u32>,
    missing: Option<(u32, Option<u32>)>,
    /// The packet to acknowledge.
    due: Option<RapData>,
    reports: u32,
    received: u64,
}

impl RateReceiver for RapReceiver {
    type Params = RapParams;
    type Data = RapData;
    type Report = RapAck;

    fn sharing(params: &Arc<Valid<RapParams>>) -> RapReceiver {
        RapReceiver {
            mss: params.mss.0,
            ack_size: params.ack_size.0 as u32,
            highest: None,
            missing: None,
            due: None,
            reports: 0,
            received: 0,
        }
    }

    fn on_packet(&mut self, _now: Time, data: &RapData, _marked: bool) {
        self.received += 1;
        self.due = Some(*data);
        let next = self.highest.map_or(0, |highest| highest + 1);
        if data.seq > next {
            self.missing = Some((data.seq - 1, self.highest));
        }
        if data.seq >= next {
            self.highest = Some(data.seq);
        }
    }

    fn on_timer(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _now: Time) -> Option<RapAck> {
        let data = self.due.take()?;
        self.reports = self.reports.wrapping_add(1);
        Some(RapAck {
            number: self.reports.wrapping_sub(1),
            size: self.ack_size,
            echo: data.sent,
            seq: data.seq,
            highest: self.highest?,
            missing: self.missing,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn received_payload(&self) -> u64 {
        self.received * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, 1, 4, 5, then 7: the last ACK reports 4, 5 and 7, and that 6 is missing.
    #[test]
    fn an_acknowledgement_reports_the_last_gap() {
        let mut receiver = RapReceiver::new(&Valid::new(RapParams::default()).unwrap());
        let mut give = |seq: u32| {
            receiver.on_packet(Time::ZERO, &RapData { seq, size: 1500, sent: Time(u64::from(seq)) }, false);
            receiver.poll_transmit(Time::ZERO).expect("each is acknowledged")
        };
        assert_eq!((give(0).missing, give(1).highest), (None, 1));
        assert_eq!(give(4).missing, Some((3, Some(1))));
        let report = give(5);
        assert!([1, 4, 5].iter().all(|seq| report.covers(*seq)) && !report.covers(3) && !report.covers(2));
        let last = give(7);
        let covered: Vec<u32> = (0..9).filter(|seq| last.covers(*seq)).collect();
        assert_eq!(covered, [5, 7], "4 was reported before");
        assert_eq!(give(6).seq, 6);
    }
}
