//! The reference event queue: a binary heap with sequence numbers.

use super::{Key, Pending};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use units::Time;

/// A pending event, with its number in the order of insertion.
struct NumberedEvent<E> {
    key: Key,
    number: u64,
    event: E,
}

/// Reversed, because [`BinaryHeap`] pops the greatest.
impl<E> Ord for NumberedEvent<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.key, other.number).cmp(&(self.key, self.number))
    }
}

impl<E> PartialOrd for NumberedEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for NumberedEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<E> Eq for NumberedEvent<E> {}

/// A binary heap of events. Takes O(log n) for each; simple enough to be checked by reading.
pub struct EventHeap<E> {
    heap: BinaryHeap<NumberedEvent<E>>,
    pushed: u64,
}

impl<E> Default for EventHeap<E> {
    fn default() -> Self {
        EventHeap { heap: BinaryHeap::new(), pushed: 0 }
    }
}

impl<E> Pending<E> for EventHeap<E> {
    fn push(&mut self, key: Key, event: E) {
        self.heap.push(NumberedEvent { key, number: self.pushed, event });
        self.pushed += 1;
    }

    fn pop_until(&mut self, last: Time) -> Option<(Key, E)> {
        let due = self.heap.peek().is_some_and(|first| first.key.time <= last);
        let first = if due { self.heap.pop() } else { None };
        first.map(|first| (first.key, first.event))
    }

    fn first_key(&mut self) -> Option<Key> {
        self.heap.peek().map(|first| first.key)
    }

    fn iter<'a>(&'a self) -> impl Iterator<Item = (Key, &'a E)>
    where
        E: 'a,
    {
        self.heap.iter().map(|one| (one.key, &one.event))
    }

    fn memory(&self) -> usize {
        self.heap.capacity() * size_of::<NumberedEvent<E>>()
    }
}
