//! Congestion control: how the window grows with ACKs and shrinks with congestion.
//!
//! An algorithm handles two events and owns only the state between them; the window itself belongs to the
//! sender, so that the fast path touches one cache line. Algorithms are variants of an enum, so every call is
//! direct. Registering an algorithm takes one line of the table in `params/algorithm.rs`.

mod aggregation;
mod avoidance;
mod bbr;
mod bbr3;
mod bic;
mod binomial;
mod cdg;
mod compound;
pub mod conformance;
mod cubic;
mod dctcp;
mod gaimd;
mod highspeed;
mod htcp;
mod hybla;
mod hystart;
mod illinois;
mod ledbat;
mod ledbat_pp;
mod lp;
mod nv;
pub mod plugin;
mod prague;
mod reno;
mod rtt_round;
mod scalable;
mod vegas;
mod veno;
mod westwood;
mod windowed;
mod yeah;

pub use bbr::Bbr;
pub use bbr3::Bbr3;
pub use bic::Bic;
pub use binomial::Binomial;
pub use cdg::Cdg;
pub use compound::Compound;
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use gaimd::Gaimd;
pub use highspeed::HighSpeed;
pub use htcp::Htcp;
pub use hybla::Hybla;
pub use illinois::Illinois;
pub use ledbat::Ledbat;
pub use ledbat_pp::LedbatPp;
pub use lp::Lp;
pub use nv::Nv;
pub use prague::Prague;
pub use reno::Reno;
pub use scalable::Scalable;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;
pub use yeah::Yeah;

use crate::params::{for_each_control, Counting, Params};
pub use crate::params::{Algorithm, ControlName};
use crate::rate::{Lost, Sample};
use plugin::PluginControl;
use units::{Span, Stream, Time};

/// The congestion window and the slow start threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window (cwnd).
    pub cwnd: f64,
    /// Slow start threshold (ssthresh).
    pub ssthresh: f64,
}

impl Window {
    /// Whether the congestion window limited a sender with this flight, not the source or the receiver (RFC
    /// 7661 section 4.1).
    #[inline(always)]
    pub(crate) fn is_used_by(&self, flight: u32) -> bool {
        let used = f64::from(flight);
        if self.cwnd < self.ssthresh {
            used * 2.0 > self.cwnd
        } else {
            used + 1.0 > self.cwnd
        }
    }
}

/// Event: new data was acknowledged (or, in recovery with SACK, newly SACKed).
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// Current time.
    pub now: Time,
    /// Segments cumulatively acknowledged by this acknowledgement.
    pub acked: u32,
    /// Segments newly known to have arrived, cumulatively or by SACK.
    pub delivered: u32,
    /// RTT sample of this ACK, if it gave one.
    pub rtt: Option<Span>,
    /// The sample is that of one segment, by its own send time (`shown_rtt = "segment"`).
    pub by_segment: bool,
    /// Segments in flight before the ACK.
    pub flight: u32,
    /// First unacknowledged segment after the ACK: the measure of rounds.
    pub una: u32,
    /// Next segment to send: a round ends when `una` passes the value at its start.
    pub next: u32,
    /// The ACK carries SACK blocks; known to [`Control::on_every_ack`] only.
    pub sacks: bool,
    /// The ACK carries an ECN echo.
    pub ece: bool,
    /// Segments newly reported as marked; without accurate ECN, all segments acknowledged by an echo.
    pub marked: u32,
    /// Fast recovery is in progress: the window is set by the recovery.
    pub recovering: bool,
    /// The window falls for an ECN echo, step by step (`reduction = "linux"` or `"ns3"`).
    pub reducing: bool,
}

impl AckEvent {
    /// The sample for a control that measures delay. The ACKs of a recovery cover segments that arrived long before:
    /// there only the sample of a segment counts.
    fn delay_sample(&self) -> Option<Span> {
        self.rtt.filter(|rtt| *rtt > Span::ZERO && (self.by_segment || !self.recovering))
    }
}

/// Cause of a window reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Loss inferred from duplicate or selective acknowledgements.
    Loss,
    /// Retransmission timeout.
    Timeout,
    /// ECN echo.
    Ecn,
}

/// Event: congestion was detected, at most once per window.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// Current time.
    pub now: Time,
    /// Cause.
    pub cause: Cause,
    /// The quantity named by the `reduce` option: usable window or flight, in segments.
    pub load: f64,
    /// Segments in flight.
    pub flight: u32,
    /// Share of the window left by an ECN echo, if the option is set.
    pub ecn_factor: Option<f64>,
}

impl CongestionEvent {
    /// The load, at most the window: after a recovery the flight includes SACKed segments, and a mild
    /// reduction of that would widen the window.
    fn load_within(&self, window: &Window) -> f64 {
        self.load.min(window.cwnd)
    }
}

/// Interface of a congestion control algorithm.
pub trait Control {
    /// Grows the window. Not called for ACKs that end or prolong a recovery, that echo congestion, or that
    /// find the window unused.
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent);

    /// Saves state: a reduction follows that may be undone.
    fn save_before_reduction(&mut self) {}

    /// Restores the state from before the reduction, which was spurious.
    fn undo_reduction(&mut self) {}

    /// Returns the reduced window, in segments. The sender rounds it, bounds it from below, and sets ssthresh
    /// and cwnd as its recovery requires.
    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64;

    /// Returns ssthresh and cwnd for the end of a recovery, if not those that the reduction set.
    fn window_after_recovery(&mut self) -> Option<f64> {
        None
    }

    /// Pacing rate in segments per second; `None`: not paced. Called if [`Control::paces`].
    fn pace(&self) -> Option<f64> {
        None
    }

    /// Segments per paced burst.
    fn quantum(&self) -> u32 {
        1
    }

    /// Whether it asks for pacing.
    fn paces(&self) -> bool {
        self.models()
    }

    /// Whether it sets the window itself, also in recovery, by [`Control::on_sample`]; then no other growth
    /// or reduction applies, except that a timeout leaves one segment.
    fn models(&self) -> bool {
        false
    }

    /// Sets the window from a rate sample, at the end of an ACK. Returns true while the rate is low on
    /// purpose, so that samples count as application-limited.
    fn on_sample(&mut self, _window: &mut Window, _sample: &Sample, _rng: &mut Stream) -> bool {
        false
    }

    /// A segment was marked lost.
    fn on_lost(&mut self, _window: &Window, _lost: &Lost, _now: Time, _rng: &mut Stream) {}

    /// The connection is open; the handshake may have given an RTT.
    fn on_open(&mut self, _srtt: Option<Span>) {}

    /// Initial window of an open connection, if not that of the options.
    fn first_window(&self) -> Option<f64> {
        None
    }

    /// Takes random numbers of the connection's own, before it opens.
    fn take_rng(&mut self, _rng: Stream) {}

    /// The connection opens at this time.
    fn on_open_at(&mut self, _now: Time) {}

    /// Sending resumes after the source was idle.
    fn on_restart(&mut self, _now: Time) {}

    /// After a timeout the segments below `past` are retransmitted, whether or not it reduced ssthresh.
    fn on_timeout(&mut self, _now: Time, _past: u32) {}

    /// Whether an ECN echo may reduce the window now; the sender asks at most once per round trip.
    fn may_reduce_on_echo(&self, _now: Time) -> bool {
        true
    }

    /// Whether ACKs with an echo grow the window, too, by the unmarked segments.
    fn grows_on_echo(&self) -> bool {
        false
    }

    /// Falls back to classic ECN, one echo per round trip: a control that responds to the share of marks then
    /// answers an echo like a loss.
    fn fall_back_to_classic_ecn(&mut self) {}

    /// Observes every ACK before anything else, also in recovery, if [`Control::watches`]. A duplicate ACK
    /// counts as one segment delivered.
    fn on_every_ack(&mut self, _event: &AckEvent) {}

    /// Whether it wants [`Control::on_every_ack`].
    fn watches(&self) -> bool {
        false
    }
}

/// Growth credit of an ACK of `acked` segments.
fn credit(counting: Counting, acked: u32) -> u32 {
    match counting {
        Counting::Acks => 1,
        Counting::Ns3 => acked.min(1),
        Counting::Segments => acked.min(2),
        Counting::Whole => acked,
    }
}

/// Slow start by `credit` segments; returns the credit left for congestion avoidance.
fn slow_start(window: &mut Window, mut credit: u32) -> u32 {
    while credit > 0 && window.cwnd < window.ssthresh {
        window.cwnd += 1.0;
        credit -= 1;
    }
    credit
}

/// Declares the storage of the algorithms. A box keeps the sender small.
macro_rules! controls {
    ($( $variant:ident = $name:literal, $doc:literal => $ty:ty as $kept:ty ),+ $(,)?) => {
        /// A congestion control with its state.
        #[derive(Clone, Debug)]
        pub enum Cc {
            $( #[doc = $doc] $variant($kept), )+
            /// One of a plug-in.
            Plugin(Box<PluginControl>),
        }

        impl Cc {
            /// Returns the algorithm that the options name.
            pub fn new(params: &Params) -> Cc {
                match &params.cc {
                    $( ControlName::BuiltIn(Algorithm::$variant) => {
                        Cc::$variant(<$kept>::from(<$ty>::new(params)))
                    } )+
                    ControlName::Plugin(spec) => Cc::Plugin(Box::new(spec.build())),
                }
            }
        }

        impl Control for Cc {
            #[inline]
            fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
                match self { $( Cc::$variant(cc) => cc.on_ack(window, event), )+ Cc::Plugin(cc) => cc.on_ack(window, event) }
            }
            #[inline]
            fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
                match self { $( Cc::$variant(cc) => cc.on_congestion(window, event), )+ Cc::Plugin(cc) => cc.on_congestion(window, event) }
            }
            fn window_after_recovery(&mut self) -> Option<f64> {
                match self { $( Cc::$variant(cc) => cc.window_after_recovery(), )+ Cc::Plugin(cc) => cc.window_after_recovery() }
            }
            fn save_before_reduction(&mut self) {
                match self { $( Cc::$variant(cc) => cc.save_before_reduction(), )+ Cc::Plugin(cc) => cc.save_before_reduction() }
            }
            fn undo_reduction(&mut self) {
                match self { $( Cc::$variant(cc) => cc.undo_reduction(), )+ Cc::Plugin(cc) => cc.undo_reduction() }
            }
            fn pace(&self) -> Option<f64> {
                match self { $( Cc::$variant(cc) => cc.pace(), )+ Cc::Plugin(cc) => cc.pace() }
            }
            fn quantum(&self) -> u32 {
                match self { $( Cc::$variant(cc) => cc.quantum(), )+ Cc::Plugin(cc) => cc.quantum() }
            }
            fn paces(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.paces(), )+ Cc::Plugin(cc) => cc.paces() }
            }
            fn models(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.models(), )+ Cc::Plugin(cc) => cc.models() }
            }
            fn on_sample(&mut self, window: &mut Window, sample: &Sample, rng: &mut Stream) -> bool {
                match self { $( Cc::$variant(cc) => cc.on_sample(window, sample, rng), )+ Cc::Plugin(cc) => cc.on_sample(window, sample, rng) }
            }
            fn on_lost(&mut self, window: &Window, lost: &Lost, now: Time, rng: &mut Stream) {
                match self { $( Cc::$variant(cc) => cc.on_lost(window, lost, now, rng), )+ Cc::Plugin(cc) => cc.on_lost(window, lost, now, rng) }
            }
            fn on_open(&mut self, srtt: Option<Span>) {
                match self { $( Cc::$variant(cc) => cc.on_open(srtt), )+ Cc::Plugin(cc) => cc.on_open(srtt) }
            }
            fn first_window(&self) -> Option<f64> {
                match self { $( Cc::$variant(cc) => cc.first_window(), )+ Cc::Plugin(cc) => cc.first_window() }
            }
            fn take_rng(&mut self, rng: Stream) {
                match self { $( Cc::$variant(cc) => cc.take_rng(rng), )+ Cc::Plugin(cc) => cc.take_rng(rng) }
            }
            fn on_open_at(&mut self, now: Time) {
                match self { $( Cc::$variant(cc) => cc.on_open_at(now), )+ Cc::Plugin(cc) => cc.on_open_at(now) }
            }
            fn on_restart(&mut self, now: Time) {
                match self { $( Cc::$variant(cc) => cc.on_restart(now), )+ Cc::Plugin(cc) => cc.on_restart(now) }
            }

            fn on_timeout(&mut self, now: Time, past: u32) {
                match self { $( Cc::$variant(cc) => cc.on_timeout(now, past), )+ Cc::Plugin(cc) => cc.on_timeout(now, past) }
            }
            fn may_reduce_on_echo(&self, now: Time) -> bool {
                match self { $( Cc::$variant(cc) => cc.may_reduce_on_echo(now), )+ Cc::Plugin(cc) => cc.may_reduce_on_echo(now) }
            }
            fn grows_on_echo(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.grows_on_echo(), )+ Cc::Plugin(cc) => cc.grows_on_echo() }
            }
            fn fall_back_to_classic_ecn(&mut self) {
                match self { $( Cc::$variant(cc) => cc.fall_back_to_classic_ecn(), )+ Cc::Plugin(cc) => cc.fall_back_to_classic_ecn() }
            }
            fn on_every_ack(&mut self, event: &AckEvent) {
                match self { $( Cc::$variant(cc) => cc.on_every_ack(event), )+ Cc::Plugin(cc) => cc.on_every_ack(event) }
            }
            fn watches(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.watches(), )+ Cc::Plugin(cc) => cc.watches() }
            }
        }
    };
}

for_each_control!(controls);
