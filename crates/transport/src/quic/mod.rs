//! QUIC: one stream of data in packets whose numbers never repeat.
//!
//! *Reference*: RFC 9000 sections 12.3, 13.2 and 13.4; RFC 9002; RFC 9438 for CUBIC, CCHJ17 and CSB25 for BBR.
//! *Units*: packets of one size; windows in packets.
//! *Deviations*: one packet number space, whose first packet stands for the handshake. One stream, without flow
//! control. The range of an ACK frame has 4 bytes. A path that clears ECN marks is not detected, there is no
//! idle timeout, and ACKs are not acknowledged: the receiver stores the newest ranges only.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options |
//! | [`ranges`] | sets of packet numbers, as ACK frames carry them |
//! | [`rtt`] | RTT estimate and probe timeout |
//! | [`packets`] | the packets sent, loss detection, persistent congestion |
//! | [`congestion`] | NewReno of RFC 9002, and the controls shared with TCP |
//! | [`pacer`], [`stream`] | when packets may leave; the data they carry |
//! | [`sender`], [`receiver`] | the two ends |

pub mod congestion;
pub mod pacer;
pub mod packets;
pub mod params;
pub mod ranges;
pub mod receiver;
pub mod rtt;
pub mod sender;
pub mod stream;

pub use params::QuicParams;
pub use receiver::QuicReceiver;
pub use sender::QuicSender;

use crate::rate_based::common::{pdus, Protocol};
use ranges::Ranges;
use units::{Bytes, Ecn, Span, Time};

/// QUIC.
pub struct Quic;

impl Protocol for Quic {
    type Params = QuicParams;
    type Sender = QuicSender;
    type Receiver = QuicReceiver;

    fn packet(params: &QuicParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }

    fn codepoint(params: &QuicParams) -> Ecn {
        if params.ecn {
            Ecn::Ect0
        } else {
            Ecn::NotEct
        }
    }
}

pdus!(QuicData: number, sent; QuicAck: number, echo);

/// Frames of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// The handshake.
    Handshake,
    /// A full packet of stream data: the piece with this number, from 0.
    Stream(u32),
    /// Nothing but a request for an ACK.
    Ping,
}

/// A packet from the sender; each elicits an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuicData {
    /// Packet number, from 0; never used twice.
    pub number: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
    /// Its frames.
    pub frames: Frames,
}

/// A packet with an ACK frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuicAck {
    /// Number of the packet that carries it, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the largest packet acknowledged.
    pub echo: Time,
    /// Packets received, highest first.
    pub ranges: Ranges,
    /// Time from the arrival of the largest packet to this ACK.
    pub delay: Span,
    /// Packets received with CE.
    pub ce: u32,
}
