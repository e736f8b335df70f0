//! The packets sent: which were acknowledged, which count as lost.
//!
//! *Reference*: RFC 9002 sections 6.1, 7.6 and A.10.
//! *Units*: packets.
//! *Deviations*: a lost packet is remembered for three probe timeouts, so that its late ACK shows its data delivered.

use super::params::QuicParams;
use super::ranges::Ranges;
use super::rtt::RttEstimate;
use super::Frames;
use crate::ledger::Sent;
use crate::rate_based::common::push_back_exact;
use std::collections::VecDeque;
use units::{Span, Time};

/// Fate of a packet, as far as the sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuicFate {
    /// Neither acknowledged nor lost.
    InFlight,
    /// Acknowledged.
    Acked,
    /// Taken for lost.
    Lost,
}

/// A packet sent.
#[derive(Clone, Copy, Debug)]
pub struct SentPacket {
    /// Its send time and the state of the rate sampler then.
    pub sent: Sent,
    /// Its frames.
    pub frames: Frames,
    /// Its fate.
    pub fate: QuicFate,
}

/// An ACK's news of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// Its number.
    pub number: u32,
    /// It counted as lost before.
    pub was_lost: bool,
}

/// The packets of a connection, by number.
#[derive(Clone, Debug, Default)]
pub struct SentPackets {
    /// Number of the first packet stored, and the packets from there.
    first: u32,
    packets: VecDeque<SentPacket>,
    /// No packet below is in flight.
    edge: u32,
    in_flight: u32,
    largest_acked: Option<u32>,
    /// Send time of that packet.
    largest_sent: Time,
    /// When the time threshold is crossed next.
    loss_time: Option<Time>,
    /// The ranges of the last ACK.
    reported: Ranges,
}

impl SentPackets {
    /// Number of the next packet.
    pub fn next(&self) -> u32 {
        self.first + self.packets.len() as u32
    }

    /// Packets in flight.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// When [`SentPackets::detect_losses`] is due.
    pub fn loss_time(&self) -> Option<Time> {
        self.loss_time
    }

    /// Send time of the largest packet acknowledged.
    pub fn largest_sent(&self) -> Time {
        self.largest_sent
    }

    /// The packet with this number, which is still stored.
    pub fn get_mut(&mut self, number: u32) -> &mut SentPacket {
        &mut self.packets[(number - self.first) as usize]
    }

    fn get(&self, number: u32) -> &SentPacket {
        &self.packets[(number - self.first) as usize]
    }

    /// Records a packet.
    pub fn push(&mut self, packet: SentPacket) {
        push_back_exact(&mut self.packets, packet);
        self.in_flight += 1;
    }

    /// The stream data of the packet in flight that has `place` others before it.
    pub fn outstanding_piece(&mut self, place: usize) -> Option<u32> {
        self.pass_settled();
        let from = (self.edge - self.first) as usize;
        let in_flight = self.packets.iter().skip(from).filter(|packet| packet.fate == QuicFate::InFlight);
        let mut pieces = in_flight.filter_map(|packet| match packet.frames {
            Frames::Stream(piece) => Some(piece),
            Frames::Handshake | Frames::Ping => None,
        });
        pieces.nth(place)
    }

    fn pass_settled(&mut self) {
        while self.edge < self.next() && self.get(self.edge).fate != QuicFate::InFlight {
            self.edge += 1;
        }
    }

    /// Marks the packets of an ACK as acknowledged; `news` receives those not acknowledged before, highest first.
    pub fn acknowledge(&mut self, ranges: &Ranges, news: &mut Vec<News>) {
        let next = self.next();
        if ranges.largest().is_none_or(|largest| largest >= next) {
            return;
        }
        for (first, past) in ranges.iter() {
            let mut number = first.max(self.first);
            let above = news.len();
            while number < past {
                if let Some(end) = self.reported.end_of(number) {
                    number = end;
                    continue;
                }
                let packet = self.get_mut(number);
                let fate = std::mem::replace(&mut packet.fate, QuicFate::Acked);
                if fate != QuicFate::Acked {
                    news.push(News { number, was_lost: fate == QuicFate::Lost });
                    self.in_flight -= u32::from(fate == QuicFate::InFlight);
                }
                number += 1;
            }
            news[above..].reverse();
        }
        self.reported = *ranges;
        if let Some(largest) = ranges.largest().filter(|largest| self.largest_acked < Some(*largest)) {
            (self.largest_acked, self.largest_sent) = (Some(largest), self.get(largest).sent.at);
        }
    }

    /// Marks packets as lost (RFC 9002 section A.10); `lost` receives their numbers, lowest first.
    pub fn detect_losses(&mut self, now: Time, params: &QuicParams, rtt: &RttEstimate, lost: &mut Vec<u32>) {
        self.loss_time = None;
        let Some(largest) = self.largest_acked else { return };
        let delay = rtt.loss_delay(params);
        self.pass_settled();
        for number in self.edge..=largest {
            let packet = self.get_mut(number);
            if packet.fate != QuicFate::InFlight {
                continue;
            }
            let overdue = packet.sent.at + delay;
            if overdue > now && u64::from(largest) < u64::from(number) + params.packet_threshold {
                self.loss_time = Some(self.loss_time.map_or(overdue, |time| time.min(overdue)));
            } else {
                packet.fate = QuicFate::Lost;
                self.in_flight -= 1;
                lost.push(number);
            }
        }
    }

    /// Whether lost packets show persistent congestion (RFC 9002 section 7.6.2): two of them, sent after the first RTT
    /// sample, are further than `duration` apart, and none sent between them was acknowledged.
    pub fn is_congestion_persistent(&self, lost: &[u32], first_sample: Time, duration: Span) -> bool {
        let mut start: Option<(u32, Time)> = None;
        for &number in lost {
            let at = self.get(number).sent.at;
            if at <= first_sample {
                continue;
            }
            let interrupted = |(from, _): &(u32, Time)| {
                (from + 1..number).any(|between| self.get(between).fate == QuicFate::Acked)
            };
            let (_, since) = *start.take_if(|start| !interrupted(start)).get_or_insert((number, at));
            start = Some((number, since));
            if at.since(since) > duration {
                return true;
            }
        }
        false
    }

    /// Forgets packets that were acknowledged, and lost ones sent `memory` ago.
    pub fn forget(&mut self, now: Time, memory: Span) {
        while let Some(front) = self.packets.front() {
            let lasts = match front.fate {
                QuicFate::InFlight => true,
                QuicFate::Acked => false,
                QuicFate::Lost => front.sent.at + memory > now,
            };
            if lasts {
                return;
            }
            self.packets.pop_front();
            self.first += 1;
            self.edge = self.edge.max(self.first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Ten packets sent 10 ms apart, and an RTT of 100 ms.
    fn ten() -> (SentPackets, RttEstimate, QuicParams) {
        let params = QuicParams::default();
        let mut packets = SentPackets::default();
        for number in 0..10 {
            let sent = Sent { at: at(10 * u64::from(number)), ..Sent::default() };
            packets.push(SentPacket { sent, frames: Frames::Stream(number), fate: QuicFate::InFlight });
        }
        let mut rtt = RttEstimate::new(&params);
        rtt.sample(at(100), Span::from_millis(100), Span::ZERO);
        (packets, rtt, params)
    }

    fn acked(packets: &mut SentPackets, numbers: &[u32]) -> Vec<u32> {
        let (mut ranges, mut news) = (Ranges::default(), Vec::new());
        numbers.iter().for_each(|number| {
            ranges.insert(*number, 16);
        });
        packets.acknowledge(&ranges, &mut news);
        news.iter().map(|news| news.number).collect()
    }

    fn lost(packets: &mut SentPackets, ms: u64, params: &QuicParams, rtt: &RttEstimate) -> Vec<u32> {
        let mut lost = Vec::new();
        packets.detect_losses(at(ms), params, rtt, &mut lost);
        lost
    }

    /// An ACK of 3 alone: 0 is three below and lost; 1 and 2 wait for 112.5 ms since they left.
    #[test]
    fn three_packets_above_or_an_eighth_of_a_round_trip() {
        let (mut packets, rtt, params) = ten();
        assert_eq!(acked(&mut packets, &[3]), [3]);
        assert_eq!(lost(&mut packets, 110, &params, &rtt), [0]);
        assert_eq!(packets.loss_time(), Some(Time(122_500_000)));
        assert_eq!(packets.in_flight(), 8);
        let mut again = Vec::new();
        packets.detect_losses(Time(122_500_000), &params, &rtt, &mut again);
        assert_eq!(again, [1]);
        assert_eq!(packets.loss_time(), Some(Time(132_500_000)));
    }

    /// 4 to 9 are above the largest acknowledged: only the probe timeout can show them lost.
    #[test]
    fn packets_above_the_largest_acknowledged_are_never_lost() {
        let (mut packets, rtt, params) = ten();
        acked(&mut packets, &[0, 1, 2, 3]);
        assert!(lost(&mut packets, 10_000, &params, &rtt).is_empty());
        assert_eq!((packets.loss_time(), packets.in_flight()), (None, 6));
    }

    /// A packet declared lost arrives after all: news of it, but it was not in flight.
    #[test]
    fn a_late_acknowledgement_is_news() {
        let (mut packets, rtt, params) = ten();
        acked(&mut packets, &[3]);
        lost(&mut packets, 110, &params, &rtt);
        let (mut ranges, mut news) = (Ranges::default(), Vec::new());
        [3, 0].iter().for_each(|number| {
            ranges.insert(*number, 16);
        });
        packets.acknowledge(&ranges, &mut news);
        assert_eq!(news, [News { number: 0, was_lost: true }]);
        assert_eq!(packets.in_flight(), 8);
    }

    #[test]
    fn news_comes_highest_first() {
        let (mut packets, ..) = ten();
        assert_eq!(acked(&mut packets, &[1, 2, 5, 6]), [6, 5, 2, 1]);
        assert_eq!(acked(&mut packets, &[1, 2, 3, 5, 6, 7]), [7, 3]);
    }

    /// An ACK of a packet never sent is ignored.
    #[test]
    fn packets_not_sent_cannot_be_acknowledged() {
        let (mut packets, ..) = ten();
        assert!(acked(&mut packets, &[3, 10]).is_empty());
        assert_eq!(packets.in_flight(), 10);
    }

    /// 1 to 8 are lost: from 10 to 80 ms are 70 ms. With 4 acknowledged the longest run is 5 to 8, 30 ms. A packet sent
    /// before the first RTT sample does not count.
    #[test]
    fn congestion_persists_while_everything_is_lost() {
        let (mut packets, rtt, params) = ten();
        acked(&mut packets, &[0, 9]);
        let all: Vec<u32> = (1..9).collect();
        assert_eq!(lost(&mut packets, 200, &params, &rtt), all);
        let persists = |known: &SentPackets, from: u64, ms: u64| {
            known.is_congestion_persistent(&all, at(from), Span::from_millis(ms))
        };
        assert!(persists(&packets, 0, 69) && !persists(&packets, 0, 70));
        assert!(!persists(&packets, 15, 69) && persists(&packets, 15, 59));
        packets.get_mut(4).fate = QuicFate::Acked;
        let some: Vec<u32> = all.iter().copied().filter(|number| *number != 4).collect();
        assert!(packets.is_congestion_persistent(&some, at(0), Span::from_millis(29)));
        assert!(!packets.is_congestion_persistent(&some, at(0), Span::from_millis(30)));
    }

    /// 0 is acknowledged and forgotten, 1 is lost and stays for a while; numbers are unchanged.
    #[test]
    fn settled_packets_are_forgotten() {
        let (mut packets, rtt, params) = ten();
        acked(&mut packets, &[0, 2, 3, 4]);
        assert_eq!(lost(&mut packets, 110, &params, &rtt), [1]);
        packets.forget(at(110), Span::from_millis(500));
        assert_eq!((packets.first, packets.next()), (1, 10));
        packets.forget(at(600), Span::from_millis(500));
        assert_eq!((packets.first, packets.next(), packets.in_flight()), (5, 10, 5));
        assert_eq!((packets.outstanding_piece(0), packets.outstanding_piece(4)), (Some(5), Some(9)));
        assert_eq!(packets.outstanding_piece(5), None);
    }
}
