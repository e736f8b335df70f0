//! A device's ring: packets that have left the discipline and wait for transmission.

use super::Link;
use std::collections::VecDeque;
use units::Time;

/// A device that takes packets from the discipline before it can send them. The start of each transmission is known as
/// the packet is taken.
pub(super) struct Ring {
    /// Packets it holds besides the one on the wire.
    room: usize,
    /// Starts of the transmissions of the last packets taken, at most `room`.
    starts: VecDeque<Time>,
}

impl Ring {
    /// A packet whose transmission begins at `start` was taken at `now`. Returns when there is room for the next.
    pub(super) fn take(&mut self, start: Time, now: Time) -> Time {
        if self.starts.len() == self.room {
            self.starts.pop_front();
        }
        self.starts.push_back(start);
        if self.starts.len() < self.room {
            return now;
        }
        self.starts[0].max(now)
    }
}

impl Link {
    /// Sets up a device ring for this many packets.
    pub fn use_ring(&mut self, packets: u64) {
        if packets > 0 {
            let transmitter = &mut self.state().transmitter;
            transmitter.ring = Some(Box::new(Ring { room: packets as usize, starts: VecDeque::new() }));
        }
    }

    /// With an event at the end of each transmission: when the transmitter can take the next packet.
    pub fn ready(&self) -> Time {
        self.state.as_ref().map_or(Time::NEVER, |state| state.transmitter.ready)
    }
}
