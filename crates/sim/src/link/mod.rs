//! One direction of a link: a queue discipline, a transmitter and a wire.
//!
//! The transmitter dequeues the next packet as soon as it is free: each end of a transmission is an event. If the
//! discipline decides at arrival only, the departure of a packet is known when it is accepted, and an engine may ask
//! for that ([`Link::set_departures_known`]). The link then needs no event of its own: at the next arrival it executes
//! the dequeues that were due, each at its own time.

mod faults;
mod known_departures;
mod labels;
mod probing;
mod ring;
mod transmitter;

pub use faults::{Arrival, EntryFate, Faults};

use crate::account::{Backlog, LinkProbe};
use crate::calendar::Key;
use crate::packet::{Pkt, SackPool, WaitingPacket};
use crate::transmission::Transmission;
use queue::disc::{Decides, Fate, QueueDisc};
use queue::fifo::Unit;
use queue::Disc;
use std::sync::Arc;
use transmitter::Transmitter;
use units::framing::LineFraming;
use units::size::Opportunities;
use units::{Bytes, Rate, Serializer, Span, Stream, Time};

/// One direction of a link.
pub struct Link {
    /// Discipline and transmitter; `None` once an engine has taken them over.
    state: Option<Box<Active>>,
    /// Propagation delay.
    pub delay: Span,
    /// Losses, jitter, reordering and duplicates, if it has any.
    pub faults: Option<Box<Faults>>,
    rate: Rate,
    /// Returned by the engine after the run, and the unit of the average queue.
    probe_after_run: Option<Box<LinkProbe>>,
    avg_unit: Unit,
}

struct Active {
    queue: Disc<WaitingPacket>,
    transmitter: Transmitter,
}

/// Calls a method with the discipline and the transmitter, in code compiled for each of the most frequent disciplines
/// and once for all others.
macro_rules! with_disc {
    ($link:expr, |$queue:ident, $transmitter:ident| $work:expr) => {{
        let Active { queue, transmitter: $transmitter } = $link.state();
        match queue {
            Disc::Red($queue) => $work,
            Disc::Pie($queue) => $work,
            Disc::CoDel($queue) => $work,
            Disc::FqCoDel($queue) => $work,
            Disc::Cake($queue) => $work,
            $queue => $work,
        }
    }};
}

impl Link {
    /// An idle link.
    pub fn new(
        component: u32,
        queue: Disc<WaitingPacket>,
        rng: Stream,
        rate: Rate,
        delay: Span,
        counts_wire: bool,
    ) -> Link {
        let transmitter = Transmitter {
            backlog: Backlog::default(),
            rng,
            component,
            departures_known: false,
            ticks: queue.next_deadline().is_some(),
            counts_wire,
            ring: None,
            busy: false,
            on_wire: Bytes(0),
            started: Time::ZERO,
            free_at: Time::ZERO,
            ready: Time::ZERO,
            held_until: None,
            has_stale_events: false,
            serializer: Serializer::new(rate),
            accepted_until: Time::ZERO,
            serializer_ahead: Serializer::new(rate),
            probe: None,
            labels: None,
        };
        let state = Some(Box::new(Active { queue, transmitter }));
        Link { state, delay, faults: None, rate, probe_after_run: None, avg_unit: Unit::Packets }
    }

    /// An empty link, for the place of a link that an engine has taken over.
    pub fn placeholder() -> Link {
        let (delay, rate, avg_unit) = (Span::ZERO, Rate::default(), Unit::Packets);
        Link { state: None, delay, faults: None, rate, probe_after_run: None, avg_unit }
    }

    #[inline]
    fn state(&mut self) -> &mut Active {
        self.state.as_mut().expect("a link that was taken over takes no packets")
    }

    /// Sends at these transmission opportunities instead of at a constant rate.
    pub fn set_opportunities(&mut self, opportunities: &Arc<Opportunities>) {
        let transmitter = &mut self.state().transmitter;
        transmitter.serializer = Serializer::varying(opportunities.clone());
        transmitter.serializer_ahead = transmitter.serializer.clone();
    }

    /// Sends on a line that adds bytes to each packet.
    pub fn set_framing(&mut self, framing: LineFraming) {
        let rate = self.rate;
        let transmitter = &mut self.state().transmitter;
        transmitter.serializer = Serializer::framed(rate, framing);
        transmitter.serializer_ahead = transmitter.serializer.clone();
    }

    /// Whether its queue decides at arrival only, and there is nothing between the queue and the transmitter.
    pub fn decides_at_arrival(&self) -> bool {
        let decides =
            |state: &Active| state.queue.decides() == Decides::AtArrival && state.transmitter.ring.is_none();
        self.state.as_deref().is_some_and(decides)
    }

    /// Returns departures at arrival from now on, which needs [`Link::decides_at_arrival`].
    pub fn set_departures_known(&mut self) {
        self.state().transmitter.departures_known = true;
    }

    /// Whether it is a queue and a transmitter of constant rate and nothing else.
    pub(crate) fn is_basic(&self) -> bool {
        let basic = |Transmitter { counts_wire, serializer, ring, .. }: &Transmitter| {
            !counts_wire && serializer.is_plain() && ring.is_none()
        };
        self.faults.is_none() && self.state.as_ref().is_some_and(|state| basic(&state.transmitter))
    }

    /// The discipline, unless an engine has taken it over.
    pub(crate) fn discipline(&self) -> Option<&Disc<WaitingPacket>> {
        self.state.as_ref().map(|state| &state.queue)
    }

    /// Hands the discipline, the random stream and the probe over to an engine. The rest of the link takes no packets.
    pub(crate) fn take_over(&mut self) -> Option<(Disc<WaitingPacket>, Stream, Option<Box<LinkProbe>>)> {
        let Active { queue, transmitter } = *self.state.take()?;
        self.avg_unit = queue.avg_unit();
        Some((queue, transmitter.rng, transmitter.probe))
    }

    /// Its number, unless an engine has taken it over.
    pub(crate) fn component(&self) -> Option<u32> {
        self.state.as_ref().map(|state| state.transmitter.component)
    }

    /// Whether departures are known at arrival.
    #[inline]
    pub fn knows_departures(&self) -> bool {
        self.state.as_ref().is_none_or(|state| state.transmitter.departures_known)
    }

    /// Rate of the transmitter.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Whether a packet of any size needs time to the far end. One that is sent at an opportunity may need none.
    pub(crate) fn delays_every_packet(&self) -> bool {
        let varying = self.state.as_ref().is_some_and(|state| state.transmitter.serializer.is_varying());
        self.delay > Span::ZERO || (!varying && self.rate.delays_every_packet())
    }

    /// The unit of the discipline's own average queue.
    pub fn avg_unit(&self) -> Unit {
        self.state.as_ref().map_or(self.avg_unit, |state| state.queue.avg_unit())
    }

    /// Packets in the queue.
    pub fn queue_len(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.queue.len())
    }

    /// With departures known at arrival: takes a packet, which is changed if it is marked. Returns its transmission, or
    /// `None` if it was dropped. Appends to `fates`.
    #[inline]
    pub fn accept(
        &mut self,
        pkt: &mut Pkt,
        key: Key,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) -> Option<Transmission> {
        with_disc!(self, |queue, transmitter| transmitter.accept(queue, pkt, key, fates))
    }

    /// With an event at the end of each transmission: puts a packet into the queue; an idle transmitter has to be
    /// served then. The discipline may read the SACK blocks of packets, which are in `sacks`. Appends to `fates`.
    #[inline]
    pub fn store(&mut self, pkt: &Pkt, now: Time, fates: &mut Vec<Fate<WaitingPacket>>, sacks: &SackPool) {
        with_disc!(self, |queue, transmitter| transmitter.store(queue, pkt, now, fates, sacks));
    }

    /// Whether the transmitter is sending, or its ring is full.
    pub fn is_busy(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.transmitter.busy)
    }

    /// With an event at the end of each transmission: one has ended, and the transmitter takes the next packet, which
    /// becomes `sent`. Returns its transmission.
    pub fn transmitter_free(
        &mut self,
        now: Time,
        sent: &mut Pkt,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) -> Option<Transmission> {
        with_disc!(self, |queue, transmitter| {
            transmitter.tick_until(queue, now, fates);
            transmitter.record_backlog(queue, now);
            (transmitter.busy, transmitter.held_until) = (false, None);
            transmitter.serve(queue, now, sent, fates)
        })
    }

    /// Whether an arrival may start a transmission: the transmitter is idle, or it waits for a discipline that holds
    /// packets back and may now be asked sooner.
    pub fn takes_at_arrival(&mut self) -> bool {
        let Some(Active { queue, transmitter }) = self.state.as_deref_mut() else { return false };
        let Some(until) = transmitter.held_until else { return !transmitter.busy };
        let sooner = queue.ready().is_some_and(|ready| ready < until);
        if sooner {
            (transmitter.busy, transmitter.held_until) = (false, None);
            transmitter.has_stale_events = true;
        }
        sooner
    }

    /// Whether an event that frees the transmitter has been overtaken by an arrival.
    pub fn is_stale(&self, now: Time) -> bool {
        let Some(Active { transmitter, .. }) = self.state.as_deref() else { return false };
        let due = transmitter.held_until.unwrap_or(transmitter.ready);
        transmitter.has_stale_events && (!transmitter.busy || due != now)
    }

    /// When a discipline that holds packets back has one ready; until then the transmitter counts as busy.
    pub fn retry_at(&mut self, now: Time) -> Option<Key> {
        let Active { queue, transmitter } = self.state();
        if transmitter.busy {
            return None;
        }
        let time = queue.ready()?;
        (transmitter.busy, transmitter.on_wire) = (true, Bytes(0));
        transmitter.held_until = Some(time);
        Some(Key { time, birth: now, component: transmitter.component })
    }

    /// Dequeues the next packet for a transmitter that is not busy; it becomes `sent`. Returns its transmission.
    pub fn serve(
        &mut self,
        now: Time,
        sent: &mut Pkt,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) -> Option<Transmission> {
        with_disc!(self, |queue, transmitter| transmitter.serve(queue, now, sent, fates))
    }

    /// Brings the link to the end of the run: executes and records everything that was due by then.
    pub fn finish(&mut self, end: Time, fates: &mut Vec<Fate<WaitingPacket>>) {
        let Some(Active { queue, transmitter }) = self.state.as_deref_mut() else { return };
        let key = Key { time: end, birth: Time::NEVER, component: u32::MAX };
        transmitter.catch_up(queue, key, fates);
        if let Some(probe) = &mut transmitter.probe {
            let busy_until = transmitter.accepted_until.max(transmitter.free_at);
            probe.finish(end, busy_until, transmitter.backlog, Some(queue));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::account::MeasurementWindow;
    use crate::packet::Attributes;
    use proptest::prelude::*;
    use queue::{Setting, Spec};
    use units::param::{Table, Value};

    impl Link {
        /// A packet arrives, whether departures are known or not.
        pub(crate) fn arrive(
            &mut self,
            pkt: &mut Pkt,
            key: Key,
            fates: &mut Vec<Fate<WaitingPacket>>,
        ) -> Option<Transmission> {
            if self.knows_departures() {
                return self.accept(pkt, key, fates);
            }
            self.store(pkt, key.time, fates, &SackPool::default());
            None
        }
    }

    /// A link of 8 Mbit/s with room for twelve packets.
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
        Pkt::plain(Time::ZERO, seq, size, 0, 0, Attributes::default())
    }

    fn key(time: u64) -> Key {
        Key { time: Time(time), birth: Time(time.saturating_sub(1)), component: 1 }
    }

    /// Transmissions with departures known at arrival, or with an event at the end of each.
    fn departures(kind: &str, arrivals: &[(u64, u32)], departures_known: bool) -> Vec<(u32, Time, Time)> {
        let mut link = link(kind);
        link.state().transmitter.departures_known = departures_known;
        let (mut fates, mut out, mut free) = (Vec::new(), Vec::new(), None::<Key>);
        let mut taken = packet(0, 0);
        let mut note = |sent: Option<(u32, Transmission)>, next: &mut Option<Key>| {
            if let Some((seq, Transmission { start, finish })) = sent {
                out.push((seq, start, finish));
                *next = Some(Key { time: finish, birth: start, component: 0 });
            }
        };
        let mut now = 0;
        for (seq, (gap, size)) in (0u32..).zip(arrivals) {
            now += gap;
            while let Some(due) = free.filter(|due| !departures_known && *due < key(now)) {
                free = None;
                let wire = link.transmitter_free(due.time, &mut taken, &mut fates);
                note(wire.map(|wire| (taken.seq, wire)), &mut free);
            }
            let mut sent = link.arrive(&mut packet(seq, *size), key(now), &mut fates).map(|wire| (seq, wire));
            if !departures_known && !link.is_busy() {
                let wire = link.serve(Time(now), &mut taken, &mut fates);
                sent = wire.map(|wire| (taken.seq, wire));
            }
            note(sent, &mut free);
        }
        while let Some(due) = free.take().filter(|_| !departures_known) {
            let wire = link.transmitter_free(due.time, &mut taken, &mut fates);
            note(wire.map(|wire| (taken.seq, wire)), &mut free);
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
    fn a_ring_holds_packets_outside_the_queue() {
        let passed = |ring| {
            let mut link = link("droptail");
            link.state().transmitter.departures_known = false;
            link.use_ring(ring);
            let mut fates = Vec::new();
            for seq in 0..20 {
                link.arrive(&mut packet(seq, 1000), key(0), &mut fates);
                while !link.is_busy() && link.serve(Time::ZERO, &mut packet(0, 0), &mut fates).is_some() {
                    let full = link.ready() > Time::ZERO;
                    link.state().transmitter.busy = full;
                }
            }
            20 - fates.len()
        };
        assert_eq!((passed(0), passed(2)), (13, 15));
    }

    /// The second packet is taken at once, the third when the second begins to be sent; the link sends for 3 ms all the
    /// same.
    #[test]
    fn a_packet_in_the_ring_has_left_the_queue() {
        let window = MeasurementWindow {
            warmup: Time::ZERO,
            end: Time(9_000_000),
            sample: Span(1_000_000),
            series: false,
        };
        let mut link = link("droptail").with_probe(LinkProbe::new(window));
        link.use_ring(1);
        let mut fates = Vec::new();
        for seq in 0..3 {
            link.arrive(&mut packet(seq, 1000), key(0), &mut fates);
        }
        let takes: Vec<_> = (0..3)
            .scan(Time::ZERO, |now, _| {
                let wire = link.serve(*now, &mut packet(0, 0), &mut fates)?;
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
        let window = MeasurementWindow {
            warmup: Time(3_000_000),
            end: Time(ends),
            sample: Span(1_000_000),
            series: false,
        };
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
        /// A link is never busy for longer than the time measured, even if the run was cut short.
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

        /// Departures known at arrival are the same as with an event at the end of each transmission.
        #[test]
        fn known_ahead_equals_event_by_event(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4), 1..300),
            kind in prop_oneof![Just("droptail"), Just("red")],
        ) {
            // Gaps and sizes are multiples of one unit, so that ends of transmissions and arrivals often coincide.
            let arrivals: Vec<(u64, u32)> = arrivals.iter().map(|(gap, size)| (gap * 100_000, size * 400)).collect();
            prop_assert_eq!(departures(kind, &arrivals, true), departures(kind, &arrivals, false));
        }
    }
}
