//! The packet store of most disciplines: first in, first out, with a hard limit.
//!
//! Units: a limit counts packets or bytes. Where the link counts the packet on the wire as part of the
//! queue ([`Cx::on_wire`]), it takes up room here too.

use super::disc::{Cx, Packet, Reason};
use crate::store::ring::Ring;
use units::quantity::Amount;
use units::{Bytes, Time};

pub use super::limit::{Limit, LimitTest, Unit};

/// Packets in the order they came.
#[derive(Clone, Debug)]
pub struct Fifo<P> {
    packets: Ring<P>,
    bytes: u64,
    limit: Limit,
}

impl Limit {
    /// Whether a store of `len` packets and `bytes` bytes, besides the packet on the wire, has room for an arrival.
    #[inline]
    pub(crate) fn has_room<P: Packet>(self, len: usize, bytes: u64, pkt: &P, cx: &Cx<'_, P>) -> bool {
        let on_wire = u64::from(cx.on_wire.0 > 0);
        self.admits(len as u64 + on_wire, bytes + cx.on_wire.0, pkt.size().0)
    }
}

impl<P: Packet + Copy> Fifo<P> {
    /// An empty store.
    pub fn new(limit: Limit) -> Fifo<P> {
        Fifo { packets: Ring::new(), bytes: 0, limit }
    }

    /// The hard limit.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether `pkt` fits.
    #[inline]
    pub fn has_room(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        self.limit.has_room(self.packets.len(), self.bytes, pkt, cx)
    }

    /// Whether `pkt` would fit if the store were empty.
    pub fn could_hold(&self, pkt: &P, cx: &Cx<'_, P>) -> bool {
        self.limit.admits(u64::from(cx.on_wire.0 > 0), cx.on_wire.0, pkt.size().0)
    }

    /// Packets in the store, and the one on the wire if the link counts it.
    #[inline]
    pub fn packets_held(&self, cx: &Cx<'_, P>) -> u64 {
        self.packets.len() as u64 + u64::from(cx.on_wire.0 > 0)
    }

    /// Bytes in the store, and those on the wire if the link counts them.
    #[inline]
    pub fn bytes_held(&self, cx: &Cx<'_, P>) -> u64 {
        self.bytes + cx.on_wire.0
    }

    /// Appends a packet and records its time of arrival. The caller has checked that it fits.
    #[inline]
    pub fn push(&mut self, mut pkt: P, cx: &Cx<'_, P>) {
        pkt.set_enqueued(cx.now);
        self.append(pkt);
    }

    /// Stores a packet, or drops it for lack of room.
    #[inline]
    pub fn push_or_drop(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.has_room(&pkt, cx) {
            self.push(pkt, cx);
        } else {
            cx.drop(pkt, Reason::Overflow);
        }
    }

    /// Stores an arrival, or drops it for lack of room. With a signal it is marked first if `ecn` is on and it is
    /// ECN-capable, and otherwise dropped.
    #[inline]
    pub fn admit(&mut self, pkt: P, signal: bool, ecn: bool, cx: &mut Cx<'_, P>) {
        let kept = if signal { cx.mark_or_drop(pkt, ecn, Reason::Early) } else { Some(pkt) };
        if let Some(kept) = kept {
            self.push_or_drop(kept, cx);
        }
    }

    /// The queue (with the packet on the wire, if the link counts that) in the unit of an amount: packets or bytes.
    #[inline]
    pub fn held_as(&self, unit_of: Amount, cx: &Cx<'_, P>) -> f64 {
        match unit_of {
            Amount::Packets(_) => self.packets_held(cx) as f64,
            Amount::Bytes(_) => self.bytes_held(cx) as f64,
        }
    }

    /// [`Fifo::push`] without the time of arrival.
    #[inline(always)]
    pub(crate) fn append(&mut self, pkt: P) {
        self.bytes += pkt.size().0;
        self.packets.push_back(pkt);
    }

    /// Removes all packets.
    pub(crate) fn clear(&mut self) {
        self.bytes = 0;
        self.packets.clear();
    }

    /// Removes and returns the oldest packet.
    #[inline]
    pub fn pop_front(&mut self) -> Option<P> {
        let pkt = self.packets.pop_front()?;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// Removes packets from the head while `goes` holds; returns the time of arrival of the last one removed.
    #[inline(always)]
    pub(crate) fn drop_while(&mut self, mut goes: impl FnMut(&P) -> bool) -> Option<Time> {
        let (mut bytes, mut last) = (self.bytes, None);
        self.packets.drop_while(|pkt| {
            let gone = goes(pkt);
            if gone {
                bytes -= pkt.size().0;
                last = Some(pkt.enqueued());
            }
            gone
        });
        self.bytes = bytes;
        last
    }

    /// Removes and returns the newest packet.
    pub fn pop_back(&mut self) -> Option<P> {
        let pkt = self.packets.pop_back()?;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// Removes and returns the packet at position `i` from the head; takes time in proportion to the queue length.
    pub fn pop_at(&mut self, i: usize) -> Option<P> {
        let pkt = self.packets.remove(i)?;
        self.bytes -= pkt.size().0;
        Some(pkt)
    }

    /// Removes and returns a packet drawn uniformly at random; `None` if the store is empty.
    pub fn pop_random(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        if self.packets.is_empty() {
            return None;
        }
        let last = self.packets.len() - 1;
        let i = (cx.uniform() * self.packets.len() as f64) as usize;
        self.pop_at(i.min(last))
    }

    /// A reference to the oldest packet.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.packets.front()
    }

    /// A reference to the packet at position `i` from the head.
    pub fn peek(&self, i: usize) -> Option<&P> {
        self.packets.get(i)
    }

    /// All packets, from the head.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter()
    }

    /// Packets in the store.
    #[inline]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether the store is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Bytes in the store.
    #[inline]
    pub fn backlog(&self) -> Bytes {
        Bytes(self.bytes)
    }
}

/// The methods of [`QueueDisc`](crate::disc::QueueDisc) for one that holds its packets in `queue`, a [`Fifo`], and
/// decides at arrival only.
macro_rules! as_fifo {
    () => {
        #[inline]
        fn dequeue(&mut self, _cx: &mut crate::disc::Cx<'_, P>) -> Option<P> {
            self.queue.pop_front()
        }
        #[inline]
        fn decides(&self) -> crate::disc::Decides {
            crate::disc::Decides::AtArrival
        }
        crate::contract::fifo::counts_of_fifo!();
    };
}
pub(crate) use as_fifo;

/// Length and backlog of one that holds its packets in `queue`, a [`Fifo`].
macro_rules! counts_of_fifo {
    () => {
        #[inline]
        fn len(&self) -> usize {
            self.queue.len()
        }
        #[inline]
        fn backlog(&self) -> units::Bytes {
            self.queue.backlog()
        }
    };
}
pub(crate) use counts_of_fifo;
