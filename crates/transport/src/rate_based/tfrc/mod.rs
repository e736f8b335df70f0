//! TCP-friendly rate control (TFRC): a rate, computed by the sender from the loss event rate that the
//! receiver reports, that stays near what TCP would reach on the same path.
//!
//! *Reference*: RFC 5348; Floyd, Handley, Padhye and Widmer 2000 ("Equation-based congestion control").
//! *Units*: rates are bytes of payload a second, times of the equation seconds, intervals packets.
//! *Deviations*: a packet is a sequence number, as in [`crate::segment`].
//!
//! Both ends are driven as [`crate::rate_based::common`] says. They exchange [`TfrcData`] and [`TfrcFeedback`].
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
use units::{Bytes, Span, Time};

/// TFRC.
pub struct Tfrc;

impl Protocol for Tfrc {
    type Params = TfrcParams;
    type Sender = TfrcSender;
    type Receiver = TfrcReceiver;

    fn packet(params: &TfrcParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
    fn capable(params: &TfrcParams) -> bool {
        params.ecn
    }
}

pdus!(TfrcData: seq, sent; TfrcFeedback: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcData {
    /// Its number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// When it left the sender.
    pub sent: Time,
    /// The sender's estimate of the round trip in seconds, once it has one: a mean, so not in whole nanoseconds.
    pub rtt: Option<f64>,
    /// The sender's timeout as the equation takes it.
    pub t_rto: Span,
    /// Rounds of feedback the sender has seen.
    pub round: u32,
    /// The sender waits for feedback and wants it at once.
    pub urgent: bool,
}

/// A report of the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcFeedback {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// When the last packet received had left the sender.
    pub echo: Time,
    /// For how many seconds the receiver held that packet before it reported.
    pub held: f64,
    /// Loss event rate.
    pub p: f64,
    /// Rate received, in bytes of payload a second.
    pub x_recv: f64,
}

impl TfrcFeedback {
    /// The round trip it shows when it arrives, in seconds: without the time the receiver held what it answers.
    fn round_trip(&self, now: Time) -> f64 {
        if now.is_double() {
            return now.secs_since(self.echo) - self.held;
        }
        now.since(self.echo + Span::from_secs(self.held)).as_secs()
    }
}

#[cfg(test)]
mod conformance;
