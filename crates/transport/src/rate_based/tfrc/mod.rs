//! TCP-friendly rate control (TFRC): the sender computes its rate from the loss event rate that the receiver
//! reports, close to the throughput of TCP on the same path.
//!
//! *Reference*: RFC 5348; Floyd, Handley, Padhye and Widmer 2000 ("Equation-based congestion control").
//! *Units*: rates in bytes of payload per second, times of the equation in seconds, intervals in packets.
//! *Deviations*: a packet is a sequence number, as in [`crate::segment`].
//!
//! Both endpoints are driven as in [`crate::rate_based::common`]. They exchange [`TfrcData`] and
//! [`TfrcFeedback`].
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`clock`] | round trip and timeout as the sender sees them |
//! | [`equation`] | throughput for a loss event rate, and back |
//! | [`loss`] | loss events and their intervals |
//! | [`sender`], [`receiver`] | the two endpoints |

pub mod clock;
pub mod equation;
pub mod loss;
pub mod params;
mod protocol;
pub mod receiver;
pub mod sender;

pub use params::TfrcParams;
pub use receiver::TfrcReceiver;
pub use sender::TfrcSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Ecn, Span, Time};

/// TFRC.
pub struct Tfrc;

impl Protocol for Tfrc {
    type Params = TfrcParams;
    type Sender = TfrcSender;
    type Receiver = TfrcReceiver;

    fn packet(params: &TfrcParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
    fn codepoint(params: &TfrcParams) -> Ecn {
        if params.ecn {
            Ecn::Ect0
        } else {
            Ecn::NotEct
        }
    }
}

pdus!(TfrcData: seq, sent; TfrcFeedback: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time.
    pub sent: Time,
    /// The sender's RTT estimate in seconds, if it has one: a mean, hence not in whole nanoseconds.
    pub rtt: Option<f64>,
    /// The sender's timeout in the equation.
    pub t_rto: Span,
    /// Feedback rounds at the sender.
    pub round: u32,
    /// The sender requests feedback at once.
    pub urgent: bool,
}

/// Feedback packet of the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcFeedback {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the last packet received.
    pub echo: Time,
    /// Seconds between the arrival of that packet and the report.
    pub held: f64,
    /// Loss event rate.
    pub p: f64,
    /// Receive rate, in bytes of payload per second.
    pub x_recv: f64,
}

impl TfrcFeedback {
    /// RTT sample in seconds: excludes the delay at the receiver.
    fn round_trip(&self, now: Time) -> f64 {
        if now.is_double() {
            return now.secs_since(self.echo) - self.held;
        }
        now.since(self.echo + Span::from_secs(self.held)).as_secs()
    }
}

#[cfg(test)]
mod conformance;
