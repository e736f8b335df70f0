//! Links whose departures are not known at arrival: each end of a transmission is an event.

use super::{Network, Transit, TRANSMITTER_FREE};
use crate::calendar::Key;
use crate::packet::Pkt;
use crate::transmission::Transmission;
use units::Time;

impl Network {
    /// Starts the transmission of a dequeued packet, if there is one.
    pub(super) fn send(&mut self, number: u32, sent: Option<(Pkt, Transmission)>, now: Time) {
        let Some((pkt, mut wire)) = sent else { return self.retry_at(number, now) };
        // A packet in the device's ring has left the queue, even if the run ends before it is sent.
        wire.start = wire.start.min(self.window.end);
        self.outstanding_mut(pkt.flow).queued.remove(pkt.size);
        let ready = self.links[number as usize].ready();
        if ready <= self.window.end {
            let transmission_ended = Key { time: ready, birth: wire.start.min(ready), component: number };
            self.fabric.schedule(transmission_ended, Pkt::event(TRANSMITTER_FREE, number));
        }
        let key = Key { time: wire.finish, birth: wire.start, component: number };
        let mut transit = Transit::new(pkt, key);
        if self.depart(number, wire, &mut transit) {
            self.travel(transit);
        }
    }
}
