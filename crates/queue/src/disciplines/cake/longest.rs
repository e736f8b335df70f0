//! The queue with the most bytes, found without looking at all of them.
//!
//! Units: bytes.
//! A complete binary tree whose leaves are the queues and whose nodes hold the larger of two: a change climbs ten
//! steps. A tin has it from its first overflow on.

use super::sets::QUEUES;
use alloc::vec::Vec;

/// Bytes of all queues, as a tree of maxima: node `n` has the children `2n` and `2n + 1`, queue `i` is node
/// `QUEUES + i`.
#[derive(Clone, Debug)]
pub(super) struct Longest {
    most: Vec<u64>,
}

impl Longest {
    /// The tree of queues whose bytes are given in order.
    pub(super) fn new(bytes: impl Iterator<Item = u64>) -> Longest {
        let mut most = vec![0; 2 * QUEUES];
        most[QUEUES..].iter_mut().zip(bytes).for_each(|(leaf, bytes)| *leaf = bytes);
        (1..QUEUES).rev().for_each(|node| most[node] = most[2 * node].max(most[2 * node + 1]));
        Longest { most }
    }

    /// Sets the bytes of queue `i`.
    pub(super) fn set(&mut self, i: usize, bytes: u64) {
        let mut node = QUEUES + i;
        self.most[node] = bytes;
        while node > 1 {
            node /= 2;
            let most = self.most[2 * node].max(self.most[2 * node + 1]);
            if self.most[node] == most {
                return;
            }
            self.most[node] = most;
        }
    }

    /// The most bytes, and the first queue that holds as many.
    pub(super) fn first(&self) -> (u64, usize) {
        let most = self.most[1];
        let mut node = 1;
        while node < QUEUES {
            node = 2 * node + usize::from(self.most[2 * node] != most);
        }
        (most, node - QUEUES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash::mix;

    #[test]
    fn the_tree_finds_what_a_search_finds() {
        let mut bytes = vec![0_u64; QUEUES];
        let mut tree = Longest::new(bytes.iter().copied());
        assert_eq!(tree.first(), (0, 0));
        for step in 0..5000 {
            let i = (mix(step) % QUEUES as u64) as usize;
            bytes[i] = mix(step + 1_000_000) % 40;
            tree.set(i, bytes[i]);
            let most = *bytes.iter().max().unwrap();
            assert_eq!(tree.first(), (most, bytes.iter().position(|&b| b == most).unwrap()));
        }
        assert_eq!(Longest::new(bytes.iter().copied()).first(), tree.first());
    }
}
