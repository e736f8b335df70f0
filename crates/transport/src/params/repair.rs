//! How losses are noticed and repaired.

units::choices! {
    /// What cwnd is as a NewReno recovery ends.
    pub enum ExitWindow {
        /// ssthresh (RFC 6582 section 3.2 step 3, option 2).
        Ssthresh = "ssthresh",
        /// At most the flight, counted as one if nothing is left, plus one (option 1).
        Flight = "flight",
        /// At most the flight plus one (ns-2 `exit_recovery_fix_`).
        BareFlight = "bare_flight",
    }
}

units::choices! {
    /// How losses are noticed and repaired.
    pub enum Recovery {
        /// Fast retransmit, then slow start from one segment (Jacobson 1988).
        Tahoe = "tahoe",
        /// Fast recovery ended by the first new acknowledgement (RFC 2581).
        Reno = "reno",
        /// Partial acknowledgements repair one hole a round trip (RFC 6582).
        NewReno = "newreno",
        /// Scoreboard, pipe and NextSeg of RFC 6675.
        Sack = "sack",
        /// The pipe rules of Fall and Floyd (1996) as ns-2 keeps them.
        Sack1 = "sack1",
        /// Duplicate acknowledgements repair what a fine-grained timeout finds overdue (Brakmo and Peterson 1995).
        Vegas = "vegas",
        /// By time: what was sent sufficiently before something that arrived is lost; the tail is probed (RACK-TLP, RFC 8985).
        Rack = "rack",
    }
}

impl Recovery {
    /// Whether it uses selective acknowledgements.
    pub fn selective(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Sack1 | Recovery::Rack)
    }
}

units::choices! {
    /// When a partial acknowledgement restarts the retransmission timer.
    pub enum PartialAck {
        /// Only the first one of a recovery (RFC 6582 "Impatient").
        Impatient = "impatient",
        /// Every one ("Slow-but-Steady").
        SlowButSteady = "slow_but_steady",
    }
}

units::choices! {
    /// When losses are looked for again because of what may only be reordered (RACK).
    pub enum ReorderTimer {
        /// As the reordering window ends (RFC 8985 section 6.2 step 5).
        Exact = "exact",
        /// Two milliseconds after it, at the next tick of a clock of 1000 Hz.
        Ticks = "ticks",
    }
}
