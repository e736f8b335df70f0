//! Receiver of DRS's transport: acknowledges each packet and names the last 64.
//!
//! *Reference*: JE98.

use super::{DrsAck, DrsData, DrsParams};
use crate::rate_based::common::RateReceiver;
use std::sync::Arc;
use units::param::Valid;
use units::Time;

/// Receiver of a flow.
#[derive(Clone, Debug)]
pub struct DrsReceiver {
    mss: u64,
    ack_size: u32,
    highest: Option<u32>,
    /// Bit `k`: packet `highest - k` was received.
    received: u64,
    /// The packet to acknowledge.
    due: Option<DrsData>,
    reports: u32,
    packets: u64,
}

impl RateReceiver for DrsReceiver {
    type Params = DrsParams;
    type Data = DrsData;
    type Report = DrsAck;

    fn sharing(params: &Arc<Valid<DrsParams>>) -> DrsReceiver {
        DrsReceiver {
            mss: params.mss.0,
            ack_size: params.ack_size.0 as u32,
            highest: None,
            received: 0,
            due: None,
            reports: 0,
            packets: 0,
        }
    }

    fn on_packet(&mut self, _now: Time, data: &DrsData, _marked: bool) {
        self.packets += 1;
        self.due = Some(*data);
        match self.highest {
            Some(highest) if data.seq <= highest => {
                self.received |= 1u64.checked_shl(highest - data.seq).unwrap_or(0);
            }
            highest => {
                let above = highest.map_or(64, |highest| data.seq - highest);
                self.received = self.received.checked_shl(above).unwrap_or(0) | 1;
                self.highest = Some(data.seq);
            }
        }
    }

    fn on_timer(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _now: Time) -> Option<DrsAck> {
        let data = self.due.take()?;
        self.reports = self.reports.wrapping_add(1);
        Some(DrsAck {
            number: self.reports.wrapping_sub(1),
            size: self.ack_size,
            echo: data.sent,
            highest: self.highest?,
            received: self.received,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn received_payload(&self) -> u64 {
        self.packets * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, 1, 4, then 2: the last ACK names 0, 1, 2 and 4; after packet 80 only that one is left.
    #[test]
    fn an_acknowledgement_names_the_last_packets() {
        let mut receiver = DrsReceiver::new(&Valid::new(DrsParams::default()).unwrap());
        let mut ack_of = |seq: u32| {
            receiver.on_packet(Time::ZERO, &DrsData { seq, size: 1500, sent: Time(u64::from(seq)) }, false);
            receiver.poll_transmit(Time::ZERO).expect("each is acknowledged")
        };
        let named = |ack: DrsAck| (0..100).filter(|seq| ack.covers(*seq)).collect::<Vec<u32>>();
        assert_eq!(named(ack_of(0)), [0]);
        ack_of(1);
        assert_eq!(named(ack_of(4)), [0, 1, 4]);
        let late = ack_of(2);
        assert_eq!((named(late), late.echo, late.highest), (vec![0, 1, 2, 4], Time(2), 4));
        assert_eq!(named(ack_of(80)), [80]);
        assert_eq!(named(ack_of(3)), [80], "too old to be named");
    }
}
