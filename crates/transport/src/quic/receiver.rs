//! Receiver of QUIC: reassembles the stream and decides when to acknowledge.
//!
//! *Reference*: RFC 9000 sections 13.2.1 to 13.2.5 and 13.4.1.
//! *Units*: packets.

use super::ranges::Ranges;
use super::{Frames, QuicAck, QuicData, QuicParams};
use crate::marks::Marks;
use crate::rate_based::common::{RateReceiver, Statistic};
use std::sync::Arc;
use units::param::Valid;
use units::{Span, Time};

/// Bytes of each range of an ACK frame after the first.
const RANGE_BYTES: u32 = 4;
/// Unit of the delay in an ACK frame: 2^3 microseconds (RFC 9000 section 18.2).
const DELAY_UNIT: u64 = 8_000;

/// Receiver of a connection.
#[derive(Clone, Debug)]
pub struct QuicReceiver {
    params: Arc<Valid<QuicParams>>,
    ranges: Ranges,
    /// Arrival and send time of the highest packet.
    largest_at: (Time, Time),
    /// Packets since the last ACK.
    unacked: u64,
    pending: bool,
    due: Option<Time>,
    ce: u32,
    acks: u32,
    duplicates: u64,
    /// Pieces of the stream received in order, and those beyond.
    next: u32,
    highest: u32,
    beyond: Marks,
}

impl QuicReceiver {
    /// Packets that arrived twice.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Pieces of the stream received in order.
    pub fn delivered(&self) -> u32 {
        self.next
    }

    /// Whether a packet must be acknowledged at once: one out of order helps the sender to detect losses (section
    /// 13.2.1).
    fn is_urgent(&self, data: &QuicData, marked: bool) -> bool {
        let in_order = self.ranges.largest().map_or(0, |largest| largest + 1) == data.number;
        marked || !in_order || data.frames == Frames::Handshake
    }

    fn read(&mut self, piece: u32) {
        if piece < self.next {
            return;
        }
        self.highest = self.highest.max(piece + 1);
        self.beyond.reserve(self.next, self.highest);
        self.beyond.insert(piece);
        if piece == self.next {
            let end = self.beyond.first_absent(piece, self.highest).unwrap_or(self.highest);
            self.beyond.remove_range(piece, end);
            self.next = end;
        }
    }
}

impl RateReceiver for QuicReceiver {
    type Params = QuicParams;
    type Data = QuicData;
    type Report = QuicAck;

    fn sharing(params: &Arc<Valid<QuicParams>>) -> QuicReceiver {
        QuicReceiver {
            params: params.clone(),
            ranges: Ranges::default(),
            largest_at: (Time::ZERO, Time::ZERO),
            unacked: 0,
            pending: false,
            due: None,
            ce: 0,
            acks: 0,
            duplicates: 0,
            next: 0,
            highest: 0,
            beyond: Marks::default(),
        }
    }

    fn on_packet(&mut self, now: Time, data: &QuicData, marked: bool) {
        let urgent = self.is_urgent(data, marked);
        if !self.ranges.insert(data.number, self.params.ack_ranges as usize) {
            self.duplicates += 1;
            return;
        }
        if self.ranges.largest() == Some(data.number) {
            self.largest_at = (now, data.sent);
        }
        self.ce += u32::from(marked);
        if let Frames::Stream(piece) = data.frames {
            self.read(piece);
        }
        self.unacked += 1;
        if urgent || self.unacked >= self.params.ack_every {
            (self.pending, self.due) = (true, None);
        } else if !self.pending && self.due.is_none() {
            self.due = Some(now + self.params.max_ack_delay);
        }
    }

    fn on_timer(&mut self, now: Time) {
        if self.due.is_some_and(|due| due <= now) {
            (self.pending, self.due) = (true, None);
        }
    }

    fn poll_transmit(&mut self, now: Time) -> Option<QuicAck> {
        if !std::mem::take(&mut self.pending) {
            return None;
        }
        (self.unacked, self.due) = (0, None);
        let number = self.acks;
        self.acks = self.acks.wrapping_add(1);
        let more = self.ranges.len() as u32 - 1;
        Some(QuicAck {
            number,
            size: self.params.ack_size.0 as u32 + RANGE_BYTES * more,
            echo: self.largest_at.1,
            ranges: self.ranges,
            delay: Span(now.since(self.largest_at.0).0 / DELAY_UNIT * DELAY_UNIT),
            ce: self.ce,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn received_payload(&self) -> u64 {
        u64::from(self.next) * self.params.mss.0
    }

    fn statistics(&self) -> Vec<(&'static str, Statistic)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn receiver() -> QuicReceiver {
        QuicReceiver::new(&Valid::new(QuicParams::default()).unwrap())
    }

    /// A packet arrives; returns the ranges of the ACK that it causes, with its delay in microseconds and size.
    fn arrives(receiver: &mut QuicReceiver, ms: u64, number: u32, marked: bool) -> Option<Vec<(u32, u32)>> {
        let data = QuicData { number, size: 1500, sent: at(ms), frames: Frames::Stream(number) };
        receiver.on_packet(at(ms), &data, marked);
        receiver.poll_transmit(at(ms)).map(|ack| ack.ranges.iter().collect())
    }

    /// Every second packet is acknowledged; a single one after 25 ms, which the ACK reports.
    #[test]
    fn every_second_packet_is_acknowledged() {
        let mut receiver = receiver();
        assert_eq!(arrives(&mut receiver, 0, 0, false), None);
        assert_eq!(receiver.poll_timeout(), Some(at(25)));
        assert_eq!(arrives(&mut receiver, 1, 1, false), Some(vec![(0, 2)]));
        assert_eq!(receiver.poll_timeout(), None);
        assert_eq!(arrives(&mut receiver, 2, 2, false), None);
        receiver.on_timer(at(27));
        let ack = receiver.poll_transmit(at(27)).unwrap();
        assert_eq!((ack.delay, ack.size, ack.number, ack.echo), (Span::from_millis(25), 66, 1, at(2)));
    }

    /// 2 above a gap, 1 below the highest, and one with CE do not wait.
    #[test]
    fn packets_out_of_order_are_acknowledged_at_once() {
        let mut receiver = receiver();
        arrives(&mut receiver, 0, 0, false);
        assert_eq!(arrives(&mut receiver, 1, 2, false), Some(vec![(2, 3), (0, 1)]));
        assert_eq!(receiver.received_payload(), 1436);
        assert_eq!(arrives(&mut receiver, 2, 1, false), Some(vec![(0, 3)]));
        assert_eq!(receiver.received_payload(), 3 * 1436);
        assert_eq!(arrives(&mut receiver, 3, 3, true), Some(vec![(0, 4)]));
        assert_eq!(receiver.ce, 1);
    }

    /// A duplicate changes nothing and causes no ACK.
    #[test]
    fn a_packet_number_counts_once() {
        let mut receiver = receiver();
        arrives(&mut receiver, 0, 0, false);
        assert_eq!(arrives(&mut receiver, 1, 0, true), None);
        assert_eq!((receiver.duplicates(), receiver.ce, receiver.unacked), (1, 0, 1));
    }
}
