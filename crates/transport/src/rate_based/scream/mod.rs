//! SCReAM, self-clocked rate adaptation for multimedia: a congestion window that follows the queueing delay, and a
//! target rate for the video coder.
//!
//! *Reference*: RFC8298; SCREAMV2 for `ecn_response = "l4s"`.
//! *Units*: bytes of payload, bits per second, seconds.
//! *Deviations*: one stream; packets of one size; without a live source a coder of exact rate makes the packets; a
//! missing feedback counts as loss after a timeout, which the RFC leaves to its circuit breaker.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`delay`] | queueing delay, its trend, and the target that competing flows raise |
//! | [`window`] | the congestion window and the send window |
//! | [`l4s`] | the response to the share of marked packets |
//! | [`media`] | the target rate of the video coder |
//! | [`arrivals`] | packets in flight: acknowledged, reordered, lost |
//! | [`sender`], [`receiver`] | the two ends |

pub mod arrivals;
pub mod delay;
pub mod l4s;
pub mod media;
pub mod params;
pub mod receiver;
pub mod sender;
pub mod window;

pub use params::ScreamParams;
pub use receiver::ScreamReceiver;
pub use sender::ScreamSender;

use crate::rate_based::common::{pdus, Protocol};
use params::ScreamEcn;
use units::{Bytes, Ecn, Span, Time};

/// SCReAM.
pub struct Scream;

impl Protocol for Scream {
    type Params = ScreamParams;
    type Sender = ScreamSender;
    type Receiver = ScreamReceiver;

    fn packet(params: &ScreamParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }

    fn codepoint(params: &ScreamParams) -> Ecn {
        match (params.ecn, params.ecn_response) {
            (false, _) => Ecn::NotEct,
            (true, ScreamEcn::Classic) => Ecn::Ect0,
            (true, ScreamEcn::L4s) => Ecn::Ect1,
        }
    }
}

pdus!(ScreamData: seq, sent; ScreamReport: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreamData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
}

/// Words of the list of received packets.
pub const WORDS: usize = 4;
/// Packets that a feedback names.
pub const NAMED: u32 = 64 * WORDS as u32;

/// RTCP feedback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreamReport {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the packet with the highest sequence number.
    pub echo: Time,
    /// Its arrival time at the receiver.
    pub arrived: Time,
    /// Delay at the receiver between that arrival and the feedback.
    pub held: Span,
    /// Highest sequence number received.
    pub highest: u32,
    /// Bit `k`: packet `highest - k` was received.
    pub received: [u64; WORDS],
    /// Packets marked with Congestion Experienced so far.
    pub marked: u64,
}

impl ScreamReport {
    /// Whether it names a packet as received.
    pub fn covers(&self, seq: u32) -> bool {
        let Some(below) = self.highest.checked_sub(seq).filter(|below| *below < NAMED) else { return false };
        self.received[(below / 64) as usize] >> (below % 64) & 1 == 1
    }
}
