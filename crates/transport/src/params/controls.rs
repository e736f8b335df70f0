//! Variants of single congestion controls, and the options of some.

use units::param::Range;
use units::Span;

units::choices! {
    /// How CUBIC converts its function into segments.
    pub enum CubicRule {
        /// Each ACK closes its share of the distance to the window one RTT ahead (RFC 9438).
        Rfc9438 = "rfc9438",
        /// One segment per this many ACKed segments, at least two; at most 20 before the first loss (Linux).
        Linux = "linux",
        /// One segment per this many segments covered, at least two, in whole segments; slow start grows by
        /// all segments that an ACK covers; no Reno-friendly region; a timeout resets the minimum RTT
        /// (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// How slow start ends before losses.
    pub enum HyStartRule {
        /// Not before losses.
        Off = "off",
        /// By a delay increase, and then CSS (HyStart++, RFC 9406).
        Rfc9406 = "rfc9406",
        /// By a delay increase of an eighth or an ACK train as long as the minimum RTT (HyStart).
        Train = "train",
        /// As `train`, with half of that length (Linux without pacing).
        Linux = "linux",
        /// As `train`, but the delay must increase by the whole minimum RTT, and a timeout restarts it
        /// (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// Arithmetic of DCTCP's alpha.
    pub enum DctcpRule {
        /// Real numbers (RFC 8257).
        Rfc8257 = "rfc8257",
        /// Steps of 1/1024: a share of marks below 1/64 counts as none, an alpha below 1/64 is forgotten each
        /// window, and few marks stop the window without reducing it (Linux).
        Linux = "linux",
    }
}

units::choices! {
    /// Implementations of Vegas.
    pub enum VegasRule {
        /// Brakmo and Peterson 1995, in real numbers.
        Brakmo = "brakmo",
        /// ns-2.35: queued segments are rounded, the fine-grained timeout is 17/16 of an RTT plus two
        /// deviations, a timeout leaves two segments, and the window stays inflated after exactly three
        /// duplicate ACKs.
        Ns2 = "ns2",
        /// ns-3: whole segments; a round is judged by its minimum RTT and moves the window by one; slow start
        /// is Reno's; a loss leaves the window less one.
        Ns3 = "ns3",
        /// Linux: as `ns3`, but the queue is estimated with the base RTT, each segment is timed, slow start counts
        /// segments, and a loss halves the window.
        Linux = "linux",
    }
}

units::choices! {
    /// When Westwood samples bandwidth.
    pub enum WestwoodRule {
        /// Once per RTT (Westwood+).
        Plus = "plus",
        /// With each ACK (Westwood).
        Original = "original",
        /// Westwood+ of ns-3: over a smoothed RTT that starts with an ACK and ends by the clock; the first
        /// sample is averaged with zero, segments reported by duplicate ACKs count twice, and a loss may
        /// raise the window.
        Ns3 = "ns3",
        /// Westwood+ of Linux: whole bytes per millisecond, filtered twice; a recovery halves the window and sets
        /// it to bandwidth times minimum RTT at its end.
        Linux = "linux",
    }
}

units::choices! {
    /// Implementations of BIC, CDG, HighSpeed TCP, H-TCP, Hybla, Veno and YeAH.
    pub enum ModuleRule {
        /// As published.
        Published = "published",
        /// Linux: HighSpeed TCP and Hybla grow once per ACK, whatever it acknowledges; HighSpeed TCP has the table of
        /// its RFC; Hybla grows as Reno until the segments sent before a timeout are acknowledged; BIC goes a quarter
        /// of the way to the maximum and corrects for delayed ACKs; Veno judges each ACK, and a timeout as any loss;
        /// YeAH cuts whole segments, and a timeout as any loss; H-TCP counts in milliseconds; CDG backs off over a
        /// round trip.
        Linux = "linux",
    }
}

units::choices! {
    /// Send quantum of BBR; its window adds three quanta to the bandwidth-delay product.
    pub enum BbrQuantum {
        /// One segment below 1.2 Mbit/s, two below 24 Mbit/s, above it 1 ms at the pacing rate.
        Rate = "rate",
        /// One segment at any rate (ns-3).
        Segment = "segment",
    }
}

units::choices! {
    /// BBR's window after a loss recovery.
    pub enum BbrExit {
        /// The window before the recovery.
        Restored = "restored",
        /// ssthresh: the model's window when drain started, unbounded before. The sum with unbounded ssthresh
        /// overflows 32 bits once the pipe is full and leaves four segments (ns-3).
        Ssthresh = "ssthresh",
    }
}

units::choices! {
    /// The rule for newly lost data of BBR.
    pub enum BbrLosses {
        /// Segments that an ACK marks lost.
        New = "new",
        /// The change of the number of lost segments, up or down (ns-3).
        Change = "change",
    }
}

units::choices! {
    /// Filter of the maximum bandwidth of recent rounds.
    pub enum BbrFilter {
        /// Exactly.
        Exact = "exact",
        /// By three values: the maximum, and those of the last three and two quarters of the window (Linux,
        /// ns-3).
        Three = "three",
    }
}

units::choices! {
    /// Segment whose interval gives the delivery rate.
    pub enum RateInterval {
        /// The newest segment acknowledged.
        Newest = "newest",
        /// The first segment sent after further deliveries, until one sent after still more is acknowledged
        /// (ns-3).
        Kept = "kept",
    }
}

units::choices! {
    /// Start of the ACK phase of a rate sample.
    pub enum RateOrigin {
        /// The last ACK before the segment was sent.
        Own = "own",
        /// The last ACK before the previously sampled segment was sent; time zero after an invalid sample
        /// (ns-3).
        Before = "before",
    }
}

units::choices! {
    /// Implementations of BBR version 1.
    pub enum BbrRule {
        /// As published in 2017.
        Original = "original",
        /// As in Linux since 2019: 1 % below the model's rate, bursts of a quantum, an allowance for ACK
        /// aggregation in the window, phases that end by the flight at the next departure.
        Linux = "linux",
    }
}

units::params! {
    /// BBR version 3 with a response to ECN marks.
    pub struct Bbr3Params {
        /// Marks bound the data in flight, in proportion to their share; it turns ECN on, with accurate counts and
        /// ECT(1) (bbr3).
        bbr3_ecn: bool = false => { source: "Google's BBRv3: for networks whose marks are DCTCP's" },
        /// Largest minimum RTT with which marks count; 0: any (bbr3).
        bbr3_ecn_max_rtt: Span = Span::from_millis(5) => { source: "Google's BBRv3: bbr_ecn_max_rtt_us" },
        /// Weight of a round's share of marks in its mean (bbr3).
        bbr3_ecn_gain: f64 = 0.0625 => { range: Range::Above(0.0, 1.0), source: "Google's BBRv3: bbr_ecn_alpha_gain" },
        /// Share of the short-term bound that a round with marks takes when all are marked (bbr3).
        bbr3_ecn_factor: f64 = 1.0 / 3.0 => { range: Range::Above(0.0, 1.0), source: "Google's BBRv3: bbr_ecn_factor" },
        /// Share of marks above which a probe has gone too far (bbr3).
        bbr3_ecn_thresh: f64 = 0.5 => { range: Range::Above(0.0, 1.0), source: "Google's BBRv3: bbr_ecn_thresh" },
        /// Growth of the first probe after marks have ceased, relative to the long-term bound; 0: no such probe (bbr3).
        bbr3_ecn_reprobe: f64 = 0.5 => { range: Range::Within(0.0, 1.0), source: "Google's BBRv3: bbr_ecn_reprobe_gain" },
    }
}

units::params! {
    /// TCP-LP.
    pub struct LpParams {
        /// Threshold of the smoothed delay between its least and its greatest value (lp).
        lp_threshold: f64 = 0.15 => { range: Range::Between(0.0, 1.0), source: "Kuzmanovic and Knightly 2003: delta; Linux" },
        /// Weight of a sample in the smoothed delay (lp).
        lp_smoothing: f64 = 0.125 => { range: Range::Above(0.0, 1.0), source: "Kuzmanovic and Knightly 2003: gamma; Linux" },
        /// Smoothed round trips of the inference phase (lp).
        lp_inference: f64 = 3.0 => { range: Range::Within(0.0, 1e6), source: "Linux", assumed: true },
        /// An early indication sets the extremes of the delay to its smoothed value and twice that; otherwise they are
        /// those of the connection (lp).
        lp_restart: bool = false => { source: "Kuzmanovic and Knightly 2003; Linux: true" },
    }
}

units::params! {
    /// TCP-NV.
    pub struct NvParams {
        /// Segments that may queue (nv).
        nv_pad: f64 = 10.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Linux nv_pad" },
        /// The window grows only if it is this far below the bound (nv).
        nv_margin: f64 = 2.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Linux nv_pad_buffer" },
        /// Share of the excess by which the window shrinks (nv).
        nv_decrease: f64 = 0.3 => { range: Range::Above(0.0, 1.0), source: "Linux nv_cong_dec_mult" },
        /// Share of the window left by a loss (nv).
        nv_beta: f64 = 0.8 => { range: Range::Between(0.0, 1.0), source: "Linux nv_loss_dec_factor" },
        /// Weight of a sample in the mean RTT (nv).
        nv_rtt_weight: f64 = 0.5 => { range: Range::Above(0.0, 1.0), source: "Linux nv_rtt_factor" },
        /// Mean time after which the minimum RTT is replaced by that of the period, three to five quarters of it (nv).
        nv_reset: Span = Span::from_millis(5_000) => { range: Range::Positive, source: "Linux nv_reset_period" },
        /// RTT of the empty path, which with 80 % of it bounds the minimum RTT; auto: not known (nv).
        nv_base_rtt: Option<Span> = None => { range: Range::Positive, source: "Linux BPF_SOCK_OPS_BASE_RTT" },
        /// Samples before a reduction (nv).
        nv_dec_samples: u64 = 60 => { range: Range::Within(1.0, 1e6), source: "Linux nv_dec_eval_min_calls" },
        /// Samples before the window may grow again (nv).
        nv_inc_samples: u64 = 20 => { range: Range::Within(1.0, 1e6), source: "Linux nv_inc_eval_min_calls" },
        /// Samples before a reduction that ends the first slow start (nv).
        nv_start_samples: u64 = 30 => { range: Range::Within(1.0, 1e6), source: "Linux nv_ssthresh_eval_min_calls" },
        /// Decisions to grow in a row after which growth slowed down by timeouts doubles (nv).
        nv_recovery: u64 = 8 => { range: Range::Within(0.0, 1e6), source: "Linux nv_cwnd_growth_rate_neg" },
    }
}
