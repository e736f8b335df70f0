//! GCC, Google congestion control for real-time video: a rate that follows the change of the one-way delay and the
//! losses.
//!
//! *Reference*: GCC02.
//! *Units*: milliseconds in the filter, bits of payload per second in the rate control.
//! *Deviations*: one stream; packets of one size; without a live source a coder of exact rate makes the packets; the
//! rate halves where feedback stays away, which the draft leaves open.
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | the options, and the profiles that fill them |
//! | [`groups`] | packets that count as one group, and the change of the delay between groups |
//! | [`filter`] | the Kalman filter of that change |
//! | [`detector`] | the adaptive threshold, and the signal |
//! | [`rate`] | the delay-based rate: increase, hold, decrease |
//! | [`control`] | the four together |
//! | [`pacer`] | packets that leave in groups |
//! | [`sender`], [`receiver`] | the two ends; the loss-based rate is the sender's |

pub mod control;
pub mod detector;
pub mod filter;
pub mod groups;
pub mod pacer;
pub mod params;
pub mod rate;
pub mod receiver;
pub mod sender;

pub use params::GccParams;
pub use receiver::GccReceiver;
pub use sender::GccSender;

use crate::rate_based::common::{pdus, Protocol};
use units::{Bytes, Span, Time};

/// GCC.
pub struct Gcc;

impl Protocol for Gcc {
    type Params = GccParams;
    type Sender = GccSender;
    type Receiver = GccReceiver;

    fn packet(params: &GccParams) -> (Bytes, Bytes) {
        (params.mss, params.headers)
    }
}

pdus!(GccData: seq, sent; GccReport: number, echo);

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GccData {
    /// Sequence number, from 0.
    pub seq: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Send time (abs-send-time).
    pub sent: Time,
    /// Round-trip time that the sender measured last, for a controller at the receiver.
    pub rtt: Span,
}

/// Packets that a report names.
pub const NAMED: usize = 16;

/// A report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GccReport {
    /// Sequence number, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Send time of the last packet that arrived.
    pub echo: Time,
    /// Delay at the receiver between that arrival and the report.
    pub held: Span,
    /// Packets sent so far, as the highest sequence number shows, and those received.
    pub expected: u32,
    /// Packets received so far.
    pub received: u32,
    /// Rate that the receiver allows (REMB), in bits per second, if the controller runs there.
    pub allowed: Option<f64>,
    /// Send and arrival times since the last report, if the controller runs at the sender.
    pub arrivals: [(Time, Time); NAMED],
    /// How many of them there are.
    pub named: u8,
}
