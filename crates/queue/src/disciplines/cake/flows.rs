//! The queues of a tin: sets that keep flows apart, sparse ones before those that stand, fair between hosts.
//!
//! Reference: HTM18 section III (the sets, host fairness); RFC8290 section 4 (new before old).
//! Units: deficits and the quantum are bytes as the wire counts them.
//!
//! A queue that has emptied stays in a list of its own until the schedule of its law has come to rest, so that a flow
//! that comes back soon is still known; each dequeue looks at one of those first.

use crate::cobalt::law::{CobaltLaw, CobaltState};
use crate::disc::{Cx, Packet};
use crate::store::hash::mix;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use units::Time;

units::choices! {
    /// What is kept apart, and between whom the link is shared.
    pub enum Isolate {
        /// Nothing: one queue.
        FlowBlind = "flowblind",
        /// Sources.
        SrcHost = "srchost",
        /// Destinations.
        DstHost = "dsthost",
        /// Pairs of source and destination.
        Hosts = "hosts",
        /// Flows, all alike.
        Flows = "flows",
        /// Flows, fair between sources first.
        DualSrcHost = "dual_srchost",
        /// Flows, fair between destinations first.
        DualDstHost = "dual_dsthost",
        /// Flows, fair between whichever hosts are busier.
        Triple = "triple",
    }
}

impl Isolate {
    /// What tells queues apart.
    fn tag(self, flow: u64, source: u64, destination: u64) -> u64 {
        match self {
            Isolate::FlowBlind => 0,
            Isolate::SrcHost => source,
            Isolate::DstHost => destination,
            Isolate::Hosts => source.rotate_left(32) ^ destination,
            _ => flow,
        }
    }

    /// Whether the load of a source and of a destination divides the quantum.
    fn counts(self) -> [bool; 2] {
        [
            matches!(self, Isolate::DualSrcHost | Isolate::Triple),
            matches!(self, Isolate::DualDstHost | Isolate::Triple),
        ]
    }
}

units::choices! {
    /// How the quantum of a queue is divided where its hosts have several.
    pub enum Division {
        /// By their number.
        Exact = "exact",
        /// As a multiple of a 65536th, so that a single queue gets a 65536th less than a quantum.
        SixteenBits = "sixteen_bits",
    }
}

/// Queues of a tin, and how many of them a flow may choose among.
const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// Where a queue stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In no list.
    Idle,
    /// Among the sparse: it has not used up a quantum yet.
    Sparse,
    /// It has, and was empty by then: it waits for its turn among those that stand, still counted as sparse.
    Waits,
    /// Among those that stand.
    Bulk,
    /// Empty; its law comes to rest.
    Rests,
}

/// One queue.
#[derive(Clone, Debug)]
struct Queue<P> {
    packets: VecDeque<P>,
    bytes: u64,
    place: Place,
    deficit: i64,
    /// The flow that holds it.
    tag: u64,
    /// Places of its source and its destination among the hosts.
    hosts: [usize; 2],
    state: CobaltState,
}

/// A host that flows of the tin come from or go to.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    tag: u64,
    /// Queues that name it, and those of them that stand.
    flows: u32,
    bulk: u32,
}

/// All queues of a tin.
#[derive(Clone, Debug)]
pub(super) struct Flows<P> {
    queues: Vec<Queue<P>>,
    /// Sources, destinations.
    hosts: [Vec<Host>; 2],
    sparse: VecDeque<u32>,
    bulk: VecDeque<u32>,
    resting: VecDeque<u32>,
    isolate: Isolate,
    division: Division,
    quantum: i64,
    pub(super) len: usize,
    pub(super) bytes: u64,
}

/// What a turn found.
pub(super) enum Turn {
    /// Nothing but queues that were empty, which have gone.
    Nothing,
    /// This queue has its turn.
    Of(usize),
}

impl<P: Packet + Copy> Flows<P> {
    pub(super) fn new(isolate: Isolate, division: Division, quantum: i64) -> Flows<P> {
        let queue = Queue {
            packets: VecDeque::new(),
            bytes: 0,
            place: Place::Idle,
            deficit: 0,
            tag: 0,
            hosts: [0; 2],
            state: CobaltState::default(),
        };
        let list = || VecDeque::with_capacity(QUEUES);
        Flows {
            queues: vec![queue; QUEUES],
            hosts: [vec![Host::default(); QUEUES], vec![Host::default(); QUEUES]],
            sparse: list(),
            bulk: list(),
            resting: list(),
            isolate,
            division,
            quantum,
            len: 0,
            bytes: 0,
        }
    }

    /// Queues with packets or a turn to come.
    pub(super) fn active(&self) -> usize {
        self.sparse.len() + self.bulk.len()
    }

    /// Takes a packet.
    pub(super) fn push(&mut self, mut pkt: P, cx: &mut Cx<'_, P>) {
        let [source, destination] = pkt.hosts();
        let tag = self.isolate.tag(pkt.flow(), source, destination);
        let i = self.queue_of(tag);
        pkt.set_enqueued(cx.now);
        let queue = &mut self.queues[i];
        queue.bytes += pkt.size().0;
        queue.packets.push_back(pkt);
        self.len += 1;
        self.bytes += pkt.size().0;
        match queue.place {
            Place::Idle | Place::Rests => {
                if queue.place == Place::Rests {
                    self.resting.retain(|&j| j as usize != i);
                } else {
                    queue.tag = tag;
                    let hosts = [self.claim(0, source), self.claim(1, destination)];
                    self.queues[i].hosts = hosts;
                }
                self.queues[i].place = Place::Sparse;
                self.queues[i].deficit = self.quantum_of(i, cx);
                self.sparse.push_back(i as u32);
            }
            Place::Waits => self.stands(i),
            Place::Sparse | Place::Bulk => {}
        }
    }

    /// The queue of a flow: the one it holds, else an idle one of its set, else the one of the set that the hash names.
    fn queue_of(&self, tag: u64) -> usize {
        let direct = (mix(tag) % QUEUES as u64) as usize;
        let first = direct - direct % WAYS;
        let set = (0..WAYS).map(|k| first + (direct + k) % WAYS);
        let own = set.clone().find(|&i| self.queues[i].tag == tag && self.queues[i].place != Place::Idle);
        own.or_else(|| set.clone().find(|&i| self.queues[i].place == Place::Idle)).unwrap_or(direct)
    }

    /// The place of a host among the hosts, one queue more of which names it.
    fn claim(&mut self, side: usize, tag: u64) -> usize {
        let direct = (mix(tag) % QUEUES as u64) as usize;
        let first = direct - direct % WAYS;
        let set = (0..WAYS).map(|k| first + (direct + k) % WAYS);
        let hosts = &mut self.hosts[side];
        let own = set.clone().find(|&i| hosts[i].tag == tag && hosts[i].flows > 0);
        let i = own.or_else(|| set.clone().find(|&i| hosts[i].flows == 0)).unwrap_or(direct);
        if hosts[i].flows == 0 {
            hosts[i].tag = tag;
        }
        hosts[i].flows += 1;
        i
    }

    /// A quantum, divided by the flows that stand of the busier of the two hosts; the fraction of a byte by chance.
    fn quantum_of(&self, i: usize, cx: &mut Cx<'_, P>) -> i64 {
        let load = |side: usize| {
            let counts = self.isolate.counts()[side];
            if counts {
                self.hosts[side][self.queues[i].hosts[side]].bulk
            } else {
                0
            }
        };
        let load = i64::from(load(0).max(load(1)).max(1));
        let (share, parts) = match self.division {
            Division::Exact => (self.quantum, load),
            Division::SixteenBits => (self.quantum * (0xffff / load), 1 << 16),
        };
        share / parts + i64::from(cx.chance((share % parts) as f64 / parts as f64))
    }

    /// A queue joins those that stand, for the accounts of its hosts.
    fn stands(&mut self, i: usize) {
        self.queues[i].place = Place::Bulk;
        for (side, host) in self.queues[i].hosts.into_iter().enumerate() {
            self.hosts[side][host].bulk += 1;
        }
    }

    /// A queue leaves its place for another, and its hosts' accounts with it.
    fn leaves(&mut self, i: usize, to: Place) {
        if self.queues[i].place == Place::Bulk {
            for (side, host) in self.queues[i].hosts.into_iter().enumerate() {
                self.hosts[side][host].bulk -= 1;
            }
        }
        if to == Place::Idle {
            for (side, host) in self.queues[i].hosts.into_iter().enumerate() {
                self.hosts[side][host].flows -= 1;
            }
        }
        self.queues[i].place = to;
    }

    /// Whose turn it is. `first`: whether this dequeue has not looked at a resting queue yet.
    pub(super) fn turn(&mut self, first: bool, cx: &mut Cx<'_, P>) -> Turn {
        if let Some(&i) = self.resting.front().filter(|_| first) {
            return Turn::Of(i as usize);
        }
        loop {
            let sparse = self.sparse.front().copied();
            let Some(i) = sparse.or_else(|| self.bulk.front().copied()) else { return Turn::Nothing };
            let i = i as usize;
            if self.queues[i].deficit > 0 {
                return Turn::Of(i);
            }
            if self.queues[i].place == Place::Sparse {
                if self.queues[i].packets.is_empty() {
                    self.queues[i].place = Place::Waits;
                } else {
                    self.stands(i);
                }
            }
            self.queues[i].deficit += self.quantum_of(i, cx);
            if sparse.is_some() {
                self.sparse.pop_front()
            } else {
                self.bulk.pop_front()
            };
            self.bulk.push_back(i as u32);
        }
    }

    /// The oldest packet of a queue.
    pub(super) fn pop(&mut self, i: usize) -> Option<P> {
        let pkt = self.queues[i].packets.pop_front()?;
        self.queues[i].bytes -= pkt.size().0;
        self.len -= 1;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// Whether a queue holds nothing.
    pub(super) fn is_empty(&self, i: usize) -> bool {
        self.queues[i].packets.is_empty()
    }

    /// What the law of a queue remembers.
    pub(super) fn state(&mut self, i: usize) -> &mut CobaltState {
        &mut self.queues[i].state
    }

    /// A queue has sent so much.
    pub(super) fn sent(&mut self, i: usize, size: u64) {
        self.queues[i].deficit -= size as i64;
    }

    /// The queue whose turn it is had nothing: it rests, or is forgotten.
    pub(super) fn nothing_from(&mut self, i: usize, law: &CobaltLaw, now: Time) {
        law.emptied(&mut self.queues[i].state, now);
        let list = match self.queues[i].place {
            Place::Rests => &mut self.resting,
            Place::Sparse => &mut self.sparse,
            _ => &mut self.bulk,
        };
        list.pop_front();
        if self.queues[i].state.at_rest(now) {
            self.leaves(i, Place::Idle);
        } else {
            self.leaves(i, Place::Rests);
            self.resting.push_back(i as u32);
        }
    }

    /// The queue with the most bytes, and how many.
    pub(super) fn fattest(&self) -> (u64, usize) {
        let active = self.sparse.iter().chain(&self.bulk).map(|&i| i as usize);
        active
            .map(|i| (self.queues[i].bytes, i))
            .max_by_key(|&(bytes, i)| (bytes, core::cmp::Reverse(i)))
            .unwrap_or((0, 0))
    }
}
