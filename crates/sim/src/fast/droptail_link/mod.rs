//! A tail-drop link without a queue.
//!
//! If packets reach a link in the order of their keys and the limit counts packets, no packet has to be stored: each
//! transmission starts when the one before it ends, and the queue consists of those that start in the future.

mod byte_time;
mod conversion;

use super::FastLink;
use crate::account::Tally;
use crate::account::{Backlog, LinkProbe, NO_DISC};
use crate::calendar::Key;
use crate::link::Link;
use crate::packet::WaitingPacket;
use crate::transmission::Transmission;
use byte_time::ByteTime;
use queue::disc::QueueDisc;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use units::{Bytes, Ecn, Rate, Span, Time};

/// A specialised tail-drop link. Each flow has several of its own, so it is kept small.
pub struct DroptailLink {
    /// The transmitter is busy until then.
    busy_until: Time,
    /// Propagation delay.
    delay: Span,
    pub(super) byte_time: ByteTime,
    /// Parts of a link without a probe that it needs only once a packet arrives while it is busy.
    cold: Option<Box<ColdState>>,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// One more than the limit, and so never zero, which lets `Option<DroptailLink>` use the zero for `None`.
    limit_plus_one: NonZeroU32,
    /// Bytes of the last packet accepted, which give its start; [`UNKNOWN`] if the start is in `cold`.
    last_size: u32,
}

/// The time of the last packet accepted depends on more than its size.
const UNKNOWN: u32 = u32::MAX;

/// The state that is seldom needed.
#[derive(Default)]
struct ColdState {
    /// If the last packet's size is [`UNKNOWN`]: the start of its transmission, and the remainder of the division by
    /// the rate in units of 1/rate nanoseconds.
    last_start: Time,
    remainder: u64,
    /// The start of the packet on the wire when the first in `queue` arrived; start and size of the packets in the
    /// queue, of which some may have started since.
    serving_since: Time,
    queue: VecDeque<(Time, u32)>,
    probed: Option<Box<ProbeState>>,
}

/// A probe, and records that it has not received yet.
struct ProbeState {
    probe: Box<LinkProbe>,
    /// Nanoseconds per byte, if that is an integer.
    whole_ns: u64,
    /// Fast path: packets that start at once and end by then are only counted in `batch`, and the probe records them
    /// together. Zero if the time of a byte is not an integer, or if the queue may hold packets that the probe does not
    /// know to have started.
    batch_until: Time,
    batch: Tally,
    /// Bytes in the queue.
    bytes: u64,
}

impl FastLink for DroptailLink {
    /// Tail drop with a limit in packets, at a constant rate and without faults.
    fn is_eligible(link: &Link, _in_doubles: bool) -> bool {
        link.is_basic() && link.discipline().is_some_and(|queue| queue.plain_limit().is_some())
    }

    fn take_over(link: &mut Link) -> Option<DroptailLink> {
        let component = link.component()?;
        let (queue, _, probe) = link.take_over()?;
        Some(DroptailLink::new(component, queue.plain_limit()?, link.rate(), link.delay, probe))
    }

    fn component(&self) -> u32 {
        self.component
    }

    #[inline(always)]
    fn pass(&mut self, size: u32, _ecn: Ecn, key: Key) -> Result<Key, Option<Key>> {
        match self.accept::<true>(size, key) {
            Some(wire) => Ok(self.arrival_key(size, wire)),
            None => Err(None),
        }
    }

    fn finish(&mut self, end: Time) -> u64 {
        self.flush_batch();
        self.start_due(Some(Key { time: end, birth: Time::NEVER, component: u32::MAX }));
        let (backlog, until) = (self.backlog(), self.busy_until);
        if let Some(ProbeState { probe, .. }) = self.probed() {
            probe.finish(end, until, backlog, NO_DISC);
        }
        backlog.pkts
    }

    fn take_probe(&mut self) -> Option<Box<LinkProbe>> {
        self.cold.as_mut()?.probed.take().map(|probed| probed.probe)
    }
}

impl DroptailLink {
    /// An idle link with room for `limit` packets in its queue.
    pub fn new(
        component: u32,
        limit: u64,
        rate: Rate,
        delay: Span,
        probe: Option<Box<LinkProbe>>,
    ) -> DroptailLink {
        let byte_time = ByteTime::of(rate);
        let limit_plus_one = NonZeroU32::MIN.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        let cold = probe.map(|probe| {
            // If the time of a byte is not an integer, any value does: `batch_until` stays at zero.
            let whole_ns = byte_time.whole_ns().unwrap_or(1);
            let probed =
                ProbeState { probe, whole_ns, batch_until: Time::ZERO, batch: Tally::default(), bytes: 0 };
            Box::new(ColdState { probed: Some(Box::new(probed)), ..ColdState::default() })
        });
        DroptailLink {
            busy_until: Time::ZERO,
            delay,
            byte_time,
            cold,
            component,
            limit_plus_one,
            last_size: 0,
        }
    }

    fn cold(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    #[inline(always)]
    fn probed(&mut self) -> Option<&mut ProbeState> {
        self.cold.as_mut()?.probed.as_deref_mut()
    }

    /// [`FastLink::pass`] on a link without a probe. Returns `None` if the queue is full.
    #[inline(always)]
    pub fn pass_without_probe(&mut self, size: u32, key: Key) -> Option<Key> {
        let wire = self.accept::<false>(size, key)?;
        Some(self.arrival_key(size, wire))
    }

    /// Fast path of [`DroptailLink::pass_without_probe`]: if the transmitter is idle at `now`, returns when the packet
    /// arrives at the far end, else `None`, and nothing has changed.
    #[inline(always)]
    pub fn pass_if_idle(&mut self, size: u32, now: Time) -> Option<Time> {
        if self.busy_until >= now {
            return None;
        }
        let wire = self.accept_idle(size, now);
        Some(wire.arrival_time(size, self.byte_time.rate(), self.delay))
    }

    /// The place of a packet after its transmission.
    #[inline(always)]
    fn arrival_key(&self, size: u32, wire: Transmission) -> Key {
        let time = wire.arrival_time(size, self.byte_time.rate(), self.delay);
        Key { time, birth: wire.start, component: self.component }
    }

    /// Propagation delay.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Whether it has a probe.
    pub fn has_probe(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| cold.probed.is_some())
    }

    /// Accepts a packet of this size; returns its transmission, or `None` if the queue is full. `PROBED`: may have a probe.
    #[inline(always)]
    fn accept<const PROBED: bool>(&mut self, size: u32, key: Key) -> Option<Transmission> {
        let now = key.time;
        if self.busy_until >= now {
            return self.accept_busy(size, (now, key.birth, key.component));
        }
        if !PROBED || !self.has_probe() {
            return Some(self.accept_idle(size, now));
        }
        let finish = self.finish_idle_with_probe(size, now);
        self.busy_until = finish;
        Some(Transmission { start: now, finish })
    }

    /// The same on an idle link, without the probe.
    #[inline(always)]
    fn accept_idle(&mut self, size: u32, now: Time) -> Transmission {
        let finish = match self.byte_time.whole_ns() {
            Some(ns) if !now.is_special() => Time(now.0 + u64::from(size) * ns),
            _ => self.finish_slow(size, now),
        };
        (self.last_size, self.busy_until) = (size, finish);
        Transmission { start: now, finish }
    }

    /// The end of a transmission on an idle link with a probe.
    #[inline(always)]
    fn finish_idle_with_probe(&mut self, size: u32, now: Time) -> Time {
        let Some(probed) = self.probed() else { return now };
        let finish = Time(now.0 + u64::from(size) * probed.whole_ns);
        if finish > probed.batch_until {
            return self.record_idle(now, size);
        }
        probed.batch.add(size);
        self.last_size = size;
        finish
    }

    /// The probe records a packet that starts at once. Returns the end of its transmission.
    #[inline(never)]
    fn record_idle(&mut self, now: Time, size: u32) -> Time {
        self.flush_batch();
        self.start_due(None);
        let Transmission { finish, .. } = self.accept_idle(size, now);
        let whole = self.byte_time.whole_ns().is_some() && !now.is_special();
        if let Some(ProbeState { probe, batch_until, .. }) = self.probed() {
            probe.passed_idle(now, size, finish);
            *batch_until = if whole { probe.fast_until() } else { Time::ZERO };
        }
        finish
    }

    /// The probe records the packets that were only counted.
    #[inline(always)]
    fn flush_batch(&mut self) {
        if !self.has_probe() {
            return;
        }
        let (last, _) = self.last();
        let Some(ProbeState { probe, batch, whole_ns, .. }) = self.probed() else { return };
        let batch = std::mem::take(batch);
        if batch.pkts() > 0 {
            probe.passed_idle_batch(batch, last, Span(batch.bytes() * *whole_ns));
        }
    }

    /// The start of the last packet accepted, and the remainder of its division by the rate.
    fn last(&self) -> (Time, u64) {
        match &self.cold {
            Some(cold) if self.last_size == UNKNOWN || self.busy_until.is_special() => {
                (cold.last_start, cold.remainder)
            }
            _ => {
                let mut remainder = 0;
                let took = self.byte_time.time_after(self.last_size, &mut remainder);
                (Time(self.busy_until.0 - took.0), remainder)
            }
        }
    }

    /// The end of a transmission that starts at `now`, in doubles or if the time of a byte is not an integer.
    #[cold]
    #[inline(never)]
    fn finish_slow(&mut self, size: u32, now: Time) -> Time {
        if now.is_special() {
            self.cold().last_start = now;
        }
        self.finish_of(size, now, &mut 0)
    }

    /// The end of a transmission; `remainder` is carried over from the one before if this follows without a gap.
    fn finish_of(&self, size: u32, start: Time, remainder: &mut u64) -> Time {
        if start.is_special() {
            return start.plus_secs(self.byte_time.rate().secs_for(Bytes(u64::from(size))));
        }
        start + self.byte_time.time_after(size, remainder)
    }

    /// The slow path of [`DroptailLink::accept`]: the link may be busy. The parts of the key are separate arguments
    /// because they are passed in registers then.
    #[inline(never)]
    fn accept_busy(&mut self, size: u32, (now, birth, component): (Time, Time, u32)) -> Option<Transmission> {
        let key = Key { time: now, birth, component };
        if self.has_probe() {
            return self.accept_busy_with_probe(size, (now, birth, component));
        }
        let (last_start, remainder) = self.last();
        let idle = frees_before(self.busy_until, last_start, self.component, key);
        let start = if idle { now } else { self.queue_behind(size, last_start, key)? };
        Some(self.start_behind(size, start, remainder))
    }

    /// The same on a link with a probe, which records every start from the queue and this arrival.
    #[inline(never)]
    fn accept_busy_with_probe(
        &mut self,
        size: u32,
        (now, birth, component): (Time, Time, u32),
    ) -> Option<Transmission> {
        let key = Key { time: now, birth, component };
        self.flush_batch();
        let (last_start, remainder) = self.last();
        let idle = frees_before(self.busy_until, last_start, self.component, key);
        self.start_due(Some(key).filter(|_| !idle));
        let backlog = self.backlog();
        let start = if idle { now } else { self.queue_behind(size, last_start, key)? };
        let wire = self.start_behind(size, start, remainder);
        if let Some(probed) = self.probed() {
            probed.probe.passed(now, backlog, size, start, wire.finish);
        }
        Some(wire)
    }

    /// The transmission of a packet that starts as another ends, with the remainder of that one's division by the rate.
    fn start_behind(&mut self, size: u32, start: Time, mut remainder: u64) -> Transmission {
        let finish = self.finish_of(size, start, &mut remainder);
        if self.byte_time.whole_ns().is_some() && !start.is_special() {
            self.last_size = size;
        } else {
            self.last_size = UNKNOWN;
            let cold = self.cold();
            (cold.last_start, cold.remainder) = (start, remainder);
        }
        self.busy_until = finish;
        Transmission { start, finish }
    }

    fn backlog(&self) -> Backlog {
        let backlog = |cold: &ColdState| Backlog {
            pkts: cold.queue.len() as u64,
            bytes: cold.probed.as_ref().map_or(0, |probed| probed.bytes),
        };
        self.cold.as_deref().map_or(Backlog::default(), backlog)
    }

    /// Queues a packet that arrives at `key` behind one that starts at `last_start`. Returns its start; `None` if full.
    fn queue_behind(&mut self, size: u32, last_start: Time, key: Key) -> Option<Time> {
        let (start, limit_plus_one) = (self.busy_until, self.limit_plus_one.get() as usize);
        let cold = self.cold();
        // If the last in the queue is not the last packet accepted, it has started, and so have all before it.
        if cold.queue.back().is_none_or(|(last, _)| *last != last_start) {
            cold.queue.clear();
            cold.serving_since = last_start;
        }
        // The queue may hold others that have started; they are removed where that matters.
        if cold.queue.len() + 1 >= limit_plus_one || cold.queue.len() == cold.queue.capacity() {
            self.start_due(Some(key));
            if self.backlog().pkts as usize + 1 >= limit_plus_one {
                self.record_overflow(size, key.time);
                return None;
            }
        }
        let ColdState { queue, probed, .. } = self.cold();
        queue.push_back((start, size));
        if let Some(probed) = probed {
            probed.bytes += u64::from(size);
            probed.batch_until = Time::ZERO;
        }
        Some(start)
    }

    /// The probe records a packet that was dropped because the queue was full.
    #[cold]
    fn record_overflow(&mut self, size: u32, now: Time) {
        let backlog = self.backlog();
        if let Some(ProbeState { probe, .. }) = self.probed() {
            probe.hold_until(now, backlog, NO_DISC);
            probe.arrived::<WaitingPacket>(now, size, None, &[]);
            probe.overflowed(now);
        }
    }

    /// Removes from the queue the packets that start before a key, or all.
    #[inline(never)]
    fn start_due(&mut self, before: Option<Key>) {
        let component = self.component;
        let Some(cold) = self.cold.as_deref_mut() else { return };
        while let Some(&(start, size)) = cold.queue.front() {
            if before.is_some_and(|key| !frees_before(start, cold.serving_since, component, key)) {
                return;
            }
            let pkts = cold.queue.len() as u64;
            if let Some(ProbeState { probe, bytes, .. }) = cold.probed.as_deref_mut() {
                probe.hold_until(start, Backlog { pkts, bytes: *bytes }, NO_DISC);
                *bytes -= u64::from(size);
            }
            cold.serving_since = start;
            cold.queue.pop_front();
        }
    }
}

/// Whether a transmitter whose packet started at `birth` becomes free, at `time`, before `key`.
#[inline]
fn frees_before(time: Time, birth: Time, component: u32, key: Key) -> bool {
    time < key.time || (time == key.time && (birth, component) < (key.birth, key.component))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::MeasurementWindow;
    use crate::link::tests::{link_at, packet};
    use proptest::prelude::*;

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time), component: 9 }
    }

    #[test]
    fn a_droptail_link_stays_small() {
        assert_eq!((size_of::<Option<DroptailLink>>(), size_of::<ColdState>()), (48, 64));
    }

    #[test]
    fn packets_follow_one_another_and_the_rest_is_refused() {
        // 1000 bytes take 1 ms; the limit is two packets.
        let mut fast = DroptailLink::new(0, 2, Rate(8_000_000), Span::ZERO, None);
        let ms = |n: u64| Time(n * 1_000_000);
        let mut accept = |size, at| fast.accept::<true>(size, key(at)).map(|wire| (wire.start, wire.finish));
        assert_eq!(accept(1000, 0), Some((ms(0), ms(1))));
        assert_eq!(accept(1000, 0), Some((ms(1), ms(2))));
        assert_eq!(accept(1000, 0), Some((ms(2), ms(3))));
        assert_eq!(accept(1000, 0), None);
        assert_eq!(accept(1000, 1_000_000), Some((ms(3), ms(4))));
        assert_eq!(accept(500, 9_000_000), Some((ms(9), Time(9_500_000))));
        assert_eq!(accept(500, 9_000_000), Some((Time(9_500_000), ms(10))));
        assert_eq!(fast.finish(ms(9)), 1);
    }

    proptest! {
        /// The specialised link equals the general one, to the last bit of its probe, and also without a probe. At the
        /// second rate the time of a byte is not an integer.
        #[test]
        fn the_specialised_link_equals_the_general_one(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300),
            rate in prop::sample::select(vec![Rate(8_000_000), Rate(7_654_321)]),
        ) {
            let window = MeasurementWindow { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link_at("droptail", rate).with_probe(LinkProbe::new(window));
            let (mut link, mut replaced, mut unprobed) = (make(), make(), link_at("droptail", rate));
            prop_assert!(DroptailLink::is_eligible(&replaced, false));
            link.set_departures_known();
            let mut fast = DroptailLink::take_over(&mut replaced).unwrap();
            let mut bare = DroptailLink::take_over(&mut unprobed).unwrap();
            let mut fates = Vec::new();
            let mut now = 0;
            for (gap, size) in arrivals {
                now += gap * 100_000;
                let at = Key { time: Time(now), birth: Time(now - now.min(400_000)), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                prop_assert_eq!(fast.accept::<true>(size * 400, at), wire);
                prop_assert_eq!(bare.accept::<false>(size * 400, at), wire);
            }
            link.finish(Time(now), &mut fates);
            prop_assert_eq!(fast.finish(Time(now)), link.queue_len() as u64);
            prop_assert_eq!(bare.finish(Time(now)), link.queue_len() as u64);
            let (of_link, of_fast) = (link.probe().unwrap(), fast.take_probe().unwrap());
            prop_assert_eq!(of_fast.counters, of_link.counters);
            prop_assert_eq!(format!("{:?}", of_fast.queue), format!("{:?}", of_link.queue));
            prop_assert_eq!(format!("{:?}", of_fast.sojourn), format!("{:?}", of_link.sojourn));
            prop_assert_eq!(format!("{:?}", of_fast.series), format!("{:?}", of_link.series));
        }
    }
}
