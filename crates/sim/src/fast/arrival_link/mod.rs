//! A link that decides at arrival, by RED or tail drop, and stores sizes instead of packets.
//!
//! Both decide at arrival, so the departure of a packet is known when it is admitted, and the queue stores no more of
//! it than the start of its transmission and its size. Its contribution to the queue statistics is known then, too: its
//! own sojourn, and the remaining sojourns of those ahead of it. So a departure needs no record of its own. Times are
//! integer nanoseconds. Everything else is as in [`Link`](crate::link::Link).

mod admission;
mod fast_link;
mod queued_packet;
mod uniform_size;

use crate::account::{Backlog, LinkProbe};
use crate::calendar::Key;
use crate::transmission::Transmission;
use admission::{Admission, TailDrop};
use queue::disc::{Cx, Fate};
use queue::red::{FastVerdict, Red};
pub use queued_packet::QueuedPacket;
use uniform_size::UniformSize;
use units::{BufferedStream, Bytes, Ecn, Rate, Rng, Serializer, Span, Stream, Time};

/// A specialised link with RED or tail drop.
pub struct ArrivalLink {
    /// Propagation delay.
    pub delay: Span,
    /// The link's number, its place in the order of events.
    pub component: u32,
    /// The records of the link, if any.
    pub probe: Option<Box<LinkProbe>>,
    /// Drops and marks of the last arrival; the caller empties it.
    pub fates: Vec<Fate<QueuedPacket>>,
    queue: Admission,
    rng: BufferedStream,
    /// The start of the packet on the wire, or of the last one.
    serving_since: Time,
    /// The end of that transmission; never, if the link is idle.
    free_at: Time,
    /// The end of the last packet admitted.
    busy_until: Time,
    serializer: Serializer,
    /// The sum of the starts of the packets in the queue, modulo 2^64.
    sum_of_starts: u64,
    /// When a sample is due or measuring starts, and whether it has started.
    next_due: Time,
    counting: bool,
    /// The time of the last arrival, and the maximum queue length recorded: only longer queues are reported to the
    /// probe.
    last_arrival: Time,
    max_recorded: u64,
    /// Queue length after the last arrival.
    waiting: u64,
    uniform: UniformSize,
    /// Whether a queue of uniform size is handled as such.
    pub(super) uses_uniform_size: bool,
}

impl ArrivalLink {
    /// An idle link with RED.
    pub fn red(
        component: u32,
        queue: Red<QueuedPacket>,
        rng: Stream,
        rate: Rate,
        delay: Span,
        probe: Option<Box<LinkProbe>>,
    ) -> ArrivalLink {
        ArrivalLink::new(component, Admission::Red(queue), rng, rate, delay, probe)
    }

    /// An idle link with tail drop and room for `limit` packets.
    pub fn tail_drop(
        component: u32,
        limit: u64,
        rate: Rate,
        delay: Span,
        probe: Option<Box<LinkProbe>>,
    ) -> ArrivalLink {
        // Tail drop draws nothing.
        let rng = Stream::new(0, "tail drop");
        ArrivalLink::new(component, Admission::TailDrop(TailDrop::new(limit)), rng, rate, delay, probe)
    }

    fn new(
        component: u32,
        queue: Admission,
        rng: Stream,
        rate: Rate,
        delay: Span,
        probe: Option<Box<LinkProbe>>,
    ) -> ArrivalLink {
        ArrivalLink {
            delay,
            component,
            probe,
            fates: Vec::with_capacity(4),
            queue,
            rng: BufferedStream::new(rng),
            serving_since: Time::ZERO,
            free_at: Time::NEVER,
            busy_until: Time::ZERO,
            serializer: Serializer::new(rate),
            sum_of_starts: 0,
            next_due: Time::ZERO,
            counting: false,
            last_arrival: Time::ZERO,
            max_recorded: u64::MAX,
            waiting: 0,
            uniform: UniformSize::default(),
            uses_uniform_size: true,
        }
    }

    /// Rate of the transmitter.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.serializer.rate()
    }

    /// The place of a packet after its transmission.
    #[inline(always)]
    fn arrival_key(&self, size: u32, wire: Transmission) -> Key {
        let time = wire.arrival_time(size, self.rate(), self.delay);
        Key { time, birth: wire.start, component: self.component }
    }

    /// [`FastLink::pass`], with the packet's transmission.
    #[inline(always)]
    fn accept(&mut self, size: u32, ecn: Ecn, key: Key) -> Result<Transmission, Option<Transmission>> {
        let now = key.time;
        if now < self.next_due || self.run_due_uniform(now) {
            if let Some(found) = self.find_fast(size, key) {
                return self.accept_fast(size, ecn, now, found);
            }
        }
        self.accept_slow(size, ecn, (now, key.birth, key.component))
    }

    /// The slow path of [`ArrivalLink::accept`].
    #[inline(never)]
    fn accept_slow(
        &mut self,
        size: u32,
        ecn: Ecn,
        (now, birth, component): (Time, Time, u32),
    ) -> Result<Transmission, Option<Transmission>> {
        let key = Key { time: now, birth, component };
        if let Some(found) = self.find_uniform(size, key) {
            return self.accept_uniform(size, ecn, now, found);
        }
        self.materialise_queue();
        if now >= self.next_due {
            self.run_due((now, birth, component));
        }
        if self.waiting > self.max_recorded {
            self.update_max((now, birth, component));
        }
        self.last_arrival = now;
        self.dequeue_before(key);
        let ahead = self.sum_of_starts.wrapping_sub(now.0.wrapping_mul(self.queue.len() as u64));
        let slot = QueuedPacket::new(self.busy_until.max(now), size, ecn);
        let accepted = self.accept_slot(slot, now, ahead);
        self.waiting = self.queue.len() as u64;
        // A packet that starts now does not count towards the maximum: nothing waits for it.
        if self.waiting > self.max_recorded && self.free_at == now {
            self.waiting -= 1;
        }
        self.schedule_max_update();
        accepted
    }

    #[inline(always)]
    fn accept_slot(
        &mut self,
        slot: QueuedPacket,
        now: Time,
        ahead: u64,
    ) -> Result<Transmission, Option<Transmission>> {
        if !self.queue.has_fast_path() {
            return self.accept_with_options(slot, now, ahead, None);
        }
        match self.queue.enqueue_fast(slot, now, || self.rng.uniform()) {
            FastVerdict::Kept(avg) => {
                let wire = self.admit(slot.bytes(), now, slot.start);
                if let Some(probe) = &mut self.probe {
                    probe.admitted(now, slot.bytes(), avg, wire, ahead);
                }
                Ok(wire)
            }
            step => self.accept_with_options(slot, now, ahead, Some(step)),
        }
    }

    /// [`ArrivalLink::accept`] if RED's options exclude its fast path, or if that was left at this `step`.
    #[inline(never)]
    fn accept_with_options(
        &mut self,
        slot: QueuedPacket,
        now: Time,
        ahead: u64,
        step: Option<FastVerdict>,
    ) -> Result<Transmission, Option<Transmission>> {
        let mut cx = Cx::new(now, &mut self.rng, &mut self.fates);
        match step {
            Some(step) => self.queue.enqueue_slow(slot, step, &mut cx),
            None => self.queue.take(slot, &mut cx),
        }
        if !self.fates.is_empty() {
            return Err(self.accept_with_fates(slot.bytes(), now, slot.start, ahead));
        }
        let wire = self.admit(slot.bytes(), now, slot.start);
        if let Some(probe) = &mut self.probe {
            probe.admitted(now, slot.bytes(), self.queue.average(), wire, ahead);
        }
        Ok(wire)
    }

    /// Admits a packet and returns its transmission.
    #[inline(always)]
    fn admit(&mut self, size: u32, now: Time, start: Time) -> Transmission {
        if now > self.busy_until {
            self.serializer.restart();
        }
        let finish = self.serializer.finish(start, Bytes(u64::from(size)));
        self.note_size(size, start, finish);
        self.busy_until = finish;
        self.sum_of_starts = self.sum_of_starts.wrapping_add(start.0);
        if self.is_idle() {
            self.uniform.restart(start);
            self.start_next(now);
        }
        Transmission { start, finish }
    }

    /// The slow path of a packet that was dropped or marked.
    #[cold]
    #[inline(never)]
    fn accept_with_fates(&mut self, size: u32, now: Time, start: Time, ahead: u64) -> Option<Transmission> {
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, size, self.queue.avg(), &self.fates);
        }
        if self.fates.iter().any(|fate| matches!(fate, Fate::Dropped(..))) {
            if self.is_idle() {
                self.start_next(now);
            }
            return None;
        }
        let wire = self.admit(size, now, start);
        if let Some(probe) = &mut self.probe {
            if self.counting {
                probe.queue.add_sojourn(size, start.since(now).0, ahead);
            }
            probe.departed(size, now, start, wire.finish);
        }
        Some(wire)
    }

    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.free_at == Time::NEVER
    }

    /// Dequeues the packets whose transmission starts before `key`; the transmitter goes idle if none is left.
    #[inline(always)]
    fn dequeue_before(&mut self, key: Key) {
        if !self.frees_before(key) {
            return;
        }
        if !self.queue.has_fast_path() {
            return self.dequeue_one_by_one((key.time, key.birth, key.component));
        }
        let (mut gone, mut serving_since, mut free_at) = (0u64, self.serving_since, self.busy_until);
        let component = self.component;
        self.queue.dequeue_while(|slot| {
            let goes = Key { time: slot.start, birth: serving_since, component }.precedes(&key);
            if goes {
                gone = gone.wrapping_add(slot.start.0);
                serving_since = slot.start;
            } else {
                free_at = slot.start;
            }
            goes
        });
        self.sum_of_starts = self.sum_of_starts.wrapping_sub(gone);
        (self.serving_since, self.free_at) = (serving_since, free_at);
        if self.queue.is_empty() && self.frees_before(key) {
            self.go_idle();
        }
    }

    /// The transmitter finds the queue empty.
    #[cold]
    #[inline(never)]
    fn go_idle(&mut self) {
        self.start_next(self.free_at);
    }

    #[inline(always)]
    fn frees_before(&self, key: Key) -> bool {
        Key { time: self.free_at, birth: self.serving_since, component: self.component }.precedes(&key)
    }

    /// The last arrival may have made the queue longer than the recorded maximum, unless a packet departed at the same
    /// time.
    #[cold]
    #[inline(never)]
    fn update_max(&mut self, key: (Time, Time, u32)) {
        self.dequeue_one_by_one(key);
        self.max_recorded = self.probe.as_ref().map_or(u64::MAX, |probe| probe.queue.max_pkts());
    }

    /// [`ArrivalLink::dequeue_before`] with a record of every departure. The parts of the key are separate arguments because they
    /// are passed in registers then.
    #[cold]
    #[inline(never)]
    fn dequeue_one_by_one(&mut self, (now, birth, component): (Time, Time, u32)) {
        let key = Key { time: now, birth, component };
        if let Some(probe) = &mut self.probe {
            probe.queue.hold_max(0, self.last_arrival);
        }
        while self.frees_before(key) {
            let free_at = self.free_at;
            self.hold_until(free_at);
            self.start_next(free_at);
        }
        self.hold_until(now);
    }

    /// A sample is due, or measuring starts.
    #[cold]
    #[inline(never)]
    fn run_due(&mut self, key: (Time, Time, u32)) {
        self.flush();
        self.dequeue_one_by_one(key);
        self.next_due = Time::NEVER;
        self.uniform.clear_fast_bound();
        if let Some(probe) = &mut self.probe {
            self.next_due = probe.next_due(self.counting);
            if self.counting {
                probe.measure_from_now();
                self.max_recorded = probe.queue.max_pkts();
            }
        }
    }

    /// Records the backlog until `now`, before it changes. When measuring starts, packets in the queue contribute the
    /// rest of their sojourns.
    fn hold_until(&mut self, now: Time) {
        let backlog = self.backlog();
        let Some(probe) = &mut self.probe else { return };
        probe.sample_until(now, backlog, self.queue.disc());
        if !self.counting && now >= probe.warmup() {
            self.counting = true;
            let mut ahead = 0;
            let warmup = probe.warmup();
            self.queue.for_each(|slot| {
                let wait = slot.start.since(warmup).0;
                probe.queue.add_sojourn(slot.bytes(), wait, ahead);
                ahead += wait;
            });
        }
        probe.queue.hold_max(backlog.pkts, now);
    }

    /// The transmitter takes the next packet, if there is one.
    #[inline(always)]
    fn start_next(&mut self, now: Time) {
        let next = self.queue.dequeue(&mut Cx::new(now, &mut self.rng, &mut self.fates));
        self.serving_since = now;
        self.free_at = match next {
            Some(gone) => {
                self.sum_of_starts = self.sum_of_starts.wrapping_sub(gone.start.0);
                self.queue.head().map_or(self.busy_until, |slot| slot.start)
            }
            None => Time::NEVER,
        };
    }

    fn backlog(&self) -> Backlog {
        Backlog { pkts: self.queue.len() as u64, bytes: self.queue.bytes() }
    }
}

#[cfg(test)]
mod tests {
    use crate::account::{LinkProbe, MeasurementWindow};
    use crate::calendar::Key;
    use crate::fast::{ArrivalLink, DroptailLink, FastLink};
    use crate::link::tests::{link, packet};
    use proptest::prelude::*;
    use units::{Ecn, Span, Time};

    proptest! {
        /// The specialised link equals the general one, to the last bit of its probe.
        #[test]
        fn the_specialised_link_equals_the_general_one(
            arrivals in proptest::collection::vec((0u64..20, 1u32..4, 0u32..100, 0u64..4), 1..400),
            widest in prop_oneof![Just(20), Just(9)],
            uniform in prop_oneof![Just(0), Just(60), Just(97), Just(100)],
            step in prop_oneof![Just(100_000), Just(99_999)],
            kind in prop_oneof![Just("red"), Just("droptail")],
        ) {
            let window = MeasurementWindow { warmup: Time(3_000_000), end: Time(1 << 40), sample: Span(1 << 20), series: true };
            let make = || link(kind).with_probe(LinkProbe::new(window));
            let (mut link, mut replaced) = (make(), make());
            link.set_departures_known();
            let mut fast = if kind == "red" {
                prop_assert!(ArrivalLink::is_eligible(&replaced, false) && !ArrivalLink::is_eligible(&replaced, true));
                ArrivalLink::take_over(&mut replaced).unwrap()
            } else {
                let before = DroptailLink::take_over(&mut replaced).unwrap();
                prop_assert!(before.can_be_converted());
                before.into_arrival_link()
            };
            let mut fates = Vec::new();
            let (mut now, mut born) = (0, 0);
            for (gap, size, other, age) in arrivals {
                let size = if other < uniform { 2 } else { size };
                now += gap % widest * step;
                // Births before, at and after the start of a packet of size 2 that starts as the one before it ends.
                born = born.max(now.saturating_sub(age * 400_000));
                let at = Key { time: Time(now), birth: Time(born), component: 1 };
                let wire = link.arrive(&mut packet(0, size * 400), at, &mut fates);
                let passed = fast.accept(size * 400, Ecn::NotEct, at).map_or_else(|changed| changed, Some);
                prop_assert_eq!(passed, wire);
                prop_assert_eq!(fast.fates.len(), fates.len());
                fast.fates.clear();
                fates.clear();
            }
            link.finish(Time(now), &mut fates);
            prop_assert_eq!(fast.finish(Time(now)), link.queue_len() as u64);
            let (of_link, of_fast) = (link.probe().unwrap(), fast.probe.unwrap());
            prop_assert_eq!(of_fast.counters, of_link.counters);
            prop_assert_eq!(format!("{:?}", of_fast.queue), format!("{:?}", of_link.queue));
            prop_assert_eq!(format!("{:?}", of_fast.avg), format!("{:?}", of_link.avg));
            prop_assert_eq!(format!("{:?}", of_fast.curve), format!("{:?}", of_link.curve));
            prop_assert_eq!(format!("{:?}", of_fast.sojourn), format!("{:?}", of_link.sojourn));
            prop_assert_eq!(format!("{:?}", of_fast.series), format!("{:?}", of_link.series));
        }
    }
}
