//! TFRC at the two ends of a flow: the state machines of the transport, and what their packets say.
//!
//! The simulator's packet has no room for a report or for what a data packet tells the receiver, and few
//! packets need it. So the end that sends keeps what it said, by number, until the other end has read it.

use std::collections::VecDeque;
use transport::segment::{Ack, Role, SackBlocks, Segment};
use transport::tfrc::{Data, Feedback, Params, Receiver, Sender};
use units::param::Valid;
use units::{Ecn, Time};

/// Contents of packets on their way, by number.
#[derive(Debug)]
pub struct Said<T> {
    first: u32,
    entries: VecDeque<T>,
}

/// How far packets may overtake one another and still be read.
const REORDERING: u32 = 1024;

impl<T: Copy> Said<T> {
    fn new() -> Said<T> {
        Said { first: 0, entries: VecDeque::new() }
    }

    /// What the next packet says.
    fn put(&mut self, entry: T) {
        self.entries.push_back(entry);
    }

    /// What a packet said; forgets what went long before it.
    fn read(&mut self, number: u32) -> Option<T> {
        let said = self.entries.get(number.wrapping_sub(self.first) as usize).copied()?;
        while number.wrapping_sub(self.first) > REORDERING {
            self.entries.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        Some(said)
    }
}

/// The sending end.
pub struct TfrcSource {
    /// Its state machine.
    pub sender: Sender,
    said: Said<Data>,
    /// What its packets are marked with.
    ecn: Ecn,
}

impl TfrcSource {
    /// A silent source.
    pub fn new(params: &Valid<Params>) -> TfrcSource {
        let ecn = if params.ecn { Ecn::Ect0 } else { Ecn::NotEct };
        TfrcSource { sender: Sender::new(params), said: Said::new(), ecn }
    }

    /// The packet to send now, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let data = self.sender.poll_transmit(now)?;
        self.said.put(data);
        Some(Segment {
            seq: data.seq,
            size: data.size,
            sent: data.sent,
            role: Role::Data,
            ecn: self.ecn,
            cwr: false,
            retransmit: false,
        })
    }

    /// A report with this number arrives from the other end.
    pub fn on_report(&mut self, now: Time, number: u32, sink: &mut TfrcSink) {
        if let Some(feedback) = sink.said.read(number) {
            self.sender.on_feedback(now, &feedback);
        }
    }
}

/// The receiving end.
pub struct TfrcSink {
    /// Its state machine.
    pub receiver: Receiver,
    said: Said<Feedback>,
}

impl TfrcSink {
    /// Nothing has come yet.
    pub fn new(params: &Valid<Params>) -> TfrcSink {
        TfrcSink { receiver: Receiver::new(params), said: Said::new() }
    }

    /// A data packet with this number arrives from the other end.
    pub fn on_packet(&mut self, now: Time, seq: u32, ecn: Ecn, source: &mut TfrcSource) {
        if let Some(data) = source.said.read(seq) {
            self.receiver.on_packet(now, &data, ecn == Ecn::Ce);
        }
    }

    /// The report to send now, if one is due; it travels like an acknowledgement.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Ack> {
        let feedback = self.receiver.poll_transmit(now)?;
        self.said.put(feedback);
        Some(Ack {
            ack: feedback.number,
            size: feedback.size,
            echo: feedback.echo,
            sack: SackBlocks::default(),
            ece: false,
            syn: false,
            ace: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_read_in_any_order() {
        let mut said = Said::new();
        (0..5000u32).for_each(|entry| said.put(entry));
        assert_eq!(said.read(3), Some(3));
        assert_eq!(said.read(2000), Some(2000));
        assert_eq!(said.read(1000), Some(1000));
        assert_eq!(said.read(3), None, "long gone");
        assert_eq!(said.read(5000), None, "not yet said");
        assert_eq!(said.read(4999), Some(4999));
    }
}
