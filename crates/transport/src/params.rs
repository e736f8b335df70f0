//! The parameters of a TCP connection: one table of named options for sender and receiver.
//! A profile (see [`crate::profiles`]) is a row of options; a result prints both the profile and its options.
//! *Units*: windows, thresholds and bursts count segments.
use units::{param::Range, Bytes, Span};
mod algorithm;
mod controls;
mod feedback;
mod handshake;
mod measurement;
mod recovery;
mod relations;
pub(crate) mod sizes;
pub(crate) use algorithm::for_each_control;
pub use algorithm::{Algorithm, ControlName};
pub use controls::*;
pub use feedback::{AckRule, Codepoint, EcnRule, Pacing, PeerEcn};
pub use handshake::Handshake;
pub use measurement::{Arithmetic, Counting, DupackRule, RtoRule, RttSamples, ShownRtt};
pub use recovery::{ExitWindow, PartialAck, Recovery, Reduce, Reduction, ReorderTimer, WindowUsage};

units::params! {
    /// A TCP connection: the options of its sender and its receiver.
    pub struct Params {
        /// Loss detection and recovery algorithm.
        recovery: Recovery = Recovery::Sack,
        /// Congestion control algorithm.
        cc: ControlName = ControlName::BuiltIn(Algorithm::Reno),
        /// Share of the window left by an ECN echo; auto: the share left by a loss.
        ecn_factor: Option<f64> = None => { range: Range::Between(0.0, 1.0), source: "RFC 8511: 0.8, 0.85 with cubic" },
        /// Constant C of the cubic function (cubic).
        cubic_c: f64 = 0.4 => { unit: "segments/s^3", range: Range::Positive, source: "RFC 9438" },
        /// Share of the window left by a loss (cubic).
        cubic_beta: f64 = 0.7 => { range: Range::Between(0.0, 1.0), source: "RFC 9438" },
        /// Fast convergence: a loss below the last maximum lowers the plateau (cubic).
        cubic_fast_convergence: bool = true => { source: "RFC 9438" },
        /// Reno-friendly region: the window is at least that of additive increase (cubic).
        cubic_friendly: bool = true => { source: "RFC 9438" },
        /// How the cubic function becomes segments (cubic).
        cubic_rule: CubicRule = CubicRule::Rfc9438 => { source: "RFC 9438" },
        /// How slow start ends before losses (cubic).
        hystart: HyStartRule = HyStartRule::Off => { source: "RFC 9406" },
        /// The minimum RTT includes that of the handshake (cubic, htcp, illinois, veno, yeah, compound).
        handshake_rtt: bool = false => { assumed: true },
        /// Weight of a window's share of marks in alpha (dctcp).
        dctcp_g: f64 = 0.0625 => { range: Range::Above(0.0, 1.0), source: "RFC 8257" },
        /// Initial alpha (dctcp).
        dctcp_alpha: f64 = 1.0 => { range: Range::Within(0.0, 1.0), source: "RFC 8257" },
        /// Arithmetic of alpha (dctcp).
        dctcp_rule: DctcpRule = DctcpRule::Rfc8257 => { source: "RFC 8257" },
        /// Weight of a round trip's share of marks in alpha (prague).
        prague_g: f64 = 0.0625 => { range: Range::Above(0.0, 1.0), source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// Initial alpha (prague).
        prague_alpha: f64 = 1.0 => { range: Range::Within(0.0, 1.0), source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// Lower bound on the RTT in the growth law (prague).
        prague_rtt: Span = Span::from_millis(25) => { source: "draft-briscoe-iccrg-prague-congestion-control" },
        /// Classic ECN fallback: marks halve the window once per RTT if the RTT suggests a classic queue (prague).
        prague_fallback: bool = false => { source: "RFC 9331 section 4.3; Briscoe and Ahmed 2019" },
        /// Lower bound on queued segments, below which the window grows (vegas).
        vegas_alpha: f64 = 1.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// Upper bound on queued segments, above which the window shrinks (vegas).
        vegas_beta: f64 = 3.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// Queued segments that end slow start (vegas).
        vegas_gamma: f64 = 1.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Brakmo 1994; ns-2" },
        /// Implementation of Vegas (control and recovery).
        vegas_rule: VegasRule = VegasRule::Brakmo => { source: "Brakmo and Peterson 1995" },
        /// When bandwidth is sampled (westwood).
        westwood_rule: WestwoodRule = WestwoodRule::Plus => { source: "Grieco and Mascolo 2004" },
        /// Implementation of several controls (bic, cdg, highspeed, htcp, hybla, veno, yeah).
        module_rule: ModuleRule = ModuleRule::Published => { source: "the sources of each control" },
        /// Share of the bandwidth estimate kept by a sample (westwood).
        westwood_filter: f64 = 0.9 => { range: Range::Within(0.0, 0.9999), source: "Grieco and Mascolo 2004" },
        /// Time constant of the filter with a sample per ACK (westwood, `original`).
        westwood_tau: Span = Span::from_millis(500) => { range: Range::Positive, source: "Mascolo 2001", assumed: true },
        /// Increase of the window per round trip (gaimd).
        gaimd_alpha: f64 = 0.3125 => { unit: "segments", range: Range::Positive, source: "Yang and Lam 2000" },
        /// Share of the window left by a loss (gaimd).
        gaimd_beta: f64 = 0.875 => { range: Range::Between(0.0, 1.0), source: "Yang and Lam 2000" },
        /// Exponent k of the increase: the window grows by `binomial_alpha / cwnd^k` per round trip (binomial).
        binomial_k: f64 = 0.5 => { range: Range::Within(0.0, 4.0), source: "Bansal and Balakrishnan 2001: SQRT" },
        /// Exponent l of the decrease: a loss takes `binomial_beta * cwnd^l` (binomial).
        binomial_l: f64 = 0.5 => { range: Range::Within(0.0, 1.0), source: "Bansal and Balakrishnan 2001: SQRT" },
        /// Scale of the increase (binomial).
        binomial_alpha: f64 = 1.0 => { range: Range::Positive, source: "Bansal and Balakrishnan 2001" },
        /// Scale of the decrease (binomial).
        binomial_beta: f64 = 0.5 => { range: Range::Above(0.0, 1.0), source: "Bansal and Balakrishnan 2001" },
        /// Window up to which it is Reno (highspeed).
        highspeed_low_window: f64 = 38.0 => { unit: "segments", range: Range::Within(2.0, 1e6), source: "RFC 3649" },
        /// Window at which a loss takes `highspeed_high_decrease` (highspeed).
        highspeed_high_window: f64 = 83_000.0 => { unit: "segments", range: Range::Within(3.0, 1e9), source: "RFC 3649" },
        /// Loss rate at `highspeed_high_window` (highspeed).
        highspeed_high_p: f64 = 1e-7 => { range: Range::Between(0.0, 1.0), source: "RFC 3649" },
        /// Share of the window that a loss takes at `highspeed_high_window` (highspeed).
        highspeed_high_decrease: f64 = 0.1 => { range: Range::Between(0.0, 1.0), source: "RFC 3649" },
        /// Growth per acknowledged segment (scalable; yeah in its fast mode).
        scalable_a: f64 = 0.01 => { unit: "segments", range: Range::Above(0.0, 1.0), source: "Kelly 2003" },
        /// Share of the window that a loss takes (scalable).
        scalable_b: f64 = 0.125 => { range: Range::Between(0.0, 1.0), source: "Kelly 2003" },
        /// Window up to which it is Reno (scalable).
        scalable_legacy_window: f64 = 16.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Kelly 2003" },
        /// Time since the last loss during which it grows as Reno (htcp).
        htcp_delta_l: Span = Span::from_millis(1000) => { source: "draft-leith-tcp-htcp" },
        /// Least share of the window left by a loss (htcp).
        htcp_beta_min: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "draft-leith-tcp-htcp" },
        /// Largest share of the window left by a loss (htcp).
        htcp_beta_max: f64 = 0.8 => { range: Range::Between(0.0, 1.0), source: "draft-leith-tcp-htcp" },
        /// Throughput that changed by more than a fifth since the last loss leaves `htcp_beta_min` (htcp).
        htcp_bandwidth_switch: bool = true => { source: "draft-leith-tcp-htcp" },
        /// The increase is proportional to the RTT, relative to 100 ms, within 0.1 and 2 (htcp).
        htcp_rtt_scaling: bool = true => { source: "draft-leith-tcp-htcp; Linux: true" },
        /// Window up to which it is Reno (bic).
        bic_low_window: f64 = 14.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Xu 2004" },
        /// Largest increase per round trip (bic).
        bic_s_max: f64 = 32.0 => { unit: "segments", range: Range::Positive, source: "Xu 2004; Linux: 16" },
        /// Least increase per round trip (bic).
        bic_s_min: f64 = 0.01 => { unit: "segments", range: Range::Positive, source: "Xu 2004" },
        /// Share of the window that a loss takes (bic).
        bic_beta: f64 = 0.125 => { range: Range::Between(0.0, 1.0), source: "Xu 2004; Linux: 0.2" },
        /// Fast convergence: a loss below the last maximum lowers it (bic).
        bic_fast_convergence: bool = true => { source: "Xu 2004" },
        /// RTT of the flow whose growth it follows (hybla).
        hybla_rtt: Span = Span::from_millis(25) => { range: Range::Positive, source: "Caini and Firrincieli 2004" },
        /// Increase per round trip at the maximum delay (illinois).
        illinois_alpha_min: f64 = 0.3 => { unit: "segments", range: Range::Positive, source: "Liu 2006; Linux" },
        /// Increase per round trip without delay (illinois).
        illinois_alpha_max: f64 = 10.0 => { unit: "segments", range: Range::Positive, source: "Liu 2006" },
        /// Share of the window that a loss takes without delay (illinois).
        illinois_beta_min: f64 = 0.125 => { range: Range::Between(0.0, 1.0), source: "Liu 2006" },
        /// Share of the window that a loss takes at the maximum delay (illinois).
        illinois_beta_max: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "Liu 2006" },
        /// Window below which it is Reno (illinois).
        illinois_window: u64 = 15 => { unit: "segments", range: Range::Within(0.0, 1e9), source: "Linux", assumed: true },
        /// Round trips without delay before the increase is the largest again (illinois).
        illinois_rounds: u64 = 5 => { range: Range::Within(1.0, 1e6), source: "Liu 2006" },
        /// Share of the window left by a backoff (cdg).
        cdg_beta: f64 = 0.7 => { range: Range::Between(0.0, 1.0), source: "Hayes and Armitage 2011; FreeBSD beta_delay" },
        /// Gradient of the RTT per round trip at which the probability of a backoff is 1 - 1/e (cdg).
        cdg_scale: Span = Span::from_millis(3) => { range: Range::Positive, source: "Hayes and Armitage 2011; Linux backoff_factor" },
        /// Round trips in the mean of the gradient (cdg).
        cdg_rounds: u64 = 8 => { range: Range::Within(1.0, 1000.0), source: "Hayes and Armitage 2011" },
        /// Backoffs in a row without a falling RTT, after which as many are left out; 0: any number (cdg).
        cdg_backoffs: u64 = 5 => { range: Range::Within(0.0, 1e6), source: "Hayes and Armitage 2011" },
        /// A loss halves the window that losses alone would have left (cdg).
        cdg_shadow: bool = true => { source: "Hayes and Armitage 2011" },
        /// A loss while the gradients show no full queue leaves the window as it is (cdg).
        cdg_tolerance: bool = false => { source: "Linux use_tolerance; true: Hayes and Armitage 2011" },
        /// Queued segments from which a loss counts as congestion (veno).
        veno_beta: f64 = 3.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "Fu and Liew 2003" },
        /// Queued segments above which the queue is drained (yeah).
        yeah_queue: f64 = 80.0 => { unit: "segments", range: Range::Positive, source: "Baiocchi 2007; Linux" },
        /// Queueing delay, relative to the minimum RTT, that ends the fast mode (yeah).
        yeah_delay: f64 = 0.125 => { range: Range::Positive, source: "Baiocchi 2007: 1/phi, phi = 8" },
        /// Slow rounds after which a loss takes a half (yeah).
        yeah_rho: u64 = 16 => { range: Range::Within(1.0, 1e6), source: "Linux", assumed: true },
        /// Scale of the growth of the delay window (compound).
        compound_alpha: f64 = 0.125 => { range: Range::Positive, source: "draft-sridharan-tcpm-ctcp" },
        /// Share of the window that a loss takes (compound).
        compound_beta: f64 = 0.5 => { range: Range::Between(0.0, 1.0), source: "draft-sridharan-tcpm-ctcp" },
        /// Exponent of the growth of the delay window (compound).
        compound_k: f64 = 0.75 => { range: Range::Within(0.0, 1.0), source: "draft-sridharan-tcpm-ctcp" },
        /// Queued segments from which the delay window shrinks (compound).
        compound_gamma: f64 = 30.0 => { unit: "segments", range: Range::Positive, source: "draft-sridharan-tcpm-ctcp" },
        /// Share of the queue by which the delay window shrinks per round trip (compound).
        compound_zeta: f64 = 1.0 => { range: Range::Positive, source: "draft-sridharan-tcpm-ctcp", assumed: true },
        /// Window from which the delay window is used (compound).
        compound_low_window: f64 = 38.0 => { unit: "segments", range: Range::Within(0.0, 1e6), source: "draft-sridharan-tcpm-ctcp" },
        /// Queueing delay at which the window stays constant (ledbat). The RFC allows at most 100 ms.
        ledbat_target: Span = Span::from_millis(100) => { range: Range::Positive, source: "RFC 6817" },
        /// Growth on an empty queue, in segments per RTT (ledbat). The RFC allows at most 1; RFC 7928 tests with 10.
        ledbat_gain: f64 = 1.0 => { unit: "segments", range: Range::Above(0.0, 10.0), source: "RFC 6817" },
        /// Segments by which the window may exceed the flight (ledbat).
        ledbat_allowed_increase: f64 = 1.0 => { unit: "segments", range: Range::Positive, source: "RFC 6817" },
        /// Minutes whose minimum RTT is the base (ledbat, ledbat_pp).
        ledbat_history: u64 = 10 => { unit: "min", range: Range::Within(1.0, 1e4), source: "RFC 6817" },
        /// RTT samples whose minimum is the current delay (ledbat, ledbat_pp).
        ledbat_filter: u64 = 4 => { range: Range::Within(1.0, 1e4), source: "RFC 6817", assumed: true },
        /// Reno's slow start precedes the control of the delay (ledbat).
        ledbat_slow_start: bool = false => { source: "RFC 6817; ns-3: true", assumed: true },
        /// Queueing delay above which the window shrinks (ledbat_pp).
        ledbat_pp_target: Span = Span::from_millis(60) => { range: Range::Positive, source: "draft-irtf-iccrg-ledbat-plus-plus" },
        /// Share of the window by which it shrinks per round trip at twice the target (ledbat_pp).
        ledbat_pp_constant: f64 = 1.0 => { range: Range::Positive, source: "draft-irtf-iccrg-ledbat-plus-plus" },
        /// Implementation of BBR (bbr).
        bbr_rule: BbrRule = BbrRule::Original => { source: "Cardwell et al. 2017" },
        /// Gain of pacing rate and window in startup; drain paces at its inverse (bbr).
        bbr_gain: f64 = 2.885 => { range: Range::Positive, source: "Cardwell et al. 2017: 2/ln 2; ns-3: 2.89" },
        /// Send quantum (bbr).
        bbr_quantum: BbrQuantum = BbrQuantum::Rate => { source: "Cardwell et al. 2017; ns-3: segment" },
        /// Segments added to the window in the up phase of the cycle (bbr).
        bbr_probe: u64 = 0 => { unit: "segments", source: "Linux, ns-3: 2" },
        /// The window includes an allowance for ACK aggregation, up to this many bytes acknowledged in a row; absent:
        /// none (bbr).
        bbr_acked_in_row: Option<Bytes> = None => { range: Range::Positive, source: "ns-3: 4096 B" },
        /// First phase of the gain cycle, 0 for the up phase; absent: drawn at random (bbr).
        bbr_phase: Option<u64> = None => { range: Range::Within(0.0, 7.0), source: "ns-3, its first draw: 0" },
        /// Window after a loss recovery (bbr).
        bbr_exit: BbrExit = BbrExit::Restored => { source: "Cardwell et al. 2017; ns-3: ssthresh" },
        /// Filter of the maximum bandwidth (bbr).
        bbr_filter: BbrFilter = BbrFilter::Exact => { source: "Cardwell et al. 2017; ns-3: three" },
        /// Policer detection: if a fifth of the segments is lost in consecutive intervals at the same delivery rate,
        /// that rate is used for 48 rounds (bbr).
        bbr_policer: bool = false => { source: "Linux" },
        /// A recovery starts a round: packet conservation lasts for it; otherwise until the present one ends (bbr).
        bbr_recovery_round: bool = true => { source: "Cardwell et al. 2017; ns-3: false" },
        /// Losses reduce the window with any ACK; otherwise only with deliveries in a recovery (bbr).
        bbr_lost_at_once: bool = true => { source: "Cardwell et al. 2017; ns-3: false" },
        /// The rule for newly lost data (bbr).
        bbr_losses: BbrLosses = BbrLosses::New => { source: "Cardwell et al. 2017; ns-3: change" },
        /// Segment whose interval gives the delivery rate (bbr, bbr3).
        rate_interval: RateInterval = RateInterval::Newest => { source: "Cheng et al. 2022; ns-3: kept" },
        /// Start of the ACK phase of a rate sample (bbr, bbr3).
        rate_origin: RateOrigin = RateOrigin::Own => { source: "Cheng et al. 2022; ns-3: before" },
        /// A source without further data makes later rate samples application-limited (bbr, bbr3).
        rate_ends: bool = true => { source: "Cheng et al. 2022; ns-3: false" },
        /// An ACK too early for a rate sample repeats the last rate; otherwise it gives none (bbr, bbr3).
        rate_repeats: bool = false => { source: "Cheng et al. 2022; ns-3: true" },
        /// Delivery rates and the pacing rate are truncated to whole bits per second (bbr).
        rate_whole: bool = false => { source: "ns-3: true" },
        /// Whether segments are paced.
        pacing: Pacing = Pacing::Auto => { source: "RFC 9002 section 7.7; draft-ietf-ccwg-bbr" },
        /// The initial window is paced, too, by the RTT of the handshake.
        pace_start: bool = true => { source: "draft-ietf-ccwg-bbr" },
        /// Share of its gap by which a late departure shortens the next gap.
        pace_credit: f64 = 0.0 => { range: Range::Within(0.0, 1.0), source: "Linux: 0.5" },
        /// Retransmissions forced by a recovery use pacing time, though they do not wait; otherwise only if the gap has
        /// passed.
        pace_retransmissions: bool = true => { source: "ns-3: false" },
        /// A segment that is due when an ACK arrives leaves before the ACK is processed.
        pace_first: bool = false => { source: "ns-3: true" },
        /// Pacing rate relative to cwnd per RTT in slow start, up to half of ssthresh.
        pacing_gain_start: f64 = 2.0 => { range: Range::Positive, source: "Linux tcp_pacing_ss_ratio" },
        /// Pacing rate relative to cwnd per RTT after that.
        pacing_gain: f64 = 1.2 => { range: Range::Positive, source: "Linux tcp_pacing_ca_ratio; RFC 9002: 1.25" },
        /// Payload of a data segment.
        mss: Bytes = Bytes(1460) => { range: Range::Positive, source: "RFC 6691 over 1500-byte links" },
        /// Header bytes added to each segment on the wire.
        headers: Bytes = Bytes(40) => { source: "RFC 9293, RFC 791" },
        /// Bytes that timestamps add to each data segment (`samples`), if `headers` does not include them.
        timestamp_size: Bytes = Bytes(0) => { source: "RFC 7323: 12; ns-2 ts_option_size_" },
        /// Bytes of an ACK on the wire, without SACK blocks.
        ack_size: Bytes = Bytes(40) => { range: Range::Positive, source: "RFC 9293, RFC 791" },
        /// Bytes per SACK block.
        sack_block_size: Bytes = Bytes(8) => { source: "RFC 2018" },
        /// Maximum number of SACK blocks per ACK; 0: the receiver sends none.
        sack_blocks: u64 = 3 => { range: Range::Within(0.0, 4.0), source: "RFC 2018" },
        /// The first SACK block reports duplicate segments (DSACK).
        dsack: bool = false => { source: "RFC 2883" },
        /// Restores the window if a recovery was spurious: the echoed timestamp is older than the first retransmission
        /// (Eifel), or all retransmissions are reported as duplicates (rack).
        undo: bool = false => { source: "RFC 3522, RFC 4015, RFC 3708" },
        /// After a timeout sends two new segments before further retransmissions: if segments sent before the timeout
        /// keep arriving, it was spurious and the window is restored (F-RTO; no effect with sack1 and vegas).
        frto: bool = false => { source: "RFC 5682" },
        /// Receive window; auto: unlimited.
        window: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9) },
        /// Largest receive buffer (Linux's tcp_rmem), 0.6325 of which is the receive window; auto: unlimited.
        receive_buffer: Option<Bytes> = None => { range: Range::Positive, source: "Linux: 32 MiB, less with little memory" },
        /// The receive window opens from 64 kB as in Linux (with `ack_rule = "linux"`); else it is fully open.
        receive_autotuning: bool = false => { source: "Linux tcp_moderate_rcvbuf: true" },
        /// Largest send buffer (Linux's tcp_wmem), always full, which grows with the window (rack); auto: unlimited.
        send_buffer: Option<Bytes> = None => { range: Range::Positive, source: "Linux: 4 MiB" },
        /// Whether the window counts as used, so that it may grow.
        window_usage: WindowUsage = WindowUsage::Flight => { source: "RFC 7661 section 4.1" },
        /// Initial congestion window.
        initial_window: u64 = 10 => { unit: "segments", range: Range::Within(1.0, 1e6), source: "RFC 6928" },
        /// Initial slow start threshold; auto: the receive window.
        initial_ssthresh: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9), source: "RFC 5681" },
        /// How the connection is opened.
        handshake: Handshake = Handshake::ThreeWay => { source: "RFC 9293" },
        /// Time between the handshake and the first data, as for programs that negotiate first (iperf3: one or two
        /// round trips).
        open_wait: Span = Span::ZERO => { source: "none: data follow at once" },
        /// Without a handshake, segment 0 carries no header bytes.
        bare_first: bool = false => { source: "ns-2 syn_ false" },
        /// The window is 1 until the first ACK, then the initial window.
        delay_growth: bool = false => { source: "ns-2 delay_growth_" },
        /// Duplicate ACKs that indicate loss.
        dupack_threshold: u64 = 3 => { range: Range::Within(1.0, 1e6), source: "RFC 5681" },
        /// Limited transmit: each of the first duplicate ACKs releases a new segment.
        limited_transmit: bool = true => { source: "RFC 3042" },
        /// When a partial ACK restarts the retransmission timer (newreno).
        partial_ack: PartialAck = PartialAck::Impatient => { source: "RFC 6582" },
        /// A partial ACK deflates the window by the segments acknowledged less one; otherwise it removes all inflation.
        partial_deflation: bool = true => { source: "RFC 6582" },
        /// cwnd at the end of a recovery (newreno).
        exit_window: ExitWindow = ExitWindow::Flight => { source: "RFC 6582" },
        /// Duplicate ACKs inflate the window even if fast retransmit was not allowed.
        inflate_always: bool = false => { source: "ns-2 exitFastRetrans_ false" },
        /// Fast retransmit may retransmit the first data segment, as RACK always does, and the loss of the first packet
        /// makes the initial window 1.
        opening_fix: bool = true => { source: "RFC 5681; ns-2 bugfix_ss_" },
        /// Fast retransmit waits until the losses of the last window reduction are repaired.
        once_a_window: bool = true => { source: "RFC 6582; ns-2 bugFix_" },
        /// Duplicate ACKs count even if nothing is outstanding.
        idle_dupacks: bool = false => { source: "ns-2 true" },
        /// The ACK that ends a recovery also grows the window.
        grow_on_exit: bool = false => { source: "ns-2 true" },
        /// Segments that a duplicate ACK may release in recovery; 0: no limit.
        recovery_burst: u64 = 0 => { unit: "segments" },
        /// Segments that one ACK may release; 0: no limit.
        max_burst: u64 = 0 => { unit: "segments" },
        /// A recovery that ends while retransmissions are in flight is followed by another, with its own window
        /// reduction (rack).
        chain_recoveries: bool = false => { source: "Linux" },
        /// When losses are detected after a reordering delay (rack).
        reorder_timer: ReorderTimer = ReorderTimer::Exact => { source: "RFC 8985; Linux: ticks" },
        /// The initial pipe of a recovery is the flight; otherwise cwnd (sack1).
        pipe_from_flight: bool = true => { source: "ns-2 oldCode_ false" },
        /// Rescue retransmission: the last segment is retransmitted once if recovery may send nothing else (sack).
        rescue: bool = true => { source: "RFC 6675" },
        /// In recovery, segments above the highest SACKed one are retransmitted, too, if nothing else may be sent, and
        /// retransmissions count as in flight until acknowledged cumulatively (sack).
        retransmit_all: bool = false => { source: "ns-3" },
        /// How the window is reduced in a recovery with SACK.
        reduction: Reduction = Reduction::AtOnce => { source: "RFC 6675" },
        /// The quantity reduced on congestion.
        reduce: Reduce = Reduce::Flight => { source: "RFC 5681" },
        /// Upper bound on the congestion window; auto: none.
        max_cwnd: Option<u64> = None => { unit: "segments", range: Range::Within(1.0, 1e9) },
        /// Rounding of window arithmetic.
        arithmetic: Arithmetic = Arithmetic::Real,
        /// The rule for duplicate ACKs (sack).
        dupack_rule: DupackRule = DupackRule::NoAdvance => { source: "RFC 6675 section 2: rfc6675" },
        /// A partial ACK releases a segment regardless of the window, unless the first hole has been retransmitted;
        /// only the first partial ACK of a recovery restarts the timer (sack).
        retransmit_at_partial: bool = false => { source: "ns-3" },
        /// Segments retransmitted in one recovery are not retransmitted in the next and count as in flight (sack).
        keep_retransmissions: bool = false => { source: "ns-3" },
        /// A loss starts a recovery once everything sent before the last reduction is acknowledged; otherwise one
        /// segment later (tahoe, reno, newreno).
        recover_exactly: bool = false => { source: "RFC 6582; ns-3 true" },
        /// Duplicate ACKs count in recovery from a timeout: limited transmit, fast retransmit (tahoe, reno, newreno).
        dupacks_in_loss: bool = true => { source: "RFC 3042; ns-3 false" },
        /// The pipe limits sending outside recovery, too, and lost segments are retransmitted there (sack).
        pipe_always: bool = false => { source: "ns-3" },
        /// RTT shown to the congestion control.
        shown_rtt: ShownRtt = ShownRtt::Sample => { source: "ns-3: smoothed" },
        /// The unit of window growth.
        counting: Counting = Counting::Acks => { source: "RFC 5681" },
        /// The window also grows while the receive window or the source limits the sender.
        grow_unused: bool = false => { source: "RFC 7661; ns-2 true" },
        /// How the retransmission timeout is computed.
        rto_rule: RtoRule = RtoRule::Rfc6298 => { source: "RFC 6298" },
        /// Segments that are samples of the RTT.
        samples: RttSamples = RttSamples::PerWindow => { source: "RFC 6298" },
        /// An ACK gives a timestamp sample even if the first segment it covers was retransmitted.
        sample_retransmissions: bool = true => { source: "RFC 7323; ns-3 false" },
        /// A timestamp sample of a retransmitted segment ends the backoff of the timer; otherwise only one of a segment
        /// sent once does.
        echo_ends_backoff: bool = true => { source: "RFC 6298 section 5; ns-2: false (ts_resetRTO_)" },
        /// Granularity of the RTT clock.
        tick: Span = Span::from_millis(1) => { range: Range::Positive, source: "RFC 6298 leaves it open", assumed: true },
        /// Offset of the RTT clock; auto: drawn within one tick.
        boot_time: Option<Span> = None => { source: "ns-2" },
        /// Retransmission timeout before the first sample.
        initial_rto: Span = Span::from_millis(1000) => { range: Range::Positive, source: "RFC 6298" },
        /// Minimum retransmission timeout.
        min_rto: Span = Span::from_millis(1000) => { source: "RFC 6298" },
        /// Maximum retransmission timeout.
        max_rto: Span = Span::from_millis(60_000) => { range: Range::Positive, source: "RFC 6298" },
        /// The minimum is applied after backoff; otherwise before.
        min_after_backoff: bool = false => { source: "ns-2 rfc2988_ false" },
        /// The timer keeps running with nothing outstanding; its expiry then sets cwnd to 1.
        timer_when_idle: bool = false => { source: "ns-2" },
        /// The timer restarts after the RTT update of the same ACK; otherwise before.
        timer_after_sample: bool = true => { source: "RFC 6298" },
        /// A fast retransmission restarts the timer.
        timer_on_retransmission: bool = false => { source: "RFC 6298 leaves it open; ns-2 and Linux true" },
        /// A repeated timeout of the same segment keeps ssthresh (RFC 5681 section 3.1).
        keep_ssthresh: bool = true => { source: "RFC 5681" },
        /// Explicit congestion notification; `dctcp` and `prague` turn it on.
        ecn: bool = false => { source: "RFC 3168" },
        /// ECN feedback and response; `dctcp` and `prague` set their own.
        ecn_rule: EcnRule = EcnRule::Rfc3168 => { source: "RFC 3168" },
        /// ECN support of the receiver, negotiated by the handshake (`handshake = "three_way"`).
        peer_ecn: PeerEcn = PeerEcn::Same => { source: "RFC 9768 section 3.1.2" },
        /// ACKs carry the AccECN option with byte counters (`accecn`); false: the path removes it.
        accecn_option: bool = true => { source: "RFC 9768 section 3.2.3" },
        /// ECN codepoint of data segments; ECT(1) with `prague`.
        ect: Codepoint = Codepoint::Ect0 => { source: "RFC 3168, RFC 9331" },
        /// In-order segments per ACK: 1 acknowledges each.
        ack_every: u64 = 2 => { range: Range::Within(1.0, 1e6), source: "RFC 5681" },
        /// Delayed-ACK timeout.
        ack_timeout: Span = Span::from_millis(200) => { range: Range::Positive, source: "RFC 1122 allows 500 ms", assumed: true },
        /// When an ACK may not be delayed.
        ack_rule: AckRule = AckRule::Rfc5681 => { source: "RFC 5681" },
        /// A segment that fills part of a gap is acknowledged at once.
        ack_gaps: bool = true => { source: "RFC 5681 section 4.2" },
        /// An ACK echoes the timestamp of the segment that caused it, even if that was out of order; otherwise of the
        /// first in-order segment it covers (RFC 7323).
        echo_newest: bool = false => { source: "RFC 7323 section 4.3; true: ns-2 ts_echo_rfc1323_" },
        /// Quick ACKs at the start of a connection.
        quick_acks: u64 = 0 => { source: "Linux" },
        /// Segmentation offload: new segments leave in bursts of 1 ms, at least two segments; smaller ones wait for the
        /// window; the last has PSH set (rack).
        bunches: bool = false => { source: "Linux" },
        /// Upper bound of the random delay before a window of data is sent (ns-2 `overhead_`).
        overhead: Span = Span::ZERO => { source: "ns-2" },
        ..lp: LpParams, ..nv: NvParams, ..bbr3: Bbr3Params,
    }
}
