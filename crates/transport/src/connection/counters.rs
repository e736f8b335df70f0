//! Counters of a sender, and their sums.

use std::ops::{Add, Sub};

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions among them.
    pub retransmits: u64,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u32,
    /// Entries into fast retransmit or fast recovery.
    pub fast_recoveries: u32,
    /// Reductions of the window, of any cause.
    pub cuts: u64,
    /// Reductions because of an ECN echo.
    pub ecn_cuts: u32,
    /// Reductions undone as spurious.
    pub undone: u32,
}

/// The counters that cannot be derived from the rest of the state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventCounters {
    pub(crate) cuts: u32,
    pub(crate) timeouts: u32,
    pub(crate) fast_recoveries: u32,
    pub(crate) ecn_cuts: u32,
}

impl Add for SenderCounters {
    type Output = SenderCounters;

    fn add(self, other: SenderCounters) -> SenderCounters {
        SenderCounters {
            sent: self.sent + other.sent,
            retransmits: self.retransmits + other.retransmits,
            timeouts: self.timeouts + other.timeouts,
            fast_recoveries: self.fast_recoveries + other.fast_recoveries,
            cuts: self.cuts + other.cuts,
            ecn_cuts: self.ecn_cuts + other.ecn_cuts,
            undone: self.undone + other.undone,
        }
    }
}

impl Sub for SenderCounters {
    type Output = SenderCounters;

    fn sub(self, other: SenderCounters) -> SenderCounters {
        SenderCounters {
            sent: self.sent - other.sent,
            retransmits: self.retransmits - other.retransmits,
            timeouts: self.timeouts - other.timeouts,
            fast_recoveries: self.fast_recoveries - other.fast_recoveries,
            cuts: self.cuts - other.cuts,
            ecn_cuts: self.ecn_cuts - other.ecn_cuts,
            undone: self.undone - other.undone,
        }
    }
}
