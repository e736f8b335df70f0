//! The options of a TFRC flow, and the profiles that fill them.
//!
//! *Reference*: RFC 5348; ns-2.35 where the source of an option says so, as found from its traces.

use crate::segment::require_packet;
use units::param::{require, Check, Preset, Problem, Range};
use units::{Bytes, Rate, Span};

units::choices! {
    /// Where the timeout of the equation comes from.
    pub enum Timeout {
        /// Four round trips (RFC 5348 section 3.1).
        FourRtt = "4r",
        /// As a TCP of the BSD family would compute it, in whole ticks of a coarse clock.
        Ticks = "ticks",
    }
}

units::choices! {
    /// The rate from the first report to the second round trip.
    pub enum InitialRate {
        /// The initial window of RFC 3390 a round trip.
        Rfc3390 = "rfc3390",
        /// The same in whole packets: four up to 1095 bytes, three below 2190, else two.
        WholePackets = "whole_packets",
        /// One packet a round trip.
        OnePacket = "one_packet",
    }
}

impl InitialRate {
    /// Packets of so many bytes a round trip.
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
    /// How a report changes the rate.
    pub enum Response {
        /// To the rate of the equation at once, within twice what was received of late (RFC 5348 section 4.3).
        Rfc5348 = "rfc5348",
        /// Up by a packet a round trip towards the rate of the equation, down to it at once (2000).
        Steps = "steps",
    }
}

units::choices! {
    /// What the sender does when reports stay away.
    pub enum Silence {
        /// Lowers the limits its rate is held to (RFC 5348 section 4.4).
        Rfc5348 = "rfc5348",
        /// Halves its rate, and sends a packet at once to ask for a report. The timer goes by the rate before the report
        /// that restarts it.
        Halve = "halve",
    }
}

units::choices! {
    /// When the receiver reports, besides at each new loss event.
    pub enum ReportTiming {
        /// A round trip after the last report, if something came since (RFC 5348 section 6.2).
        Timer = "timer",
        /// With the first packet that comes a round trip after the last report; by a timer of one and a half if
        /// none does, where the report of a packet is repeated once. A rate not known is a packet a second.
        Packet = "packet",
    }
}

units::choices! {
    /// Which mean of the loss intervals the loss event rate is the inverse of.
    pub enum Mean {
        /// Weighted, over the last of them; the open one counts where it raises the mean (RFC 5348 section 5.4).
        Weighted = "weighted",
        /// The same, where the closed ones have the weights they would have beside the open one also when it does not
        /// count.
        Shifted = "shifted",
        /// Exponential, over all of them; the open one counts where it raises the mean (Floyd et al. 2000).
        Exponential = "exponential",
    }
}

units::choices! {
    /// What stands for the interval before the first loss event.
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
        headers: Bytes = Bytes(32) => { source: "ns-2; RFC 4342 needs about as many beside IP", assumed: true },
        /// Bytes of a report on the wire.
        feedback_size: Bytes = Bytes(40) => { range: Range::Positive, source: "ns-2", assumed: true },
        /// Packets the equation supposes an acknowledgement of TCP to cover.
        b: f64 = 1.0 => { unit: "1", range: Range::Within(1.0, 4.0), source: "RFC 5348 section 3.1" },
        /// The timeout term of the equation is bounded as by Padhye et al.
        bounded: bool = false => { source: "RFC 5348 section 3.1" },
        /// Where the timeout of the equation comes from.
        timeout: Timeout = Timeout::FourRtt => { source: "RFC 5348 section 3.1" },
        /// Tick of the coarse clock (`timeout = "ticks"`).
        tick: Span = Span::from_millis(100) => { range: Range::Positive, source: "ns-2" },
        /// Least timeout (`timeout = "ticks"`).
        min_rto: Span = Span::ZERO => { source: "ns-2" },
        /// Weight of the past in the estimate of the round trip.
        rtt_filter: f64 = 0.9 => { unit: "1", range: Range::Within(0.0, 0.9999), source: "RFC 5348 section 4.3" },
        /// Rate on the wire of payload before the first report; auto: a packet a second.
        first_rate: Option<Rate> = None => { range: Range::Positive, source: "RFC 5348 section 4.2" },
        /// The rate after the first report.
        initial_rate: InitialRate = InitialRate::Rfc3390 => { source: "RFC 5348 section 4.2" },
        /// How a report changes the rate.
        response: Response = Response::Rfc5348 => { source: "RFC 5348 section 4.3" },
        /// In slow start the rate rises in steps within a round trip instead of doubling at once.
        slow_increase: bool = false => { source: "ns-2 slow_increase_" },
        /// In slow start each report releases a packet at once.
        report_releases: bool = false => { source: "ns-2" },
        /// Reports after which the rate may still exceed twice the rate received (`response = "steps"`).
        heavy_rounds: u64 = 0 => { source: "ns-2 maxHeavyRounds_" },
        /// Packets are spaced by the last round trip against the mean, which damps oscillations (RFC 5348 section 4.5).
        damping: bool = false => { source: "RFC 5348 section 4.5: optional" },
        /// A report moves the departure of the next packet; otherwise its rate acts after it.
        respace: bool = true => { source: "RFC 5348 section 4.6" },
        /// A report holds the rate to one and a half times the rate received, after slow start, and one of more loss than
        /// the last to that rate itself; otherwise to twice (`response = "steps"`).
        cautious: bool = false => { source: "ns-2 conservative_" },
        /// Share of the distance of packets by which it is drawn longer or shorter.
        overhead: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), source: "ns-2 overhead_" },
        /// Greatest distance of packets.
        t_mbi: Span = Span::from_millis(64_000) => { range: Range::Positive, source: "RFC 5348 section 4.3" },
        /// Round trips without a report after which the sender acts.
        silence_rtts: f64 = 4.0 => { unit: "1", range: Range::Within(1.0, 100.0), source: "RFC 5348 section 4.3" },
        /// What it does then.
        silence: Silence = Silence::Rfc5348 => { source: "RFC 5348 section 4.4" },
        /// The sender acts also when the first report stays away, after 2 s.
        first_silence: bool = true => { source: "RFC 5348 section 4.2" },
        /// Packets above a missing one after which it counts as lost.
        loss_after: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "RFC 5348 section 5.1" },
        /// A loss begins a new loss event only if the sender has also seen a report since the last one began.
        loss_new_round: bool = false => { source: "ns-2 PreciseLoss_" },
        /// While fewer than eight intervals have closed, the open one replaces the oldest; otherwise it counts beside them.
        open_replaces: bool = true => { source: "RFC 5348 section 5.4" },
        /// Which mean of the intervals counts.
        mean: Mean = Mean::Weighted => { source: "RFC 5348 section 5.4" },
        /// How many closed intervals count, an even number; half of them fully.
        intervals: u64 = 8 => { range: Range::Within(2.0, 1024.0), source: "RFC 5348 section 5.4; ns-2 NumSamples_" },
        /// Weight of the past in an exponential mean.
        past: f64 = 0.75 => { unit: "1", range: Range::Within(0.0, 0.9999), source: "ns-2 history_" },
        /// Older intervals lose weight while the open one is long.
        discount: bool = true => { source: "RFC 5348 section 5.5" },
        /// The least such weight.
        least_discount: f64 = 0.5 => { unit: "1", range: Range::Within(0.01, 1.0), source: "RFC 5348 section 5.5" },
        /// What stands for the interval before the first loss event.
        first_interval: FirstInterval = FirstInterval::Inverted => { source: "RFC 5348 section 6.3.1" },
        /// How closely the first interval, from inverting the equation, has to give the rate received.
        first_tolerance: f64 = 0.001 => { unit: "1", range: Range::Within(1e-9, 0.5), assumed: true },
        /// The report of the first loss event carries the rate found by inverting, not 1 over that interval in whole
        /// packets.
        first_exact: bool = false => { source: "ns-2" },
        /// The first interval stands for half the rate received (RFC 5348); otherwise for all of it.
        first_half: bool = true => { source: "RFC 5348 section 6.3.1" },
        /// The first loss event lasts a round trip from the packet that showed it, and the open interval counts from the
        /// last report; otherwise both begin at the loss.
        open_from_report: bool = false => { source: "ns-2" },
        /// Packets are ECN-capable, and one that comes marked counts as a lost one does.
        ecn: bool = false => { source: "RFC 5348 section 5.1, RFC 3168" },
        /// When the receiver reports.
        report: ReportTiming = ReportTiming::Timer => { source: "RFC 5348 section 6.2" },
        /// Reports in a round trip.
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

/// Every profile, in the order to show them.
pub const PROFILES: &[Preset] = &[
    Preset { name: "rfc", doc: "RFC 5348 (2008).", options: &[] },
    Preset {
        name: "ns2-2.35",
        doc: "The defaults of ns-2.35 (2011): steps of a packet a round trip, damping, coarse timeout.",
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
        doc: "What an ns-2 script of 1999-2000 ran with: 1000 bytes on the wire, one packet a round trip at the start.",
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
