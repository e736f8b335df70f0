//! What of acknowledgements is measured and counted.

units::choices! {
    /// Which segments give round-trip samples.
    pub enum Samples {
        /// One segment in flight at a time is timed, never a retransmission (Karn).
        PerWindow = "per_window",
        /// Every acknowledgement of new data, by the timestamp option.
        Timestamps = "timestamps",
        /// As `timestamps`, on a clock of whole milliseconds (ns-3).
        Milliseconds = "milliseconds",
    }
}

units::choices! {
    /// Which round trip a congestion control is shown.
    pub enum ShownRtt {
        /// That of each acknowledgement.
        Sample = "sample",
        /// The smoothed one (ns-3).
        Smoothed = "smoothed",
    }
}

units::choices! {
    /// Which acknowledgements count as duplicates where selective acknowledgements are used.
    pub enum DupackRule {
        /// Those that acknowledge no new data.
        NoAdvance = "no_advance",
        /// All that report segments newly held; such a one neither grows the window nor restarts the timer, also if it
        /// acknowledges new data (RFC 6675 section 2).
        Rfc6675 = "rfc6675",
    }
}

units::choices! {
    /// What a congestion control counts as it opens the window.
    pub enum Counting {
        /// One increment an acknowledgement, however much it covers.
        Acks = "acks",
        /// One increment a segment acknowledged, at most two an acknowledgement (RFC 3465).
        Segments = "segments",
        /// Every segment acknowledged or reported to be held by an acknowledgement that moves on; in congestion avoidance the window
        /// grows by whole segments, one for each window (Linux).
        Whole = "whole",
        /// As `acks`; an acknowledgement by which slow start ends, and covers more than one segment, counts for congestion
        /// avoidance as well; the one that ends the repair of a timeout counts for what lies beyond it (ns-3).
        Ns3 = "ns3",
    }
}

units::choices! {
    /// How window arithmetic rounds.
    pub enum Arithmetic {
        /// Real numbers.
        Real = "real",
        /// Cuts set cwnd to a real number and ssthresh to a whole one.
        WholeSsthresh = "whole_ssthresh",
        /// Cuts set both to whole numbers.
        Integer = "integer",
        /// As `integer`, two at least (Linux).
        Whole = "whole",
        /// Windows are whole bytes.
        Bytes = "bytes",
    }
}

impl Arithmetic {
    /// Whether cuts reckon in whole segments.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Arithmetic::Integer | Arithmetic::Whole)
    }
}
