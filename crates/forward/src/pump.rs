//! One direction of a link as a pure state machine: access links, queue, transmitter, wire, exit links.
//!
//! A frame passes its *access link* (if it has one), the *queue*, the *transmitter*, the *wire* and its *exit link*.
//! The exact time of each step follows from the arrival time of the frame, not from the time at which the program runs:
//! a transmitter that becomes free at 5 ms dequeues the next packet at 5 ms, even if the program wakes at 5.2 ms.
//! Waking late delays single packets but never slows the link down, and the decisions of a discipline depend on
//! arrivals alone.
//!
//! Order: everything due by the time of an arrival happens before the arrival is judged; at equal times the transmitter
//! comes first, as in the simulator.

use crate::event::{EventObserver, PacketEvent};
use crate::header::{self, Header};
use crate::link::{LinkPath, LinkSettings};
use crate::measure::LinkMeter;
use crate::packet::{self, Handle, Store, Tag};
use queue::disc::{Cx, Fate, QueueDisc};
use queue::Disc;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::{Bytes, Rate, Serializer, Span, Stream, Time};

/// Most bytes on the wires of a direction, those of the paths included; bounds the memory.
pub const WIRE_BYTES: usize = 256 << 20;
/// Bytes that a frame on a wire takes besides its own.
const FRAME_OVERHEAD: usize = 128;

/// A frame as read from its device.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its parsed header.
    pub header: Header,
    /// Its size on the link, in bytes.
    pub size: u32,
    /// Its path, an index into those of the pump.
    pub path: usize,
    /// Token that its device wants back with it.
    pub token: u64,
}

/// A frame that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// The frame; the driver returns it with [`Pump::delivered`].
    pub handle: Handle,
    /// When it was due.
    pub due: Time,
}

/// An entry of a delay line, ordered by time, then by arrival.
#[derive(Debug)]
struct DelayedFrame {
    at: Time,
    order: u64,
    handle: Handle,
}

impl PartialEq for DelayedFrame {
    fn eq(&self, other: &DelayedFrame) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl Eq for DelayedFrame {}

impl PartialOrd for DelayedFrame {
    fn partial_cmp(&self, other: &DelayedFrame) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DelayedFrame {
    fn cmp(&self, other: &DelayedFrame) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// A private link: a transmitter and a wire, without losses.
#[derive(Debug)]
struct Private {
    line: Serializer,
    delay: Span,
    free_at: Time,
}

impl Private {
    fn new((rate, delay): (Rate, Span)) -> Private {
        Private { line: Serializer::new(rate), delay, free_at: Time::ZERO }
    }

    /// When a packet that enters at `now` has left.
    fn pass(&mut self, size: u32, now: Time) -> Time {
        if now > self.free_at {
            self.line.restart();
        }
        self.free_at = now.max(self.free_at) + self.line.next(Bytes(u64::from(size)));
        self.free_at + self.delay
    }
}

/// One direction of a link.
pub struct Pump {
    link: LinkSettings,
    queue: Disc<Handle>,
    rng: Stream,
    line: Serializer,
    busy: bool,
    on_wire: Bytes,
    free_at: Time,
    paths: Vec<(Private, Private)>,
    /// Frames on their access links, and beyond the transmitter.
    coming: BinaryHeap<Reverse<DelayedFrame>>,
    going: BinaryHeap<Reverse<DelayedFrame>>,
    /// Memory of the frames in `coming` and `going`.
    wire_bytes: usize,
    next_number: u64,
    next_order: u64,
    fates: Vec<Fate<Handle>>,
    /// The frames themselves.
    pub store: Store,
    /// The counters.
    pub measure: LinkMeter,
    /// Tokens of dropped frames, to be returned to their device.
    pub ended: Vec<u64>,
}

impl Pump {
    /// An idle link. `name` and `seed` make the discipline's rng, as in the simulator. A frame's path is its index in
    /// `paths`; without any, frames reach the queue as they arrive.
    pub fn new(link: LinkSettings, paths: &[LinkPath], seed: u64, name: &str) -> Pump {
        Pump {
            queue: link.spec.build(&link.setting()),
            rng: Stream::new(seed, name),
            line: Serializer::new(link.rate),
            link,
            busy: false,
            on_wire: Bytes(0),
            free_at: Time::ZERO,
            paths: paths.iter().map(|path| (Private::new(path.access), Private::new(path.exit))).collect(),
            coming: BinaryHeap::new(),
            going: BinaryHeap::new(),
            wire_bytes: 0,
            next_number: 0,
            next_order: 0,
            fates: Vec::new(),
            store: Store::default(),
            measure: LinkMeter::new(paths.len()),
            ended: Vec::new(),
        }
    }

    /// The link as it is now.
    pub fn link(&self) -> &LinkSettings {
        &self.link
    }

    /// Packets and bytes in the queue.
    pub fn backlog(&self) -> (usize, Bytes) {
        (self.queue.len(), self.queue.backlog())
    }

    /// The discipline, for its probes.
    pub fn queue(&self) -> &Disc<Handle> {
        &self.queue
    }

    /// Takes a frame that was read at `now`. Returns false, and does not take it, while the wires hold all that they
    /// may ([`WIRE_BYTES`]).
    pub fn arrive(&mut self, frame: &Frame<'_>, now: Time, observer: &mut impl EventObserver) -> bool {
        let Frame { bytes, header, size, path, token } = *frame;
        if self.wire_bytes + bytes.len() + FRAME_OVERHEAD > WIRE_BYTES {
            self.advance(now, observer);
            return false;
        }
        let mut handle = Handle::new(0, header.flow, size, header.ecn, header.class);
        handle.slot = self.store.put(bytes, Tag { token, ip: header.ip });
        handle.path = path as u16;
        handle.hosts = header.hosts;
        match self.paths.get_mut(path) {
            Some((access, _)) => {
                let at = access.pass(size, now);
                let order = self.order();
                self.wire_bytes += self.memory(handle);
                self.coming.push(Reverse(DelayedFrame { at, order, handle }));
                self.advance(now, observer);
            }
            None => {
                self.advance(now, observer);
                self.judge(handle, now, observer);
            }
        }
        true
    }

    /// Executes everything due by `now`, in order of time.
    pub fn advance(&mut self, now: Time, observer: &mut impl EventObserver) {
        loop {
            let free = if self.busy { self.free_at } else { Time::NEVER };
            let coming = self.coming.peek().map_or(Time::NEVER, |Reverse(due)| due.at);
            let next = free.min(coming);
            if next > now || next == Time::NEVER {
                return;
            }
            if free <= coming {
                self.tick_until(free, observer);
                self.busy = false;
                self.serve(free, observer);
            } else if let Some(Reverse(due)) = self.coming.pop() {
                self.wire_bytes -= self.memory(due.handle);
                self.judge(due.handle, due.at, observer);
            }
        }
    }

    /// Returns the next time at which something is due; `None` if nothing is in flight.
    pub fn next_due(&self) -> Option<Time> {
        let first = |heap: &BinaryHeap<Reverse<DelayedFrame>>| heap.peek().map(|Reverse(due)| due.at);
        let free = self.busy.then_some(self.free_at);
        [free, first(&self.coming), first(&self.going)].into_iter().flatten().min()
    }

    /// The next frame that was due by `now`, its bytes as they leave. Call [`Pump::advance`] first.
    pub fn deliver(&mut self, now: Time) -> Option<Delivery> {
        if self.going.peek().is_none_or(|Reverse(due)| due.at > now) {
            return None;
        }
        let Reverse(DelayedFrame { at, handle, .. }) = self.going.pop()?;
        self.wire_bytes -= self.memory(handle);
        self.measure.lateness(now.since(at));
        Some(Delivery { handle, due: at })
    }

    /// Takes back a delivered packet.
    pub fn delivered(&mut self, delivery: &Delivery) {
        self.store.release(delivery.handle.slot);
    }

    /// Changes the link while it runs. The packet on the wire finishes as it began. The backlog is handed over in
    /// order: the old discipline gives it up, by its own rules, and the new one takes it as if it arrived now. Measured
    /// sojourn times continue.
    pub fn change(&mut self, link: LinkSettings, now: Time, observer: &mut impl EventObserver) {
        self.advance(now, observer);
        observer.on_event(&PacketEvent::Changed { time: now, link: &link }, &[]);
        let mut waiting = Vec::with_capacity(self.queue.len());
        while let Some(handle) = self.with_queue(now, observer, packet::drain_next) {
            waiting.push(handle);
        }
        self.queue = link.spec.build(&link.setting());
        if link.rate != self.link.rate {
            self.line = Serializer::new(link.rate);
        }
        self.link = link;
        for handle in waiting {
            self.with_queue(now, observer, |queue, cx| queue.enqueue(handle, cx));
        }
        self.observe(now);
    }

    /// Updates the counters to `now`, and resets them if `reset` is set.
    pub fn account(&mut self, now: Time, reset: bool, observer: &mut impl EventObserver) {
        self.advance(now, observer);
        self.observe(now);
        if reset {
            self.measure = LinkMeter::from(now, &self.measure);
        }
    }

    fn order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order
    }

    /// A frame reaches the queue.
    fn judge(&mut self, mut handle: Handle, now: Time, observer: &mut impl EventObserver) {
        self.tick_until(now, observer);
        self.observe(now);
        handle.number = self.next_number;
        handle.arrived = now;
        self.next_number += 1;
        self.measure.arrived(handle.size);
        let Handle { number, flow, hosts, size, ecn, class, .. } = handle;
        observer.on_event(
            &PacketEvent::Arrived { time: now, number, flow, hosts, size, ecn, class },
            self.store.frame(handle.slot),
        );
        self.with_queue(now, observer, |queue, cx| queue.enqueue(handle, cx));
        let held = self.busy && self.on_wire == Bytes(0);
        if !self.busy || (held && self.queue.ready().is_some_and(|ready| ready < self.free_at)) {
            self.busy = false;
            self.serve(now, observer);
        }
        self.observe(now);
    }

    /// Takes the next packet from the queue and puts it on the wire.
    fn serve(&mut self, now: Time, observer: &mut impl EventObserver) {
        self.observe(now);
        let next = self.with_queue(now, observer, |queue, cx| queue.dequeue(cx));
        if let Some(handle) = next {
            if now > self.free_at {
                self.line.restart();
            }
            self.busy = true;
            self.on_wire = Bytes(u64::from(handle.size));
            self.free_at = now + self.line.next(self.on_wire);
            self.send(handle, now, observer);
        } else if let Some(ready) = self.queue.ready().filter(|ready| *ready > now) {
            // It holds packets back: it is called again when one is ready.
            self.busy = true;
            self.on_wire = Bytes(0);
            self.free_at = ready;
        }
        self.observe(now);
    }

    /// A transmission starts; the rest of the frame's path is known from then on.
    fn send(&mut self, handle: Handle, now: Time, observer: &mut impl EventObserver) {
        if let Some(ip) = self.store.tag(handle.slot).ip.filter(|_| handle.marked) {
            header::set_ce(self.store.frame_mut(handle.slot), ip);
        }
        let Handle { number, size, path, arrived, marked, .. } = handle;
        self.measure.sent(size, path, now.since(arrived));
        let wait = now.since(arrived);
        observer
            .on_event(&PacketEvent::Sent { time: now, number, wait, marked }, self.store.frame(handle.slot));
        let left = self.free_at + self.link.delay;
        let at = self.paths.get_mut(usize::from(path)).map_or(left, |(_, exit)| exit.pass(size, left));
        let order = self.order();
        self.wire_bytes += self.memory(handle);
        self.going.push(Reverse(DelayedFrame { at, order, handle }));
    }

    /// Memory of a frame on a wire.
    fn memory(&self, handle: Handle) -> usize {
        self.store.frame(handle.slot).len() + FRAME_OVERHEAD
    }

    fn tick_until(&mut self, now: Time, observer: &mut impl EventObserver) {
        while let Some(due) = self.queue.next_deadline().filter(|due| *due < now) {
            self.observe(due);
            self.with_queue(due, observer, |queue, cx| queue.on_deadline(cx));
        }
    }

    /// Calls the discipline, then records and carries out its drops and marks.
    fn with_queue<R>(
        &mut self,
        now: Time,
        observer: &mut impl EventObserver,
        call: impl FnOnce(&mut Disc<Handle>, &mut Cx<'_, Handle>) -> R,
    ) -> R {
        let mut cx = Cx::new(now, &mut self.rng, &mut self.fates);
        if self.link.counts_wire && self.busy {
            cx.on_wire = self.on_wire;
        }
        let result = call(&mut self.queue, &mut cx);
        for fate in self.fates.drain(..) {
            let (handle, dropped, reason) = match fate {
                Fate::Dropped(handle, reason) => (handle, true, reason),
                Fate::Marked(handle, reason) => (handle, false, reason),
            };
            let (number, wait) = (handle.number, now.since(handle.arrived));
            let event = if dropped {
                PacketEvent::Dropped { time: now, number, reason, wait }
            } else {
                PacketEvent::Marked { time: now, number, reason }
            };
            self.measure.ended(&event);
            observer.on_event(&event, self.store.frame(handle.slot));
            if dropped {
                self.ended.extend(Some(self.store.tag(handle.slot).token).filter(|token| *token != 0));
                self.store.release(handle.slot);
            }
        }
        result
    }

    /// Adds the queue up to `now` to the integrals.
    fn observe(&mut self, now: Time) {
        self.measure.hold_until(now, self.queue.len(), self.queue.backlog());
    }
}
