//! What a sender counts, and sums and differences of it.

use std::ops::{Add, Sub};

/// What a sender counts.
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
    /// Times the window was cut, for whatever reason.
    pub cuts: u64,
    /// Cuts because of an ECN echo.
    pub ecn_cuts: u32,
    /// Cuts that turned out to have been for nothing and were undone.
    pub undone: u32,
}

impl SenderCounters {
    fn with(self, other: SenderCounters, long: fn(u64, u64) -> u64, short: fn(u32, u32) -> u32) -> Self {
        SenderCounters {
            sent: long(self.sent, other.sent),
            retransmits: long(self.retransmits, other.retransmits),
            timeouts: short(self.timeouts, other.timeouts),
            fast_recoveries: short(self.fast_recoveries, other.fast_recoveries),
            cuts: long(self.cuts, other.cuts),
            ecn_cuts: short(self.ecn_cuts, other.ecn_cuts),
            undone: short(self.undone, other.undone),
        }
    }
}

impl Add for SenderCounters {
    type Output = SenderCounters;

    fn add(self, other: SenderCounters) -> SenderCounters {
        self.with(other, u64::add, u32::add)
    }
}

/// What was counted since an earlier moment of the same sender.
impl Sub for SenderCounters {
    type Output = SenderCounters;

    fn sub(self, earlier: SenderCounters) -> SenderCounters {
        self.with(earlier, u64::sub, u32::sub)
    }
}
