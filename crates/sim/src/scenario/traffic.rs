//! The keys of a group of flows, declared part by part: what every group has, its way through the
//! topology, and what its transport and source add.

use super::sections::{bare, Place};
use units::param::{require, Check, Param, Problem, Range, Spread};
use units::{choices, params, Bytes, Rate, Span};

choices! {
    /// How a flow sends.
    pub enum Transport {
        /// A TCP connection.
        Tcp = "tcp",
        /// Rate control by the throughput equation (RFC 5348).
        Tfrc = "tfrc",
        /// Datagrams without any feedback.
        Udp = "udp",
    }
}

choices! {
    /// What a flow has to send.
    pub enum Source {
        /// As much as TCP or TFRC takes, or over TCP a file of `bytes`.
        Ftp = "ftp",
        /// UDP packets at a constant rate.
        Cbr = "cbr",
        /// UDP packets at a constant rate while on, in turns with silence.
        Onoff = "onoff",
        /// UDP packets with exponential gaps.
        Poisson = "poisson",
    }
}

params! {
    /// A group of flows.
    pub struct Group {
        /// How many flows.
        count: u64 = 1 => { range: Range::Within(1.0, 999_999.0) },
        /// How they send.
        transport: Transport = Transport::Tcp,
        /// What they have to send; `"auto"` is `ftp` for TCP and TFRC and `cbr` for UDP.
        source: Option<Source> = None,
        /// What they are counted under in comparisons of classes; `"auto"` is the group's name.
        counted_as: Option<String> = None,
        /// When each starts. A spread runs over the members of the group.
        start: Spread = Spread::Same(Span::ZERO),
        /// Added to the start of each member, once for each member before it.
        stagger: Span = Span::ZERO,
        /// When they stop sending new data; `"auto"` is the end of the run.
        stop: Option<Span> = None => { range: Range::Positive },
    }
}

impl Group {
    /// The source, worked out.
    pub fn source(&self) -> Source {
        let usual = if self.transport == Transport::Udp { Source::Cbr } else { Source::Ftp };
        self.source.unwrap_or(usual)
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
        let fits = (transport != Transport::Udp) == (source == Source::Ftp);
        let (only, other) = if source == Source::Ftp { ("TCP", "tcp") } else { ("UDP", "udp") };
        require(
            problems,
            fits,
            "source",
            source.show(),
            format!("is a source for {only}, and this group's transport is {}", transport.show()),
            format!("write transport = \"{other}\", or choose another source"),
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
    /// Which way a group crosses a dumbbell.
    pub struct DumbbellWay {
        /// From right to left, against the bottleneck's direction.
        reverse: bool = false,
    }
}

impl Check for DumbbellWay {}

params! {
    /// Which way a group crosses a chain.
    pub struct ChainWay {
        /// Number of the router at which it enters, from 1; `"auto"` is the first.
        from: Option<u64> = None => { range: Range::Positive },
        /// Number of the router at which it leaves; `"auto"` is the last.
        to: Option<u64> = None => { range: Range::Positive },
        /// Swaps the two ends.
        reverse: bool = false,
    }
}

impl ChainWay {
    /// The same with both routers named, in a chain of so many hops.
    pub fn numbers(&self, hops: u64) -> ChainWay {
        ChainWay { from: self.from.or(Some(1)), to: self.to.or(Some(hops + 1)), reverse: self.reverse }
    }
}

impl Check for ChainWay {}

params! {
    /// Where a group enters and leaves a free graph.
    pub struct GraphWay {
        /// The node of its sources.
        from: Place = Place(String::new()),
        /// The node of its destinations.
        to: Place = Place(String::new()),
    }
}

impl Check for GraphWay {}

params! {
    /// What a TCP flow has to send.
    pub struct Ftp {
        /// Payload of a file; `"auto"` sends without end.
        bytes: Option<Bytes> = None => { range: Range::Positive },
    }
}

impl Check for Ftp {}

choices! {
    /// What a rate counts.
    pub enum RateOf {
        /// Bytes on the wire.
        Wire = "wire",
        /// Payload only.
        Payload = "payload",
    }
}

params! {
    /// Packets of a UDP flow.
    pub struct Udp {
        /// Rate while sending.
        rate: Rate = Rate(1_000_000) => { range: Range::Positive, source: "dropcurve", assumed: true },
        /// What `rate` counts.
        rate_of: RateOf = RateOf::Wire,
        /// Size of a packet on the wire, headers included.
        packet: Bytes = Bytes(500) => { range: Range::Within(1.0, 65_535.0), source: "dropcurve", assumed: true },
        /// Headers in it.
        headers: Bytes = Bytes(28) => { source: "IPv4 20 and UDP 8 (RFC 791, RFC 768)" },
    }
}

impl Check for Udp {
    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.headers < self.packet,
            "packet",
            self.packet.show(),
            format!("must exceed headers ({})", units::quantity::show_bytes(self.headers)),
            "packet counts bytes on the wire, headers included",
        );
    }
}

params! {
    /// A constant rate.
    pub struct Cbr {
        /// Each gap is scaled by a uniform factor in 1 ± jitter, which breaks up phase effects.
        jitter: f64 = 0.0 => { unit: "1", range: JITTER },
    }
}

const JITTER: Range = Range::Within(0.0, 0.999);

impl Check for Cbr {}

params! {
    /// Bursts at a constant rate in turns with silence.
    pub struct Onoff {
        /// Mean length of a burst.
        on: Span = Span::from_millis(500) => { range: Range::Positive, source: "ns-2 exponential source" },
        /// Mean length of a silence.
        off: Span = Span::from_millis(500) => { range: Range::Positive, source: "ns-2 exponential source" },
        /// Pareto shape of both lengths; `"auto"` makes them exponential.
        shape: Option<f64> = None => { unit: "1", range: Range::Above(1.0, 100.0) },
        /// Each gap inside a burst is scaled by a uniform factor in 1 ± jitter.
        jitter: f64 = 0.0 => { unit: "1", range: JITTER },
    }
}

impl Check for Onoff {}

choices! {
    /// Sizes of packets.
    pub enum Sizes {
        /// All of size `packet`.
        Constant = "constant",
        /// Exponential with mean `packet`, as in M/M/1.
        Exponential = "exponential",
    }
}

params! {
    /// A Poisson process.
    pub struct Poisson {
        /// Sizes of its packets.
        sizes: Sizes = Sizes::Constant,
    }
}

impl Check for Poisson {}
