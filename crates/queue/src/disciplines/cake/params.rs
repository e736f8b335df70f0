//! The options of CAKE.

use super::tins;
use super::{AckFilter, ClassIs, Division, Framing, Isolate, Tins, Translated};
use crate::fifo::{Limit, LimitTest};
use alloc::vec::Vec;
use units::param::{Check, Preset, Problem, Range};
use units::quantity::Amount;
use units::{Bytes, Rate, Span};

units::params! {
    /// A shaper over tins of fair queues under COBALT.
    pub struct Params {
        /// Rate of the shaper. `auto`: no shaper; the link sets the pace and tins share it by weight.
        bandwidth: Option<Rate> = None => { range: Range::Positive, source: "tc-cake(8)" },
        /// The tins, and the code points of each.
        tins: Tins = Tins::DiffServ3 => { source: "tc-cake(8)" },
        /// How the class of a packet is read.
        class_is: ClassIs = ClassIs::CodePoint => { assumed: true },
        /// Packets that share a queue, and hosts between which the link is shared.
        isolate: Isolate = Isolate::Triple => { source: "tc-cake(8)" },
        /// The side whose hosts share one address, behind a router that translates addresses; `nat` of Linux finds
        /// their own addresses and makes it neither.
        translated: Translated = Translated::Neither => { source: "tc-cake(8)" },
        /// How the quantum is divided among the bulk queues of a host.
        division: Division = Division::Exact => { assumed: true },
        /// Expected round-trip time of the flows, which is CoDel's interval.
        interval: Span = Span::from_millis(100) => { range: Range::Positive, source: "tc-cake(8)" },
        /// Acceptable sojourn time. `auto`: a twentieth of the interval.
        target: Option<Span> = None => { range: Range::Positive, source: "HTM18" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = true => { source: "HTM18" },
        /// Redundant acknowledgements that are dropped.
        ack_filter: AckFilter = AckFilter::Off => { source: "tc-cake(8)" },
        /// Clears the class of each packet that leaves; its ECN field stays.
        wash: bool = false => { source: "tc-cake(8)" },
        /// The link to protect lies before this queue: the shaper also counts packets that are dropped, as
        /// they have crossed that link already, and each flow may have two packets in the queue.
        ingress: bool = false => { source: "tc-cake(8)" },
        /// Bytes that the wire adds to each packet.
        overhead: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Bytes of each packet that this wire does not carry, such as the 14 of an Ethernet header.
        uncounted: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Smallest size of a packet on the wire.
        mpu: Bytes = Bytes(0) => { range: Range::Within(0.0, 256.0), source: "tc-cake(8)" },
        /// Framing of the wire.
        framing: Framing = Framing::Plain => { source: "tc-cake(8)" },
        /// Limit of all queues together, in bytes or packets. `auto`: four times the bytes that the shaper
        /// sends in an interval, at least 4 MB.
        limit: Option<Amount> = None => { source: "tc-cake(8)" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        tins::check(self.target, self.interval, problems);
        if let Some(limit) = self.limit {
            Limit::check(limit, LimitTest::After, problems);
        }
    }
}

const DIALECTS: &[Preset] = &[
    Preset {
        name: "linux",
        doc: "Linux cake with its defaults and its arithmetic.",
        options: &[("division", "sixteen_bits")],
    },
    Preset {
        name: "besteffort",
        doc: "One tin, whatever packets are marked as.",
        options: &[("tins", "besteffort")],
    },
];

impl Params {
    /// Acceptable sojourn time.
    pub(super) fn target(&self) -> Span {
        self.target.unwrap_or(Span(self.interval.0 / 20))
    }

    /// Limit of all queues together.
    pub(super) fn limit(&self) -> Amount {
        let least = 4 << 20;
        let window =
            self.bandwidth.map_or(0, |rate| (rate.as_bps() / 8.0 * 4.0 * self.interval.as_secs()) as u64);
        self.limit.unwrap_or(Amount::Bytes(window.max(least) as f64))
    }
}
