//! A tail-drop link in short form.
//!
//! Where packets reach a link in the order of their keys and its only rule is a number of packets, none needs to be
//! stored: the time each starts follows from the one before, and those waiting are those whose start lies ahead.

use crate::calendar::Key;
use crate::flow::Tally;
use crate::link::OnWire;
use crate::packet::Waiting;
use crate::probe::{Held, LinkProbe, NOBODY};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use units::{Bytes, Rate, Span, Time};

/// A tail-drop link that counts instead of storing. Each flow has some of its own, so it is kept to one cache line.
pub struct Line {
    /// The transmitter is sending until then; the last packet accepted starts at `last_start`.
    until: Time,
    last_start: Time,
    /// Propagation delay.
    delay: Span,
    rate: Rate,
    /// Remainder of the last division by the rate, in units of 1/rate nanoseconds.
    left: u64,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// Nanoseconds a byte takes, where that is a whole number: then nothing is ever left over. Otherwise zero.
    ns_a_byte: u32,
    /// Packets that wait.
    waiting: u32,
    /// One more than may wait; never zero, so that no line is as short as one.
    past: NonZeroU32,
    /// What a link without probe needs no sooner than a packet has to wait.
    more: Option<Box<More>>,
}

/// The larger part of a line.
struct More {
    /// While any wait: start of the packet on the wire, and start and size of those that do, and bytes of all.
    serving: Time,
    queue: VecDeque<(Time, u32)>,
    bytes: u64,
    probe: Option<Box<LinkProbe>>,
    /// What has been sent by then without having to wait is only counted, here; a probe is told of all of them at once. There is no
    /// such moment where the time of a byte is no whole number.
    calm_until: Time,
    calm: Tally,
}

impl Line {
    /// An idle line that lets `limit` packets wait. A probe is what the link writes to results.
    pub fn new(component: u32, limit: u64, rate: Rate, delay: Span, probe: Option<Box<LinkProbe>>) -> Line {
        let ns_a_byte = rate.nanos_a_byte().and_then(|ns| u32::try_from(ns).ok()).unwrap_or(0);
        let past = NonZeroU32::MIN.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        let (until, last_start) = (Time::ZERO, Time::ZERO);
        let (waiting, left, more) = (0, 0, None);
        let mut line =
            Line { until, last_start, delay, rate, left, component, ns_a_byte, waiting, past, more };
        if probe.is_some() {
            (line.more().probe, line.more().calm_until) = (probe, Time::ZERO);
        }
        line
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_with(|| {
            Box::new(More {
                serving: Time::ZERO,
                queue: VecDeque::new(),
                bytes: 0,
                probe: None,
                calm_until: Time::NEVER,
                calm: Tally::default(),
            })
        })
    }

    #[inline(always)]
    fn probe(&mut self) -> Option<&mut LinkProbe> {
        self.more.as_mut()?.probe.as_deref_mut()
    }

    /// Gives the probe away.
    pub fn take_probe(&mut self) -> Option<Box<LinkProbe>> {
        self.more.as_mut()?.probe.take()
    }

    /// Takes a packet of this size: where it will be next, or `None` if there is no room.
    #[inline(always)]
    pub fn pass(&mut self, size: u32, key: Key) -> Option<Key> {
        let wire = self.accept::<true>(size, key)?;
        let time = wire.lands(size, self.rate, self.delay);
        Some(Key { time, birth: wire.start, component: self.component })
    }

    /// The same of a line that has no probe.
    #[inline(always)]
    pub fn pass_unwatched(&mut self, size: u32, key: Key) -> Option<Key> {
        let wire = self.accept::<false>(size, key)?;
        let time = wire.lands(size, self.rate, self.delay);
        Some(Key { time, birth: wire.start, component: self.component })
    }

    /// Propagation delay.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Whether it has a probe.
    pub fn is_watched(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.probe.is_some())
    }

    /// Takes a packet of this size: its transmission, or `None` if there is no room. `WATCHED`: there may be a probe.
    #[inline(always)]
    fn accept<const WATCHED: bool>(&mut self, size: u32, key: Key) -> Option<OnWire> {
        let now = key.time;
        if self.until >= now || self.waiting > 0 {
            return self.accept_busy(size, (now, key.birth, key.component));
        }
        let finish = if self.ns_a_byte > 0 && !now.is_apart() {
            Time(now.0 + u64::from(size) * u64::from(self.ns_a_byte))
        } else {
            self.finish_of(size, now, true)
        };
        if WATCHED {
            match &mut self.more {
                Some(more) if finish <= more.calm_until => more.calm.add(size),
                Some(_) => self.note_idle(now, size, finish),
                None => {}
            }
        }
        (self.last_start, self.until) = (now, finish);
        Some(OnWire { start: now, finish })
    }

    /// The probe takes note of a packet that need not wait.
    #[inline(never)]
    fn note_idle(&mut self, now: Time, size: u32, finish: Time) {
        self.settle_calm();
        let whole = self.ns_a_byte > 0 && !now.is_apart();
        let Some(More { probe: Some(probe), calm_until, .. }) = self.more.as_deref_mut() else { return };
        probe.passed_idle(now, size, finish);
        *calm_until = if whole { probe.plain_until() } else { Time::ZERO };
    }

    /// The probe is told of what was only counted.
    fn settle_calm(&mut self) {
        let (last, ns_a_byte) = (self.last_start, u64::from(self.ns_a_byte));
        if let Some(More { probe: Some(probe), calm, .. }) = self.more.as_deref_mut() {
            let calm = std::mem::take(calm);
            if calm.pkts() > 0 {
                probe.passed_calmly(calm, last, Span(calm.bytes() * ns_a_byte));
            }
        }
    }

    /// The end of a transmission that starts after an idle `gap` or as soon as the one before ends.
    #[inline(never)]
    fn finish_of(&mut self, size: u32, start: Time, gap: bool) -> Time {
        if start.is_apart() {
            return start.plus_secs(self.rate.secs_for(Bytes(u64::from(size))));
        }
        if self.ns_a_byte > 0 {
            return start + Span(u64::from(size) * u64::from(self.ns_a_byte));
        }
        if gap {
            self.left = 0;
        }
        start + self.rate.time_after(Bytes(u64::from(size)), &mut self.left)
    }

    /// [`Line::accept`] where something may be on the wire or wait; the parts of the key are given apart because they fit
    /// registers then.
    #[inline(never)]
    fn accept_busy(&mut self, size: u32, (now, birth, component): (Time, Time, u32)) -> Option<OnWire> {
        let key = Key { time: now, birth, component };
        self.settle_calm();
        let idle = self.is_before(self.until, self.last_start, key);
        if self.waiting > 0 {
            self.start_waiting_before(key, idle);
        }
        let held = self.held();
        let start = if idle { now } else { self.queue_up(size, now)? };
        let finish = self.finish_of(size, start, idle && now > self.until);
        (self.last_start, self.until) = (start, finish);
        if let Some(probe) = self.probe() {
            probe.passed(now, held, size, start, finish);
        }
        Some(OnWire { start, finish })
    }

    fn held(&self) -> Held {
        Held { pkts: u64::from(self.waiting), bytes: self.more.as_ref().map_or(0, |more| more.bytes) }
    }

    /// Lets a packet wait: when it will start, or `None` if there is no room.
    fn queue_up(&mut self, size: u32, now: Time) -> Option<Time> {
        if self.waiting + 1 >= self.past.get() {
            let held = self.held();
            if let Some(probe) = self.probe() {
                probe.hold_until(now, held, NOBODY);
                probe.arrived::<Waiting>(now, size, None, &[]);
                probe.overflowed(now);
            }
            return None;
        }
        let (start, serving, first) = (self.until, self.last_start, self.waiting == 0);
        self.waiting += 1;
        let more = self.more();
        if first {
            more.serving = serving;
        }
        more.bytes += u64::from(size);
        more.queue.push_back((start, size));
        Some(start)
    }

    /// Brings the line to the end of the run. Gives the packets that still wait.
    pub fn finish(&mut self, end: Time) -> u64 {
        self.settle_calm();
        self.start_waiting_before(Key { time: end, birth: Time::NEVER, component: u32::MAX }, false);
        let (held, until) = (self.held(), self.until);
        if let Some(probe) = self.probe() {
            probe.finish(end, until, held, NOBODY);
        }
        held.pkts
    }

    /// Those whose turn comes before `key` start; all of them if the line is idle by then.
    fn start_waiting_before(&mut self, key: Key, idle: bool) {
        let Some(more) = self.more.as_deref_mut() else { return };
        while let Some(&(start, size)) = more.queue.front() {
            if !idle && !is_before(start, more.serving, self.component, key) {
                return;
            }
            if let Some(probe) = &mut more.probe {
                let held = Held { pkts: u64::from(self.waiting), bytes: more.bytes };
                probe.hold_until(start, held, NOBODY);
            }
            more.serving = start;
            more.bytes -= u64::from(size);
            more.queue.pop_front();
            self.waiting -= 1;
        }
    }

    #[inline]
    fn is_before(&self, time: Time, birth: Time, key: Key) -> bool {
        is_before(time, birth, self.component, key)
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
    use crate::link::tests::{link, packet};
    use crate::link::Short;
    use crate::probe::Window;
    use proptest::prelude::*;

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time), component: 9 }
    }

    #[test]
    fn a_line_fits_a_cache_line() {
        assert_eq!(size_of::<Option<Line>>(), 64);
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
        /// The short form is the same as the link it stands for, to the last figure of its probe.
        #[test]
        fn a_line_equals_its_link(arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300)) {
            let window = Window { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link("droptail").with_probe(LinkProbe::new(window));
            let (mut link, mut short) = (make(), make());
            let Some(Short::Line(mut line)) = short.shorten(false) else { panic!("plain tail drop") };
            let mut fates = Vec::new();
            let mut now = 0;
            for (gap, size) in arrivals {
                now += gap * 100_000;
                let at = Key { time: Time(now), birth: Time(now - now.min(400_000)), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                prop_assert_eq!(line.accept::<true>(size * 400, at), wire);
            }
            link.finish(Time(now), &mut fates);
            prop_assert_eq!(line.finish(Time(now)), link.waiting() as u64);
            let (of_link, of_line) = (link.probe().unwrap(), line.take_probe().unwrap());
            prop_assert_eq!(of_line.counters, of_link.counters);
            prop_assert_eq!(format!("{:?}", of_line.queue), format!("{:?}", of_link.queue));
            prop_assert_eq!(format!("{:?}", of_line.sojourn), format!("{:?}", of_link.sojourn));
            prop_assert_eq!(format!("{:?}", of_line.series), format!("{:?}", of_link.series));
        }
    }
}
