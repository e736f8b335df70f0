//! The options of LDA+.

use crate::segment::require_packet;
use units::param::{Check, Preset, Problem, Range};
use units::{Bytes, Rate, Span};

units::params! {
    /// An LDA+ flow: the options of its sender and its receiver.
    pub struct LdaParams {
        /// Payload of a data packet.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(40) => { source: "IP, UDP and RTP (RFC 3550)", assumed: true },
        /// Bytes of a report on the wire.
        report_size: Bytes = Bytes(80) => { range: Range::Positive, source: "IP, UDP and a receiver report (RFC 3550) with the fields of LDA+", assumed: true },
        /// Time between reports.
        report_every: Span = Span::from_millis(5000) => { range: Range::Positive, source: "RFC 3550 section 6.2" },
        /// Initial payload rate.
        initial_rate: Rate = Rate(100_000) => { range: Range::Positive, assumed: true },
        /// Initial additive increase per report without losses; a loss resets it.
        increase: Rate = Rate(10_000) => { range: Range::Positive, source: "SW00" },
        /// Packets between packet pairs, which measure the bottleneck rate.
        pair_every: u64 = 16 => { unit: "segments", range: Range::Within(2.0, 1e6), assumed: true },
        /// Segments per ACK that the TCP equation assumes.
        b: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 4.0), source: "PFTK98" },
        /// Missing reports after which the rate is halved, repeatedly.
        silence_reports: u64 = 3 => { range: Range::Within(1.0, 100.0), assumed: true },
        /// Maximum gap between packets.
        most_gap: Span = Span::from_millis(64_000) => { range: Range::Positive, source: "RFC 5348 section 4.3", assumed: true },
    }
}

impl Check for LdaParams {
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
    Preset { name: "paper", doc: "Sisalem and Wolisz (2000): a report every 5 s.", options: &[] },
    Preset {
        name: "quick",
        doc: "The same with a report per second, as RFC 3550 allows at sufficient rates.",
        options: &[("report_every", "1 s")],
    },
];
