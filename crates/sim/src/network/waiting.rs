//! Links whose departures are not known ahead.

use super::{Network, Transit, FREE};
use crate::calendar::Key;
use crate::link::OnWire;
use crate::packet::Pkt;
use units::Time;

impl Network {
    /// A link whose departures are not known ahead starts to send a packet, if there is one.
    pub(super) fn send(&mut self, number: u32, sent: Option<(Pkt, OnWire)>, now: Time) {
        let Some((pkt, mut wire)) = sent else { return self.ask_again(number, now) };
        // What waits in a ring has left the queue, also if the run ends before it is sent.
        wire.start = wire.start.min(self.window.end);
        self.left_mut(pkt.flow).queued.remove(pkt.size);
        let ready = self.links[number as usize].ready();
        if ready <= self.window.end {
            let free = Key { time: ready, birth: wire.start.min(ready), component: number };
            self.wires.enter(free, Pkt::alarm(FREE, number));
        }
        let key = Key { time: wire.finish, birth: wire.start, component: number };
        let mut transit = Transit::new(pkt, key);
        if self.depart(number, wire, &mut transit) {
            self.travel(transit);
        }
    }
}
