//! The options of SCReAM.

use crate::rate_based::common::require_at_most;
use crate::segment::require_packet;
use units::param::{Check, Preset, Problem, Range};
use units::{Bytes, Rate, Span};

units::choices! {
    /// The response of SCReAM to marks.
    pub enum ScreamEcn {
        /// A mark counts like a loss, with a milder reduction; packets are ECT(0).
        Classic = "classic",
        /// The reduction follows the share of marked packets; packets are ECT(1).
        L4s = "l4s",
    }
}

units::params! {
    /// A SCReAM flow: the options of its sender and its receiver.
    pub struct ScreamParams {
        /// Payload of a data packet (MSS).
        mss: Bytes = Bytes(1000) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(40) => { source: "IP, UDP and RTP (RFC 3550)", assumed: true },
        /// Bytes of a feedback on the wire.
        report_size: Bytes = Bytes(72) => { range: Range::Positive, source: "IP, UDP and 44 bytes (RFC8298 section 4.2.1)" },
        /// Packets are ECN-capable.
        ecn: bool = false => { source: "RFC8298 section 4.1.2.1", assumed: true },
        /// Response to marks, with `ecn`.
        ecn_response: ScreamEcn = ScreamEcn::Classic => { source: "RFC8298 section 4.1.2.1; l4s: SCREAMV2" },
        /// Least target of the queueing delay (QDELAY_TARGET_LO).
        target_low: Span = Span::from_millis(100) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Largest target of the queueing delay (QDELAY_TARGET_HI).
        target_high: Span = Span::from_millis(400) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Competing flows raise the target of the queueing delay.
        compensation: bool = true => { source: "RFC8298 section 4.1.2.3" },
        /// Weight of a sample in the mean of the queueing delay (QDELAY_WEIGHT).
        delay_weight: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Trend of the queueing delay that ends fast increase (QDELAY_TREND_TH, QDELAY_TREND_LO).
        trend_threshold: f64 = 0.2 => { unit: "1", range: Range::Above(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Least congestion window (MIN_CWND).
        min_cwnd: Bytes = Bytes(3000) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Window over the most bytes in flight in 5 s (MAX_BYTES_IN_FLIGHT_HEAD_ROOM).
        head_room: f64 = 1.1 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC8298 section 4.1.1" },
        /// Gain of the congestion window (GAIN).
        gain: f64 = 1.0 => { unit: "1", range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Share of the window left by a loss event (BETA_LOSS).
        beta_loss: f64 = 0.8 => { unit: "1", range: Range::Between(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Share of the window and of the target rate left by a mark (BETA_ECN).
        beta_ecn: f64 = 0.9 => { unit: "1", range: Range::Between(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Share of the target rate left by a loss event (BETA_R).
        beta_rate: f64 = 0.9 => { unit: "1", range: Range::Between(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Time between changes of the target rate (RATE_ADJUST_INTERVAL).
        adjust_every: Span = Span::from_millis(200) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Least target rate (TARGET_BITRATE_MIN).
        min_rate: Rate = Rate(100_000) => { range: Range::Positive, assumed: true },
        /// Largest target rate (TARGET_BITRATE_MAX).
        max_rate: Rate = Rate(50_000_000) => { range: Range::Positive, assumed: true },
        /// Largest increase of the target rate in a second (RAMP_UP_SPEED).
        ramp_up: Rate = Rate(200_000) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Share of the rate that a full trend of the queueing delay takes (PRE_CONGESTION_GUARD).
        guard: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Weight of the RTP queue in the target rate (TX_QUEUE_SIZE_FACTOR).
        queue_factor: f64 = 1.0 => { unit: "1", range: Range::Within(0.0, 2.0), source: "RFC8298 section 4.1.1" },
        /// Delay in the RTP queue that lowers the target rate (RTP_QDELAY_TH).
        queue_threshold: Span = Span::from_millis(20) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Share of the target rate that it leaves (TARGET_RATE_SCALE_RTP_QDELAY).
        queue_scale: f64 = 0.95 => { unit: "1", range: Range::Above(0.0, 1.0), source: "RFC8298 section 4.1.1" },
        /// Time with a low trend after which fast increase resumes (T_RESUME_FAST_INCREASE).
        resume_after: Span = Span::from_millis(5000) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Least pacing rate (RATE_PACE_MIN).
        min_pace: Rate = Rate(50_000) => { range: Range::Positive, source: "RFC8298 section 4.1.1" },
        /// Weight of a round trip in the share of round trips with losses.
        loss_weight: f64 = 0.01 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Time without feedback after which all packets in flight count as lost.
        feedback_timeout: Span = Span::from_millis(1000) => { range: Range::Positive, assumed: true },
    }
}

impl Check for ScreamParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
        require_at_most(problems, ("mss", self.mss), ("min_cwnd", self.min_cwnd));
        require_at_most(problems, ("target_low", self.target_low), ("target_high", self.target_high));
        require_at_most(problems, ("min_rate", self.min_rate), ("max_rate", self.max_rate));
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset { name: "rfc8298", doc: "The constants of RFC 8298.", options: &[] },
    Preset {
        name: "quick",
        doc: "The target rate grows by up to 1 Mbit/s a second, which the RFC names as a high setting.",
        options: &[("ramp_up", "1 Mbit/s")],
    },
    Preset {
        name: "l4s",
        doc: "The quick ramp, and the response to the share of marked packets of version 2 (SCREAMV2), for DualPI2 and other queues of L4S.",
        options: &[("ecn", "true"), ("ecn_response", "l4s"), ("ramp_up", "1 Mbit/s")],
    },
];
