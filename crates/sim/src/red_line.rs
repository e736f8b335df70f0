//! A RED link in short form.
//!
//! RED decides at arrival, so when a packet will leave is known as soon as it is let in, and its queue need not hold the packet
//! itself: when its transmission starts and how large it is, is enough. So is what the queue over time owes to it: how long it
//! waits, and how long those ahead of it still do. A departure needs no account of its own then. Moments are whole
//! nanoseconds. All else is as in [`Link`](crate::link::Link).

mod even;
mod slot;

use crate::calendar::Key;
use crate::link::OnWire;
use crate::probe::{Held, LinkProbe};
use even::Even;
use queue::disc::{Cx, Fate, QueueDisc};
use queue::red::{Red, Straight};
pub use slot::Slot;
use units::{Bytes, Dice, Ecn, Rapid, Rate, Serializer, Span, Stream, Time};

/// A RED link that holds sizes instead of packets.
pub struct RedLine {
    /// Propagation delay.
    pub delay: Span,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// What the link writes to results, if anything.
    pub probe: Option<Box<LinkProbe>>,
    /// What the last arrival brought about; to be taken.
    pub fates: Vec<Fate<Slot>>,
    queue: Red<Slot>,
    dice: Rapid,
    /// What is on the wire, or was last, started then.
    serving: Time,
    /// When the transmitter is done with that; never, if it is idle.
    free: Time,
    /// The end of the last packet let in.
    until: Time,
    serializer: Serializer,
    /// The starts of those that wait, added up and taken round.
    starts: u64,
    /// When a sample or the start of counting is to be attended to, and whether it counts.
    attends: Time,
    counts: bool,
    /// When the last packet came, and the most that have waited: only what is longer needs to be told to the probe.
    came: Time,
    longest: u64,
    /// Packets that waited behind the last that came, itself included.
    waiting: u64,
    even: Even,
}

impl RedLine {
    /// An idle line.
    pub fn new(
        component: u32,
        queue: Red<Slot>,
        dice: Stream,
        rate: Rate,
        delay: Span,
        probe: Option<Box<LinkProbe>>,
    ) -> RedLine {
        RedLine {
            delay,
            component,
            probe,
            fates: Vec::with_capacity(4),
            queue,
            dice: Rapid::new(dice),
            serving: Time::ZERO,
            free: Time::NEVER,
            until: Time::ZERO,
            serializer: Serializer::new(rate),
            starts: 0,
            attends: Time::ZERO,
            counts: false,
            came: Time::ZERO,
            longest: u64::MAX,
            waiting: 0,
            even: Even::default(),
        }
    }

    /// Rate of the transmitter.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.serializer.rate()
    }

    /// A packet of this size arrives: where it will be next. `Err` if something was dropped or marked, which is in
    /// [`fates`](RedLine::fates), with where it will be if it stays.
    #[inline(always)]
    pub fn pass(&mut self, size: u32, ecn: Ecn, key: Key) -> Result<Key, Option<Key>> {
        match self.accept(size, ecn, key) {
            Ok(wire) => Ok(self.landing(size, wire)),
            Err(wire) => Err(wire.map(|wire| self.landing(size, wire))),
        }
    }

    /// Where a packet will be next after its transmission.
    #[inline(always)]
    fn landing(&self, size: u32, wire: OnWire) -> Key {
        let time = wire.lands(size, self.rate(), self.delay);
        Key { time, birth: wire.start, component: self.component }
    }

    /// The same with its transmission.
    #[inline(always)]
    fn accept(&mut self, size: u32, ecn: Ecn, key: Key) -> Result<OnWire, Option<OnWire>> {
        let now = key.time;
        if now < self.attends || self.attend_evenly(now) {
            if let Some(found) = self.find_near(size, key) {
                return self.accept_near(size, ecn, now, found);
            }
        }
        self.accept_any(size, ecn, (now, key.birth, key.component))
    }

    /// [`RedLine::accept`] whatever comes.
    #[inline(never)]
    fn accept_any(
        &mut self,
        size: u32,
        ecn: Ecn,
        (now, birth, component): (Time, Time, u32),
    ) -> Result<OnWire, Option<OnWire>> {
        let key = Key { time: now, birth, component };
        if let Some(found) = self.find_far(size, key) {
            return self.accept_far(size, ecn, now, found);
        }
        self.lay_out();
        if now >= self.attends {
            self.attend((now, birth, component));
        }
        if self.waiting > self.longest {
            self.lengthen((now, birth, component));
        }
        self.came = now;
        self.leave_before(key);
        let ahead = self.starts.wrapping_sub(now.0.wrapping_mul(self.queue.len() as u64));
        let slot = Slot::new(self.until.max(now), size, ecn);
        let accepted = self.accept_slot(slot, now, ahead);
        self.waiting = self.queue.len() as u64;
        self.attend_if_longer();
        accepted
    }

    #[inline(always)]
    fn accept_slot(&mut self, slot: Slot, now: Time, ahead: u64) -> Result<OnWire, Option<OnWire>> {
        if !self.queue.is_printed() {
            return self.accept_apart(slot, now, ahead, None);
        }
        match self.queue.take_straight(slot, now, || self.dice.uniform()) {
            Straight::Kept(avg) => {
                let wire = self.let_in(slot.bytes(), now, slot.start);
                if let Some(probe) = &mut self.probe {
                    probe.let_in(now, slot.bytes(), avg, wire, ahead);
                }
                Ok(wire)
            }
            step => self.accept_apart(slot, now, ahead, Some(step)),
        }
    }

    /// [`RedLine::accept`] where RED's short way is not open, or was left at this `step`.
    #[inline(never)]
    fn accept_apart(
        &mut self,
        slot: Slot,
        now: Time,
        ahead: u64,
        step: Option<Straight>,
    ) -> Result<OnWire, Option<OnWire>> {
        let mut cx = Cx::new(now, &mut self.dice, &mut self.fates);
        match step {
            Some(step) => self.queue.take_rest(slot, step, &mut cx),
            None => self.queue.take(slot, &mut cx),
        }
        if !self.fates.is_empty() {
            return Err(self.accept_with_fates(slot.bytes(), now, slot.start, ahead));
        }
        let wire = self.let_in(slot.bytes(), now, slot.start);
        if let Some(probe) = &mut self.probe {
            probe.let_in(now, slot.bytes(), self.queue.average(), wire, ahead);
        }
        Ok(wire)
    }

    /// A packet stays: its transmission.
    #[inline(always)]
    fn let_in(&mut self, size: u32, now: Time, start: Time) -> OnWire {
        if now > self.until {
            self.serializer.restart();
        }
        let finish = self.serializer.finish(start, Bytes(u64::from(size)));
        self.note(size, start, finish);
        self.until = finish;
        self.starts = self.starts.wrapping_add(start.0);
        if self.is_idle() {
            self.even.restart(start);
            self.start_next(now);
        }
        OnWire { start, finish }
    }

    /// A packet was dropped or marked.
    #[cold]
    #[inline(never)]
    fn accept_with_fates(&mut self, size: u32, now: Time, start: Time, ahead: u64) -> Option<OnWire> {
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
        }
        if self.fates.iter().any(|fate| matches!(fate, Fate::Dropped(..))) {
            if self.is_idle() {
                self.start_next(now);
            }
            return None;
        }
        let wire = self.let_in(size, now, start);
        if let Some(probe) = &mut self.probe {
            if self.counts {
                probe.queue.wait(size, start.since(now).0, ahead);
            }
            probe.departed(size, now, start, wire.finish);
        }
        Some(wire)
    }

    /// Brings the line to the end of the run. Gives the packets that still wait.
    pub fn finish(&mut self, end: Time) -> u64 {
        self.lay_out();
        self.attend((end, Time::NEVER, u32::MAX));
        let held = self.held();
        if let Some(probe) = &mut self.probe {
            let mut ahead = 0;
            for slot in self.queue.waiting().filter(|_| self.counts) {
                let wait = slot.start.since(end).0;
                probe.queue.unwait(slot.bytes(), wait, ahead);
                ahead += wait;
            }
            probe.finish(end, self.until, held, Some(&self.queue));
        }
        held.pkts
    }

    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.free == Time::NEVER
    }

    /// Those whose turn comes before `key` start, and the transmitter finds out if none is left.
    #[inline(always)]
    fn leave_before(&mut self, key: Key) {
        if !self.frees_before(key) {
            return;
        }
        if !self.queue.is_printed() {
            return self.leave_in_turn((key.time, key.birth, key.component));
        }
        let (mut gone, mut serving, mut free) = (0u64, self.serving, self.until);
        let component = self.component;
        self.queue.advance_while(|slot| {
            let goes = Key { time: slot.start, birth: serving, component }.precedes(&key);
            if goes {
                gone = gone.wrapping_add(slot.start.0);
                serving = slot.start;
            } else {
                free = slot.start;
            }
            goes
        });
        self.starts = self.starts.wrapping_sub(gone);
        (self.serving, self.free) = (serving, free);
        if self.queue.is_empty() && self.frees_before(key) {
            self.rest();
        }
    }

    /// The transmitter finds nothing to send.
    #[cold]
    #[inline(never)]
    fn rest(&mut self) {
        self.start_next(self.free);
    }

    #[inline(always)]
    fn frees_before(&self, key: Key) -> bool {
        Key { time: self.free, birth: self.serving, component: self.component }.precedes(&key)
    }

    /// The last packet to come may have made the queue longer than it ever was, unless it left at once or the next comes at once.
    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, key: (Time, Time, u32)) {
        self.leave_in_turn(key);
        self.longest = self.probe.as_ref().map_or(u64::MAX, |probe| probe.queue.most());
    }

    /// [`RedLine::leave_before`] where each departure is to be looked at. The parts of the key are given apart because they
    /// fit registers then.
    #[cold]
    #[inline(never)]
    fn leave_in_turn(&mut self, (now, birth, component): (Time, Time, u32)) {
        let key = Key { time: now, birth, component };
        if let Some(probe) = &mut self.probe {
            probe.queue.hold_longest(0, self.came);
        }
        while self.frees_before(key) {
            let free = self.free;
            self.hold_until(free);
            self.start_next(free);
        }
        self.hold_until(now);
    }

    /// A sample is due, or counting starts.
    #[cold]
    #[inline(never)]
    fn attend(&mut self, key: (Time, Time, u32)) {
        self.settle();
        self.leave_in_turn(key);
        self.attends = Time::NEVER;
        self.even.forget_near();
        if let Some(probe) = &mut self.probe {
            self.attends = probe.attends(self.counts);
            if self.counts {
                probe.count_plainly();
                self.longest = probe.queue.most();
            }
        }
    }

    /// Accounts for the state held until `now`, before it changes. Those that wait when counting starts owe what is left of
    /// their waits.
    fn hold_until(&mut self, now: Time) {
        let held = self.held();
        let Some(probe) = &mut self.probe else { return };
        probe.sample_until(now, held, Some(&self.queue));
        if !self.counts && now >= probe.warmup() {
            self.counts = true;
            let mut ahead = 0;
            for slot in self.queue.waiting() {
                let wait = slot.start.since(probe.warmup()).0;
                probe.queue.wait(slot.bytes(), wait, ahead);
                ahead += wait;
            }
        }
        probe.queue.hold_longest(held.pkts, now);
    }

    /// The transmitter takes the next packet, if there is one.
    #[inline(always)]
    fn start_next(&mut self, now: Time) {
        let next = self.queue.dequeue(&mut Cx::new(now, &mut self.dice, &mut self.fates));
        self.serving = now;
        self.free = match next {
            Some(gone) => {
                self.starts = self.starts.wrapping_sub(gone.start.0);
                self.queue.head().map_or(self.until, |slot| slot.start)
            }
            None => Time::NEVER,
        };
    }

    fn held(&self) -> Held {
        Held { pkts: self.queue.len() as u64, bytes: self.queue.backlog().0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::calendar::Key;
    use crate::link::tests::{link, packet};
    use crate::link::Short;
    use crate::probe::{LinkProbe, Window};
    use proptest::prelude::*;
    use units::{Ecn, Span, Time};

    proptest! {
        /// The short form is the same as the link it stands for, to the last figure of its probe.
        #[test]
        fn a_red_line_equals_its_link(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4, 0u32..100, 0u64..4), 1..400),
            widest in prop_oneof![Just(20), Just(9)],
            even in prop_oneof![Just(0), Just(60), Just(97), Just(100)],
            step in prop_oneof![Just(100_000), Just(99_999)],
        ) {
            let window = Window { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link("red").with_probe(LinkProbe::new(window));
            let (mut link, mut short) = (make(), make());
            let Some(Short::Red(mut line)) = short.shorten(false) else { panic!("RED has a short form") };
            let mut fates = Vec::new();
            let (mut now, mut born) = (0, 0);
            for (gap, size, other, age) in arrivals {
                let size = if other < even { 2 } else { size };
                now += gap % widest * step;
                // Some were set going before a packet of size 2 that goes on the wire as the one before it ends, some after, some with it.
                born = born.max(now.saturating_sub(age * 400_000));
                let at = Key { time: Time(now), birth: Time(born), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                let passed = line.accept(size * 400, Ecn::NotEct, at).map_or_else(|changed| changed, Some);
                prop_assert_eq!(passed, wire);
                prop_assert_eq!(line.fates.len(), fates.len());
                line.fates.clear();
                fates.clear();
            }
            link.finish(Time(now), &mut fates);
            prop_assert_eq!(line.finish(Time(now)), link.waiting() as u64);
            let (of_link, of_line) = (link.probe().unwrap(), line.probe.unwrap());
            prop_assert_eq!(of_line.counters, of_link.counters);
            prop_assert_eq!(format!("{:?}", of_line.queue), format!("{:?}", of_link.queue));
            prop_assert_eq!(format!("{:?}", of_line.avg), format!("{:?}", of_link.avg));
            prop_assert_eq!(format!("{:?}", of_line.curve), format!("{:?}", of_link.curve));
            prop_assert_eq!(format!("{:?}", of_line.sojourn), format!("{:?}", of_link.sojourn));
            prop_assert_eq!(format!("{:?}", of_line.series), format!("{:?}", of_link.series));
        }
    }
}
