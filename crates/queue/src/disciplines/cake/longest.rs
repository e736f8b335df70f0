//! The queue with the most bytes, found without looking at all of them.
//!
//! Units: bytes.
//! Queues form blocks of 64. A change only notes the block; the search looks at the occupied queues of the blocks noted
//! since the last search, and at the largest of each block. A tin has it from its first overflow on.

use super::sets::QUEUES;
use alloc::vec::Vec;

const BLOCK: usize = 64;
const BLOCKS: usize = QUEUES / BLOCK;

/// Bytes of all queues, and the first largest queue of each block.
#[derive(Clone, Debug)]
pub(super) struct Longest {
    bytes: Vec<u64>,
    /// A bit for each queue that holds bytes.
    occupied: [u64; BLOCKS],
    /// The most bytes of a queue of the block, and the first such queue.
    most: [(u64, usize); BLOCKS],
    /// Blocks whose `most` is out of date, a bit for each.
    stale: u32,
}

impl Longest {
    /// The queues whose bytes are given in order.
    pub(super) fn new(bytes: impl Iterator<Item = u64>) -> Longest {
        let most = core::array::from_fn(|block| (0, block * BLOCK));
        let mut longest = Longest { bytes: vec![0; QUEUES], occupied: [0; BLOCKS], most, stale: 0 };
        bytes.enumerate().take(QUEUES).for_each(|(i, bytes)| longest.set(i, bytes));
        longest
    }

    /// Sets the bytes of queue `i`.
    #[inline]
    pub(super) fn set(&mut self, i: usize, bytes: u64) {
        let (block, bit) = (i / BLOCK, 1 << (i % BLOCK));
        self.bytes[i] = bytes;
        if bytes > 0 {
            self.occupied[block] |= bit;
        } else {
            self.occupied[block] &= !bit;
        }
        self.stale |= 1 << block;
    }

    /// The most bytes, and the first queue that holds as many.
    pub(super) fn first(&mut self) -> (u64, usize) {
        while self.stale != 0 {
            let block = self.stale.trailing_zeros() as usize;
            self.stale &= self.stale - 1;
            self.most[block] = self.most_of(block);
        }
        self.most.iter().fold((0, 0), |most, &next| if next.0 > most.0 { next } else { most })
    }

    /// The most bytes of a queue of a block, and the first such queue.
    fn most_of(&self, block: usize) -> (u64, usize) {
        let (mut most, mut left) = ((0, block * BLOCK), self.occupied[block]);
        while left != 0 {
            let i = block * BLOCK + left.trailing_zeros() as usize;
            left &= left - 1;
            if self.bytes[i] > most.0 {
                most = (self.bytes[i], i);
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash::mix;

    #[test]
    fn it_finds_what_a_search_finds() {
        let mut bytes = vec![0_u64; QUEUES];
        let mut longest = Longest::new(bytes.iter().copied());
        assert_eq!(longest.first(), (0, 0));
        for step in 0..5000 {
            let i = (mix(step) % QUEUES as u64) as usize;
            bytes[i] = mix(step + 1_000_000) % 40;
            longest.set(i, bytes[i]);
            let most = *bytes.iter().max().unwrap();
            assert_eq!(longest.first(), (most, bytes.iter().position(|&b| b == most).unwrap()));
        }
        assert_eq!(Longest::new(bytes.iter().copied()).first(), longest.first());
    }
}
