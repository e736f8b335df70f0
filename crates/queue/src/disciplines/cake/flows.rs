//! The queues of a tin: a set-associative hash, sparse queues before bulk queues, fairness between hosts.
//!
//! Reference: HTM18 section III (the sets, host fairness); RFC8290 section 4 (new before old).
//! Units: deficits and the quantum are bytes as the wire counts them.
//!
//! An emptied queue stays in the list of decaying queues until the schedule of its law has come to rest, so that its
//! flow is known if it returns soon; each dequeue visits one of them first.

use super::isolate::{Division, Hosts, Isolate, Translated};
use super::list::{Links, List};
use super::longest::Longest;
use super::rounds::Rounds;
use super::sets::{place_in_set, QUEUES};
use crate::cobalt::law::{CobaltLaw, CobaltState};
use crate::disc::{Cx, Packet};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use units::Time;

/// The list a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// None.
    Idle,
    /// The sparse queues: it has not used up a quantum yet.
    Sparse,
    /// The bulk queues, but it was empty when it had used up its quantum, so its hosts do not count it.
    SparseWait,
    /// The bulk queues.
    Bulk,
    /// The decaying ones: empty, and its law is not at rest yet.
    Decaying,
}

/// One queue.
#[derive(Clone, Debug)]
struct Queue<P> {
    packets: VecDeque<P>,
    bytes: u64,
    place: Place,
    deficit: i64,
    /// The key that its packets have in common.
    tag: u64,
    /// Places of its source and its destination among the hosts.
    hosts: [usize; 2],
    state: CobaltState,
}

/// All queues of a tin.
#[derive(Clone, Debug)]
pub(super) struct Flows<P> {
    queues: Vec<Queue<P>>,
    hosts: Hosts,
    links: Links,
    sparse: List,
    bulk: Rounds,
    decaying: List,
    isolate: Isolate,
    translated: Translated,
    division: Division,
    quantum: i64,
    bulk_queues: u64,
    /// Present from the first overflow on.
    longest: Option<Longest>,
    pub(super) len: usize,
    pub(super) bytes: u64,
}

impl<P: Packet + Copy> Flows<P> {
    pub(super) fn new(
        isolate: Isolate,
        translated: Translated,
        division: Division,
        quantum: i64,
    ) -> Flows<P> {
        let queue = Queue {
            packets: VecDeque::new(),
            bytes: 0,
            place: Place::Idle,
            deficit: 0,
            tag: 0,
            hosts: [0; 2],
            state: CobaltState::default(),
        };
        Flows {
            queues: vec![queue; QUEUES],
            hosts: Hosts::new(isolate),
            links: Links::new(QUEUES),
            sparse: List::EMPTY,
            bulk: Rounds::new(),
            decaying: List::EMPTY,
            isolate,
            translated,
            division,
            quantum,
            bulk_queues: 0,
            longest: None,
            len: 0,
            bytes: 0,
        }
    }

    /// Number of queues that have a turn to come.
    #[inline]
    pub(super) fn active(&self) -> usize {
        (self.sparse.len() + self.bulk.len()) as usize
    }

    /// Number of bulk queues that its hosts count.
    pub(super) fn bulk_queues(&self) -> u64 {
        self.bulk_queues
    }

    /// Stores a packet at the end of its queue, whose index it returns.
    pub(super) fn push(&mut self, mut pkt: P, cx: &mut Cx<'_, P>) -> usize {
        let tag = self.isolate.tag(&pkt, self.translated);
        let i = place_in_set(tag, |i| {
            let queue = &self.queues[i];
            (queue.place != Place::Idle).then_some(queue.tag)
        });
        pkt.set_enqueued(cx.now);
        self.queues[i].packets.push_back(pkt);
        self.len += 1;
        self.add_bytes(i, pkt.size().0 as i64);
        match self.queues[i].place {
            Place::Idle => {
                self.queues[i].tag = tag;
                self.queues[i].hosts = self.hosts.add(self.translated.hosts(&pkt));
                self.becomes_sparse(i, cx);
            }
            Place::Decaying => {
                self.decaying.remove(&mut self.links, i);
                self.becomes_sparse(i, cx);
            }
            Place::SparseWait => self.becomes_bulk(i),
            Place::Sparse | Place::Bulk => {}
        }
        i
    }

    fn becomes_sparse(&mut self, i: usize, cx: &mut Cx<'_, P>) {
        self.queues[i].place = Place::Sparse;
        self.queues[i].deficit = match self.division {
            Division::Exact => (self.quantum / self.hosts.load(self.queues[i].hosts)).max(1),
            Division::SixteenBits => self.sixteen_bit_share(i, cx),
        };
        self.sparse.push_back(&mut self.links, i);
    }

    /// Its hosts count the queue among their bulk queues from now on.
    fn becomes_bulk(&mut self, i: usize) {
        self.queues[i].place = Place::Bulk;
        self.hosts.add_bulk(self.queues[i].hosts);
        self.bulk_queues += 1;
    }

    /// An n-th of the quantum in 65536ths of a byte, rounded at random.
    fn sixteen_bit_share(&self, i: usize, cx: &mut Cx<'_, P>) -> i64 {
        let share = self.quantum * (0xffff / self.hosts.load(self.queues[i].hosts));
        let parts = 1 << 16;
        share / parts + i64::from(cx.chance((share % parts) as f64 / parts as f64))
    }

    /// Credit of the next turn of a queue, and the round from now in which it is.
    fn next_turn(&self, i: usize, cx: &mut Cx<'_, P>) -> (i64, u64) {
        match self.division {
            Division::Exact => (self.quantum, self.hosts.load(self.queues[i].hosts) as u64),
            Division::SixteenBits => (self.sixteen_bit_share(i, cx), 1),
        }
    }

    #[inline]
    fn add_bytes(&mut self, i: usize, size: i64) {
        let queue = &mut self.queues[i];
        queue.bytes = queue.bytes.wrapping_add_signed(size);
        self.bytes = self.bytes.wrapping_add_signed(size);
        if let Some(longest) = &mut self.longest {
            longest.set(i, queue.bytes);
        }
    }

    /// The queue whose turn it is, if there is one. `first`: whether this dequeue has visited no decaying queue yet.
    pub(super) fn turn(&mut self, first: bool, cx: &mut Cx<'_, P>) -> Option<usize> {
        if first && self.decaying.len() > 0 {
            return self.decaying.front();
        }
        loop {
            let sparse = self.sparse.front();
            let i = sparse.or_else(|| self.bulk.front(&mut self.links))?;
            let queue = &mut self.queues[i];
            if queue.deficit > 0 {
                return Some(i);
            }
            if queue.place != Place::Sparse {
                self.bulk.pop_front(&mut self.links);
            } else {
                self.sparse.remove(&mut self.links, i);
                if queue.packets.is_empty() {
                    queue.place = Place::SparseWait;
                } else {
                    self.becomes_bulk(i);
                }
            }
            let (earned, round) = self.next_turn(i, cx);
            self.queues[i].deficit += earned;
            self.bulk.push_back(&mut self.links, i, round);
        }
    }

    /// Takes a queue whose turn it is out of the list that its place names.
    #[inline]
    fn leave_list(&mut self, i: usize, place: Place) {
        match place {
            Place::Decaying => self.decaying.remove(&mut self.links, i),
            Place::Sparse => self.sparse.remove(&mut self.links, i),
            _ => self.bulk.pop_front(&mut self.links),
        }
    }

    /// Removes and returns the oldest packet of a queue.
    pub(super) fn pop(&mut self, i: usize) -> Option<P> {
        let pkt = self.queues[i].packets.pop_front()?;
        self.len -= 1;
        self.add_bytes(i, -(pkt.size().0 as i64));
        Some(pkt)
    }

    /// The packets of a queue, the oldest first.
    pub(super) fn packets(&self, i: usize) -> &VecDeque<P> {
        &self.queues[i].packets
    }

    /// Removes and returns one packet of a queue.
    pub(super) fn take(&mut self, i: usize, place: usize) -> Option<P> {
        let pkt = self.queues[i].packets.remove(place)?;
        self.len -= 1;
        self.add_bytes(i, -(pkt.size().0 as i64));
        Some(pkt)
    }

    /// The state of the law of a queue.
    pub(super) fn state(&mut self, i: usize) -> &mut CobaltState {
        &mut self.queues[i].state
    }

    /// Charges a queue for bytes that it has sent.
    pub(super) fn charge(&mut self, i: usize, size: u64) {
        self.queues[i].deficit -= size as i64;
    }

    /// The queue whose turn it is had no packet to send: it decays, or is idle if its law is at rest.
    pub(super) fn nothing_from(&mut self, i: usize, law: &CobaltLaw, now: Time) {
        let queue = &mut self.queues[i];
        law.emptied(&mut queue.state, now);
        let next = if queue.state.at_rest(now) { Place::Idle } else { Place::Decaying };
        let (place, hosts) = (core::mem::replace(&mut queue.place, next), queue.hosts);
        if place == Place::Decaying && next == place && self.decaying.len() == 1 {
            // It would be the last of its list again.
            return;
        }
        self.leave_list(i, place);
        if place == Place::Bulk {
            self.hosts.remove_bulk(hosts);
            self.bulk_queues -= 1;
        }
        if next == Place::Idle {
            self.hosts.remove(hosts);
        } else {
            self.decaying.push_back(&mut self.links, i);
        }
    }

    /// The most bytes that a queue holds, and the first such queue.
    pub(super) fn longest(&mut self) -> (u64, usize) {
        let queues = &self.queues;
        self.longest.get_or_insert_with(|| Longest::new(queues.iter().map(|queue| queue.bytes))).first()
    }
}
