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

/// A tail-drop link that counts instead of storing. Each flow has some of its own, so it is kept small.
pub struct Line {
    /// The transmitter is sending until then.
    until: Time,
    /// Propagation delay.
    delay: Span,
    rate: Rate,
    /// What a link without probe needs no sooner than a packet meets another.
    more: Option<Box<More>>,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// Nanoseconds a byte takes, where that is a whole number: then nothing is ever left over. Otherwise zero.
    ns_a_byte: u32,
    /// One more than may wait; never zero, so that no line is as short as one.
    past: NonZeroU32,
    /// Bytes of the last packet accepted, which tell when it started; [`CHAINED`] where `more` does.
    last_size: u32,
}

/// The last packet accepted did not find the transmitter long idle.
const CHAINED: u32 = u32::MAX;

/// The larger part of a line.
#[derive(Default)]
struct More {
    /// Of a packet that is [`CHAINED`]: when it starts, and the remainder of the division by the rate, in units of 1/rate
    /// nanoseconds. Where times are apart, the start of every packet.
    last_start: Time,
    left: u64,
    /// Start of the packet on the wire when the first of them came, and start and size of those that wait, with all that have
    /// started since a packet last met another; bytes of all.
    serving: Time,
    queue: VecDeque<(Time, u32)>,
    bytes: u64,
    watch: Option<Box<Watch>>,
}

/// A probe, and what it has yet to be told.
struct Watch {
    probe: Box<LinkProbe>,
    /// What has been sent by then without having to wait is only counted, here; the probe is told of all of them at once. There is no
    /// such moment where the time of a byte is no whole number, or others have waited that the probe does not know to have started.
    calm_until: Time,
    calm: Tally,
}

impl Line {
    /// An idle line that lets `limit` packets wait. A probe is what the link writes to results.
    pub fn new(component: u32, limit: u64, rate: Rate, delay: Span, probe: Option<Box<LinkProbe>>) -> Line {
        let ns_a_byte = rate.nanos_a_byte().and_then(|ns| u32::try_from(ns).ok()).unwrap_or(0);
        let past = NonZeroU32::MIN.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        let more = probe.map(|probe| {
            let watch = Watch { probe, calm_until: Time::ZERO, calm: Tally::default() };
            Box::new(More { watch: Some(Box::new(watch)), ..More::default() })
        });
        Line { until: Time::ZERO, delay, rate, more, component, ns_a_byte, past, last_size: 0 }
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
        self.more.as_ref().is_some_and(|more| more.watch.is_some())
    }

    /// Takes a packet of this size: its transmission, or `None` if there is no room. `WATCHED`: there may be a probe.
    #[inline(always)]
    fn accept<const WATCHED: bool>(&mut self, size: u32, key: Key) -> Option<OnWire> {
        let now = key.time;
        if self.until >= now {
            return self.accept_busy(size, (now, key.birth, key.component));
        }
        let finish = if self.ns_a_byte > 0 && !now.is_apart() {
            Time(now.0 + u64::from(size) * u64::from(self.ns_a_byte))
        } else {
            self.finish_apart(size, now)
        };
        if WATCHED {
            match self.watch() {
                Some(watch) if finish <= watch.calm_until => watch.calm.add(size),
                Some(_) => self.note_idle(now, size, finish),
                None => {}
            }
        }
        (self.last_size, self.until) = (size, finish);
        Some(OnWire { start: now, finish })
    }

    /// The probe takes note of a packet that need not wait.
    #[inline(never)]
    fn note_idle(&mut self, now: Time, size: u32, finish: Time) {
        self.settle_calm();
        self.start_waiting(None);
        let whole = self.ns_a_byte > 0 && !now.is_apart();
        let Some(Watch { probe, calm_until, .. }) = self.watch() else { return };
        probe.passed_idle(now, size, finish);
        *calm_until = if whole { probe.plain_until() } else { Time::ZERO };
    }

    /// The probe is told of what was only counted.
    #[inline(always)]
    fn settle_calm(&mut self) {
        if !self.is_watched() {
            return;
        }
        let ((last, _), ns_a_byte) = (self.last(), u64::from(self.ns_a_byte));
        let Some(Watch { probe, calm, .. }) = self.watch() else { return };
        let calm = std::mem::take(calm);
        if calm.pkts() > 0 {
            probe.passed_calmly(calm, last, Span(calm.bytes() * ns_a_byte));
        }
    }

    /// When the last packet accepted starts, and what its division by the rate leaves.
    fn last(&self) -> (Time, u64) {
        match &self.more {
            Some(more) if self.last_size == CHAINED || self.until.is_apart() => (more.last_start, more.left),
            _ => {
                let mut left = 0;
                let took = self.time_after(self.last_size, &mut left);
                (Time(self.until.0 - took.0), left)
            }
        }
    }

    /// The end of a transmission that starts `now`, where times are apart or a byte takes no whole number of nanoseconds.
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
            return start.plus_secs(self.rate.secs_for(Bytes(u64::from(size))));
        }
        start + self.time_after(size, left)
    }

    #[inline]
    fn time_after(&self, size: u32, left: &mut u64) -> Span {
        if self.ns_a_byte > 0 {
            return Span(u64::from(size) * u64::from(self.ns_a_byte));
        }
        self.rate.time_after(Bytes(u64::from(size)), left)
    }

    /// [`Line::accept`] where something may be on the wire or wait; the parts of the key are given apart because they fit
    /// registers then.
    #[inline(never)]
    fn accept_busy(&mut self, size: u32, (now, birth, component): (Time, Time, u32)) -> Option<OnWire> {
        let key = Key { time: now, birth, component };
        self.settle_calm();
        let (last_start, mut left) = self.last();
        let idle = is_before(self.until, last_start, self.component, key);
        self.start_waiting(Some(key).filter(|_| !idle));
        let held = self.held();
        let start = if idle { now } else { self.queue_up(size, now, last_start)? };
        let finish = self.finish_of(size, start, &mut left);
        let more = self.more();
        (more.last_start, more.left) = (start, left);
        if let Some(watch) = &mut more.watch {
            watch.probe.passed(now, held, size, start, finish);
        }
        (self.last_size, self.until) = (CHAINED, finish);
        Some(OnWire { start, finish })
    }

    fn held(&self) -> Held {
        let held = |more: &More| Held { pkts: more.queue.len() as u64, bytes: more.bytes };
        self.more.as_deref().map_or(Held::default(), held)
    }

    /// Lets a packet wait behind one that starts at `last_start`: when it will start, or `None` if there is no room.
    fn queue_up(&mut self, size: u32, now: Time, last_start: Time) -> Option<Time> {
        let (held, start) = (self.held(), self.until);
        if held.pkts + 1 >= u64::from(self.past.get()) {
            if let Some(Watch { probe, .. }) = self.watch() {
                probe.hold_until(now, held, NOBODY);
                probe.arrived::<Waiting>(now, size, None, &[]);
                probe.overflowed(now);
            }
            return None;
        }
        let more = self.more();
        if held.pkts == 0 {
            more.serving = last_start;
        }
        more.bytes += u64::from(size);
        more.queue.push_back((start, size));
        if let Some(watch) = &mut more.watch {
            watch.calm_until = Time::ZERO;
        }
        Some(start)
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
    fn start_waiting(&mut self, before: Option<Key>) {
        let component = self.component;
        let Some(more) = self.more.as_deref_mut() else { return };
        while let Some(&(start, size)) = more.queue.front() {
            if before.is_some_and(|key| !is_before(start, more.serving, component, key)) {
                return;
            }
            if let Some(Watch { probe, .. }) = more.watch.as_deref_mut() {
                let held = Held { pkts: more.queue.len() as u64, bytes: more.bytes };
                probe.hold_until(start, held, NOBODY);
            }
            more.serving = start;
            more.bytes -= u64::from(size);
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
        assert_eq!((size_of::<Option<Line>>(), size_of::<More>()), (48, 72));
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
        /// The short form is the same as the link it stands for, to the last figure of its probe. At the second rate a byte takes no
        /// whole number of nanoseconds.
        #[test]
        fn a_line_equals_its_link(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300),
            rate in prop::sample::select(vec![Rate(8_000_000), Rate(7_654_321)]),
        ) {
            let window = Window { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link_at("droptail", rate).with_probe(LinkProbe::new(window));
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
