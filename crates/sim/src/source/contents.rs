//! The contents of packets in flight.
//!
//! The simulator's packet has no fields for a report, nor for the fields of a data packet that the receiver needs. So
//! the sending end stores the contents of its packets by number until the receiving end has read them.

use std::collections::VecDeque;
use transport::rate_based::common::push_back_exact;

/// Contents of packets in flight, by number.
#[derive(Debug)]
pub struct SentContents<T> {
    first: u32,
    entries: VecDeque<T>,
}

/// The most packets that may overtake one of which the contents are still to be read.
const REORDERING: u32 = 1024;

impl<T: Copy> SentContents<T> {
    /// Stores nothing yet.
    pub(super) fn new() -> SentContents<T> {
        SentContents { first: 0, entries: VecDeque::new() }
    }

    /// The number of the next packet.
    pub(super) fn next(&self) -> u32 {
        self.first.wrapping_add(self.entries.len() as u32)
    }

    /// Stores the contents of the next packet.
    pub(super) fn put(&mut self, entry: T) {
        push_back_exact(&mut self.entries, entry);
    }

    /// The contents of a packet; drops those of packets sent long before it.
    pub(super) fn read(&mut self, number: u32) -> Option<T> {
        let contents = self.entries.get(number.wrapping_sub(self.first) as usize).copied()?;
        while number.wrapping_sub(self.first) > REORDERING {
            self.entries.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        Some(contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values of a queue take no more room than they need; later it doubles.
    #[test]
    fn a_short_queue_has_no_spare_room() {
        let mut contents = SentContents::new();
        for number in 1..=4 {
            contents.put(number);
            assert_eq!(contents.entries.capacity(), number);
        }
        contents.put(5);
        assert!(contents.entries.capacity() >= 8);
    }
}
