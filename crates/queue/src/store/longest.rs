//! The longest of the queues of a scheduler, found without looking at all of them.
//!
//! Queues are the leaves of a binary tree, each of whose nodes names the longer of two. A change only notes the queue;
//! the search brings the ways of those up to date that were noted since the last one.

use alloc::vec::Vec;

/// Length of a queue, and its precedence among equally long ones: the larger precedes.
pub(crate) type Rank = (u64, u64);

/// The ranks of all queues, and the winner of each node.
#[derive(Clone, Debug)]
pub(crate) struct Longest {
    ranks: Vec<Rank>,
    /// Node 1 is the root, nodes `2 i` and `2 i + 1` are below node `i`; the queues are the last half.
    winners: Vec<u32>,
    /// Queues whose rank may have changed, each once.
    noted: Vec<u32>,
    is_noted: Vec<bool>,
    /// Place of each queue in the ring: the number of joins when it joined.
    places: Vec<u64>,
    joins: u64,
}

impl Longest {
    /// `queues` queues, all of which are noted, and the ring of those that hold packets.
    pub(crate) fn new(queues: usize, ring: impl Iterator<Item = usize>) -> Longest {
        let leaves = queues.next_power_of_two();
        let mut winners = vec![0; leaves];
        winners.extend(0..leaves as u32);
        for node in (1..leaves).rev() {
            winners[node] = winners[2 * node];
        }
        let mut longest = Longest {
            ranks: vec![(0, 0); leaves],
            winners,
            noted: (0..queues as u32).collect(),
            is_noted: vec![true; queues],
            places: vec![0; queues],
            joins: 0,
        };
        ring.for_each(|i| longest.join(i));
        longest
    }

    /// Queue `i` joins the end of the ring.
    #[inline]
    pub(crate) fn join(&mut self, i: usize) {
        self.joins += 1;
        self.places[i] = self.joins;
        self.note(i);
    }

    /// The rank of queue `i` may have changed.
    #[inline]
    pub(crate) fn note(&mut self, i: usize) {
        if !self.is_noted[i] {
            self.is_noted[i] = true;
            self.noted.push(i as u32);
        }
    }

    /// The queue with the largest rank, given the ranks of those that were noted; a rank may depend on the place.
    pub(crate) fn first(&mut self, rank: impl Fn(usize, u64) -> Rank) -> usize {
        for place in 0..self.noted.len() {
            let i = self.noted[place];
            self.is_noted[i as usize] = false;
            self.ranks[i as usize] = rank(i as usize, self.places[i as usize]);
            self.replay(i);
        }
        self.noted.clear();
        self.winners[1] as usize
    }

    /// Updates the winners above queue `i`, as far as they may depend on it.
    fn replay(&mut self, i: u32) {
        let (mut node, mut winner) = (self.ranks.len() + i as usize, i);
        while node > 1 {
            let rival = self.winners[node ^ 1];
            if self.ranks[rival as usize] > self.ranks[winner as usize] {
                winner = rival;
            }
            node /= 2;
            if self.winners[node] == winner && winner != i {
                return;
            }
            self.winners[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::Child;
    use crate::disc::Cx;
    use crate::flow_key::FlowKey;
    use crate::store::buckets::Buckets;
    use crate::store::hash::mix;
    use crate::testing::{Always, Pkt, SETTING};
    use units::Time;

    #[test]
    fn it_finds_what_a_search_finds() {
        for queues in [1, 2, 5, 64, 100] {
            let mut ranks: Vec<Rank> = (0..queues).map(|i| (0, i)).collect();
            let mut longest = Longest::new(queues as usize, 0..0);
            for step in 0..3000_u64 {
                let i = (mix(step) % queues) as usize;
                ranks[i] = (mix(step + 7) % 4, queues + step);
                longest.note(i);
                if mix(step + 3) % 3 == 0 {
                    let expected = (0..ranks.len()).max_by_key(|&j| ranks[j]);
                    assert_eq!(
                        Some(longest.first(|j, _| ranks[j])),
                        expected,
                        "{queues} queues, step {step}"
                    );
                }
            }
        }
    }

    /// Of equally long buckets the first in the ring, whose turns pass.
    #[test]
    fn among_equals_the_next_in_turn_is_the_longest() {
        let mut buckets = Buckets::new(256, FlowKey::Flow, &Child::PLAIN, &SETTING);
        let (mut random, mut dropped) = (Always(0.25, 0), Vec::new());
        let mut cx = Cx::new(Time(5), &mut random, &mut dropped);
        let mut turns: Vec<(usize, u64)> = Vec::new();
        for step in 0..3000_u64 {
            let pkt = Pkt { flow: mix(step) % (5 + step / 10), size: 100, ..Pkt::new(step) };
            let i = buckets.of(&pkt);
            match (mix(step + 1) % 6, turns.iter().position(|(j, _)| *j == i)) {
                (0..=2, Some(place)) => {
                    buckets.push(i, pkt, 0, &mut cx);
                    turns[place].1 += 1;
                }
                (0..=2, None) => {
                    buckets.push(i, pkt, 0, &mut cx);
                    turns.push((i, 1));
                }
                (3, Some(place)) => {
                    buckets.pop(i, false, &mut cx);
                    turns[place].1 -= 1;
                    turns.retain(|(_, len)| *len > 0);
                }
                (4, _) => {
                    buckets.next();
                    let some = usize::from(!turns.is_empty());
                    turns.rotate_left(some);
                }
                _ => {
                    let most = turns.iter().map(|(_, len)| *len).max();
                    let first = turns.iter().find(|(_, len)| Some(*len) == most).map(|(j, _)| *j);
                    assert_eq!(buckets.longest(true), first, "step {step}");
                }
            }
        }
        assert!(buckets.active() > 64, "the last searches are among many");
    }
}
