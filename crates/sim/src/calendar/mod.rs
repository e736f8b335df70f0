//! The event queue: pending events in total order.
//!
//! | module | holds |
//! |---|---|
//! | [`Key`] | the order of events |
//! | [`Pending`] | the interface of an event queue |
//! | `event_heap` | the reference: a binary heap; the plain engine uses it |
//! | `calendar_queue` | the same order, faster; the fast engine uses it |

mod calendar_queue;
mod event_heap;

pub use calendar_queue::{CalendarQueue, Node};
pub use event_heap::EventHeap;
use std::cmp::Ordering;
use units::Time;

/// The order of events: time, birth, component (see `docs/decisions/002-order-of-events.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// When it happens.
    pub time: Time,
    /// When it was caused; timers, which come last at equal times, have [`Time::NEVER`].
    pub birth: Time,
    /// The component that caused it.
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
    /// `self < other`, written out because nearly every comparison is decided by the time.
    #[inline]
    pub fn precedes(&self, other: &Key) -> bool {
        if self.time != other.time {
            return self.time < other.time;
        }
        (self.birth, self.component) < (other.birth, other.component)
    }
}

/// Pending events in the order of their keys; events with equal keys come first in, first out.
pub trait Pending<E>: Default {
    /// Adds an event, which must not precede the last one popped.
    fn push(&mut self, key: Key, event: E);

    /// Removes and returns the first event, unless it is after `last`.
    fn pop_until(&mut self, last: Time) -> Option<(Key, E)>;

    /// The key of the first event.
    fn first_key(&mut self) -> Option<Key>;

    /// All pending events, in no particular order.
    fn iter<'a>(&'a self) -> impl Iterator<Item = (Key, &'a E)>
    where
        E: 'a;

    /// Bytes allocated.
    fn memory(&self) -> usize;
}
