//! The options of a TFRC flow, and the profiles that fill them.
//!
//! *Reference*: RFC 5348; ns-2.35 where the source of an option says so, as found from its traces.

use crate::segment::require_packet;
use units::param::{require, Check, Preset, Problem, Range};
use units::{Bytes, Rate, Span};

units::choices! {
    /// Source of the timeout in the equation.
    pub enum Timeout {
        /// Four round trips (RFC 5348 section 3.1).
        FourRtt = "4r",
        /// Computed like TCP's of the BSD family, in whole ticks of a coarse clock.
        Ticks = "ticks",
    }
}

units::choices! {
    /// Rate from the first report to the second round trip.
    pub enum InitialRate {
        /// The initial window of RFC 3390 per round trip.
        Rfc3390 = "rfc3390",
        /// The same in whole packets: four up to 1095 bytes, three below 2190, else two.
        WholePackets = "whole_packets",
        /// One packet per round trip.
        OnePacket = "one_packet",
    }
}

impl InitialRate {
    /// Packets of size `s` per round trip.
    pub fn packets(self, s: f64) -> f64 {
        match self {
            InitialRate::Rfc3390 => (4380.0 / s).clamp(2.0, 4.0),
            InitialRate::WholePackets if s <= 1095.0 => 4.0,
            InitialRate::WholePackets if s < 2190.0 => 3.0,
            InitialRate::WholePackets => 2.0,
            InitialRate::OnePacket => 1.0,
        }
    }
}

units::choices! {
    /// Response of the rate to a report.
    pub enum Response {
        /// Follows the equation at once, within twice the recent receive rate (RFC 5348 section 4.3).
        Rfc5348 = "rfc5348",
        /// Up by one packet per round trip towards the rate of the equation, down to it at once (2000).
        Steps = "steps",
    }
}

units::choices! {
    /// Response of the sender to missing reports.
    pub enum Silence {
        /// Lowers the limits on its rate (RFC 5348 section 4.4).
        Rfc5348 = "rfc5348",
        /// Halves its rate, and sends a packet at once to request a report. The timer uses the rate before
        /// the report that restarts it.
        Halve = "halve",
    }
}

units::choices! {
    /// When the receiver reports, in addition to each new loss event.
    pub enum ReportTiming {
        /// A round trip after the last report, if a packet arrived since (RFC 5348 section 6.2).
        Timer = "timer",
        /// With the first packet that arrives a round trip after the last report; by a timer of 1.5 round
        /// trips if none does, which repeats the report of a packet once. An unknown rate counts as one
        /// packet per second.
        Packet = "packet",
    }
}

units::choices! {
    /// Mean of the loss intervals, whose inverse is the loss event rate.
    pub enum Mean {
        /// Weighted over the last intervals; the open one counts if it raises the mean (RFC 5348 section
        /// 5.4).
        Weighted = "weighted",
        /// The same, with the same weights of the closed ones whether or not the open one counts.
        Shifted = "shifted",
        /// Exponential, over all of them; the open one counts where it raises the mean (Floyd et al. 2000).
        Exponential = "exponential",
    }
}

units::choices! {
    /// The length that stands for the interval before the first loss event.
    pub enum FirstInterval {
        /// The interval at which the equation gives the rate received (RFC 5348 section 6.3.1).
        Inverted = "inverted",
        /// The packets up to it.
        Counted = "counted",
    }
}

units::params! {
    /// A TFRC flow: the options of its sender and its receiver.
    pub struct TfrcParams {
        /// Payload of a data packet; the segment size of the equation.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(32) => { source: "ns-2; RFC 4342 needs about as many besides IP", assumed: true },
        /// Bytes of a report on the wire.
        feedback_size: Bytes = Bytes(40) => { range: Range::Positive, source: "ns-2", assumed: true },
        /// Segments per ACK that the TCP equation assumes.
        b: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 4.0), source: "RFC 5348 section 3.1" },
        /// The timeout term of the equation is bounded as by Padhye et al.
        bounded: bool = false => { source: "RFC 5348 section 3.1" },
        /// Source of the timeout in the equation.
        timeout: Timeout = Timeout::FourRtt => { source: "RFC 5348 section 3.1" },
        /// Tick of the coarse clock (`timeout = "ticks"`).
        tick: Span = Span::from_millis(100) => { range: Range::Positive, source: "ns-2" },
        /// Minimum timeout (`timeout = "ticks"`).
        min_rto: Span = Span::ZERO => { source: "ns-2" },
        /// Weight of the old estimate in the smoothed RTT.
        rtt_filter: f64 = 0.9 => { unit: "1", range: Range::Within(0.0, 0.9999), source: "RFC 5348 section 4.3" },
        /// Payload rate before the first report; auto: one packet per second.
        first_rate: Option<Rate> = None => { range: Range::Positive, source: "RFC 5348 section 4.2" },
        /// Rate after the first report.
        initial_rate: InitialRate = InitialRate::Rfc3390 => { source: "RFC 5348 section 4.2" },
        /// Response of the rate to a report.
        response: Response = Response::Rfc5348 => { source: "RFC 5348 section 4.3" },
        /// In slow start the rate rises in steps within a round trip instead of doubling at once.
        slow_increase: bool = false => { source: "ns-2 slow_increase_" },
        /// In slow start each report releases a packet at once.
        report_releases: bool = false => { source: "ns-2" },
        /// Reports after which the rate may still exceed twice the receive rate (`response = "steps"`).
        heavy_rounds: u64 = 0 => { source: "ns-2 maxHeavyRounds_" },
        /// Oscillation damping: the packet gap follows the last RTT relative to its mean (RFC 5348 section
        /// 4.5).
        damping: bool = false => { source: "RFC 5348 section 4.5: optional" },
        /// A report reschedules the next packet; otherwise its rate applies after it.
        respace: bool = true => { source: "RFC 5348 section 4.6" },
        /// After slow start a report limits the rate to 1.5 times the receive rate, and one with more loss
        /// than the last to the receive rate itself; otherwise to twice (`response = "steps"`).
        cautious: bool = false => { source: "ns-2 conservative_" },
        /// Relative random variation of the packet gap.
        overhead: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), source: "ns-2 overhead_" },
        /// Maximum gap between packets.
        t_mbi: Span = Span::from_millis(64_000) => { range: Range::Positive, source: "RFC 5348 section 4.3" },
        /// No-feedback timer in round trips.
        silence_rtts: f64 = 4.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC 5348 section 4.3" },
        /// Response to missing reports.
        silence: Silence = Silence::Rfc5348 => { source: "RFC 5348 section 4.4" },
        /// The no-feedback timer also covers the first report, after 2 s.
        first_silence: bool = true => { source: "RFC 5348 section 4.2" },
        /// Packets received above a missing one after which it counts as lost.
        loss_after: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "RFC 5348 section 5.1" },
        /// A loss starts a loss event only if the sender has seen a report since the last one started.
        loss_new_round: bool = false => { source: "ns-2 PreciseLoss_" },
        /// While fewer than eight intervals are closed, the open one replaces the oldest; otherwise it is
        /// added.
        open_replaces: bool = true => { source: "RFC 5348 section 5.4" },
        /// Mean of the loss intervals.
        mean: Mean = Mean::Weighted => { source: "RFC 5348 section 5.4" },
        /// Closed intervals in the mean, an even number; the newer half has full weight.
        intervals: u64 = 8 => { range: Range::Within(2.0, 1024.0), source: "RFC 5348 section 5.4; ns-2 NumSamples_" },
        /// Weight of the old value in an exponential mean.
        past: f64 = 0.75 => { unit: "1", range: Range::Within(0.0, 0.9999), source: "ns-2 history_" },
        /// History discounting: older intervals lose weight while the open one is long.
        discount: bool = true => { source: "RFC 5348 section 5.5" },
        /// Minimum weight of discounting.
        least_discount: f64 = 0.5 => { unit: "1", range: Range::Within(0.01, 1.0), source: "RFC 5348 section 5.5" },
        /// Interval before the first loss event.
        first_interval: FirstInterval = FirstInterval::Inverted => { source: "RFC 5348 section 6.3.1" },
        /// Relative tolerance of the receive rate when the equation is inverted for the first interval.
        first_tolerance: f64 = 0.001 => { unit: "1", range: Range::Within(1e-9, 0.5), assumed: true },
        /// The report of the first loss event carries the inverted rate itself, not one over that interval in
        /// whole packets.
        first_exact: bool = false => { source: "ns-2" },
        /// The first interval corresponds to half the receive rate (RFC 5348); otherwise to all of it.
        first_half: bool = true => { source: "RFC 5348 section 6.3.1" },
        /// The first loss event lasts a round trip from the packet that revealed it, and the open interval
        /// counts from the last report; otherwise both start at the loss.
        open_from_report: bool = false => { source: "ns-2" },
        /// Packets are ECN-capable, and a marked one counts like a lost one.
        ecn: bool = false => { source: "RFC 5348 section 5.1, RFC 3168" },
        /// When the receiver reports.
        report: ReportTiming = ReportTiming::Timer => { source: "RFC 5348 section 6.2" },
        /// Reports per round trip.
        reports: u64 = 1 => { range: Range::Within(1.0, 64.0), source: "RFC 5348 section 6.2; ns-2 NumFeedback_" },
    }
}

impl Check for TfrcParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
        require(problems, self.intervals % 2 == 0, "intervals", self.intervals, "must be even", "");
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset { name: "rfc", doc: "RFC 5348 (2008).", options: &[] },
    Preset {
        name: "ns2-2.35",
        doc: "The defaults of ns-2.35 (2011): steps of one packet per round trip, damping, coarse timeout.",
        options: &[
            ("mss", "1000 B"),
            ("bounded", "true"),
            ("timeout", "ticks"),
            ("rtt_filter", "0.95"),
            ("first_rate", "2400 bit/s"),
            ("initial_rate", "whole_packets"),
            ("response", "steps"),
            ("slow_increase", "true"),
            ("report_releases", "true"),
            ("damping", "true"),
            ("respace", "false"),
            ("silence_rtts", "2"),
            ("silence", "halve"),
            ("first_silence", "false"),
            ("loss_after", "1"),
            ("loss_new_round", "true"),
            ("first_tolerance", "0.05"),
            ("first_exact", "true"),
            ("first_half", "false"),
            ("open_from_report", "true"),
            ("open_replaces", "false"),
            ("report", "packet"),
        ],
    },
    Preset {
        name: "ns2-2000",
        doc: "ns-2 as scripts of 1999-2000 used it: 1000 bytes on the wire, one packet per round trip at the start.",
        options: &[
            ("mss", "1000 B"),
            ("headers", "0 B"),
            ("bounded", "true"),
            ("timeout", "ticks"),
            ("rtt_filter", "0.95"),
            ("first_rate", "2400 bit/s"),
            ("initial_rate", "one_packet"),
            ("response", "steps"),
            ("slow_increase", "true"),
            ("report_releases", "true"),
            ("heavy_rounds", "1"),
            ("damping", "true"),
            ("respace", "false"),
            ("silence_rtts", "2"),
            ("silence", "halve"),
            ("first_silence", "false"),
            ("loss_after", "1"),
            ("loss_new_round", "true"),
            ("first_tolerance", "0.05"),
            ("first_exact", "true"),
            ("first_half", "false"),
            ("open_from_report", "true"),
            ("open_replaces", "false"),
            ("report", "packet"),
        ],
    },
];
