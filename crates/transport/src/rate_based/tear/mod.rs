//! TEAR, TCP emulation at receivers: the receiver emulates the window of a TCP sender, converts it to a rate,
//! averages it and reports it to the sender.
//!
//! *Reference*: ROY00, from memory; uncertain parts are marked *assumed* at the option or below.
//! *Units*: windows in packets, rates in bytes of payload per second.
//! *Deviations*: assumed: the sender estimates the RTT and sends it in each packet; it halves its rate after
//! four round trips without a report.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`emulator`] | the window of the emulated TCP sender |
//! | [`epochs`] | the mean of its rate over epochs |
//! | [`sender`], [`receiver`] | the two ends |

pub mod emulator;
pub mod epochs;
pub mod params;
pub mod receiver;
pub mod sender;

pub use params::TearParams;
pub use receiver::TearReceiver;
pub use sender::TearSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Span, Time};

/// TEAR.
pub struct Tear;

impl Protocol for Tear {
    type Params = TearParams;
    type Sender = TearSender;
    type Receiver = TearReceiver;

    fn packet(params: &TearParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pdus!(TearData: seq, sent; TearReport: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TearData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
    /// The sender's RTT estimate, if it has one.
    pub rtt: Option<Span>,
}

/// Report with the requested rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TearReport {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the last packet received.
    pub echo: Time,
    /// Delay at the receiver between that packet and the report.
    pub held: Span,
    /// Requested rate, if there is one yet.
    pub rate: Option<f64>,
    /// The emulated window.
    pub cwnd: f64,
}
