//! Packet and byte counts, and the conservation of packets.

use crate::account::packed::PackedU128;

/// Packets, and bytes on the wire: the two halves of one word, so that counting a packet is one addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(PackedU128);

impl Tally {
    #[inline(always)]
    fn one(size: u32) -> u128 {
        1 << 64 | u128::from(size)
    }

    /// Adds a packet.
    #[inline(always)]
    pub fn add(&mut self, size: u32) {
        self.0.add(Tally::one(size));
    }

    /// Adds all packets of another tally.
    pub fn absorb(&mut self, other: Tally) {
        self.0.add(other.0.get());
    }

    /// Removes a packet.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.0 = PackedU128::of(self.0.get() - Tally::one(size));
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

/// Fate of a flow's packets, over the whole run and both directions: every packet sent is in one of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Sent by either end.
    pub sent: Tally,
    /// Arrived at the other end.
    pub delivered: Tally,
    /// Dropped by a queue or destroyed by a link.
    pub dropped: Tally,
}

/// Packets neither delivered nor dropped. Few flows have any before the run ends, so the network holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outstanding {
    /// On a wire when the run ended.
    pub in_flight: Tally,
    /// In a queue when the run ended.
    pub queued: Tally,
}

impl Outstanding {
    /// Adds all packets of another flow.
    pub fn absorb(&mut self, other: &Outstanding) {
        self.in_flight.absorb(other.in_flight);
        self.queued.absorb(other.queued);
    }
}

impl Conservation {
    /// Adds all packets of another flow.
    pub fn absorb(&mut self, other: &Conservation) {
        self.sent.absorb(other.sent);
        self.delivered.absorb(other.delivered);
        self.dropped.absorb(other.dropped);
    }

    /// Whether every packet sent is accounted for.
    pub fn holds(&self, left: &Outstanding) -> bool {
        let ends = [self.delivered, self.dropped, left.in_flight, left.queued];
        self.sent.0.get() == ends.iter().map(|tally| tally.0.get()).sum::<u128>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vanished_byte_is_noticed() {
        let (mut account, mut left) = (Conservation::default(), Outstanding::default());
        account.sent.add(100);
        left.in_flight.add(99);
        assert!(!account.holds(&left));
        left.in_flight = Tally::default();
        left.in_flight.add(100);
        assert!(account.holds(&left));
    }
}
