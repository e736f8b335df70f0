//! A scenario after reading: typed sections with every default in place.

use super::marking::Marking;
use super::sections::{Access, Head, Run, Wire};
use super::traffic::{ChainPath, DumbbellPath, GraphPath, Group};
use crate::source;
use crate::source::packets::Udp;
use crate::source::rated::Rated;
use queue::Spec;
use transport::tcp;
use units::param::Valid;

/// All sections.
#[derive(Clone, Debug)]
pub struct Model {
    /// The scenario's title.
    pub head: Head,
    /// How long to run.
    pub run: Run,
    /// The links.
    pub topology: Topology,
    /// Groups of flows in the order written.
    pub flows: Vec<FlowGroup>,
}

/// The three forms of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `[dumbbell]`
    Dumbbell,
    /// `[chain]`
    Chain,
    /// `[links.*]`
    Graph,
}

impl Form {
    /// The section that writes it.
    pub fn section(self) -> &'static str {
        match self {
            Form::Dumbbell => "dumbbell",
            Form::Chain => "chain",
            Form::Graph => "links",
        }
    }
}

/// Shared links, and the defaults of private links.
#[derive(Clone, Debug)]
pub struct Topology {
    /// How it is written.
    pub form: Form,
    /// The defaults of every shared link; absent in a graph.
    pub base: Option<Base>,
    /// The shared links.
    pub trunks: Vec<Trunk>,
}

/// The properties that a dumbbell and the hops of a chain have in common.
#[derive(Clone, Debug)]
pub struct Base {
    /// Both directions.
    pub both: Both,
    /// Private links.
    pub access: Access,
}

/// Both directions of a link.
#[derive(Clone, Debug)]
pub struct Both {
    /// The direction it is written in.
    pub forward: Direction,
    /// The reverse direction, if there is one.
    pub back: Option<Direction>,
}

/// One direction of a link and the discipline in front of it.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The wire.
    pub wire: Wire,
    /// The discipline.
    pub queue: Spec,
}

/// A shared link.
#[derive(Clone, Debug)]
pub struct Trunk {
    /// Its name.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it reaches.
    pub to: String,
    /// Its directions.
    pub both: Both,
}

/// A group of flows.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// Its name.
    pub name: String,
    /// How many flows, when they start, which transport and source they have.
    pub group: Group,
    /// The class of its packets.
    pub marking: Marking,
    /// Its path through the topology, as written.
    pub path: GroupPath,
    /// Private links, in a dumbbell or chain.
    pub access: Option<Access>,
    /// Its transport protocol.
    pub sends: Sends,
    /// Its source.
    pub source: source::SourceKeys,
    /// The preset of the source that was named, if one was.
    pub source_preset: Option<String>,
}

/// A group's path through the topology.
#[derive(Clone, Debug)]
pub enum GroupPath {
    /// Across a dumbbell.
    Dumbbell(DumbbellPath),
    /// Along a chain.
    Chain(ChainPath),
    /// Through a graph.
    Graph(GraphPath),
}

impl GroupPath {
    /// Whether its ends are swapped.
    pub fn reversed(&self) -> bool {
        match self {
            GroupPath::Dumbbell(way) => way.reverse,
            GroupPath::Chain(way) => way.reverse,
            GroupPath::Graph(_) => false,
        }
    }

    /// Names of the nodes where the group's data enters and leaves; empty where none is given.
    pub fn ends(&self, trunks: &[Trunk]) -> (String, String) {
        let swapped = |a: String, b: String| if self.reversed() { (b, a) } else { (a, b) };
        match self {
            GroupPath::Dumbbell(_) => swapped("left".into(), "right".into()),
            GroupPath::Chain(way) => {
                let way = way.numbers(trunks.len() as u64);
                swapped(format!("r{}", way.from.unwrap_or(1)), format!("r{}", way.to.unwrap_or(1)))
            }
            GroupPath::Graph(way) => (way.from.0.clone(), way.to.0.clone()),
        }
    }
}

/// How a flow sends.
#[derive(Clone, Debug)]
pub enum Sends {
    /// Over TCP.
    Tcp(Tcp),
    /// Over a rate-based transport.
    Rated(RatedSends),
    /// Over UDP; the keys of packets are the defaults where the source has its own.
    Udp(Udp),
}

/// A TCP sender.
#[derive(Clone, Debug)]
pub struct Tcp {
    /// The profile that was named, if one was.
    pub profile: Option<String>,
    /// Its options.
    pub params: Box<Valid<tcp::Params>>,
}

/// A rate-based sender.
#[derive(Clone, Debug)]
pub struct RatedSends {
    /// The profile that was named, if one was.
    pub profile: Option<String>,
    /// The kind, with its options.
    pub rated: Rated,
}
