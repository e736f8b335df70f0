//! Loss detection and recovery.

units::choices! {
    /// cwnd at the end of a NewReno recovery.
    pub enum ExitWindow {
        /// ssthresh (RFC 6582 section 3.2 step 3, option 2).
        Ssthresh = "ssthresh",
        /// At most the flight, at least one, plus one (option 1).
        Flight = "flight",
        /// At most the flight plus one (ns-2 `exit_recovery_fix_`).
        BareFlight = "bare_flight",
    }
}

units::choices! {
    /// Loss detection and recovery algorithms.
    pub enum Recovery {
        /// Fast retransmit, then slow start from one segment (Jacobson 1988).
        Tahoe = "tahoe",
        /// Fast recovery that ends with the first new ACK (RFC 2581).
        Reno = "reno",
        /// Partial ACKs retransmit one hole per round trip (RFC 6582).
        NewReno = "newreno",
        /// Scoreboard, pipe and NextSeg of RFC 6675.
        Sack = "sack",
        /// The pipe rules of Fall and Floyd (1996), as in ns-2.
        Sack1 = "sack1",
        /// Duplicate ACKs retransmit segments that a fine-grained timeout finds overdue (Brakmo and Peterson
        /// 1995).
        Vegas = "vegas",
        /// RACK-TLP: segments sent sufficiently before a delivered one are lost; tail loss probes (RFC 8985).
        Rack = "rack",
    }
}

impl Recovery {
    /// Whether it uses SACK.
    pub fn selective(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Sack1 | Recovery::Rack)
    }
}

units::choices! {
    /// When a partial ACK restarts the retransmission timer.
    pub enum PartialAck {
        /// Only the first one of a recovery ("Impatient", RFC 6582).
        Impatient = "impatient",
        /// Every one ("Slow-but-Steady").
        SlowButSteady = "slow_but_steady",
    }
}

units::choices! {
    /// When RACK detects losses after a reordering delay.
    pub enum ReorderTimer {
        /// At the end of the reordering window (RFC 8985 section 6.2 step 5).
        Exact = "exact",
        /// Two milliseconds later. All timers fire as in a timer wheel of 1000 ticks per second, a tick late up to 62 ms,
        /// up to 8 ms late up to half a second, up to 64 ms late up to four; a probe timeout is 2 ms longer, or by
        /// `min_rto` with one segment in flight. A retransmission has arrived if its round trip is
        /// no shorter than the shortest, whatever its ACK echoes. A segment that a duplicate ACK reports samples the
        /// round trip. After a timeout the window covers what is not lost yet and one segment more, and a lost
        /// retransmission starts a recovery. Losses are judged by the round trip of the last segment acknowledged in
        /// sequence, if any, and after the end of the recovery that the ACK ends. The handshake counts for the minimum
        /// RTT (Linux).
        Ticks = "ticks",
    }
}

units::choices! {
    /// The quantity reduced on congestion.
    pub enum Reduce {
        /// The usable window: the smaller of cwnd and the receiver's window.
        Window = "window",
        /// The congestion window, also where the receiver's window is smaller. A timeout in a recovery, or in the round
        /// trip after an ECN echo, keeps ssthresh (Linux).
        Cwnd = "cwnd",
        /// The segments in flight, without those of limited transmit (RFC 5681).
        Flight = "flight",
        /// The segments in flight without SACKed and lost ones (ns-3).
        Pipe = "pipe",
    }
}

units::choices! {
    /// Whether the congestion window limits the sender.
    pub enum WindowUsage {
        /// While the flight fills it, or half of it in slow start (RFC 7661).
        Flight = "flight",
        /// Until all is acknowledged that was sent before it last was full; in slow start also below twice the most
        /// segments in flight in that time (Linux; with rack).
        Linux = "linux",
    }
}

units::choices! {
    /// How the window shrinks during fast recovery with SACK.
    pub enum Reduction {
        /// At once.
        AtOnce = "at_once",
        /// Proportional rate reduction, RFC 6937 with the slow-start bound.
        Prr6937 = "rfc6937",
        /// As ns-3.37: the slow-start bound applies if retransmitted data is acknowledged, and a product of
        /// bytes wraps at 2^32, which pauses a long recovery. Without SACK nothing counts as delivered: each
        /// duplicate ACK releases a segment (newreno). An ECN echo reduces the window as a loss does, with what it
        /// acknowledges no longer in flight.
        Ns3 = "ns3",
        /// As `rfc6937`, relative to the window before the reduction; the slow-start bound needs an ACK that
        /// advances and shows no loss. An ECN echo reduces the window in the same way, and until everything
        /// sent before it is acknowledged nothing grows the window (Linux).
        Linux = "linux",
        /// Proportional rate reduction, RFC 9937: the bound depends on whether the ACK is safe.
        Prr9937 = "rfc9937",
    }
}
