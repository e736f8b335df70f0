//! Congestion control: how the window grows on acknowledgements and shrinks on congestion.
//!
//! An algorithm sees two events and owns only what it remembers between them; the window itself lives
//! with the sender, so that the common path touches one cache line. Algorithms are an enum, so every call is
//! a direct one. Registering an algorithm is one line below.

mod aggregation;
mod bbr;
mod bbr3;
mod binomial;
mod cubic;
mod dctcp;
mod gaimd;
mod hystart;
mod prague;
mod reno;
mod vegas;
mod westwood;
mod windowed;

pub use bbr::Bbr;
pub use bbr3::Bbr3;
pub use binomial::Binomial;
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use gaimd::Gaimd;
pub use prague::Prague;
pub use reno::Reno;
pub use vegas::Vegas;
pub use westwood::Westwood;

use crate::params::{Counting, Params};
use crate::rate::{Lost, Sample};
use units::{Span, Stream, Time};

/// The congestion window and the slow start threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// How much may be in flight.
    pub cwnd: f64,
    /// Where slow start ends.
    pub ssthresh: f64,
}

impl Window {
    /// Whether the congestion window, not the source or the receiver, held the sender back that had so much in flight
    /// (RFC 7661 section 4.1).
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

/// New data was acknowledged (or, in recovery with SACK, newly held by the receiver).
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// The present.
    pub now: Time,
    /// Segments cumulatively acknowledged by this acknowledgement.
    pub acked: u32,
    /// Segments newly known to have arrived, cumulatively or selectively.
    pub delivered: u32,
    /// Round trip of this acknowledgement, if it gave one.
    pub rtt: Option<Span>,
    /// Segments in flight before it.
    pub flight: u32,
    /// First unacknowledged segment after it: the measure of rounds.
    pub una: u32,
    /// Next segment to send: a round ends when `una` passes the value at its start.
    pub next: u32,
    /// It carries an ECN echo.
    pub ece: bool,
    /// Segments it newly reports as marked; without accurate ECN all it acknowledges if it echoes.
    pub marked: u32,
    /// Fast recovery is under way: the window is in the hands of the recovery.
    pub recovering: bool,
}

/// Why the window must shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Loss inferred from duplicate or selective acknowledgements.
    Loss,
    /// Retransmission timeout.
    Timeout,
    /// ECN echo.
    Ecn,
}

/// Congestion was noticed, at most once a window.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// The present.
    pub now: Time,
    /// Why.
    pub cause: Cause,
    /// What the `reduce` option measures: the usable window or the flight, in segments.
    pub load: f64,
    /// Segments in flight.
    pub flight: u32,
    /// What an ECN echo leaves of the window, where the option says so.
    pub ecn_factor: Option<f64>,
}

impl CongestionEvent {
    /// The load, but no more than the window: after a recovery the flight counts what the receiver holds, and a mild cut of
    /// that would widen the window.
    fn load_within(&self, window: &Window) -> f64 {
        self.load.min(window.cwnd)
    }
}

/// What an algorithm does.
pub trait Control {
    /// Grows the window. Not called for acknowledgements that end or prolong a loss recovery, that echo congestion or that
    /// find the window unused.
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent);

    /// A cut comes that may have to be undone.
    fn before_cut(&mut self) {}

    /// The cut was for nothing: what it changed is as it was.
    fn undo_cut(&mut self) {}

    /// Where the window should fall, in segments. The sender rounds it, keeps it from vanishing and
    /// moves ssthresh and cwnd there as its recovery says.
    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64;

    /// Segments a second to send at; `None`: as acknowledgements come. Asked where [`Control::paces`].
    fn pace(&self) -> Option<f64> {
        None
    }

    /// Segments that leave together, paced for all of them.
    fn quantum(&self) -> u32 {
        1
    }

    /// Whether it wants segments spread over time.
    fn paces(&self) -> bool {
        self.models()
    }

    /// Whether it sets the window itself, in recoveries too, by [`Control::on_sample`]; then neither cuts nor growth of others apply,
    /// save that a timeout leaves one segment.
    fn models(&self) -> bool {
        false
    }

    /// Sets the window from a sample of the path, at the end of an acknowledgement. True while the rate is low on purpose, so that
    /// samples of it say nothing of the path.
    fn on_sample(&mut self, _window: &mut Window, _sample: &Sample, _dice: &mut Stream) -> bool {
        false
    }

    /// A segment was taken for lost.
    fn on_lost(&mut self, _window: &Window, _lost: &Lost, _now: Time, _dice: &mut Stream) {}

    /// The connection is open; its handshake may have given a round trip.
    fn on_open(&mut self, _srtt: Option<Span>) {}

    /// Sending begins again after the source had nothing to send.
    fn on_restart(&mut self, _now: Time) {}

    /// Whether an echo may cut the window now; the sender asks at most once a round trip.
    fn may_cut_for_marks(&self, _now: Time) -> bool {
        true
    }

    /// Whether acknowledgements that echo grow the window, too, by what was not marked.
    fn grows_beside_marks(&self) -> bool {
        false
    }

    /// What echoes congestion does so at most once a round trip, whatever was agreed to before: a control that lives by the share of
    /// marks answers an echo as a loss then.
    fn hear_one_echo(&mut self) {}

    /// Measures: called before anything else for each acknowledgement, in recoveries too, where
    /// [`Control::watches`]. A duplicate counts as one segment delivered.
    fn on_every_ack(&mut self, _event: &AckEvent) {}

    /// Whether it wants [`Control::on_every_ack`].
    fn watches(&self) -> bool {
        false
    }
}

/// What the acknowledgement of `acked` segments counts for.
fn credit(counting: Counting, acked: u32) -> u32 {
    match counting {
        Counting::Acks => 1,
        Counting::Ns3 => acked.min(1),
        Counting::Segments => acked.min(2),
        Counting::Whole => acked,
    }
}

/// Slow start by `credit` segments; what is left of them for congestion avoidance.
fn slow_start(window: &mut Window, mut credit: u32) -> u32 {
    while credit > 0 && window.cwnd < window.ssthresh {
        window.cwnd += 1.0;
        credit -= 1;
    }
    credit
}

impl Algorithm {
    /// Options without which it would not be what its name says: its dialogue of congestion marks.
    pub fn implied(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Algorithm::Dctcp => &[("ecn", "true"), ("ecn_rule", "dctcp")],
            Algorithm::Prague => &[("ecn", "true"), ("ecn_rule", "accecn"), ("ect", "ect1")],
            _ => &[],
        }
    }
}

/// Declares the algorithms: name, meaning, type and how it is kept, one line each. A box keeps the sender small.
macro_rules! controls {
    ($( $variant:ident = $name:literal, $doc:literal => $ty:ty as $kept:ty ),+ $(,)?) => {
        units::choices! {
            /// A congestion control by name.
            pub enum Algorithm {
                $( #[doc = $doc] $variant = $name, )+
            }
        }

        /// A congestion control at work.
        #[derive(Clone, Debug)]
        pub enum Cc {
            $( #[doc = $doc] $variant($kept), )+
        }

        impl Cc {
            /// The algorithm the parameters name.
            pub fn new(params: &Params) -> Cc {
                match params.cc {
                    $( Algorithm::$variant => Cc::$variant(<$kept>::from(<$ty>::new(params))), )+
                }
            }
        }

        impl Control for Cc {
            #[inline]
            fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
                match self { $( Cc::$variant(cc) => cc.on_ack(window, event), )+ }
            }
            #[inline]
            fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
                match self { $( Cc::$variant(cc) => cc.on_congestion(window, event), )+ }
            }
            fn before_cut(&mut self) {
                match self { $( Cc::$variant(cc) => cc.before_cut(), )+ }
            }
            fn undo_cut(&mut self) {
                match self { $( Cc::$variant(cc) => cc.undo_cut(), )+ }
            }
            fn pace(&self) -> Option<f64> {
                match self { $( Cc::$variant(cc) => cc.pace(), )+ }
            }
            fn quantum(&self) -> u32 {
                match self { $( Cc::$variant(cc) => cc.quantum(), )+ }
            }
            fn paces(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.paces(), )+ }
            }
            fn models(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.models(), )+ }
            }
            fn on_sample(&mut self, window: &mut Window, sample: &Sample, dice: &mut Stream) -> bool {
                match self { $( Cc::$variant(cc) => cc.on_sample(window, sample, dice), )+ }
            }
            fn on_lost(&mut self, window: &Window, lost: &Lost, now: Time, dice: &mut Stream) {
                match self { $( Cc::$variant(cc) => cc.on_lost(window, lost, now, dice), )+ }
            }
            fn on_open(&mut self, srtt: Option<Span>) {
                match self { $( Cc::$variant(cc) => cc.on_open(srtt), )+ }
            }
            fn on_restart(&mut self, now: Time) {
                match self { $( Cc::$variant(cc) => cc.on_restart(now), )+ }
            }
            fn may_cut_for_marks(&self, now: Time) -> bool {
                match self { $( Cc::$variant(cc) => cc.may_cut_for_marks(now), )+ }
            }
            fn grows_beside_marks(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.grows_beside_marks(), )+ }
            }
            fn hear_one_echo(&mut self) {
                match self { $( Cc::$variant(cc) => cc.hear_one_echo(), )+ }
            }
            fn on_every_ack(&mut self, event: &AckEvent) {
                match self { $( Cc::$variant(cc) => cc.on_every_ack(event), )+ }
            }
            fn watches(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.watches(), )+ }
            }
        }
    };
}

controls! {
    Reno = "reno", "Additive increase, multiplicative decrease (RFC 5681)." => Reno as Reno,
    Cubic = "cubic", "A cubic function of the time since the last cut (RFC 9438)." => Cubic as Box<Cubic>,
    Dctcp = "dctcp", "Cuts in proportion to the share of marked segments (RFC 8257)." => Dctcp as Box<Dctcp>,
    Vegas = "vegas", "Keeps a few segments queued, by the round trip (Brakmo 1994)." => Vegas as Box<Vegas>,
    Westwood = "westwood", "Falls to the measured bandwidth times the least round trip (Mascolo 2001)." => Westwood as Box<Westwood>,
    Gaimd = "gaimd", "Additive increase and multiplicative decrease by any two numbers (Yang and Lam 2000)." => Gaimd as Box<Gaimd>,
    Binomial = "binomial", "Increase and decrease by powers of the window (Bansal and Balakrishnan 2001)." => Binomial as Box<Binomial>,
    Bbr = "bbr", "Paces at the delivery rate of the path and keeps two bandwidth-delay products in flight (BBR version 1)." => Bbr as Box<Bbr>,
    Prague = "prague", "DCTCP for any path: independent of the round trip, paced (RFC 9331)." => Prague as Box<Prague>,
    Bbr3 = "bbr3", "The same with bounds learnt from losses (BBR version 3)." => Bbr3 as Box<Bbr3>,
}
