//! When the packets of an open-loop source leave.

use super::plugin::SourceSpec;
use super::replay::Recording;
use std::sync::Arc;
use units::{Bytes, Rate, Span};

/// An open-loop source: constant rate while on.
#[derive(Clone, Debug, PartialEq)]
pub struct UdpPlan {
    /// Rate while on, counted on the wire.
    pub rate: Rate,
    /// Packet size on the wire; the mean, where sizes differ.
    pub packet: Bytes,
    /// Headers in a packet.
    pub headers: Bytes,
    /// On and off periods; `None` is always on.
    pub bursts: Option<Bursts>,
    /// Each gap between packets is scaled by a uniform factor in `1 ± jitter`; zero is strictly periodic,
    /// one-or-more is refused. With `exponential` gaps the source is Poisson instead.
    pub gaps: Gaps,
}

impl UdpPlan {
    /// Returns the plan of a plug-in's source; headers are those of IPv4 and UDP.
    pub(crate) fn of_plugin(spec: &SourceSpec) -> UdpPlan {
        let (packet, rate) = spec.typical();
        UdpPlan { rate, packet, headers: Bytes(28), bursts: None, gaps: Gaps::Plugin(spec.clone()) }
    }
}

/// Gaps between the packets of an open-loop source.
#[derive(Clone, Debug, PartialEq)]
pub enum Gaps {
    /// All equal.
    Constant,
    /// Scaled by a uniform factor in `1 - j … 1 + j`.
    Jittered(f64),
    /// Exponential: a Poisson source.
    Exponential,
    /// Exponential gaps and exponential sizes (mean `packet`), for comparison with M/M/1.
    ExponentialSizes,
    /// Times and sizes of a recording.
    Recorded(Arc<Recording>),
    /// Times and sizes of a plug-in.
    Plugin(SourceSpec),
}

/// Lengths of on and off periods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// Mean on time.
    pub on: Span,
    /// Mean off time.
    pub off: Span,
    /// Pareto shape of both, or `None` for exponential.
    pub shape: Option<f64>,
}
