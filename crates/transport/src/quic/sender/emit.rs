//! Packets that leave: contents, size, and what the window, pacing and probes allow.
//!
//! *Reference*: RFC 9002 sections 6.2.4, 7 and 7.7.

use super::super::packets::{QuicFate, SentPacket};
use super::super::params::QuicProbe;
use super::{Frames, QuicData, QuicSender};
use crate::ledger::Sent;
use units::Time;

/// Bytes of the first packet on the wire: a datagram of 1200 bytes (RFC 9000 section 14.1) with UDP and IPv4 headers.
const INITIAL_BYTES: u32 = 1228;

impl QuicSender {
    /// Sends these frames in the next packet.
    pub(super) fn emit(&mut self, now: Time, frames: Frames) -> QuicData {
        let number = self.packets.next();
        let mut packet = SentPacket { sent: Sent::default(), frames, fate: QuicFate::InFlight };
        self.congestion.on_sent(now, self.packets.in_flight() + 1, &mut packet);
        self.packets.push(packet);
        self.pacer.sent(now);
        self.last_sent = now;
        self.set_timer(now);
        let headers = self.params.headers.0 as u32;
        let size = match frames {
            Frames::Handshake => INITIAL_BYTES,
            Frames::Stream(_) => self.params.mss.0 as u32 + headers,
            Frames::Ping => headers + 1,
        };
        QuicData { number, size, sent: now, frames }
    }

    /// Contents of a probe: lost data, then new data or the oldest outstanding as the options say, then a PING (section
    /// 6.2.4). `place`: the number of the probe, from 0.
    pub(super) fn probe(&mut self, place: u64) -> Frames {
        let oldest = self.params.probe == QuicProbe::Oldest;
        let waiting =
            if oldest { self.stream.take_lost().map(|piece| (piece, true)) } else { self.stream.take() };
        let again = |piece| (piece, true);
        match waiting.or_else(|| self.packets.outstanding_piece(place as usize).map(again)) {
            Some((piece, again)) => {
                self.counts.resent += u64::from(again);
                Frames::Stream(piece)
            }
            None => Frames::Ping,
        }
    }

    /// The next packet that the window and pacing allow.
    pub(super) fn next_allowed(&mut self, now: Time) -> Option<Frames> {
        let in_flight = self.packets.in_flight();
        if !self.stream.has_data() {
            self.limited = self.congestion.has_room(in_flight);
            if self.limited {
                self.congestion.limit_by_source(in_flight);
            }
            return None;
        }
        self.limited = false;
        let extra = std::mem::take(&mut self.extra);
        if !extra && !self.congestion.has_room(in_flight) {
            return None;
        }
        let ready = self.pacer.ready_at();
        if ready > now {
            self.paced_until = Some(ready);
            return None;
        }
        let (piece, again) = self.stream.take()?;
        self.counts.resent += u64::from(again);
        Some(Frames::Stream(piece))
    }
}
