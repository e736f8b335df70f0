//! The rate adaptation protocol (RAP): additive increase and multiplicative decrease of a rate instead of a window.
//!
//! *Reference*: RHE99, as it is remembered; what ns-2.35 does where an option says so, found by experiment.
//! *Units*: gaps and round trips of the control in seconds, rates in bytes of payload a second.
//! *Deviations*: none beyond those of [`crate::rated`].
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

pub use params::Params;
pub use receiver::Receiver;
pub use sender::Sender;

use crate::rated::{pieces, Protocol};
use units::{Bytes, Time};

/// RAP.
pub struct Rap;

impl Protocol for Rap {
    type Params = Params;
    type Sender = Sender;
    type Receiver = Receiver;

    fn packet(params: &Params) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pieces!(Data: seq, sent; Report: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Data {
    /// Its number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// When it left the sender.
    pub sent: Time,
}

/// An acknowledgement: of one packet, with what is known of the last gap, so that a lost one is made good by the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// When the packet it answers had left the sender.
    pub echo: Time,
    /// The packet it answers.
    pub seq: u32,
    /// The highest packet received.
    pub highest: u32,
    /// The last packet missing below it, and the last received below that, if there are any.
    pub missing: Option<(u32, Option<u32>)>,
}

impl Report {
    /// Whether it says that a packet has come.
    pub fn covers(&self, seq: u32) -> bool {
        let above = match self.missing {
            None => seq <= self.highest,
            Some((missing, before)) => (missing < seq && seq <= self.highest) || before == Some(seq),
        };
        above || seq == self.seq
    }
}
