//! The path of Fall and Floyd (1996) with ns-2's semantics: s - 8 Mb/s 0.1 ms - r1 - 0.8 Mb/s 100 ms - r2 - 8 Mb/s 0.1
//! ms - d.
//!
//! Links are a queue and a transmitter; a queue of limit L holds L - 1 packets besides the one being sent; drop
//! lists name packets by their position among those that enter the middle link. Events of equal time keep the
//! order in which they were scheduled; times are sums of doubles in ns-2's order, because which of two events
//! comes first where a transmission ends as a packet arrives depends on their last bit there.

#![allow(dead_code, clippy::unwrap_used)]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use transport::{Ack, Receiver, Segment, Sender};
use units::{Ecn, Span, Time};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packet {
    Data(Segment),
    Ack(Ack),
}

impl Packet {
    fn size(&self) -> u64 {
        match self {
            Packet::Data(segment) => u64::from(segment.size),
            Packet::Ack(ack) => u64::from(ack.size),
        }
    }
}

struct Link {
    rate: f64,
    delay: f64,
    limit: usize,
    queue: VecDeque<Packet>,
    busy: bool,
    entered: u64,
    drop: Vec<u64>,
    mark: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start,
    Arrive(usize),
    Free(usize),
    SenderTimer,
    ReceiverTimer,
}

/// Content of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A segment leaves the sender.
    Sent(u32),
    /// An acknowledgement arrives at it; one past the highest segment in order.
    Acked(u32),
    Dropped(u32),
    AckDropped(u32),
}

/// Rate in bit/s and delay in seconds of the three links, and how many packets fit before the middle one.
#[derive(Clone, Copy)]
pub struct Topology {
    pub links: [(f64, f64); 3],
    pub limit: usize,
}

/// Fall and Floyd's, with `limit` as ns-2's drop-tail queue counts it.
pub fn fall_floyd(limit: usize) -> Topology {
    Topology { links: [(8e6, 0.0001), (0.8e6, 0.1), (8e6, 0.0001)], limit }
}

/// Packets that are destroyed or marked on the way.
#[derive(Default)]
pub struct Faults {
    /// Positions of data packets entering the middle link that are dropped.
    pub data: Vec<u64>,
    /// The same for acknowledgements.
    pub acks: Vec<u64>,
    /// The same for marks.
    pub marks: Vec<u64>,
    /// Segments and how many of their transmissions are destroyed on arrival.
    pub segments: Vec<(u32, u32)>,
}

pub struct Path {
    pub sender: Sender,
    pub receiver: Receiver,
    links: [Link; 6],
    dropped_segments: Vec<(u32, u32)>,
    on_wire: [VecDeque<Packet>; 6],
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    next_id: u64,
    sender_timer: u64,
    receiver_timer: u64,
    pub now: u64,
    /// The same in seconds, with ns-2's rounding.
    clock: f64,
    pub shown: Vec<(u64, Shown)>,
}

impl Path {
    pub fn new(sender: Sender, receiver: Receiver, topology: Topology, faults: Faults) -> Path {
        let link = |(rate, delay): (f64, f64)| Link {
            rate,
            delay,
            limit: 1000,
            queue: VecDeque::new(),
            busy: false,
            entered: 0,
            drop: Vec::new(),
            mark: Vec::new(),
        };
        let [first, middle, last] = topology.links;
        let mut links = [first, middle, last, last, middle, first].map(link);
        links[1].limit = topology.limit;
        links[1].drop = faults.data;
        links[1].mark = faults.marks;
        links[4].drop = faults.acks;
        let mut path = Path {
            sender,
            receiver,
            links,
            dropped_segments: faults.segments,
            on_wire: Default::default(),
            events: BinaryHeap::new(),
            next_id: 0,
            sender_timer: u64::MAX,
            receiver_timer: u64::MAX,
            now: 0,
            clock: 0.0,
            shown: Vec::new(),
        };
        path.schedule(0.0, Event::Start);
        path
    }

    /// Positive doubles are ordered as their bits are.
    fn schedule(&mut self, after: f64, event: Event) {
        self.events.push(Reverse(((self.clock + after).to_bits(), self.next_id, event)));
        self.next_id += 1;
    }

    fn enter(&mut self, index: usize, mut packet: Packet) {
        let now = self.now;
        let link = &mut self.links[index];
        let position = link.entered;
        link.entered += 1;
        let full = link.busy && link.queue.len() + 1 >= link.limit;
        if link.drop.contains(&position) || full {
            let shown = match packet {
                Packet::Data(segment) => Shown::Dropped(segment.seq),
                Packet::Ack(ack) => Shown::AckDropped(ack.ack),
            };
            self.shown.push((now, shown));
            return;
        }
        if link.mark.contains(&position) {
            if let Packet::Data(segment) = &mut packet {
                if segment.ecn.capable() {
                    segment.ecn = Ecn::Ce;
                }
            }
        }
        link.queue.push_back(packet);
        if !link.busy {
            self.transmit(index);
        }
    }

    fn transmit(&mut self, index: usize) {
        let link = &mut self.links[index];
        let Some(packet) = link.queue.pop_front() else {
            link.busy = false;
            return;
        };
        link.busy = true;
        let took = 8.0 * packet.size() as f64 / link.rate;
        let arrives = took + link.delay;
        self.on_wire[index].push_back(packet);
        self.schedule(arrives, Event::Arrive(index));
        self.schedule(took, Event::Free(index));
    }

    fn drain_sender(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(Time(self.now)) {
            self.shown.push((self.now, Shown::Sent(segment.seq)));
            self.enter(0, Packet::Data(segment));
        }
        let due = self.sender.poll_timeout().map_or(u64::MAX, |at| at.0);
        if due == u64::MAX {
            self.sender_timer = due;
        }
        if due != self.sender_timer && due != u64::MAX {
            self.sender_timer = due;
            // ns-2 multiplies ticks by a double.
            let (after, tick) = (due.saturating_sub(self.now), self.sender.rtt().tick());
            let whole = after % tick.0 == 0;
            let seconds = if whole { (after / tick.0) as f64 * tick.as_secs() } else { after as f64 / 1e9 };
            self.schedule(seconds, Event::SenderTimer);
        }
    }

    fn drain_receiver(&mut self) {
        while let Some(ack) = self.receiver.poll_transmit(Time(self.now)) {
            self.enter(3, Packet::Ack(ack));
        }
        let due = self.receiver.poll_timeout().map_or(u64::MAX, |at| at.0);
        if due == u64::MAX {
            self.receiver_timer = due;
        }
        if due != self.receiver_timer && due != u64::MAX {
            self.receiver_timer = due;
            self.schedule(due.saturating_sub(self.now) as f64 / 1e9, Event::ReceiverTimer);
        }
    }

    fn is_dropped(&mut self, seq: u32) -> bool {
        match self
            .dropped_segments
            .iter_mut()
            .find(|(dropped_segments, left)| *dropped_segments == seq && *left > 0)
        {
            Some((_, left)) => {
                *left -= 1;
                true
            }
            None => false,
        }
    }

    fn arrive(&mut self, index: usize) {
        let packet = self.on_wire[index].pop_front().unwrap();
        match (index, packet) {
            (2, Packet::Data(segment)) if self.is_dropped(segment.seq) => {}
            (2, Packet::Data(segment)) => {
                self.receiver.on_segment(Time(self.now), &segment);
                self.drain_receiver();
            }
            (5, Packet::Ack(ack)) => {
                self.shown.push((self.now, Shown::Acked(ack.ack)));
                self.sender.on_ack(Time(self.now), &ack);
                self.drain_sender();
            }
            _ => self.enter(index + 1, packet),
        }
    }

    /// Runs up to, not including, `until`; `watch` is called after each event.
    pub fn run(&mut self, until: Span, mut watch: impl FnMut(&Path)) {
        while let Some(Reverse((bits, _, event))) = self.events.pop() {
            self.clock = f64::from_bits(bits);
            let at = (self.clock * 1e9).round() as u64;
            if self.clock >= until.as_secs() {
                return;
            }
            self.now = at;
            match event {
                Event::Start => {
                    self.sender.start(Time(at));
                    self.drain_sender();
                }
                Event::Arrive(index) => self.arrive(index),
                Event::Free(index) => self.transmit(index),
                Event::SenderTimer if self.sender_timer == at => {
                    self.sender_timer = u64::MAX;
                    self.sender.on_timer(Time(at));
                    self.drain_sender();
                }
                Event::ReceiverTimer if self.receiver_timer == at => {
                    self.receiver_timer = u64::MAX;
                    self.receiver.on_timer(Time(at));
                    self.drain_receiver();
                }
                Event::SenderTimer | Event::ReceiverTimer => {}
            }
            watch(self);
        }
    }
}
