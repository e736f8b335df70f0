//! A ring buffer of packets. Its capacity is a power of two, so that an index wraps around in one instruction.
//!
//! Units: indices count packets.

use alloc::vec::Vec;

/// Packets in the order they came.
#[derive(Clone, Debug)]
pub(crate) struct Ring<P> {
    /// Slots; those outside `head .. head + len`, modulo the capacity, are stale.
    places: Vec<P>,
    head: usize,
    len: usize,
}

impl<P: Copy> Ring<P> {
    /// An empty ring without capacity.
    pub(crate) fn new() -> Ring<P> {
        Ring { places: Vec::new(), head: 0, len: 0 }
    }

    /// Number of packets.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no packets.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The place of packet `i`, counted from the head.
    #[inline(always)]
    fn place(&self, i: usize) -> usize {
        (self.head + i) & self.places.len().wrapping_sub(1)
    }

    /// Appends a packet.
    #[inline(always)]
    pub(crate) fn push_back(&mut self, pkt: P) {
        if self.len == self.places.len() {
            self.grow(pkt);
        }
        let place = self.place(self.len);
        self.places[place] = pkt;
        self.len += 1;
    }

    /// Removes all packets.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Takes the oldest packet.
    #[inline(always)]
    pub(crate) fn pop_front(&mut self) -> Option<P> {
        let pkt = *self.front()?;
        self.head = self.place(1);
        self.len -= 1;
        Some(pkt)
    }

    /// Removes packets from the head while `goes` holds.
    #[inline(always)]
    pub(crate) fn drop_while(&mut self, mut goes: impl FnMut(&P) -> bool) {
        let (mut head, mut len) = (self.head, self.len);
        let round = self.places.len().wrapping_sub(1);
        while len > 0 && self.places.get(head).is_some_and(&mut goes) {
            head = (head + 1) & round;
            len -= 1;
        }
        (self.head, self.len) = (head, len);
    }

    /// Takes the newest packet.
    pub(crate) fn pop_back(&mut self) -> Option<P> {
        let pkt = *self.get(self.len.checked_sub(1)?)?;
        self.len -= 1;
        Some(pkt)
    }

    /// Takes packet `i`, counted from the head. Takes time in proportion to the ring.
    pub(crate) fn remove(&mut self, i: usize) -> Option<P> {
        let pkt = *self.get(i)?;
        for j in i + 1..self.len {
            let (from, to) = (self.place(j), self.place(j - 1));
            self.places[to] = self.places[from];
        }
        self.len -= 1;
        Some(pkt)
    }

    /// The oldest packet.
    #[inline(always)]
    pub(crate) fn front(&self) -> Option<&P> {
        if self.len == 0 {
            return None;
        }
        self.places.get(self.head)
    }

    /// Packet `i`, counted from the head.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<&P> {
        if i < self.len {
            self.places.get(self.place(i))
        } else {
            None
        }
    }

    /// All packets, from the head.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        (0..self.len).map(|i| &self.places[self.place(i)])
    }

    /// Doubles the capacity; `filler` fills the new slots.
    #[cold]
    fn grow(&mut self, filler: P) {
        self.places.rotate_left(self.head);
        self.head = 0;
        self.places.resize((2 * self.len).max(4), filler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use units::random::Stream;

    /// The same as the standard ring, through growth and many rounds.
    #[test]
    fn equals_the_standard_ring() {
        for seed in 0..256 {
            let mut rng = Stream::new(seed, "ring");
            let (mut ring, mut known) = (Ring::new(), VecDeque::new());
            for n in 0..1 + rng.next_u64() % 400 {
                let i = (rng.next_u64() % 12) as usize;
                match rng.next_u64() % 8 {
                    0..=3 => {
                        ring.push_back(n);
                        known.push_back(n);
                    }
                    4 | 5 => assert_eq!(ring.pop_front(), known.pop_front()),
                    6 => assert_eq!(ring.pop_back(), known.pop_back()),
                    _ => assert_eq!(ring.remove(i), known.remove(i)),
                }
                assert_eq!((ring.front(), ring.get(i)), (known.front(), known.get(i)));
                assert_eq!((ring.len(), ring.is_empty()), (known.len(), known.is_empty()));
                assert!(ring.iter().eq(known.iter()));
            }
        }
    }
}
