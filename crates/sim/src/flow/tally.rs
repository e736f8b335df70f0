//! Where the packets of a flow end.

use super::wide::Wide;

/// Packets, and bytes on the wire: the two halves of one word, so that counting a packet is one addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(Wide);

impl Tally {
    #[inline(always)]
    fn one(size: u32) -> u128 {
        1 << 64 | u128::from(size)
    }

    /// One more packet.
    #[inline(always)]
    pub fn add(&mut self, size: u32) {
        self.0.add(Tally::one(size));
    }

    /// All packets of another tally.
    pub fn absorb(&mut self, other: Tally) {
        self.0.add(other.0.get());
    }

    /// One packet fewer.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.0 = Wide::of(self.0.get() - Tally::one(size));
    }

    /// Packets.
    pub fn pkts(self) -> u64 {
        (self.0.get() >> 64) as u64
    }

    /// Bytes on the wire.
    pub fn bytes(self) -> u64 {
        self.0.get() as u64
    }
}

/// Where a flow's packets ended, over the whole run and both directions: every packet sent is in one of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Put on the way by either end.
    pub sent: Tally,
    /// Reached the other end.
    pub delivered: Tally,
    /// Dropped by a queue or destroyed by a link.
    pub dropped: Tally,
}

/// Those that neither arrived nor were dropped. Few flows have any before the run ends, so that the network keeps them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// On a wire when the run ended.
    pub in_flight: Tally,
    /// In a queue when the run ended.
    pub queued: Tally,
}

impl Left {
    /// All packets of another flow.
    pub fn absorb(&mut self, other: &Left) {
        self.in_flight.absorb(other.in_flight);
        self.queued.absorb(other.queued);
    }
}

impl Conservation {
    /// All packets of another flow.
    pub fn absorb(&mut self, other: &Conservation) {
        self.sent.absorb(other.sent);
        self.delivered.absorb(other.delivered);
        self.dropped.absorb(other.dropped);
    }

    /// Whether nothing appeared or vanished.
    pub fn holds(&self, left: &Left) -> bool {
        let ends = [self.delivered, self.dropped, left.in_flight, left.queued];
        self.sent.0.get() == ends.iter().map(|tally| tally.0.get()).sum::<u128>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vanished_byte_is_noticed() {
        let (mut account, mut left) = (Conservation::default(), Left::default());
        account.sent.add(100);
        left.in_flight.add(99);
        assert!(!account.holds(&left));
        left.in_flight = Tally::default();
        left.in_flight.add(100);
        assert!(account.holds(&left));
    }
}
