//! The dialects of single congestion controls.

units::choices! {
    /// How CUBIC turns its function into segments.
    pub enum CubicRule {
        /// Each acknowledgement closes its share of the distance to the window one round trip ahead (RFC 9438).
        Rfc9438 = "rfc9438",
        /// One segment each so many segments acknowledged, at least two; at most 20 before the first loss (Linux).
        Linux = "linux",
        /// One segment each so many segments covered, at least two, in whole segments; slow start grows by all that an
        /// acknowledgement covers; nothing keeps up with additive increase; a timeout forgets the least round trip (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// How slow start ends before losses.
    pub enum HyStartRule {
        /// It does not.
        Off = "off",
        /// By a rise of the round trip, and then by stages (HyStart++, RFC 9406).
        Rfc9406 = "rfc9406",
        /// By a rise of the round trip by an eighth or a train of acknowledgements as long as the least one (HyStart).
        Train = "train",
        /// As `train`, where half of that length will do (Linux without pacing).
        Linux = "linux",
        /// As `train`, but the round trip must rise by the whole of the least one, and a timeout starts it anew (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// Whose Vegas.
    pub enum VegasRule {
        /// Brakmo and Peterson 1995, in real numbers.
        Brakmo = "brakmo",
        /// ns-2.35: segments queued are rounded, the fine-grained timeout is 17/16 of a round trip and two deviations, a timeout
        /// leaves two segments, and the window stays inflated after exactly three duplicates.
        Ns2 = "ns2",
        /// ns-3: whole segments; a round is judged by its least round trip and moves the window by one; slow start is Reno's; a
        /// loss leaves a window less one.
        Ns3 = "ns3",
    }
}

units::choices! {
    /// When Westwood samples the bandwidth.
    pub enum WestwoodRule {
        /// Once a round trip (Westwood+).
        Plus = "plus",
        /// With each acknowledgement (Westwood).
        Original = "original",
        /// Westwood+ of ns-3: over a smoothed round trip that begins with an acknowledgement and ends by the clock; the first sample
        /// finds an estimate of nothing, what duplicates stood for counts twice, and a loss may leave more than the window was.
        Ns3 = "ns3",
    }
}

units::choices! {
    /// What leaves at once by BBR's count, three of which its window allows for beside the path's product.
    pub enum BbrQuantum {
        /// One segment below 1.2 Mbit/s, two below 24, above it what a millisecond holds.
        Rate = "rate",
        /// One segment at any rate (ns-3).
        Segment = "segment",
    }
}

units::choices! {
    /// What the repair of losses leaves of BBR's window.
    pub enum BbrExit {
        /// What it was before.
        Restored = "restored",
        /// The slow start threshold: what fills the path as the drain began, without bound before it. In 32 bits the latter
        /// overflows once the pipe is full, and four segments are left (ns-3).
        Ssthresh = "ssthresh",
    }
}

units::choices! {
    /// What counts as newly lost for BBR.
    pub enum BbrLosses {
        /// What an acknowledgement shows to be lost.
        New = "new",
        /// By how much the number of lost segments changed, whether they became more or fewer (ns-3).
        Change = "change",
    }
}

units::choices! {
    /// How the greatest bandwidth of the last rounds is kept.
    pub enum BbrFilter {
        /// Exactly.
        Exact = "exact",
        /// By three values: the greatest, and those of the last three and two quarters of the time (Linux, ns-3).
        Three = "three",
    }
}

units::choices! {
    /// Over which segment's interval a delivery rate is taken.
    pub enum RateInterval {
        /// That of the newest segment that arrived.
        Newest = "newest",
        /// That of the first segment sent since more had been delivered, until one comes that was sent after still more (ns-3).
        Kept = "kept",
    }
}

units::choices! {
    /// Since when the receiving side has taken to deliver what a rate counts.
    pub enum RateOrigin {
        /// Since the last acknowledgement before the segment was sent.
        Own = "own",
        /// Since that before the segment that was sampled last; after too short a sample since time zero (ns-3).
        Before = "before",
    }
}

units::choices! {
    /// Whose BBR, version 1.
    pub enum BbrRule {
        /// As published in 2017.
        Original = "original",
        /// As Linux runs it since 2019: a hundredth below the model's rate, segments in bursts of a quantum, a window that allows
        /// for aggregated acknowledgements, phases that end by what will be in flight at the next departure.
        Linux = "linux",
    }
}
