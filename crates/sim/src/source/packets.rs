//! The keys of UDP flows and of the sources that send packets of one size at a rate.

use super::datagrams::{Bursts, Gaps, UdpPlan};
use units::param::{require, Check, Param, Problem, Range};
use units::{choices, params, Bytes, Rate, Span};

choices! {
    /// The unit of a rate.
    pub enum RateOf {
        /// Bytes on the wire.
        Wire = "wire",
        /// Payload only.
        Payload = "payload",
    }
}

params! {
    /// Packets of a UDP flow.
    pub struct Udp {
        /// Rate while sending.
        rate: Rate = Rate(1_000_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// The unit of `rate`.
        rate_of: RateOf = RateOf::Wire,
        /// Size of a packet on the wire, headers included.
        packet: Bytes = Bytes(500) => { range: Range::Within(1.0, 65_535.0), source: "dropcurve", assumed: true },
        /// Headers in it.
        headers: Bytes = Bytes(28) => { source: "IPv4 20 and UDP 8 (RFC 791, RFC 768)" },
    }
}

impl Check for Udp {
    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.headers < self.packet,
            "packet",
            self.packet.show(),
            format!("must exceed headers ({})", units::quantity::show_bytes(self.headers)),
            "packet counts bytes on the wire, headers included",
        );
    }
}

impl Udp {
    /// Packets with these gaps and bursts.
    pub(super) fn plan(&self, gaps: Gaps, bursts: Option<Bursts>) -> UdpPlan {
        let rate = match self.rate_of {
            RateOf::Wire => self.rate,
            RateOf::Payload => {
                let payload = self.packet - self.headers;
                let wire = u128::from(self.rate.0) * u128::from(self.packet.0) / u128::from(payload.0);
                Rate(u64::try_from(wire).unwrap_or(u64::MAX))
            }
        };
        UdpPlan { rate, packet: self.packet, headers: self.headers, bursts, gaps }
    }
}

pub(super) fn jittered(jitter: f64) -> Gaps {
    if jitter > 0.0 {
        Gaps::Jittered(jitter)
    } else {
        Gaps::Constant
    }
}

params! {
    /// A constant rate.
    pub struct Cbr {
        /// Each gap is scaled by a uniform factor in 1 ± jitter, which breaks up phase effects.
        jitter: f64 = 0.0 => { unit: "1", range: JITTER },
    }
}

const JITTER: Range = Range::Within(0.0, 0.999);

impl Check for Cbr {}

params! {
    /// Bursts at a constant rate in turns with silence.
    pub struct Onoff {
        /// Mean length of a burst.
        on: Span = Span::from_millis(500) => { range: Range::Positive, source: "ns-2 exponential source" },
        /// Mean length of a silence.
        off: Span = Span::from_millis(500) => { range: Range::Positive, source: "ns-2 exponential source" },
        /// Pareto shape of both lengths; `"auto"` makes them exponential.
        shape: Option<f64> = None => { unit: "1", range: Range::Above(1.0, 100.0) },
        /// Each gap inside a burst is scaled by a uniform factor in 1 ± jitter.
        jitter: f64 = 0.0 => { unit: "1", range: JITTER },
    }
}

impl Check for Onoff {}

choices! {
    /// Sizes of packets.
    pub enum Sizes {
        /// All of size `packet`.
        Constant = "constant",
        /// Exponential with mean `packet`, as in M/M/1.
        Exponential = "exponential",
    }
}

params! {
    /// A Poisson process.
    pub struct Poisson {
        /// Sizes of its packets.
        sizes: Sizes = Sizes::Constant,
    }
}

impl Check for Poisson {}
