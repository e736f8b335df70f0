//! A resolved scenario: the input from which a network is built.
//!
//! Names have become indices and routes are known, but nothing random has been drawn: one plan serves every seed.

use crate::packet::FlowLabel;
use crate::source::datagrams::UdpPlan;
use crate::source::load::Load;
use crate::source::meter::MeterPlan;
use crate::source::rated::Rated;
use queue::Spec;
use std::sync::Arc;
use transport::tcp;
use units::framing::LineFraming;
use units::param::{Distribution, Spread, Valid};
use units::size::Opportunities;
use units::{Bytes, Rate, Span, Time};

/// Everything a run needs but its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario's title.
    pub title: String,
    /// When to stop, and the records to make.
    pub run: RunPlan,
    /// Names of the nodes between shared links, which refer to them by index.
    pub nodes: Vec<String>,
    /// Directed links that flows share. Private links are numbered after them.
    pub links: Vec<LinkPlan>,
    /// Groups of flows. Flows are numbered group by group, so the size of a plan does not depend on the number of
    /// flows.
    pub groups: Vec<GroupPlan>,
}

impl Plan {
    /// Number of flows.
    pub fn flows(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// The label of each flow, in order of the flows' numbers: hosts that are shared come first.
    pub fn labels(&self) -> Vec<FlowLabel> {
        let shared = self.groups.iter().flat_map(|group| group.hosts).filter_map(|host| match host {
            HostPlan::Own => None,
            HostPlan::Shared(number) => Some(number + 1),
        });
        let mut own = shared.max().unwrap_or(0)..;
        let mut number = |host| match host {
            HostPlan::Shared(number) => number,
            HostPlan::Own => own.next().unwrap_or_default(),
        };
        let label = |group: &GroupPlan| {
            let tcp = matches!(group.transport, TransportPlan::Tcp { .. });
            FlowLabel::new(group.hosts.map(&mut number), tcp)
        };
        self.members().map(|(group, _)| group).map(label).collect()
    }

    /// Estimated memory of all flows, with their links and their part of the summary: the most that a run needs before
    /// its packets.
    pub fn memory(&self) -> Bytes {
        Bytes(self.groups.iter().map(|group| group.count as u64 * group.flow_memory()).sum())
    }

    /// The group of each flow, and which of its members it is, in order of the flows' numbers.
    pub fn members(&self) -> impl Iterator<Item = (&GroupPlan, usize)> {
        self.groups.iter().flat_map(|group| (0..group.count).map(move |index| (group, index)))
    }
}

/// Limits of a run, and its records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunPlan {
    /// The first moment; its type (nanoseconds or double) is that of the run's clock.
    pub start: Time,
    /// The duration of the run.
    pub duration: Span,
    /// The end of the warm-up: measuring starts here.
    pub warmup: Span,
    /// The sampling interval of series.
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
    /// Typical packet size, from which a discipline derives parameters of its link.
    pub packet: Bytes,
    /// Whether the packet on the wire counts as part of the queue.
    pub counts_wire: bool,
    /// Packets its device takes from the discipline before it can send them.
    pub ring: u64,
    /// Bytes that the line adds to each packet.
    pub framing: LineFraming,
    /// Losses, jitter, reordering and duplicates.
    pub loss: LossPlan,
    /// Transmission opportunities, if they vary; then `rate` is the mean.
    pub opportunities: Option<Arc<Opportunities>>,
}

/// The faults of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossPlan {
    /// Probability for each packet, after its transmission; outside bursts of losses, if there are any.
    pub random: f64,
    /// Bursts of losses.
    pub bursts: Option<LossBursts>,
    /// Positions, from 0 and ascending, of packets destroyed as they enter the link, before its queue.
    pub positions: Vec<u64>,
    /// The same for packets whose CE is set there, if they are ECN-capable and not destroyed.
    pub marks: Vec<u64>,
    /// Additional delay of each packet.
    pub jitter: Option<Distribution<Span>>,
    /// Whether jitter lets packets overtake one another.
    pub overtaking: bool,
    /// Share of packets that are delayed, and by how much.
    pub reorder: (f64, Span),
    /// Share of packets that arrive twice.
    pub duplicate: f64,
}

/// The Gilbert-Elliott model: two states, left with a probability for each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossBursts {
    /// Probability that a burst begins.
    pub begin: f64,
    /// Probability that it ends.
    pub end: f64,
    /// Probability of loss inside.
    pub loss: f64,
}

/// A group of flows that differ only in values that are spread over them.
#[derive(Clone, Debug)]
pub struct GroupPlan {
    /// Its name.
    pub name: String,
    /// How many flows.
    pub count: usize,
    /// The class under which comparisons count them.
    pub counted_as: String,
    /// Class of their packets.
    pub class: u8,
    /// The traffic profile beyond which packets get another class.
    pub meter: Option<MeterPlan>,
    /// Hosts of their source and of their destination.
    pub hosts: [HostPlan; 2],
    /// When they start.
    pub start: Spread,
    /// Additional delay of each start after the one before.
    pub stagger: Span,
    /// When they stop sending new data, if before the end.
    pub stop: Option<Span>,
    /// Their transport protocol.
    pub transport: TransportPlan,
    /// Shared links from source to destination.
    pub forward: Vec<usize>,
    /// Shared links from destination to source.
    pub back: Vec<usize>,
    /// The private links of each member, if any.
    pub private: Option<PrivatePlan>,
}

/// The host at one end of a group's flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPlan {
    /// Each flow has one of its own.
    Own,
    /// All have this one.
    Shared(u32),
}

/// Private links of a flow, at its source and at its destination, in both directions. They have no faults and no probe.
#[derive(Clone, Debug)]
pub struct PrivatePlan {
    /// Number of the first member's first link.
    pub first: usize,
    /// The discipline in front of each.
    pub queue: Spec,
    /// Typical packet size, from which a discipline derives parameters of its link.
    pub packet: Bytes,
    /// Rates at source and destination.
    pub rates: [Rate; 2],
    /// Propagation delays. If they are random, both directions share the draw: a long path is long both ways.
    pub delays: [Spread; 2],
}

impl PrivatePlan {
    /// Links of each member: forward and reverse at its source, forward and reverse at its destination.
    pub const EACH: usize = 4;

    /// Names of the sides of source and destination.
    pub const SIDES: [&'static str; 2] = ["access", "exit"];
}

impl GroupPlan {
    /// Estimated bytes of a member with its private links and its summary: above the growth of the process from 8000 to
    /// 32,000 flows (1.5 kB, TCP 1.4 to 3.2 kB, rate-based 2.8 to 3.5 kB, applications 3.3 to 4.1 kB).
    fn flow_memory(&self) -> u64 {
        match self.transport {
            TransportPlan::Udp(_) => 2_000,
            _ if self.transport.is_app() => 5_000,
            TransportPlan::Tcp { .. } => 3_500,
            TransportPlan::Rated { .. } => 4_000,
        }
    }

    /// The name of a member.
    pub fn member(&self, index: usize) -> String {
        format!("{}/{index}", self.name)
    }

    /// The name of a member's private link, at its source (side 0) or destination, forward or reverse.
    pub fn private_link(&self, index: usize, side: usize, back: bool) -> String {
        format!("{}/{}.{index}{}", PrivatePlan::SIDES[side], self.name, if back { ".back" } else { "" })
    }

    /// Numbers of the links from a member's source to its destination.
    pub fn route_forward(&self, index: usize) -> Vec<usize> {
        self.route(&self.forward, index, [0, 2])
    }

    /// Numbers of the links from a member's destination to its source; empty if nothing is sent in reverse.
    pub fn route_back(&self, index: usize) -> Vec<usize> {
        self.route(&self.back, index, [3, 1])
    }

    fn route(&self, shared: &[usize], index: usize, [before, behind]: [usize; 2]) -> Vec<usize> {
        match &self.private {
            Some(private) if !shared.is_empty() => {
                let first = private.first + PrivatePlan::EACH * index;
                [&[first + before], shared, &[first + behind]].concat()
            }
            _ => shared.to_vec(),
        }
    }

    /// When a member starts; `draw` returns a uniform number in [0, 1) and is called if one is needed.
    pub fn start(&self, index: usize, draw: impl FnOnce() -> f64) -> Span {
        if self.stagger == Span::ZERO {
            return member_of(&self.start, index, self.count, draw);
        }
        member_of(&staggered(&self.start, self.stagger * index as u64), index, self.count, draw)
    }
}

/// The value for one member of a group; `draw` returns a uniform number in [0, 1) and is called if one is needed.
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

/// How a flow sends.
#[derive(Clone, Debug)]
pub enum TransportPlan {
    /// TCP.
    Tcp {
        /// Options of sender and receiver.
        params: Arc<Valid<tcp::Params>>,
        /// Its source.
        load: Load,
    },
    /// A rate-based transport.
    Rated {
        /// The transport, with its options.
        rated: Rated,
        /// Its source.
        load: Load,
    },
    /// UDP from an open-loop source.
    Udp(UdpPlan),
}

impl TransportPlan {
    /// Whether an application offers objects to it.
    pub fn is_app(&self) -> bool {
        match self {
            TransportPlan::Tcp { load, .. } | TransportPlan::Rated { load, .. } => {
                matches!(load, Load::App(_))
            }
            TransportPlan::Udp(_) => false,
        }
    }
}
