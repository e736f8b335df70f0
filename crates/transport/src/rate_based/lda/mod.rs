//! LDA+, the enhanced loss-delay based adaptation: a rate that follows the reports RTP makes anyway, a few seconds apart.
//!
//! *Reference*: SW00, as it is remembered; RFC3550 for the reports.
//! *Units*: rates in bytes of payload a second.
//! *Deviations*: assumed: reports come at equal distances; the link's rate is the median over pairs of packets.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`control`] | from a report to the next rate |
//! | [`sender`], [`receiver`] | the two ends |

pub mod control;
pub mod params;
pub mod receiver;
pub mod sender;

pub use params::LdaParams;
pub use receiver::LdaReceiver;
pub use sender::LdaSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Span, Time};

/// LDA+.
pub struct Lda;

impl Protocol for Lda {
    type Params = LdaParams;
    type Sender = LdaSender;
    type Receiver = LdaReceiver;

    fn packet(params: &LdaParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pdus!(LdaData: seq, sent; LdaReport: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LdaData {
    /// Its number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// When it left the sender.
    pub sent: Time,
    /// It left right behind the one before, to show the rate of the bottleneck.
    pub pair: bool,
}

/// A receiver report of RTCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LdaReport {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// When the last packet received had left the sender.
    pub echo: Time,
    /// How long the receiver held that packet before it reported.
    pub held: Span,
    /// Share of packets lost since the last report.
    pub loss: f64,
    /// Time since the last report.
    pub interval: Span,
    /// Rate of the bottleneck in bytes a second, once pairs have shown it.
    pub bottleneck: Option<f64>,
}
