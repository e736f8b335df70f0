//! A RED link in short form.
//!
//! RED decides at arrival, so when a packet will leave is known as soon as it is let in, and its queue need not hold the packet
//! itself: when its transmission starts and how large it is, is enough. All else is as in [`Link`](crate::link::Link).

use crate::calendar::Key;
use crate::link::OnWire;
use crate::probe::{Held, LinkProbe};
use queue::disc::{Cx, Fate, Packet, QueueDisc};
use queue::red::Red;
use units::{Bytes, Ecn, Rate, Serializer, Span, Stream, Time};

/// What the queue holds of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// When its transmission starts.
    start: Time,
    size: u32,
    /// As it was marked, if it was.
    pub ecn: Ecn,
}

impl Packet for Slot {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
    /// RED does not ask.
    fn flow(&self) -> u64 {
        0
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    #[inline]
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.start
    }
    #[inline]
    fn set_enqueued(&mut self, _now: Time) {}
}

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
    dice: Stream,
    /// The transmitter is sending; what is on the wire started at `serving`.
    busy: bool,
    serving: Time,
    /// When it is done with that.
    free: Time,
    /// The end of the last packet let in.
    until: Time,
    serializer: Serializer,
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
            dice,
            busy: false,
            serving: Time::ZERO,
            free: Time::ZERO,
            until: Time::ZERO,
            serializer: Serializer::new(rate),
        }
    }

    /// Rate of the transmitter.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.serializer.rate()
    }

    /// A packet of this size arrives: where it will be next, or `None` if it was dropped; the rest as in
    /// [`RedLine::accept`].
    #[inline(always)]
    pub fn pass(&mut self, size: u32, ecn: Ecn, key: Key) -> Option<Key> {
        let wire = self.accept(size, ecn, key)?;
        let time = wire.lands(size, self.rate(), self.delay);
        Some(Key { time, birth: wire.start, component: self.component })
    }

    /// A packet of this size arrives: its transmission, or `None` if it was dropped. What became of it otherwise is in
    /// `fates`.
    #[inline(always)]
    pub fn accept(&mut self, size: u32, ecn: Ecn, key: Key) -> Option<OnWire> {
        let now = key.time;
        self.leave_before(key);
        self.observe(now);
        let start = if self.busy { self.until } else { now };
        let mut cx = Cx::new(now, &mut self.dice, &mut self.fates);
        self.queue.take(Slot { start, size, ecn }, &mut cx);
        if !self.fates.is_empty() {
            return self.accept_with_fates(size, now, start);
        }
        let wire = self.let_in(size, now, start);
        if let Some(probe) = &mut self.probe {
            probe.let_in(now, size, self.queue.average(), start, wire.finish);
        }
        Some(wire)
    }

    /// A packet stays: its transmission.
    #[inline(always)]
    fn let_in(&mut self, size: u32, now: Time, start: Time) -> OnWire {
        if now > self.until {
            self.serializer.restart();
        }
        let finish = self.serializer.finish(start, Bytes(u64::from(size)));
        self.until = finish;
        if !self.busy {
            self.start_next(now);
        }
        OnWire { start, finish }
    }

    /// A packet was dropped or marked.
    #[cold]
    #[inline(never)]
    fn accept_with_fates(&mut self, size: u32, now: Time, start: Time) -> Option<OnWire> {
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
        }
        if self.fates.iter().any(|fate| matches!(fate, Fate::Dropped(..))) {
            if !self.busy {
                self.start_next(now);
            }
            return None;
        }
        let wire = self.let_in(size, now, start);
        if let Some(probe) = &mut self.probe {
            probe.departed(size, now, start, wire.finish);
        }
        Some(wire)
    }

    /// Brings the line to the end of the run. Gives the packets that still wait.
    pub fn finish(&mut self, end: Time) -> u64 {
        self.leave_before(Key { time: end, birth: Time::NEVER, component: u32::MAX });
        let held = self.held();
        if let Some(probe) = &mut self.probe {
            probe.finish(end, self.until, held, Some(&self.queue));
        }
        held.pkts
    }

    /// Those whose turn comes before `key` start, and the transmitter finds out if none is left.
    #[inline(always)]
    fn leave_before(&mut self, key: Key) {
        while self.busy {
            let free = self.free;
            let place = Key { time: free, birth: self.serving, component: self.component };
            if !place.precedes(&key) {
                return;
            }
            self.observe(free);
            self.start_next(free);
        }
    }

    /// The transmitter takes the next packet, if there is one.
    #[inline(always)]
    fn start_next(&mut self, now: Time) {
        let next = self.queue.dequeue(&mut Cx::new(now, &mut self.dice, &mut self.fates));
        self.busy = next.is_some();
        self.serving = now;
        self.free = self.queue.head().map_or(self.until, |slot| slot.start);
    }

    #[inline(always)]
    fn held(&self) -> Held {
        Held { pkts: self.queue.len() as u64, bytes: self.queue.backlog().0 }
    }

    /// Accounts for the state held until `now`, before it changes.
    #[inline(always)]
    fn observe(&mut self, now: Time) {
        let held = self.held();
        if let Some(probe) = &mut self.probe {
            probe.hold_until(now, held, Some(&self.queue));
        }
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
        fn a_red_line_equals_its_link(arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..400)) {
            let window = Window { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link("red").with_probe(LinkProbe::new(window));
            let (mut link, mut short) = (make(), make());
            let Some(Short::Red(mut line)) = short.shorten() else { panic!("RED has a short form") };
            let mut fates = Vec::new();
            let mut now = 0;
            for (gap, size) in arrivals {
                now += gap * 100_000;
                let at = Key { time: Time(now), birth: Time(now - now.min(400_000)), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                prop_assert_eq!(line.accept(size * 400, Ecn::NotEct, at), wire);
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
