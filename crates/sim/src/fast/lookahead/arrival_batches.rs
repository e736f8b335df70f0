//! Future arrivals at one link, sorted in batches: buckets by time, each sorted when it is opened.
//!
//! Reference: Ronngren, Riboe & Ayani, "Lazy queue" (1991): the far future is only collected. Here a bucket is opened
//! once nothing can be added to it any more, which the caller knows from the minimum time of a round trip. If a bucket
//! has to be opened sooner, later additions are inserted in order. Arrivals too far in the future are refused and go to
//! the event queue. The width of buckets affects the speed alone.

mod sort;

use crate::calendar::Key;
use crate::packet::Pkt;
use std::ops::Range;
use units::Time;

/// A packet with the time of its arrival.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PendingArrival {
    /// When it arrives.
    pub time: Time,
    birth: Time,
    component: u32,
    /// The packet.
    pub pkt: Pkt,
}

impl PendingArrival {
    /// A packet that arrives at `key`.
    #[inline(always)]
    fn new(key: Key, pkt: Pkt) -> PendingArrival {
        PendingArrival { time: key.time, birth: key.birth, component: key.component, pkt }
    }

    /// Its key.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// A bucket stores its packets in chunks of this many.
const CHUNK: u32 = 32;
const NONE: u32 = u32::MAX;
/// Packets a bucket should hold under load, and the fewest with which batches pay off.
const TARGET_PER_BUCKET: u64 = 96;
const MIN_PER_BUCKET: u64 = 16;
/// Offsets within a bucket have to fit 32 bits.
const MAX_SHIFT: u32 = 32;
/// Time covered by all buckets, in nanoseconds, unless that takes too many.
const HORIZON_NS: u64 = 500_000_000;
const MAX_BUCKETS_AHEAD: u64 = 1 << 18;

/// The first chunk of a bucket, and the index after its last packet, which is a multiple of the chunk if a new one is
/// needed.
#[derive(Clone, Copy, Default)]
struct Bucket {
    first: u32,
    end: u32,
}

const EMPTY: Bucket = Bucket { first: NONE, end: 0 };

/// Packets in flight to one link.
#[derive(Default)]
pub struct ArrivalBatches {
    arrivals: Vec<PendingArrival>,
    /// The chunk after each chunk, in its bucket or in the free list.
    next_chunk: Vec<u32>,
    free: u32,
    /// The buckets by day modulo their number, a power of two; empty while batches are off.
    buckets: Vec<Bucket>,
    /// One bit per bucket, set if it is not empty.
    used: Vec<u64>,
    /// A day is `1 << shift` nanoseconds.
    shift: u32,
    /// The day of the open bucket.
    day: u64,
    /// Its packets in order: offset from the beginning of the day (upper half) and index.
    order: Vec<u64>,
    /// Buffer for sorting.
    unsorted: Vec<u64>,
    /// How many of them were taken.
    at: usize,
    open_bucket: Bucket,
    /// How many days ahead a packet may arrive.
    reach: u64,
}

impl ArrivalBatches {
    /// Whether buckets no wider than `ahead`, the time in nanoseconds for which all arrivals are known, hold enough
    /// packets for a batch to pay off, if packets arrive `gap` nanoseconds apart under load.
    pub fn pays_off(gap: u64, ahead: u64) -> bool {
        1 << ArrivalBatches::shift(gap, ahead) >= gap * MIN_PER_BUCKET
    }

    fn shift(gap: u64, ahead: u64) -> u32 {
        ahead.min(TARGET_PER_BUCKET * gap).max(1).ilog2().min(MAX_SHIFT)
    }

    /// Switches batches on where they are eligible.
    pub fn enable(&mut self, gap: u64, ahead: u64) {
        self.shift = ArrivalBatches::shift(gap, ahead);
        let buckets = (HORIZON_NS >> self.shift).next_power_of_two().clamp(64, MAX_BUCKETS_AHEAD) as usize;
        (self.free, self.open_bucket) = (NONE, EMPTY);
        self.buckets = vec![EMPTY; buckets];
        self.used = vec![0; buckets / 64];
        self.reach = buckets as u64 - 1;
    }

    /// Adds a packet, which must not precede the last one taken. Returns false if it arrives too far in the future.
    #[inline(always)]
    pub fn push(&mut self, key: Key, pkt: Pkt) -> bool {
        let day = key.time.0 >> self.shift;
        if day.wrapping_sub(self.day + 1) >= self.reach {
            return self.push_slow(key, &Pkt { ..pkt });
        }
        let number = day as usize & (self.buckets.len() - 1);
        let mut place = self.buckets[number].end;
        if place % CHUNK == 0 {
            place = self.add_chunk(number);
        }
        self.arrivals[place as usize] = PendingArrival::new(key, pkt);
        self.buckets[number].end = place + 1;
        true
    }

    /// Adds a chunk to a bucket. Returns the index of its first place.
    #[inline(never)]
    fn add_chunk(&mut self, number: usize) -> u32 {
        self.used[number / 64] |= 1 << (number % 64);
        self.buckets[number] = self.with_chunk(self.buckets[number]);
        self.buckets[number].end
    }

    /// A full bucket with one more chunk.
    #[inline(always)]
    fn with_chunk(&mut self, bucket: Bucket) -> Bucket {
        let mut chunk = self.free;
        match self.next_chunk.get(chunk as usize) {
            Some(next) => self.free = *next,
            None => {
                chunk = self.next_chunk.len() as u32;
                self.next_chunk.push(NONE);
                let filler = PendingArrival {
                    time: Time::ZERO,
                    birth: Time::ZERO,
                    component: 0,
                    pkt: Pkt::event(0, 0),
                };
                self.arrivals.resize(self.arrivals.len() + CHUNK as usize, filler);
            }
        }
        self.next_chunk[chunk as usize] = NONE;
        let end = chunk * CHUNK;
        if bucket.first == NONE {
            return Bucket { first: chunk, end };
        }
        self.next_chunk[(bucket.end as usize - 1) / CHUNK as usize] = chunk;
        Bucket { end, ..bucket }
    }

    /// The slow path of [`ArrivalBatches::push`], outside the range of the buckets, which move there if they are all
    /// empty.
    #[inline(never)]
    fn push_slow(&mut self, key: Key, pkt: &Pkt) -> bool {
        let day = key.time.0 >> self.shift;
        if self.buckets.is_empty() {
            return false;
        }
        if day <= self.day {
            self.insert(key, pkt);
            return true;
        }
        let empty = self.at == self.order.len() && self.used.iter().all(|word| *word == 0);
        if !empty {
            return false;
        }
        self.day = day - 1;
        self.push(key, *pkt)
    }

    /// Inserts a packet into the open bucket, in order.
    fn insert(&mut self, key: Key, pkt: &Pkt) {
        if self.open_bucket.end % CHUNK == 0 {
            self.open_bucket = self.with_chunk(self.open_bucket);
        }
        let place = self.open_bucket.end;
        self.open_bucket.end += 1;
        self.arrivals[place as usize] = PendingArrival::new(key, *pkt);
        let arrivals = &self.arrivals;
        let before = |word: &u64| arrivals[*word as u32 as usize].key() <= key;
        let at = self.at + self.order[self.at..].partition_point(before);
        // The offset is not needed any more: the bucket is sorted.
        self.order.insert(at, u64::from(place));
    }

    /// The next packet, if it arrives before `until`. All arrivals before `known` are known.
    #[inline(always)]
    pub fn next_before(&mut self, known: Time, until: Time) -> Option<&PendingArrival> {
        let mut next = self.order.get(self.at);
        if next.is_none() {
            if !self.open_before(known) {
                return None;
            }
            next = self.order.first();
        }
        let next = self.arrivals.get(*next? as u32 as usize)?;
        if next.time >= until {
            return None;
        }
        self.at += 1;
        Some(next)
    }

    /// Opens the next bucket if it ends before `known`, so that nothing can be added to it.
    #[inline(never)]
    fn open_before(&mut self, known: Time) -> bool {
        match self.next_day() {
            Some(day) if (day + 1) << self.shift <= known.0 => {
                self.move_to(day);
                true
            }
            _ => false,
        }
    }

    /// A lower bound of the next arrival.
    pub fn earliest(&self) -> Time {
        match self.order.get(self.at) {
            Some(next) => self.arrivals[*next as u32 as usize].time,
            None => self.next_day().map_or(Time::NEVER, |day| Time(day << self.shift)),
        }
    }

    /// The key of the first arrival, unless it is after `until`.
    pub fn first_until(&mut self, until: Time) -> Option<Key> {
        if self.at == self.order.len() {
            let day = self.next_day().filter(|day| day << self.shift <= until.0)?;
            self.move_to(day);
        }
        let first = &self.arrivals[*self.order.get(self.at)? as u32 as usize];
        (first.time <= until).then(|| first.key())
    }

    /// The day of the next bucket in use.
    #[inline]
    fn next_day(&self) -> Option<u64> {
        let next = (self.day as usize + 1) & (self.buckets.len() - 1);
        if self.buckets[next].first != NONE {
            return Some(self.day + 1);
        }
        self.later_day(next)
    }

    /// The same if the bucket of the next day is empty; `from` is its index.
    #[inline(never)]
    fn later_day(&self, from: usize) -> Option<u64> {
        let (mask, words) = (self.buckets.len() - 1, self.used.len());
        for i in 0..=words {
            let word = (from / 64 + i) % words;
            let mut bits = self.used[word];
            if i == 0 {
                bits &= u64::MAX << (from % 64);
            } else if i == words {
                bits &= !(u64::MAX << (from % 64));
            }
            if bits != 0 {
                let number = 64 * word + bits.trailing_zeros() as usize;
                return Some(self.day + 1 + (number.wrapping_sub(from) & mask) as u64);
            }
        }
        None
    }

    /// Opens the bucket of this day; the open one is empty.
    fn move_to(&mut self, day: u64) {
        self.close();
        let number = day as usize & (self.buckets.len() - 1);
        self.open_bucket = std::mem::replace(&mut self.buckets[number], EMPTY);
        self.used[number / 64] &= !(1 << (number % 64));
        (self.day, self.at) = (day, 0);
        let start = day << self.shift;
        self.unsorted.clear();
        for places in chunks(&self.next_chunk, self.open_bucket) {
            let held = self.arrivals[places.clone()].iter().zip(places);
            self.unsorted
                .extend(held.map(|(arrivals, place)| (arrivals.time.0 - start) << 32 | place as u64));
        }
        if sort::sort(&self.unsorted, self.shift, &mut self.order) {
            self.order_ties();
        }
    }

    /// Orders packets that arrive at the same time.
    #[cold]
    #[inline(never)]
    fn order_ties(&mut self) {
        let places: Vec<Range<usize>> = chunks(&self.next_chunk, self.open_bucket).collect();
        let came = |place: u32| (places.iter().position(|chunk| chunk.contains(&(place as usize))), place);
        let arrivals = &self.arrivals;
        self.order.sort_by_cached_key(|word| (arrivals[*word as u32 as usize].key(), came(*word as u32)));
    }

    /// Frees the chunks of the open bucket, which is empty.
    fn close(&mut self) {
        self.order.clear();
        let Bucket { first, end } = std::mem::replace(&mut self.open_bucket, EMPTY);
        if first != NONE {
            self.next_chunk[(end as usize - 1) / CHUNK as usize] = self.free;
            self.free = first;
        }
    }

    /// All packets, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &PendingArrival> {
        let open = self.order[self.at..].iter().map(|word| &self.arrivals[*word as u32 as usize]);
        let ahead = self.buckets.iter().flat_map(|bucket| chunks(&self.next_chunk, *bucket));
        open.chain(ahead.flat_map(|places| &self.arrivals[places]))
    }

    /// Removes all packets, in order.
    pub fn take_all(&mut self) -> Vec<PendingArrival> {
        let mut all: Vec<PendingArrival> = self.iter().copied().collect();
        all.sort_by_key(PendingArrival::key);
        *self = ArrivalBatches::default();
        all
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        self.arrivals.capacity() * size_of::<PendingArrival>() + self.buckets.len() * size_of::<Bucket>()
    }
}

/// The index ranges of a bucket's packets, chunk by chunk.
fn chunks(next_chunk: &[u32], bucket: Bucket) -> impl Iterator<Item = Range<usize>> + '_ {
    let some = |chunk: u32| Some(chunk).filter(|chunk| *chunk != NONE);
    let numbers = std::iter::successors(some(bucket.first), move |chunk| some(next_chunk[*chunk as usize]));
    let last = bucket.end.wrapping_sub(1) / CHUNK;
    numbers.map(move |chunk| {
        let past = if chunk == last { bucket.end } else { (chunk + 1) * CHUNK };
        (chunk * CHUNK) as usize..past as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(time: u64, birth: u64, component: u32) -> Key {
        Key { time: Time(time), birth: Time(birth), component }
    }

    proptest! {
        /// Against a sorted list, also if buckets are opened before they are complete.
        #[test]
        fn equals_a_sorted_list(
            rounds in proptest::collection::vec(
                (proptest::collection::vec((0u64..4000, 0u64..3, 0u32..3), 0..60), 0u64..1500, 0u64..1500, any::<bool>()),
                1..60,
            ),
            finer in 1u64..4,
            jumps in any::<bool>(),
        ) {
            let mut batches = ArrivalBatches::default();
            prop_assert!(ArrivalBatches::pays_off(10, 512));
            batches.enable(10, 512);
            let mut list: Vec<(Key, u32)> = Vec::new();
            let (mut now, mut next) = (0, 0);
            for (pushed, known, until, looks) in rounds {
                for (ahead, birth, component) in pushed {
                    let k = key(now + ahead / finer, birth, component);
                    prop_assert!(batches.push(k, Pkt::event(0, next)));
                    list.insert(list.partition_point(|(other, _)| *other <= k), (k, next));
                    next += 1;
                }
                let (known, until) = (now + known, now + until);
                let first = list.first().map(|first| first.0);
                prop_assert!(first.is_none_or(|first| batches.earliest() <= first.time));
                if looks {
                    let expected = first.filter(|first| first.time.0 <= until);
                    prop_assert_eq!(batches.first_until(Time(until)), expected);
                }
                while let Some(arrivals) = batches.next_before(Time(known), Time(until)) {
                    prop_assert_eq!((arrivals.key(), arrivals.pkt.flow), list.remove(0));
                    now = arrivals.time.0;
                }
                // All known arrivals are taken.
                let past = Time(known.saturating_sub(511).min(until));
                prop_assert!(list.first().is_none_or(|(left, _)| left.time >= past));
                if jumps && list.is_empty() {
                    now += 1_000_000_000;
                }
            }
            let held: Vec<u32> = batches.take_all().iter().map(|arrivals| arrivals.pkt.flow).collect();
            prop_assert_eq!(held, list.iter().map(|(_, number)| *number).collect::<Vec<_>>());
        }
    }

    #[test]
    fn times_too_far_ahead_are_refused() {
        let mut batches = ArrivalBatches::default();
        assert!(!ArrivalBatches::pays_off(100, 512) && ArrivalBatches::pays_off(10, 512));
        batches.enable(10, 512);
        assert!(batches.push(key(1, 0, 0), Pkt::event(0, 0)));
        assert!(!batches.push(key(HORIZON_NS << 2, 0, 0), Pkt::event(0, 1)));
        assert_eq!(batches.take_all().len(), 1);
    }
}
