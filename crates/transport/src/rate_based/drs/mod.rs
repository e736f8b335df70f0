//! The transport of dynamic rate shaping (DRS): TCP's congestion window, and no retransmissions.
//!
//! *Reference*: JE98, from its abstract: video that is shaped to the rate of "TCP congestion control without
//! retransmission"; RFC5681 for the window, RFC6298 for its timer.
//! *Units*: packets; the rate is in bytes of payload a second.
//! *Deviations*: assumed, as the text of JE98 was not available: an acknowledgement lists the packets received
//! among the last 64, so that lost acknowledgements have no effect; the window grows only where it limits the
//! sender (RFC7661 section 4).
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`sender`] | the window, the losses, the timer |
//! | [`receiver`] | an acknowledgement for each packet |

pub mod params;
pub mod receiver;
pub mod sender;

pub use params::DrsParams;
pub use receiver::DrsReceiver;
pub use sender::DrsSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Time};

/// The transport of dynamic rate shaping.
pub struct Drs;

impl Protocol for Drs {
    type Params = DrsParams;
    type Sender = DrsSender;
    type Receiver = DrsReceiver;

    fn packet(params: &DrsParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pdus!(DrsData: seq, sent; DrsAck: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrsData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
}

/// ACK of one packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrsAck {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the packet that caused it.
    pub echo: Time,
    /// The highest packet received.
    pub highest: u32,
    /// The packets received among the last 64: bit `k` is packet `highest - k`.
    pub received: u64,
}

impl DrsAck {
    /// Whether it reports that a packet arrived.
    pub fn covers(&self, seq: u32) -> bool {
        let below = self.highest.wrapping_sub(seq);
        seq <= self.highest && below < 64 && self.received >> below & 1 == 1
    }
}
