//! Variants of single congestion controls.

units::choices! {
    /// How CUBIC converts its function into segments.
    pub enum CubicRule {
        /// Each ACK closes its share of the distance to the window one RTT ahead (RFC 9438).
        Rfc9438 = "rfc9438",
        /// One segment per this many ACKed segments, at least two; at most 20 before the first loss (Linux).
        Linux = "linux",
        /// One segment per this many segments covered, at least two, in whole segments; slow start grows by
        /// all segments that an ACK covers; no Reno-friendly region; a timeout resets the minimum RTT
        /// (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// How slow start ends before losses.
    pub enum HyStartRule {
        /// Not before losses.
        Off = "off",
        /// By a delay increase, and then CSS (HyStart++, RFC 9406).
        Rfc9406 = "rfc9406",
        /// By a delay increase of an eighth or an ACK train as long as the minimum RTT (HyStart).
        Train = "train",
        /// As `train`, with half of that length (Linux without pacing).
        Linux = "linux",
        /// As `train`, but the delay must increase by the whole minimum RTT, and a timeout restarts it
        /// (ns-3.37).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// Arithmetic of DCTCP's alpha.
    pub enum DctcpRule {
        /// Real numbers (RFC 8257).
        Rfc8257 = "rfc8257",
        /// Steps of 1/1024: a share of marks below 1/64 counts as none, an alpha below 1/64 is forgotten each
        /// window, and few marks stop the window without reducing it (Linux).
        Linux = "linux",
    }
}

units::choices! {
    /// Implementations of Vegas.
    pub enum VegasRule {
        /// Brakmo and Peterson 1995, in real numbers.
        Brakmo = "brakmo",
        /// ns-2.35: queued segments are rounded, the fine-grained timeout is 17/16 of an RTT plus two
        /// deviations, a timeout leaves two segments, and the window stays inflated after exactly three
        /// duplicate ACKs.
        Ns2 = "ns2",
        /// ns-3: whole segments; a round is judged by its minimum RTT and moves the window by one; slow start
        /// is Reno's; a loss leaves the window less one.
        Ns3 = "ns3",
        /// Linux: as `ns3`, but the queue is estimated with the base RTT, each segment is timed, slow start counts
        /// segments, and a loss halves the window.
        Linux = "linux",
    }
}

units::choices! {
    /// When Westwood samples bandwidth.
    pub enum WestwoodRule {
        /// Once per RTT (Westwood+).
        Plus = "plus",
        /// With each ACK (Westwood).
        Original = "original",
        /// Westwood+ of ns-3: over a smoothed RTT that starts with an ACK and ends by the clock; the first
        /// sample is averaged with zero, segments reported by duplicate ACKs count twice, and a loss may
        /// raise the window.
        Ns3 = "ns3",
        /// Westwood+ of Linux: whole bytes per millisecond, filtered twice; a recovery halves the window and sets
        /// it to bandwidth times minimum RTT at its end.
        Linux = "linux",
    }
}

units::choices! {
    /// Implementations of BIC, HighSpeed TCP, Hybla and Veno.
    pub enum ModuleRule {
        /// As published.
        Published = "published",
        /// Linux: HighSpeed TCP and Hybla grow once per ACK, whatever it acknowledges; Hybla grows as Reno until the
        /// segments sent before a timeout are acknowledged; BIC goes a quarter of the way to the maximum and corrects
        /// for delayed ACKs; Veno judges each ACK, and a timeout as any loss.
        Linux = "linux",
    }
}

units::choices! {
    /// Send quantum of BBR; its window adds three quanta to the bandwidth-delay product.
    pub enum BbrQuantum {
        /// One segment below 1.2 Mbit/s, two below 24 Mbit/s, above it 1 ms at the pacing rate.
        Rate = "rate",
        /// One segment at any rate (ns-3).
        Segment = "segment",
    }
}

units::choices! {
    /// BBR's window after a loss recovery.
    pub enum BbrExit {
        /// The window before the recovery.
        Restored = "restored",
        /// ssthresh: the model's window when drain started, unbounded before. The sum with unbounded ssthresh
        /// overflows 32 bits once the pipe is full and leaves four segments (ns-3).
        Ssthresh = "ssthresh",
    }
}

units::choices! {
    /// The rule for newly lost data of BBR.
    pub enum BbrLosses {
        /// Segments that an ACK marks lost.
        New = "new",
        /// The change of the number of lost segments, up or down (ns-3).
        Change = "change",
    }
}

units::choices! {
    /// Filter of the maximum bandwidth of recent rounds.
    pub enum BbrFilter {
        /// Exactly.
        Exact = "exact",
        /// By three values: the maximum, and those of the last three and two quarters of the window (Linux,
        /// ns-3).
        Three = "three",
    }
}

units::choices! {
    /// Segment whose interval gives the delivery rate.
    pub enum RateInterval {
        /// The newest segment acknowledged.
        Newest = "newest",
        /// The first segment sent after further deliveries, until one sent after still more is acknowledged
        /// (ns-3).
        Kept = "kept",
    }
}

units::choices! {
    /// Start of the ACK phase of a rate sample.
    pub enum RateOrigin {
        /// The last ACK before the segment was sent.
        Own = "own",
        /// The last ACK before the previously sampled segment was sent; time zero after an invalid sample
        /// (ns-3).
        Before = "before",
    }
}

units::choices! {
    /// Implementations of BBR version 1.
    pub enum BbrRule {
        /// As published in 2017.
        Original = "original",
        /// As in Linux since 2019: 1 % below the model's rate, bursts of a quantum, an allowance for ACK
        /// aggregation in the window, phases that end by the flight at the next departure.
        Linux = "linux",
    }
}
