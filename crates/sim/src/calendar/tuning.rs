//! How wide the calendar's buckets are, and how many: chosen anew now and then from the distance of events.

use super::{Calendar, MAX_BUCKETS, NONE};
use std::cmp::Reverse;
use units::Time;

/// What the next choice of width and number of buckets rests on.
pub(super) struct Tuning {
    pub(super) left: u32,
    /// So many events since then, when none is left.
    pub(super) events: u32,
    pub(super) since: Time,
}

const TUNE_EVERY: u32 = 16_384;
pub(super) const MIN_BUCKETS: usize = 4096;

impl<E: Copy> Calendar<E> {
    /// How many events may be taken until [`Calendar::note_taken`] is to be told.
    pub fn until_tuning(&self) -> u32 {
        self.tuning.left
    }

    /// So many events were taken, the last at `now`: now and then width and number of buckets are chosen anew.
    pub fn note_taken(&mut self, events: u32, now: Time) {
        self.tuning.left = self.tuning.left.saturating_sub(events);
        if self.tuning.left == 0 {
            self.tune(now);
        }
    }

    /// Chooses a width by the distance of events, narrow while few are pending, and buckets for a few times those, wider ones where there cannot
    /// be so many.
    fn tune(&mut self, now: Time) {
        let gap = ((now.0 - self.tuning.since.0) / u64::from(self.tuning.events)).max(1);
        self.tuning = Tuning { left: TUNE_EVERY, events: TUNE_EVERY, since: now };
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
        self.lay_out(buckets, now);
        // Far events went in before any near one with the same key; a stable sort keeps them first.
        let mut all: Vec<u32> = far.into_iter().map(|Reverse((_, _, index))| index).collect();
        all.extend(order);
        all.sort_by_key(|index| self.nodes[*index as usize].key());
        for index in all {
            self.place(index, self.nodes[index as usize].time);
        }
    }

    pub(super) fn lay_out(&mut self, buckets: usize, now: Time) {
        self.heads[..buckets].fill(NONE);
        self.used[..buckets / 64].fill(0);
        self.mask = (buckets - 1) as u16;
        self.turn_to(now);
    }
}
