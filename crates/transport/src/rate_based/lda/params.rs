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
        /// Rate of payload at the start.
        initial_rate: Rate = Rate(100_000) => { range: Range::Positive, assumed: true },
        /// What a report without losses first adds to the rate; a loss returns to it.
        increase: Rate = Rate(10_000) => { range: Range::Positive, source: "SW00" },
        /// Packets from one pair to the next that shows the rate of the bottleneck.
        pair_every: u64 = 16 => { unit: "segments", range: Range::Within(2.0, 1e6), assumed: true },
        /// Packets the equation supposes an acknowledgement of TCP to cover.
        b: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 4.0), source: "PFTK98" },
        /// Reports that stay away before the rate is halved, and halved again.
        silence_reports: u64 = 3 => { range: Range::Within(1.0, 100.0), assumed: true },
        /// Greatest distance of packets.
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

/// Every profile, in the order to show them.
pub const PROFILES: &[Preset] = &[
    Preset { name: "paper", doc: "Sisalem and Wolisz (2000): a report each 5 s.", options: &[] },
    Preset {
        name: "quick",
        doc: "The same with a report each second, as RFC 3550 allows where the rate pays for it.",
        options: &[("report_every", "1 s")],
    },
];
