//! The options of TEAR.

use crate::segment::require_packet;
use units::param::{Check, Preset, Problem, Range};
use units::{Bytes, Span};

units::params! {
    /// A TEAR flow: the options of its sender and its receiver.
    pub struct TearParams {
        /// Payload of a data packet.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(40) => { source: "IP, UDP and RTP (RFC 3550)", assumed: true },
        /// Bytes of a report on the wire.
        report_size: Bytes = Bytes(40) => { range: Range::Positive, assumed: true },
        /// Initial emulated window, in packets.
        initial_window: f64 = 2.0 => { range: Range::Within(1.0, 1000.0), source: "RFC 2581", assumed: true },
        /// Packets received above a missing one after which the emulated sender retransmits.
        loss_after: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "ROY00; RFC 5681" },
        /// Epochs in the mean, with TFRC's weights.
        epochs: u64 = 8 => { range: Range::Within(1.0, 64.0), source: "ROY00" },
        /// Duration of an emulated timeout in round trips; it counts in the rate.
        timeout_rtts: f64 = 4.0 => { range: Range::Positive, source: "RFC 5348 section 3.1", assumed: true },
        /// A lower rate is reported at once; otherwise with the next regular report.
        urgent_cuts: bool = true => { source: "ROY00" },
        /// Round trips between regular reports.
        report_rtts: f64 = 1.0 => { unit: "1", range: Range::Positive, assumed: true },
        /// Weight of the old estimate in the smoothed RTT.
        rtt_filter: f64 = 0.875 => { range: Range::Within(0.0, 0.9999), source: "RFC 6298", assumed: true },
        /// Gap between packets before the first report.
        first_gap: Span = Span::from_millis(1000) => { range: Range::Positive, assumed: true },
        /// Maximum gap between packets.
        most_gap: Span = Span::from_millis(64_000) => { range: Range::Positive, source: "RFC 5348 section 4.3", assumed: true },
    }
}

impl Check for TearParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] =
    &[Preset { name: "paper", doc: "Rhee, Ozdemir and Yi (2000).", options: &[] }];
