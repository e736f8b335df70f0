//! The options of QUIC.

use super::ranges::MOST_RANGES;
use crate::cc::{Algorithm, ControlName};
use crate::params::Params;
use crate::segment::require_packet;
use units::param::{require, Check, Param, Preset, Problem, Range};
use units::{Bytes, Span};

units::choices! {
    /// Congestion control of QUIC.
    pub enum QuicControl {
        /// Additive increase, multiplicative decrease (RFC 9002 section 7).
        NewReno = "newreno",
        /// Cubic function of the time since the last reduction (RFC 9438).
        Cubic = "cubic",
        /// BBR version 1.
        Bbr = "bbr",
        /// BBR version 3.
        Bbr3 = "bbr3",
    }
}

units::choices! {
    /// Start of a connection.
    pub enum QuicStart {
        /// Data follows a handshake of one round trip.
        OneRtt = "1rtt",
        /// Data leaves at once, with the keys of an earlier connection.
        ZeroRtt = "0rtt",
    }
}

units::choices! {
    /// Contents of a probe after a probe timeout.
    pub enum QuicProbe {
        /// New data if there is any, otherwise the oldest data outstanding.
        New = "new",
        /// The oldest data outstanding.
        Oldest = "oldest",
    }
}

units::params! {
    /// A QUIC connection: the options of its sender and its receiver.
    pub struct QuicParams {
        /// Congestion control.
        cc: QuicControl = QuicControl::NewReno => { source: "RFC 9002 section 7" },
        /// Stream data in a full packet.
        mss: Bytes = Bytes(1436) => { range: Range::Positive, source: "1500-byte links" },
        /// Other bytes of a full packet on the wire.
        headers: Bytes = Bytes(64) => { source: "IPv4, UDP, short header, STREAM frame, AEAD tag", assumed: true },
        /// Bytes on the wire of a packet with an ACK of one range; each further range adds 4.
        ack_size: Bytes = Bytes(66) => { range: Range::Positive, source: "IPv4, UDP, short header, ACK frame, AEAD tag", assumed: true },
        /// Start of the connection.
        handshake: QuicStart = QuicStart::OneRtt => { source: "RFC 9001 section 4.1" },
        /// Initial congestion window.
        initial_window: u64 = 10 => { unit: "packets", range: Range::Within(1.0, 1e6), source: "RFC 9002 section 7.2" },
        /// Minimum congestion window (kMinimumWindow).
        min_window: u64 = 2 => { unit: "packets", range: Range::Within(1.0, 1e6), source: "RFC 9002 section 7.2" },
        /// Share of the window left by a loss or a mark with NewReno (kLossReductionFactor).
        loss_reduction: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "RFC 9002 section B.1" },
        /// Constant C of CUBIC.
        cubic_c: f64 = 0.4 => { unit: "segments/s^3", range: Range::Positive, source: "RFC 9438" },
        /// Share of the window left by a loss with CUBIC.
        cubic_beta: f64 = 0.7 => { range: Range::Between(0.0, 1.0), source: "RFC 9438" },
        /// Packets are ECN-capable, and a mark counts as a loss. BBR ignores marks.
        ecn: bool = false => { source: "RFC 9002 section 7.1" },
        /// Packets acknowledged above a missing one after which it counts as lost (kPacketThreshold).
        packet_threshold: u64 = 3 => { unit: "packets", range: Range::Within(1.0, 1e6), source: "RFC 9002 section 6.1.1" },
        /// Round trips after which a packet below one acknowledged counts as lost (kTimeThreshold).
        time_threshold: f64 = 1.125 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC 9002 section 6.1.2: 9/8" },
        /// Granularity of timers (kGranularity).
        granularity: Span = Span::from_millis(1) => { range: Range::Positive, source: "RFC 9002 section 6.1.2" },
        /// RTT before the first sample (kInitialRtt).
        initial_rtt: Span = Span::from_millis(333) => { range: Range::Positive, source: "RFC 9002 section 6.2.2" },
        /// Packets that a probe timeout releases.
        pto_probes: u64 = 2 => { unit: "packets", range: Range::Within(1.0, 2.0), source: "RFC 9002 section 6.2.4" },
        /// Contents of these packets.
        probe: QuicProbe = QuicProbe::New => { source: "RFC 9002 section 6.2.4" },
        /// Maximum probe timeout after backoff.
        max_pto: Span = Span::from_millis(60_000) => { range: Range::Positive, assumed: true },
        /// Probe timeouts whose packets, all lost, establish persistent congestion (kPersistentCongestionThreshold).
        persistent_threshold: u64 = 3 => { unit: "1", range: Range::Within(1.0, 1e6), source: "RFC 9002 section 7.6.1" },
        /// Packets are paced at the window per round trip; BBR has a pacing rate of its own.
        pacing: bool = true => { source: "RFC 9002 section 7.7" },
        /// Ratio of the pacing rate to the window per round trip.
        pacing_gain: f64 = 1.25 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC 9002 section 7.7" },
        /// Packets that may leave at once in spite of pacing.
        pacing_burst: u64 = 10 => { unit: "packets", range: Range::Within(1.0, 1e6), source: "RFC 9002 section 7.7: initial window" },
        /// Packets that arrive in order before one is acknowledged at once.
        ack_every: u64 = 2 => { unit: "packets", range: Range::Within(1.0, 1e6), source: "RFC 9000 section 13.2.2" },
        /// Maximum delay of an ACK (max_ack_delay).
        max_ack_delay: Span = Span::from_millis(25) => { source: "RFC 9000 section 18.2" },
        /// Maximum number of ranges in an ACK.
        ack_ranges: u64 = MOST_RANGES as u64 => { range: Range::Within(1.0, MOST_RANGES as f64), source: "RFC 9000 section 13.2.3", assumed: true },
    }
}

impl QuicParams {
    /// Options of TCP's control that the window follows; `None` for NewReno of RFC 9002.
    pub(super) fn of_tcp(&self) -> Option<Params> {
        let algorithm = match self.cc {
            QuicControl::NewReno => return None,
            QuicControl::Cubic => Algorithm::Cubic,
            QuicControl::Bbr => Algorithm::Bbr,
            QuicControl::Bbr3 => Algorithm::Bbr3,
        };
        Some(Params {
            cc: ControlName::BuiltIn(algorithm),
            mss: self.mss,
            headers: self.headers,
            timestamp_size: Bytes(0),
            initial_window: self.initial_window,
            cubic_c: self.cubic_c,
            cubic_beta: self.cubic_beta,
            ..Params::default()
        })
    }
}

impl Check for QuicParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
        let enough = self.initial_window >= self.min_window;
        let rule = format!("must be at least min_window ({})", self.min_window);
        require(problems, enough, "initial_window", self.initial_window.show(), rule, "");
        let lasts = self.max_pto >= LEAST_MAX_PTO;
        require(problems, lasts, "max_pto", self.max_pto.show(), "must be at least 1 s", "");
    }
}

/// Smallest bound on the probe timeout: a shorter one would send probes before any answer on slow paths.
const LEAST_MAX_PTO: Span = Span::from_millis(1000);

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset { name: "rfc", doc: "RFC 9002 with the constants it recommends.", options: &[] },
    Preset {
        name: "resumed",
        doc: "As `rfc`, with data in the first flight (0-RTT).",
        options: &[("handshake", "0rtt")],
    },
];
