//! LDA+, the enhanced loss-delay based adaptation: a rate that follows RTCP receiver reports, a few seconds
//! apart.
//!
//! *Reference*: SW00, from memory; RFC3550 for the reports.
//! *Units*: rates in bytes of payload per second.
//! *Deviations*: assumed: reports have constant intervals; the bottleneck rate is the median over packet
//! pairs.
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
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
    /// It left back to back with the packet before, to measure the bottleneck rate.
    pub pair: bool,
}

/// RTCP receiver report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LdaReport {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the last packet received.
    pub echo: Time,
    /// Delay at the receiver between that packet and the report.
    pub held: Span,
    /// Loss rate since the last report.
    pub loss: f64,
    /// Time since the last report.
    pub interval: Span,
    /// Bottleneck rate in bytes per second, once packet pairs have measured it.
    pub bottleneck: Option<f64>,
}
