//! Segments marked lost and not yet retransmitted.
//!
//! *Units*: segments.

use crate::connection::NONE;
use crate::marks::Marks;

/// A set that finds its lowest member without a search through the window: a bitmap, a second bitmap of the words that
/// have members, and a lower bound.
#[derive(Clone, Debug)]
pub(crate) struct LostSet {
    members: Marks,
    /// Words of 64 segments that have members.
    words: Marks,
    /// No member lies below it.
    from: u32,
    count: u32,
}

impl Default for LostSet {
    fn default() -> LostSet {
        LostSet { members: Marks::default(), words: Marks::default(), from: NONE, count: 0 }
    }
}

impl LostSet {
    /// Number of members.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    /// Adds a segment that is not a member; `[una, max)` contains all members.
    pub(super) fn insert(&mut self, seq: u32, (una, max): (u32, u32)) {
        self.members.reserve(una, max);
        self.words.reserve(una >> 6, (max >> 6) + 1);
        self.members.insert(seq);
        self.words.insert(seq >> 6);
        self.from = self.from.min(seq);
        self.count += 1;
    }

    /// Removes a member.
    pub(super) fn remove(&mut self, seq: u32) {
        self.members.remove_range(seq, seq + 1);
        self.count -= 1;
        let word = seq >> 6;
        if self.members.count(word << 6, (word + 1) << 6) == 0 {
            self.words.remove_range(word, word + 1);
        }
        if self.count == 0 {
            self.from = NONE;
        }
    }

    /// The lowest member; all lie in `[una, max)`.
    #[inline]
    pub(super) fn first(&mut self, una: u32, max: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let from = self.from.max(una);
        let word = self.words.first_present(from >> 6, (max >> 6) + 1)?;
        let first = self.members.first_present(from.max(word << 6), max);
        debug_assert!(first.is_some(), "no member lies below the bound");
        self.from = first?;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Equal to a `BTreeSet` over a window of up to 20,000 segments that moves up.
        #[test]
        fn the_lowest_member_is_that_of_a_set(
            steps in prop::collection::vec((0u32..20_000, 0u32..4, 0u32..200), 1..200),
        ) {
            let (mut lost, mut set, mut una) = (LostSet::default(), BTreeSet::new(), 0u32);
            for (offset, what, slide) in steps {
                let seq = una + offset;
                if what > 0 && set.insert(seq) {
                    lost.insert(seq, (una, una + 20_000));
                } else if let Some(lowest) = set.pop_first() {
                    lost.remove(lowest);
                }
                prop_assert_eq!(lost.len() as usize, set.len());
                prop_assert_eq!(lost.first(una, una + 20_000), set.first().copied());
                una = (una + slide).min(set.first().copied().unwrap_or(u32::MAX >> 1));
            }
        }
    }
}
