//! The event queue of the fast engine: a calendar queue.
//!
//! Reference: Brown, "Calendar queues" (CACM 1988). Buckets of equal width, with a bitmap of those in use. Most hold
//! one event, so a new event goes to the head of its bucket, and a bucket is sorted once it is the first. Widths are in
//! the unit of the clock: nanoseconds, or bits of doubles. Events beyond the last bucket (mostly retransmission timers)
//! are in a heap. Width and number of buckets follow the measured distance of events; they affect the speed alone,
//! because events are ordered by key and, at equal keys, by insertion.
//!
//! The first event is found when the one before it is popped, and updated as events are added. The processor can then
//! fetch the next event while it executes this one.

mod first_bucket;
mod removal;
mod resizing;

use super::{Key, Pending};
use resizing::{Resizing, MIN_BUCKETS};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::Time;

const NONE: u32 = u32::MAX;

/// An event in a bucket's list; the key is inlined because a `Key` would be padded. A packet's node fills a cache line.
#[repr(C, align(64))]
pub struct Node<E> {
    /// When it happens.
    pub time: Time,
    birth: Time,
    component: u32,
    /// The next node of its bucket: an older one or, if the bucket is sorted, a later one.
    next: u32,
    /// The event.
    pub event: E,
}

impl<E> Node<E> {
    #[inline]
    fn new(key: Key, event: E) -> Node<E> {
        Node { time: key.time, birth: key.birth, component: key.component, next: NONE, event }
    }

    /// Its key.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// The most buckets: 16 bits index them, which makes bounds checks unnecessary.
const MAX_BUCKETS: usize = 1 << u16::BITS;
/// Words of the bitmap.
const WORDS: usize = MAX_BUCKETS / 64;

/// The bucket of a day (time divided by the width).
#[inline(always)]
fn bucket_of(day: u64, mask: u16) -> usize {
    usize::from(day as u16 & mask)
}

/// The last bucket of a word, which takes the place of the first in use if there is none.
const LAST_BUCKET: u64 = 1 << 63;

/// The event queue.
pub struct CalendarQueue<E> {
    nodes: Vec<Node<E>>,
    free: u32,
    /// The first node of each bucket. One more than the mask are in use, a power of two.
    heads: Box<[u32; MAX_BUCKETS]>,
    mask: u16,
    /// One bit per bucket, set if it is not empty. The choice of the width keeps runs of empty words short.
    used: Box<[u64; WORDS]>,
    /// Buckets are `1 << shift` wide.
    shift: u32,
    /// The index of the bitmap word of the last event popped, and the first day of that word.
    word: usize,
    word_start: u64,
    /// The first day beyond the last bucket.
    end_day: u64,
    /// The first day in use of that word (or its last), and the head of its bucket.
    first_day: u64,
    first: u32,
    /// The last node of that bucket, if the bucket has several and is sorted.
    tail: u32,
    /// Buffer for sorting.
    several: Vec<(Key, u32, u32)>,
    /// Events beyond the last bucket: key, order of insertion, node.
    far: BinaryHeap<Reverse<(Key, u64, u32)>>,
    far_count: u64,
    /// The earliest time among them.
    far_time: Time,
    /// The end of the run; and the lesser of the time after it and `far_time`, up to which the first bucket is popped
    /// unchecked.
    last: Time,
    stop: Time,
    resizing: Resizing,
}

impl<E: Copy> CalendarQueue<E> {
    /// An empty queue.
    pub fn new() -> CalendarQueue<E> {
        let mut calendar = CalendarQueue {
            nodes: Vec::new(),
            free: NONE,
            // The kernel provides zeroed pages only as they are touched.
            heads: vec![0; MAX_BUCKETS].try_into().expect("a vector of this length"),
            mask: 0,
            used: Box::new([0; WORDS]),
            shift: 16,
            word: 0,
            word_start: 0,
            end_day: 0,
            first_day: 0,
            first: NONE,
            tail: NONE,
            several: Vec::new(),
            far: BinaryHeap::new(),
            far_count: 0,
            far_time: Time::NEVER,
            last: Time::NEVER,
            stop: Time::NEVER,
            resizing: Resizing { left: 1024, events: 1024, since: Time::ZERO },
        };
        calendar.reset(MIN_BUCKETS, Time::ZERO);
        calendar
    }

    /// Number of pending events; takes time in proportion to the free nodes.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.list(self.free).count()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same if no node is free.
    #[cold]
    #[inline(never)]
    fn push_new(&mut self, node: Node<E>) {
        let (index, time) = (self.nodes.len() as u32, node.time);
        self.nodes.push(node);
        self.insert(index, time);
    }

    /// Events after `last` are not popped.
    pub fn stop_after(&mut self, last: Time) {
        self.last = last;
        self.find_stop();
    }

    fn find_stop(&mut self) {
        self.stop = self.far_time.min(Time(self.last.0.saturating_add(1)));
    }

    /// Removes the first event, unless it is after [`CalendarQueue::stop_after`]. The caller counts the events for
    /// [`CalendarQueue::note_popped`].
    #[inline(always)]
    pub fn pop_first(&mut self) -> Option<&Node<E>> {
        let index = self.first;
        let Some(first) = self.nodes.get(index as usize) else { return self.pop_from_later_word() };
        if first.next != NONE {
            return self.pop_one_of_several();
        }
        if first.time >= self.stop {
            return self.pop_checked();
        }
        let node = self.nodes.get_mut(index as usize)?;
        node.next = self.free;
        self.free = index;
        self.heads[bucket_of(self.first_day, self.mask)] = NONE;
        let used = &mut self.used[self.word % WORDS];
        *used &= *used - 1;
        let next = (*used | LAST_BUCKET).trailing_zeros();
        self.first_day = self.word_start | u64::from(next);
        self.first = self.heads[bucket_of(self.first_day, self.mask)];
        Some(node)
    }

    /// The heads of the buckets in use.
    fn heads(&self) -> &[u32] {
        &self.heads[..=usize::from(self.mask)]
    }

    /// Whether the first of the far events precedes `key`. At equal keys it does, because it was inserted first: the
    /// range of the buckets only moves forward.
    fn is_behind_far(&self, key: Key) -> bool {
        self.far.peek().is_some_and(|Reverse((far, ..))| !key.precedes(far))
    }

    /// Moves to the bitmap word of an event that was popped.
    #[inline(always)]
    fn move_to(&mut self, time: Time) {
        self.word_start = time.0 >> self.shift & !63;
        self.word = bucket_of(self.word_start, self.mask) / 64;
        self.end_day = self.word_start + self.heads().len() as u64;
        self.find_first();
    }

    #[cold]
    #[inline(never)]
    fn insert_far(&mut self, index: u32) {
        let key = self.nodes[index as usize].key();
        self.far.push(Reverse((key, self.far_count, index)));
        self.far_count += 1;
        self.far_time = self.far_time.min(key.time);
        self.find_stop();
    }
}

impl<E: Copy> Pending<E> for CalendarQueue<E> {
    #[inline(always)]
    fn push(&mut self, key: Key, event: E) {
        let index = self.free;
        let Some(node) = self.nodes.get_mut(index as usize) else {
            return self.push_new(Node::new(key, event));
        };
        self.free = node.next;
        let day = key.time.0 >> self.shift;
        *node = Node::new(key, event);
        if day <= self.first_day {
            if self.tail != NONE {
                return self.insert(index, key.time);
            }
            (self.first, self.first_day) = (index, day);
        } else if day >= self.end_day {
            return self.insert_far(index);
        }
        let bucket = bucket_of(day, self.mask);
        node.next = std::mem::replace(&mut self.heads[bucket], index);
        self.used[bucket / 64] |= 1 << (bucket % 64);
    }

    fn pop_until(&mut self, last: Time) -> Option<(Key, E)> {
        self.stop_after(last);
        let node = self.pop_first()?;
        let taken = (node.key(), node.event);
        self.note_popped(1, taken.0.time);
        Some(taken)
    }

    fn first_key(&mut self) -> Option<Key> {
        let near = match self.first {
            NONE => self.later_word(self.word).map(|word| self.first_of(word)),
            _ => {
                self.sort_first();
                Some(self.nodes[self.first as usize].key())
            }
        };
        let far = self.far.peek().map(|Reverse((key, ..))| *key);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (one, other) => one.or(other),
        }
    }

    fn iter<'a>(&'a self) -> impl Iterator<Item = (Key, &'a E)>
    where
        E: 'a,
    {
        let in_buckets = self.heads().iter().flat_map(|head| self.list(*head));
        let far = self.far.iter().map(|Reverse((_, _, index))| *index);
        in_buckets.chain(far).map(|index| {
            let node = &self.nodes[index as usize];
            (node.key(), &node.event)
        })
    }

    fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<E>>()
            + size_of_val(self.heads())
            + self.far.capacity() * size_of::<(Key, u64, u32)>()
    }
}

impl<E: Copy> Default for CalendarQueue<E> {
    fn default() -> Self {
        CalendarQueue::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::EventHeap;
    use super::*;
    use proptest::prelude::*;

    fn key(time: u64, birth: u64, component: u32) -> Key {
        Key { time: Time(time), birth: Time(birth), component }
    }

    #[test]
    fn time_then_birth_then_component_then_first_in() {
        let mut calendar = CalendarQueue::new();
        for (n, k) in
            [key(5, 2, 1), key(5, 1, 9), key(5, 1, 3), key(4, 9, 9), key(5, 1, 3)].into_iter().enumerate()
        {
            calendar.push(k, n);
        }
        let order: Vec<usize> =
            std::iter::from_fn(|| calendar.pop_until(Time::NEVER)).map(|(_, n)| n).collect();
        assert_eq!(order, [3, 2, 4, 1, 0]);
    }

    #[test]
    fn events_after_the_limit_stay() {
        let mut calendar = CalendarQueue::new();
        calendar.push(key(10, 0, 0), 'a');
        calendar.push(key(1 << 50, 0, 0), 'b');
        assert_eq!(calendar.pop_until(Time(9)), None);
        assert_eq!(calendar.pop_until(Time(10)).map(|(_, e)| e), Some('a'));
        assert_eq!(calendar.pop_until(Time(10)), None);
        assert_eq!(calendar.iter().map(|(_, e)| *e).collect::<Vec<_>>(), ['b']);
    }

    /// More events than buckets, in two clusters and far away, added while others are popped.
    #[test]
    fn many_come_in_order() {
        let mut calendar = CalendarQueue::new();
        let (mut drawn, mut pushed, mut taken, mut most) = (1u64, 0, Vec::new(), 0);
        let mut draw = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            drawn >> 33
        };
        let mut push = |to: &mut CalendarQueue<u64>, now: u64| {
            let ahead = match draw() % 8 {
                0 => 2_000_000 + draw() % 100,
                1 => draw() % 1_000_000_000,
                _ => draw() % 300_000,
            };
            to.push(key(now + ahead, draw() % 3, 0), pushed);
            pushed += 1;
        };
        (0..100_000).for_each(|_| push(&mut calendar, 0));
        while let Some((k, number)) = calendar.pop_until(Time::NEVER) {
            if taken.len() < 150_000 {
                push(&mut calendar, k.time.0);
            }
            taken.push((k, number));
            most = most.max(calendar.heads().len());
        }
        assert_eq!(taken.len(), 250_000);
        assert_eq!(most, MAX_BUCKETS);
        assert!(taken.is_sorted());
    }

    proptest! {
        /// The same order as the reference, through many resizings: steps from nanoseconds to minutes.
        #[test]
        fn equals_the_reference(
            steps in proptest::collection::vec((0u32..38, any::<u16>(), 0u64..3, 0u32..3), 1..60),
            rounds in 1usize..900,
        ) {
            let (mut queue, mut reference) = (CalendarQueue::new(), EventHeap::default());
            let (mut now, mut next, mut pending) = (0, 0, 0);
            for round in 0..rounds {
                // After the first event was read, an earlier one may be added.
                prop_assert_eq!(queue.first_key(), reference.first_key());
                for (magnitude, fraction, birth, component) in &steps {
                    let step = (u64::from(*fraction) << magnitude) >> 16;
                    let k = key(now + step, *birth, *component);
                    queue.push(k, next);
                    reference.push(k, next);
                    (next, pending) = (next + 1, pending + 1);
                }
                let take = if round + 1 == rounds { pending } else { pending.min(steps.len()) };
                for _ in 0..take {
                    let expected = reference.pop_until(Time::NEVER);
                    prop_assert_eq!(queue.pop_until(Time::NEVER), expected);
                    now = expected.map_or(now, |(key, _)| key.time.0);
                }
                pending -= take;
                if pending > 3000 { break; }
            }
        }
    }
}
