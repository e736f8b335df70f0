//! Settings of a link and of the paths of its flows.
//!
//! Units: rates in bit/s, delays in nanoseconds, sizes in bytes.

use queue::{Setting, Spec};
use units::{Bytes, Rate, Span};

/// Settings of a link; all of them can change while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// Discipline with its parameters.
    pub spec: Spec,
    /// Rate of the transmitter; zero is unlimited.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Size of a typical packet, for the automatic parameters of the discipline.
    pub packet: Bytes,
    /// Whether the packet being transmitted counts as part of the queue.
    pub counts_wire: bool,
}

impl LinkSettings {
    /// Returns the setting from which the discipline derives its automatic parameters.
    pub fn setting(&self) -> Setting {
        Setting { rate: self.rate, delay: self.delay, packet: self.packet }
    }
}

/// The links of one flow on either side of the bottleneck: each with a rate (zero: unlimited) and a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkPath {
    /// From the source to the queue.
    pub access: (Rate, Span),
    /// From the wire to the destination.
    pub exit: (Rate, Span),
}
