//! Flow queues: a flow hash, lists of new and old queues served by deficit round robin, and one packet pool for all.
//!
//! Reference: RFC8290, its sections 3 and 4; HTM18 for sets with tags.
//! Units: deficits and the quantum are bytes.
//!
//! Packets lie in one pool of slots, linked by index; queues are in two lists, linked by index as well. Once the pool
//! has grown to the largest backlog nothing is allocated.

mod pool;

use self::pool::{Chain, Pool, NONE};
use crate::disc::{Cx, Packet, Reason};
use crate::store::hash::mix;
use crate::store::PacketStore;
use alloc::vec::Vec;
use units::quantity::Amount;
use units::Bytes;

/// The list that a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In no list: empty.
    Idle,
    /// In the list of new queues.
    New,
    /// In the list of old queues.
    Old,
}

/// A flow queue, its deficit, and the state of its control law.
#[derive(Clone, Debug)]
pub(crate) struct Queue<S> {
    chain: Chain,
    place: Place,
    /// Next in its list.
    next: u32,
    /// The flow that holds it, for hashes with tags.
    tag: u64,
    /// Bytes it may still send before its turn is over.
    pub(crate) deficit: i64,
    /// State of its control law.
    pub(crate) state: S,
}

impl<S> Queue<S> {
    /// Packets in it.
    pub(crate) fn packets(&self) -> u64 {
        self.chain.packets
    }

    /// Bytes in it.
    pub(crate) fn bytes(&self) -> u64 {
        self.chain.bytes
    }
}

/// A list of queues.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List { head: NONE, tail: NONE };

    fn append<S>(&mut self, queues: &mut [Queue<S>], i: usize) {
        queues[i].next = NONE;
        if self.head == NONE {
            self.head = i as u32;
        } else {
            queues[self.tail as usize].next = i as u32;
        }
        self.tail = i as u32;
    }

    fn take_head<S>(&mut self, queues: &[Queue<S>]) {
        self.head = queues[self.head as usize].next;
    }
}

/// The packets of one queue, as a control law accesses them.
pub(crate) struct FlowQueueStore<'a, P> {
    chain: &'a mut Chain,
    pool: &'a mut Pool<P>,
    /// Whether the guard of the control law uses the backlog of all queues.
    total: bool,
}

impl<P: Packet + Copy> PacketStore<P> for FlowQueueStore<'_, P> {
    #[inline]
    fn pop(&mut self) -> Option<P> {
        self.chain.pop(self.pool)
    }
    #[inline]
    fn backlog(&self) -> u64 {
        if self.total {
            self.pool.bytes
        } else {
            self.chain.bytes
        }
    }
}

/// How flows are sorted into queues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash {
    /// Number of queues.
    pub(crate) flows: u64,
    /// Queues of a set in which a flow may find one of its own; 1: the hash alone decides.
    pub(crate) ways: u64,
    /// Seed of the hash; `None`: drawn at the first arrival.
    pub(crate) perturbation: Option<u64>,
}

/// The hard limits of all queues together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
}

impl Bounds {
    pub(crate) fn new(limit: Amount, memory_limit: Bytes) -> Bounds {
        let memory = if memory_limit.0 == 0 { u64::MAX } else { memory_limit.0 };
        match limit {
            Amount::Packets(n) => Bounds { packets: n as u64, bytes: memory },
            Amount::Bytes(n) => Bounds { packets: u64::MAX, bytes: memory.min(n as u64) },
        }
    }

    /// Whether this much fits, together with the packet on the wire if the link counts that.
    #[inline]
    pub(crate) fn hold<P>(self, packets: u64, bytes: u64, cx: &Cx<'_, P>) -> bool {
        packets + u64::from(cx.on_wire.0 > 0) <= self.packets && bytes + cx.on_wire.0 <= self.bytes
    }
}

/// The flow queues, served by deficit round robin.
#[derive(Clone, Debug)]
pub(crate) struct Flows<P, S> {
    hash: Hash,
    quantum: i64,
    pool: Pool<P>,
    queues: Vec<Queue<S>>,
    new_flows: List,
    old_flows: List,
    active: u64,
}

impl<P: Packet + Copy, S: Clone> Flows<P, S> {
    /// Empty queues, each with the initial state of the control law.
    pub(crate) fn new(hash: Hash, quantum: i64, state: S) -> Flows<P, S> {
        let queue = Queue { chain: Chain::EMPTY, place: Place::Idle, next: NONE, tag: 0, deficit: 0, state };
        Flows {
            hash,
            quantum,
            pool: Pool::new(),
            queues: vec![queue; hash.flows as usize],
            new_flows: List::EMPTY,
            old_flows: List::EMPTY,
            active: 0,
        }
    }

    /// The queue of a flow.
    #[inline]
    pub(crate) fn queue_of(&mut self, flow: u64, cx: &mut Cx<'_, P>) -> usize {
        let perturbation = match self.hash.perturbation {
            Some(perturbation) => perturbation,
            None => *self.hash.perturbation.insert((cx.uniform() * (1u64 << 53) as f64) as u64),
        };
        let hashed = mix(flow ^ mix(perturbation));
        let direct = ((u128::from(hashed) * u128::from(self.hash.flows)) >> 64) as usize;
        if self.hash.ways <= 1 {
            return direct;
        }
        let ways = self.hash.ways as usize;
        let set = direct - direct % ways..direct - direct % ways + ways;
        let own = set.clone().find(|&i| self.queues[i].tag == flow && self.queues[i].place != Place::Idle);
        let empty = || set.clone().find(|&i| self.queues[i].place == Place::Idle);
        let slot = own.or_else(empty).unwrap_or(direct);
        self.queues[slot].tag = flow;
        slot
    }

    /// Stores a packet at the end of queue `i`, which gets a turn if it has none.
    #[inline]
    pub(crate) fn push(&mut self, i: usize, mut pkt: P, cx: &Cx<'_, P>) {
        pkt.set_enqueued(cx.now);
        let queue = &mut self.queues[i];
        queue.chain.push(&mut self.pool, pkt);
        if queue.place == Place::Idle {
            (queue.deficit, queue.place) = (self.quantum, Place::New);
            self.new_flows.append(&mut self.queues, i);
            self.active += 1;
        }
    }

    /// The oldest packet of queue `i`.
    pub(crate) fn pop(&mut self, i: usize) -> Option<P> {
        self.queues[i].chain.pop(&mut self.pool)
    }

    /// The queue whose turn it is: it has a deficit above zero. Queues that have used theirs up get a quantum and go to
    /// the end.
    pub(crate) fn turn(&mut self) -> Option<usize> {
        loop {
            let new = self.new_flows.head != NONE;
            let i = if new { self.new_flows.head } else { self.old_flows.head };
            if i == NONE {
                return None;
            }
            let i = i as usize;
            if self.queues[i].deficit > 0 {
                return Some(i);
            }
            self.queues[i].deficit += self.quantum;
            self.retire(i);
        }
    }

    /// Queue `i`, whose turn it is, moves to the end of the old ones.
    fn retire(&mut self, i: usize) {
        self.leave(i);
        self.queues[i].place = Place::Old;
        self.old_flows.append(&mut self.queues, i);
    }

    fn leave(&mut self, i: usize) {
        match self.queues[i].place {
            Place::New => self.new_flows.take_head(&self.queues),
            _ => self.old_flows.take_head(&self.queues),
        }
    }

    /// Queue `i`, whose turn it is, had nothing to send: a new queue moves to the list of old ones, so that it cannot
    /// be new again at once; an old one leaves its list.
    pub(crate) fn nothing_from(&mut self, i: usize) {
        if self.queues[i].place == Place::New {
            self.retire(i);
        } else {
            self.leave(i);
            self.queues[i].place = Place::Idle;
            self.active -= 1;
        }
    }

    /// Serves the queues in turn: the packet that `from` takes from the first queue that has one, charged to its
    /// deficit.
    #[inline]
    pub(crate) fn send(&mut self, mut from: impl FnMut(&mut Self, usize) -> Option<P>) -> Option<P> {
        while let Some(i) = self.turn() {
            if let Some(pkt) = from(self, i) {
                self.queues[i].deficit -= pkt.size().0 as i64;
                return Some(pkt);
            }
            self.nothing_from(i);
        }
        None
    }

    /// Drops from the longest queues until the bounds hold. Calls `on_drop` with the state of the queue for each
    /// packet.
    #[inline]
    pub(crate) fn make_room(
        &mut self,
        bounds: Bounds,
        batch: u64,
        cx: &mut Cx<'_, P>,
        mut on_drop: impl FnMut(&mut S),
    ) {
        while !bounds.hold(self.packets(), self.bytes(), cx) && self.packets() > 0 {
            self.drop_from_longest(batch, cx, &mut on_drop);
        }
    }

    /// The packets and the state of queue `i`.
    pub(crate) fn store_of(&mut self, i: usize, total: bool) -> (FlowQueueStore<'_, P>, &mut S) {
        let queue = &mut self.queues[i];
        (FlowQueueStore { chain: &mut queue.chain, pool: &mut self.pool, total }, &mut queue.state)
    }

    /// The queue with the most bytes; the first of equals.
    fn longest(&self) -> usize {
        let mut longest = 0;
        for (i, queue) in self.queues.iter().enumerate() {
            if queue.bytes() > self.queues[longest].bytes() {
                longest = i;
            }
        }
        longest
    }

    /// Drops from the head of the longest queue: half its bytes, or a batch of packets. Calls `on_drop` with its state
    /// for each.
    #[cold]
    pub(crate) fn drop_from_longest(
        &mut self,
        batch: u64,
        cx: &mut Cx<'_, P>,
        mut on_drop: impl FnMut(&mut S),
    ) {
        let longest = self.longest();
        let half = self.queues[longest].bytes() / 2;
        let mut gone = 0;
        for _ in 0..batch {
            let Some(pkt) = self.pop(longest) else { break };
            gone += pkt.size().0;
            cx.drop(pkt, Reason::Overflow);
            on_drop(&mut self.queues[longest].state);
            if gone >= half {
                break;
            }
        }
    }

    /// Queue `i`.
    pub(crate) fn queue(&mut self, i: usize) -> &mut Queue<S> {
        &mut self.queues[i]
    }

    /// State of the control law of every queue.
    pub(crate) fn states(&self) -> impl Iterator<Item = &S> {
        self.queues.iter().map(|queue| &queue.state)
    }

    /// Queues in either list.
    pub(crate) fn active(&self) -> u64 {
        self.active
    }

    /// Queues in the list of new ones.
    pub(crate) fn new_count(&self) -> u64 {
        self.queues.iter().filter(|queue| queue.place == Place::New).count() as u64
    }

    /// Packets in all queues.
    pub(crate) fn packets(&self) -> u64 {
        self.pool.packets
    }

    /// Bytes in all queues.
    pub(crate) fn bytes(&self) -> u64 {
        self.pool.bytes
    }
}

/// Length, backlog and decisions of a [`QueueDisc`](crate::disc::QueueDisc) that holds its packets in `flows`, a
/// [`Flows`], and may drop them when they leave.
macro_rules! as_flow_queues {
    () => {
        #[inline]
        fn len(&self) -> usize {
            self.flows.packets() as usize
        }

        #[inline]
        fn backlog(&self) -> units::Bytes {
            units::Bytes(self.flows.bytes())
        }

        #[inline]
        fn decides(&self) -> crate::disc::Decides {
            crate::disc::Decides::Later
        }
    };
}
pub(crate) use as_flow_queues;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Always, Pkt};
    use units::Time;

    fn flows(ways: u64) -> Flows<Pkt, ()> {
        Flows::new(Hash { flows: 1024, ways, perturbation: Some(7) }, 1000, ())
    }

    fn with_cx<R>(act: impl FnOnce(&mut Cx<'_, Pkt>) -> R) -> R {
        act(&mut Cx::new(Time(5), &mut Always(0.25, 0), &mut Vec::new()))
    }

    #[test]
    fn slots_are_used_again() {
        let mut flows = flows(1);
        for round in 0..10 {
            for i in 0..3 {
                with_cx(|cx| flows.push(i, Pkt { size: 100, ..Pkt::new(i as u64) }, cx));
            }
            assert_eq!(
                (flows.packets(), flows.bytes(), flows.pool.slots.len()),
                (3, 300, 3),
                "round {round}"
            );
            for i in [1, 0, 2] {
                assert_eq!(flows.pop(i).map(|pkt| pkt.id), Some(i as u64));
                assert_eq!(flows.pop(i), None);
            }
        }
    }

    #[test]
    fn queues_take_turns_by_deficit() {
        let mut flows = flows(1);
        for id in 0..3 {
            with_cx(|cx| flows.push(4, Pkt { size: 600, ..Pkt::new(id) }, cx));
            with_cx(|cx| flows.push(9, Pkt { size: 1500, ..Pkt::new(10 + id) }, cx));
        }
        let mut sent = Vec::new();
        while let Some(i) = flows.turn() {
            match flows.pop(i) {
                Some(pkt) => {
                    flows.queue(i).deficit -= pkt.size as i64;
                    sent.push(pkt.id);
                }
                None => flows.nothing_from(i),
            }
        }
        // Queue 4 sends 600 and 600 of 1000, queue 9 1500; then 4 has 800 for its last, and 9 has 500 for its next.
        assert_eq!(sent, [0, 1, 10, 2, 11, 12]);
        assert_eq!(flows.active(), 0);
    }

    #[test]
    fn a_set_gives_each_flow_a_queue_of_its_own() {
        let collisions = |ways| {
            let mut flows = flows(ways);
            let mut used = alloc::collections::BTreeSet::new();
            for flow in 0..100 {
                let i = with_cx(|cx| flows.queue_of(flow, cx));
                with_cx(|cx| flows.push(i, Pkt::new(0), cx));
                assert_eq!(with_cx(|cx| flows.queue_of(flow, cx)), i, "a flow stays where it is");
                used.insert(i);
            }
            100 - used.len()
        };
        assert_eq!(collisions(8), 0);
        assert!((1..12).contains(&collisions(1)), "about 100^2 / 2048 = 5 are to be expected");
    }

    #[test]
    fn the_perturbation_is_drawn_once() {
        let mut flows: Flows<Pkt, ()> = Flows::new(Hash { flows: 16, ways: 1, perturbation: None }, 1000, ());
        let mut rng = Always(0.5, 0);
        let mut fates = Vec::new();
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut fates);
        let first = flows.queue_of(1, &mut cx);
        assert_eq!(flows.queue_of(1, &mut cx), first);
        assert_eq!((rng.1, flows.hash.perturbation), (1, Some(1 << 52)));
    }
}
