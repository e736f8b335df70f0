//! Storage of the packets of many queues: one pool of slots, and for each queue a chain through it.

use crate::disc::Packet;
use alloc::vec::Vec;

/// No slot, no queue.
pub(super) const NONE: u32 = u32::MAX;

/// A packet in the pool, and the one behind it.
#[derive(Clone, Debug)]
pub(super) struct Slot<P> {
    pkt: P,
    next: u32,
}

/// All packets of all queues.
#[derive(Clone, Debug)]
pub(super) struct Pool<P> {
    pub(super) slots: Vec<Slot<P>>,
    free: u32,
    pub(super) packets: u64,
    pub(super) bytes: u64,
}

impl<P: Packet + Copy> Pool<P> {
    pub(super) fn new() -> Pool<P> {
        Pool { slots: Vec::with_capacity(64), free: NONE, packets: 0, bytes: 0 }
    }

    #[inline]
    fn put(&mut self, pkt: P) -> u32 {
        self.packets += 1;
        self.bytes += pkt.size().0;
        let slot = Slot { pkt, next: NONE };
        if self.free == NONE {
            self.slots.push(slot);
            return self.slots.len() as u32 - 1;
        }
        let place = self.free;
        self.free = self.slots[place as usize].next;
        self.slots[place as usize] = slot;
        place
    }

    #[inline]
    fn take(&mut self, place: u32) -> (P, u32) {
        let Slot { pkt, next } = self.slots[place as usize];
        self.slots[place as usize].next = self.free;
        self.free = place;
        self.packets -= 1;
        self.bytes -= pkt.size().0;
        (pkt, next)
    }
}

impl<P: Copy> Copy for Slot<P> {}

/// One queue: its packets by place in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    head: u32,
    tail: u32,
    pub(super) packets: u64,
    pub(super) bytes: u64,
}

impl Chain {
    pub(super) const EMPTY: Chain = Chain { head: NONE, tail: NONE, packets: 0, bytes: 0 };

    #[inline]
    pub(super) fn push<P: Packet + Copy>(&mut self, pool: &mut Pool<P>, pkt: P) {
        let place = pool.put(pkt);
        if self.head == NONE {
            self.head = place;
        } else {
            pool.slots[self.tail as usize].next = place;
        }
        self.tail = place;
        self.packets += 1;
        self.bytes += pkt.size().0;
    }

    #[inline]
    pub(super) fn pop<P: Packet + Copy>(&mut self, pool: &mut Pool<P>) -> Option<P> {
        if self.head == NONE {
            return None;
        }
        let (pkt, next) = pool.take(self.head);
        self.head = next;
        self.packets -= 1;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }
}
