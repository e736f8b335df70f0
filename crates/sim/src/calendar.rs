//! The calendar: pending events in total order.
//!
//! Reference: Brown, "Calendar queues" (CACM 1988). Buckets of equal width, with a bitmap of the ones in use. Most hold one
//! event, so one that is added is put before the others, whatever they are, and a bucket is sorted when it is the first.
//! Widths are in the unit of the moments' numbers, nanoseconds or bits of doubles.
//! What lies beyond the last bucket (time-outs, mostly) waits in a heap. Width and number of buckets follow the
//! measured distance of events; they change the speed and nothing else, because the order is that of the
//! keys and, at equal keys, of insertion.
//!
//! Which event is the first is found out as the one before it is taken, and kept up to date as others are added: a processor that looks
//! ahead need not wait for what comes of one event to know the next.

mod first;
mod taking;
mod tuning;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use tuning::{Tuning, MIN_BUCKETS};
use units::Time;

/// What orders events: time, birth, component (see `docs/decisions/002-order-of-events.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// When it happens.
    pub time: Time,
    /// When it was set going; timers, which come last at equal times, have [`Time::NEVER`].
    pub birth: Time,
    /// The component it comes from.
    pub component: u32,
}

impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Key) -> Ordering {
        (self.time, self.birth, self.component).cmp(&(other.time, other.birth, other.component))
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    /// `self < other`, spelt out because nearly every comparison ends with the time.
    #[inline]
    pub fn precedes(&self, other: &Key) -> bool {
        if self.time != other.time {
            return self.time < other.time;
        }
        (self.birth, self.component) < (other.birth, other.component)
    }
}

const NONE: u32 = u32::MAX;

/// An event in a bucket's list; its key is spelt out because a `Key` would be padded. A packet's fits a cache line.
#[repr(C, align(64))]
pub struct Node<E> {
    /// When it happens.
    pub time: Time,
    birth: Time,
    component: u32,
    /// The next of its bucket: one that was added before, or where the bucket is sorted one that comes later.
    next: u32,
    /// What happens.
    pub event: E,
}

impl<E> Node<E> {
    #[inline]
    fn new(key: Key, event: E) -> Node<E> {
        Node { time: key.time, birth: key.birth, component: key.component, next: NONE, event }
    }

    /// Its place in the order.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// The most buckets there may be: half a word tells their places, which then need no comparison with a length.
const MAX_BUCKETS: usize = 1 << u16::BITS;
/// As many words of 64.
const WORDS: usize = MAX_BUCKETS / 64;

/// The bucket of a day.
#[inline(always)]
fn bucket_of(day: u64, mask: u16) -> usize {
    usize::from(day as u16 & mask)
}

/// A word's last bucket, which stands for the first in use where none is.
const LAST_BUCKET: u64 = 1 << 63;

/// Pending events.
pub struct Calendar<E> {
    nodes: Vec<Node<E>>,
    free: u32,
    /// The first event of each bucket. In use are one more than the mask, a power of two.
    heads: Box<[u32; MAX_BUCKETS]>,
    mask: u16,
    /// One bit a bucket, set where it holds any. Few words in a row are empty: the width of a bucket sees to it.
    used: Box<[u64; WORDS]>,
    /// Width of a bucket is `1 << shift`.
    shift: u32,
    /// The place of the word of the last event taken, and how many such words lie before it in time: nothing does.
    word: usize,
    began: u64,
    /// Number of the first bucket beyond the last.
    end_day: u64,
    /// The first bucket in use of that word, or its last, and the first of that bucket.
    first_day: u64,
    first: u32,
    /// The last of that bucket where it holds several and is sorted.
    tail: u32,
    /// Room to sort them in.
    several: Vec<(Key, u32, u32)>,
    /// Events beyond the last bucket: key, order of insertion, node.
    far: BinaryHeap<Reverse<(Key, u64, u32)>>,
    far_count: u64,
    /// Time of the first of them.
    far_time: Time,
    /// No event after this is to be taken; from this moment on the first in the buckets is not taken without a further look.
    last: Time,
    stop: Time,
    tuning: Tuning,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar.
    pub fn new() -> Calendar<E> {
        let mut calendar = Calendar {
            nodes: Vec::new(),
            free: NONE,
            // Zeros cost nothing where they are not used.
            heads: vec![0; MAX_BUCKETS].try_into().expect("so many were made"),
            mask: 0,
            used: Box::new([0; WORDS]),
            shift: 16,
            word: 0,
            began: 0,
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
            tuning: Tuning { left: 1024, events: 1024, since: Time::ZERO },
        };
        calendar.lay_out(MIN_BUCKETS, Time::ZERO);
        calendar
    }

    /// Events pending. Counts the places that are free.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.list(self.free).count()
    }

    /// Whether none is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<E>>()
            + size_of_val(self.heads())
            + self.far.capacity() * size_of::<(Key, u64, u32)>()
    }

    /// Adds an event. It must not lie before the last one taken.
    #[inline(always)]
    pub fn push(&mut self, key: Key, event: E) {
        let index = self.free;
        let Some(node) = self.nodes.get_mut(index as usize) else {
            return self.push_new(Node::new(key, event));
        };
        self.free = node.next;
        let day = key.time.0 >> self.shift;
        *node = Node::new(key, event);
        if day <= self.first_day {
            if self.tail != NONE {
                return self.place(index, key.time);
            }
            (self.first, self.first_day) = (index, day);
        } else if day >= self.end_day {
            return self.place_far(index);
        }
        let bucket = bucket_of(day, self.mask);
        node.next = std::mem::replace(&mut self.heads[bucket], index);
        self.used[bucket / 64] |= 1 << (bucket % 64);
    }

    /// The same where no place is free.
    #[cold]
    #[inline(never)]
    fn push_new(&mut self, node: Node<E>) {
        let (index, time) = (self.nodes.len() as u32, node.time);
        self.nodes.push(node);
        self.place(index, time);
    }

    /// Takes the first event, unless it lies after `last`.
    pub fn pop_until(&mut self, last: Time) -> Option<(Key, E)> {
        self.stop_after(last);
        let node = self.unlink_first()?;
        let taken = (node.key(), node.event);
        self.note_taken(1, taken.0.time);
        Some(taken)
    }

    /// No event that lies after `last` is to be taken.
    pub fn stop_after(&mut self, last: Time) {
        self.last = last;
        self.find_stop();
    }

    fn find_stop(&mut self) {
        self.stop = self.far_time.min(Time(self.last.0.saturating_add(1)));
    }

    /// Takes the first event, unless it lies after the moment that [`Calendar::stop_after`] was told. Who takes events this way counts
    /// them for [`Calendar::note_taken`].
    #[inline(always)]
    pub fn unlink_first(&mut self) -> Option<&Node<E>> {
        let index = self.first;
        let Some(first) = self.nodes.get(index as usize) else { return self.unlink_later() };
        if first.next != NONE {
            return self.unlink_one_of_several();
        }
        if first.time >= self.stop {
            return self.unlink_stopped();
        }
        let node = self.nodes.get_mut(index as usize)?;
        node.next = self.free;
        self.free = index;
        self.heads[bucket_of(self.first_day, self.mask)] = NONE;
        let used = &mut self.used[self.word % WORDS];
        *used &= *used - 1;
        let next = (*used | LAST_BUCKET).trailing_zeros();
        self.first_day = self.began | u64::from(next);
        self.first = self.heads[bucket_of(self.first_day, self.mask)];
        Some(node)
    }

    /// The key of the first event.
    pub fn first_key(&mut self) -> Option<Key> {
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

    /// The heads of the buckets in use.
    fn heads(&self) -> &[u32] {
        &self.heads[..=usize::from(self.mask)]
    }

    /// Whether the first of the far events comes before `key`. At equal keys it does, because it was put in first: the window
    /// only moves forward.
    fn is_behind_far(&self, key: Key) -> bool {
        self.far.peek().is_some_and(|Reverse((far, ..))| !key.precedes(far))
    }

    /// Moves on to the word of an event that was taken.
    #[inline(always)]
    fn turn_to(&mut self, time: Time) {
        self.began = time.0 >> self.shift & !63;
        self.word = bucket_of(self.began, self.mask) / 64;
        self.end_day = self.began + self.heads().len() as u64;
        self.find_first();
    }

    /// All pending events, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &E)> {
        let in_buckets = self.heads().iter().flat_map(|head| self.list(*head));
        let far = self.far.iter().map(|Reverse((_, _, index))| *index);
        in_buckets.chain(far).map(|index| {
            let node = &self.nodes[index as usize];
            (node.key(), &node.event)
        })
    }

    #[cold]
    #[inline(never)]
    fn place_far(&mut self, index: u32) {
        let key = self.nodes[index as usize].key();
        self.far.push(Reverse((key, self.far_count, index)));
        self.far_count += 1;
        self.far_time = self.far_time.min(key.time);
        self.find_stop();
    }
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Calendar::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(time: u64, birth: u64, component: u32) -> Key {
        Key { time: Time(time), birth: Time(birth), component }
    }

    #[test]
    fn time_then_birth_then_component_then_first_in() {
        let mut calendar = Calendar::new();
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
    fn what_lies_after_the_last_moment_stays() {
        let mut calendar = Calendar::new();
        calendar.push(key(10, 0, 0), 'a');
        calendar.push(key(1 << 50, 0, 0), 'b');
        assert_eq!(calendar.pop_until(Time(9)), None);
        assert_eq!(calendar.pop_until(Time(10)).map(|(_, e)| e), Some('a'));
        assert_eq!(calendar.pop_until(Time(10)), None);
        assert_eq!(calendar.iter().map(|(_, e)| *e).collect::<Vec<_>>(), ['b']);
    }

    /// More than there are buckets for, in two crowds and some far away, added to while they are taken.
    #[test]
    fn many_come_in_order() {
        let mut calendar = Calendar::new();
        let (mut drawn, mut pushed, mut taken, mut most) = (1u64, 0, Vec::new(), 0);
        let mut draw = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            drawn >> 33
        };
        let mut push = |to: &mut Calendar<u64>, now: u64| {
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
        /// Against a plain sorted list, through many retunings: steps from nanoseconds to minutes.
        #[test]
        fn equals_a_sorted_list(
            steps in proptest::collection::vec((0u32..38, any::<u16>(), 0u64..3, 0u32..3), 1..60),
            rounds in 1usize..900,
        ) {
            let mut calendar = Calendar::new();
            let mut list: Vec<(Key, usize)> = Vec::new();
            let mut now = 0;
            let mut next = 0;
            for round in 0..rounds {
                // Whoever looks at the first event may add one that comes before it.
                prop_assert_eq!(calendar.first_key(), list.first().map(|first| first.0));
                for (magnitude, fraction, birth, component) in &steps {
                    let step = (u64::from(*fraction) << magnitude) >> 16;
                    let k = key(now + step, *birth, *component);
                    calendar.push(k, next);
                    list.insert(list.partition_point(|(other, _)| *other <= k), (k, next));
                    next += 1;
                }
                let take = if round + 1 == rounds { list.len() } else { list.len().min(steps.len()) };
                for expected in list.drain(..take) {
                    prop_assert_eq!(calendar.pop_until(Time::NEVER), Some(expected));
                    now = expected.0.time.0;
                }
                if list.len() > 3000 { break; }
            }
        }
    }
}
