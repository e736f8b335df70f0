//! The sections of a scenario, declared.
//!
//! A table of the file may be read by several *parts*: `[dumbbell]` is a [`Wire`] and an [`Access`], a
//! group of flows is a [`Group`](super::traffic::Group), its path through the topology, its transport and its source.

use crate::keys::part::bare;
use units::framing::Framing;
use units::param::{
    require, Check, Distribution, DistributionShape, Kind, Param, Problem, Range, Spread, Value,
};
use units::quantity::Amount;
use units::{choices, params, Bytes, Rate, Span, Time};

params! {
    /// The scenario's title; no effect on the run.
    pub struct Head {
        /// One line, for tables and figures.
        title: String = String::new(),
        /// Description of the scenario, and the expected outcome.
        description: String = String::new(),
        /// Its origin: a paper, a standard, a measurement.
        source: String = String::new(),
    }
}

impl Check for Head {}

choices! {
    /// The clock: the type that time is counted in.
    pub enum Clock {
        /// Whole nanoseconds.
        Nanoseconds = "nanoseconds",
        /// Seconds in double precision, added in the order in which ns-2 adds them. Times that are equal in theory may
        /// differ in the last bit, and the smaller sum comes first.
        Doubles = "doubles",
    }
}

impl Clock {
    /// The first moment.
    pub fn start(self) -> Time {
        match self {
            Clock::Nanoseconds => Time::ZERO,
            Clock::Doubles => Time::ZERO_IN_DOUBLES,
        }
    }
}

params! {
    /// The duration of the run, and its records.
    pub struct Run {
        /// Simulated time.
        duration: Span = Span::from_millis(60_000) => { range: Range::Positive },
        /// Counting starts here; `"auto"` is a fifth of the duration.
        warmup: Option<Span> = None => { source: "dropcurve", assumed: true },
        /// Distance of the samples of series; `"auto"` is a thousandth of the duration.
        sample: Option<Span> = None => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// The clock. `"doubles"` counts time in doubles, for comparisons with ns-2, over `droptail` and `red`.
        clock: Clock = Clock::Nanoseconds => { source: "dropcurve" },
        /// Most events to execute before the run is stopped.
        max_events: u64 = 10_000_000_000 => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Most memory for packets, events and results, estimated, before the run is stopped.
        max_memory: Bytes = Bytes(4_000_000_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
    }
}

impl Run {
    /// Most samples a series may have.
    pub const MOST_SAMPLES: u64 = 1_000_000;

    /// The warm-up, with `auto` resolved.
    pub fn warmup(&self) -> Span {
        self.warmup.unwrap_or(self.duration / 5)
    }

    /// The distance of samples, with `auto` resolved.
    pub fn sample(&self) -> Span {
        self.sample.unwrap_or(Span((self.duration.0 / 1000).max(1)))
    }
}

impl Check for Run {
    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.warmup() < self.duration,
            "warmup",
            self.warmup.show(),
            format!("must be shorter than duration ({})", bare(self.duration)),
            "lengthen run.duration, or write \"auto\"",
        );
        require(
            problems,
            self.sample() <= self.duration,
            "sample",
            self.sample.show(),
            format!("must not exceed duration ({})", bare(self.duration)),
            "shorten it, or write \"auto\"",
        );
        let samples = self.duration.0 / self.sample().0.max(1);
        require(
            problems,
            samples <= Run::MOST_SAMPLES,
            "sample",
            self.sample.show(),
            format!("makes {samples} samples of each series; at most {} fit", Run::MOST_SAMPLES),
            "lengthen it, or write \"auto\"",
        );
    }
}

params! {
    /// One direction of a link.
    pub struct Wire {
        /// Bits per second.
        rate: Rate = Rate(10_000_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Propagation delay, one way.
        delay: Span = Span::from_millis(20) => { source: "dropcurve", assumed: true },
        /// When the link may send, in place of `rate`: milliseconds from the start of the run at which up to 1500 bytes
        /// leave, in the format of Mahimahi. They repeat, with the last one as the period. `"file:NAME"` reads them
        /// from a file.
        opportunities_ms: Vec<u64> = Vec::new() => { unit: "ms", source: "NSDW15" },
        /// Share of packets lost at random on the wire; with bursts, of those outside them.
        loss: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0) },
        /// Probability that a packet begins a burst of losses (Gilbert and Elliott).
        burst_begin: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0), source: "Elliott63" },
        /// Probability that a packet of a burst ends it; the inverse is the mean length of a burst.
        burst_end: f64 = 0.25 => { range: Range::Above(0.0, 1.0), source: "Elliott63", assumed: true },
        /// Share of packets lost inside bursts.
        burst_loss: f64 = 1.0 => { unit: "1", range: Range::Within(0.0, 1.0), source: "Elliott63" },
        /// Random addition to the delay of each packet.
        jitter: Distribution<Span> = Distribution::of(DistributionShape::Constant(0.0)),
        /// Whether jitter lets packets overtake one another; otherwise a delayed packet delays those behind it.
        overtaking: bool = false,
        /// Share of packets held back, so that others overtake them.
        reorder: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0) },
        /// How long they are held back.
        reorder_by: Span = Span::from_millis(10) => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Share of packets that arrive twice.
        duplicate: f64 = 0.0 => { unit: "1", range: Range::Within(0.0, 1.0) },
        /// Packets destroyed as they enter the link, before its queue: positions, from 0, among all packets that
        /// enter it. A SYN counts; the acknowledgements of a link's data enter its `back`.
        drop: Vec<u64> = Vec::new(),
        /// Packets whose CE is set as they enter the link, in the same numbering, where they are ECN-capable.
        mark: Vec<u64> = Vec::new(),
        /// Typical packet size on the wire, for values that a discipline derives from the link (the idle decay of
        /// RED's average); `"auto"` is the mean over the flows that send data through it.
        packet: Option<Bytes> = None => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// Whether the packet being transmitted counts as part of the queue.
        counts_wire: bool = false,
        /// Packets the device takes from the queue before it can send them: a driver's ring. Neither the queue's limit
        /// nor its sojourn counts them.
        ring: u64 = 0 => { unit: "packets", range: Range::Within(0.0, 65536.0), source: "ns-3: 1" },
        /// Bytes that the line adds to each packet, such as 40 for PPPoE with LLC/SNAP over AAL5. They take time on the
        /// line and count in no queue's limit.
        overhead: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Smallest size of a packet with its overhead on the line.
        mpu: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Framing of the line: `"atm"` sends 53 bytes for each 48, `"ptm"` 65 for each 64.
        framing: Framing = Framing::Plain => { source: "tc-cake(8)" },
    }
}

impl Check for Wire {
    fn relations(&self, problems: &mut Vec<Problem>) {
        for (name, list) in [("drop", &self.drop), ("mark", &self.mark)] {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let remedy = format!("write {}", sorted.show());
            require(problems, sorted == *list, name, list.show(), "must ascend, each position once", remedy);
        }
        require(
            problems,
            !self.counts_wire || self.ring == 0,
            "ring",
            self.ring,
            "must be 0 where the packet being transmitted counts as queued (counts_wire)",
            "leave out one of them",
        );
        let times = &self.opportunities_ms;
        let ascends = times.is_empty() || (times.is_sorted() && times.last() > Some(&0));
        require(
            problems,
            ascends,
            "opportunities_ms",
            format!("{} times", times.len()),
            "must not descend, and the last must be above 0",
            "write one time in milliseconds for each 1500 bytes",
        );
        let framed = self.overhead.0 > 0 || self.mpu.0 > 0 || self.framing != Framing::Plain;
        require(
            problems,
            times.is_empty() || !framed,
            "opportunities_ms",
            format!("{} times", times.len()),
            "go with a line that adds no bytes (overhead, mpu, framing)",
            "leave out one of them",
        );
    }
}

params! {
    /// The private links of each flow, from its source to the first router and from the last router to its
    /// destination. A spread runs over the members of each group.
    pub struct Access {
        /// Rate on the source's side; `"0 bit/s"` is unlimited, `"auto"` is ten times the bottleneck's.
        access_rate: Option<Rate> = None => { source: "dropcurve", assumed: true },
        /// Delay on the source's side, one way.
        access_delay: Spread = Spread::Same(Span::from_millis(1)) => { source: "dropcurve", assumed: true },
        /// Rate on the destination's side; `"auto"` is `access_rate`.
        exit_rate: Option<Rate> = None => { source: "dropcurve", assumed: true },
        /// Delay on the destination's side, one way.
        exit_delay: Spread = Spread::Same(Span::from_millis(1)) => { source: "dropcurve", assumed: true },
        /// Limit of the tail-drop queues of the private links.
        access_queue: Amount = Amount::Packets(1000.0) => { source: "dropcurve", assumed: true },
    }
}

impl Check for Access {}

params! {
    /// Several bottlenecks in a row.
    pub struct Chain {
        /// How many; links `hop1`, `hop2` … join routers `r1`, `r2` ….
        hops: u64 = 2 => { range: Range::Within(1.0, Chain::MOST_HOPS as f64) },
    }
}

impl Chain {
    /// Most hops: the engine keeps the length of a route in a byte.
    pub const MOST_HOPS: u64 = 250;
}

impl Check for Chain {}

params! {
    /// The ends of a link of a free graph.
    pub struct Ends {
        /// The node it leaves. Nodes are the names used.
        from: Place = Place(String::new()),
        /// The node it reaches.
        to: Place = Place(String::new()),
        /// Without the direction back.
        one_way: bool = false,
    }
}

impl Check for Ends {
    fn relations(&self, problems: &mut Vec<Problem>) {
        for (key, place) in [("from", &self.from), ("to", &self.to)] {
            require(
                problems,
                !place.0.is_empty(),
                key,
                "",
                "names a node",
                format!("write {key} = \"NODE\""),
            );
        }
        require(
            problems,
            self.from.0.is_empty() || self.from != self.to,
            "to",
            self.to.show(),
            "must be another node than from",
            "name the node at the other end",
        );
    }
}

/// A node of a free graph: a name, or a whole number for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place(pub String);

impl Param for Place {
    fn kind() -> Kind {
        Kind { example: "left", ..String::kind() }
    }
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(name) if !name.trim().is_empty() => Ok(Place(name.clone())),
            Value::Int(n) => Ok(Place(n.to_string())),
            _ => Err("must name a node".into()),
        }
    }
    fn show(&self) -> Value {
        Value::Text(self.0.clone())
    }
}
