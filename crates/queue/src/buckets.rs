//! Many queues under one roof: flows hashed into buckets, a ring of those that hold packets.
//!
//! Units: bytes and packets.
//! What the fair queueing disciplines share. Nothing is allocated once the buckets have grown.

use crate::disc::Packet;
use crate::sfb::mix;
use std::collections::VecDeque;

/// One queue of a fair scheme.
#[derive(Clone, Debug)]
pub(crate) struct Bucket<P> {
    packets: VecDeque<P>,
    bytes: u64,
    /// When its length last changed, as a count of changes.
    reached: u64,
    /// Bytes it may still send in this round.
    pub(crate) deficit: i64,
}

/// All queues, and the ring of those that hold packets.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<P> {
    buckets: Vec<Bucket<P>>,
    /// Those that hold packets, in order of service.
    ring: VecDeque<u32>,
    salt: u64,
    changes: u64,
    len: usize,
    bytes: u64,
}

impl<P: Packet + Copy> Buckets<P> {
    /// `n` empty queues.
    pub(crate) fn new(n: u64) -> Buckets<P> {
        let empty = Bucket { packets: VecDeque::new(), bytes: 0, reached: 0, deficit: 0 };
        Buckets {
            buckets: vec![empty; n as usize],
            ring: VecDeque::with_capacity(n as usize),
            salt: 0,
            changes: 0,
            len: 0,
            bytes: 0,
        }
    }

    /// The bucket of a packet's flow.
    #[inline]
    pub(crate) fn of(&self, pkt: &P) -> usize {
        (mix(pkt.flow() ^ self.salt) % self.buckets.len() as u64) as usize
    }

    /// Hashes flows in another way from now on.
    pub(crate) fn perturb(&mut self) {
        self.salt = mix(self.salt + 1);
    }

    /// Packets in a bucket.
    #[inline]
    pub(crate) fn len_of(&self, i: usize) -> usize {
        self.buckets[i].packets.len()
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

    /// Adds a packet at the tail of a bucket; one that was empty joins the end of the ring with this deficit.
    pub(crate) fn push(&mut self, i: usize, pkt: P, deficit: i64) {
        let bucket = &mut self.buckets[i];
        if bucket.packets.is_empty() {
            bucket.deficit = deficit;
            self.ring.push_back(i as u32);
        }
        self.changes += 1;
        bucket.reached = self.changes;
        bucket.bytes += pkt.size().0;
        bucket.packets.push_back(pkt);
        self.len += 1;
        self.bytes += pkt.size().0;
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
    }

    /// A bucket, to look at.
    #[inline]
    pub(crate) fn bucket(&mut self, i: usize) -> &mut Bucket<P> {
        &mut self.buckets[i]
    }

    /// Takes the oldest packet of a bucket, or its newest; an empty bucket leaves the ring.
    pub(crate) fn pop(&mut self, i: usize, newest: bool) -> Option<P> {
        let bucket = &mut self.buckets[i];
        let pkt = if newest { bucket.packets.pop_back() } else { bucket.packets.pop_front() }?;
        self.changes += 1;
        bucket.reached = self.changes;
        bucket.bytes -= pkt.size().0;
        if bucket.packets.is_empty() {
            bucket.deficit = 0;
            if let Some(place) = self.ring.iter().position(|j| *j as usize == i) {
                self.ring.remove(place);
            }
        }
        self.len -= 1;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// The bucket with most packets, of several the one whose length changed last.
    pub(crate) fn longest_latest(&self) -> Option<usize> {
        self.ring.iter().map(|i| *i as usize).max_by_key(|&i| (self.len_of(i), self.buckets[i].reached))
    }

    /// The bucket with most bytes, the first in the ring of several; in packets if `by_packets`.
    pub(crate) fn longest(&self, by_packets: bool) -> Option<usize> {
        let weight = |i: &u32| {
            let bucket = &self.buckets[*i as usize];
            if by_packets {
                bucket.packets.len() as u64
            } else {
                bucket.bytes
            }
        };
        let mut found: Option<(u64, u32)> = None;
        for i in &self.ring {
            if found.is_none_or(|(most, _)| weight(i) > most) {
                found = Some((weight(i), *i));
            }
        }
        found.map(|(_, i)| i as usize)
    }
}

impl<P: Packet + Copy> Bucket<P> {
    /// Bytes of the oldest packet.
    #[inline]
    pub(crate) fn head_size(&self) -> u64 {
        self.packets.front().map_or(0, |pkt| pkt.size().0)
    }
}
