//! A scenario worked out: what the engine builds a network from.
//!
//! Names have become indices and routes are known, but nothing random is drawn yet: one plan serves every
//! seed.

use crate::source::app::Step;
use crate::source::http::{Http, Loop, SizeOf, Visitor};
use crate::source::rated::Rated;
use crate::source::replay::Recording;
use crate::source::shaped::Shaped;
use crate::source::telnet::{Telnet, Typist};
use crate::source::video::{Player, Video};
use queue::Spec;
use std::sync::Arc;
use transport::tcp;
use units::param::{Law, Spread, Valid};
use units::size::Opportunities;
use units::{Bytes, Rate, Span, Stream, Time};

/// Everything a run needs but its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the scenario calls itself.
    pub title: String,
    /// When to stop and what to record.
    pub run: RunPlan,
    /// Node names; links and flows refer to them by index.
    pub nodes: Vec<String>,
    /// Directed links.
    pub links: Vec<LinkPlan>,
    /// Flows in order of their number.
    pub flows: Vec<FlowPlan>,
}

/// Limits of a run, and what it records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunPlan {
    /// The first moment, whose kind all others have.
    pub start: Time,
    /// The run's last moment.
    pub duration: Span,
    /// Counting starts here.
    pub warmup: Span,
    /// Distance of the samples of series.
    pub sample: Span,
    /// Most events to execute.
    pub max_events: u64,
    /// Most memory for packets, events and results, estimated.
    pub max_memory: Bytes,
}

impl RunPlan {
    /// Whether time is a sum of doubles.
    pub fn in_doubles(&self) -> bool {
        self.start != Time::ZERO
    }
}

/// One member of a group whose members may differ by a [`Spread`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// How the group's values lie.
    pub spread: Spread,
    /// Which member this is, from 0.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Its name, such as `bottleneck` or `bottleneck.back`.
    pub name: String,
    /// The node it leaves.
    pub from: usize,
    /// The node it reaches.
    pub to: usize,
    /// Bits per second; zero sends in no time.
    pub rate: Rate,
    /// Propagation delay. Where it is drawn at random, both directions of a link share the draw: `NAME.back`
    /// takes that of `NAME`.
    pub delay: Member,
    /// The discipline in front of it. Shared, as are the faults: flows have links of their own that are all alike.
    pub queue: Arc<Spec>,
    /// Typical packet size, for what a discipline works out from the link.
    pub packet: Bytes,
    /// Whether the packet on the wire counts as part of the queue.
    pub counts_wire: bool,
    /// Packets its device takes from the discipline before it can send them.
    pub ring: u64,
    /// What it does to packets beside its queue.
    pub loss: Arc<LossPlan>,
    /// When it may send, where that varies; then `rate` is the mean.
    pub opportunities: Option<Arc<Opportunities>>,
    /// Whether its queue is written to results; access links usually are not.
    pub reported: bool,
}

/// What a link does to packets beside its queue and its delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossPlan {
    /// Probability for each packet, after its transmission; outside bursts of losses, if there are any.
    pub random: f64,
    /// Bursts of losses.
    pub bursts: Option<LossBursts>,
    /// Positions, from 0 and ascending, of packets destroyed as they enter the link, before its queue.
    pub positions: Vec<u64>,
    /// The same of packets whose CE is set there, if they are ECN-capable and not destroyed.
    pub marks: Vec<u64>,
    /// What is added to the delay of each packet.
    pub jitter: Option<Law<Span>>,
    /// Whether jitter lets packets overtake one another.
    pub overtaking: bool,
    /// Share of packets held back, and for how long.
    pub reorder: (f64, Span),
    /// Share of packets that arrive twice.
    pub duplicate: f64,
}

/// The model of Gilbert and Elliott: two states, left by chance with each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossBursts {
    /// Probability that a burst begins.
    pub begin: f64,
    /// Probability that it ends.
    pub end: f64,
    /// Probability of loss inside.
    pub loss: f64,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// The group it belongs to.
    pub group: String,
    /// What it is counted under in comparisons of classes.
    pub counted_as: String,
    /// Class of its packets.
    pub class: u8,
    /// The profile beyond which they have another.
    pub meter: Option<MeterPlan>,
    /// When it starts.
    pub start: Member,
    /// When it stops sending new data, if before the end.
    pub stop: Option<Span>,
    /// How it sends.
    pub transport: TransportPlan,
    /// Links from source to destination, at least one.
    pub forward: Vec<usize>,
    /// Links from destination to source.
    pub back: Vec<usize>,
}

/// A profile: packets beyond it have another class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeterPlan {
    /// The profile's rate, on the wire.
    pub rate: Rate,
    /// How a flow is held against it.
    pub measure: Measure,
    /// Class of packets beyond it.
    pub out_class: u8,
}

/// How a rate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// By a bucket of tokens of this depth.
    Bucket(Bytes),
    /// By an average over this window.
    Window(Span),
}

/// How a flow sends.
#[derive(Clone, Debug)]
pub enum TransportPlan {
    /// TCP.
    Tcp {
        /// Options of sender and receiver.
        params: Arc<Valid<tcp::Params>>,
        /// What there is to send.
        load: Load,
    },
    /// A rate-based transport.
    Rated {
        /// Which, with its options.
        rated: Rated,
        /// What there is to send.
        load: Load,
    },
    /// UDP from an open-loop source.
    Udp(UdpPlan),
}

/// What a transport with feedback has to send.
#[derive(Clone, Debug)]
pub enum Load {
    /// As much as it takes.
    Greedy,
    /// So much payload.
    File(Bytes),
    /// What an application hands over.
    App(Arc<AppPlan>),
    /// Frames of a shaped video.
    Shaped(Arc<Shaped>),
}

/// An application over TCP.
#[derive(Clone, Debug)]
pub enum AppPlan {
    /// Web sessions.
    Http(Box<Http>),
    /// Somebody who types.
    Telnet(Telnet),
    /// Video in chunks.
    Video(Video),
}

impl AppPlan {
    /// Time between the arrivals of sessions, where each flow is a place at which they arrive.
    pub fn arrivals(&self) -> Option<Law<Span>> {
        match self {
            AppPlan::Http(http) => (http.sessions == Loop::Open).then_some(http.arrival),
            AppPlan::Telnet(_) | AppPlan::Video(_) => None,
        }
    }

    /// Whether an object is whole segments.
    pub fn whole_segments(&self) -> bool {
        matches!(self, AppPlan::Http(http) if http.size_of == SizeOf::Segments)
    }

    /// A session begins.
    pub fn begin(&self, dice: &mut Stream) -> App {
        match self {
            AppPlan::Http(http) => App::Visitor(Visitor::new(http, dice)),
            AppPlan::Telnet(_) => App::Typist(Typist::default()),
            AppPlan::Video(_) => App::Player(Player::default()),
        }
    }
}

/// An application at work.
#[derive(Clone, Debug)]
pub enum App {
    /// Who fetches pages.
    Visitor(Visitor),
    /// Who types.
    Typist(Typist),
    /// What plays video.
    Player(Player),
}

impl App {
    /// At the start, and after each wait.
    pub fn go_on(&mut self, plan: &AppPlan, now: Time, dice: &mut Stream) -> Step {
        match (self, plan) {
            (App::Visitor(visitor), AppPlan::Http(http)) => visitor.go_on(http, dice),
            (App::Typist(typist), AppPlan::Telnet(telnet)) => typist.go_on(telnet, dice),
            (App::Player(player), AppPlan::Video(video)) => player.go_on(video, now),
            _ => Step::End,
        }
    }

    /// After all it handed over has been acknowledged.
    pub fn done(&mut self, plan: &AppPlan, now: Time, dice: &mut Stream) -> Step {
        match (self, plan) {
            (App::Visitor(visitor), AppPlan::Http(http)) => visitor.done(http, dice),
            (App::Player(player), AppPlan::Video(video)) => player.done(video, now),
            _ => Step::Rest,
        }
    }
}

/// An open-loop source: constant rate while on.
#[derive(Clone, Debug, PartialEq)]
pub struct UdpPlan {
    /// Rate while on, counted on the wire.
    pub rate: Rate,
    /// Packet size on the wire; the mean, where sizes differ.
    pub packet: Bytes,
    /// Headers in a packet.
    pub headers: Bytes,
    /// On and off periods; `None` is always on.
    pub bursts: Option<Bursts>,
    /// Each gap between packets is scaled by a uniform factor in `1 ± jitter`; zero is strictly periodic,
    /// one-or-more is refused. With `exponential` gaps the source is Poisson instead.
    pub gaps: Gaps,
}

/// Gaps between the packets of an open-loop source.
#[derive(Clone, Debug, PartialEq)]
pub enum Gaps {
    /// All equal.
    Constant,
    /// Scaled by a uniform factor in `1 - j … 1 + j`.
    Jittered(f64),
    /// Exponential: a Poisson source.
    Exponential,
    /// Exponential gaps and exponential sizes (mean `packet`), for comparison with M/M/1.
    ExponentialSizes,
    /// Times and sizes of a recording.
    Recorded(Arc<Recording>),
}

/// Lengths of on and off periods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// Mean on time.
    pub on: Span,
    /// Mean off time.
    pub off: Span,
    /// Pareto shape of both, or `None` for exponential.
    pub shape: Option<f64>,
}
