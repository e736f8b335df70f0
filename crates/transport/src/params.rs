//! The parameters of a TCP connection: one table of named options for sender and receiver.
//!
//! Nothing here says "like that program". A profile (see [`crate::profiles`]) is a row that fills the
//! options in; a result prints both the row and the options it meant.
//!
//! *Units*: windows, thresholds and bursts count segments.

use units::param::{require, Check, Preset, Problem, Range};
use units::{Bytes, Span};

use crate::cc::Algorithm;
use crate::segment::require_packet;

mod controls;
mod dialogue;
mod measures;
mod repair;
mod sizes;

pub use controls::{
    BbrExit, BbrFilter, BbrLosses, BbrQuantum, BbrRule, CubicRule, HyStartRule, RateInterval, RateOrigin,
    VegasRule, WestwoodRule,
};
pub use dialogue::{AckRule, Codepoint, EcnRule, Pacing, PeerEcn};
pub use measures::{Arithmetic, Counting, DupackRule, Samples, ShownRtt};
pub use repair::{ExitWindow, PartialAck, Recovery, ReorderTimer};

units::choices! {
    /// How a connection opens.
    pub enum Handshake {
        /// Not at all: the first data segment is the first packet.
        None = "none",
        /// ns-2: segment 0 is an empty packet that stands for the SYN and is acknowledged like data.
        Ns2Syn = "ns2_syn",
        /// SYN, SYN-ACK, then data.
        ThreeWay = "three_way",
    }
}

units::choices! {
    /// How the retransmission timeout is computed.
    pub enum RtoRule {
        /// RFC 6298 in real arithmetic, rounded up to the granularity.
        Rfc6298 = "rfc6298",
        /// Integer ticks with srtt scaled by 8 and rttvar by 4 (4.3BSD, ns-2).
        Ticks = "ticks",
        /// Linux: the variance is a maximum over each round trip, and `min_rto` is a floor on four variances.
        Linux = "linux",
    }
}

units::choices! {
    /// What is halved when congestion strikes.
    pub enum Reduce {
        /// The usable window: the smaller of cwnd and the receiver's window.
        Window = "window",
        /// The segments in flight, those of limited transmit excepted (RFC 5681).
        Flight = "flight",
        /// The segments in flight less those held by the receiver or lost (ns-3).
        Pipe = "pipe",
    }
}

units::choices! {
    /// How the window shrinks during fast recovery with selective acknowledgements.
    pub enum Reduction {
        /// At once.
        AtOnce = "at_once",
        /// Proportional rate reduction, RFC 6937 with the slow-start bound.
        Prr6937 = "rfc6937",
        /// As ns-3.37 computes it: the slow-start bound holds where retransmitted data is acknowledged, and a product of bytes wraps
        /// at 2^32, so that a long recovery pauses. Without selective acknowledgements nothing counts as delivered: each duplicate lets
        /// a segment out (newreno).
        Ns3 = "ns3",
        /// As `rfc6937`, in shares of the window before the cut, and beyond what arrived only on an acknowledgement that moves on and
        /// shows no loss (Linux).
        Linux = "linux",
        /// Proportional rate reduction, RFC 9937: the bound follows the safety of each acknowledgement.
        Prr9937 = "rfc9937",
    }
}

units::params! {
    /// A TCP connection: the options of its sender and its receiver.
    pub struct Params {
        /// How losses are noticed and repaired.
        recovery: Recovery = Recovery::Sack,
        /// How the congestion window grows and shrinks.
        cc: Algorithm = Algorithm::Reno,
        /// What an ECN echo leaves of the window; auto: what a loss leaves.
        ecn_factor: Option<f64> = None => { range: Range::Between(0.0, 1.0), source: "RFC 8511: 0.8, 0.85 with cubic" },
        /// Scale of the cubic function.
        cubic_c: f64 = 0.4 => { unit: "segments/s^3", range: Range::Positive, source: "RFC 9438" },
        /// What a loss leaves of the window (cubic).
        cubic_beta: f64 = 0.7 => { range: Range::Between(0.0, 1.0), source: "RFC 9438" },
        /// A loss below the last maximum gives way to newcomers (cubic).
        cubic_fast_convergence: bool = true => { source: "RFC 9438" },
        /// The window is never below that of additive increase (cubic).
        cubic_friendly: bool = true => { source: "RFC 9438" },
        /// How cubic turns the function into segments.
        cubic_rule: CubicRule = CubicRule::Rfc9438 => { source: "RFC 9438" },
        /// How slow start ends before losses (cubic).
        hystart: HyStartRule = HyStartRule::Off => { source: "RFC 9406" },
        /// CUBIC's least round trip begins with that of the handshake; otherwise with the first acknowledged segment's.
        handshake_rtt: bool = false => { assumed: true },
        /// Weight of a window's share of marks in the estimate (dctcp).
        dctcp_g: f64 = 0.0625 => { range: Range::Above(0.0, 1.0), source: "RFC 8257" },
        /// The estimate at the start (dctcp).
        dctcp_alpha: f64 = 1.0 => { range: Range::Within(0.0, 1.0), source: "RFC 8257" },
        /// Weight of a round trip's share of marks in the estimate (prague).
        prague_g: f64 = 0.0625 => { range: Range::Above(0.0, 1.0), source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// The estimate at the start (prague).
        prague_alpha: f64 = 1.0 => { range: Range::Within(0.0, 1.0), source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// Round trips count as at least so long (prague).
        prague_rtt: Span = Span::from_millis(25) => { source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// Marks halve the window once a round trip where the round trip says that they come from a queue of the classic
        /// kind (prague).
        prague_fallback: bool = false => { source: "RFC 9331 section 4.3; Briscoe and Ahmed 2019" },
        /// Fewer segments queued: the window grows (vegas).
        vegas_alpha: f64 = 1.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// More segments queued: the window shrinks (vegas).
        vegas_beta: f64 = 3.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// More segments queued: slow start ends (vegas).
        vegas_gamma: f64 = 1.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// Whose Vegas (control and recovery).
        vegas_rule: VegasRule = VegasRule::Brakmo => { source: "Brakmo and Peterson 1995" },
        /// When bandwidth is sampled.
        westwood_rule: WestwoodRule = WestwoodRule::Plus => { source: "Grieco and Mascolo 2004" },
        /// What of the bandwidth estimate a sample keeps (westwood).
        westwood_filter: f64 = 0.9 => { range: Range::Within(0.0, 0.9999), source: "Grieco and Mascolo 2004" },
        /// Time constant of the filter where each acknowledgement is a sample (westwood, `original`).
        westwood_tau: Span = Span::from_millis(500) => { range: Range::Positive, source: "Mascolo 2001", assumed: true },
        /// Segments the window grows by in a round trip (gaimd).
        gaimd_alpha: f64 = 0.3125 => { unit: "segments", range: Range::Positive, source: "Yang and Lam 2000" },
        /// What a loss leaves of the window (gaimd).
        gaimd_beta: f64 = 0.875 => { range: Range::Between(0.0, 1.0), source: "Yang and Lam 2000" },
        /// The window grows by `binomial_alpha` over this power of it in a round trip (binomial).
        binomial_k: f64 = 0.5 => { range: Range::Within(0.0, 4.0), source: "Bansal and Balakrishnan 2001: SQRT" },
        /// A loss takes `binomial_beta` times this power of the window (binomial).
        binomial_l: f64 = 0.5 => { range: Range::Within(0.0, 1.0), source: "Bansal and Balakrishnan 2001: SQRT" },
        /// Scale of the increase (binomial).
        binomial_alpha: f64 = 1.0 => { range: Range::Positive, source: "Bansal and Balakrishnan 2001" },
        /// Scale of the decrease (binomial).
        binomial_beta: f64 = 0.5 => { range: Range::Above(0.0, 1.0), source: "Bansal and Balakrishnan 2001" },
        /// Whose BBR (bbr).
        bbr_rule: BbrRule = BbrRule::Original => { source: "Cardwell et al. 2017" },
        /// Pace over bandwidth, and window over the path's product, in startup; drain paces at its inverse (bbr).
        bbr_gain: f64 = 2.885 => { range: Range::Positive, source: "Cardwell et al. 2017: 2/ln 2; ns-3: 2.89" },
        /// What leaves at once by BBR's count (bbr).
        bbr_quantum: BbrQuantum = BbrQuantum::Rate => { source: "Cardwell et al. 2017; ns-3: segment" },
        /// Segments the window has more in the phase up (bbr).
        bbr_probe: u64 = 0 => { unit: "segments", source: "Linux, ns-3: 2" },
        /// The window allows for what was acknowledged in a row, counted up to so much; absent: for nothing (bbr).
        bbr_acked_in_row: Option<Bytes> = None => { range: Range::Positive, source: "ns-3: 4096 B" },
        /// The phase at which the cycle of gains begins, 0 the one up; absent: drawn (bbr).
        bbr_phase: Option<u64> = None => { range: Range::Within(0.0, 7.0), source: "ns-3, its first draw: 0" },
        /// What the repair of losses leaves of the window (bbr).
        bbr_exit: BbrExit = BbrExit::Restored => { source: "Cardwell et al. 2017; ns-3: ssthresh" },
        /// How the greatest bandwidth is kept (bbr).
        bbr_filter: BbrFilter = BbrFilter::Exact => { source: "Cardwell et al. 2017; ns-3: three" },
        /// Where a fifth of what is sent is lost over and over, and as much as before arrives, the pace keeps to that for 48 rounds (bbr).
        bbr_policer: bool = false => { source: "Linux" },
        /// A recovery begins a round: until it has passed, a segment leaves for each that arrives; else to the end of the present one (bbr).
        bbr_recovery_round: bool = true => { source: "Cardwell et al. 2017; ns-3: false" },
        /// What is lost leaves the window with any acknowledgement; else with what arrives in a recovery alone (bbr).
        bbr_lost_at_once: bool = true => { source: "Cardwell et al. 2017; ns-3: false" },
        /// What counts as newly lost (bbr).
        bbr_losses: BbrLosses = BbrLosses::New => { source: "Cardwell et al. 2017; ns-3: change" },
        /// Over which segment's interval a delivery rate is taken (bbr, bbr3).
        rate_interval: RateInterval = RateInterval::Newest => { source: "Cheng et al. 2022; ns-3: kept" },
        /// Since when the receiving side has taken to deliver what a rate counts (bbr, bbr3).
        rate_origin: RateOrigin = RateOrigin::Own => { source: "Cheng et al. 2022; ns-3: before" },
        /// A source that has handed over all it has limits the rates that are sampled from then on (bbr, bbr3).
        rate_ends: bool = true => { source: "Cheng et al. 2022; ns-3: false" },
        /// An acknowledgement that comes too soon for a sample repeats the rate of the last one; else it gives none (bbr, bbr3).
        rate_repeats: bool = false => { source: "Cheng et al. 2022; ns-3: true" },
        /// Delivery rates and the pace made of them are cut to whole bits a second (bbr).
        rate_whole: bool = false => { source: "ns-3: true" },
        /// Whether segments are spread over time.
        pacing: Pacing = Pacing::Auto => { source: "RFC 9002 section 7.7; draft-ietf-ccwg-bbr" },
        /// The initial window is spread, too, by the round trip of the handshake.
        pace_start: bool = true => { source: "draft-ietf-ccwg-bbr" },
        /// Share of its gap by which a departure that came late shortens the next.
        pace_credit: f64 = 0.0 => { range: Range::Within(0.0, 1.0), source: "Linux: 0.5" },
        /// What a recovery sends whatever the window says takes its time of the pace, though it does not wait; else where none waits for its own.
        pace_repairs: bool = true => { source: "ns-3: false" },
        /// A segment that is due as an acknowledgement arrives leaves before it counts.
        pace_first: bool = false => { source: "ns-3: true" },
        /// Pace over window and round trip in slow start, up to half the threshold.
        pacing_gain_start: f64 = 2.0 => { range: Range::Positive, source: "Linux tcp_pacing_ss_ratio" },
        /// Pace over window and round trip after that.
        pacing_gain: f64 = 1.2 => { range: Range::Positive, source: "Linux tcp_pacing_ca_ratio; RFC 9002: 1.25" },
        /// Payload of a data segment.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each segment on the wire.
        headers: Bytes = Bytes(40) => { source: "RFC 9293, RFC 791" },
        /// Bytes that timestamps add to each data segment (`samples`), where `headers` does not count them.
        timestamp_size: Bytes = Bytes(0) => { source: "RFC 7323: 12; ns-2 ts_option_size_" },
        /// Bytes of an acknowledgement on the wire, without SACK blocks.
        ack_size: Bytes = Bytes(40) => { range: Range::Positive, source: "RFC 9293, RFC 791" },
        /// Bytes each SACK block adds to an acknowledgement.
        sack_block_size: Bytes = Bytes(8) => { source: "RFC 2018" },
        /// SACK blocks an acknowledgement may carry; 0: the receiver sends none.
        sack_blocks: u64 = 3 => { range: Range::Within(0.0, 4.0), source: "RFC 2018" },
        /// A segment that arrives twice is reported by the first SACK block (D-SACK).
        dsack: bool = false => { source: "RFC 2883" },
        /// The window returns to what it was where a recovery turns out to have been for nothing: the echoed timestamp is
        /// older than the first retransmission (Eifel), or all that was sent again is reported as having come twice (rack).
        undo: bool = false => { source: "RFC 3522, RFC 4015, RFC 3708" },
        /// After a timeout two new segments leave before anything is sent again: if what had left before it keeps arriving, it
        /// was for nothing and the window returns to what it was (F-RTO; with tahoe, reno, newreno, sack and rack).
        frto: bool = false => { source: "RFC 5682" },
        /// The receiver's window; auto: no limit.
        window: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9) },
        /// Congestion window at the start.
        initial_window: u64 = 10 => { unit: "segments", range: Range::Within(1.0, 1e6), source: "RFC 6928" },
        /// Slow start threshold at the start; auto: the receiver's window.
        initial_ssthresh: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9), source: "RFC 5681" },
        /// How the connection opens.
        handshake: Handshake = Handshake::ThreeWay => { source: "RFC 9293" },
        /// Time between the handshake and the first data, as programs need that come to terms first (iperf3: a round trip or two).
        open_wait: Span = Span::ZERO => { source: "none: data follow at once" },
        /// Without a handshake, segment 0 carries no header bytes.
        bare_first: bool = false => { source: "ns-2 syn_ false" },
        /// The window is 1 until the first acknowledgement, the initial window after it.
        delay_growth: bool = false => { source: "ns-2 delay_growth_" },
        /// Duplicate acknowledgements that mean loss.
        dupack_threshold: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "RFC 5681" },
        /// The first duplicate acknowledgements each release a new segment.
        limited_transmit: bool = true => { source: "RFC 3042" },
        /// When a partial acknowledgement restarts the timer (NewReno).
        partial_ack: PartialAck = PartialAck::Impatient => { source: "RFC 6582" },
        /// A partial acknowledgement deflates the window by what it covers less one; otherwise to no inflation at all.
        partial_deflation: bool = true => { source: "RFC 6582" },
        /// What cwnd is as a recovery ends (NewReno).
        exit_window: ExitWindow = ExitWindow::Flight => { source: "RFC 6582" },
        /// Duplicate acknowledgements inflate the window even where fast retransmit was not allowed.
        inflate_always: bool = false => { source: "ns-2 exitFastRetrans_ false" },
        /// Fast retransmit may repair the first data segment, and the loss of the first packet makes the initial window 1.
        opening_fix: bool = true => { source: "RFC 5681; ns-2 bugfix_ss_" },
        /// Fast retransmit waits until the losses of the last window cut are repaired.
        once_a_window: bool = true => { source: "RFC 6582; ns-2 bugFix_" },
        /// A duplicate acknowledgement counts also when nothing is outstanding.
        idle_dupacks: bool = false => { source: "ns-2 true" },
        /// The acknowledgement that ends a recovery also grows the window.
        grow_on_exit: bool = false => { source: "ns-2 true" },
        /// Segments a duplicate acknowledgement may release in recovery; 0: no limit.
        recovery_burst: u64 = 0 => { unit: "segments" },
        /// Segments any one acknowledgement may release; 0: no limit.
        max_burst: u64 = 0 => { unit: "segments" },
        /// A recovery that ends while repairs are still on their way is followed by another at once, with a cut of its own (rack).
        chain_repairs: bool = false => { source: "Linux" },
        /// When losses are looked for again because of what may only be reordered (rack).
        reorder_timer: ReorderTimer = ReorderTimer::Exact => { source: "RFC 8985; Linux: ticks" },
        /// The pipe starts a recovery from the flight; otherwise from cwnd (sack1).
        pipe_from_flight: bool = true => { source: "ns-2 oldCode_ false" },
        /// The last segment is retransmitted once when nothing else may be sent in recovery (sack).
        rescue: bool = true => { source: "RFC 6675" },
        /// In recovery, segments above the highest one held are retransmitted too when nothing else may be sent, and
        /// retransmissions count as in flight until acknowledged cumulatively (sack).
        repair_all: bool = false => { source: "ns-3" },
        /// How the window shrinks in a recovery with SACK.
        reduction: Reduction = Reduction::AtOnce => { source: "RFC 6675" },
        /// What congestion halves.
        reduce: Reduce = Reduce::Flight => { source: "RFC 5681" },
        /// Greatest congestion window; auto: no limit.
        max_cwnd: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9) },
        /// How window arithmetic rounds.
        arithmetic: Arithmetic = Arithmetic::Real,
        /// Which acknowledgements count as duplicates (sack).
        dupack_rule: DupackRule = DupackRule::NoAdvance => { source: "RFC 6675 section 2: rfc6675" },
        /// A partial acknowledgement releases a segment, whatever the window, unless the first hole has been retransmitted; only
        /// the first one of a recovery restarts the timer (sack).
        repair_partial: bool = false => { source: "ns-3" },
        /// What one recovery retransmitted the next does not retransmit again, and it counts as in flight (sack).
        keep_repairs: bool = false => { source: "ns-3" },
        /// Losses begin another recovery once all sent before the last cut is acknowledged; else once more is (tahoe, reno, newreno).
        recover_exactly: bool = false => { source: "RFC 6582; ns-3 true" },
        /// Duplicates count while a timeout is repaired: limited transmit, fast retransmission (tahoe, reno, newreno).
        dupacks_in_loss: bool = true => { source: "RFC 3042; ns-3 false" },
        /// The flight by the scoreboard limits what leaves outside recovery, too, and what is lost leaves again there (sack).
        pipe_always: bool = false => { source: "ns-3" },
        /// Which round trip the congestion control is shown.
        shown_rtt: ShownRtt = ShownRtt::Sample => { source: "ns-3: smoothed" },
        /// What window growth counts.
        counting: Counting = Counting::Acks => { source: "RFC 5681" },
        /// The window grows also while the receiver's window or the source limits the sender.
        grow_unused: bool = false => { source: "RFC 7661; ns-2 true" },
        /// How the timeout is computed.
        rto_rule: RtoRule = RtoRule::Rfc6298 => { source: "RFC 6298" },
        /// Which segments give round-trip samples.
        samples: Samples = Samples::PerWindow => { source: "RFC 6298" },
        /// An acknowledgement gives a sample by its timestamp also if the first segment it covers was sent more than once.
        sample_repairs: bool = true => { source: "RFC 7323; ns-3 false" },
        /// A sample by the timestamp of a segment sent again ends the backoff of the timer; else only one of a segment sent once does.
        echo_ends_backoff: bool = true => { source: "RFC 6298 section 5; ns-2: false (ts_resetRTO_)" },
        /// Granularity of the round-trip clock.
        tick: Span = Span::from_millis(1) => { range: Range::Positive, source: "RFC 6298 leaves it open", assumed: true },
        /// Offset of the round-trip clock; auto: drawn within one tick.
        boot_time: Option<Span> = None => { source: "ns-2" },
        /// Timeout before the first sample.
        initial_rto: Span = Span::from_millis(1000) => { range: Range::Positive, source: "RFC 6298" },
        /// Least timeout.
        min_rto: Span = Span::from_millis(1000) => { source: "RFC 6298" },
        /// Greatest timeout.
        max_rto: Span = Span::from_millis(60_000) => { range: Range::Positive, source: "RFC 6298" },
        /// The least timeout is applied after backing off; otherwise before.
        min_after_backoff: bool = false => { source: "ns-2 rfc2988_ false" },
        /// The timer runs on when nothing is outstanding; its end then shrinks cwnd to 1.
        timer_when_idle: bool = false => { source: "ns-2" },
        /// The timer restarts after the round-trip estimate of the same acknowledgement; otherwise before.
        timer_after_sample: bool = true => { source: "RFC 6298" },
        /// A fast retransmission restarts the timer.
        timer_on_repair: bool = false => { source: "RFC 6298 says nothing; ns-2 and Linux true" },
        /// A timeout with nothing above the last one keeps ssthresh (RFC 5681 section 3.1).
        keep_ssthresh: bool = true => { source: "RFC 5681" },
        /// Explicit congestion notification; `dctcp` and `prague` turn it on.
        ecn: bool = false => { source: "RFC 3168" },
        /// Who says what in its dialogue; `dctcp` and `prague` bring their own.
        ecn_rule: EcnRule = EcnRule::Rfc3168 => { source: "RFC 3168" },
        /// What ECN the receiver can do, which the handshake finds out (`handshake = "three_way"`).
        peer_ecn: PeerEcn = PeerEcn::Same => { source: "RFC 9768 section 3.1.2" },
        /// Acknowledgements tell by an option how many bytes arrived marked (`accecn`); false: something on the path takes it out.
        accecn_option: bool = true => { source: "RFC 9768 section 3.2.3" },
        /// What segments are marked with as ECN-capable; ECT(1) with `prague`.
        ect: Codepoint = Codepoint::Ect0 => { source: "RFC 3168, RFC 9331" },
        /// In-order segments for one acknowledgement: 1 acknowledges each.
        ack_every: u64 = 2 => { range: Range::Within(1.0, 1e6), source: "RFC 5681" },
        /// An acknowledgement waits at most this long.
        ack_timeout: Span = Span::from_millis(200) => { range: Range::Positive, source: "RFC 1122 allows 500 ms", assumed: true },
        /// When an acknowledgement may not wait.
        ack_rule: AckRule = AckRule::Rfc5681 => { source: "RFC 5681" },
        /// A segment that fills part of a gap is acknowledged at once.
        ack_gaps: bool = true => { source: "RFC 5681 section 4.2" },
        /// An acknowledgement echoes the time of the segment that brought it about, even if that was not the next in order;
        /// else that of the first in order it answers (RFC 7323).
        echo_newest: bool = false => { source: "RFC 7323 section 4.3; true: ns-2 ts_echo_rfc1323_" },
        /// Segments acknowledged at once at the start of a connection.
        quick_acks: u64 = 0 => { source: "Linux" },
        /// New segments leave in bunches of a millisecond, two at least; less waits for the window; the last one has PSH set (rack).
        bunches: bool = false => { source: "Linux" },
        /// Upper end of the random delay before a window of data leaves (ns-2 `overhead_`).
        overhead: Span = Span::ZERO => { source: "ns-2" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        crate::profiles::PROFILES
    }

    fn implied(&self) -> &'static [(&'static str, &'static str)] {
        self.cc.implied()
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.max_rto >= self.min_rto,
            "max_rto",
            units::quantity::show_span(self.max_rto),
            format!("must be at least min_rto ({})", units::quantity::show_span(self.min_rto)),
            "raise max_rto or lower min_rto",
        );
        let sack = self.recovery.selective();
        require(
            problems,
            !sack || self.sack_blocks > 0,
            "sack_blocks",
            self.sack_blocks,
            "must be at least 1 when recovery uses selective acknowledgements",
            "",
        );
        require(
            problems,
            !self.frto || !matches!(self.recovery, Recovery::Sack1 | Recovery::Vegas),
            "frto",
            self.frto,
            "must be false with recovery = sack1 or vegas",
            "take another recovery or leave frto out",
        );
        dialogue::check(self, problems);
        require(
            problems,
            self.vegas_beta >= self.vegas_alpha,
            "vegas_beta",
            self.vegas_beta,
            format!("must be at least vegas_alpha ({})", self.vegas_alpha),
            "",
        );
        require(problems, self.sack_blocks <= 4, "sack_blocks", self.sack_blocks, "must be at most 4", "");
        require_packet(self.mss, Bytes(self.headers.0.saturating_add(self.timestamp_size.0)), problems);
    }
}
