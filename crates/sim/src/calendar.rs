//! The calendar: pending events in total order.
//!
//! Reference: Brown, "Calendar queues" (CACM 1988). Buckets of equal width, each sorted, with a bitmap of
//! the ones in use; network events arrive nearly in order, so nearly all are appended at a bucket's end.
//! Widths are in the unit of the moments' numbers, nanoseconds or bits of doubles.
//! What lies beyond the last bucket (time-outs, mostly) waits in a heap. Width and number of buckets follow the
//! measured distance of events; they change the speed and nothing else, because the order is that of the
//! keys and, at equal keys, of insertion.

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
    next: u32,
    /// Of the first of a bucket: the last of it.
    tail: u32,
    /// What happens.
    pub event: E,
}

impl<E> Node<E> {
    #[inline]
    fn new(key: Key, event: E, place: u32) -> Node<E> {
        Node { time: key.time, birth: key.birth, component: key.component, next: NONE, tail: place, event }
    }

    /// Its place in the order.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// Sixty-four buckets, of each its first event, and one bit for each that is in use.
#[derive(Clone)]
struct Word {
    used: u64,
    heads: [u32; 64],
}

const UNUSED: Word = Word { used: 0, heads: [NONE; 64] };

/// Pending events.
pub struct Calendar<E> {
    nodes: Vec<Node<E>>,
    free: u32,
    /// The buckets; a power of two of words.
    words: Vec<Word>,
    /// One bit a word, set where one of its buckets is in use.
    used_words: Vec<u64>,
    /// Width of a bucket is `1 << shift`.
    shift: u32,
    /// The place of the word of the last event taken, and how many such words lie before it in time: nothing does.
    word: usize,
    turned: u64,
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
            words: Vec::new(),
            used_words: Vec::new(),
            shift: 16,
            word: 0,
            turned: 0,
            far: BinaryHeap::new(),
            far_count: 0,
            far_time: Time::NEVER,
            last: Time::NEVER,
            stop: Time::NEVER,
            tuning: Tuning { left: 1024, events: 1024, since: Time::ZERO },
        };
        calendar.lay_out(MIN_BUCKETS);
        calendar
    }

    /// Events pending. Counts the places that are free.
    pub fn len(&self) -> usize {
        let next = |place: u32| Some(place).filter(|place| *place != NONE);
        let free = std::iter::successors(next(self.free), |place| next(self.nodes[*place as usize].next));
        self.nodes.len() - free.count()
    }

    /// Whether none is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<E>>()
            + self.words.len() * size_of::<Word>()
            + self.far.capacity() * size_of::<(Key, u64, u32)>()
    }

    /// Adds an event. It must not lie before the last one taken.
    #[inline(always)]
    pub fn push(&mut self, key: Key, event: E) {
        let index = self.free;
        if let Some(node) = self.nodes.get_mut(index as usize) {
            self.free = node.next;
            *node = Node::new(key, event, index);
            self.place(index, key.time);
        } else {
            let last = self.nodes.len() as u32;
            self.nodes.push(Node::new(key, event, last));
            self.place(last, key.time);
        }
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
        let here = self.words.get(self.word)?;
        if here.used == 0 {
            return self.unlink_later();
        }
        let slot = here.used.trailing_zeros() as usize & 63;
        let index = here.heads[slot];
        let first = self.nodes.get(index as usize)?;
        if first.time >= self.stop {
            return self.unlink_stopped();
        }
        if first.next != NONE {
            return self.unlink_head();
        }
        // Both at once, so that neither is looked up again.
        let (word, node) = (self.words.get_mut(self.word)?, self.nodes.get_mut(index as usize)?);
        node.next = self.free;
        self.free = index;
        word.heads[slot] = NONE;
        word.used &= word.used - 1;
        if word.used == 0 {
            self.used_words[self.word >> 6] &= !(1 << (self.word & 63));
        }
        Some(node)
    }

    /// The key of the first event.
    pub fn first_key(&self) -> Option<Key> {
        let near = self.first_word().map(|word| {
            let word = &self.words[word];
            self.nodes[word.heads[word.used.trailing_zeros() as usize] as usize].key()
        });
        let far = self.far.peek().map(|Reverse((key, ..))| *key);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (one, other) => one.or(other),
        }
    }

    /// Whether the first of the far events comes before `key`. At equal keys it does, because it was put in first: the window
    /// only moves forward.
    fn is_behind_far(&self, key: Key) -> bool {
        self.far.peek().is_some_and(|Reverse((far, ..))| !key.precedes(far))
    }

    /// Moves on to the word of an event that was taken.
    #[inline(always)]
    fn turn_to(&mut self, time: Time) {
        self.turned = time.0 >> self.shift >> 6;
        self.word = self.turned as usize & (self.words.len() - 1);
    }

    /// All pending events, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &E)> {
        let heads = self.words.iter().flat_map(|word| word.heads);
        let in_buckets = heads.flat_map(move |head| {
            std::iter::successors((head != NONE).then_some(head), move |&index| {
                let next = self.nodes[index as usize].next;
                (next != NONE).then_some(next)
            })
        });
        let far = self.far.iter().map(|Reverse((_, _, index))| *index);
        in_buckets.chain(far).map(move |index| {
            let node = &self.nodes[index as usize];
            (node.key(), &node.event)
        })
    }

    /// Puts a node where its time belongs.
    #[inline(always)]
    fn place(&mut self, index: u32, time: Time) {
        let day = time.0 >> self.shift;
        if (day >> 6).wrapping_sub(self.turned) >= self.words.len() as u64 {
            return self.place_far(index);
        }
        let place = (day >> 6) as usize & (self.words.len() - 1);
        let word = &mut self.words[place];
        let head = &mut word.heads[day as usize & 63];
        if *head != NONE {
            let head = *head;
            return self.place_behind(head, index, (place, day as usize & 63));
        }
        *head = index;
        if word.used == 0 {
            self.used_words[place >> 6] |= 1 << (place & 63);
        }
        word.used |= 1 << (day & 63);
    }

    /// Puts a node among others, of which `head` is the first.
    #[inline(never)]
    fn place_behind(&mut self, head: u32, index: u32, bucket: (usize, usize)) {
        let key = self.nodes[index as usize].key();
        let last = self.nodes[head as usize].tail;
        let tail = &mut self.nodes[last as usize];
        if !key.precedes(&tail.key()) {
            tail.next = index;
            self.nodes[head as usize].tail = index;
        } else {
            self.insert_sorted(head, index, bucket);
        }
    }

    #[cold]
    fn place_far(&mut self, index: u32) {
        let key = self.nodes[index as usize].key();
        self.far.push(Reverse((key, self.far_count, index)));
        self.far_count += 1;
        self.far_time = self.far_time.min(key.time);
        self.find_stop();
    }

    fn insert_sorted(&mut self, head: u32, index: u32, (word, slot): (usize, usize)) {
        let key = self.nodes[index as usize].key();
        let mut before = NONE;
        let mut at = head;
        while !key.precedes(&self.nodes[at as usize].key()) {
            before = at;
            at = self.nodes[at as usize].next;
        }
        self.nodes[index as usize].next = at;
        if before == NONE {
            self.nodes[index as usize].tail = self.nodes[head as usize].tail;
            self.words[word].heads[slot] = index;
        } else {
            self.nodes[before as usize].next = index;
        }
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
