//! Sets of packet numbers as ACK frames carry them: ranges, the highest first.
//!
//! *Reference*: RFC 9000 sections 13.2.3 and 19.3.1.
//! *Units*: packet numbers.

/// Maximum number of ranges.
pub const MOST_RANGES: usize = 16;

/// Ranges of packet numbers, each from its first to one past its last, highest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    held: [(u32, u32); MOST_RANGES],
    count: u8,
}

impl Ranges {
    /// The ranges, highest first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.held[..usize::from(self.count)].iter().copied()
    }

    /// Number of ranges.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The highest number.
    pub fn largest(&self) -> Option<u32> {
        self.iter().next().map(|(_, past)| past - 1)
    }

    /// The lowest number.
    pub fn smallest(&self) -> Option<u32> {
        self.iter().last().map(|(first, _)| first)
    }

    /// One past the end of the range that contains `number`.
    pub fn end_of(&self, number: u32) -> Option<u32> {
        self.iter().find(|(first, past)| (*first..*past).contains(&number)).map(|(_, past)| past)
    }

    /// Adds a number; at most `most` ranges remain, the highest. Returns false if it was a member, or lies below all of
    /// `most` ranges, where it may be a duplicate.
    pub fn insert(&mut self, number: u32, most: usize) -> bool {
        let count = self.len();
        // The first range that does not lie wholly above the number.
        let place = self.iter().position(|(first, _)| first <= number).unwrap_or(count);
        if place < count && number < self.held[place].1 {
            return false;
        }
        let joins_below = place < count && self.held[place].1 == number;
        let joins_above = place > 0 && self.held[place - 1].0 == number + 1;
        match (joins_above, joins_below) {
            (true, true) => {
                self.held[place - 1].0 = self.held[place].0;
                self.held.copy_within(place + 1..count, place);
                self.count -= 1;
            }
            (true, false) => self.held[place - 1].0 = number,
            (false, true) => self.held[place].1 = number + 1,
            (false, false) if place >= most => return false,
            (false, false) => {
                let kept = count.min(most - 1);
                self.held.copy_within(place..kept, place + 1);
                self.held[place] = (number, number + 1);
                self.count = kept as u8 + 1;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(numbers: &[u32], most: usize) -> Vec<(u32, u32)> {
        let mut ranges = Ranges::default();
        numbers.iter().for_each(|number| {
            ranges.insert(*number, most);
        });
        ranges.iter().collect()
    }

    /// 1, 2, 5 and 7 make three ranges; 6 joins two of them.
    #[test]
    fn neighbours_join() {
        assert_eq!(of(&[1, 2, 7, 5], 8), [(7, 8), (5, 6), (1, 3)]);
        assert_eq!(of(&[1, 2, 7, 5, 6], 8), [(5, 8), (1, 3)]);
        assert_eq!(of(&[3, 2, 1, 0], 8), [(0, 4)]);
    }

    /// The lowest range is discarded; what lies below a full set is refused.
    #[test]
    fn the_highest_remain() {
        assert_eq!(of(&[0, 2, 4, 6], 3), [(6, 7), (4, 5), (2, 3)]);
        let mut ranges = Ranges::default();
        assert!([2, 4, 6].iter().all(|number| ranges.insert(*number, 3)));
        assert!(!ranges.insert(0, 3) && !ranges.insert(4, 3));
        assert_eq!((ranges.largest(), ranges.smallest(), ranges.end_of(4)), (Some(6), Some(2), Some(5)));
    }

    proptest! {
        /// As long as there is room, the set is that of the numbers inserted.
        #[test]
        fn members_are_those_inserted(numbers in proptest::collection::vec(0u32..30, 0..40)) {
            let mut ranges = Ranges::default();
            let mut wanted = std::collections::BTreeSet::new();
            for number in numbers {
                prop_assert_eq!(ranges.insert(number, MOST_RANGES), wanted.insert(number));
            }
            let starts: Vec<u32> = (0..31).filter(|number| ranges.end_of(*number).is_some()).collect();
            prop_assert_eq!(starts, wanted.into_iter().collect::<Vec<_>>());
            prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(above, below)| below.1 < above.0));
        }
    }
}
