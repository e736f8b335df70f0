//! What was counted in the warm-up.

use transport::SenderCounters;

/// What an end had counted when the warm-up was over, of what is told from then on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before {
    /// In-order payload delivered; nothing before that was noted.
    pub goodput: u64,
    retransmits: u64,
    cuts: u64,
    timeouts: u32,
    fast_recoveries: u32,
    undone: u32,
    /// Whether this was noted of source and sink.
    noted: [bool; 2],
    /// Whether the tallies of source and sink begin after it.
    pub(super) counting: [bool; 2],
}

impl Before {
    /// Takes note of what a sender has counted.
    pub(super) fn note_source(&mut self, counters: impl FnOnce() -> SenderCounters) {
        if std::mem::replace(&mut self.noted[0], true) {
            return;
        }
        let SenderCounters { retransmits, cuts, timeouts, fast_recoveries, undone, .. } = counters();
        (self.retransmits, self.cuts, self.timeouts) = (retransmits, cuts, timeouts);
        (self.fast_recoveries, self.undone) = (fast_recoveries, undone);
    }

    /// Takes note of the payload a sink has.
    pub fn note_sink(&mut self, delivered: impl FnOnce() -> u64) {
        if !std::mem::replace(&mut self.noted[1], true) {
            self.goodput = delivered();
        }
    }

    /// What a sender has counted since.
    pub fn since(&self, now: SenderCounters) -> SenderCounters {
        SenderCounters {
            retransmits: now.retransmits - self.retransmits,
            cuts: now.cuts - self.cuts,
            timeouts: now.timeouts - self.timeouts,
            fast_recoveries: now.fast_recoveries - self.fast_recoveries,
            undone: now.undone - self.undone,
            ..now
        }
    }
}
