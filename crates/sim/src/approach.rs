//! Packets on their way to one link, in the order of keys: bins by time, each sorted when its turn comes.
//!
//! Reference: Ronngren, Riboe & Ayani, "Lazy queue" (1991): what lies ahead is only collected. Here a bin is opened when nothing can be
//! added to it any more, which a driver knows that knows how long packets take to come round. Where one has to be opened sooner, what still
//! comes is put where it belongs. What lies too far ahead is refused and belongs into the calendar. Widths change the speed and nothing else.

mod sort;

use crate::calendar::Key;
use crate::packet::Pkt;
use std::ops::Range;
use units::Time;

/// A packet, and when it arrives.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Coming {
    /// When it arrives.
    pub time: Time,
    birth: Time,
    component: u32,
    /// The packet.
    pub pkt: Pkt,
}

impl Coming {
    /// A packet that arrives at `key`.
    #[inline(always)]
    fn new(key: Key, pkt: Pkt) -> Coming {
        Coming { time: key.time, birth: key.birth, component: key.component, pkt }
    }

    /// Its place in the order.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key { time: self.time, birth: self.birth, component: self.component }
    }
}

/// The packets of a bin lie in chunks of so many.
const CHUNK: u32 = 32;
const NONE: u32 = u32::MAX;
/// A bin is to hold so many where many come, and is worth its while with so many.
const WANTED: u64 = 96;
const LEAST: u64 = 16;
/// Offsets in a bin must fit half a word.
const WIDEST: u32 = 32;
/// All bins together hold so many nanoseconds, unless they are too many.
const FARTHEST: u64 = 500_000_000;
const MOST_BINS: u64 = 1 << 18;

/// Its first chunk, and the place behind its last packet: at the beginning of a chunk if there is none left.
#[derive(Clone, Copy, Default)]
struct Bin {
    first: u32,
    end: u32,
}

const EMPTY: Bin = Bin { first: NONE, end: 0 };

/// What approaches a link.
#[derive(Default)]
pub struct Approach {
    coming: Vec<Coming>,
    /// Of each chunk the one behind it, in its bin or among those that are free.
    behind: Vec<u32>,
    free: u32,
    /// The bins by number of their day, taken round: a power of two, or none while this is not in use.
    bins: Vec<Bin>,
    /// One bit a bin, set where it holds packets.
    used: Vec<u64>,
    /// A day is `1 << shift` nanoseconds long.
    shift: u32,
    /// The day of the open bin.
    day: u64,
    /// Its packets in their order: by how much they come after its beginning, then their places.
    order: Vec<u64>,
    /// Room to sort them.
    unsorted: Vec<u64>,
    /// So many of them were taken.
    at: usize,
    opened: Bin,
    /// How many days ahead a packet may lie.
    reach: u64,
}

impl Approach {
    /// Begins to take packets, which come a `gap` of nanoseconds apart where many do. Bins are no wider than the time for which all
    /// that come are known, `ahead`. False if that is too short to hold many.
    pub fn open(&mut self, gap: u64, ahead: u64) -> bool {
        self.shift = ahead.min(WANTED * gap).max(1).ilog2().min(WIDEST);
        if 1 << self.shift < gap * LEAST {
            return false;
        }
        let bins = (FARTHEST >> self.shift).next_power_of_two().clamp(64, MOST_BINS) as usize;
        (self.free, self.opened) = (NONE, EMPTY);
        self.bins = vec![EMPTY; bins];
        self.used = vec![0; bins / 64];
        self.reach = bins as u64 - 1;
        true
    }

    /// Adds a packet, unless it lies too far ahead. It must not lie before the last one taken.
    #[inline(always)]
    pub fn push(&mut self, key: Key, pkt: Pkt) -> bool {
        let day = key.time.0 >> self.shift;
        if day.wrapping_sub(self.day + 1) >= self.reach {
            return self.push_apart(key, &Pkt { ..pkt });
        }
        let number = day as usize & (self.bins.len() - 1);
        let mut place = self.bins[number].end;
        if place % CHUNK == 0 {
            place = self.lengthen(number);
        }
        self.coming[place as usize] = Coming::new(key, pkt);
        self.bins[number].end = place + 1;
        true
    }

    /// A bin needs one more chunk: its first place.
    #[inline(never)]
    fn lengthen(&mut self, number: usize) -> u32 {
        self.used[number / 64] |= 1 << (number % 64);
        self.bins[number] = self.with_chunk(self.bins[number]);
        self.bins[number].end
    }

    /// A full bin with one more chunk.
    #[inline(always)]
    fn with_chunk(&mut self, bin: Bin) -> Bin {
        let mut chunk = self.free;
        match self.behind.get(chunk as usize) {
            Some(next) => self.free = *next,
            None => {
                chunk = self.behind.len() as u32;
                self.behind.push(NONE);
                let filler =
                    Coming { time: Time::ZERO, birth: Time::ZERO, component: 0, pkt: Pkt::alarm(0, 0) };
                self.coming.resize(self.coming.len() + CHUNK as usize, filler);
            }
        }
        self.behind[chunk as usize] = NONE;
        let end = chunk * CHUNK;
        if bin.first == NONE {
            return Bin { first: chunk, end };
        }
        self.behind[(bin.end as usize - 1) / CHUNK as usize] = chunk;
        Bin { end, ..bin }
    }

    /// [`Approach::push`] of what lies outside the bins ahead: these move to it if nothing is in them.
    #[inline(never)]
    fn push_apart(&mut self, key: Key, pkt: &Pkt) -> bool {
        let day = key.time.0 >> self.shift;
        if self.bins.is_empty() {
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

    /// Puts a packet where it belongs among those of the open bin.
    fn insert(&mut self, key: Key, pkt: &Pkt) {
        if self.opened.end % CHUNK == 0 {
            self.opened = self.with_chunk(self.opened);
        }
        let place = self.opened.end;
        self.opened.end += 1;
        self.coming[place as usize] = Coming::new(key, *pkt);
        let coming = &self.coming;
        let before = |word: &u64| coming[*word as u32 as usize].key() <= key;
        let at = self.at + self.order[self.at..].partition_point(before);
        // The bin is sorted: by how much it comes after its beginning is of no use any more.
        self.order.insert(at, u64::from(place));
    }

    /// The next packet, if it comes before `until`. All that come before `known` are known.
    #[inline(always)]
    pub fn next_before(&mut self, known: Time, until: Time) -> Option<&Coming> {
        let mut next = self.order.get(self.at);
        if next.is_none() {
            if !self.turn_before(known) {
                return None;
            }
            next = self.order.first();
        }
        let next = self.coming.get(*next? as u32 as usize)?;
        if next.time >= until {
            return None;
        }
        self.at += 1;
        Some(next)
    }

    /// Opens the next bin if nothing can be added to it, because it ends before `known`.
    #[inline(never)]
    fn turn_before(&mut self, known: Time) -> bool {
        match self.next_day() {
            Some(day) if (day + 1) << self.shift <= known.0 => {
                self.turn_to(day);
                true
            }
            _ => false,
        }
    }

    /// None comes before then.
    pub fn earliest(&self) -> Time {
        match self.order.get(self.at) {
            Some(next) => self.coming[*next as u32 as usize].time,
            None => self.next_day().map_or(Time::NEVER, |day| Time(day << self.shift)),
        }
    }

    /// The key of the first, unless that comes after `until`.
    pub fn first_until(&mut self, until: Time) -> Option<Key> {
        if self.at == self.order.len() {
            let day = self.next_day().filter(|day| day << self.shift <= until.0)?;
            self.turn_to(day);
        }
        let first = &self.coming[*self.order.get(self.at)? as u32 as usize];
        (first.time <= until).then(|| first.key())
    }

    /// The day of the next bin in use.
    #[inline]
    fn next_day(&self) -> Option<u64> {
        let next = (self.day as usize + 1) & (self.bins.len() - 1);
        if self.bins[next].first != NONE {
            return Some(self.day + 1);
        }
        self.later_day(next)
    }

    /// The same where the bin of the next day is `from` and not in use.
    #[inline(never)]
    fn later_day(&self, from: usize) -> Option<u64> {
        let (mask, words) = (self.bins.len() - 1, self.used.len());
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

    /// The bin of this day is open from now on; the last one is empty.
    fn turn_to(&mut self, day: u64) {
        self.close();
        let number = day as usize & (self.bins.len() - 1);
        self.opened = std::mem::replace(&mut self.bins[number], EMPTY);
        self.used[number / 64] &= !(1 << (number % 64));
        (self.day, self.at) = (day, 0);
        let start = day << self.shift;
        self.unsorted.clear();
        for places in chunks(&self.behind, self.opened) {
            let held = self.coming[places.clone()].iter().zip(places);
            self.unsorted.extend(held.map(|(coming, place)| (coming.time.0 - start) << 32 | place as u64));
        }
        if sort::sort(&self.unsorted, self.shift, &mut self.order) {
            self.part_ties();
        }
    }

    /// Orders what arrives at the same moment.
    #[cold]
    #[inline(never)]
    fn part_ties(&mut self) {
        let places: Vec<Range<usize>> = chunks(&self.behind, self.opened).collect();
        let came = |place: u32| (places.iter().position(|chunk| chunk.contains(&(place as usize))), place);
        let coming = &self.coming;
        self.order.sort_by_cached_key(|word| (coming[*word as u32 as usize].key(), came(*word as u32)));
    }

    /// The chunks of the open bin, which is empty, are free.
    fn close(&mut self) {
        self.order.clear();
        let Bin { first, end } = std::mem::replace(&mut self.opened, EMPTY);
        if first != NONE {
            self.behind[(end as usize - 1) / CHUNK as usize] = self.free;
            self.free = first;
        }
    }

    /// All that approach, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Coming> {
        let open = self.order[self.at..].iter().map(|word| &self.coming[*word as u32 as usize]);
        let ahead = self.bins.iter().flat_map(|bin| chunks(&self.behind, *bin));
        open.chain(ahead.flat_map(|places| &self.coming[places]))
    }

    /// Gives all that approach away, in the order of keys.
    pub fn take_all(&mut self) -> Vec<Coming> {
        let mut all: Vec<Coming> = self.iter().copied().collect();
        all.sort_by_key(Coming::key);
        *self = Approach::default();
        all
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.coming.capacity() * size_of::<Coming>() + self.bins.len() * size_of::<Bin>()
    }
}

/// The places of a bin's packets, chunk by chunk.
fn chunks(behind: &[u32], bin: Bin) -> impl Iterator<Item = Range<usize>> + '_ {
    let some = |chunk: u32| Some(chunk).filter(|chunk| *chunk != NONE);
    let numbers = std::iter::successors(some(bin.first), move |chunk| some(behind[*chunk as usize]));
    let last = bin.end.wrapping_sub(1) / CHUNK;
    numbers.map(move |chunk| {
        let past = if chunk == last { bin.end } else { (chunk + 1) * CHUNK };
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
        /// Against a plain sorted list, wherever bins are opened before all is there.
        #[test]
        fn equals_a_sorted_list(
            rounds in proptest::collection::vec(
                (proptest::collection::vec((0u64..4000, 0u64..3, 0u32..3), 0..60), 0u64..1500, 0u64..1500, any::<bool>()),
                1..60,
            ),
            finer in 1u64..4,
            jumps in any::<bool>(),
        ) {
            let mut approach = Approach::default();
            prop_assert!(approach.open(10, 512));
            let mut list: Vec<(Key, u32)> = Vec::new();
            let (mut now, mut next) = (0, 0);
            for (pushed, known, until, looks) in rounds {
                for (ahead, birth, component) in pushed {
                    let k = key(now + ahead / finer, birth, component);
                    prop_assert!(approach.push(k, Pkt::alarm(0, next)));
                    list.insert(list.partition_point(|(other, _)| *other <= k), (k, next));
                    next += 1;
                }
                let (known, until) = (now + known, now + until);
                let first = list.first().map(|first| first.0);
                prop_assert!(first.is_none_or(|first| approach.earliest() <= first.time));
                if looks {
                    let expected = first.filter(|first| first.time.0 <= until);
                    prop_assert_eq!(approach.first_until(Time(until)), expected);
                }
                while let Some(coming) = approach.next_before(Time(known), Time(until)) {
                    prop_assert_eq!((coming.key(), coming.pkt.flow), list.remove(0));
                    now = coming.time.0;
                }
                // What is known is taken.
                let past = Time(known.saturating_sub(511).min(until));
                prop_assert!(list.first().is_none_or(|(left, _)| left.time >= past));
                if jumps && list.is_empty() {
                    now += 1_000_000_000;
                }
            }
            let held: Vec<u32> = approach.take_all().iter().map(|coming| coming.pkt.flow).collect();
            prop_assert_eq!(held, list.iter().map(|(_, number)| *number).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_lies_too_far_ahead_is_refused() {
        let mut approach = Approach::default();
        assert!(!approach.open(100, 512));
        assert!(approach.open(10, 512));
        assert!(approach.push(key(1, 0, 0), Pkt::alarm(0, 0)));
        assert!(!approach.push(key(FARTHEST << 2, 0, 0), Pkt::alarm(0, 1)));
        assert_eq!(approach.take_all().len(), 1);
    }
}
