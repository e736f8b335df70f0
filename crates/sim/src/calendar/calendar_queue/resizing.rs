//! Width and number of the buckets, which follow the distance of events.

use super::{CalendarQueue, MAX_BUCKETS, NONE};
use std::cmp::Reverse;
use units::Time;

/// The data for the next choice of width and number of buckets.
pub(super) struct Resizing {
    pub(super) left: u32,
    /// Events between two choices.
    pub(super) events: u32,
    pub(super) since: Time,
}

const TUNE_EVERY: u32 = 16_384;
pub(super) const MIN_BUCKETS: usize = 4096;

impl<E: Copy> CalendarQueue<E> {
    /// Events that may be popped until [`CalendarQueue::note_popped`] has to be called.
    pub fn until_resize(&self) -> u32 {
        self.resizing.left
    }

    /// This many events were popped, the last at `now`. Resizes the buckets from time to time.
    pub fn note_popped(&mut self, events: u32, now: Time) {
        self.resizing.left = self.resizing.left.saturating_sub(events);
        if self.resizing.left == 0 {
            self.resize_if_needed(now);
        }
    }

    /// Chooses the width by the distance of events, narrower while few are pending, and a multiple of the pending
    /// events as the number of buckets, with wider buckets if that exceeds the maximum.
    fn resize_if_needed(&mut self, now: Time) {
        let gap = ((now.0 - self.resizing.since.0) / u64::from(self.resizing.events)).max(1);
        self.resizing = Resizing { left: TUNE_EVERY, events: TUNE_EVERY, since: now };
        let len = self.len();
        let narrow = if len <= MIN_BUCKETS / 16 { 1 } else { 0 };
        let wanted = ((4 * len) << narrow).next_power_of_two();
        let wide = (wanted / MAX_BUCKETS).max(1).ilog2();
        let shift = (gap.ilog2().saturating_sub(narrow) + wide).clamp(4, 40);
        let buckets = wanted.clamp(MIN_BUCKETS, MAX_BUCKETS);
        let present = self.heads().len();
        let fits = present / 4 <= buckets && buckets <= present;
        if shift.abs_diff(self.shift) > 1 || !fits {
            self.shift = shift;
            self.rebuild(buckets, now);
        }
    }

    fn rebuild(&mut self, buckets: usize, now: Time) {
        let old = self.heads().to_vec();
        let mut order: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for head in old {
            let from = order.len();
            order.extend(self.list(head));
            if self.tail == NONE || head != self.first {
                order[from..].reverse();
            }
        }
        self.tail = NONE;
        let mut far: Vec<_> = std::mem::take(&mut self.far).into_vec();
        far.sort_unstable_by_key(|Reverse((key, count, _))| (*key, *count));
        self.far_time = Time::NEVER;
        self.stop_after(self.last);
        self.reset(buckets, now);
        // A far event was inserted before any near one with the same key; the stable sort keeps it first.
        let mut all: Vec<u32> = far.into_iter().map(|Reverse((_, _, index))| index).collect();
        all.extend(order);
        all.sort_by_key(|index| self.nodes[*index as usize].key());
        for index in all {
            self.insert(index, self.nodes[index as usize].time);
        }
    }

    pub(super) fn reset(&mut self, buckets: usize, now: Time) {
        self.heads[..buckets].fill(NONE);
        self.used[..buckets / 64].fill(0);
        self.mask = (buckets - 1) as u16;
        self.move_to(now);
    }
}
