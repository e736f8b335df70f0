//! Departures known at arrival: the link executes the dequeues that were due at its next arrival, each at its own time.

use super::transmitter::Transmitter;
use super::{Active, Link};
use crate::calendar::Key;
use crate::packet::WaitingPacket;
use crate::transmission::Transmission;
use queue::disc::{Fate, QueueDisc};
use units::{Bytes, Time};

impl Link {
    /// Executes and records everything due before `key`.
    pub(crate) fn advance_to(&mut self, key: Key, fates: &mut Vec<Fate<WaitingPacket>>) {
        let Active { queue, transmitter } = self.state();
        transmitter.catch_up(queue, key, fates);
        transmitter.record_backlog(queue, key.time);
    }
}

impl Transmitter {
    /// Executes everything due before `key`: dequeues (where they are no events) and ticks of the discipline.
    #[inline]
    pub(super) fn catch_up<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        key: Key,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) {
        if self.departures_known {
            while self.busy && self.free_key().precedes(&key) {
                let now = self.free_at;
                self.tick_until(queue, now, fates);
                self.record_backlog(queue, now);
                self.start_next(queue, now, fates);
            }
        }
        self.tick_until(queue, key.time, fates);
    }

    /// The position of the end of the present transmission in the order of events.
    #[inline]
    pub(super) fn free_key(&self) -> Key {
        Key { time: self.free_at, birth: self.started, component: self.component }
    }

    /// With departures known at arrival: the transmission of an accepted packet, which follows all accepted before it.
    #[inline]
    pub(super) fn schedule_departure(&mut self, size: u32, now: Time) -> Transmission {
        if now > self.accepted_until {
            self.serializer_ahead.restart();
        }
        let start = now.max(self.accepted_until);
        let finish = self.serializer_ahead.finish(start, Bytes(u64::from(size)));
        self.accepted_until = finish;
        if let Some(probe) = &mut self.probe {
            probe.departed(size, now, start, finish);
        }
        Transmission { start, finish }
    }

    /// With departures known at arrival: the dequeue at the end of a transmission, or at an arrival to an idle link.
    #[inline]
    pub(super) fn start_next<D: QueueDisc<WaitingPacket>>(
        &mut self,
        queue: &mut D,
        now: Time,
        fates: &mut Vec<Fate<WaitingPacket>>,
    ) {
        // The last packet has left the wire.
        self.busy = false;
        if let Some(Bytes(size)) = queue.release(&mut self.context(now, fates)) {
            self.backlog.remove(size as u32);
            self.occupy(size as u32, now);
        }
    }
}
