//! The simulator's packet: 32 bytes, passed by value.

mod attributes;
mod label;
mod sack_pool;

pub use attributes::Attributes;
pub use label::FlowLabel;
use queue::disc::{Acknowledgement, Packet};
use sack_pool::Extras;
pub use sack_pool::SackPool;
use transport::receiver::{CountingAck, FastAck};
use transport::segment::{Ack, Role, SackBlocks, Segment};
use units::{Bytes, Ecn, Time};

/// A packet in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pkt {
    /// When it left its source; on an acknowledgement, the timestamp it echoes.
    pub stamp: Time,
    /// Segment number; on an acknowledgement, the next segment expected.
    pub seq: u32,
    /// Its flow's number.
    pub flow: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// One more than the index of its SACK blocks in the [`SackPool`]; zero if it has none.
    pub sack: u32,
    /// Its next hop: an index into the hops of all routes.
    pub hop: u32,
    /// Flags (the constants below), class, ECN field and hop code. Where the hop code is zero, `hop` is the next step.
    pub attributes: Attributes,
}

/// Values of `hop` beyond all routes: the event is no packet but the timer of the endpoint `flow`, or the end of a
/// transmission on the link `flow`.
pub const TIMER: u32 = u32::MAX;
/// See [`TIMER`].
pub const TRANSMITTER_FREE: u32 = u32::MAX - 1;

/// It travels from destination to source.
pub const BACK: u8 = 1;
const SYN: u8 = 2;
const CWR: u8 = 4;
const ECE: u8 = 8;
pub(crate) const RETRANSMIT: u8 = 16;
/// On data, where ECE has no meaning.
pub(crate) const PUSH: u8 = ECE;
/// On an acknowledgement, which has no CWR flag: it carries the byte counters of accurate ECN.
const BYTES: u8 = CWR;
/// On an acknowledgement, which retransmits nothing: it carries the receive window.
const WINDOW: u8 = RETRANSMIT;
/// The three ACE bits of accurate ECN on an acknowledgement, and the three ECN flags of a SYN.
const ACE_SHIFT: u8 = 5;

impl Pkt {
    /// A timer or the end of a transmission, as `hop` states.
    pub fn event(hop: u32, number: u32) -> Pkt {
        Pkt {
            stamp: Time::ZERO,
            seq: 0,
            flow: number,
            size: 0,
            sack: 0,
            hop,
            attributes: Attributes::default(),
        }
    }

    /// Whether this is a packet, and not a timer or the end of a transmission.
    pub fn is_packet(&self) -> bool {
        self.hop < TRANSMITTER_FREE
    }

    /// A plain data packet: number and size of its segment, and the attributes of all its flow's plain packets.
    #[inline(always)]
    pub fn plain(stamp: Time, seq: u32, size: u32, flow: u32, hop: u32, attributes: Attributes) -> Pkt {
        Pkt { stamp, seq, flow, size, sack: 0, hop, attributes }
    }

    /// The packet that carries a segment.
    #[inline]
    pub fn of_segment(segment: &Segment, flow: u32, hop: u32) -> Pkt {
        let flags = flag(segment.role == Role::Syn, SYN)
            | flag(segment.cwr, CWR)
            | flag(segment.retransmit, RETRANSMIT)
            | flag(segment.push, PUSH)
            | segment.ecn_flags << ACE_SHIFT;
        Pkt {
            stamp: segment.sent,
            seq: segment.seq,
            flow,
            size: segment.size,
            sack: 0,
            hop,
            attributes: Attributes::flags_only(flags).with_ecn(segment.ecn),
        }
    }

    /// The segment it carries.
    #[inline]
    pub fn segment(&self) -> Segment {
        Segment {
            seq: self.seq,
            size: self.size,
            sent: self.stamp,
            role: if self.has(SYN) { Role::Syn } else { Role::Data },
            ecn: self.attributes.ecn(),
            cwr: self.has(CWR),
            retransmit: self.has(RETRANSMIT),
            push: self.has(PUSH),
            ecn_flags: self.attributes.flags() >> ACE_SHIFT,
        }
    }

    /// The packet that carries an acknowledgement; SACK blocks go into the pool.
    #[inline]
    pub fn of_ack(ack: &Ack, flow: u32, hop: u32, pool: &mut SackPool) -> Pkt {
        Pkt {
            stamp: ack.echo,
            seq: ack.ack,
            flow,
            size: ack.size,
            sack: if ack.bytes.is_some() || ack.window.is_some() {
                pool.put_with_extras(&ack.sack, Extras { bytes: ack.bytes, window: ack.window })
            } else if ack.sack.is_empty() {
                0
            } else {
                pool.put(&ack.sack)
            },
            hop,
            attributes: Attributes::flags_only(
                BACK | flag(ack.syn, SYN)
                    | flag(ack.ece, ECE)
                    | flag(ack.bytes.is_some(), BYTES)
                    | flag(ack.window.is_some(), WINDOW)
                    | ack.ace << ACE_SHIFT,
            ),
        }
    }

    /// The packet that carries a plain acknowledgement, with the attributes of all its flow's; SACK blocks go into the
    /// pool.
    #[inline(always)]
    pub fn of_fast_ack(
        plain: FastAck<'_>,
        flow: u32,
        hop: u32,
        attributes: Attributes,
        pool: &mut SackPool,
    ) -> Pkt {
        let FastAck { ack: seq, echo: stamp, size, sack } = plain;
        let sack = match sack {
            Some(blocks) => pool.put(blocks),
            None => 0,
        };
        Pkt { stamp, seq, flow, size, sack, hop, attributes }
    }

    /// The same with a receive window, in segments.
    #[inline(always)]
    pub fn of_window_ack(
        plain: FastAck<'_>,
        window: u32,
        flow: u32,
        hop: u32,
        attributes: Attributes,
        pool: &mut SackPool,
    ) -> Pkt {
        let FastAck { ack: seq, echo: stamp, size, sack: reported } = plain;
        let blocks = reported.copied().unwrap_or_default();
        let sack = pool.put_with_extras(&blocks, Extras { bytes: None, window: Some(window) });
        Pkt { stamp, seq, flow, size, sack, hop, attributes: attributes.and_flags(WINDOW) }
    }

    /// The packet that carries an acknowledgement with the counters of accurate ECN.
    #[inline(always)]
    pub fn of_counting_ack(
        ack: CountingAck,
        flow: u32,
        hop: u32,
        attributes: Attributes,
        pool: &mut SackPool,
    ) -> Pkt {
        let CountingAck { ack: seq, echo: stamp, size, ace, bytes } = ack;
        let flags = flag(bytes.is_some(), BYTES) | ace << ACE_SHIFT;
        let sack = match bytes {
            Some(_) => pool.put_with_extras(&SackBlocks::default(), Extras { bytes, window: None }),
            None => 0,
        };
        Pkt { stamp, seq, flow, size, sack, hop, attributes: attributes.and_flags(flags) }
    }

    /// Whether the acknowledgement it carries has neither SYN nor ECE nor a receive window, which is all a sender
    /// without accurate ECN looks at.
    #[inline(always)]
    pub fn is_plain_ack(&self) -> bool {
        !self.has(SYN | ECE | WINDOW)
    }

    /// Whether the acknowledgement it carries has a receive window.
    #[inline(always)]
    pub fn has_window(&self) -> bool {
        self.has(WINDOW)
    }

    /// Whether it opens a connection.
    #[inline(always)]
    pub fn is_syn(&self) -> bool {
        self.has(SYN)
    }

    /// Whether the segment it carries needs no more of a receiver than its number: no SYN, no CWR, neither CE nor
    /// ECT(1).
    #[inline(always)]
    pub fn is_plain_data(&self) -> bool {
        self.attributes.has_neither(SYN | CWR)
    }

    /// Whether the segment it carries has PSH set.
    #[inline(always)]
    pub fn is_pushed(&self) -> bool {
        self.has(PUSH)
    }

    /// Whether the segment it carries has neither SYN nor CWR nor CE.
    #[inline(always)]
    pub fn is_unmarked_data(&self) -> bool {
        !self.has(SYN | CWR) && self.attributes.ecn() != Ecn::Ce
    }

    /// The acknowledgement it carries; its SACK blocks leave the pool.
    #[inline]
    pub fn ack(&self, pool: &mut SackPool) -> Ack {
        let Extras { bytes, window } =
            if self.has(BYTES | WINDOW) { pool.extras(self) } else { Extras::default() };
        Ack {
            ack: self.seq,
            size: self.size,
            echo: self.stamp,
            sack: if self.sack == 0 { SackBlocks::default() } else { pool.take(self.sack) },
            ece: self.has(ECE),
            syn: self.has(SYN),
            ace: self.attributes.flags() >> ACE_SHIFT,
            bytes,
            window,
        }
    }

    /// Whether it travels from destination to source.
    #[inline]
    pub fn is_back(&self) -> bool {
        self.has(BACK)
    }

    /// Sets its ECN field.
    #[inline]
    pub fn set_ecn(&mut self, ecn: Ecn) {
        self.attributes = self.attributes.with_ecn(ecn);
    }

    /// Sets its class.
    #[inline(always)]
    pub fn set_class(&mut self, class: u8) {
        self.attributes = self.attributes.with_class(class);
    }

    #[inline]
    fn has(&self, flag: u8) -> bool {
        self.attributes.flags() & flag != 0
    }
}

#[inline]
fn flag(set: bool, bit: u8) -> u8 {
    if set {
        bit
    } else {
        0
    }
}

/// A packet in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitingPacket {
    /// The packet.
    pub pkt: Pkt,
    /// When it entered the queue.
    pub enqueued: Time,
    /// The ends of its flow; the default where the discipline does not read them.
    pub label: FlowLabel,
}

impl WaitingPacket {
    /// A packet as it enters a queue that reads no labels.
    pub fn unlabelled(pkt: Pkt, enqueued: Time) -> WaitingPacket {
        WaitingPacket { pkt, enqueued, label: FlowLabel::default() }
    }
}

impl Packet for WaitingPacket {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.pkt.size))
    }
    #[inline]
    fn flow(&self) -> u64 {
        u64::from(self.pkt.flow) << 1 | u64::from(self.pkt.attributes.flags() & BACK)
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.pkt.attributes.ecn()
    }
    #[inline]
    fn set_ce(&mut self) {
        self.pkt.set_ecn(Ecn::Ce);
    }
    #[inline]
    fn class(&self) -> u8 {
        self.pkt.attributes.class()
    }
    #[inline]
    fn set_class(&mut self, class: u8) {
        self.pkt.set_class(class);
    }
    #[inline]
    fn hosts(&self) -> [u64; 2] {
        self.label.hosts(self.pkt.is_back())
    }
    #[inline]
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        let pkt = &self.pkt;
        (self.label.is_tcp() && pkt.is_back()).then(|| Acknowledgement {
            next: u64::from(pkt.seq),
            pure: !pkt.is_syn() && !pkt.has(BYTES),
            sack: pkt.sack,
            flags: pkt.attributes.flags() & !(BACK | SYN | BYTES | WINDOW),
        })
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    #[inline]
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transport::accecn::ByteOption;

    #[test]
    fn a_packet_stays_small() {
        assert_eq!(size_of::<Pkt>(), 32);
    }

    #[test]
    fn segments_and_acknowledgements_survive_the_trip() {
        let segment = Segment {
            seq: 7,
            size: 1500,
            sent: Time(9),
            role: Role::Data,
            ecn: Ecn::Ect0,
            cwr: true,
            retransmit: true,
            push: true,
            ecn_flags: 5,
        };
        assert_eq!(Pkt::of_segment(&segment, 3, 0).segment(), segment);
        let mut sack = SackBlocks::default();
        sack.push(4, 6);
        let ack = Ack {
            ack: 3,
            size: 52,
            echo: Time(8),
            sack,
            ece: true,
            syn: false,
            ace: 6,
            bytes: None,
            window: None,
        };
        let mut pool = SackPool::default();
        let pkt = Pkt::of_ack(&ack, 3, 5, &mut pool);
        let waiting = |held| WaitingPacket::unlabelled(held, Time::ZERO);
        assert_ne!(waiting(pkt).flow(), waiting(Pkt::of_segment(&segment, 3, 0)).flow());
        assert_eq!(pkt.ack(&mut pool), ack);
        let again = Pkt::of_ack(&ack, 3, 5, &mut pool);
        assert_eq!(again.sack, pkt.sack, "places are used again");
        let option = ByteOption { ect1_first: true, fields: 2, e0b: 1, ceb: 9, e1b: 7 };
        for blocks in [sack, SackBlocks::default()] {
            let counted = Ack { sack: blocks, bytes: Some(option), window: Some(45), ..ack };
            let first = Pkt::of_ack(&counted, 3, 5, &mut pool);
            let copy = Pkt { sack: pool.copy(&first), ..first };
            assert_eq!((first.ack(&mut pool), copy.ack(&mut pool)), (counted, counted));
        }
    }
}
