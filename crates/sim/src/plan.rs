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
    /// Names of the nodes between shared links, which refer to them by index.
    pub nodes: Vec<String>,
    /// Directed links that flows share. Those that members of groups have to themselves are numbered behind them.
    pub links: Vec<LinkPlan>,
    /// Groups of flows. Flows are numbered through them: a plan is as small for a hundred thousand as for one.
    pub groups: Vec<GroupPlan>,
}

impl Plan {
    /// How many flows there are.
    pub fn flows(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// The group of each flow, and which of its members it is, in order of the flows' numbers.
    pub fn members(&self) -> impl Iterator<Item = (&GroupPlan, usize)> {
        self.groups.iter().flat_map(|group| (0..group.count).map(move |index| (group, index)))
    }
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

/// One direction of a link that flows share.
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
    /// Propagation delay.
    pub delay: Span,
    /// The discipline in front of it.
    pub queue: Spec,
    /// Typical packet size, for what a discipline works out from the link.
    pub packet: Bytes,
    /// Whether the packet on the wire counts as part of the queue.
    pub counts_wire: bool,
    /// Packets its device takes from the discipline before it can send them.
    pub ring: u64,
    /// What it does to packets beside its queue.
    pub loss: LossPlan,
    /// When it may send, where that varies; then `rate` is the mean.
    pub opportunities: Option<Arc<Opportunities>>,
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

/// A group of flows that differ in nothing but what is spread over them.
#[derive(Clone, Debug)]
pub struct GroupPlan {
    /// Its name.
    pub name: String,
    /// How many flows.
    pub count: usize,
    /// What they are counted under in comparisons of classes.
    pub counted_as: String,
    /// Class of their packets.
    pub class: u8,
    /// The profile beyond which they have another.
    pub meter: Option<MeterPlan>,
    /// When they start.
    pub start: Spread,
    /// By how much each starts later beside that.
    pub stagger: Span,
    /// When they stop sending new data, if before the end.
    pub stop: Option<Span>,
    /// How they send.
    pub transport: TransportPlan,
    /// Shared links from source to destination.
    pub forward: Vec<usize>,
    /// Shared links from destination to source.
    pub back: Vec<usize>,
    /// The links that each has to itself, if any.
    pub private: Option<PrivatePlan>,
}

/// Links that a flow has to itself, at its source and at its destination, each there and back. They have no faults, and nothing of
/// them is written to results.
#[derive(Clone, Debug)]
pub struct PrivatePlan {
    /// Number of the first member's first link.
    pub first: usize,
    /// The discipline in front of each.
    pub queue: Spec,
    /// Typical packet size, for what a discipline works out from the link.
    pub packet: Bytes,
    /// Rates at source and destination.
    pub rates: [Rate; 2],
    /// Propagation delays. Where they are drawn at random, there and back share the draw: a long path is long both ways.
    pub delays: [Spread; 2],
}

impl PrivatePlan {
    /// Links of each member: there and back at its source, there and back at its destination.
    pub const EACH: usize = 4;

    /// What the links at source and destination are called.
    pub const SIDES: [&'static str; 2] = ["access", "exit"];
}

impl GroupPlan {
    /// What a member is called.
    pub fn member(&self, index: usize) -> String {
        format!("{}/{index}", self.name)
    }

    /// What the link of a member is called, at its source (side 0) or destination, there or back.
    pub fn private_link(&self, index: usize, side: usize, back: bool) -> String {
        format!("{}/{}.{index}{}", PrivatePlan::SIDES[side], self.name, if back { ".back" } else { "" })
    }

    /// Numbers of the links from a member's source to its destination.
    pub fn way_forward(&self, index: usize) -> Vec<usize> {
        self.way(&self.forward, index, [0, 2])
    }

    /// Numbers of the links from a member's destination to its source; none where nothing goes back.
    pub fn way_back(&self, index: usize) -> Vec<usize> {
        self.way(&self.back, index, [3, 1])
    }

    fn way(&self, shared: &[usize], index: usize, [before, behind]: [usize; 2]) -> Vec<usize> {
        match &self.private {
            Some(private) if !shared.is_empty() => {
                let first = private.first + PrivatePlan::EACH * index;
                [&[first + before], shared, &[first + behind]].concat()
            }
            _ => shared.to_vec(),
        }
    }

    /// When a member starts; `draw` gives a uniform number in [0, 1), if one is needed.
    pub fn start(&self, index: usize, draw: impl FnOnce() -> f64) -> Span {
        if self.stagger == Span::ZERO {
            return member_of(&self.start, index, self.count, draw);
        }
        member_of(&staggered(&self.start, self.stagger * index as u64), index, self.count, draw)
    }
}

/// The span of one member of a group; `draw` gives a uniform number in [0, 1), if one is needed.
pub fn member_of(spread: &Spread, index: usize, of: usize, draw: impl FnOnce() -> f64) -> Span {
    let drawn = if matches!(spread, Spread::Uniform(..)) { draw() } else { 0.0 };
    spread.of(index, of, drawn)
}

/// A spread moved by a span.
fn staggered(spread: &Spread, by: Span) -> Spread {
    match spread {
        Spread::Same(span) => Spread::Same(*span + by),
        Spread::Even(low, high) => Spread::Even(*low + by, *high + by),
        Spread::Uniform(low, high) => Spread::Uniform(*low + by, *high + by),
        Spread::List(spans) => Spread::List(spans.iter().map(|span| *span + by).collect()),
    }
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
