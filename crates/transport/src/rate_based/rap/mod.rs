//! The rate adaptation protocol (RAP): additive increase and multiplicative decrease of a rate instead of a
//! window.
//!
//! *Reference*: the abstract of RHE99; options of ns-2.35 follow its observed behaviour.
//! *Units*: gaps and round trips of the control in seconds, rates in bytes of payload a second.
//! *Deviations*: none beyond those of [`crate::rate_based::common`].
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`clock`] | round trip, timeout and the two means of fine-grain adaptation |
//! | [`sender`], [`receiver`] | the two ends |

pub mod clock;
pub mod params;
pub mod receiver;
pub mod sender;

pub use params::RapParams;
pub use receiver::RapReceiver;
pub use sender::RapSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Time};

/// RAP.
pub struct Rap;

impl Protocol for Rap {
    type Params = RapParams;
    type Sender = RapSender;
    type Receiver = RapReceiver;

    fn packet(params: &RapParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pdus!(RapData: seq, sent; RapAck: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RapData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
}

/// ACK of one packet, with the state of the last gap, so that the next ACK replaces a lost one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RapAck {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the packet it acknowledges.
    pub echo: Time,
    /// The packet it acknowledges.
    pub seq: u32,
    /// The highest packet received.
    pub highest: u32,
    /// The last missing packet below it, and the last received below that, if any.
    pub missing: Option<(u32, Option<u32>)>,
}

impl RapAck {
    /// Whether it reports that a packet arrived.
    pub fn covers(&self, seq: u32) -> bool {
        let above = match self.missing {
            None => seq <= self.highest,
            Some((missing, before)) => (missing < seq && seq <= self.highest) || before == Some(seq),
        };
        above || seq == self.seq
    }
}
