//! The options of DRS's transport.

use crate::segment::require_packet;
use units::param::{require, Check, Param, Preset, Problem, Range};
use units::{Bytes, Span};

units::params! {
    /// A flow of DRS's transport: the options of its sender and its receiver.
    pub struct DrsParams {
        /// Payload of a data packet.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(40) => { source: "IP, UDP and RTP (RFC 3550)", assumed: true },
        /// Bytes of an ACK on the wire.
        ack_size: Bytes = Bytes(52) => { range: Range::Positive, assumed: true },
        /// Congestion window at the start.
        initial_cwnd: f64 = 1.0 => { unit: "segments", range: Range::Within(1.0, 1e6), source: "JE98, as TCP of its time" },
        /// Slow start threshold at the start.
        initial_ssthresh: f64 = 64.0 => { unit: "segments", range: Range::Within(2.0, 1e9), source: "RFC2581: at most 64 kB" },
        /// Largest congestion window.
        max_cwnd: f64 = 1e6 => { unit: "segments", range: Range::Within(2.0, 1e9), assumed: true },
        /// Additive increase in congestion avoidance.
        alpha: f64 = 1.0 => { unit: "segments", range: Range::Positive, source: "RFC5681" },
        /// Share of the window left by a loss.
        beta: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "RFC5681" },
        /// Packets received above a missing one after which it counts as lost.
        loss_after: u64 = 3 => { range: Range::Within(1.0, 64.0), source: "RFC5681: three duplicate ACKs" },
        /// The window grows only where it limits the sender, not the source.
        validate: bool = true => { source: "RFC7661 section 4" },
        /// Timeout before the first RTT sample.
        first_timeout: Span = Span::from_millis(1000) => { range: Range::Positive, source: "RFC6298" },
        /// Smallest timeout.
        min_timeout: Span = Span::from_millis(1000) => { range: Range::Positive, source: "RFC6298" },
        /// Largest timeout.
        max_timeout: Span = Span::from_millis(60_000) => { range: Range::Positive, source: "RFC6298" },
    }
}

impl Check for DrsParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
        let rule = format!("must not exceed max_timeout ({})", self.max_timeout.show());
        let ordered = self.min_timeout <= self.max_timeout;
        require(problems, ordered, "min_timeout", self.min_timeout.show(), rule, "");
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset { name: "paper", doc: "Jacobs and Eleftheriadis (1998): the window of TCP Reno.", options: &[] },
    Preset {
        name: "today",
        doc: "Initial window of RFC 6928 and Linux's smallest timeout.",
        options: &[("initial_cwnd", "10"), ("initial_ssthresh", "1e9"), ("min_timeout", "200 ms")],
    },
];
