//! What is remembered of each segment in flight: when and how often it was sent, and what the connection had
//! delivered by then. Only for senders whose options ask for it.
//!
//! *Reference*: the fields of CCHJ22 section 4.1 (delivery rate) and of RFC 8985 section 5.2 (RACK).
//! *Units*: segments.
//! *Deviations*: none.

use units::Time;

/// One segment in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// When the flight it belongs to began to be sent.
    pub first_at: Time,
    /// When the newest segment known to have arrived as it was sent had been acknowledged.
    pub delivered_at: Time,
    /// Segments delivered when it was sent.
    pub delivered: u32,
    /// Segments lost when it was sent.
    pub lost: u32,
    /// Segments in flight when it was sent, itself included.
    pub in_flight: u32,
    /// How often it was sent.
    pub transmits: u16,
    /// The source limited the sending rate then.
    pub app_limited: bool,
    /// It has arrived.
    pub arrived: bool,
    /// It counts as lost and has not been sent again since (RACK).
    pub lost_now: bool,
    /// It has counted as lost, whether or not it was sent again since (RACK).
    pub hole: bool,
}

/// The segments from `una` to `max`, in a ring that grows on demand and is reused.
#[derive(Clone, Debug)]
pub struct Ledger {
    ring: Vec<Sent>,
    /// Entries to make room for at first.
    room: usize,
}

impl Ledger {
    /// An empty ledger for a receiver's window of so many segments, if there is one. Nothing is allocated before the first entry.
    pub fn new(window: Option<u64>) -> Ledger {
        Ledger { ring: Vec::new(), room: window.map_or(64, |window| window.clamp(64, 1024) as usize) }
    }

    #[inline]
    fn slot(&self, seq: u32) -> usize {
        seq as usize & (self.ring.len() - 1)
    }

    /// Makes room for the window `[una, past)`; what is in it stays.
    fn reserve(&mut self, una: u32, past: u32) {
        let need = (past - una) as usize;
        if need <= self.ring.len() {
            return;
        }
        let old = std::mem::take(&mut self.ring);
        self.ring = vec![Sent::default(); need.max(self.room).next_power_of_two()];
        for seq in una..past.min(una.saturating_add(old.len() as u32)) {
            let (to, from) = (self.slot(seq), seq as usize & (old.len() - 1));
            self.ring[to] = old[from];
        }
    }

    /// The entry of `seq`, about to be sent; a first transmission starts it afresh. `una` begins the window.
    pub fn open(&mut self, una: u32, seq: u32, again: bool) -> &mut Sent {
        self.reserve(una, seq + 1);
        let slot = self.slot(seq);
        let entry = &mut self.ring[slot];
        if !again {
            *entry = Sent::default();
        }
        entry.transmits = entry.transmits.saturating_add(1);
        entry
    }

    /// The entry of a segment in the window.
    #[inline]
    pub fn get(&self, seq: u32) -> &Sent {
        &self.ring[self.slot(seq)]
    }

    /// The entry of a segment in the window.
    #[inline]
    pub fn get_mut(&mut self, seq: u32) -> &mut Sent {
        let slot = self.slot(seq);
        &mut self.ring[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window moves from 0 to 5000 and is up to 300 wide: entries stay with their segments.
    #[test]
    fn entries_survive_growth() {
        let mut ledger = Ledger::new(None);
        for seq in 0..5000u32 {
            let una = seq.saturating_sub(seq % 300);
            ledger.open(una, seq, false).delivered = seq;
            assert!((una..=seq).all(|s| ledger.get(s).delivered == s), "{seq}");
        }
    }

    #[test]
    fn a_retransmission_keeps_its_entry() {
        let mut ledger = Ledger::new(None);
        ledger.open(0, 0, false).lost = 7;
        assert_eq!((ledger.open(0, 0, true).transmits, ledger.get(0).lost), (2, 7));
        assert_eq!(ledger.open(0, 0, false).transmits, 1);
    }
}
