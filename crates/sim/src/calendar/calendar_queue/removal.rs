//! Removing the first event when more has to be done than emptying a bucket of the present word.

use super::{CalendarQueue, Node, NONE, WORDS};
use std::cmp::Reverse;
use units::Time;

impl<E: Copy> CalendarQueue<E> {
    /// [`CalendarQueue::pop_first`] if the first bucket has several events.
    #[inline(never)]
    pub(super) fn pop_one_of_several(&mut self) -> Option<&Node<E>> {
        let newest = self.first;
        let oldest = self.nodes[newest as usize].next;
        if self.tail != NONE || self.nodes[oldest as usize].next != NONE {
            return self.pop_sorted();
        }
        // With two events no sort is needed.
        let in_order = self.nodes[newest as usize].key().precedes(&self.nodes[oldest as usize].key());
        let (first, other) = if in_order { (newest, oldest) } else { (oldest, newest) };
        if self.nodes[first as usize].time >= self.stop {
            return self.pop_sorted();
        }
        self.nodes[other as usize].next = NONE;
        self.begin_first_with(other);
        let node = &mut self.nodes[first as usize];
        node.next = self.free;
        self.free = first;
        Some(node)
    }

    /// The same after sorting the bucket.
    #[inline(never)]
    fn pop_sorted(&mut self) -> Option<&Node<E>> {
        self.sort_first();
        if self.nodes[self.first as usize].time >= self.stop {
            return self.pop_checked();
        }
        self.pop_head()
    }

    /// Removes the head of the first bucket, which is sorted.
    fn pop_head(&mut self) -> Option<&Node<E>> {
        let index = self.first;
        let next = std::mem::replace(&mut self.nodes[index as usize].next, self.free);
        self.free = index;
        self.begin_first_with(next);
        if next == self.tail {
            self.tail = NONE;
        }
        if next == NONE {
            let used = &mut self.used[self.word % WORDS];
            *used &= *used - 1;
            self.find_first();
        }
        Some(&self.nodes[index as usize])
    }

    /// Removes the first event where a far event may precede it, or where it may be after the end.
    #[cold]
    #[inline(never)]
    pub(super) fn pop_checked(&mut self) -> Option<&Node<E>> {
        let key = self.nodes[self.first as usize].key();
        if self.is_behind_far(key) {
            return self.pop_far();
        }
        if key.time > self.last {
            return None;
        }
        self.pop_head()
    }

    /// [`CalendarQueue::pop_first`] if the present word is empty: moves to the next word in use, unless its first event
    /// may not be popped.
    #[inline(never)]
    pub(super) fn pop_from_later_word(&mut self) -> Option<&Node<E>> {
        let next = (self.word + 1) & self.last_word();
        let word = if self.used[next] != 0 { Some(next) } else { self.later_word(next) };
        let Some(key) = word.map(|word| self.first_of(word)) else { return self.pop_far() };
        if key.time >= self.stop {
            if self.is_behind_far(key) {
                return self.pop_far();
            }
            if key.time > self.last {
                return None;
            }
        }
        self.move_to(key.time);
        self.pop_first()
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
        self.move_to(key.time);
        Some(&self.nodes[index as usize])
    }

    /// The first word in use after this one, wrapping around.
    pub(super) fn later_word(&self, word: usize) -> Option<usize> {
        let (before, behind) = self.used[..=self.last_word()].split_at(word + 1);
        let found = first_used(behind).map(|place| word + 1 + place);
        found.or_else(|| first_used(before))
    }

    /// The last word whose buckets are in use.
    fn last_word(&self) -> usize {
        usize::from(self.mask / 64)
    }
}

/// The first word that is not zero. Where the lookahead takes most events, long runs are: eight words are tested at once.
fn first_used(words: &[u64]) -> Option<usize> {
    let is_empty = |eight: &&[u64]| eight.iter().fold(0, |all, word| all | word) == 0;
    let skipped = 8 * words.chunks_exact(8).take_while(is_empty).count();
    words[skipped..].iter().position(|word| *word != 0).map(|place| skipped + place)
}
