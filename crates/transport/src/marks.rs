//! Sliding bitmap of segment numbers: one bit each, in a ring of words that grows on demand.
//!
//! The sender keeps SACKed segments in it, the receiver out-of-order ones. All members lie in a window
//! shorter than the ring; the owner clears entries that leave the window.

/// Set of segment numbers within a sliding window.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    words: Box<[u64]>,
}

impl Marks {
    #[inline]
    fn capacity(&self) -> u32 {
        (self.words.len() as u32) << 6
    }

    #[inline]
    fn slot(&self, seq: u32) -> (usize, u32) {
        ((seq >> 6) as usize & (self.words.len() - 1), seq & 63)
    }

    /// Makes room for a window `[first, past)` that contains all members.
    #[inline]
    pub fn reserve(&mut self, first: u32, past: u32) {
        if !self.has_room(past.saturating_sub(first)) {
            self.reserve_words(first, past);
        }
    }

    /// Whether there is room for a window of this many segments at any position: a word at either end may be
    /// shared.
    #[inline(always)]
    pub fn has_room(&self, segments: u32) -> bool {
        segments + 128 <= self.capacity()
    }

    #[inline(never)]
    fn reserve_words(&mut self, first: u32, past: u32) {
        let need = (past | 63).saturating_add(1) - (first & !63);
        if need > self.capacity() {
            self.grow(first, need);
        }
    }

    #[cold]
    fn grow(&mut self, first: u32, need: u32) {
        let old = std::mem::take(&mut self.words);
        let count = ((need >> 6) as usize).next_power_of_two().max(8);
        self.words = vec![0; count].into_boxed_slice();
        for index in 0..old.len() as u32 {
            let word = (first >> 6) + index;
            let from = word as usize & (old.len() - 1);
            self.words[word as usize & (count - 1)] = old[from];
        }
    }

    /// Adds a member; returns false if it already was one.
    #[inline(always)]
    pub fn insert(&mut self, seq: u32) -> bool {
        let (word, bit) = self.slot(seq);
        let fresh = self.words[word] & (1 << bit) == 0;
        self.words[word] |= 1 << bit;
        fresh
    }

    /// Whether `seq`, which lies in the window, is a member.
    #[inline]
    pub fn contains(&self, seq: u32) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let (word, bit) = self.slot(seq);
        self.words[word] & (1 << bit) != 0
    }

    /// Bits of the word of `seq` that lie in `[seq, past)`, and the start of the next word.
    #[inline]
    fn masked(&self, seq: u32, past: u32) -> (usize, u64, u32) {
        let (word, bit) = self.slot(seq);
        let next = (seq | 63).saturating_add(1);
        let mut mask = u64::MAX << bit;
        if past < next {
            mask &= (1 << (past & 63)) - 1;
        }
        (word, mask, next.min(past))
    }

    /// Adds all of `[first, past)`; returns the number of new members.
    pub fn insert_range(&mut self, first: u32, past: u32) -> u32 {
        let mut fresh = 0;
        let mut seq = first;
        while seq < past {
            let (word, mask, next) = self.masked(seq, past);
            fresh += (mask & !self.words[word]).count_ones();
            self.words[word] |= mask;
            seq = next;
        }
        fresh
    }

    /// Removes all of `[first, past)`; returns the number removed.
    pub fn remove_range(&mut self, first: u32, past: u32) -> u32 {
        let mut gone = 0;
        let mut seq = first;
        while seq < past && !self.words.is_empty() {
            let (word, mask, next) = self.masked(seq, past);
            gone += (mask & self.words[word]).count_ones();
            self.words[word] &= !mask;
            seq = next;
        }
        gone
    }

    /// Members in `[first, past)`.
    pub fn count(&self, first: u32, past: u32) -> u32 {
        let mut members = 0;
        let mut seq = first;
        while seq < past && !self.words.is_empty() {
            let (word, mask, next) = self.masked(seq, past);
            members += (mask & self.words[word]).count_ones();
            seq = next;
        }
        members
    }

    /// The first non-member in `[first, past)`.
    #[inline]
    pub fn first_absent(&self, first: u32, past: u32) -> Option<u32> {
        self.find(first, past, u64::MAX)
    }

    /// The first member in `[first, past)`.
    #[inline]
    pub fn first_present(&self, first: u32, past: u32) -> Option<u32> {
        self.find(first, past, 0)
    }

    fn find(&self, first: u32, past: u32, flip: u64) -> Option<u32> {
        if self.words.is_empty() {
            return (flip != 0 && first < past).then_some(first);
        }
        let mut seq = first;
        while seq < past {
            let (word, mask, next) = self.masked(seq, past);
            let hits = (self.words[word] ^ flip) & mask;
            if hits != 0 {
                return Some((seq & !63) + hits.trailing_zeros());
            }
            seq = next;
        }
        None
    }

    /// The last non-member in `[first, past)`.
    pub fn last_absent(&self, first: u32, past: u32) -> Option<u32> {
        self.find_back(first, past, u64::MAX)
    }

    /// The last member in `[first, past)`.
    pub fn last_present(&self, first: u32, past: u32) -> Option<u32> {
        self.find_back(first, past, 0)
    }

    /// The member of `[first, past)` with `above` members above it.
    pub fn last_present_but(&self, above: u32, first: u32, past: u32) -> Option<u32> {
        let (mut end, mut left) = (past, above);
        while end > first && !self.words.is_empty() {
            let start = ((end - 1) & !63).max(first);
            let (word, mask, _) = self.masked(start, end);
            let mut members = self.words[word] & mask;
            while members != 0 {
                let highest = members.ilog2();
                if left == 0 {
                    return Some((start & !63) + highest);
                }
                members ^= 1 << highest;
                left -= 1;
            }
            end = start;
        }
        None
    }

    fn find_back(&self, first: u32, past: u32, flip: u64) -> Option<u32> {
        if self.words.is_empty() {
            return (flip != 0 && first < past).then(|| past - 1);
        }
        let mut end = past;
        while end > first {
            let start = ((end - 1) & !63).max(first);
            let (word, mask, _) = self.masked(start, end);
            let hits = (self.words[word] ^ flip) & mask;
            if hits != 0 {
                return Some(((end - 1) & !63) + 63 - hits.leading_zeros());
            }
            end = start;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Equal to a `BTreeSet`, over a sliding window.
        #[test]
        fn agrees_with_a_set(steps in prop::collection::vec((0u32..300, 0u32..90, 0u32..40), 1..60)) {
            let (mut marks, mut set, mut base) = (Marks::default(), BTreeSet::new(), 0u32);
            for (offset, len, slide) in steps {
                let (first, past) = (base + offset, base + offset + len);
                marks.reserve(base, past.max(base + 400));
                let fresh = (first..past).filter(|seq| set.insert(*seq)).count() as u32;
                prop_assert_eq!(marks.insert_range(first, past), fresh);
                let (low, high) = (base + offset / 2, past + 20);
                prop_assert_eq!(marks.count(low, high), set.range(low..high).count() as u32);
                prop_assert_eq!(marks.first_present(low, high), set.range(low..high).next().copied());
                prop_assert_eq!(marks.last_present(low, high), set.range(low..high).next_back().copied());
                let above = offset % 5;
                let but = set.range(low..high).rev().nth(above as usize).copied();
                prop_assert_eq!(marks.last_present_but(above, low, high), but);
                prop_assert_eq!(marks.first_absent(low, high), (low..high).find(|seq| !set.contains(seq)));
                prop_assert_eq!(marks.last_absent(low, high), (low..high).rev().find(|seq| !set.contains(seq)));
                let gone = set.range(base..base + slide).count() as u32;
                prop_assert_eq!(marks.remove_range(base, base + slide), gone);
                base += slide;
                set.retain(|seq| *seq >= base);
            }
        }
    }
}
