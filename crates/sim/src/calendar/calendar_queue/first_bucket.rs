//! The first bucket, which is sorted before an event is taken from it; insertion there and anywhere else.

use super::{bucket_of, CalendarQueue, Key, LAST_BUCKET, NONE, WORDS};
use units::Time;

impl<E: Copy> CalendarQueue<E> {
    /// Inserts a node by its time.
    #[inline(never)]
    pub(super) fn insert(&mut self, index: u32, time: Time) {
        let day = time.0 >> self.shift;
        if day < self.word_start || day >= self.end_day {
            return self.insert_far(index);
        }
        if day <= self.first_day {
            if self.tail != NONE {
                if day == self.first_day {
                    return self.insert_sorted(index);
                }
                self.unsort_first();
            }
            (self.first, self.first_day) = (index, day);
        }
        self.put(index, day);
    }

    /// Inserts a node at the head of its bucket.
    fn put(&mut self, index: u32, day: u64) {
        let bucket = bucket_of(day, self.mask);
        self.nodes[index as usize].next = std::mem::replace(&mut self.heads[bucket], index);
        self.used[bucket / 64] |= 1 << (bucket % 64);
    }

    /// Inserts a node into the first bucket, which is sorted.
    fn insert_sorted(&mut self, index: u32) {
        let key = self.nodes[index as usize].key();
        if !key.precedes(&self.nodes[self.tail as usize].key()) {
            self.nodes[self.tail as usize].next = index;
            self.tail = index;
            return;
        }
        let (mut before, mut at) = (NONE, self.first);
        while !key.precedes(&self.nodes[at as usize].key()) {
            (before, at) = (at, self.nodes[at as usize].next);
        }
        self.nodes[index as usize].next = at;
        match self.nodes.get_mut(before as usize) {
            Some(before) => before.next = index,
            None => self.begin_first_with(index),
        }
    }

    /// Finds the first bucket in use of the present word.
    #[inline(always)]
    pub(super) fn find_first(&mut self) {
        let next = (self.used[self.word % WORDS] | LAST_BUCKET).trailing_zeros();
        self.first_day = self.word_start | u64::from(next);
        self.first = self.heads[bucket_of(self.first_day, self.mask)];
    }

    /// Makes this node the head of the first bucket.
    #[inline]
    pub(super) fn begin_first_with(&mut self, index: u32) {
        self.heads[bucket_of(self.first_day, self.mask)] = index;
        self.first = index;
    }

    /// Sorts the first bucket, unless it is sorted or has one event.
    #[inline]
    pub(super) fn sort_first(&mut self) {
        if self.tail == NONE && self.nodes[self.first as usize].next != NONE {
            self.sort_several();
        }
    }

    #[inline(never)]
    fn sort_several(&mut self) {
        let mut several = std::mem::take(&mut self.several);
        let (first, mut added) = (self.first, u32::MAX);
        several.extend(self.list(first).map(|index| {
            // The newest is at the head.
            added -= 1;
            (self.nodes[index as usize].key(), added, index)
        }));
        several.sort_unstable();
        self.link(several.iter().map(|(.., index)| *index));
        self.tail = several.last().map_or(NONE, |(.., index)| *index);
        several.clear();
        self.several = several;
    }

    /// An earlier bucket is in use now: reverses the first bucket, so that its newest event is at the head again.
    #[cold]
    fn unsort_first(&mut self) {
        let sorted: Vec<u32> = self.list(self.first).collect();
        self.link(sorted.into_iter().rev());
        self.tail = NONE;
    }

    /// Links these nodes, in this order, into the first bucket.
    fn link(&mut self, order: impl Iterator<Item = u32>) {
        let mut last = NONE;
        for index in order {
            match self.nodes.get_mut(last as usize) {
                Some(last) => last.next = index,
                None => self.begin_first_with(index),
            }
            last = index;
        }
        if let Some(last) = self.nodes.get_mut(last as usize) {
            last.next = NONE;
        }
    }

    /// A node and those linked behind it.
    pub(super) fn list(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |index: u32| Some(index).filter(|index| *index != NONE);
        std::iter::successors(some(from), move |index| some(self.nodes[*index as usize].next))
    }

    /// The least key of a word's first bucket.
    pub(super) fn first_of(&self, word: usize) -> Key {
        let head = self.heads[(word << 6) + self.used[word].trailing_zeros() as usize];
        let others = self.list(self.nodes[head as usize].next);
        let keys = others.map(|index| self.nodes[index as usize].key());
        keys.fold(self.nodes[head as usize].key(), Key::min)
    }
}
