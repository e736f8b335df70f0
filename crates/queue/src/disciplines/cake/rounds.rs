//! Round robin over the bulk queues of a tin, in which a queue may skip rounds.
//!
//! Reference: HTM18 section III, where the quantum of a queue is divided by the load of its busier host.
//! Units: rounds are counted; a round is over when every queue of the ring has had its turn.
//!
//! A queue whose share of the quantum is an n-th takes a whole quantum in every n-th round and waits outside the ring
//! until then. So every turn earns a whole quantum, and the work for a packet does not depend on the number of queues.

use super::list::{Links, List};
use super::sets::QUEUES;
use alloc::vec::Vec;

const WORDS: usize = QUEUES / 64;

/// The ring and the queues that skip rounds.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    ring: List,
    /// Queues of the ring whose turn in this round is still to come.
    left: u32,
    round: u64,
    /// Queues that skip rounds, by the round of their return modulo [`QUEUES`].
    skipping: Vec<List>,
    /// A bit for each list of `skipping` that holds queues.
    occupied: [u64; WORDS],
    skippers: u32,
}

impl Rounds {
    /// A ring without queues.
    pub(super) fn new() -> Rounds {
        Rounds {
            ring: List::EMPTY,
            left: 0,
            round: 0,
            skipping: vec![List::EMPTY; QUEUES],
            occupied: [0; WORDS],
            skippers: 0,
        }
    }

    /// Queues in the ring, and those that skip rounds.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.ring.len() + self.skippers
    }

    /// The queue whose turn it is.
    #[inline]
    pub(super) fn front(&mut self, links: &mut Links) -> Option<usize> {
        if self.left == 0 {
            self.next_round(links);
        }
        self.ring.front()
    }

    /// Removes the queue whose turn it is.
    #[inline]
    pub(super) fn pop_front(&mut self, links: &mut Links) {
        if let Some(i) = self.ring.front() {
            self.ring.remove(links, i);
            self.left = self.left.saturating_sub(1);
        }
    }

    /// Adds a queue that has its next turn in the `after`-th round from now: 1 is the next one, [`QUEUES`] the last.
    #[inline]
    pub(super) fn push_back(&mut self, links: &mut Links, i: usize, after: u64) {
        debug_assert!(
            (1..=QUEUES as u64).contains(&after),
            "a queue skips fewer rounds than there are queues"
        );
        if after <= 1 {
            return self.ring.push_back(links, i);
        }
        let place = ((self.round + after) % QUEUES as u64) as usize;
        self.skipping[place].push_back(links, i);
        self.occupied[place / 64] |= 1 << (place % 64);
        self.skippers += 1;
    }

    /// Begins the next round in which the ring has queues.
    fn next_round(&mut self, links: &mut Links) {
        if self.skippers > 0 {
            self.round += if self.ring.len() == 0 { self.until_return() } else { 1 };
            let place = (self.round % QUEUES as u64) as usize;
            let back = core::mem::replace(&mut self.skipping[place], List::EMPTY);
            self.occupied[place / 64] &= !(1 << (place % 64));
            self.skippers -= back.len();
            self.ring.append(links, back);
        }
        self.left = self.ring.len();
    }

    /// Rounds until the first of the skipping queues returns.
    fn until_return(&self) -> u64 {
        let first = ((self.round + 1) % QUEUES as u64) as usize;
        // The word of the first place counts twice: from that place on, and at the end up to it.
        let words = (0..=WORDS).map(|k| {
            let word = (first / 64 + k) % WORDS;
            let mask = match k {
                0 => u64::MAX << (first % 64),
                WORDS => !(u64::MAX << (first % 64)),
                _ => u64::MAX,
            };
            (word, self.occupied[word] & mask)
        });
        let mut found = words.filter(|&(_, bits)| bits != 0);
        let place = found.next().map_or(first, |(word, bits)| word * 64 + bits.trailing_zeros() as usize);
        1 + ((place + QUEUES - first) % QUEUES) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns of queues, each with one turn in every n-th round.
    fn turns(every: &[u64], count: usize) -> Vec<usize> {
        let (mut rounds, mut links) = (Rounds::new(), Links::new(QUEUES));
        (0..every.len()).for_each(|i| rounds.push_back(&mut links, i, 1));
        let turn = |_| {
            let i = rounds.front(&mut links).unwrap();
            rounds.pop_front(&mut links);
            rounds.push_back(&mut links, i, every[i]);
            i
        };
        (0..count).map(turn).collect()
    }

    #[test]
    fn a_queue_has_a_turn_in_every_nth_round() {
        assert_eq!(turns(&[1, 2, 3], 12), [0, 1, 2, 0, 0, 1, 0, 2, 0, 1, 0, 0]);
        // Rounds without a queue take no time.
        assert_eq!(turns(&[700, 1024], 5), [0, 1, 0, 1, 0]);
        let long = turns(&[64, 1024, 1023, 1], 5000);
        let of = |i: usize| long.iter().filter(|&&turn| turn == i).count();
        assert_eq!((of(0), of(1), of(2)), (1 + of(3) / 64, 1 + of(3) / 1024, 1 + of(3) / 1023));
    }

    #[test]
    fn a_queue_that_joins_waits_for_the_end_of_the_round() {
        let (mut rounds, mut links) = (Rounds::new(), Links::new(QUEUES));
        rounds.push_back(&mut links, 0, 1);
        rounds.push_back(&mut links, 1, 1);
        assert_eq!(rounds.front(&mut links), Some(0));
        rounds.pop_front(&mut links);
        rounds.push_back(&mut links, 0, 1);
        rounds.push_back(&mut links, 2, 1);
        let mut order = Vec::new();
        while let Some(i) = rounds.front(&mut links) {
            rounds.pop_front(&mut links);
            order.push(i);
        }
        assert_eq!((order, rounds.len()), (vec![1, 0, 2], 0));
    }
}
