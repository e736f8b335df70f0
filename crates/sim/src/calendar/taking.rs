//! Taking the first event where that is more than emptying a bucket of the present word.

use super::{Calendar, Node};
use std::cmp::Reverse;
use units::Time;

impl<E: Copy> Calendar<E> {
    /// Takes the first event of the present word, alone in its bucket or not.
    #[inline(never)]
    pub(super) fn unlink_head(&mut self) -> Option<&Node<E>> {
        let word = &mut self.words[self.word];
        let head = &mut word.heads[word.used.trailing_zeros() as usize];
        let (index, free) = (*head, self.free);
        let node = &mut self.nodes[index as usize];
        let (next, tail) = (std::mem::replace(&mut node.next, free), node.tail);
        (self.free, *head) = (index, next);
        if let Some(next) = self.nodes.get_mut(next as usize) {
            next.tail = tail;
        } else {
            word.used &= word.used - 1;
            if word.used == 0 {
                self.used_words[self.word >> 6] &= !(1 << (self.word & 63));
            }
        }
        Some(&self.nodes[index as usize])
    }

    /// The same where it may not be the first after all, or lies too late.
    #[cold]
    #[inline(never)]
    pub(super) fn unlink_stopped(&mut self) -> Option<&Node<E>> {
        let word = &self.words[self.word];
        let key = self.nodes[word.heads[word.used.trailing_zeros() as usize] as usize].key();
        if self.is_behind_far(key) {
            return self.pop_far();
        }
        if key.time > self.last {
            return None;
        }
        self.unlink_head()
    }

    /// [`Calendar::unlink_first`] where the present word is not in use: the next one that is becomes the present one, unless its first event stays
    /// where it is.
    #[inline(never)]
    pub(super) fn unlink_later(&mut self) -> Option<&Node<E>> {
        let Some(word) = self.later_word(self.word).map(|word| &self.words[word]) else {
            return self.pop_far();
        };
        let key = self.nodes[word.heads[word.used.trailing_zeros() as usize] as usize].key();
        if self.is_behind_far(key) {
            return self.pop_far();
        }
        if key.time > self.last {
            return None;
        }
        self.turn_to(key.time);
        self.unlink_first()
    }

    #[cold]
    #[inline(never)]
    fn pop_far(&mut self) -> Option<&Node<E>> {
        let Reverse((key, _, index)) = *self.far.peek()?;
        if key.time > self.last {
            return None;
        }
        self.far.pop();
        self.far_time = self.far.peek().map_or(Time::NEVER, |Reverse((first, ..))| first.time);
        self.find_stop();
        self.nodes[index as usize].next = self.free;
        self.free = index;
        self.turn_to(key.time);
        Some(&self.nodes[index as usize])
    }

    /// The first word in use.
    pub(super) fn first_word(&self) -> Option<usize> {
        let here = self.words.get(self.word).is_some_and(|word| word.used != 0);
        here.then_some(self.word).or_else(|| self.later_word(self.word))
    }

    /// The first word in use after this one, and around the end.
    fn later_word(&self, word: usize) -> Option<usize> {
        self.next_word(word + 1, self.words.len()).or_else(|| self.next_word(0, word + 1))
    }

    /// The first word with a bit set in `from..to`, if any.
    fn next_word(&self, from: usize, to: usize) -> Option<usize> {
        if from >= to {
            return None;
        }
        let mut high = from >> 6;
        let mut bits = self.used_words[high] & (u64::MAX << (from & 63));
        loop {
            if bits != 0 {
                let word = (high << 6) | bits.trailing_zeros() as usize;
                return (word < to).then_some(word);
            }
            high += 1;
            if high << 6 >= to {
                return None;
            }
            bits = self.used_words[high];
        }
    }
}
