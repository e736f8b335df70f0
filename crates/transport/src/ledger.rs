//! Ledger of the segments in flight: send times, transmissions, and the delivery state at each transmission.
//! Kept only for senders whose options need it.
//!
//! *Reference*: the per-packet fields of CCHJ22 section 4.1 (delivery rate) and of RFC 8985 section 5.2
//! (RACK).
//! *Units*: segments.
//! *Deviations*: none.

use units::Time;

/// Per-segment state of one segment in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Time of the last transmission.
    pub at: Time,
    /// Start of the flight it belongs to.
    pub first_at: Time,
    /// Time of the last delivery known at its transmission.
    pub delivered_at: Time,
    /// Segments delivered at its transmission.
    pub delivered: u32,
    /// Segments lost at its transmission.
    pub lost: u32,
    /// Segments in flight at its transmission, itself included.
    pub in_flight: u32,
    /// Number of transmissions, counted up to 255.
    pub transmits: u8,
    /// The source limited the sending rate at its transmission.
    pub app_limited: bool,
    /// It has arrived.
    pub arrived: bool,
    /// Whether it was marked lost.
    pub loss: LossMarks,
    /// Its neighbours by send time among the segments still expected (RACK): sent before, sent after.
    pub(crate) order: (u32, u32),
}

/// Two marks of a segment, in one byte: there is one for every segment in flight of every flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossMarks(u8);

impl LossMarks {
    const LOST_NOW: u8 = 1;
    const HOLE: u8 = 2;

    /// Marked lost and not retransmitted since.
    #[inline(always)]
    pub fn is_lost_now(self) -> bool {
        self.0 & LossMarks::LOST_NOW != 0
    }

    /// Was marked lost, retransmitted or not (RACK).
    #[inline(always)]
    pub fn is_hole(self) -> bool {
        self.0 & LossMarks::HOLE != 0
    }

    /// Whether either mark is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Marks it lost; returns whether it was already.
    #[inline]
    pub fn set_lost_now(&mut self) -> bool {
        let before = self.is_lost_now();
        self.0 |= LossMarks::LOST_NOW;
        before
    }

    /// It is retransmitted.
    #[inline(always)]
    pub fn clear_lost_now(&mut self) {
        self.0 &= !LossMarks::LOST_NOW;
    }

    /// Marks it as a hole; returns whether it was already.
    #[inline]
    pub fn set_hole(&mut self) -> bool {
        let before = self.is_hole();
        self.0 |= LossMarks::HOLE;
        before
    }

    /// Clears both marks.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Entries of the segments `[una, max)`, in a ring that grows on demand.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    ring: Vec<Sent>,
}

/// Entries of the first allocation: among thousands of flows most windows are small.
const FEWEST: usize = 4;

impl Ledger {
    #[inline]
    fn slot(&self, seq: u32) -> usize {
        seq as usize & (self.ring.len() - 1)
    }

    /// Makes room for the window `[una, past)`; keeps its entries.
    #[inline(never)]
    fn reserve(&mut self, una: u32, past: u32) {
        let need = (past - una) as usize;
        if need <= self.ring.len() {
            return;
        }
        let old = std::mem::take(&mut self.ring);
        self.ring = vec![Sent::default(); need.max(FEWEST).next_power_of_two()];
        for seq in una..past.min(una.saturating_add(old.len() as u32)) {
            let (to, from) = (self.slot(seq), seq as usize & (old.len() - 1));
            self.ring[to] = old[from];
        }
    }

    /// Returns the entry of `seq`, which is being sent; a first transmission resets it. `una` starts the
    /// window.
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

    /// Returns the fresh entry of `seq`, which is sent for the first time.
    #[inline(always)]
    pub(crate) fn open_new(&mut self, una: u32, seq: u32) -> &mut Sent {
        if (seq + 1 - una) as usize > self.ring.len() {
            self.reserve(una, seq + 1);
        }
        let slot = self.slot(seq);
        let entry = &mut self.ring[slot];
        *entry = Sent { transmits: 1, ..Sent::default() };
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
        let mut ledger = Ledger::default();
        for seq in 0..5000u32 {
            let una = seq.saturating_sub(seq % 300);
            ledger.open(una, seq, false).delivered = seq;
            assert!((una..=seq).all(|s| ledger.get(s).delivered == s), "{seq}");
        }
    }

    /// A window of ten segments has 16 entries, of each flow of a hundred thousand.
    #[test]
    fn an_entry_stays_small() {
        assert!(size_of::<Sent>() <= 48, "{}", size_of::<Sent>());
    }

    #[test]
    fn the_marks_of_a_loss_are_set_and_cleared_alone() {
        let mut marks = LossMarks::default();
        assert!(!marks.any() && !marks.set_lost_now() && marks.set_lost_now());
        assert!(marks.is_lost_now() && !marks.is_hole());
        assert!(!marks.set_hole() && marks.set_hole());
        marks.clear_lost_now();
        assert!(!marks.is_lost_now() && marks.is_hole() && marks.any());
        marks.clear();
        assert!(!marks.any());
    }

    /// RTT samples ask whether a segment was sent once: 300 transmissions are still more than one.
    #[test]
    fn the_number_of_transmissions_does_not_wrap() {
        let mut ledger = Ledger::default();
        ledger.open(0, 0, false);
        (0..300).for_each(|_| assert!(ledger.open(0, 0, true).transmits > 1));
    }

    #[test]
    fn a_retransmission_keeps_its_entry() {
        let mut ledger = Ledger::default();
        ledger.open(0, 0, false).lost = 7;
        assert_eq!((ledger.open(0, 0, true).transmits, ledger.get(0).lost), (2, 7));
        assert_eq!(ledger.open(0, 0, false).transmits, 1);
    }
}
