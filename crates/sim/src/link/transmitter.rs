//! The transmitter of a link: takes packets from the discipline and puts them on the wire.

use super::ring::Ring;
use crate::account::{Backlog, LinkProbe};
use crate::calendar::Key;
use crate::packet::{FlowLabel, Pkt, SackPool, WaitingPacket};
use crate::transmission::Transmission;
use queue::disc::{Cx, Fate, QueueDisc, SackLookup};
use std::sync::Arc;
use units::{Bytes, Ecn, Serializer, Stream, Time};

/// All of a link but its discipline, which its methods take as an argument: they are compiled for each of the most
/// frequent disciplines, which are called without a match, and once for the enum of all.
pub(super) struct Transmitter {
    /// Packets and bytes in the queue.
    pub(super) backlog: Backlog,
    pub(super) rng: Stream,
    /// The link's number, its place in the order of events.
    pub(super) component: u32,
    /// Whether departures are known at arrival.
    pub(super) departures_known: bool,
    /// Whether the discipline has a periodic controller.
    pub(super) ticks: bool,
    /// Whether the packet on the wire counts as queued.
    pub(super) counts_wire: bool,
    /// The device's ring, if it has one.
    pub(super) ring: Option<Box<Ring>>,
    /// Whether it can take no packet; the size of the last packet on the wire, its start and its end.
    pub(super) busy: bool,
    pub(super) on_wire: Bytes,
    pub(super) started: Time,
    pub(super) free_at: Time,
    /// When it can take the next packet, if each transmission ends with an event.
    pub(super) ready: Time,
    /// When to call `dequeue` again, while the discipline holds its packets back.
    pub(super) held_until: Option<Time>,
    /// Whether `held_until` was ever moved to an earlier time, so that events for the later time may still come.
    pub(super) has_stale_events: bool,
    pub(super) serializer: Serializer,
    /// With departures known at arrival: the end of the last accepted transmission, and the serializer at that moment.
    pub(super) accepted_until: Time,
    pub(super) serializer_ahead: Serializer,
    /// The records of the link, if any.
    pub(super) probe: Option<Box<LinkProbe>>,
    /// The label of each flow, if the discipline reads them.
    pub(super) labels: Option<Arc<Vec<FlowLabel>>>,
}

impl Transmitter {
    /// With an event at the end of each transmission: a packet arrives at the queue.
    #[inline]
    pub(super) fn store<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        pkt: &Pkt,
        now: Time,
        fates: &mut Vec<Fate<WaitingPacket>>,
        sacks: &SackPool,
    ) {
        self.tick_until(queue, now, fates);
        self.record_backlog(queue, now);
        let before = fates.len();
        let waiting = self.labelled(pkt, now);
        let mut cx = self.context(now, fates);
        cx.sacks = Some(sacks as &dyn SackLookup);
        queue.enqueue(waiting, &mut cx);
        let came = &fates[before..];
        if let Some(probe) = &mut self.probe {
            probe.enters(now);
            probe.arrived(now, pkt.size, queue.avg(), came);
        }
        if came.is_empty() {
            self.backlog.add(pkt.size);
            self.check_backlog(queue);
        } else {
            self.sync_backlog(queue);
        }
    }

    /// With departures known at arrival: a packet arrives. Returns its transmission, or `None` if it was dropped.
    #[inline]
    pub(super) fn accept<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        pkt: &mut Pkt,
        key: Key,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) -> Option<Transmission> {
        self.catch_up(queue, key, fates);
        let now = key.time;
        self.record_backlog(queue, now);
        let before = fates.len();
        let waiting = self.labelled(pkt, now);
        queue.enqueue(waiting, &mut self.context(now, fates));
        let came = &fates[before..];
        if let Some(probe) = &mut self.probe {
            probe.arrived(now, pkt.size, queue.avg(), came);
        }
        let dropped = !came.is_empty() && is_dropped(pkt, came);
        if !dropped {
            self.backlog.add(pkt.size);
        }
        if !self.busy {
            self.start_next(queue, now, fates);
        }
        (!dropped).then(|| self.schedule_departure(pkt.size, now))
    }

    #[inline(always)]
    pub(super) fn serve<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        now: Time,
        sent: &mut Pkt,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) -> Option<Transmission> {
        let before = fates.len();
        let next = queue.dequeue(&mut self.context(now, fates));
        match &next {
            Some(WaitingPacket { pkt, .. }) if fates.len() == before => {
                self.backlog.remove(pkt.size);
                self.check_backlog(queue);
            }
            _ => self.sync_backlog(queue),
        }
        if let Some(probe) = self.probe.as_mut().filter(|_| fates.len() > before) {
            probe.record_fates(now, &fates[before..]);
        }
        let WaitingPacket { pkt, enqueued, .. } = next?;
        let start = now.max(self.free_at);
        self.occupy(pkt.size, start);
        *sent = pkt;
        self.ready = self.ring.as_mut().map_or(self.free_at, |ring| ring.take(start, now));
        if let Some(probe) = &mut self.probe {
            probe.departed(pkt.size, enqueued, now, self.free_at);
            if start > now {
                probe.held_in_ring(now, start);
            }
        }
        Some(Transmission { start, finish: self.free_at })
    }

    /// Puts a packet on the wire. After an idle period no remainder is carried over from the last division by the rate.
    #[inline]
    pub(super) fn occupy(&mut self, size: u32, now: Time) {
        if now > self.free_at {
            self.serializer.restart();
        }
        self.busy = true;
        self.on_wire = Bytes(u64::from(size));
        self.started = now;
        self.free_at = self.serializer.finish(now, self.on_wire);
    }

    /// If the discipline may drop packets at any time: updates the backlog after a call.
    #[inline]
    pub(super) fn sync_backlog<D: QueueDisc<WaitingPacket>>(&mut self, queue: &D) {
        self.backlog = Backlog { pkts: queue.len() as u64, bytes: queue.backlog().0 };
    }

    /// Without a drop the backlog follows from the packets that came and went.
    #[inline]
    fn check_backlog<D: QueueDisc<WaitingPacket>>(&self, queue: &D) {
        debug_assert_eq!(self.backlog, Backlog { pkts: queue.len() as u64, bytes: queue.backlog().0 });
    }

    /// Runs the discipline's ticks that are due before `now`; at equal times a tick comes last.
    #[inline]
    pub(super) fn tick_until<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        now: Time,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) {
        if self.ticks && queue.next_deadline().is_some_and(|due| due < now) {
            self.run_ticks(queue, now, fates);
        }
    }

    #[inline(never)]
    fn run_ticks<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        now: Time,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) {
        while let Some(due) = queue.next_deadline().filter(|due| *due < now) {
            self.record_backlog(queue, due);
            let before = fates.len();
            queue.on_deadline(&mut self.context(due, fates));
            self.sync_backlog(queue);
            if let Some(probe) = &mut self.probe {
                probe.record_fates(due, &fates[before..]);
            }
        }
    }

    /// Records the backlog until `now`, before it changes.
    #[inline]
    pub(super) fn record_backlog<D: QueueDisc<WaitingPacket>>(&mut self, queue: &D, now: Time) {
        if let Some(probe) = &mut self.probe {
            probe.hold_until(now, self.backlog, Some(queue));
        }
    }

    /// The context of a call to the discipline.
    #[inline]
    pub(super) fn context<'a>(
        &'a mut self,
        now: Time,
        fates: &'a mut Vec<Fate<WaitingPacket>>,
    ) -> Cx<'a, WaitingPacket> {
        let on_wire = if self.counts_wire && self.busy { self.on_wire } else { Bytes(0) };
        let mut cx = Cx::new(now, &mut self.rng, fates);
        cx.on_wire = on_wire;
        cx
    }
}

/// Whether the arriving packet was dropped; if it was marked instead, sets CE.
#[cold]
fn is_dropped(pkt: &mut Pkt, fates: &[Fate<WaitingPacket>]) -> bool {
    let dropped = fates.iter().any(|fate| matches!(fate, Fate::Dropped(..)));
    if !dropped {
        pkt.set_ecn(Ecn::Ce);
    }
    dropped
}
