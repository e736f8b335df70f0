//! TCP emulation at receivers (TEAR): the receiver follows the window that a TCP sender would have, turns it into a rate,
//! averages that, and tells the sender.
//!
//! *Reference*: ROY00, as it is remembered; what is not certain is marked *assumed* with the option or below.
//! *Units*: windows in packets, rates in bytes of payload a second.
//! *Deviations*: assumed: the sender estimates the round trip and tells it with each packet; it halves its rate when four
//! round trips pass without a report.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`emulator`] | the window of the TCP sender that is imagined |
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
    /// Its number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// When it left the sender.
    pub sent: Time,
    /// The sender's estimate of the round trip, once it has one.
    pub rtt: Option<Span>,
}

/// What the receiver wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TearReport {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// When the last packet received had left the sender.
    pub echo: Time,
    /// How long the receiver held that packet before it reported.
    pub held: Span,
    /// The rate to send at, once there is one.
    pub rate: Option<f64>,
    /// The emulated window.
    pub cwnd: f64,
}
