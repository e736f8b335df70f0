//! One direction of a link: a discipline, a transmitter and a wire.
//!
//! A transmitter takes the next packet as soon as it is free. Where the discipline decides at arrival only,
//! the moment a packet will leave is known when it is accepted: then the link needs no event of its own and
//! catches up with its dequeues at the next arrival, each at the time it was due. Otherwise each end of a
//! transmission is an event.

use crate::calendar::Key;
use crate::line::Line;
use crate::loss::Loss;
use crate::packet::{Pkt, Waiting};
use crate::probe::{Held, LinkProbe};
use queue::disc::{Cx, Decides, Fate, QueueDisc};
use queue::fifo::Unit;
use queue::Disc;
use units::{Bytes, Ecn, Rate, Serializer, Span, Stream, Time};

/// First and last bit on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnWire {
    /// When the first is sent.
    pub start: Time,
    /// When the last is.
    pub finish: Time,
}

/// One direction of a link.
pub struct Link {
    queue: Disc<Waiting>,
    /// What it holds.
    held: Held,
    dice: Stream,
    /// This link's number, its place in the order of events.
    component: u32,
    /// Whether departures are known at arrival.
    ahead: bool,
    /// Whether the discipline has ticks of its own.
    ticks: bool,
    /// Whether the packet on the wire counts as queued.
    counts_wire: bool,
    /// Whether the transmitter is sending, what, since when and until when.
    busy: bool,
    on_wire: Bytes,
    started: Time,
    free_at: Time,
    line: Serializer,
    /// With departures known ahead: the end of the last accepted packet's transmission, and the transmitter as it
    /// will be then.
    accepted_until: Time,
    line_ahead: Serializer,
    /// Propagation delay.
    pub delay: Span,
    /// What it destroys, if anything.
    pub loss: Option<Box<Loss>>,
    /// What it writes to results, if anything.
    pub probe: Option<Box<LinkProbe>>,
}

impl Link {
    /// An idle link.
    pub fn new(
        component: u32,
        queue: Disc<Waiting>,
        dice: Stream,
        rate: Rate,
        delay: Span,
        counts_wire: bool,
    ) -> Link {
        Link {
            ahead: queue.decides() == Decides::AtArrival,
            ticks: queue.next_deadline().is_some(),
            queue,
            held: Held::default(),
            dice,
            component,
            counts_wire,
            busy: false,
            on_wire: Bytes(0),
            started: Time::ZERO,
            free_at: Time::ZERO,
            line: Serializer::new(rate),
            accepted_until: Time::ZERO,
            line_ahead: Serializer::new(rate),
            delay,
            loss: None,
            probe: None,
        }
    }

    /// Whether departures are known at arrival.
    #[inline]
    pub fn knows_ahead(&self) -> bool {
        self.ahead
    }

    /// The short form of this link, if it has one: see [`Line`]. It takes the probe with it.
    pub fn as_line(&mut self) -> Option<Line> {
        let plain = self.loss.is_none() && !self.counts_wire;
        let limit = self.queue.plain_limit().filter(|_| plain)?;
        Some(Line::new(self.component, limit, self.rate(), self.delay, self.probe.take()))
    }

    /// Rate of the transmitter.
    pub fn rate(&self) -> Rate {
        self.line.rate()
    }

    /// What the discipline's own average counts.
    pub fn avg_unit(&self) -> Unit {
        self.queue.avg_unit()
    }

    /// Packets waiting.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Takes a packet, which is changed if it is marked. With departures known ahead: when it will leave, or `None` if
    /// it was dropped. Otherwise `None`, and an idle transmitter is to be served. Fates are appended to `fates`.
    #[inline]
    pub fn arrive(&mut self, pkt: &mut Pkt, key: Key, fates: &mut Vec<Fate<Waiting>>) -> Option<OnWire> {
        self.catch_up(key, fates);
        let now = key.time;
        self.observe(now);
        let before = fates.len();
        let waiting = Waiting { pkt: *pkt, enqueued: now };
        self.with_queue(now, fates, |queue, cx| queue.enqueue(waiting, cx));
        let came = &fates[before..];
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, pkt.size, self.queue.avg(), came);
        }
        if !self.ahead {
            self.look_at_queue();
            return None;
        }
        let dropped = !came.is_empty() && is_dropped(pkt, came);
        if !dropped {
            self.held.add(pkt.size);
        }
        if !self.busy {
            self.start_next(now, fates);
        }
        (!dropped).then(|| self.settle(pkt.size, now))
    }

    /// Whether the transmitter is sending.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// The end of a transmission, where each is an event: starts the next, if any.
    pub fn transmitter_free(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) -> Option<(Pkt, OnWire)> {
        self.tick_until(now, fates);
        self.observe(now);
        self.busy = false;
        self.serve(now, fates)
    }

    /// Brings the link to the end of the run: all that was due by then has happened, and was observed.
    pub fn finish(&mut self, end: Time, fates: &mut Vec<Fate<Waiting>>) {
        self.catch_up(Key { time: end, birth: Time::NEVER, component: u32::MAX }, fates);
        if let Some(probe) = &mut self.probe {
            let busy_until = self.accepted_until.max(self.free_at);
            probe.finish(end, busy_until, self.held, Some(&self.queue));
        }
    }

    /// Takes the next packet from the queue of an idle transmitter and puts it on the wire.
    pub fn serve(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) -> Option<(Pkt, OnWire)> {
        let before = fates.len();
        let next = self.with_queue(now, fates, |queue, cx| queue.dequeue(cx));
        self.look_at_queue();
        if let Some(probe) = &mut self.probe {
            probe.ended(now, &fates[before..]);
        }
        let Waiting { pkt, enqueued } = next?;
        self.occupy(pkt.size, now);
        if let Some(probe) = &mut self.probe {
            probe.departed(pkt.size, enqueued, now, self.free_at);
        }
        Some((pkt, OnWire { start: now, finish: self.free_at }))
    }

    /// With departures known ahead: the accepted packet's transmission follows all accepted before it.
    #[inline]
    fn settle(&mut self, size: u32, now: Time) -> OnWire {
        if now > self.accepted_until {
            self.line_ahead.restart();
        }
        let start = now.max(self.accepted_until);
        let finish = start + self.line_ahead.next(Bytes(u64::from(size)));
        self.accepted_until = finish;
        if let Some(probe) = &mut self.probe {
            probe.departed(size, now, start, finish);
        }
        OnWire { start, finish }
    }

    /// With departures known ahead: the dequeue at the end of a transmission, or after an arrival at an idle line.
    #[inline]
    fn start_next(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) {
        match self.with_queue(now, fates, |queue, cx| queue.release(cx)) {
            Some(Bytes(size)) => {
                self.held.remove(size as u32);
                self.occupy(size as u32, now);
            }
            None => self.busy = false,
        }
    }

    /// Puts a packet on the wire; after an idle gap nothing is carried over from the last division.
    #[inline]
    fn occupy(&mut self, size: u32, now: Time) {
        if now > self.free_at {
            self.line.restart();
        }
        self.busy = true;
        self.on_wire = Bytes(u64::from(size));
        self.started = now;
        self.free_at = now + self.line.next(self.on_wire);
    }

    /// Where a discipline may end packets at any time: what it holds after a call.
    #[inline]
    fn look_at_queue(&mut self) {
        self.held = Held { pkts: self.queue.len() as u64, bytes: self.queue.backlog().0 };
    }

    /// Does what was due before `key`: dequeues (where they are no events) and the discipline's own ticks.
    #[inline]
    fn catch_up(&mut self, key: Key, fates: &mut Vec<Fate<Waiting>>) {
        if self.ahead {
            while self.busy && self.free_key().precedes(&key) {
                let now = self.free_at;
                self.tick_until(now, fates);
                self.observe(now);
                self.start_next(now, fates);
            }
        }
        self.tick_until(key.time, fates);
    }

    /// The place of the end of the present transmission in the order of events.
    #[inline]
    fn free_key(&self) -> Key {
        Key { time: self.free_at, birth: self.started, component: self.component }
    }

    /// Runs the discipline's ticks that are due before `now`; ticks come last at equal times.
    #[inline]
    fn tick_until(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) {
        if self.ticks {
            self.run_ticks(now, fates);
        }
    }

    fn run_ticks(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due < now) {
            self.observe(due);
            let before = fates.len();
            self.with_queue(due, fates, |queue, cx| queue.on_deadline(cx));
            self.look_at_queue();
            if let Some(probe) = &mut self.probe {
                probe.ended(due, &fates[before..]);
            }
        }
    }

    /// Accounts for the state held until `now`, before it changes.
    #[inline]
    fn observe(&mut self, now: Time) {
        if let Some(probe) = &mut self.probe {
            probe.hold_until(now, self.held, Some(&self.queue));
        }
    }

    #[inline]
    fn with_queue<R>(
        &mut self,
        now: Time,
        fates: &mut Vec<Fate<Waiting>>,
        call: impl FnOnce(&mut Disc<Waiting>, &mut Cx<'_, Waiting>) -> R,
    ) -> R {
        let mut cx = Cx::new(now, &mut self.dice, fates);
        if self.counts_wire && self.busy {
            cx.on_wire = self.on_wire;
        }
        call(&mut self.queue, &mut cx)
    }
}

/// Whether the arriving packet was dropped; if it was marked, it is changed.
#[cold]
fn is_dropped(pkt: &mut Pkt, fates: &[Fate<Waiting>]) -> bool {
    fates.iter().any(|fate| match fate {
        Fate::Dropped(..) => true,
        Fate::Marked(..) => {
            pkt.ecn = Ecn::Ce;
            false
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::probe::Window;
    use proptest::prelude::*;
    use queue::{Setting, Spec};
    use units::param::{Table, Value};

    /// A link of 8 Mbit/s with room for twelve.
    pub(crate) fn link(kind: &str) -> Link {
        let text = |s: &str| Value::Text(s.to_string());
        let mut table: Table = vec![("kind".into(), text(kind)), ("limit".into(), text("12 pkts"))];
        if kind == "red" {
            table.extend([("min_th".into(), text("2 pkts")), ("max_th".into(), text("6 pkts"))]);
        }
        let spec = Spec::read("queue", &table, &mut Vec::new()).expect("a sound table");
        let rate = Rate(8_000_000);
        let setting = Setting { rate, delay: Span::ZERO, packet: Bytes(1000) };
        Link::new(0, spec.build(&setting), Stream::new(3, "queue/test"), rate, Span::ZERO, false)
    }

    pub(crate) fn packet(seq: u32, size: u32) -> Pkt {
        Pkt { stamp: Time::ZERO, seq, flow: 0, size, sack: 0, step: 0, class: 0, ecn: Ecn::NotEct, flags: 0 }
    }

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time.saturating_sub(1)), component: 1 }
    }

    /// Departures with known-ahead service, and with an event at the end of each transmission.
    fn departures(kind: &str, arrivals: &[(u64, u32)], ahead: bool) -> Vec<(u32, Time, Time)> {
        let mut link = link(kind);
        link.ahead = ahead;
        let (mut fates, mut out, mut free) = (Vec::new(), Vec::new(), None::<Key>);
        let mut note = |sent: Option<(u32, OnWire)>, next: &mut Option<Key>| {
            if let Some((seq, OnWire { start, finish })) = sent {
                out.push((seq, start, finish));
                *next = Some(Key { time: finish, birth: start, component: 0 });
            }
        };
        let mut now = 0;
        for (seq, (gap, size)) in (0u32..).zip(arrivals) {
            now += gap;
            while let Some(due) = free.filter(|due| !ahead && *due < key(now)) {
                free = None;
                let sent = link.transmitter_free(due.time, &mut fates);
                note(sent.map(|(pkt, wire)| (pkt.seq, wire)), &mut free);
            }
            let mut sent = link.arrive(&mut packet(seq, *size), key(now), &mut fates).map(|wire| (seq, wire));
            if !ahead && !link.is_busy() {
                sent = link.serve(Time(now), &mut fates).map(|(pkt, wire)| (pkt.seq, wire));
            }
            note(sent, &mut free);
        }
        while let Some(due) = free.take().filter(|_| !ahead) {
            let sent = link.transmitter_free(due.time, &mut fates);
            note(sent.map(|(pkt, wire)| (pkt.seq, wire)), &mut free);
        }
        out
    }

    #[test]
    fn a_busy_line_sends_one_after_the_other() {
        let sent = departures("droptail", &[(0, 1000), (100_000, 500), (5_000_000, 1000)], true);
        let ms = |n: u64| Time(n * 100_000);
        assert_eq!(sent, [(0, ms(0), ms(10)), (1, ms(10), ms(15)), (2, ms(51), ms(61))]);
    }

    /// Nanoseconds a link was sending between 3 ms and the end of the run, which may be cut short.
    fn busy_ns(kind: &str, arrivals: &[(u64, u32)], ends: u64, cut: u64) -> u64 {
        let window =
            Window { warmup: Time(3_000_000), end: Time(ends), sample: Span(1_000_000), series: false };
        let mut link = link(kind);
        link.probe = Some(Box::new(LinkProbe::new(window)));
        let (mut fates, mut now) = (Vec::new(), 0);
        for (seq, (gap, size)) in arrivals.iter().enumerate() {
            now += gap;
            if now > cut {
                break;
            }
            link.arrive(&mut packet(seq as u32, *size), key(now), &mut fates);
        }
        link.finish(Time(cut), &mut fates);
        link.probe.map_or(0, |probe| probe.counters.busy_ns)
    }

    proptest! {
        /// A link is never busy for longer than there was time, also where the run was cut short.
        #[test]
        fn a_link_is_never_busy_for_longer_than_is_counted(
            arrivals in proptest::collection::vec((0u64..2_000_000, 40u32..3000), 1..100),
            kind in prop_oneof![Just("droptail"), Just("red")],
            ends in 3_000_000u64..60_000_000,
            share in 0.0..1.0f64,
        ) {
            prop_assert!(busy_ns(kind, &arrivals, ends, ends) <= ends - 3_000_000);
            let cut = (ends as f64 * share) as u64;
            prop_assert!(busy_ns(kind, &arrivals, ends, cut) <= cut.saturating_sub(3_000_000));
        }

        /// Knowing departures ahead is the same as waiting for the end of each transmission.
        #[test]
        fn known_ahead_equals_event_by_event(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300),
            kind in prop_oneof![Just("droptail"), Just("red")],
        ) {
            // Gaps and sizes on a coarse grid, so that ends of transmissions and arrivals often coincide.
            let arrivals: Vec<(u64, u32)> = arrivals.iter().map(|(gap, size)| (gap * 100_000, size * 400)).collect();
            prop_assert_eq!(departures(kind, &arrivals, true), departures(kind, &arrivals, false));
        }
    }
}
