//! The table of congestion controls, and the names that the option `cc` takes: theirs, and those of plug-ins.

use crate::cc::plugin::ControlSpec;
use units::param::{Choice, Kind, Param, Value};
use units::plugin::not_loaded;

/// Calls a macro with the table: name in Rust, name in a scenario, description, type and storage, one line each.
macro_rules! for_each_control {
    ($then:ident) => {
        $then! {
            Reno = "reno", "Additive increase, multiplicative decrease (RFC 5681)." => Reno as Reno,
            Cubic = "cubic", "Cubic function of the time since the last reduction (RFC 9438)." => Cubic as Box<Cubic>,
            Dctcp = "dctcp", "Reduces the window in proportion to the share of marked segments (RFC 8257)." => Dctcp as Box<Dctcp>,
            Vegas = "vegas", "Keeps a few segments queued, estimated from the RTT (Brakmo 1994)." => Vegas as Box<Vegas>,
            Westwood = "westwood", "Reduces the window to the measured bandwidth times the minimum RTT (Mascolo 2001)." => Westwood as Box<Westwood>,
            Gaimd = "gaimd", "Additive increase and multiplicative decrease with two free parameters (Yang and Lam 2000)." => Gaimd as Box<Gaimd>,
            Binomial = "binomial", "Increase and decrease by powers of the window (Bansal and Balakrishnan 2001)." => Binomial as Box<Binomial>,
            Bbr = "bbr", "Paces at the delivery rate and keeps two bandwidth-delay products in flight (BBR version 1)." => Bbr as Box<Bbr>,
            Prague = "prague", "DCTCP for any path: RTT-independent, paced (RFC 9331)." => Prague as Box<Prague>,
            Bbr3 = "bbr3", "BBR with bounds learnt from losses (version 3)." => Bbr3 as Box<Bbr3>,
            HighSpeed = "highspeed", "Grows faster and falls less the larger the window (RFC 3649)." => HighSpeed as Box<HighSpeed>,
            Scalable = "scalable", "A fixed gain per acknowledged segment, a fixed share per loss (Kelly 2003)." => Scalable as Box<Scalable>,
            Htcp = "htcp", "Grows with the time since the last loss and reduces by the share of the queue in the RTT (Leith and Shorten 2004)." => Htcp as Box<Htcp>,
            Bic = "bic", "Binary search for the window of the last loss (Xu 2004)." => Bic as Box<Bic>,
            Hybla = "hybla", "Grows as a flow of a short RTT would (Caini and Firrincieli 2004)." => Hybla as Box<Hybla>,
            Illinois = "illinois", "Increase and decrease by the queueing delay (Liu 2006)." => Illinois as Box<Illinois>,
            Veno = "veno", "Reno with a milder reduction for losses without a queue (Fu and Liew 2003)." => Veno as Box<Veno>,
            Yeah = "yeah", "Scalable growth without a queue, Reno with one (Baiocchi 2007)." => Yeah as Box<Yeah>,
            Compound = "compound", "A delay-based window on top of Reno's (Tan 2006)." => Compound as Box<Compound>,
            Ledbat = "ledbat", "A background transfer that holds a fixed queueing delay and yields to others (RFC 6817)." => Ledbat as Box<Ledbat>,
            LedbatPp = "ledbat_pp", "LEDBAT with a gain by the RTT, multiplicative decrease and regular slowdowns (draft-irtf-iccrg-ledbat-plus-plus)." => LedbatPp as Box<LedbatPp>,
            Cdg = "cdg", "Backs off with a probability that follows the gradient of the RTT (Hayes and Armitage 2011)." => Cdg as Box<Cdg>,
            Lp = "lp", "A background transfer that halves as the delay rises and leaves one segment if it stays (Kuzmanovic and Knightly 2003)." => Lp as Box<Lp>,
            Nv = "nv", "Moves the window towards what the present rate needs, for data centres (Brakmo 2010)." => Nv as Box<Nv>,
        }
    };
}
pub(crate) use for_each_control;

macro_rules! declare_names {
    ($( $variant:ident = $name:literal, $doc:literal => $ty:ty as $kept:ty ),+ $(,)?) => {
        units::choices! {
            /// A congestion control by name.
            pub enum Algorithm {
                $( #[doc = $doc] $variant = $name, )+
            }
        }
    };
}

for_each_control!(declare_names);

impl Algorithm {
    /// Options the algorithm requires: its ECN mode.
    pub fn implied(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Algorithm::Dctcp => &[("ecn", "true"), ("ecn_rule", "dctcp")],
            Algorithm::Prague => &[("ecn", "true"), ("ecn_rule", "accecn"), ("ect", "ect1")],
            _ => &[],
        }
    }
}

/// A congestion control as the option `cc` names it.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlName {
    /// One of the table.
    BuiltIn(Algorithm),
    /// One of a plug-in: `mine`, or `mine:gain=0.5`.
    Plugin(ControlSpec),
}

impl ControlName {
    /// The control of the table; `None` for one of a plug-in.
    pub fn built_in(&self) -> Option<Algorithm> {
        match self {
            ControlName::BuiltIn(algorithm) => Some(*algorithm),
            ControlName::Plugin(_) => None,
        }
    }
}

impl From<Algorithm> for ControlName {
    fn from(algorithm: Algorithm) -> ControlName {
        ControlName::BuiltIn(algorithm)
    }
}

impl PartialEq<Algorithm> for ControlName {
    fn eq(&self, other: &Algorithm) -> bool {
        self.built_in() == Some(*other)
    }
}

impl Param for ControlName {
    fn kind() -> Kind {
        Algorithm::kind()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else {
            return Algorithm::read(value).map(ControlName::BuiltIn);
        };
        match ControlSpec::read(text) {
            Some(spec) => spec.map(ControlName::Plugin),
            None => Algorithm::read(value)
                .map(ControlName::BuiltIn)
                .map_err(|rule| not_loaded::<Algorithm>(text, rule)),
        }
    }

    fn show(&self) -> Value {
        match self {
            ControlName::BuiltIn(algorithm) => Value::Text(algorithm.name().into()),
            ControlName::Plugin(spec) => Value::Text(spec.show()),
        }
    }
}
