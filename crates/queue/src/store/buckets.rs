//! The queues of a scheduler: flows hashed into buckets, and a ring of the buckets that hold packets.
//!
//! Units: bytes and packets.
//! The buckets that schedulers share. A bucket is a plain queue, or holds a discipline of its own. Those are made
//! when a bucket is first used, as copies of one that has been kept empty and whose clock has run since the start; so
//! a bucket behaves as if it had been there from the start, and one that is never used costs nothing. Nothing is
//! allocated once the buckets have grown.

use crate::child::Child;
use crate::disc::{Cx, Packet, QueueDisc};
use crate::flow_key::FlowKey;
use crate::registry::Setting;
use crate::store::hash::mix;
use crate::store::longest::{Longest, Rank};
use crate::Disc;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use units::Time;

/// Among so few queues the longest is found by looking at all.
const FEW: usize = 64;

/// One queue of a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Bucket<P: Packet + Copy> {
    /// Packets of a plain queue; with an inner discipline, the packet that it has dequeued and the scheduler has not
    /// sent.
    packets: VecDeque<P>,
    child: Option<Box<Disc<P>>>,
    len: usize,
    bytes: u64,
    /// When its length last changed, as a count of changes.
    reached: u64,
    /// Bytes it may still send in this round.
    pub(crate) deficit: i64,
}

/// All queues, and the ring of those that hold packets.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<P: Packet + Copy> {
    buckets: Vec<Bucket<P>>,
    /// Buckets with packets, in order of service.
    ring: VecDeque<u32>,
    /// From the first search among many on.
    longest: Option<Box<Longest>>,
    inside: Option<Inside<P>>,
    by: FlowKey,
    salt: u64,
    changes: u64,
    len: usize,
    bytes: u64,
}

/// Description of the disciplines inside.
#[derive(Clone, Debug)]
struct Inside<P: Packet + Copy> {
    /// One that is always empty, from which a bucket starts.
    blank: Box<Disc<P>>,
    /// Buckets that have one.
    used: Vec<u32>,
    /// Lower bound on the deadlines of the inner disciplines.
    due: Option<Time>,
    /// The bucket that sent last, if that emptied it: its discipline has not been asked for a packet since.
    emptied: Option<u32>,
}

impl<P: Packet + Copy> Buckets<P> {
    /// `n` empty queues, each with a discipline made from `child` inside.
    pub(crate) fn new(n: u64, by: FlowKey, child: &Child, setting: &Setting) -> Buckets<P> {
        let inside = child.build::<P>(setting).map(|blank| Inside {
            due: blank.next_deadline(),
            blank: Box::new(blank),
            used: Vec::with_capacity(n as usize),
            emptied: None,
        });
        let empty =
            Bucket { packets: VecDeque::new(), child: None, len: 0, bytes: 0, reached: 0, deficit: 0 };
        Buckets {
            buckets: vec![empty; n as usize],
            ring: VecDeque::with_capacity(n as usize),
            longest: None,
            inside,
            by,
            salt: 0,
            changes: 0,
            len: 0,
            bytes: 0,
        }
    }

    /// The bucket of a packet's flow.
    #[inline]
    pub(crate) fn of(&self, pkt: &P) -> usize {
        (mix(self.by.of(pkt) ^ self.salt) % self.buckets.len() as u64) as usize
    }

    /// Changes the hash of the flows.
    pub(crate) fn perturb(&mut self) {
        self.salt = mix(self.salt + 1);
    }

    /// Packets in a bucket.
    #[inline]
    pub(crate) fn len_of(&self, i: usize) -> usize {
        self.buckets[i].len
    }

    /// Packets in all of them.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in all of them.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Buckets that hold packets.
    pub(crate) fn active(&self) -> usize {
        self.ring.len()
    }

    /// Enqueues a packet in a bucket; one that was empty joins the end of the ring with this deficit.
    pub(crate) fn push(&mut self, i: usize, mut pkt: P, deficit: i64, cx: &mut Cx<'_, P>) {
        if self.buckets[i].len == 0 {
            self.buckets[i].deficit = deficit;
        }
        match &mut self.inside {
            None => {
                pkt.set_enqueued(cx.now);
                self.buckets[i].packets.push_back(pkt);
                self.grew(i, pkt.size().0);
            }
            Some(inside) => {
                let child = self.buckets[i].child.get_or_insert_with(|| {
                    inside.used.push(i as u32);
                    inside.blank.clone()
                });
                child.enqueue(pkt, &mut cx.inner());
                self.settle(i);
            }
        }
    }

    /// A plain bucket got a packet.
    #[inline]
    fn grew(&mut self, i: usize, size: u64) {
        if self.buckets[i].len == 0 {
            self.join_ring(i);
        }
        self.note_change(i);
        let bucket = &mut self.buckets[i];
        bucket.len += 1;
        bucket.bytes += size;
        self.len += 1;
        self.bytes += size;
    }

    /// Updates the totals, the ring and the deadline of a bucket after a call of the discipline inside.
    fn settle(&mut self, i: usize) {
        let bucket = &mut self.buckets[i];
        let (len, bytes) = (bucket.len, bucket.bytes);
        bucket.len = bucket.packets.len();
        bucket.bytes = bucket.packets.front().map_or(0, |pkt| pkt.size().0);
        if let (Some(child), Some(inside)) = (&bucket.child, &mut self.inside) {
            bucket.len += child.len();
            bucket.bytes += child.backlog().0;
            inside.due = earlier(inside.due, child.next_deadline());
        }
        self.len = self.len - len + bucket.len;
        self.bytes = self.bytes - bytes + bucket.bytes;
        let after = (bucket.len, bucket.bytes);
        if (len, bytes) != after {
            self.note_change(i);
        }
        if len == 0 && after.0 > 0 {
            self.join_ring(i);
        } else if len > 0 && after.0 == 0 {
            self.buckets[i].deficit = 0;
            self.leave_ring(i);
        }
    }

    /// The length of a bucket changes.
    #[inline]
    fn note_change(&mut self, i: usize) {
        self.changes += 1;
        self.buckets[i].reached = self.changes;
        if let Some(longest) = &mut self.longest {
            longest.note(i);
        }
    }

    /// A bucket joins the end of the ring.
    #[inline]
    fn join_ring(&mut self, i: usize) {
        self.ring.push_back(i as u32);
        if let Some(longest) = &mut self.longest {
            longest.join(i);
        }
    }

    fn leave_ring(&mut self, i: usize) {
        if let Some(place) = self.ring.iter().position(|j| *j as usize == i) {
            self.ring.remove(place);
        }
    }

    /// The bucket whose turn it is.
    #[inline]
    pub(crate) fn turn(&self) -> Option<usize> {
        self.ring.front().map(|i| *i as usize)
    }

    /// The bucket whose turn it is, if a turn ends when its bytes are used up: then it gets a quantum for its next one.
    pub(crate) fn turn_of(&mut self, quantum: i64) -> Option<usize> {
        loop {
            let i = self.turn()?;
            if self.buckets[i].deficit > 0 {
                return Some(i);
            }
            self.buckets[i].deficit += quantum;
            self.next();
        }
    }

    /// Its turn is over: it goes to the end of the ring.
    #[inline]
    pub(crate) fn next(&mut self) {
        self.ring.rotate_left(usize::from(!self.ring.is_empty()));
        if let (Some(longest), Some(i)) = (&mut self.longest, self.ring.back()) {
            longest.join(*i as usize);
        }
    }

    /// A bucket.
    #[inline]
    pub(crate) fn bucket(&mut self, i: usize) -> &mut Bucket<P> {
        &mut self.buckets[i]
    }

    /// Bytes of the packet that a bucket would send next. A discipline inside decides on it here, and may drop others
    /// first; `None` if it has dropped all its packets.
    pub(crate) fn head_size(&mut self, i: usize, cx: &mut Cx<'_, P>) -> Option<u64> {
        let bucket = &mut self.buckets[i];
        if let (true, Some(child)) = (bucket.packets.is_empty(), &mut bucket.child) {
            bucket.packets.extend(child.dequeue(&mut cx.inner()));
            self.settle(i);
        }
        self.buckets[i].packets.front().map(|pkt| pkt.size().0)
    }

    /// Takes the packet that a bucket would send next, or the newest of a plain bucket; an empty bucket leaves the
    /// ring.
    pub(crate) fn pop(&mut self, i: usize, newest: bool, cx: &mut Cx<'_, P>) -> Option<P> {
        if self.inside.is_some() {
            self.head_size(i, cx)?;
            let pkt = self.buckets[i].packets.pop_front();
            self.settle(i);
            return pkt;
        }
        let bucket = &mut self.buckets[i];
        let pkt = if newest { bucket.packets.pop_back() } else { bucket.packets.pop_front() }?;
        bucket.len -= 1;
        bucket.bytes -= pkt.size().0;
        if bucket.len == 0 {
            bucket.deficit = 0;
            self.leave_ring(i);
        }
        self.note_change(i);
        self.len -= 1;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// The transmitter is free again: a discipline whose last packet it sent learns that its line is idle.
    #[inline]
    pub(crate) fn sent(&mut self, cx: &mut Cx<'_, P>) {
        let Some(i) = self.inside.as_mut().and_then(|inside| inside.emptied.take()) else { return };
        let bucket = &mut self.buckets[i as usize];
        if let (0, Some(child)) = (bucket.len, &mut bucket.child) {
            let none = child.dequeue(&mut cx.inner());
            debug_assert!(none.is_none(), "an empty queue sends nothing");
            self.settle(i as usize);
        }
    }

    /// Bucket `i` has sent a packet.
    #[inline]
    pub(crate) fn sends(&mut self, i: usize) {
        if let (0, Some(inside)) = (self.buckets[i].len, &mut self.inside) {
            inside.emptied = Some(i as u32);
        }
    }

    /// The next deadline of the inner disciplines.
    #[inline]
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.inside.as_ref()?.due
    }

    /// Calls the inner disciplines whose deadlines are due.
    pub(crate) fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let Some(inside) = &mut self.inside else { return };
        let mut due = run_deadlines(&mut inside.blank, cx);
        for k in 0..inside.used.len() {
            let i = inside.used[k] as usize;
            if let Some(child) = &mut self.buckets[i].child {
                due = earlier(due, run_deadlines(child, cx));
            }
        }
        inside.due = due;
        let used = core::mem::take(&mut inside.used);
        used.iter().for_each(|&i| self.settle(i as usize));
        self.inside = self.inside.take().map(|kept| Inside { used, ..kept });
    }

    /// The bucket with most packets, of several the one whose length changed last.
    pub(crate) fn longest_latest(&mut self) -> Option<usize> {
        self.first_by(|bucket, _| (bucket.len as u64, bucket.reached))
    }

    /// The bucket with most bytes, the first in the ring of several; in packets if `by_packets`.
    pub(crate) fn longest(&mut self, by_packets: bool) -> Option<usize> {
        self.first_by(|bucket, place| {
            (if by_packets { bucket.len as u64 } else { bucket.bytes }, u64::MAX - place)
        })
    }

    /// The bucket in the ring with the largest rank, which a bucket and its place in the ring give. A scheduler always
    /// asks for the same rank.
    fn first_by(&mut self, rank: impl Fn(&Bucket<P>, u64) -> Rank) -> Option<usize> {
        let buckets = &self.buckets;
        if self.longest.is_none() {
            if self.ring.len() <= FEW {
                let places = self.ring.iter().zip(0..).map(|(&i, place)| (i as usize, place));
                return places.max_by_key(|&(i, place)| rank(&buckets[i], place)).map(|(i, _)| i);
            }
            self.longest = Some(Box::new(Longest::new(buckets.len(), self.ring.iter().map(|i| *i as usize))));
        }
        let longest = self.longest.as_mut().filter(|_| !self.ring.is_empty())?;
        Some(longest.first(|i, place| if buckets[i].len > 0 { rank(&buckets[i], place) } else { (0, 0) }))
    }
}

/// Calls a discipline for every deadline up to now; returns its next one.
fn run_deadlines<P: Packet + Copy>(child: &mut Disc<P>, cx: &mut Cx<'_, P>) -> Option<Time> {
    while child.next_deadline().is_some_and(|due| due <= cx.now) {
        child.on_deadline(&mut cx.inner());
    }
    child.next_deadline()
}

/// The earlier of two times, either of which may be never.
fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
