//! Taking the first event where that is more than emptying a bucket of the present word.

use super::{Calendar, Node, NONE, WORDS};
use std::cmp::Reverse;
use units::Time;

impl<E: Copy> Calendar<E> {
    /// [`Calendar::unlink_first`] where the first bucket holds several.
    #[inline(never)]
    pub(super) fn unlink_one_of_several(&mut self) -> Option<&Node<E>> {
        let newest = self.first;
        let oldest = self.nodes[newest as usize].next;
        if self.tail != NONE || self.nodes[oldest as usize].next != NONE {
            return self.unlink_sorted();
        }
        // Of two, the other one is left alone.
        let in_order = self.nodes[newest as usize].key().precedes(&self.nodes[oldest as usize].key());
        let (first, other) = if in_order { (newest, oldest) } else { (oldest, newest) };
        if self.nodes[first as usize].time >= self.stop {
            return self.unlink_sorted();
        }
        self.nodes[other as usize].next = NONE;
        self.begin_first_with(other);
        let node = &mut self.nodes[first as usize];
        node.next = self.free;
        self.free = first;
        Some(node)
    }

    /// The same once the bucket is sorted.
    #[inline(never)]
    fn unlink_sorted(&mut self) -> Option<&Node<E>> {
        self.sort_first();
        if self.nodes[self.first as usize].time >= self.stop {
            return self.unlink_stopped();
        }
        self.unlink_head()
    }

    /// Takes the first event of the first bucket, which is sorted.
    fn unlink_head(&mut self) -> Option<&Node<E>> {
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

    /// The same where it may not be the first after all, or lies too late.
    #[cold]
    #[inline(never)]
    pub(super) fn unlink_stopped(&mut self) -> Option<&Node<E>> {
        let key = self.nodes[self.first as usize].key();
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

    /// The first word in use after this one, and around the end.
    pub(super) fn later_word(&self, word: usize) -> Option<usize> {
        let (before, behind) = self.used[..=self.last_word()].split_at(word + 1);
        let found = behind.iter().chain(before).position(|used| *used != 0)?;
        Some((word + 1 + found) & self.last_word())
    }

    /// The last word of buckets in use.
    fn last_word(&self) -> usize {
        usize::from(self.mask / 64)
    }
}
