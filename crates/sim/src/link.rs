//! One direction of a link: a discipline, a transmitter and a wire.
//!
//! A transmitter takes the next packet as soon as it is free. Where the discipline decides at arrival only,
//! the moment a packet will leave is known when it is accepted: then the link needs no event of its own and
//! catches up with its dequeues at the next arrival, each at the time it was due. Otherwise each end of a
//! transmission is an event.

use crate::calendar::Key;
use crate::line::Line;
use crate::loss::Loss;
use crate::packet::Pkt;
use crate::probe::LinkProbe;
use queue::disc::{Cx, Decides, Fate, Packet, QueueDisc};
use queue::fifo::Unit;
use queue::Disc;
use units::{Bytes, Rate, Serializer, Span, Stream, Time};

/// A packet whose transmission is settled.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The packet, as it leaves.
    pub pkt: Pkt,
    /// First bit on the wire.
    pub start: Time,
    /// Last bit on the wire.
    pub finish: Time,
}

/// One direction of a link.
pub struct Link {
    queue: Disc<Pkt>,
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
        queue: Disc<Pkt>,
        dice: Stream,
        rate: Rate,
        delay: Span,
        counts_wire: bool,
    ) -> Link {
        Link {
            ahead: queue.decides() == Decides::AtArrival,
            ticks: queue.next_deadline().is_some(),
            queue,
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

    /// The short form of this link, if it has one: see [`Line`].
    pub fn as_line(&self) -> Option<Line> {
        let plain = self.probe.is_none() && self.loss.is_none() && !self.counts_wire;
        let limit = self.queue.plain_limit().filter(|_| plain)?;
        Some(Line::new(self.component, limit, self.rate(), self.delay))
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

    /// Takes a packet. Returns the packet whose transmission this settles: the arriving one where
    /// departures are known ahead, else the one whose transmission starts now. Fates are appended to `fates`.
    #[inline]
    pub fn arrive(&mut self, pkt: Pkt, key: Key, fates: &mut Vec<Fate<Pkt>>) -> Option<Sent> {
        self.catch_up(key, fates);
        let now = key.time;
        self.observe(now);
        let before = fates.len();
        self.with_queue(now, fates, |queue, cx| queue.enqueue(pkt, cx));
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, &pkt, self.queue.avg(), &fates[before..]);
        }
        if !self.ahead {
            return if self.busy { None } else { self.serve(now, fates) };
        }
        let accepted = accepted(pkt, &fates[before..]);
        if !self.busy {
            self.start_idle_line(now, fates);
        }
        accepted.map(|taken| self.settle(taken, now))
    }

    /// The end of a transmission, where each is an event: starts the next, if any.
    pub fn transmitter_free(&mut self, now: Time, fates: &mut Vec<Fate<Pkt>>) -> Option<Sent> {
        self.tick_until(now, fates);
        self.observe(now);
        self.busy = false;
        self.serve(now, fates)
    }

    /// Brings the link to the end of the run: all that was due by then has happened, and was observed.
    pub fn finish(&mut self, end: Time, fates: &mut Vec<Fate<Pkt>>) {
        self.catch_up(Key { time: end, birth: Time::NEVER, component: u32::MAX }, fates);
        if let Some(probe) = &mut self.probe {
            probe.finish(end, self.accepted_until.max(self.free_at), &self.queue);
        }
    }

    /// Takes the next packet from the queue and puts it on the wire.
    fn serve(&mut self, now: Time, fates: &mut Vec<Fate<Pkt>>) -> Option<Sent> {
        let before = fates.len();
        let next = self.with_queue(now, fates, |queue, cx| queue.dequeue(cx));
        if let Some(probe) = &mut self.probe {
            probe.ended(now, &fates[before..]);
        }
        let pkt = next?;
        self.occupy(&pkt, now);
        let sent = Sent { pkt, start: now, finish: self.free_at };
        if let Some(probe) = &mut self.probe {
            probe.departed(&sent, pkt.enqueued);
        }
        Some(sent)
    }

    /// With departures known ahead: the accepted packet's transmission follows all accepted before it.
    #[inline]
    fn settle(&mut self, pkt: Pkt, now: Time) -> Sent {
        if now > self.accepted_until {
            self.line_ahead.restart();
        }
        let start = now.max(self.accepted_until);
        let finish = start + self.line_ahead.next(pkt.size());
        self.accepted_until = finish;
        let sent = Sent { pkt, start, finish };
        if let Some(probe) = &mut self.probe {
            probe.departed(&sent, now);
        }
        sent
    }

    /// With departures known ahead: the dequeue that follows an arrival at an idle line.
    #[inline]
    fn start_idle_line(&mut self, now: Time, fates: &mut Vec<Fate<Pkt>>) {
        if let Some(pkt) = self.with_queue(now, fates, |queue, cx| queue.dequeue(cx)) {
            self.occupy(&pkt, now);
        }
    }

    /// Puts a packet on the wire; after an idle gap nothing is carried over from the last division.
    #[inline]
    fn occupy(&mut self, pkt: &Pkt, now: Time) {
        if now > self.free_at {
            self.line.restart();
        }
        self.busy = true;
        self.on_wire = pkt.size();
        self.started = now;
        self.free_at = now + self.line.next(pkt.size());
    }

    /// Does what was due before `key`: dequeues (where they are no events) and the discipline's own ticks.
    #[inline]
    fn catch_up(&mut self, key: Key, fates: &mut Vec<Fate<Pkt>>) {
        if self.ahead {
            while self.busy && self.free_key() < key {
                let now = self.free_at;
                self.tick_until(now, fates);
                self.observe(now);
                match self.with_queue(now, fates, |queue, cx| queue.dequeue(cx)) {
                    Some(pkt) => self.occupy(&pkt, now),
                    None => self.busy = false,
                }
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
    fn tick_until(&mut self, now: Time, fates: &mut Vec<Fate<Pkt>>) {
        if self.ticks {
            self.run_ticks(now, fates);
        }
    }

    fn run_ticks(&mut self, now: Time, fates: &mut Vec<Fate<Pkt>>) {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due < now) {
            self.observe(due);
            let before = fates.len();
            self.with_queue(due, fates, |queue, cx| queue.on_deadline(cx));
            if let Some(probe) = &mut self.probe {
                probe.ended(due, &fates[before..]);
            }
        }
    }

    /// Accounts for the state held until `now`, before it changes.
    #[inline]
    fn observe(&mut self, now: Time) {
        if let Some(probe) = &mut self.probe {
            probe.hold_until(now, &self.queue);
        }
    }

    #[inline]
    fn with_queue<R>(
        &mut self,
        now: Time,
        fates: &mut Vec<Fate<Pkt>>,
        call: impl FnOnce(&mut Disc<Pkt>, &mut Cx<'_, Pkt>) -> R,
    ) -> R {
        let mut cx = Cx::new(now, &mut self.dice, fates);
        if self.counts_wire && self.busy {
            cx.on_wire = self.on_wire;
        }
        call(&mut self.queue, &mut cx)
    }
}

/// The arriving packet as it was accepted, or `None` if it was dropped.
#[inline]
fn accepted(mut pkt: Pkt, fates: &[Fate<Pkt>]) -> Option<Pkt> {
    for fate in fates {
        match fate {
            Fate::Dropped(..) => return None,
            Fate::Marked(..) => pkt.set_ce(),
        }
    }
    Some(pkt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Window;
    use proptest::prelude::*;
    use queue::{Setting, Spec};
    use units::param::{Table, Value};
    use units::Ecn;

    fn link(kind: &str) -> Link {
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

    fn packet(seq: u32, size: u32) -> Pkt {
        let nothing = Time::ZERO;
        Pkt {
            enqueued: nothing,
            stamp: nothing,
            seq,
            flow: 0,
            size,
            sack: 0,
            hop: 0,
            class: 0,
            ecn: Ecn::NotEct,
            flags: 0,
        }
    }

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time.saturating_sub(1)), component: 1 }
    }

    /// Departures with known-ahead service, and with an event at the end of each transmission.
    fn departures(kind: &str, arrivals: &[(u64, u32)], ahead: bool) -> Vec<(u32, Time, Time)> {
        let mut link = link(kind);
        link.ahead = ahead;
        let (mut fates, mut out, mut free) = (Vec::new(), Vec::new(), None::<Key>);
        let mut note = |sent: Option<Sent>, next: &mut Option<Key>| {
            if let Some(sent) = sent {
                out.push((sent.pkt.seq, sent.start, sent.finish));
                *next = Some(Key { time: sent.finish, birth: sent.start, component: 0 });
            }
        };
        let mut now = 0;
        for (seq, (gap, size)) in arrivals.iter().enumerate() {
            now += gap;
            while let Some(due) = free.filter(|due| !ahead && *due < key(now)) {
                free = None;
                let sent = link.transmitter_free(due.time, &mut fates);
                note(sent, &mut free);
            }
            let sent = link.arrive(packet(seq as u32, *size), key(now), &mut fates);
            note(sent, &mut free);
        }
        while let Some(due) = free.take().filter(|_| !ahead) {
            let sent = link.transmitter_free(due.time, &mut fates);
            note(sent, &mut free);
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
            link.arrive(packet(seq as u32, *size), key(now), &mut fates);
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
