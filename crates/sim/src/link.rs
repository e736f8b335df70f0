//! One direction of a link: a discipline, a transmitter and a wire.
//!
//! A transmitter takes the next packet as soon as it is free. Where the discipline decides at arrival only,
//! the moment a packet will leave is known when it is accepted: then the link needs no event of its own and
//! catches up with its dequeues at the next arrival, each at the time it was due. Otherwise each end of a
//! transmission is an event.

mod accounts;
mod ring;
mod short;

pub use short::Short;

use crate::calendar::Key;
use crate::loss::Loss;
use crate::packet::{Pkt, Waiting};
use crate::probe::{Held, LinkProbe};
pub use crate::wire::OnWire;
use queue::disc::{Cx, Decides, Fate, QueueDisc};
use queue::fifo::Unit;
use queue::Disc;
use ring::Ring;
use std::sync::Arc;
use units::size::Opportunities;
use units::{Bytes, Ecn, Rate, Serializer, Span, Stream, Time};

/// One direction of a link.
pub struct Link {
    /// What works; nothing once the link has taken its short form.
    works: Option<Box<Works>>,
    /// Propagation delay.
    pub delay: Span,
    /// What it does to packets beside its queue, if anything.
    pub loss: Option<Box<Loss>>,
    rate: Rate,
    /// What the short form gave back, and what its average counts.
    kept: Option<Box<LinkProbe>>,
    avg_unit: Unit,
}

struct Works {
    queue: Disc<Waiting>,
    transmitter: Transmitter,
}

/// All of a link but its discipline, which its verbs are given: they are compiled for RED by name and for any other
/// behind the match over all kinds, so that the one met most often costs no match.
struct Transmitter {
    /// What the queue holds.
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
    /// The device's ring, if it has one.
    ring: Option<Box<Ring>>,
    /// Whether it can take no packet; what was put on the wire last, since when and until when.
    busy: bool,
    on_wire: Bytes,
    started: Time,
    free_at: Time,
    /// Where the end of each transmission is an event: when it can take the next packet.
    ready: Time,
    line: Serializer,
    /// With departures known ahead: the end of the last accepted packet's transmission, and the transmitter as it
    /// will be then.
    accepted_until: Time,
    line_ahead: Serializer,
    /// What the link writes to results, if anything.
    probe: Option<Box<LinkProbe>>,
}

/// Does something with the discipline and the transmitter of a link, in code made for RED or for any.
macro_rules! with_disc {
    ($link:expr, |$queue:ident, $transmitter:ident| $work:expr) => {{
        let Works { queue, transmitter: $transmitter } = $link.works();
        match queue {
            Disc::Red($queue) => $work,
            $queue => $work,
        }
    }};
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
        let transmitter = Transmitter {
            held: Held::default(),
            dice,
            component,
            ahead: queue.decides() == Decides::AtArrival,
            ticks: queue.next_deadline().is_some(),
            counts_wire,
            ring: None,
            busy: false,
            on_wire: Bytes(0),
            started: Time::ZERO,
            free_at: Time::ZERO,
            ready: Time::ZERO,
            line: Serializer::new(rate),
            accepted_until: Time::ZERO,
            line_ahead: Serializer::new(rate),
            probe: None,
        };
        let works = Some(Box::new(Works { queue, transmitter }));
        Link { works, delay, loss: None, rate, kept: None, avg_unit: Unit::Packets }
    }

    /// What is left of a link whose short form was built without it.
    pub fn in_short_form() -> Link {
        let (delay, rate, avg_unit) = (Span::ZERO, Rate::default(), Unit::Packets);
        Link { works: None, delay, loss: None, rate, kept: None, avg_unit }
    }

    #[inline]
    fn works(&mut self) -> &mut Works {
        self.works.as_mut().expect("a link in short form takes no packets")
    }

    /// It sends when there are opportunities, instead of at a rate.
    pub fn vary(&mut self, opportunities: &Arc<Opportunities>) {
        let transmitter = &mut self.works().transmitter;
        transmitter.line = Serializer::varying(opportunities.clone());
        transmitter.line_ahead = transmitter.line.clone();
    }

    /// Whether departures are known at arrival.
    #[inline]
    pub fn knows_ahead(&self) -> bool {
        self.works.as_ref().is_none_or(|works| works.transmitter.ahead)
    }

    /// Rate of the transmitter.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// What the discipline's own average counts.
    pub fn avg_unit(&self) -> Unit {
        self.works.as_ref().map_or(self.avg_unit, |works| works.queue.avg_unit())
    }

    /// Packets waiting.
    pub fn waiting(&self) -> usize {
        self.works.as_ref().map_or(0, |works| works.queue.len())
    }

    /// Takes a packet, which is changed if it is marked. With departures known ahead: when it will leave, or `None` if
    /// it was dropped. Otherwise `None`, and an idle transmitter is to be served. Fates are appended to `fates`.
    #[inline]
    pub fn arrive(&mut self, pkt: &mut Pkt, key: Key, fates: &mut Vec<Fate<Waiting>>) -> Option<OnWire> {
        with_disc!(self, |queue, transmitter| transmitter.arrive(queue, pkt, key, fates))
    }

    /// Whether the transmitter is sending, or its ring is full.
    pub fn is_busy(&self) -> bool {
        self.works.as_ref().is_some_and(|works| works.transmitter.busy)
    }

    /// Where the end of each transmission is an event: the transmitter can take a packet, and does if there is one.
    pub fn transmitter_free(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) -> Option<(Pkt, OnWire)> {
        let Works { queue, transmitter } = self.works();
        transmitter.tick_until(queue, now, fates);
        transmitter.observe(queue, now);
        transmitter.busy = false;
        transmitter.serve(queue, now, fates)
    }

    /// When to ask a discipline again that holds packets back: until then the transmitter counts as busy.
    pub fn ask_again(&mut self, now: Time) -> Option<Key> {
        let Works { queue, transmitter } = self.works();
        let time = queue.ready().filter(|_| !transmitter.busy)?;
        (transmitter.busy, transmitter.on_wire) = (true, Bytes(0));
        Some(Key { time, birth: now, component: transmitter.component })
    }

    /// Takes the next packet from the queue of a transmitter that is not busy.
    pub fn serve(&mut self, now: Time, fates: &mut Vec<Fate<Waiting>>) -> Option<(Pkt, OnWire)> {
        let Works { queue, transmitter } = self.works();
        transmitter.serve(queue, now, fates)
    }

    /// Brings the link to the end of the run: all that was due by then has happened, and was observed.
    pub fn finish(&mut self, end: Time, fates: &mut Vec<Fate<Waiting>>) {
        let Some(Works { queue, transmitter }) = self.works.as_deref_mut() else { return };
        let key = Key { time: end, birth: Time::NEVER, component: u32::MAX };
        transmitter.catch_up(queue, key, fates);
        if let Some(probe) = &mut transmitter.probe {
            let busy_until = transmitter.accepted_until.max(transmitter.free_at);
            probe.finish(end, busy_until, transmitter.held, Some(queue));
        }
    }
}

impl Transmitter {
    #[inline]
    fn arrive<D: QueueDisc<Waiting>>(
        &mut self,
        queue: &mut D,
        pkt: &mut Pkt,
        key: Key,
        fates: &mut Vec<Fate<Waiting>>,
    ) -> Option<OnWire> {
        self.catch_up(queue, key, fates);
        let now = key.time;
        self.observe(queue, now);
        let before = fates.len();
        let waiting = Waiting { pkt: *pkt, enqueued: now };
        queue.enqueue(waiting, &mut self.window(now, fates));
        let came = &fates[before..];
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, pkt.size, queue.avg(), came);
        }
        if !self.ahead {
            self.look_at(queue);
            return None;
        }
        let dropped = !came.is_empty() && is_dropped(pkt, came);
        if !dropped {
            self.held.add(pkt.size);
        }
        if !self.busy {
            self.start_next(queue, now, fates);
        }
        (!dropped).then(|| self.settle(pkt.size, now))
    }

    fn serve(
        &mut self,
        queue: &mut Disc<Waiting>,
        now: Time,
        fates: &mut Vec<Fate<Waiting>>,
    ) -> Option<(Pkt, OnWire)> {
        let before = fates.len();
        let next = queue.dequeue(&mut self.window(now, fates));
        self.look_at(queue);
        if let Some(probe) = &mut self.probe {
            probe.ended(now, &fates[before..]);
        }
        let Waiting { pkt, enqueued } = next?;
        let start = now.max(self.free_at);
        self.occupy(pkt.size, start);
        self.ready = self.ring.as_mut().map_or(self.free_at, |ring| ring.take(start, now));
        if let Some(probe) = &mut self.probe {
            probe.departed(pkt.size, enqueued, now, self.free_at);
            probe.held_in_ring(now, start);
        }
        Some((pkt, OnWire { start, finish: self.free_at }))
    }

    /// With departures known ahead: the accepted packet's transmission follows all accepted before it.
    #[inline]
    fn settle(&mut self, size: u32, now: Time) -> OnWire {
        if now > self.accepted_until {
            self.line_ahead.restart();
        }
        let start = now.max(self.accepted_until);
        let finish = self.line_ahead.finish(start, Bytes(u64::from(size)));
        self.accepted_until = finish;
        if let Some(probe) = &mut self.probe {
            probe.departed(size, now, start, finish);
        }
        OnWire { start, finish }
    }

    /// With departures known ahead: the dequeue at the end of a transmission, or after an arrival at an idle line.
    #[inline]
    fn start_next<D: QueueDisc<Waiting>>(
        &mut self,
        queue: &mut D,
        now: Time,
        fates: &mut Vec<Fate<Waiting>>,
    ) {
        match queue.release(&mut self.window(now, fates)) {
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
        self.free_at = self.line.finish(now, self.on_wire);
    }

    /// Where a discipline may end packets at any time: what it holds after a call.
    #[inline]
    fn look_at<D: QueueDisc<Waiting>>(&mut self, queue: &D) {
        self.held = Held { pkts: queue.len() as u64, bytes: queue.backlog().0 };
    }

    /// Does what was due before `key`: dequeues (where they are no events) and the discipline's own ticks.
    #[inline]
    fn catch_up<D: QueueDisc<Waiting>>(&mut self, queue: &mut D, key: Key, fates: &mut Vec<Fate<Waiting>>) {
        if self.ahead {
            while self.busy && self.free_key().precedes(&key) {
                let now = self.free_at;
                self.tick_until(queue, now, fates);
                self.observe(queue, now);
                self.start_next(queue, now, fates);
            }
        }
        self.tick_until(queue, key.time, fates);
    }

    /// The place of the end of the present transmission in the order of events.
    #[inline]
    fn free_key(&self) -> Key {
        Key { time: self.free_at, birth: self.started, component: self.component }
    }

    /// Runs the discipline's ticks that are due before `now`; ticks come last at equal times.
    #[inline]
    fn tick_until<D: QueueDisc<Waiting>>(
        &mut self,
        queue: &mut D,
        now: Time,
        fates: &mut Vec<Fate<Waiting>>,
    ) {
        if self.ticks {
            self.run_ticks(queue, now, fates);
        }
    }

    fn run_ticks<D: QueueDisc<Waiting>>(&mut self, queue: &mut D, now: Time, fates: &mut Vec<Fate<Waiting>>) {
        while let Some(due) = queue.next_deadline().filter(|due| *due < now) {
            self.observe(queue, due);
            let before = fates.len();
            queue.on_deadline(&mut self.window(due, fates));
            self.look_at(queue);
            if let Some(probe) = &mut self.probe {
                probe.ended(due, &fates[before..]);
            }
        }
    }

    /// Accounts for the state held until `now`, before it changes.
    #[inline]
    fn observe<D: QueueDisc<Waiting>>(&mut self, queue: &D, now: Time) {
        if let Some(probe) = &mut self.probe {
            probe.hold_until(now, self.held, Some(queue));
        }
    }

    /// The discipline's window on the world.
    #[inline]
    fn window<'a>(&'a mut self, now: Time, fates: &'a mut Vec<Fate<Waiting>>) -> Cx<'a, Waiting> {
        let on_wire = if self.counts_wire && self.busy { self.on_wire } else { Bytes(0) };
        let mut cx = Cx::new(now, &mut self.dice, fates);
        cx.on_wire = on_wire;
        cx
    }
}

/// Whether the arriving packet was dropped; if it was marked, it is changed.
#[cold]
fn is_dropped(pkt: &mut Pkt, fates: &[Fate<Waiting>]) -> bool {
    let dropped = fates.iter().any(|fate| matches!(fate, Fate::Dropped(..)));
    if !dropped {
        pkt.set_ecn(Ecn::Ce);
    }
    dropped
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::packet::About;
    use crate::probe::Window;
    use proptest::prelude::*;
    use queue::{Setting, Spec};
    use units::param::{Table, Value};

    /// A link of 8 Mbit/s with room for twelve.
    pub(crate) fn link(kind: &str) -> Link {
        link_at(kind, Rate(8_000_000))
    }

    pub(crate) fn link_at(kind: &str, rate: Rate) -> Link {
        let text = |s: &str| Value::Text(s.to_string());
        let mut table: Table = vec![("kind".into(), text(kind)), ("limit".into(), text("12 pkts"))];
        if kind == "red" {
            table.extend([("min_th".into(), text("2 pkts")), ("max_th".into(), text("6 pkts"))]);
        }
        let spec = Spec::read("queue", &table, &mut Vec::new()).expect("a sound table");
        let setting = Setting { rate, delay: Span::ZERO, packet: Bytes(1000) };
        Link::new(0, spec.build(&setting), Stream::new(3, "queue/test"), rate, Span::ZERO, false)
    }

    pub(crate) fn packet(seq: u32, size: u32) -> Pkt {
        Pkt::plain(Time::ZERO, seq, size, 0, 0, About::default())
    }

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time.saturating_sub(1)), component: 1 }
    }

    /// Departures with known-ahead service, and with an event at the end of each transmission.
    fn departures(kind: &str, arrivals: &[(u64, u32)], ahead: bool) -> Vec<(u32, Time, Time)> {
        let mut link = link(kind);
        link.works().transmitter.ahead = ahead;
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

    /// Room for twelve in the queue, two in the ring and one on the wire: fifteen of a burst of twenty.
    #[test]
    fn a_ring_holds_packets_beside_the_queue() {
        let passed = |ring| {
            let mut link = link("droptail");
            link.works().transmitter.ahead = false;
            link.hold_in_ring(ring);
            let mut fates = Vec::new();
            for seq in 0..20 {
                link.arrive(&mut packet(seq, 1000), key(0), &mut fates);
                while !link.is_busy() && link.serve(Time::ZERO, &mut fates).is_some() {
                    let full = link.ready() > Time::ZERO;
                    link.works().transmitter.busy = full;
                }
            }
            20 - fates.len()
        };
        assert_eq!((passed(0), passed(2)), (13, 15));
    }

    /// The second packet is taken at once and the third when the second begins to be sent; the line works for 3 ms all the same.
    #[test]
    fn a_packet_in_the_ring_has_left_the_queue() {
        let window =
            Window { warmup: Time::ZERO, end: Time(9_000_000), sample: Span(1_000_000), series: false };
        let mut link = link("droptail").with_probe(LinkProbe::new(window));
        link.hold_in_ring(1);
        let mut fates = Vec::new();
        for seq in 0..3 {
            link.arrive(&mut packet(seq, 1000), key(0), &mut fates);
        }
        let takes: Vec<_> = (0..3)
            .scan(Time::ZERO, |now, _| {
                let (_, wire) = link.serve(*now, &mut fates)?;
                *now = link.ready();
                Some((wire.start.0, now.0))
            })
            .collect();
        assert_eq!(takes, [(0, 0), (1_000_000, 1_000_000), (2_000_000, 2_000_000)]);
        link.finish(Time(9_000_000), &mut fates);
        assert_eq!(link.probe().map(|probe| probe.counters.busy_ns), Some(3_000_000));
    }

    /// Nanoseconds a link was sending between 3 ms and the end of the run, which may be cut short.
    fn busy_ns(kind: &str, arrivals: &[(u64, u32)], ends: u64, cut: u64) -> u64 {
        let window =
            Window { warmup: Time(3_000_000), end: Time(ends), sample: Span(1_000_000), series: false };
        let mut link = link(kind).with_probe(LinkProbe::new(window));
        let (mut fates, mut now) = (Vec::new(), 0);
        for (seq, (gap, size)) in arrivals.iter().enumerate() {
            now += gap;
            if now > cut {
                break;
            }
            link.arrive(&mut packet(seq as u32, *size), key(now), &mut fates);
        }
        link.finish(Time(cut), &mut fates);
        link.probe().map_or(0, |probe| probe.counters.busy_ns)
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
