//! The keys of a group of flows, declared part by part: common keys, the route through the
//! topology, the transport. The keys of a source are declared in its own module, in [`crate::source`].

use super::sections::Place;
use crate::keys::part::bare;
use crate::keys::{Part, Transport};
use crate::source::packets::Udp;
use crate::source::rated::Rated;
pub use crate::source::{SourceKind as Source, SourceName};
use transport::tcp;
use units::param::{require, Check, Choice, Param, Problem, Range, Spread};
use units::{params, Span};

/// Most flows of a scenario, all groups together: numbers of links and endpoints have 32 bits. Memory ends before.
pub const MOST_FLOWS: u64 = 100_000_000;

impl Transport {
    /// Its options, as data.
    pub fn part(self) -> Part {
        match self {
            Transport::Tcp => Part::of::<tcp::Params>(),
            Transport::Udp => Part::of::<Udp>(),
            other => Rated::part(other).expect("all others have two ends of their own"),
        }
    }
}

params! {
    /// A group of flows.
    pub struct Group {
        /// How many flows.
        count: u64 = 1 => { range: Range::Within(1.0, MOST_FLOWS as f64) },
        /// Their transport protocol.
        transport: Transport = Transport::Tcp,
        /// Their source; `"auto"` is `cbr` for UDP and `ftp` for all others.
        source: Option<SourceName> = None,
        /// Their class in comparisons of classes; `"auto"` is the group's name.
        counted_as: Option<String> = None,
        /// The host of their sources: flows with the same name are on one host. `"auto"`: each flow has one of its own;
        /// in a free graph, the node where they enter.
        source_host: Option<String> = None,
        /// The host of their destinations. `"auto"`: each flow has one of its own; in a free graph, the node where they
        /// leave.
        destination_host: Option<String> = None,
        /// When each starts. A spread runs over the members of the group.
        start: Spread = Spread::Same(Span::ZERO),
        /// Added to the start of each member, once for each member before it.
        stagger: Span = Span::ZERO,
        /// When they stop sending new data; `"auto"` is the end of the run.
        stop: Option<Span> = None => { range: Range::Positive },
    }
}

impl Group {
    /// The source, with `auto` resolved.
    pub fn source(&self) -> SourceName {
        let usual = if self.transport == Transport::Udp { Source::Cbr } else { Source::Ftp };
        self.source.clone().unwrap_or(SourceName::BuiltIn(usual))
    }

    /// The earliest and latest moments at which a member may start.
    pub fn starts(&self) -> (Span, Span) {
        let (low, high) = match &self.start {
            Spread::Same(span) => (*span, *span),
            Spread::Even(low, high) | Spread::Uniform(low, high) => (*low, *high),
            Spread::List(spans) => {
                let first = spans.first().copied().unwrap_or(Span::ZERO);
                spans.iter().fold((first, first), |(low, high), &span| (low.min(span), high.max(span)))
            }
        };
        (low, high + self.stagger * (self.count - 1))
    }
}

impl Check for Group {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let (transport, source) = (self.transport, self.source());
        let over = source.transports();
        let names: Vec<String> = over.iter().map(|one| one.name().to_uppercase()).collect();
        require(
            problems,
            over.contains(&transport),
            "source",
            source.show(),
            format!(
                "is a source for {}, and this group's transport is {}",
                names.join(" and "),
                transport.show()
            ),
            format!("write transport = \"{}\", or choose another source", over[0].name()),
        );
        let (_, last) = self.starts();
        require(
            problems,
            self.stop.is_none_or(|stop| stop > last),
            "stop",
            self.stop.show(),
            format!("must come after the last start ({})", bare(last)),
            "",
        );
    }
}

params! {
    /// The direction in which a group crosses a dumbbell.
    pub struct DumbbellPath {
        /// From right to left, against the bottleneck's direction.
        reverse: bool = false,
    }
}

impl Check for DumbbellPath {}

params! {
    /// The direction in which a group crosses a chain.
    pub struct ChainPath {
        /// Number of the router at which it enters, from 1; `"auto"` is the first.
        from: Option<u64> = None => { range: Range::Positive },
        /// Number of the router at which it leaves; `"auto"` is the last.
        to: Option<u64> = None => { range: Range::Positive },
        /// Swaps the two ends.
        reverse: bool = false,
    }
}

impl ChainPath {
    /// The same with both routers named, in a chain of this many hops.
    pub fn numbers(&self, hops: u64) -> ChainPath {
        ChainPath { from: self.from.or(Some(1)), to: self.to.or(Some(hops + 1)), reverse: self.reverse }
    }
}

impl Check for ChainPath {}

params! {
    /// The nodes at which a group enters and leaves a free graph.
    pub struct GraphPath {
        /// The node of its sources.
        from: Place = Place(String::new()),
        /// The node of its destinations.
        to: Place = Place(String::new()),
    }
}

impl Check for GraphPath {}
