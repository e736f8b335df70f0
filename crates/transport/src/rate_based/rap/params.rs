//! The options of RAP.

use crate::segment::require_packet;
use units::param::{Check, Preset, Problem, Range};
use units::{Bytes, Span};

units::params! {
    /// A RAP flow: the options of its sender and its receiver.
    pub struct RapParams {
        /// Payload of a data packet.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(40) => { source: "IP, UDP and RTP (RFC 3550)", assumed: true },
        /// Bytes of an ACK on the wire.
        ack_size: Bytes = Bytes(44) => { range: Range::Positive, source: "ns-2", assumed: true },
        /// Additive increase: packets per round trip, each round trip.
        alpha: f64 = 1.0 => { unit: "segments", range: Range::Positive, source: "RHE99" },
        /// Multiplicative decrease: share of the rate left by a loss.
        beta: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "RHE99" },
        /// Fine-grain adaptation: the packet gap follows the RTT between steps.
        fine_grain: bool = false => { source: "RHE99: with and without" },
        /// Weight of a sample in the short-term mean RTT (`fine_grain`).
        short_weight: f64 = 0.9 => { range: Range::Above(0.0, 1.0), source: "ns-2 kfrtt_" },
        /// Weight of a sample in the long-term mean RTT (`fine_grain`).
        long_weight: f64 = 0.01 => { range: Range::Above(0.0, 1.0), source: "ns-2 kxrtt_" },
        /// Gap between packets before the first ACK.
        first_gap: Span = Span::from_millis(2000) => { range: Range::Positive, source: "ns-2 ipg_" },
        /// The first ACK releases the next packet; otherwise the initial timers keep running.
        start_on_ack: bool = true => { assumed: true },
        /// Timeout and step interval before the first ACK.
        first_timeout: Span = Span::from_millis(2000) => { range: Range::Positive, source: "ns-2 timeout_, srtt_" },
        /// Weight of a sample in the smoothed RTT and its deviation.
        weight: f64 = 0.5 => { range: Range::Above(0.0, 1.0), source: "ns-2 delta_" },
        /// Round trips in the timeout.
        timeout_rtts: f64 = 1.2 => { unit: "1", range: Range::Positive, source: "ns-2 mu_" },
        /// Deviations in the timeout.
        timeout_deviations: f64 = 4.0 => { unit: "1", range: Range::Within(0.0, 100.0), source: "ns-2 phi_" },
        /// Share of a round trip's packets that must be sent for the rate to grow.
        used_share: f64 = 0.5 => { unit: "1", range: Range::Within(0.0, 1.0), source: "ns-2 dpthresh_" },
        /// Packets received above a missing one after which it counts as lost.
        loss_after: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "RHE99" },
    }
}

impl Check for RapParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset { name: "paper", doc: "Rejaie, Handley and Estrin (1999), without fine-grain adaptation.", options: &[] },
    Preset {
        name: "paper-fine",
        doc: "The same with fine-grain adaptation.",
        options: &[("fine_grain", "true")],
    },
    Preset {
        name: "ns2-2.35",
        doc: "The defaults of ns-2.35 (2011): 512 bytes on the wire, and a first packet every 2 s regardless of ACKs.",
        options: &[("mss", "468 B"), ("headers", "44 B"), ("start_on_ack", "false")],
    },
];
