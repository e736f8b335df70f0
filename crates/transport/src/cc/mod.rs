//! Congestion control: how the window grows on acknowledgements and shrinks on congestion.
//!
//! An algorithm sees two events and owns only what it remembers between them; the window itself lives
//! with the sender, so that the common path touches one cache line. Algorithms are an enum, so every call is
//! a direct one. Registering an algorithm is one line below.

mod reno;

pub use reno::Reno;

use crate::params::Params;
use units::{Rate, Span, Time};

/// The congestion window and the slow start threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// How much may be in flight.
    pub cwnd: f64,
    /// Where slow start ends.
    pub ssthresh: f64,
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
}

/// What an algorithm does.
pub trait Control {
    /// Grows the window. Not called for acknowledgements that end or prolong a loss recovery,
    /// unless [`Control::sees_recovery`].
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent);

    /// Where the window should fall, in segments. The sender rounds it, keeps it from vanishing and
    /// moves ssthresh and cwnd there as its recovery says.
    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64;

    /// Segments may be spaced at this rate; `None`: as acknowledgements come.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether it wants the acknowledgements of a recovery too.
    fn sees_recovery(&self) -> bool {
        false
    }
}

/// Declares the algorithms: name, meaning and type, one line each.
macro_rules! controls {
    ($( $variant:ident = $name:literal, $doc:literal => $ty:ty ),+ $(,)?) => {
        units::choices! {
            /// A congestion control by name.
            pub enum Algorithm {
                $( #[doc = $doc] $variant = $name, )+
            }
        }

        /// A congestion control at work.
        #[derive(Clone, Debug)]
        pub enum Cc {
            $( #[doc = $doc] $variant($ty), )+
        }

        impl Cc {
            /// The algorithm the parameters name.
            pub fn new(params: &Params) -> Cc {
                match params.cc {
                    $( Algorithm::$variant => Cc::$variant(<$ty>::new(params)), )+
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
            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self { $( Cc::$variant(cc) => cc.pacing_rate(), )+ }
            }
            #[inline]
            fn sees_recovery(&self) -> bool {
                match self { $( Cc::$variant(cc) => cc.sees_recovery(), )+ }
            }
        }
    };
}

controls! {
    Reno = "reno", "Additive increase, multiplicative decrease (RFC 5681)." => Reno,
}
