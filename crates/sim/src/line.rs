//! A tail-drop link in short form.
//!
//! Where packets reach a link in the order of their keys and its only rule is a number of packets, none needs to be
//! stored: the time each starts follows from the one before, and those waiting are those whose start lies ahead.

mod pace;

use crate::calendar::Key;
use crate::flow::Tally;
use crate::link::OnWire;
use crate::packet::Waiting;
use crate::probe::{Held, LinkProbe, NOBODY};
use pace::Pace;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use units::{Bytes, Rate, Span, Time};

/// A tail-drop link that counts instead of storing. Each flow has some of its own, so it is kept small.
pub struct Line {
    /// The transmitter is sending until then.
    until: Time,
    /// Propagation delay.
    delay: Span,
    pace: Pace,
    /// What a link without probe needs no sooner than a packet meets another.
    more: Option<Box<More>>,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// One more than may wait; never zero, so that no line is as short as one.
    past: NonZeroU32,
    /// Bytes of the last packet accepted, which tell when it started; [`APART`] where `more` does.
    last_size: u32,
}

/// How long the last packet accepted takes hangs on more than its size.
const APART: u32 = u32::MAX;

/// The larger part of a line.
#[derive(Default)]
struct More {
    /// Of a packet that is [`APART`]: when it starts, and the remainder of the division by the rate, in units of 1/rate
    /// nanoseconds.
    last_start: Time,
    left: u64,
    /// Start of the packet on the wire when the first of them came, and start and size of those that wait, with some that have
    /// started since.
    serving: Time,
    queue: VecDeque<(Time, u32)>,
    watch: Option<Box<Watch>>,
}

/// A probe, and what it has yet to be told.
struct Watch {
    probe: Box<LinkProbe>,
    /// Nanoseconds a byte takes, where that is a whole number.
    ns_a_byte: u64,
    /// What has been sent by then without having to wait is only counted, here; the probe is told of all of them at once. There is no
    /// such moment where the time of a byte is no whole number, or others have waited that the probe does not know to have started.
    calm_until: Time,
    calm: Tally,
    /// Bytes of those in the queue.
    bytes: u64,
}

impl Line {
    /// An idle line that lets `limit` packets wait. A probe is what the link writes to results.
    pub fn new(component: u32, limit: u64, rate: Rate, delay: Span, probe: Option<Box<LinkProbe>>) -> Line {
        let pace = Pace::of(rate);
        let past = NonZeroU32::MIN.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        let more = probe.map(|probe| {
            // Where this is no number, one that brings no packet to its end at once: then none is calm.
            let ns_a_byte = pace.ns_a_byte().unwrap_or(1);
            let watch = Watch { probe, ns_a_byte, calm_until: Time::ZERO, calm: Tally::default(), bytes: 0 };
            Box::new(More { watch: Some(Box::new(watch)), ..More::default() })
        });
        Line { until: Time::ZERO, delay, pace, more, component, past, last_size: 0 }
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    #[inline(always)]
    fn watch(&mut self) -> Option<&mut Watch> {
        self.more.as_mut()?.watch.as_deref_mut()
    }

    /// Gives the probe away.
    pub fn take_probe(&mut self) -> Option<Box<LinkProbe>> {
        self.more.as_mut()?.watch.take().map(|watch| watch.probe)
    }

    /// Takes a packet of this size: where it will be next, or `None` if there is no room.
    #[inline(always)]
    pub fn pass(&mut self, size: u32, key: Key) -> Option<Key> {
        let wire = self.accept::<true>(size, key)?;
        Some(self.landing(size, wire))
    }

    /// The same of a line that has no probe.
    #[inline(always)]
    pub fn pass_unwatched(&mut self, size: u32, key: Key) -> Option<Key> {
        let wire = self.accept::<false>(size, key)?;
        Some(self.landing(size, wire))
    }

    /// [`Line::pass_unwatched`] where the transmitter has rested at `now`: when the packet will be there. Nothing is done where it has not.
    #[inline(always)]
    pub fn pass_rested(&mut self, size: u32, now: Time) -> Option<Time> {
        if self.until >= now {
            return None;
        }
        let wire = self.accept_rested(size, now);
        Some(wire.lands(size, self.pace.rate(), self.delay))
    }

    /// Where a packet will be next after its transmission.
    #[inline(always)]
    fn landing(&self, size: u32, wire: OnWire) -> Key {
        let time = wire.lands(size, self.pace.rate(), self.delay);
        Key { time, birth: wire.start, component: self.component }
    }

    /// Propagation delay.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Whether it has a probe.
    pub fn is_watched(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.watch.is_some())
    }

    /// Takes a packet of this size: its transmission, or `None` if there is no room. `WATCHED`: there may be a probe.
    #[inline(always)]
    fn accept<const WATCHED: bool>(&mut self, size: u32, key: Key) -> Option<OnWire> {
        let now = key.time;
        if self.until >= now {
            return self.accept_busy(size, (now, key.birth, key.component));
        }
        if !WATCHED || !self.is_watched() {
            return Some(self.accept_rested(size, now));
        }
        let finish = self.finish_watched(size, now);
        self.until = finish;
        Some(OnWire { start: now, finish })
    }

    /// The same after some rest, without telling a probe.
    #[inline(always)]
    fn accept_rested(&mut self, size: u32, now: Time) -> OnWire {
        let finish = match self.pace.ns_a_byte() {
            Some(ns) if !now.is_apart() => Time(now.0 + u64::from(size) * ns),
            _ => self.finish_apart(size, now),
        };
        (self.last_size, self.until) = (size, finish);
        OnWire { start: now, finish }
    }

    /// The end of a transmission that starts `now`, after some rest, on a line with a probe.
    #[inline(always)]
    fn finish_watched(&mut self, size: u32, now: Time) -> Time {
        let Some(watch) = self.watch() else { return now };
        let finish = Time(now.0 + u64::from(size) * watch.ns_a_byte);
        if finish > watch.calm_until {
            return self.note_idle(now, size);
        }
        watch.calm.add(size);
        self.last_size = size;
        finish
    }

    /// The probe takes note of a packet that need not wait: its end.
    #[inline(never)]
    fn note_idle(&mut self, now: Time, size: u32) -> Time {
        self.settle_calm();
        self.start_waiting(None);
        let OnWire { finish, .. } = self.accept_rested(size, now);
        let whole = self.pace.ns_a_byte().is_some() && !now.is_apart();
        if let Some(Watch { probe, calm_until, .. }) = self.watch() {
            probe.passed_idle(now, size, finish);
            *calm_until = if whole { probe.plain_until() } else { Time::ZERO };
        }
        finish
    }

    /// The probe is told of what was only counted.
    #[inline(always)]
    fn settle_calm(&mut self) {
        if !self.is_watched() {
            return;
        }
        let (last, _) = self.last();
        let Some(Watch { probe, calm, ns_a_byte, .. }) = self.watch() else { return };
        let calm = std::mem::take(calm);
        if calm.pkts() > 0 {
            probe.passed_calmly(calm, last, Span(calm.bytes() * *ns_a_byte));
        }
    }

    /// When the last packet accepted starts, and what its division by the rate leaves.
    fn last(&self) -> (Time, u64) {
        match &self.more {
            Some(more) if self.last_size == APART || self.until.is_apart() => (more.last_start, more.left),
            _ => {
                let mut left = 0;
                let took = self.pace.time_after(self.last_size, &mut left);
                (Time(self.until.0 - took.0), left)
            }
        }
    }

    /// The end of a transmission that starts `now`, where times are apart or a byte takes no whole number of nanoseconds.
    #[cold]
    #[inline(never)]
    fn finish_apart(&mut self, size: u32, now: Time) -> Time {
        if now.is_apart() {
            self.more().last_start = now;
        }
        self.finish_of(size, now, &mut 0)
    }

    /// The end of a transmission; `left` is what the one before left of the division by the rate, if this one follows at once.
    fn finish_of(&self, size: u32, start: Time, left: &mut u64) -> Time {
        if start.is_apart() {
            return start.plus_secs(self.pace.rate().secs_for(Bytes(u64::from(size))));
        }
        start + self.pace.time_after(size, left)
    }

    /// [`Line::accept`] where something may be on the wire or wait; the parts of the key are given apart because they fit
    /// registers then.
    #[inline(never)]
    fn accept_busy(&mut self, size: u32, (now, birth, component): (Time, Time, u32)) -> Option<OnWire> {
        let key = Key { time: now, birth, component };
        if self.is_watched() {
            return self.accept_busy_watched(size, (now, birth, component));
        }
        let (last_start, left) = self.last();
        let idle = is_before(self.until, last_start, self.component, key);
        let start = if idle { now } else { self.wait_behind(size, last_start, key)? };
        Some(self.follow(size, start, left))
    }

    /// The same of a line with a probe, which is told when each that waits starts, and of what comes.
    #[inline(never)]
    fn accept_busy_watched(
        &mut self,
        size: u32,
        (now, birth, component): (Time, Time, u32),
    ) -> Option<OnWire> {
        let key = Key { time: now, birth, component };
        self.settle_calm();
        let (last_start, left) = self.last();
        let idle = is_before(self.until, last_start, self.component, key);
        self.start_waiting(Some(key).filter(|_| !idle));
        let held = self.held();
        let start = if idle { now } else { self.wait_behind(size, last_start, key)? };
        let wire = self.follow(size, start, left);
        if let Some(watch) = self.watch() {
            watch.probe.passed(now, held, size, start, wire.finish);
        }
        Some(wire)
    }

    /// A packet that starts as another ends, which left so much of the division by the rate: its transmission.
    fn follow(&mut self, size: u32, start: Time, mut left: u64) -> OnWire {
        let finish = self.finish_of(size, start, &mut left);
        if self.pace.ns_a_byte().is_some() && !start.is_apart() {
            self.last_size = size;
        } else {
            self.last_size = APART;
            let more = self.more();
            (more.last_start, more.left) = (start, left);
        }
        self.until = finish;
        OnWire { start, finish }
    }

    fn held(&self) -> Held {
        let held = |more: &More| Held {
            pkts: more.queue.len() as u64,
            bytes: more.watch.as_ref().map_or(0, |watch| watch.bytes),
        };
        self.more.as_deref().map_or(Held::default(), held)
    }

    /// Lets a packet wait that comes at `key` behind one that starts at `last_start`: when it will start, or `None` if there is no room.
    fn wait_behind(&mut self, size: u32, last_start: Time, key: Key) -> Option<Time> {
        let (start, past) = (self.until, self.past.get() as usize);
        let more = self.more();
        // Whoever is last in the queue without being the last packet has started long since, and so have all before.
        if more.queue.back().is_none_or(|(last, _)| *last != last_start) {
            more.queue.clear();
            more.serving = last_start;
        }
        // Others that have started are looked for where that matters.
        if more.queue.len() + 1 >= past || more.queue.len() == more.queue.capacity() {
            self.start_waiting(Some(key));
            if self.held().pkts as usize + 1 >= past {
                self.refuse(size, key.time);
                return None;
            }
        }
        let More { queue, watch, .. } = self.more();
        queue.push_back((start, size));
        if let Some(watch) = watch {
            watch.bytes += u64::from(size);
            watch.calm_until = Time::ZERO;
        }
        Some(start)
    }

    /// The probe takes note of a packet for which there is no room.
    #[cold]
    fn refuse(&mut self, size: u32, now: Time) {
        let held = self.held();
        if let Some(Watch { probe, .. }) = self.watch() {
            probe.hold_until(now, held, NOBODY);
            probe.arrived::<Waiting>(now, size, None, &[]);
            probe.overflowed(now);
        }
    }

    /// Brings the line to the end of the run. Gives the packets that still wait.
    pub fn finish(&mut self, end: Time) -> u64 {
        self.settle_calm();
        self.start_waiting(Some(Key { time: end, birth: Time::NEVER, component: u32::MAX }));
        let (held, until) = (self.held(), self.until);
        if let Some(Watch { probe, .. }) = self.watch() {
            probe.finish(end, until, held, NOBODY);
        }
        held.pkts
    }

    /// Those whose turn comes before a key start, or all of them.
    #[inline(never)]
    fn start_waiting(&mut self, before: Option<Key>) {
        let component = self.component;
        let Some(more) = self.more.as_deref_mut() else { return };
        while let Some(&(start, size)) = more.queue.front() {
            if before.is_some_and(|key| !is_before(start, more.serving, component, key)) {
                return;
            }
            let pkts = more.queue.len() as u64;
            if let Some(Watch { probe, bytes, .. }) = more.watch.as_deref_mut() {
                probe.hold_until(start, Held { pkts, bytes: *bytes }, NOBODY);
                *bytes -= u64::from(size);
            }
            more.serving = start;
            more.queue.pop_front();
        }
    }
}

/// Whether the transmitter of a link becomes free at `time`, after a packet that started at `birth`, before `key`.
#[inline]
fn is_before(time: Time, birth: Time, component: u32, key: Key) -> bool {
    time < key.time || (time == key.time && (birth, component) < (key.birth, key.component))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::tests::{link_at, packet};
    use crate::link::Short;
    use crate::probe::Window;
    use proptest::prelude::*;

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time), component: 9 }
    }

    #[test]
    fn a_line_stays_small() {
        assert_eq!((size_of::<Option<Line>>(), size_of::<More>()), (48, 64));
    }

    #[test]
    fn packets_follow_one_another_and_the_rest_is_refused() {
        // 1000 bytes take 1 ms; two may wait.
        let mut line = Line::new(0, 2, Rate(8_000_000), Span::ZERO, None);
        let ms = |n: u64| Time(n * 1_000_000);
        let mut accept = |size, at| line.accept::<true>(size, key(at)).map(|wire| (wire.start, wire.finish));
        assert_eq!(accept(1000, 0), Some((ms(0), ms(1))));
        assert_eq!(accept(1000, 0), Some((ms(1), ms(2))));
        assert_eq!(accept(1000, 0), Some((ms(2), ms(3))));
        assert_eq!(accept(1000, 0), None);
        assert_eq!(accept(1000, 1_000_000), Some((ms(3), ms(4))));
        assert_eq!(accept(500, 9_000_000), Some((ms(9), Time(9_500_000))));
        assert_eq!(accept(500, 9_000_000), Some((Time(9_500_000), ms(10))));
        assert_eq!(line.finish(ms(9)), 1);
    }

    proptest! {
        /// The short form is the same as the link it stands for, to the last figure of its probe, and without one. At the second
        /// rate a byte takes no whole number of nanoseconds.
        #[test]
        fn a_line_equals_its_link(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300),
            rate in prop::sample::select(vec![Rate(8_000_000), Rate(7_654_321)]),
        ) {
            let window = Window { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link_at("droptail", rate).with_probe(LinkProbe::new(window));
            let (mut link, mut short) = (make(), make());
            let Some(Short::Line(mut line)) = short.shorten(false) else { panic!("plain tail drop") };
            let Some(Short::Line(mut bare)) = link_at("droptail", rate).shorten(false) else { panic!("plain tail drop") };
            let mut fates = Vec::new();
            let mut now = 0;
            for (gap, size) in arrivals {
                now += gap * 100_000;
                let at = Key { time: Time(now), birth: Time(now - now.min(400_000)), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                prop_assert_eq!(line.accept::<true>(size * 400, at), wire);
                prop_assert_eq!(bare.accept::<false>(size * 400, at), wire);
            }
            link.finish(Time(now), &mut fates);
            prop_assert_eq!(line.finish(Time(now)), link.waiting() as u64);
            prop_assert_eq!(bare.finish(Time(now)), link.waiting() as u64);
            let (of_link, of_line) = (link.probe().unwrap(), line.take_probe().unwrap());
            prop_assert_eq!(of_line.counters, of_link.counters);
            prop_assert_eq!(format!("{:?}", of_line.queue), format!("{:?}", of_link.queue));
            prop_assert_eq!(format!("{:?}", of_line.sojourn), format!("{:?}", of_link.sojourn));
            prop_assert_eq!(format!("{:?}", of_line.series), format!("{:?}", of_link.series));
        }
    }
}
