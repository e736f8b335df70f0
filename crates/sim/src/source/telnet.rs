//! Keystrokes at a terminal: small segments over one TCP connection, at times that do not depend on the network.
//!
//! *Reference*: PF95: times between the packets of a terminal session have a heavy tail, which an exponential law
//! misses; a Pareto law with shape 0.95 fits the upper tail. ns-2's telnet source draws them exponential with mean 1 s.
//! *Deviations*: the echo of the far end is not simulated; keys that are pressed while the window is closed are not
//! joined.

use super::action::AppAction;
use units::param::{Check, Distribution, DistributionShape, Preset, Range};
use units::{params, Bytes, Span, Stream};

const MODELS: &[Preset] = &[
    Preset { name: "ns2", doc: "Exponential, a second on average.", options: &[] },
    Preset {
        name: "heavy",
        doc: "Pareto with the shape of the tail in PF95, 0.95. The least time of 100 ms and the cut at 1000 s are choices.",
        options: &[("gap", "pareto from 100 ms shape 0.95 up to 1000 s")],
    },
];

params! {
    /// A terminal session.
    pub struct Telnet {
        /// Time between two keys.
        gap: Distribution<Span> = Distribution::of(DistributionShape::Exponential(1.0)) => { source: "ns-2 telnet" },
        /// Payload that a key makes; it is the segment size of the connection.
        key: Bytes = Bytes(1) => { range: Range::Within(1.0, 65_535.0), source: "RFC 896", assumed: true },
    }
}

impl Check for Telnet {
    const PRESET_KEY: &'static str = "model";

    fn presets() -> &'static [Preset] {
        MODELS
    }
}

/// The state of a terminal session.
#[derive(Clone, Debug, Default)]
pub struct TelnetUser {
    connected: bool,
}

impl TelnetUser {
    /// Reports that the next key is pressed.
    pub fn next_action(&mut self, plan: &Telnet, rng: &mut Stream) -> AppAction {
        let fresh = !std::mem::replace(&mut self.connected, true);
        AppAction::Type { bytes: plan.key.0, fresh, span: plan.gap.draw(rng).max(Span(1)) }
    }
}
