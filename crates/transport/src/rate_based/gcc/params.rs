//! The options of GCC.

use crate::rate_based::common::require_at_most;
use crate::segment::require_packet;
use units::param::{require, Check, Param, Preset, Problem, Range};
use units::{Bytes, Rate, Span};

units::choices! {
    /// The end at which the delay-based controller of GCC runs.
    pub enum GccSite {
        /// The sender: reports name packets and their arrival times.
        Sender = "sender",
        /// The receiver: reports carry the rate that it allows (REMB).
        Receiver = "receiver",
    }
}

units::choices! {
    /// The signal of GCC's detector where over-use is not certain.
    pub enum GccUnconfirmed {
        /// Normal.
        Normal = "normal",
        /// The signal before.
        Previous = "previous",
    }
}

units::choices! {
    /// Scope of the bound of 1.5 times the incoming rate in GCC.
    pub enum GccBound {
        /// Increases of the rate.
        Growth = "growth",
        /// The rate, whatever its state.
        Always = "always",
    }
}

units::choices! {
    /// The rate from which GCC's loss-based controller starts each time.
    pub enum GccLossBase {
        /// The target rate: the lower of both controllers' last rates.
        Target = "target",
        /// Its own last rate.
        Own = "own",
    }
}

units::params! {
    /// A GCC flow: the options of its sender and its receiver.
    pub struct GccParams {
        /// Payload of a data packet.
        mss: Bytes = Bytes(1200) => { range: Range::Positive, source: "GCC02 section 5.5" },
        /// Header bytes added to each data packet on the wire.
        headers: Bytes = Bytes(48) => { source: "IP, UDP, RTP and abs-send-time", assumed: true },
        /// Bytes of a report on the wire.
        report_size: Bytes = Bytes(80) => { range: Range::Positive, source: "IP, UDP and RTCP of 16 packets", assumed: true },
        /// End at which the delay-based controller runs.
        site: GccSite = GccSite::Sender => { source: "GCC02 section 3" },
        /// Longest time between reports if it runs at the sender.
        feedback_every: Span = Span::from_millis(30) => { range: Range::Positive, source: "GCC02 section 3" },
        /// Longest time between reports if it runs at the receiver; over-use is reported at once.
        remb_every: Span = Span::from_millis(1000) => { range: Range::Positive, source: "GCC02 section 3" },
        /// Time within which packets leave as a group.
        burst_time: Span = Span::from_millis(5) => { range: Range::Positive, source: "GCC02 section 5.6" },
        /// Longest arrival of a group that arrives in a burst; 0: no limit.
        longest_group: Span = Span::from_millis(100) => { source: "WebRTC", assumed: true },
        /// Variance of the state noise of the filter, in ms² (q).
        q: f64 = 1e-3 => { unit: "1", range: Range::Positive, source: "GCC02 section 5.6" },
        /// Initial error covariance of the filter, in ms² (e(0)).
        initial_error: f64 = 0.1 => { unit: "1", range: Range::Positive, source: "GCC02 section 5.6" },
        /// Weight of a sample in the variance of the noise, at 30 groups a second (chi).
        chi: f64 = 0.01 => { unit: "1", range: Range::Between(0.0, 1.0), source: "GCC02 section 5.6", assumed: true },
        /// Groups over which the highest rate of groups is taken (K).
        rate_groups: u64 = 25 => { unit: "1", range: Range::Within(1.0, 1000.0), source: "GCC02 section 5.3", assumed: true },
        /// The estimate is multiplied by the number of groups so far, up to this, before it is compared.
        estimate_gain: f64 = 60.0 => { unit: "1", range: Range::Within(1.0, 1000.0), source: "WebRTC", assumed: true },
        /// Initial threshold of the detector (del_var_th(0)).
        initial_threshold: Span = Span(12_500_000) => { range: Range::Positive, source: "GCC02 section 5.6" },
        /// Time over the threshold that is over-use (overuse_time_th).
        overuse_time: Span = Span::from_millis(10) => { source: "GCC02 section 5.6" },
        /// Rate at which the threshold rises, per ms (K_u).
        k_u: f64 = 0.01 => { unit: "1", range: Range::Within(0.0, 1.0), source: "GCC02 section 5.6" },
        /// Rate at which the threshold falls, per ms (K_d); 0 with `k_u = 0`: a fixed threshold.
        k_d: f64 = 0.00018 => { unit: "1", range: Range::Within(0.0, 1.0), source: "GCC02 section 5.6" },
        /// Signal of the detector above the threshold where over-use is not certain.
        unconfirmed: GccUnconfirmed = GccUnconfirmed::Normal => { source: "GCC02 section 5.4" },
        /// Time over which the incoming rate is measured (T).
        window: Span = Span::from_millis(500) => { range: Range::Positive, source: "GCC02 section 5.6" },
        /// Least time between updates of the rate; over-use updates it at once.
        update_every: Span = Span::from_millis(30) => { range: Range::Positive, assumed: true },
        /// Increase in a second far from convergence (eta).
        eta: f64 = 1.08 => { unit: "1", range: Range::Above(1.0, 2.0), source: "GCC02 section 5.5" },
        /// Share of the incoming rate left by over-use (beta).
        beta: f64 = 0.85 => { unit: "1", range: Range::Between(0.0, 1.0), source: "GCC02 section 5.6" },
        /// Scope of the bound of 1.5 times the incoming rate.
        bound: GccBound = GccBound::Growth => { source: "GCC02 section 5.5" },
        /// Least standard deviation of the incoming rates at over-use, as a share of their mean.
        deviation_floor: f64 = 0.02 => { unit: "1", range: Range::Within(0.0, 1.0), assumed: true },
        /// Loss ratio below which the loss-based rate grows by a twentieth.
        loss_low: f64 = 0.02 => { unit: "1", range: Range::Within(0.0, 1.0), source: "GCC02 section 6" },
        /// Loss ratio above which the loss-based rate loses half of it.
        loss_high: f64 = 0.1 => { unit: "1", range: Range::Within(0.0, 1.0), source: "GCC02 section 6" },
        /// Rate from which the loss-based controller starts each time.
        loss_from: GccLossBase = GccLossBase::Target => { source: "GCC02 section 6" },
        /// Initial rate.
        initial_rate: Rate = Rate(300_000) => { range: Range::Positive, assumed: true },
        /// Least rate.
        min_rate: Rate = Rate(100_000) => { range: Range::Positive, assumed: true },
        /// Largest rate.
        max_rate: Rate = Rate(50_000_000) => { range: Range::Positive, assumed: true },
        /// Time without feedback that halves the rate, repeatedly.
        feedback_timeout: Span = Span::from_millis(5000) => { range: Range::Positive, assumed: true },
    }
}

impl Check for GccParams {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        PROFILES
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require_packet(self.mss, self.headers, problems);
        require_at_most(problems, ("min_rate", self.min_rate), ("max_rate", self.max_rate));
        require_at_most(problems, ("loss_low", self.loss_low), ("loss_high", self.loss_high));
        let longest = self.remb_every < self.feedback_timeout && self.feedback_every < self.feedback_timeout;
        let rule = "must exceed feedback_every and remb_every".to_string();
        require(problems, longest, "feedback_timeout", self.feedback_timeout.show(), rule, "");
    }
}

/// All profiles, in display order.
pub const PROFILES: &[Preset] = &[
    Preset {
        name: "webrtc",
        doc: "The draft, with the estimate multiplied and groups limited as WebRTC does.",
        options: &[],
    },
    Preset {
        name: "draft",
        doc: "The text of the draft alone. It hardly reacts to the delay.",
        options: &[("estimate_gain", "1"), ("longest_group", "0 s"), ("bound", "always")],
    },
    Preset {
        name: "remb",
        doc: "The delay-based controller at the receiver, with a report each second or on over-use.",
        options: &[("site", "receiver")],
    },
];
