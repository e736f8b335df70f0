//! Measurement and counting of ACKs.

units::choices! {
    /// Segments that are samples of the RTT.
    pub enum RttSamples {
        /// One segment in flight at a time, never a retransmission (Karn).
        PerWindow = "per_window",
        /// Every ACK of new data, by the timestamp option.
        Timestamps = "timestamps",
        /// As `timestamps`, with a clock of whole milliseconds (ns-3).
        Milliseconds = "milliseconds",
    }
}

units::choices! {
    /// How the retransmission timeout is computed.
    pub enum RtoRule {
        /// RFC 6298 in real arithmetic, rounded up to the granularity.
        Rfc6298 = "rfc6298",
        /// Integer ticks with srtt scaled by 8 and rttvar by 4 (4.3BSD, ns-2).
        Ticks = "ticks",
        /// Linux: the largest mean deviation of each round trip, of which `min_rto` is a floor on four times.
        Linux = "linux",
    }
}

units::choices! {
    /// The RTT shown to a congestion control.
    pub enum ShownRtt {
        /// The sample of each ACK.
        Sample = "sample",
        /// The smoothed RTT (ns-3).
        Smoothed = "smoothed",
        /// That of the newest segment that an ACK reports, by SACK or cumulatively, and that was sent once; also in a
        /// recovery (Linux). Without such a segment, and without RACK, as `sample`.
        Segment = "segment",
    }
}

units::choices! {
    /// The rule for duplicate ACKs with SACK.
    pub enum DupackRule {
        /// ACKs that acknowledge no new data.
        NoAdvance = "no_advance",
        /// ACKs that report newly SACKed segments; they neither grow the window nor restart the timer, even
        /// if they acknowledge new data (RFC 6675 section 2).
        Rfc6675 = "rfc6675",
    }
}

units::choices! {
    /// The unit of window growth.
    pub enum Counting {
        /// One increment per ACK, for any number of segments.
        Acks = "acks",
        /// One increment per acknowledged segment, at most two per ACK (RFC 3465).
        Segments = "segments",
        /// Every segment acknowledged or SACKed by an ACK that advances; in congestion avoidance the window
        /// grows by whole segments, one per window (Linux).
        Whole = "whole",
        /// As `acks`; an ACK that ends slow start and covers more than one segment counts for congestion
        /// avoidance, too; the one that ends the recovery from a timeout counts for the segments beyond it
        /// (ns-3).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// Rounding of window arithmetic.
    pub enum Arithmetic {
        /// Real numbers.
        Real = "real",
        /// Reductions set cwnd to a real number and ssthresh to a whole one.
        WholeSsthresh = "whole_ssthresh",
        /// Reductions set both to whole numbers.
        Integer = "integer",
        /// As `integer`, at least two (Linux).
        Whole = "whole",
        /// Windows are whole bytes.
        Bytes = "bytes",
    }
}

impl Arithmetic {
    /// Whether reductions use whole segments.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Arithmetic::Integer | Arithmetic::Whole)
    }
}
